#include "passes/partitioning/sum_of_result.h"

#include "passes/base/identity_element.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_map.h"

namespace xla {
namespace {

constexpr OpcodeSet kMoves = {HloOpcode::kCopy, HloOpcode::kReshape, HloOpcode::kReverse, HloOpcode::kSlice,
                              HloOpcode::kTranspose};

class SumPasser {
 public:
  SumPasser(const HloInstruction& instruction, const FactorRule& rule, const FactorChoice& choice,
            const ShardedValues& values, const PassContext& context)
      : instruction_(instruction), rule_(rule), choice_(choice), values_(values), context_(context) {}

  absl::optional<PendingSum> Pass() {
    if (!instruction_.shape().IsArray() || !FindSum() || !IsDoneOnTerms()) return absl::nullopt;
    PendingSum sum = *sum_;
    for (const int64_t factor : choice_.CutReductions()) sum.terms.push_back(choice_.factors()[factor]);
    return sum;
  }

 private:
  // False if there is none, or several that differ.
  bool FindSum() {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      const HloInstruction& operand = *instruction_.operand(i);
      const ShardedValue& value = values_[operand];
      if (!value.sum.has_value()) continue;
      const bool is_as_it_is = operand.users().size() == 1 && choice_.OperandGoal(i) == value.leaves[0];
      if (!is_as_it_is || (sum_ != nullptr && !(*sum_ == *value.sum))) return false;
      sum_ = &*value.sum;
      is_pending_[i < 2 ? i : 1] = true;
      type_of_terms_ = value.shards->shape().element_type();
      type_ = value.whole.element_type();
      for (const int factor : rule_.operands[i]) {
        if (choice_.IsCutWindow(factor)) return false;
      }
    }
    return sum_ != nullptr && instruction_.operand_count() <= 2;
  }

  bool IsDoneOnTerms() const {
    const HloOpcode opcode = instruction_.opcode();
    if (kMoves.Has(opcode)) return true;
    // Terms of narrow floats are wider than these, and rounded together.
    if (type_of_terms_ != type_) return false;
    if (opcode == HloOpcode::kReduce) return IsReducedAlike();
    const bool are_all_pending = is_pending_[0] && (is_pending_[1] || instruction_.operand_count() == 1);
    if (opcode == sum_->combiner && are_all_pending) return MayRegroup();
    if (sum_->combiner != HloOpcode::kAdd || type_ == PrimitiveType::PRED) return false;
    switch (opcode) {
      case HloOpcode::kNegate:
      case HloOpcode::kSubtract:
        return are_all_pending && (IsInt(type_) || Allows(kReassociate | kNoSignedZeros));
      case HloOpcode::kMultiply:
        return is_pending_[0] != is_pending_[1] && (IsInt(type_) || Allows(kReassociate));
      case HloOpcode::kDivide:
        return is_pending_[0] && !is_pending_[1] && !IsInt(type_) && Allows(kReassociate);
      case HloOpcode::kConvert: {
        const PrimitiveType to = instruction_.shape().element_type();
        return IsInt(type_) && IsInt(to) && BitWidth(to) <= BitWidth(type_);
      }
      default:
        return false;
    }
  }

  bool Allows(unsigned fast_math) const { return context_.FastMathAllows(fast_math); }

  // Whether terms may be combined in another order.
  bool MayRegroup() const {
    if (IsInt(type_) || type_ == PrimitiveType::PRED) return true;
    static constexpr OpcodeSet kAnyOrder = {HloOpcode::kMaximum, HloOpcode::kMinimum};
    if (kAnyOrder.Has(sum_->combiner)) return true;
    return sum_->combiner == HloOpcode::kAdd && !IsNarrowFloatType(type_);
  }

  // The initial value counts once for each term.
  bool IsReducedAlike() const {
    const absl::optional<HloOpcode> opcode = ReducingOpcode(*instruction_.called_computation(0));
    if (opcode != sum_->combiner || is_pending_[1] || !MayRegroup()) return false;
    const HloInstruction& init = *instruction_.operand(1);
    if (init.opcode() != HloOpcode::kConstant) return false;
    const auto& literal = init.attributes<ConstantAttributes>().literal;
    const absl::StatusOr<Literal> identity = IdentityElement(sum_->combiner, type_);
    const absl::StatusOr<Literal> zero = Literal::Zeros(Shape::Scalar(type_));
    if (literal == nullptr || !identity.ok() || !zero.ok()) return false;
    return literal->BitwiseEquals(*identity) || (sum_->combiner == HloOpcode::kAdd && literal->BitwiseEquals(*zero));
  }

  const HloInstruction& instruction_;
  const FactorRule& rule_;
  const FactorChoice& choice_;
  const ShardedValues& values_;
  const PassContext& context_;
  const PendingSum* sum_ = nullptr;
  bool is_pending_[2] = {false, false};
  PrimitiveType type_ = PrimitiveType::F32;  // of the sum
  PrimitiveType type_of_terms_ = PrimitiveType::F32;
};

}  // namespace

absl::optional<PendingSum> SumOfResult(const HloInstruction& instruction, const FactorRule& rule,
                                       const FactorChoice& choice, const ShardedValues& values,
                                       const PassContext& context) {
  return SumPasser(instruction, rule, choice, values, context).Pass();
}

}  // namespace xla
