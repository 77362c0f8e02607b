#include "passes/fusing/fusion_traits.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/analyses/same_shape.h"
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

FusionRole FusionRoleOf(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !HasStaticArrays(instruction)) return FusionRole::kNone;
  if (IsElementwise(instruction.opcode())) return FusionRole::kMember;
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kIota:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return FusionRole::kMember;
    case HloOpcode::kBitcast:
      return instruction.shape().IsRowMajor() && instruction.operand(0)->shape().IsRowMajor() &&
                     BitWidth(instruction.shape().element_type()) ==
                         BitWidth(instruction.operand(0)->shape().element_type())
                 ? FusionRole::kMember
                 : FusionRole::kNone;
    case HloOpcode::kBitcastConvert:
      return instruction.shape().SameDimensions(instruction.operand(0)->shape()) ? FusionRole::kMember
                                                                                 : FusionRole::kNone;
    case HloOpcode::kConcatenate:
      return instruction.operand_count() <= kMaxConcatenated ? FusionRole::kMember : FusionRole::kNone;
    case HloOpcode::kConstant:
      return IsScalarConstant(instruction) ? FusionRole::kMember : FusionRole::kNone;
    case HloOpcode::kReduce:
      return instruction.shape().IsTuple() ? FusionRole::kRoot : FusionRole::kReduce;
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
      return instruction.shape().IsTuple() ? FusionRole::kNone : FusionRole::kProduct;
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kScatter:
      return FusionRole::kRoot;
    default:  // every other operation stays outside until its fusion is implemented
      return FusionRole::kNone;
  }
}

bool IsFreeToRepeat(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConstant:
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kIota:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:  // anything else is work
      return false;
  }
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
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  return row != nullptr && row->arithmetic == ElementwiseArithmetic::kDouble;
}

ReadOrder ReadOrderOf(const HloInstruction& user, int operand) {
  const Shape& read = user.operand(operand)->shape();
  if (IsElementwise(user.opcode())) return ReadOrder::kSame;
  switch (user.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kReshape:
      return ReadOrder::kSame;
    case HloOpcode::kBroadcast:
      return IsPrefixBroadcast(user) ? ReadOrder::kPrefix : ReadOrder::kRepeated;
    case HloOpcode::kReduce:
      if (operand >= user.operand_count() / 2) return ReadOrder::kSame;  // the initial value
      return ReducesTrailingDimensions(user) ? ReadOrder::kReduced : ReadOrder::kStrided;
    case HloOpcode::kDynamicUpdateSlice:
      // The update is what such a fusion loops over.
      return operand == 1 ? ReadOrder::kSame : ReadOrder::kMoved;
    case HloOpcode::kScatter: {
      const int count = (user.operand_count() - 1) / 2;
      if (operand > count) return ReadOrder::kSame;
      return operand == count && !ReadsIndicesOnce(user) ? ReadOrder::kRepeated : ReadOrder::kMoved;
    }
    case HloOpcode::kGather:
      if (operand == 1 && GathersSingleElements(user) && !read.IsScalar()) return ReadOrder::kMoved;
      return read.IsScalar() ? ReadOrder::kSame : ReadOrder::kRepeated;
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
      return read.IsScalar() ? ReadOrder::kSame : ReadOrder::kRepeated;
    default:  // data movement
      return read.IsScalar() ? ReadOrder::kSame : ReadOrder::kMoved;
  }
}

bool IsDequantization(const HloInstruction& instruction) {
  bool found = false;
  std::vector<const HloInstruction*> pending = {&instruction};
  for (int steps = 0; !pending.empty(); ++steps) {
    if (steps == kMaxDequantization) return false;
    const HloInstruction* const next = pending.back();
    pending.pop_back();
    const PrimitiveType type = next->shape().element_type();
    switch (next->opcode()) {
      case HloOpcode::kAdd:
      case HloOpcode::kMultiply:
      case HloOpcode::kSubtract:
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kConvert:
        if (next->users().size() != 1) return false;
        if (next->opcode() == HloOpcode::kConvert && IsFloat(type)) {
          const PrimitiveType from = next->operand(0)->shape().element_type();
          found = found || (IsInt(from) && BitWidth(from) <= 8 && !next->operand(0)->shape().IsScalar());
        }
        pending.insert(pending.end(), next->operands().begin(), next->operands().end());
        break;
      default:  // a leaf: parameters, constants, whatever was computed before
        break;
    }
  }
  return found;
}

}  // namespace xla
