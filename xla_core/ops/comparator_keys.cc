#include "xla_core/ops/comparator_keys.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace xla {
namespace {

// Larger comparators are not looked into, so that recursion over their expressions stays shallow.
constexpr int64_t kMaxInstructions = 256;

bool IsCompare(const HloInstruction& instruction, ComparisonDirection direction) {
  return instruction.opcode() == HloOpcode::kCompare &&
         instruction.attributes<CompareAttributes>().direction == direction;
}

int64_t ParameterNumber(const HloInstruction& parameter) { return parameter.attributes<ParameterAttributes>().number; }

// Tells whether one expression over the parameter a of some operand is another over its parameter b.
class MirrorMatcher {
 public:
  // The operand if `a` is e(parameter 2 * operand) and `b` is e(parameter 2 * operand + 1) for some e; else -1.
  static int OperandOf(const HloInstruction& a, const HloInstruction& b) {
    MirrorMatcher matcher;
    return matcher.Match(a, b) ? matcher.operand_ : -1;
  }

 private:
  // Whether `a` is an expression of an element a_i as `b` is of b_i: the same operations, with parameter 2 k in one
  // where the other has 2 k + 1, and one k throughout. Pairs that matched are remembered, since expressions share
  // subexpressions.
  bool Match(const HloInstruction& a, const HloInstruction& b) {
    if (matched_.count({&a, &b}) != 0) return true;
    if (a.opcode() == HloOpcode::kParameter) {
      if (b.opcode() != HloOpcode::kParameter) return false;
      const int64_t number = ParameterNumber(a);
      if (number % 2 != 0 || ParameterNumber(b) != number + 1) return false;
      if (operand_ != -1 && operand_ != number / 2) return false;
      operand_ = static_cast<int>(number / 2);
      return true;
    }
    if (!IsSameOperation(a, b)) return false;
    for (int i = 0; i < a.operand_count(); ++i) {
      if (!Match(*a.operand(i), *b.operand(i))) return false;
    }
    matched_.insert({&a, &b});
    return true;
  }

  static bool IsSameOperation(const HloInstruction& a, const HloInstruction& b) {
    if (a.opcode() != b.opcode() || !a.shape().Compatible(b.shape()) || a.operand_count() != b.operand_count() ||
        a.called_computations() != b.called_computations()) {
      return false;
    }
    if (a.raw_attributes() == nullptr || b.raw_attributes() == nullptr) {
      return a.raw_attributes() == b.raw_attributes();
    }
    return AttributesEqual(*a.raw_attributes(), *b.raw_attributes());
  }

  int operand_ = -1;
  std::set<std::pair<const HloInstruction*, const HloInstruction*>> matched_;
};

// Copies the expression `root` of one parameter, which becomes parameter 0 of the copy.
class ExpressionCopy {
 public:
  static std::unique_ptr<HloComputation> Make(const HloInstruction& root) {
    ExpressionCopy copy;
    copy.result_->set_root(copy.Copy(root));
    return std::move(copy.result_);
  }

 private:
  HloInstruction* Copy(const HloInstruction& original) {
    HloInstruction*& copy = copies_[&original];
    if (copy != nullptr) return copy;
    auto instruction =
        std::make_unique<HloInstruction>(original.opcode(), original.name(), original.shape().WithoutLayout());
    if (original.raw_attributes() != nullptr) instruction->set_attributes(original.raw_attributes()->Clone());
    if (original.opcode() == HloOpcode::kParameter) instruction->mutable_attributes<ParameterAttributes>().number = 0;
    for (const HloInstruction* operand : original.operands()) instruction->AddOperand(Copy(*operand));
    for (HloComputation* called : original.called_computations()) instruction->AddCalledComputation(called);
    return copies_[&original] = result_->AddInstruction(std::move(instruction));
  }

  std::unique_ptr<HloComputation> result_ = std::make_unique<HloComputation>("sort_key");
  std::map<const HloInstruction*, HloInstruction*> copies_;
};

class Recogniser {
 public:
  std::vector<SortKey> Run(const HloInstruction& root) {
    if (!AddKeys(root)) keys_.clear();
    return std::move(keys_);
  }

 private:
  bool AddKeys(const HloInstruction& condition) {
    if (condition.opcode() == HloOpcode::kCompare) return AddKey(condition);
    if (condition.opcode() == HloOpcode::kOr) {
      return AddLexicographic(*condition.operand(0), *condition.operand(1)) ||
             AddLexicographic(*condition.operand(1), *condition.operand(0));
    }
    if (condition.opcode() == HloOpcode::kSelect) {
      return IsTieOf(*condition.operand(0), *condition.operand(2)) && AddKey(*condition.operand(2)) &&
             AddKeys(*condition.operand(1));
    }
    return false;
  }

  // before or (tie and rest)
  bool AddLexicographic(const HloInstruction& before, const HloInstruction& otherwise) {
    if (otherwise.opcode() != HloOpcode::kAnd) return false;
    for (int i = 0; i < 2; ++i) {
      if (!IsTieOf(*otherwise.operand(i), before)) continue;
      return AddKey(before) && AddKeys(*otherwise.operand(1 - i));
    }
    return false;
  }

  // True if `tie` says that what `before` compares is equal.
  static bool IsTieOf(const HloInstruction& tie, const HloInstruction& before) {
    if (!IsCompare(tie, ComparisonDirection::kEq) || before.opcode() != HloOpcode::kCompare) return false;
    if (tie.attributes<CompareAttributes>().type != before.attributes<CompareAttributes>().type) return false;
    return (tie.operand(0) == before.operand(0) && tie.operand(1) == before.operand(1)) ||
           (tie.operand(0) == before.operand(1) && tie.operand(1) == before.operand(0));
  }

  // Adds the key of e(a) < e(b) in any of its four spellings: either direction, operands in either order.
  bool AddKey(const HloInstruction& compare) {
    const bool less = IsCompare(compare, ComparisonDirection::kLt);
    if (!less && !IsCompare(compare, ComparisonDirection::kGt)) return false;
    SortKey key;
    const HloInstruction* of_a = compare.operand(0);
    key.operand = MirrorMatcher::OperandOf(*compare.operand(0), *compare.operand(1));
    key.descending = !less;
    if (key.operand == -1) {  // b > a is a < b
      of_a = compare.operand(1);
      key.operand = MirrorMatcher::OperandOf(*compare.operand(1), *compare.operand(0));
      key.descending = less;
    }
    if (key.operand == -1) return false;
    key.type = of_a->shape().element_type();
    if (IsComplex(key.type)) return false;
    const bool total_order = compare.attributes<CompareAttributes>().type == ComparisonType::kTotalOrder;
    key.order = total_order && IsFloat(key.type) ? KeyOrder::kTotalOrder : KeyOrder::kNumeric;
    if (of_a->opcode() != HloOpcode::kParameter && !Compile(*of_a, key)) return false;
    keys_.push_back(std::move(key));
    return true;
  }

  static bool Compile(const HloInstruction& root, SortKey& key) {
    key.expression = ExpressionCopy::Make(root);
    absl::StatusOr<std::unique_ptr<ScalarFunction>> function = ScalarFunction::Compile(*key.expression);
    if (!function.ok() || !(*function)->is_compiled()) return false;
    key.function = *std::move(function);
    return true;
  }

  std::vector<SortKey> keys_;
};

}  // namespace

std::vector<SortKey> KeysOfComparator(const HloComputation& comparator) {
  if (comparator.instruction_count() > kMaxInstructions) return {};
  return Recogniser().Run(*comparator.root());
}

}  // namespace xla
