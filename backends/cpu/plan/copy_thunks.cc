#include "backends/cpu/plan/copy_thunks.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/runtime/memory_order.h"
#include "backends/cpu/runtime/streaming_copy.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/strided_copy.h"

namespace xla {
namespace {

// Enough for a thread to be worth waking.
constexpr int64_t kBytesPerTile = int64_t{256} << 10;

void CopyCached(void* to, const void* from, int64_t bytes) { std::memcpy(to, from, bytes); }

void CopyBytes(const void* from, void* to, int64_t bytes, const ExecuteContext& context) {
  if (bytes == 0 || from == to) return;
  const int64_t tiles = (bytes + kBytesPerTile - 1) / kBytesPerTile;
  context.ParallelFor(tiles, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kBytesPerTile;
    const auto copy = bytes > kStreamedCopyBytes ? CopyStreaming : CopyCached;
    copy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
         std::min(bytes, end * kBytesPerTile) - first);
  });
}

ThunkInfo InfoOf(const char* kind, const HloInstruction& instruction, PlanContext& context) {
  ThunkInfo info;
  info.kind = kind;
  info.instruction = &instruction;
  for (const HloInstruction* operand : instruction.operands()) info.reads.push_back(context.SliceOf(*operand));
  info.writes.push_back(context.SliceOf(instruction));
  return info;
}

// Custom calls that say something about their operand and give it back.
constexpr const char* kAnnotations[] = {"MoveToDevice",         "MoveToHost", "SPMDFullToShardShape",
                                        "SPMDShardToFullShape", "Sharding",   "annotate_device_placement"};

// Programs run on one device, whose number is 0.
class DeviceNumberThunk : public Thunk {
 public:
  using Thunk::Thunk;

  absl::Status Execute(ExecuteContext& context) const override {
    *static_cast<uint32_t*>(context.Address(info().writes[0])) = 0;
    return absl::OkStatus();
  }
};

class CopyThunk : public Thunk {
 public:
  using Thunk::Thunk;

  absl::Status Execute(ExecuteContext& context) const override {
    const BufferSlice& from = info().reads[0];
    CopyBytes(context.Address(from), context.Address(info().writes[0]), from.bytes, context);
    return absl::OkStatus();
  }
};

// A start index clamped to [0, last]; `data` is one integer of `type`.
int64_t ClampedIndex(PrimitiveType type, const void* data, int64_t last) {
  const int width = ByteWidth(type);
  uint64_t bits = 0;
  std::memcpy(&bits, data, width);
  if (IsSignedInt(type)) {
    const int unused = 64 - 8 * width;
    const auto value = static_cast<int64_t>(bits << unused) >> unused;
    return std::clamp<int64_t>(value, 0, last);
  }
  return static_cast<int64_t>(std::min<uint64_t>(bits, static_cast<uint64_t>(last)));
}

class UpdateThunk : public Thunk {
 public:
  UpdateThunk(ThunkInfo info, const HloInstruction& update)
      : Thunk(std::move(info)), copy_(update.shape().element_type(), DimensionsOf(update)) {
    const Shape& whole = update.shape();
    const Shape& part = update.operand(1)->shape();
    const DimensionVector strides = RowMajorStrides(whole);
    const int64_t width = ByteWidth(whole.element_type());
    for (int d = 0; d < whole.rank(); ++d) {
      indices_.push_back(
          {update.operand(2 + d)->shape().element_type(), whole.dimension(d) - part.dimension(d), strides[d] * width});
    }
  }

  absl::Status Execute(ExecuteContext& context) const override {
    const BufferSlice& operand = info().reads[0];
    const BufferSlice& result = info().writes[0];
    char* const to = static_cast<char*>(context.Address(result));
    // Before the operand is copied, which may be over the indices' memory in no plan, but costs nothing to be sure of.
    int64_t offset = 0;
    for (size_t d = 0; d < indices_.size(); ++d) {
      const Index& index = indices_[d];
      offset += ClampedIndex(index.type, context.Address(info().reads[2 + d]), index.last) * index.byte_stride;
    }
    if (!(operand == result)) CopyBytes(context.Address(operand), to, operand.bytes, context);
    if (info().reads[1].bytes > 0) copy_.Run(context.Address(info().reads[1]), to + offset);
    return absl::OkStatus();
  }

 private:
  struct Index {
    PrimitiveType type;
    int64_t last;  // the greatest start that fits
    int64_t byte_stride;
  };

  static CopyDimensions DimensionsOf(const HloInstruction& update) {
    const Shape& part = update.operand(1)->shape();
    const DimensionVector from = RowMajorStrides(part);
    const DimensionVector to = RowMajorStrides(update.shape());
    CopyDimensions dimensions;
    for (int d = 0; d < part.rank(); ++d) dimensions.push_back({part.dimension(d), from[d], to[d]});
    return dimensions;
  }

  const StridedCopy copy_;
  std::vector<Index> indices_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeCopyThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kCopy || !instruction.shape().IsArray()) return nullptr;
  const Shape& from = instruction.operand(0)->shape();
  const bool keeps_layout =
      (LiesAsInLiteral(from) && LiesAsInLiteral(instruction.shape())) || from.Equal(instruction.shape());
  if (!keeps_layout) {
    context.Refuse("it changes the layout");
    return nullptr;
  }
  return std::make_unique<CopyThunk>(InfoOf("copy", instruction, context));
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeAnnotationThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kCustomCall || instruction.operand_count() != 1) return nullptr;
  const std::string& target = instruction.attributes<CustomCallAttributes>().custom_call_target;
  const bool is_annotation = std::any_of(std::begin(kAnnotations), std::end(kAnnotations),
                                         [&](const char* annotation) { return target == annotation; });
  const Shape& operand = instruction.operand(0)->shape();
  const Shape& result = instruction.shape();
  if (!is_annotation || !operand.IsArray() || !result.IsArray() || !operand.Compatible(result)) return nullptr;
  if (!LiesAsInLiteral(operand) || !LiesAsInLiteral(result)) {
    context.Refuse("arrays are not row-major");
    return nullptr;
  }
  return std::make_unique<CopyThunk>(InfoOf("copy", instruction, context));
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeDeviceNumberThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kReplicaId && instruction.opcode() != HloOpcode::kPartitionId) return nullptr;
  return std::make_unique<DeviceNumberThunk>(InfoOf("device number", instruction, context));
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeUpdateThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kDynamicUpdateSlice) return nullptr;
  const bool has_scalar_indices = instruction.operand_count() == 2 + instruction.shape().rank();
  if (!has_scalar_indices || !LiesAsInLiteral(instruction.shape()) ||
      !LiesAsInLiteral(instruction.operand(0)->shape()) || !LiesAsInLiteral(instruction.operand(1)->shape())) {
    context.Refuse("its indices are one array, or an array is not row-major");
    return nullptr;
  }
  return std::make_unique<UpdateThunk>(InfoOf("update", instruction, context), instruction);
}

}  // namespace xla
