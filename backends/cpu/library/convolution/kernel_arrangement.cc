#include "backends/cpu/library/convolution/kernel_arrangement.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace xla {
namespace {

constexpr int64_t kTileBytes = 256 << 10;
constexpr int64_t kArrangementMaxTiles = 16;
// Outputs that do not follow each other in the source are taken this many at a time, through all of a tile: each then
// is a stream of its own, and no more of them than a cache can keep apart, whatever is between them.
constexpr int64_t kStreams = 16;

// Where indices of dimension `dim` are in an array of that description.
std::vector<int64_t> PlacesOf(const dnnl_memory_desc_t& wanted, int dim) {
  const dnnl_blocking_desc_t& blocking = wanted.format_desc.blocking;
  std::vector<int64_t> places(wanted.dims[dim]);
  for (int64_t i = 0; i < wanted.dims[dim]; ++i) {
    int64_t rest = i, place = 0, step = 1;
    for (int b = blocking.inner_nblks; b-- > 0;) {
      if (blocking.inner_idxs[b] == dim) {
        place += rest % blocking.inner_blks[b] * step;
        rest /= blocking.inner_blks[b];
      }
      step *= blocking.inner_blks[b];
    }
    places[i] = place + rest * blocking.strides[dim];
  }
  return places;
}

std::vector<int64_t> Steps(int64_t count, int64_t stride) {
  std::vector<int64_t> places(count);
  for (int64_t i = 0; i < count; ++i) places[i] = i * stride;
  return places;
}

// All sums of an offset of each.
std::vector<int64_t> Sums(const std::vector<int64_t>& outer, const std::vector<int64_t>& inner) {
  std::vector<int64_t> sums;
  for (const int64_t a : outer) {
    for (const int64_t b : inner) sums.push_back(a + b);
  }
  return sums;
}

// A length of runs of consecutive places, at multiples of which all of them begin.
int64_t CommonRun(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  auto run = static_cast<int64_t>(a.size());
  for (size_t i = 1; i < a.size(); ++i) {
    if (a[i] != a[i - 1] + 1 || b[i] != b[i - 1] + 1) run = std::gcd(run, static_cast<int64_t>(i));
  }
  return run;
}

}  // namespace

absl::optional<KernelArrangement> KernelArrangement::Make(const ConvolutionGeometry& geometry,
                                                          const dnnl::memory::desc& wanted) {
  const dnnl_memory_desc_t& desc = wanted.data;
  if (desc.format_kind != dnnl_blocked || desc.extra.flags != 0 || desc.offset0 != 0) return absl::nullopt;
  KernelArrangement arrangement;
  arrangement.width_ = static_cast<int>(dnnl::memory::data_type_size(wanted.data_type()));
  arrangement.bytes_ = static_cast<int64_t>(wanted.get_size());
  int64_t elements = 1;
  for (int i = 0; i < desc.ndims; ++i) elements *= desc.dims[i];
  arrangement.has_padding_ = elements * arrangement.width_ != arrangement.bytes_;

  const int first = geometry.groups > 1 ? 1 : 0;
  const int64_t outputs = geometry.output_features / geometry.groups;
  const int64_t inputs = geometry.input_features / geometry.groups;
  arrangement.groups_.to = first == 1 ? PlacesOf(desc, 0) : std::vector<int64_t>{0};
  arrangement.groups_.from = Steps(geometry.groups, outputs * geometry.kernel_output_stride);
  arrangement.outputs_.to = PlacesOf(desc, first);
  arrangement.outputs_.from = Steps(outputs, geometry.kernel_output_stride);
  arrangement.inputs_.to = PlacesOf(desc, first + 1);
  arrangement.inputs_.from = Steps(inputs, geometry.kernel_input_stride);
  arrangement.positions_ = {{0}, {0}};
  for (size_t i = 0; i < geometry.spatial.size(); ++i) {
    const ConvolutionSpatial& s = geometry.spatial[i];
    std::vector<int64_t> steps = Steps(s.kernel, s.kernel_stride);
    if (s.flipped) std::reverse(steps.begin(), steps.end());
    arrangement.positions_.from = Sums(arrangement.positions_.from, steps);
    arrangement.positions_.to = Sums(arrangement.positions_.to, PlacesOf(desc, first + 2 + static_cast<int>(i)));
  }
  arrangement.run_ = CommonRun(arrangement.outputs_.from, arrangement.outputs_.to);
  const auto step_of = [](const std::vector<int64_t>& places) {
    return places.size() < 2 ? 0 : std::abs(places[1] - places[0]);
  };
  arrangement.positions_are_near_ = step_of(arrangement.positions_.from) < step_of(arrangement.inputs_.from);
  const auto rows = static_cast<int64_t>(arrangement.positions_.to.size() * arrangement.inputs_.to.size());
  arrangement.tiles_ =
      arrangement.has_padding_
          ? 1
          : std::max<int64_t>(std::min({arrangement.bytes_ / kTileBytes, kArrangementMaxTiles, rows}), 1);
  return arrangement;
}

bool KernelArrangement::IsIdentity() const {
  return !has_padding_ && groups_.from == groups_.to && outputs_.from == outputs_.to && inputs_.from == inputs_.to &&
         positions_.from == positions_.to;
}

template <typename T>
void KernelArrangement::Copy(int64_t begin, int64_t end, const T* from, T* to) const {
  const auto inputs = static_cast<int64_t>(inputs_.to.size()), outputs = static_cast<int64_t>(outputs_.to.size());
  const auto positions = static_cast<int64_t>(positions_.to.size());
  const bool has_runs = run_ >= 4;
  const int64_t at_a_time = has_runs ? outputs : kStreams;
  for (int64_t first = 0; first < outputs; first += at_a_time) {
    const int64_t last = std::min(first + at_a_time, outputs);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t position = positions_are_near_ ? row % positions : row / inputs;
      const int64_t input = positions_are_near_ ? row / positions : row % inputs;
      for (size_t g = 0; g < groups_.to.size(); ++g) {
        const T* const source = from + positions_.from[position] + inputs_.from[input] + groups_.from[g];
        T* const target = to + positions_.to[position] + inputs_.to[input] + groups_.to[g];
        if (has_runs) {
          for (int64_t o = 0; o < outputs; o += run_) {
            std::memcpy(target + outputs_.to[o], source + outputs_.from[o], run_ * sizeof(T));
          }
        } else {
          for (int64_t o = first; o < last; ++o) target[outputs_.to[o]] = source[outputs_.from[o]];
        }
      }
    }
  }
}

void KernelArrangement::RunTile(int64_t tile, const void* from, void* to) const {
  if (has_padding_) std::memset(to, 0, bytes_);
  const auto rows = static_cast<int64_t>(positions_.to.size() * inputs_.to.size());
  const int64_t begin = rows * tile / tiles_, end = rows * (tile + 1) / tiles_;
  switch (width_) {
    case 1:
      return Copy(begin, end, static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to));
    case 2:
      return Copy(begin, end, static_cast<const uint16_t*>(from), static_cast<uint16_t*>(to));
    default:
      return Copy(begin, end, static_cast<const uint32_t*>(from), static_cast<uint32_t*>(to));
  }
}

}  // namespace xla
