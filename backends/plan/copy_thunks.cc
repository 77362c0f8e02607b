#include "backends/plan/copy_thunks.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "backends/host/streaming_copy.h"
#include "backends/runtime/memory_order.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/identity_calls.h"
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

// The target if it is a custom call with so many operands; "" if not.
absl::string_view TargetOfCall(const HloInstruction& instruction, int operand_count) {
  if (instruction.opcode() != HloOpcode::kCustomCall || instruction.operand_count() != operand_count) return "";
  return instruction.attributes<CustomCallAttributes>().custom_call_target;
}

// The arrays that a shape consists of. False if something else is among them.
bool FindArrays(const Shape& shape, ShapeIndex& at, std::vector<ShapeIndex>& arrays) {
  if (shape.IsArray()) {
    arrays.push_back(at);
    return true;
  }
  if (!shape.IsTuple()) return false;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    at.push_back(i);
    if (!FindArrays(shape.tuple_shape(i), at, arrays)) return false;
    at.pop_back();
  }
  return true;
}

class DeviceNumberThunk : public Thunk {
 public:
  using Thunk::Thunk;

  absl::Status Execute(ExecuteContext& context) const override {
    const bool is_replica = info().instruction->opcode() == HloOpcode::kReplicaId;
    const int64_t number = is_replica ? context.device.replica : context.device.partition;
    *static_cast<uint32_t*>(context.Address(info().writes[0])) = static_cast<uint32_t>(number);
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

// Copies arrays one after the other, each from the order of its layout to that of its result.
class ReorderThunk : public Thunk {
 public:
  ReorderThunk(ThunkInfo info, std::vector<StridedCopy> copies) : Thunk(std::move(info)), copies_(std::move(copies)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    for (size_t i = 0; i < copies_.size(); ++i) {
      const BufferSlice &from = info().reads[i], &to = info().writes[i];
      if (from.bytes > 0 && !(from == to)) copies_[i].Run(context.Address(from), context.Address(to));
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<StridedCopy> copies_;
};

class ZerosThunk : public Thunk {
 public:
  using Thunk::Thunk;

  absl::Status Execute(ExecuteContext& context) const override {
    for (const BufferSlice& slice : info().writes) {
      char* const to = static_cast<char*>(context.Address(slice));
      const int64_t tiles = (slice.bytes + kBytesPerTile - 1) / kBytesPerTile;
      context.ParallelFor(tiles, 1, [&](int64_t begin, int64_t end) {
        const int64_t first = begin * kBytesPerTile;
        std::memset(to + first, 0, std::min(slice.bytes, end * kBytesPerTile) - first);
      });
    }
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

  // Copies the operand unless the result is in its place, then writes the update at the clamped start.
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

// The arrays of a concatenation, of which threads copy some each.
class WideConcatenateThunk : public Thunk {
 public:
  WideConcatenateThunk(ThunkInfo info, const HloInstruction& concatenate) : Thunk(std::move(info)) {
    const auto d = static_cast<int>(concatenate.attributes<DimensionAttributes>().dimension);
    const Shape& whole = concatenate.shape();
    if (whole.ElementCount() == 0) return;
    const int64_t row_bytes = StridesInMemory(whole)[d] * ByteWidth(whole.element_type());
    int64_t row = 0;
    for (int i = 0; i < concatenate.operand_count(); ++i) {
      const Shape& part = concatenate.operand(i)->shape();
      if (part.ElementCount() > 0) parts_.push_back({i, row * row_bytes, CopyBetweenLayouts(part, whole)});
      row += part.dimension(d);
    }
    const int64_t bytes = std::max<int64_t>(this->info().writes[0].bytes, 1);
    parts_per_block_ = std::max<int64_t>(static_cast<int64_t>(parts_.size()) * kBytesPerTile / bytes, 1);
  }

  absl::Status Execute(ExecuteContext& context) const override {
    char* const to = static_cast<char*>(context.Address(info().writes[0]));
    context.ParallelFor(static_cast<int64_t>(parts_.size()), parts_per_block_, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const Part& part = parts_[p];
        part.copy.Run(context.Address(info().reads[part.operand]), to + part.offset);
      }
    });
    return absl::OkStatus();
  }

 private:
  struct Part {
    int operand;
    int64_t offset;  // in the result, in bytes
    StridedCopy copy;
  };
  std::vector<Part> parts_;
  int64_t parts_per_block_ = 1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeCopyThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kCopy || !instruction.shape().IsArray()) return nullptr;
  const Shape& from = instruction.operand(0)->shape();
  const bool keeps_layout = (from.IsRowMajor() && instruction.shape().IsRowMajor()) || from.Equal(instruction.shape());
  if (!keeps_layout) {
    context.Refuse("it changes the layout");
    return nullptr;
  }
  return std::make_unique<CopyThunk>(InfoOf("copy", instruction, context));
}

// Custom calls that only carry an annotation copy their operand, array by array, into the layouts of the result.
absl::StatusOr<std::unique_ptr<Thunk>> MakeAnnotationThunk(const HloInstruction& instruction, PlanContext& context) {
  if (!IsIdentityCall(TargetOfCall(instruction, 1))) return nullptr;
  const HloInstruction& operand = *instruction.operand(0);
  const Shape& result = instruction.shape();
  std::vector<ShapeIndex> arrays;
  ShapeIndex at;
  if (!operand.shape().Compatible(result) || !FindArrays(result, at, arrays)) return nullptr;
  const auto keeps_layout = [&](const ShapeIndex& index) {
    const Shape &from = *SubshapeAt(operand.shape(), index), &to = *SubshapeAt(result, index);
    return (from.IsRowMajor() && to.IsRowMajor()) || from.Equal(to);
  };
  if (arrays.size() == 1 && keeps_layout(arrays[0]) && result.IsArray()) {
    return std::make_unique<CopyThunk>(InfoOf("copy", instruction, context));
  }
  ThunkInfo info;
  info.kind = "copy";
  info.instruction = &instruction;
  std::vector<StridedCopy> copies;
  for (const ShapeIndex& index : arrays) {
    info.reads.push_back(context.SliceOf(operand, index));
    info.writes.push_back(context.SliceOf(instruction, index));
    copies.push_back(CopyBetweenLayouts(*SubshapeAt(operand.shape(), index), *SubshapeAt(result, index)));
  }
  // An array may only lie where it is copied to, in the same order.
  for (size_t i = 0; i < arrays.size(); ++i) {
    for (size_t j = 0; j < arrays.size(); ++j) {
      const bool is_own_place = i == j && info.reads[i] == info.writes[j] && keeps_layout(arrays[i]);
      if (is_own_place || !info.reads[i].Overlaps(info.writes[j])) continue;
      context.Refuse("a result lies in place of an operand");
      return nullptr;
    }
  }
  return std::make_unique<ReorderThunk>(std::move(info), std::move(copies));
}

// Custom calls without operands whose result is zero.
absl::StatusOr<std::unique_ptr<Thunk>> MakeZerosThunk(const HloInstruction& instruction, PlanContext& context) {
  const absl::string_view target = TargetOfCall(instruction, 0);
  if (target != "AllocateBuffer" && target != "CreateBuffer") return nullptr;
  std::vector<ShapeIndex> arrays;
  ShapeIndex at;
  if (!FindArrays(instruction.shape(), at, arrays)) return nullptr;
  ThunkInfo info;
  info.kind = "zeros";
  info.instruction = &instruction;
  for (const ShapeIndex& index : arrays) info.writes.push_back(context.SliceOf(instruction, index));
  return std::make_unique<ZerosThunk>(std::move(info));
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeDeviceNumberThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kReplicaId && instruction.opcode() != HloOpcode::kPartitionId) return nullptr;
  return std::make_unique<DeviceNumberThunk>(InfoOf("device number", instruction, context));
}

bool IsWideConcatenate(const HloInstruction& instruction) {
  // A kernel that chooses from this many takes a few milliseconds to compile.
  constexpr int kMostInKernel = 32;
  return instruction.opcode() == HloOpcode::kConcatenate && instruction.operand_count() > kMostInKernel;
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeWideConcatenateThunk(const HloInstruction& instruction,
                                                                PlanContext& context) {
  if (!IsWideConcatenate(instruction)) return nullptr;
  ThunkInfo info = InfoOf("concatenate", instruction, context);
  const BufferSlice& result = info.writes[0];
  if (std::any_of(info.reads.begin(), info.reads.end(),
                  [&](const BufferSlice& read) { return read.Overlaps(result); })) {
    context.Refuse("the result lies in place of an operand");
    return nullptr;
  }
  return std::make_unique<WideConcatenateThunk>(std::move(info), instruction);
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeUpdateThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kDynamicUpdateSlice) return nullptr;
  const bool has_scalar_indices = instruction.operand_count() == 2 + instruction.shape().rank();
  if (!has_scalar_indices || !instruction.shape().IsRowMajor() || !instruction.operand(0)->shape().IsRowMajor() ||
      !instruction.operand(1)->shape().IsRowMajor()) {
    context.Refuse("its indices are one array, or an array is not row-major");
    return nullptr;
  }
  return std::make_unique<UpdateThunk>(InfoOf("update", instruction, context), instruction);
}

}  // namespace xla
