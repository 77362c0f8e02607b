#include "backends/plan/kernel_places.h"

#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {

std::vector<ShapeIndex> ResultLeaves(const HloInstruction& instruction) {
  std::vector<ShapeIndex> leaves;
  if (!instruction.shape().IsTuple()) return {ShapeIndex()};
  for (int64_t i = 0; i < instruction.shape().tuple_size(); ++i) leaves.push_back({i});
  return leaves;
}

bool IsOfArrays(const Shape& shape) {
  if (shape.IsArray()) return true;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!element.IsArray()) return false;
  }
  return shape.IsTuple();
}

absl::optional<ThunkInfo> KernelInfoOf(const HloInstruction& instruction, PlanContext& context) {
  ThunkInfo info;
  info.kind = "kernel";
  info.instruction = &instruction;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray()) {
      context.Refuse("an operand is not an array");
      return absl::nullopt;
    }
    info.reads.push_back(context.SliceOf(*operand));
  }
  if (!IsOfArrays(instruction.shape())) {
    context.Refuse("the result is neither an array nor a tuple of arrays");
    return absl::nullopt;
  }
  for (const ShapeIndex& leaf : ResultLeaves(instruction)) info.writes.push_back(context.SliceOf(instruction, leaf));
  return info;
}

std::vector<int> FindInPlaceOperands(absl::Span<const BufferSlice> operands, absl::Span<const BufferSlice> results) {
  const auto key = [](const BufferSlice& slice) { return std::make_tuple(slice.base, slice.offset, slice.bytes); };
  absl::flat_hash_map<std::tuple<int32_t, int64_t, int64_t>, int> first;
  for (size_t i = 0; i < operands.size(); ++i) first.emplace(key(operands[i]), static_cast<int>(i));
  std::vector<int> in_place(results.size(), -1);
  for (size_t r = 0; r < results.size(); ++r) {
    const auto found = first.find(key(results[r]));
    if (results[r].bytes > 0 && found != first.end()) in_place[r] = found->second;
  }
  return in_place;
}

absl::StatusOr<absl::optional<std::vector<BufferSlice>>> PlaceKernel(const absl::StatusOr<LoweredKernel>& lowered,
                                                                     ThunkInfo& info, PlanContext& context) {
  if (absl::IsUnimplemented(lowered.status())) {
    // The report counts equal reasons together, and names an example itself.
    const std::string name = absl::StrCat(info.instruction->name(), ": ");
    context.Refuse(std::string(absl::StripPrefix(lowered.status().message(), name)));
    return absl::optional<std::vector<BufferSlice>>();
  }
  RETURN_IF_ERROR(lowered.status());
  std::vector<BufferSlice> buffers = info.reads;
  buffers.insert(buffers.end(), info.writes.begin(), info.writes.end());
  for (const HloInstruction* extra : lowered->extras) {
    if (extra == nullptr) {
      const KernelBuffer& workspace = lowered->kernel.buffers[buffers.size()];
      buffers.push_back(context.TakeWorkspace(workspace.element_count * ByteWidth(workspace.type)));
      info.writes.push_back(buffers.back());
      continue;
    }
    const auto& literal = extra->attributes<ConstantAttributes>().literal;
    if (literal == nullptr) {
      context.Refuse(absl::StrCat("the value of ", extra->name(), " was left out when the module was printed"));
      return absl::optional<std::vector<BufferSlice>>();
    }
    buffers.push_back(context.PlaceConstant(*literal));
  }
  return absl::make_optional(std::move(buffers));
}

}  // namespace xla
