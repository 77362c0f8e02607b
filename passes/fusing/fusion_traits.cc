#include "passes/fusing/fusion_traits.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/analyses/same_shape.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// A concatenation of many pieces is better copied piece by piece than chosen from element by element.
constexpr int kMaxConcatenated = 8;
// Steps that IsDequantization looks at.
constexpr int kMaxDequantization = 12;
// Those that IsCounted looks at.
constexpr int kMaxCounted = 8;

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && !shape.IsDynamic() && shape.ElementCount() > 0; }

bool HasStaticArrays(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  const auto elements = instruction.shape().tuple_shapes();
  const bool result = instruction.shape().IsTuple() ? std::all_of(elements.begin(), elements.end(), IsStaticArray)
                                                    : IsStaticArray(instruction.shape());
  return result && std::all_of(operands.begin(), operands.end(),
                               [](const HloInstruction* operand) { return IsStaticArray(operand->shape()); });
}

// Whether all dimensions larger than one for which `early` holds come before those for which it does not.
template <typename Early>
bool ComeFirst(const Shape& shape, Early early) {
  bool ended = false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) == 1) continue;
    if (!early(i)) {
      ended = true;
    } else if (ended) {
      return false;
    }
  }
  return true;
}

bool IsPrefixBroadcast(const HloInstruction& broadcast) {
  const auto& dimensions = broadcast.attributes<BroadcastAttributes>().dimensions;
  return std::is_sorted(dimensions.begin(), dimensions.end()) &&
         ComeFirst(broadcast.shape(), [&](int i) { return absl::c_linear_search(dimensions, i); });
}

bool ReducesTrailingDimensions(const HloInstruction& reduce) {
  const auto& dimensions = reduce.attributes<DimensionsAttributes>().dimensions;
  return ComeFirst(reduce.operand(0)->shape(), [&](int i) { return !absl::c_linear_search(dimensions, i); });
}

// Where the windows of a scatter are the last dimensions of the updates, a window's start is looked up before its
// loops.
bool ReadsIndicesOnce(const HloInstruction& scatter) {
  const auto& window_dimensions = scatter.attributes<ScatterAttributes>().update_window_dims;
  return ComeFirst(scatter.operand(scatter.operand_count() - 1)->shape(),
                   [&](int i) { return !absl::c_linear_search(window_dimensions, i); });
}

// Each index is looked up for one element of the result then.
bool GathersSingleElements(const HloInstruction& gather) {
  const auto& sizes = gather.attributes<GatherAttributes>().slice_sizes;
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 1; });
}

}  // namespace

bool IsScalarConstant(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConstant && instruction.shape().IsScalar() &&
         instruction.attributes<ConstantAttributes>().literal != nullptr;
}

namespace {

// Members other than elementwise operations, which can be computed for one element of the result at a time.
bool IsMember(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kBitcast) {
    const HloInstruction& operand = *instruction.operand(0);
    return instruction.shape().IsRowMajor() && operand.shape().IsRowMajor() &&
           BitWidth(instruction.shape().element_type()) == BitWidth(operand.shape().element_type());
  }
  if (opcode == HloOpcode::kBitcastConvert) return instruction.shape().SameDimensions(instruction.operand(0)->shape());
  if (opcode == HloOpcode::kConcatenate) return instruction.operand_count() <= kMaxConcatenated;
  if (opcode == HloOpcode::kConstant) return IsScalarConstant(instruction);
  return opcode == HloOpcode::kIota || HasTrait(opcode, opcode_trait::kMovesElements);
}

}  // namespace

FusionRole FusionRoleOf(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !HasStaticArrays(instruction)) return FusionRole::kNone;
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode)) return FusionRole::kMember;
  if (opcode == HloOpcode::kReduce) return instruction.shape().IsTuple() ? FusionRole::kRoot : FusionRole::kReduce;
  if (opcode == HloOpcode::kReduceWindow || HasTrait(opcode, opcode_trait::kProduct)) {
    return instruction.shape().IsTuple() ? FusionRole::kNone : FusionRole::kProduct;
  }
  if (opcode == HloOpcode::kDynamicUpdateSlice || opcode == HloOpcode::kScatter) return FusionRole::kRoot;
  // Every other operation stays outside until its fusion is implemented.
  return IsMember(instruction) ? FusionRole::kMember : FusionRole::kNone;
}

bool IsFreeToRepeat(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kFreeToRepeat);
}

bool IsCounted(const HloInstruction& instruction) {
  std::vector<const HloInstruction*> pending = {&instruction};
  for (int steps = 0; !pending.empty(); ++steps) {
    if (steps == kMaxCounted) return false;
    const HloInstruction& next = *pending.back();
    pending.pop_back();
    const HloOpcode opcode = next.opcode();
    if (opcode == HloOpcode::kIota || IsScalarConstant(next)) continue;
    const bool is_view = opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kReshape;
    if (!is_view && (!IsElementwise(opcode) || IsExpensive(next) || next.operand_count() == 0)) return false;
    pending.insert(pending.end(), next.operands().begin(), next.operands().end());
  }
  return FusionRoleOf(instruction) == FusionRole::kMember;
}

bool IsExpensive(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  const FusionRole role = FusionRoleOf(instruction);
  if (role == FusionRole::kReduce || role == FusionRole::kProduct || role == FusionRole::kRoot) return true;
  if (opcode == HloOpcode::kSqrt || opcode == HloOpcode::kRemainder) return true;
  if (opcode == HloOpcode::kDivide) {
    const HloInstruction* divisor = instruction.operand(1);
    if (divisor->opcode() == HloOpcode::kBroadcast) divisor = divisor->operand(0);
    return divisor->opcode() != HloOpcode::kConstant;
  }
  return IsMathFunction(opcode);
}

ReadOrder ReadOrderOf(const HloInstruction& user, int operand) {
  const Shape& read = user.operand(operand)->shape();
  const HloOpcode opcode = user.opcode();
  if (IsElementwise(opcode) || opcode == HloOpcode::kBitcast || opcode == HloOpcode::kBitcastConvert ||
      opcode == HloOpcode::kReshape) {
    return ReadOrder::kSame;
  }
  if (opcode == HloOpcode::kBroadcast) return IsPrefixBroadcast(user) ? ReadOrder::kPrefix : ReadOrder::kRepeated;
  if (opcode == HloOpcode::kReduce) {
    if (operand >= user.operand_count() / 2) return ReadOrder::kSame;  // the initial value
    return ReducesTrailingDimensions(user) ? ReadOrder::kReduced : ReadOrder::kStrided;
  }
  if (opcode == HloOpcode::kDynamicUpdateSlice) {
    // The update is what such a fusion loops over.
    return operand == 1 ? ReadOrder::kSame : ReadOrder::kMoved;
  }
  if (opcode == HloOpcode::kScatter) {
    const int count = (user.operand_count() - 1) / 2;
    if (operand > count) return ReadOrder::kSame;
    return operand == count && !ReadsIndicesOnce(user) ? ReadOrder::kRepeated : ReadOrder::kMoved;
  }
  if (opcode == HloOpcode::kGather && operand == 1 && GathersSingleElements(user) && !read.IsScalar()) {
    return ReadOrder::kMoved;
  }
  if (read.IsScalar()) return ReadOrder::kSame;
  const bool repeats =
      opcode == HloOpcode::kGather || opcode == HloOpcode::kReduceWindow || HasTrait(opcode, opcode_trait::kProduct);
  return repeats ? ReadOrder::kRepeated : ReadOrder::kMoved;  // the others move elements
}

bool IsDequantization(const HloInstruction& instruction) {
  bool found = false;
  std::vector<const HloInstruction*> pending = {&instruction};
  for (int steps = 0; !pending.empty(); ++steps) {
    if (steps == kMaxDequantization) return false;
    const HloInstruction* const next = pending.back();
    pending.pop_back();
    const PrimitiveType type = next->shape().element_type();
    // Leaves are parameters, constants, whatever was computed before.
    static constexpr OpcodeSet kSteps = {HloOpcode::kAdd,       HloOpcode::kMultiply, HloOpcode::kSubtract,
                                         HloOpcode::kBroadcast, HloOpcode::kReshape,  HloOpcode::kConvert};
    if (!kSteps.Has(next->opcode())) continue;
    if (next->users().size() != 1) return false;
    if (next->opcode() == HloOpcode::kConvert && IsFloat(type)) {
      const PrimitiveType from = next->operand(0)->shape().element_type();
      found = found || (IsInt(from) && BitWidth(from) <= 8 && !next->operand(0)->shape().IsScalar());
    }
    pending.insert(pending.end(), next->operands().begin(), next->operands().end());
  }
  return found;
}

}  // namespace xla
