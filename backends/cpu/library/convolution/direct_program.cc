// Each result is summed over the elements of the kernel that meet the input, which are listed: once for all results of
// a segment (AxisSegment), whose windows lie equally far apart. So nothing is copied out of the input, nothing is
// multiplied with padding or holes, and strides, dilations and padding cost nothing.
//
// The kernel is brought to panels of columns first: of output features, or, where groups have few of them, of groups.
// The input is read where it lies, if its elements are what is computed with and lie as the loops want them; otherwise
// it is brought to that form first.
#include "backends/cpu/library/convolution/direct_program.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/base/array_elements.h"
#include "backends/cpu/library/base/kernel_choice.h"
#include "backends/cpu/library/convolution/convolution_kernels.h"
#include "backends/cpu/library/convolution/direct_convolution.h"
#include "backends/cpu/library/product/product_packing.h"
#include "backends/cpu/library/product/product_programs.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Products in one sum before it is added to the others: keeps sums accurate, and a panel of the kernel in the second
// cache.
constexpr int64_t kMaxChain = 1024;
// Results of one panel whose sums are kept in scratch memory.
constexpr int64_t kMaxRows = 512;
// Of the units of a run, together.
constexpr int64_t kDirectMaxMeetings = 64 << 10;
constexpr double kDirectTileFlops = 4e6;
constexpr int64_t kDirectMaxTiles = 64;
// More tiles than that where each would take seconds: limits of time are looked at between tiles.
constexpr double kDirectMostTileFlops = 8e9;
constexpr int64_t kCopyElements = 64 << 10;
constexpr double kDirectMaxBytes = 1e13;

// A dimension of an array that is copied.
struct CopyAxis {
  int64_t size, from, to;
};

// Dimensions that lie one after the other on both sides are one; those of one index are none. At least two are left.
std::vector<CopyAxis> Joined(const std::vector<CopyAxis>& axes) {
  std::vector<CopyAxis> joined;
  for (const CopyAxis& axis : axes) {
    if (axis.size == 1) continue;
    if (!joined.empty() && joined.back().from == axis.size * axis.from && joined.back().to == axis.size * axis.to) {
      joined.back() = {joined.back().size * axis.size, axis.from, axis.to};
    } else {
      joined.push_back(axis);
    }
  }
  while (joined.size() < 2) joined.insert(joined.begin(), CopyAxis{1, 0, 0});
  return joined;
}

template <typename T, bool kComplex>
class DirectProgram : public TiledProgram {
 public:
  DirectProgram(DirectConvolution convolution, const ProductTypes& types)
      : c_(std::move(convolution)),
        types_(types),
        kernels_(HostConvolutionKernels()),
        lanes_(kernels_.vector_bytes / static_cast<int64_t>(sizeof(T))),
        kernel_rows_(kComplex ? kernels_.complex_rows : kernels_.rows),
        is_signed_(!(IsUnsignedInt(types.lhs) && IsUnsignedInt(types.rhs))) {}

  absl::Status Prepare() {
    if (BytesAtMost() > kDirectMaxBytes) return absl::UnimplementedError("arrays are too large");
    positions_ = c_.KernelPositions();
    lanes_are_groups_ =
        c_.groups > 1 && RoundUp(c_.groups, lanes_) * c_.outputs < c_.groups * RoundUp(c_.outputs, lanes_);
    ChooseRows();
    if (row_axis_ >= 0) {
      ASSIGN_OR_RETURN(segments_, SegmentsOf(c_.axes[row_axis_]));
    } else {
      segments_ = {{0, 1, c_.batch, 1, {{0, 0}}}};
    }
    PlaceKernel();
    PlaceInput();
    CutBlocks();
    CutTiles();
    PlaceScratch();
    return absl::OkStatus();
  }

  const char* kind() const override { return "direct"; }
  int phase_count() const override { return 3; }
  int64_t tile_count(int phase) const override {
    if (unit_count_ == 0) return 0;
    if (phase == 0) return kernel_elements_ == 0 ? 0 : kernel_tiles_;
    if (phase == 1) return input_is_direct_ ? 0 : copy_tiles_;
    return CeilDiv(unit_count_, tile_units_) * panel_chunks_;
  }
  double FlopCount() const override { return c_.FlopCount(); }

  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) override {
    if (types_.result != F32) return false;
    epilogue_ = std::move(epilogue);
    return true;
  }

  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override {
    if (phase == 0) {
      if (buffers.prepared_rhs == nullptr) PackKernelTile(tile, buffers.rhs, buffers.workspace);
    } else if (phase == 1) {
      CopyInputTile(tile, buffers);
    } else {
      RunUnits(tile, buffers, scratch);
    }
  }

  void PrepareRhs(const void* rhs, void* prepared) const override {
    for (int64_t tile = 0; tile < tile_count(0); ++tile) PackKernelTile(tile, rhs, prepared);
  }

 private:
  static constexpr int kParts = kComplex ? 2 : 1;

  // A part of the kernel that is multiplied at once.
  struct Block {
    int64_t position_begin, position_end;
    int64_t input_begin, input_end;
  };
  // Elements of the kernel along all axes but that of the rows, and the input's elements that they meet.
  struct OuterMeeting {
    int64_t input_offset, position;
  };
  // A row of results: a part of the row axis, of one group (or a panel of groups), image and place on the other axes.
  struct Unit {
    int64_t group;
    int64_t row_begin, row_end;
    int64_t lhs, result;      // first elements, of the whole row axis
    std::vector<int64_t> at;  // index on each axis
  };
  struct Scratch {
    T* sums;
    int64_t* a_offsets;
    int64_t* b_offsets;
  };

  double BytesAtMost() const {
    double kernel = static_cast<double>(RoundUp(c_.groups, lanes_)) * static_cast<double>(RoundUp(c_.outputs, lanes_)) *
                    static_cast<double>(c_.inputs) * 16;
    double input =
        static_cast<double>(c_.groups + lanes_) * static_cast<double>(c_.inputs) * static_cast<double>(c_.batch) * 16;
    for (const ConvolutionAxis& axis : c_.axes) {
      kernel *= static_cast<double>(axis.kernel);
      input *= static_cast<double>(axis.input);
    }
    return std::max(kernel, input);
  }

  // ---- How it is laid out

  // Rows run along the last axis if it is long, else along the longest, which may be that of images.
  void ChooseRows() {
    const auto length = [&](int64_t axis) {
      if (axis < 0) return c_.batch;
      const ConvolutionAxis& a = c_.axes[axis];
      return CeilDiv(a.output, std::max<int64_t>(a.base_dilation / a.stride, 1));
    };
    row_axis_ = static_cast<int64_t>(c_.axes.size()) - 1;
    if (length(row_axis_) >= 2 * kernel_rows_) return;
    for (int64_t axis = -1; axis < static_cast<int64_t>(c_.axes.size()); ++axis) {
      if (length(axis) > length(row_axis_)) row_axis_ = axis;
    }
  }

  // Where groups are lanes, each output feature is a panel.
  int64_t PanelWidth(int64_t panel) const {
    return !kComplex && !lanes_are_groups_ && c_.outputs - panel * 2 * lanes_ > lanes_ ? 2 * lanes_ : lanes_;
  }
  int64_t PanelColumn(int64_t panel) const { return panel * (kComplex ? 1 : 2) * lanes_; }

  void PlaceKernel() {
    group_count_ = lanes_are_groups_ ? CeilDiv(c_.groups, lanes_) : c_.groups;
    padded_columns_ = lanes_are_groups_ ? c_.outputs * lanes_ : RoundUp(c_.outputs, lanes_);
    panel_count_ = lanes_are_groups_ ? c_.outputs : CeilDiv(c_.outputs, (kComplex ? 1 : 2) * lanes_);
    kernel_elements_ = group_count_ * positions_ * c_.inputs * padded_columns_;
    prepared_rhs_bytes_ = RoundUp(kParts * kernel_elements_ * static_cast<int64_t>(sizeof(T)), 64);
    workspace_bytes_ = prepared_rhs_bytes_;
    kernel_tiles_ = std::max<int64_t>(std::min<int64_t>(CeilDiv(kernel_elements_, kCopyElements), positions_), 1);
  }

  // The first element of a panel's position 0.
  int64_t PanelPlace(int64_t group, int64_t panel) const {
    const int64_t columns_before = lanes_are_groups_ ? panel * lanes_ : PanelColumn(panel);
    return (group * padded_columns_ + columns_before) * positions_ * c_.inputs;
  }

  void PlaceInput() {
    input_is_direct_ = !kComplex && IsStoredAs<T>(types_.lhs) &&
                       (!lanes_are_groups_ || (c_.groups % lanes_ == 0 && c_.group_strides.lhs == 1));
    lhs_strides_.resize(c_.axes.size());
    if (input_is_direct_) {
      for (size_t i = 0; i < c_.axes.size(); ++i) lhs_strides_[i] = c_.axes[i].strides.lhs;
      lhs_group_ = lanes_are_groups_ ? lanes_ * c_.group_strides.lhs : c_.group_strides.lhs;
      lhs_batch_ = c_.batch_strides.lhs;
      lhs_input_ = c_.input_strides.lhs;
      return;
    }
    // Outermost first: images and axes, then groups and features, in the order that the loops want.
    std::vector<CopyAxis> axes;
    const CopyAxis groups = {c_.groups, c_.group_strides.lhs, 0}, inputs = {c_.inputs, c_.input_strides.lhs, 0};
    const bool groups_first = c_.has_batch_groups && !lanes_are_groups_;
    if (groups_first) axes.push_back(groups);
    const size_t batch_at = axes.size();
    axes.push_back({c_.batch, c_.batch_strides.lhs, 0});
    const size_t axes_at = axes.size();
    for (const ConvolutionAxis& axis : c_.axes) axes.push_back({axis.input, axis.strides.lhs, 0});
    if (!groups_first && !lanes_are_groups_) axes.push_back(groups);
    const size_t inputs_at = axes.size();
    axes.push_back(inputs);
    if (lanes_are_groups_) axes.push_back(groups);
    input_elements_ = 1;
    for (size_t i = axes.size(); i-- > 0;) {
      axes[i].to = input_elements_;
      const bool is_padded = lanes_are_groups_ && i + 1 == axes.size();
      input_elements_ *= is_padded ? RoundUp(axes[i].size, lanes_) : axes[i].size;
    }
    lhs_batch_ = axes[batch_at].to;
    for (size_t i = 0; i < c_.axes.size(); ++i) lhs_strides_[i] = axes[axes_at + i].to;
    lhs_input_ = axes[inputs_at].to;
    lhs_group_ = lanes_are_groups_ ? lanes_ : axes[groups_first ? 0 : inputs_at - 1].to;
    pads_input_ = lanes_are_groups_ && c_.groups % lanes_ != 0;
    // Lanes beyond the last group are cleared with the rows that they belong to, so rows must stay rows.
    copy_axes_ = pads_input_ ? axes : Joined(axes);
    while (copy_axes_.size() < 2) copy_axes_.insert(copy_axes_.begin(), CopyAxis{1, 0, 0});
    copy_rows_ = 1;
    for (size_t i = 0; i + 1 < copy_axes_.size(); ++i) copy_rows_ *= copy_axes_[i].size;
    copy_tiles_ = std::max<int64_t>(std::min(CeilDiv(input_elements_, kCopyElements), copy_rows_), 1);
    workspace_bytes_ += RoundUp(kParts * input_elements_ * static_cast<int64_t>(sizeof(T)), 64);
  }

  void CutBlocks() {
    const int64_t inputs = std::min(std::max<int64_t>(c_.inputs, 1), kMaxChain);
    const int64_t positions = std::max<int64_t>(kMaxChain / inputs, 1);
    for (int64_t p = 0; p < positions_; p += positions) {
      for (int64_t i = 0; i < c_.inputs; i += inputs) {
        blocks_.push_back({p, std::min(positions_, p + positions), i, std::min(c_.inputs, i + inputs)});
      }
    }
    if (blocks_.empty()) blocks_.push_back({0, 0, 0, 0});
  }

  void CutTiles() {
    row_count_ = row_axis_ < 0 ? c_.batch : c_.axes[row_axis_].output;
    row_chunk_ = std::max<int64_t>(std::min(row_count_, kMaxRows), 1);
    row_chunks_ = CeilDiv(row_count_, row_chunk_);
    units_per_group_ = row_chunks_ * (row_axis_ < 0 ? 1 : c_.batch);
    for (int64_t i = 0; i < static_cast<int64_t>(c_.axes.size()); ++i) {
      if (i != row_axis_) units_per_group_ *= c_.axes[i].output;
    }
    unit_count_ = row_count_ == 0 || c_.outputs == 0 ? 0 : group_count_ * units_per_group_;
    if (unit_count_ == 0) return;
    const double flops = c_.FlopCount() * (kComplex ? 4 : 1) * (sizeof(T) / 4.0);
    const double few_tiles = std::min(std::max(flops / kDirectTileFlops, 1.0), 1.0 * kDirectMaxTiles);
    const auto tiles = static_cast<int64_t>(std::max(few_tiles, flops / kDirectMostTileFlops));
    panel_chunks_ = std::min(panel_count_, CeilDiv(tiles, unit_count_));
    chunk_panels_ = CeilDiv(panel_count_, panel_chunks_);
    panel_chunks_ = CeilDiv(panel_count_, chunk_panels_);
    tile_units_ = CeilDiv(unit_count_, std::max<int64_t>(tiles / panel_chunks_, 1));
    int64_t outer_positions = 1;
    row_position_step_ = row_axis_ < 0 ? 0 : 1;
    for (int64_t i = 0; i < static_cast<int64_t>(c_.axes.size()); ++i) {
      if (i != row_axis_) outer_positions *= c_.axes[i].kernel;
      if (i > row_axis_) row_position_step_ *= c_.axes[i].kernel;
    }
    run_units_ = std::max<int64_t>(
        std::min(kMaxRows / row_chunk_, kDirectMaxMeetings / std::max<int64_t>(outer_positions, 1)), 1);
    const bool has_unit_columns = lanes_are_groups_ ? c_.group_strides.result == 1 : c_.output_strides.result == 1;
    stores_at_once_ = !kComplex && IsStoredAs<T>(types_.result) && has_unit_columns;
  }

  void PlaceScratch() {
    if (unit_count_ == 0) return;
    const int64_t width = (kComplex || lanes_are_groups_ ? 1 : 2) * lanes_;
    sums_part_ = run_units_ * row_chunk_ * width;
    block_positions_ = 0;
    for (const Block& block : blocks_) {
      block_positions_ = std::max(block_positions_, block.position_end - block.position_begin);
    }
    scratch_bytes_ = kParts * sums_part_ * static_cast<int64_t>(sizeof(T)) +
                     2 * block_positions_ * static_cast<int64_t>(sizeof(int64_t));
    scratch_bytes_ = RoundUp(scratch_bytes_, 64);
  }

  // ---- The kernel

  void PackKernelTile(int64_t tile, const void* rhs, void* packed) const {
    T* const out = static_cast<T*>(packed);
    const int64_t begin = positions_ * tile / kernel_tiles_, end = positions_ * (tile + 1) / kernel_tiles_;
    for (int64_t position = begin; position < end; ++position) {
      const int64_t source = KernelOffset(position);
      for (int64_t group = 0; group < group_count_; ++group) {
        for (int64_t panel = 0; panel < panel_count_; ++panel) {
          const int64_t width = PanelWidth(panel);
          PackPanel(group, panel, source, rhs, out + PanelPlace(group, panel) + position * c_.inputs * width, width);
        }
      }
    }
  }

  void PackPanel(int64_t group, int64_t panel, int64_t source, const void* rhs, T* out, int64_t width) const {
    int64_t first = source, count, stride;
    if (lanes_are_groups_) {
      first += group * lanes_ * c_.group_strides.rhs + panel * c_.output_strides.rhs;
      count = std::min(lanes_, c_.groups - group * lanes_);
      stride = c_.group_strides.rhs;
    } else {
      first += group * c_.group_strides.rhs + PanelColumn(panel) * c_.output_strides.rhs;
      count = std::min(width, c_.outputs - PanelColumn(panel));
      stride = c_.output_strides.rhs;
    }
    const StridedBlock from = {types_.rhs, ElementOf(types_.rhs, rhs, first), c_.inputs, c_.input_strides.rhs, count,
                               stride};
    for (int part = 0; part < kParts; ++part) {
      T* const to = out + part * kernel_elements_;
      if (count < width) std::fill_n(to, c_.inputs * width, T{0});
      PackBlock(from, part == 1, to, width);
    }
  }

  // Where a position of the kernel, counted in row-major order and as windows meet it, is in rhs.
  int64_t KernelOffset(int64_t position) const {
    int64_t offset = 0;
    for (size_t i = c_.axes.size(); i-- > 0;) {
      const ConvolutionAxis& axis = c_.axes[i];
      const int64_t k = position % axis.kernel;
      position /= axis.kernel;
      offset += (axis.reversed ? axis.kernel - 1 - k : k) * axis.strides.rhs;
    }
    return offset;
  }

  // ---- The input

  void CopyInputTile(int64_t tile, const Buffers& buffers) const {
    T* const out = reinterpret_cast<T*>(static_cast<char*>(buffers.workspace) + prepared_rhs_bytes_);
    const CopyAxis& columns = copy_axes_.back();
    const CopyAxis& rows = copy_axes_[copy_axes_.size() - 2];
    const int64_t begin = copy_rows_ * tile / copy_tiles_, end = copy_rows_ * (tile + 1) / copy_tiles_;
    for (int64_t row = begin; row < end;) {
      const int64_t count = std::min(rows.size - row % rows.size, end - row);
      int64_t from = 0, to = 0, rest = row;
      for (size_t i = copy_axes_.size() - 1; i-- > 0;) {
        from += rest % copy_axes_[i].size * copy_axes_[i].from;
        to += rest % copy_axes_[i].size * copy_axes_[i].to;
        rest /= copy_axes_[i].size;
      }
      const StridedBlock block = {types_.lhs,  ElementOf(types_.lhs, buffers.lhs, from), count, rows.from, columns.size,
                                  columns.from};
      for (int part = 0; part < kParts; ++part) {
        T* const target = out + part * input_elements_ + to;
        if (pads_input_) std::fill_n(target, count * rows.to, T{0});
        PackBlock(block, part == 1, target, rows.to);
      }
      row += count;
    }
  }

  // ---- The results

  Unit UnitAt(int64_t index) const {
    Unit unit;
    unit.group = index / units_per_group_;
    int64_t rest = index % units_per_group_;
    unit.row_begin = rest % row_chunks_ * row_chunk_;
    unit.row_end = std::min(row_count_, unit.row_begin + row_chunk_);
    rest /= row_chunks_;
    unit.at.assign(c_.axes.size(), 0);
    const int64_t lanes = lanes_are_groups_ ? lanes_ : 1;
    unit.result = unit.group * lanes * c_.group_strides.result;
    unit.lhs = unit.group * lhs_group_;
    for (int64_t i = static_cast<int64_t>(c_.axes.size()); i-- > 0;) {
      if (i == row_axis_) continue;
      unit.at[i] = rest % c_.axes[i].output;
      rest /= c_.axes[i].output;
      unit.result += unit.at[i] * c_.axes[i].strides.result;
    }
    if (row_axis_ >= 0) {
      unit.result += rest * c_.batch_strides.result;
      unit.lhs += rest * lhs_batch_;
    }
    return unit;
  }

  int64_t ResultRow() const { return row_axis_ < 0 ? c_.batch_strides.result : c_.axes[row_axis_].strides.result; }
  int64_t InputRow() const { return row_axis_ < 0 ? lhs_batch_ : lhs_strides_[row_axis_]; }

  // What the unit's windows meet along the axes that are not that of the rows.
  std::vector<OuterMeeting> OuterMeetings(const Unit& unit) const {
    if (positions_ == 0) return {};
    std::vector<OuterMeeting> meetings = {{0, 0}};
    std::vector<OuterMeeting> next;
    int64_t step = positions_;
    for (int64_t i = 0; i < static_cast<int64_t>(c_.axes.size()) && !meetings.empty(); ++i) {
      const ConvolutionAxis& axis = c_.axes[i];
      step /= axis.kernel;
      if (i == row_axis_) continue;
      next.clear();
      for (const OuterMeeting& outer : meetings) {
        for (int64_t k = 0; k < axis.kernel; ++k) {
          const int64_t input = axis.InputAt(unit.at[i], k);
          if (input >= 0) next.push_back({outer.input_offset + input * lhs_strides_[i], outer.position + k * step});
        }
      }
      meetings.swap(next);
    }
    return meetings;
  }

  // Lists what the block has of what a unit and a segment meet; returns how many.
  int64_t ListPositions(const Block& block, const std::vector<OuterMeeting>& outer, const AxisSegment& segment,
                        int64_t width, const Scratch& scratch) const {
    if (segment.meetings.empty()) return 0;
    const int64_t row = InputRow();
    const int64_t low = segment.meetings.front().kernel * row_position_step_;
    const int64_t high = segment.meetings.back().kernel * row_position_step_;
    int64_t count = 0;
    for (const OuterMeeting& meeting : outer) {
      if (meeting.position + high < block.position_begin || meeting.position + low >= block.position_end) continue;
      for (const AxisSegment::Meeting& inner : segment.meetings) {
        const int64_t position = meeting.position + inner.kernel * row_position_step_;
        if (position < block.position_begin || position >= block.position_end) continue;
        scratch.a_offsets[count] = meeting.input_offset + inner.input * row;
        scratch.b_offsets[count] = position * c_.inputs * width;
        ++count;
      }
    }
    return count;
  }

  void RunUnits(int64_t tile, const Buffers& buffers, void* memory) const {
    Scratch scratch;
    scratch.sums = static_cast<T*>(memory);
    scratch.a_offsets = reinterpret_cast<int64_t*>(scratch.sums + kParts * sums_part_);
    scratch.b_offsets = scratch.a_offsets + block_positions_;
    const int64_t chunk = tile % panel_chunks_;
    const int64_t panel_begin = chunk * chunk_panels_, panel_end = std::min(panel_count_, panel_begin + chunk_panels_);
    const int64_t begin = tile / panel_chunks_ * tile_units_, end = std::min(unit_count_, begin + tile_units_);
    std::vector<Unit> units;
    std::vector<std::vector<OuterMeeting>> meetings;
    for (int64_t first = begin; first < end;) {
      const int64_t group_end = (first / units_per_group_ + 1) * units_per_group_;
      const int64_t last = std::min({first + run_units_, end, group_end});
      units.clear();
      meetings.clear();
      for (int64_t i = first; i < last; ++i) {
        units.push_back(UnitAt(i));
        meetings.push_back(OuterMeetings(units.back()));
      }
      for (int64_t panel = panel_begin; panel < panel_end; ++panel) {
        RunPanel(units, meetings, panel, buffers, scratch);
      }
      if (epilogue_ != nullptr) {
        for (const Unit& unit : units) FinishUnit(unit, panel_begin, panel_end, buffers);
      }
      first = last;
    }
  }

  // Groups or output features of a panel.
  int64_t ColumnsOf(int64_t group, int64_t panel) const {
    return lanes_are_groups_ ? std::min(lanes_, c_.groups - group * lanes_)
                             : std::min(PanelWidth(panel), c_.outputs - PanelColumn(panel));
  }
  // From the first element of a unit to that of a panel of it.
  int64_t PanelOffset(int64_t panel) const {
    return (lanes_are_groups_ ? panel : PanelColumn(panel)) * c_.output_strides.result;
  }
  int64_t ColumnStride() const { return lanes_are_groups_ ? c_.group_strides.result : c_.output_strides.result; }

  void RunPanel(const std::vector<Unit>& units, const std::vector<std::vector<OuterMeeting>>& meetings, int64_t panel,
                const Buffers& buffers, const Scratch& scratch) const {
    const int64_t group = units[0].group;
    const int64_t width = PanelWidth(panel), columns = ColumnsOf(group, panel);
    const bool at_once = stores_at_once_ && columns == width;
    const T* const input =
        input_is_direct_
            ? static_cast<const T*>(buffers.lhs)
            : reinterpret_cast<const T*>(static_cast<const char*>(buffers.workspace) + prepared_rhs_bytes_);
    const T* const kernel =
        static_cast<const T*>(buffers.prepared_rhs != nullptr ? buffers.prepared_rhs : buffers.workspace) +
        PanelPlace(group, panel);
    const int64_t pitch = at_once ? ResultRow() : width;
    WindowProduct<T> product;
    product.a_offsets = scratch.a_offsets;
    product.b_offsets = scratch.b_offsets;
    product.a_k = lhs_input_;
    product.b_k = width;
    product.a_imaginary = input_elements_;
    product.b_imaginary = kernel_elements_;
    product.c_imaginary = sums_part_;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      product.k = block.input_end - block.input_begin;
      product.b = kernel + block.input_begin * width;
      product.accumulate = b > 0;
      for (size_t u = 0; u < units.size(); ++u) {
        const Unit& unit = units[u];
        T* const c = at_once
                         ? static_cast<T*>(buffers.result) + unit.result + unit.row_begin * pitch + PanelOffset(panel)
                         : scratch.sums + static_cast<int64_t>(u) * row_chunk_ * width;
        for (const AxisSegment& segment : segments_) {
          product.positions = ListPositions(block, meetings[u], segment, width, scratch);
          if (product.positions == 0 && b > 0) continue;
          product.a = input + unit.lhs + block.input_begin * lhs_input_;
          product.c = c;
          RunSegment(segment, unit, pitch, width, product);
        }
      }
    }
    if (at_once) return;
    for (size_t u = 0; u < units.size(); ++u) {
      const Unit& unit = units[u];
      const T* const sums = scratch.sums + static_cast<int64_t>(u) * row_chunk_ * width;
      const int64_t first = unit.result + unit.row_begin * ResultRow() + PanelOffset(panel);
      UnpackBlock(sums, kComplex ? sums + sums_part_ : nullptr, width, is_signed_,
                  {types_.result, ElementOf(types_.result, buffers.result, first), unit.row_end - unit.row_begin,
                   ResultRow(), columns, ColumnStride()});
    }
  }

  // The outputs of a segment that are the unit's. `product` has its positions and the first elements of a and c.
  void RunSegment(const AxisSegment& segment, const Unit& unit, int64_t pitch, int64_t width,
                  WindowProduct<T> product) const {
    const auto number_of = [&](int64_t output) {
      return std::min(output <= segment.first ? 0 : CeilDiv(output - segment.first, segment.step), segment.count);
    };
    const int64_t begin = number_of(unit.row_begin), end = number_of(unit.row_end);
    product.a_row = segment.input_step * InputRow();
    product.c_row = segment.step * pitch;
    product.a += begin * product.a_row;
    product.c += (segment.first + begin * segment.step - unit.row_begin) * pitch;
    for (int64_t row = begin; row < end; row += kernel_rows_) {
      product.rows = static_cast<int>(std::min<int64_t>(kernel_rows_, end - row));
      Multiply(product, width);
      product.a += kernel_rows_ * product.a_row;
      product.c += kernel_rows_ * product.c_row;
    }
  }

  void Multiply(const WindowProduct<T>& product, int64_t width) const {
    if constexpr (kComplex) {
      if constexpr (std::is_same_v<T, float>) {
        (lanes_are_groups_ ? kernels_.c64.grouped : kernels_.c64.narrow)(product);
      } else {
        (lanes_are_groups_ ? kernels_.c128.grouped : kernels_.c128.narrow)(product);
      }
    } else {
      const WindowKernels<T>& kernels = KernelsOf<T>(kernels_);
      (lanes_are_groups_ ? kernels.grouped : width == lanes_ ? kernels.narrow : kernels.wide)(product);
    }
  }

  void FinishUnit(const Unit& unit, int64_t panel_begin, int64_t panel_end, const Buffers& buffers) const {
    if (!lanes_are_groups_) {
      const int64_t columns = std::min(c_.outputs, PanelColumn(panel_end)) - PanelColumn(panel_begin);
      return FinishColumns(unit, PanelOffset(panel_begin), columns, buffers);
    }
    for (int64_t panel = panel_begin; panel < panel_end; ++panel) {
      FinishColumns(unit, PanelOffset(panel), ColumnsOf(unit.group, panel), buffers);
    }
  }

  // Of all rows of the unit, in runs of elements that follow each other.
  void FinishColumns(const Unit& unit, int64_t offset, int64_t columns, const Buffers& buffers) const {
    const int64_t row = ResultRow(), column = ColumnStride(), rows = unit.row_end - unit.row_begin;
    const int64_t first = unit.result + unit.row_begin * row + offset;
    if (column == 1 || columns == 1) {
      return FinishRowsOfElements(buffers, {first, row, rows, columns});
    }
    const int64_t run = row == 1 ? rows : 1;
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; r += run) FinishElements(buffers, first + r * row + c * column, run);
    }
  }

  const DirectConvolution c_;
  const ProductTypes types_;
  const ConvolutionKernels& kernels_;
  const int64_t lanes_;
  const int64_t kernel_rows_;
  const bool is_signed_;
  bool lanes_are_groups_ = false;

  int64_t row_axis_ = -1;  // -1: images
  int64_t row_count_ = 0, row_chunk_ = 1, row_chunks_ = 1;
  int64_t row_position_step_ = 0;
  std::vector<AxisSegment> segments_;  // of the rows

  int64_t positions_ = 1;
  int64_t group_count_ = 0, panel_count_ = 0, padded_columns_ = 0;
  int64_t kernel_elements_ = 0, kernel_tiles_ = 0;  // elements of the real parts
  std::vector<Block> blocks_;

  bool input_is_direct_ = true, pads_input_ = false;
  std::vector<int64_t> lhs_strides_;  // by axis, in the form that the loops read
  int64_t lhs_group_ = 0, lhs_batch_ = 0, lhs_input_ = 0;
  int64_t input_elements_ = 0;  // of the real parts
  std::vector<CopyAxis> copy_axes_;
  int64_t copy_rows_ = 0, copy_tiles_ = 0;

  int64_t unit_count_ = 0, units_per_group_ = 0;
  int64_t tile_units_ = 1, run_units_ = 1;
  int64_t panel_chunks_ = 1, chunk_panels_ = 1;
  bool stores_at_once_ = false;
  int64_t sums_part_ = 0, block_positions_ = 0;
};

template <typename T, bool kComplex>
absl::StatusOr<std::unique_ptr<TiledProgram>> Make(DirectConvolution convolution, const ProductTypes& types) {
  auto program = std::make_unique<DirectProgram<T, kComplex>>(std::move(convolution), types);
  RETURN_IF_ERROR(program->Prepare());
  return std::unique_ptr<TiledProgram>(std::move(program));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TiledProgram>> MakeDirectConvolution(const HloInstruction& instruction) {
  ASSIGN_OR_RETURN(DirectConvolution convolution, DirectConvolutionOf(instruction));
  const ProductTypes types = {instruction.operand(0)->shape().element_type(),
                              instruction.operand(1)->shape().element_type(), instruction.shape().element_type()};
  switch (ArithmeticOf(types)) {
    case ProductArithmetic::kF32:
      return Make<float, false>(std::move(convolution), types);
    case ProductArithmetic::kF64:
      return Make<double, false>(std::move(convolution), types);
    case ProductArithmetic::kU32:
      return Make<uint32_t, false>(std::move(convolution), types);
    case ProductArithmetic::kU64:
      return Make<uint64_t, false>(std::move(convolution), types);
    case ProductArithmetic::kC64:
      return Make<float, true>(std::move(convolution), types);
    case ProductArithmetic::kC128:
      return Make<double, true>(std::move(convolution), types);
    case ProductArithmetic::kNone:
      break;
  }
  return absl::UnimplementedError(absl::StrCat("no library has convolutions of ", PrimitiveTypeName(types.lhs), " and ",
                                               PrimitiveTypeName(types.rhs), " as ", PrimitiveTypeName(types.result)));
}

}  // namespace xla
