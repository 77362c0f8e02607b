// Takes work that all branches of a conditional end with out of the branches, to after the conditional:
//   before: r = conditional(p, x, y), branches exp(x) and exp(y)
//   after:  r = exp(conditional(p, x, y)), branches x and y
// A result moves if every branch makes it by the same operation, whose operands are the same values from outside
// except for one; that one becomes the branch's result, and must not take more bytes than the result did. One result
// is taken out after the other, as often as possible; tuples are rebuilt once, at the end.
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/analyses/same_shape.h"
#include "passes/base/instruction_builder.h"
#include "passes/loops/common_code_steps.h"
#include "passes/loops/movable_work.h"
#include "passes/loops/replacements.h"
#include "passes/loops/results_of_branches.h"
#include "passes/loops/tuple_elements.h"
#include "passes/loops/values_of_branches.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

constexpr int64_t kNone = ValuesOfBranches::kNone;

// An operation that gives one result of each branch.
struct Last {
  int own_operand = kNone;      // of the operation: what differs from branch to branch
  std::vector<int64_t> common;  // numbers of the other operands; kNone where it takes the own one
};

// Takes the last operations of results out of the branches, one after the other. Tuples are changed at the end.
class Sinking {
 public:
  explicit Sinking(const CommonCodeStep& step)
      : step_(step), values_(step.conditional, step.computations), results_(*step.conditional) {}

  bool CanSinkAny() const {
    for (int64_t i = 0; i < results_.count(); ++i) {
      if (FindLast(i).has_value()) return true;
    }
    return false;
  }

  // Moves operations that end all branches, with one operand that differs, to after the conditional, one after the
  // other. Shapes of the conditional and of its elements change accordingly.
  void SinkAll() {
    HloInstruction* const conditional = step_.conditional;
    if (conditional->shape().IsTuple()) GiveUsersElements(conditional, Shape(conditional->shape()));
    for (int64_t i = 0; i < results_.count(); ++i) {
      for (auto last = FindLast(i); last.has_value(); last = FindLast(i)) Sink(i, *last);
    }
    if (conditional->shape().IsTuple()) {
      replacements_.Apply();
      for (HloInstruction* element : replaced_) conditional->parent()->RemoveInstruction(element);
      conditional->mutable_shape() = WithElements(conditional->shape(), shapes_);
    }
    results_.Apply();
    for (HloComputation* branch : conditional->called_computations()) branch->Tidy();
  }

 private:
  const HloInstruction& Result(int branch, int64_t index) const { return *results_.Of(branch, index); }

  const Shape& ShapeOf(int64_t index) const {
    const auto changed = shapes_.find(index);
    if (changed != shapes_.end()) return changed->second;
    const Shape& shape = step_.conditional->shape();
    return shape.IsTuple() ? shape.tuple_shape(static_cast<int>(index)) : shape;
  }

  // The operation that all branches make result `index` by, if it can move.
  absl::optional<Last> FindLast(int64_t index) const {
    const HloInstruction& first = Result(0, index);
    for (int i = 0; i < step_.BranchCount(); ++i) {
      const HloInstruction& result = Result(i, index);
      if (!results_.IsOnlyResult(i, index) || !MayMove(result) || result.opcode() != first.opcode() ||
          result.operand_count() != first.operand_count() || result.operand_count() == 0) {
        return absl::nullopt;
      }
    }
    Last last;
    for (int o = 0; o < first.operand_count(); ++o) {
      const int64_t number = values_.Number(first.operand(o));
      bool same = number != kNone && values_.value(number).free;
      for (int i = 1; i < step_.BranchCount(); ++i) {
        same = same && values_.Number(Result(i, index).operand(o)) == number;
      }
      if (!same && last.own_operand == kNone) last.own_operand = o;
      last.common.push_back(same ? number : kNone);
    }
    if (last.own_operand == kNone || !AreSame(index, last)) return absl::nullopt;
    return last;
  }

  bool AreSame(int64_t index, const Last& last) const {
    const HloInstruction& first = Result(0, index);
    const Shape& own = first.operand(last.own_operand)->shape();
    // A bitcast means something else in another layout.
    if (!SameShapeAndLayout(ShapeOf(index), first.shape())) return false;
    if (!own.IsArray() || own.IsDynamic() || own.ByteSize() > first.shape().ByteSize()) return false;
    for (int i = 0; i < step_.BranchCount(); ++i) {
      if (!IsSame(Result(i, index), first, last)) return false;
    }
    return true;
  }

  // Whether two branches end with the same operation, equal in attributes and in all operands but the own one.
  bool IsSame(const HloInstruction& result, const HloInstruction& first, const Last& last) const {
    OrderedOperands ordered;
    ordered.operands.assign(last.common.begin(), last.common.end());
    if (!SameOperation(first, ordered, result, ordered, step_.computations) || result.shape() != first.shape()) {
      return false;
    }
    if (result.opcode() == HloOpcode::kCompare &&
        result.attributes<CompareAttributes>().direction != first.attributes<CompareAttributes>().direction) {
      return false;
    }
    const HloInstruction* const own = result.operand(last.own_operand);
    if (own->shape() != first.operand(last.own_operand)->shape()) return false;
    for (int o = 0; o < result.operand_count(); ++o) {
      if (last.common[o] == kNone && result.operand(o) != own) return false;
    }
    return true;
  }

  // Makes the operation after the conditional and lets the conditional give its own operand instead.
  void Sink(int64_t index, const Last& last) {
    HloInstruction* const conditional = step_.conditional;
    const HloInstruction& first = Result(0, index);
    const Shape own = first.operand(last.own_operand)->shape();
    const bool is_tuple = conditional->shape().IsTuple();
    const std::vector<HloInstruction*> old = is_tuple ? Elements(index) : UsersOf(*conditional);
    HloInstruction* const taken = is_tuple ? MakeElement(index, own) : conditional;
    std::vector<HloInstruction*> operands;
    for (const int64_t number : last.common) operands.push_back(number == kNone ? taken : values_.Outside(number));
    HloInstruction* const after = AddClone(first, operands, conditional->parent());
    if (is_tuple) {
      for (HloInstruction* element : old) replacements_.Add(element, after);
      replaced_.insert(replaced_.end(), old.begin(), old.end());
      taken_[index] = taken;
      shapes_[index] = own;
    } else {
      for (HloInstruction* user : old) ReplaceOperands(user, conditional, after);
      if (conditional->parent()->root() == conditional) conditional->parent()->set_root(after);
      conditional->mutable_shape() = own;
    }
    for (int i = 0; i < step_.BranchCount(); ++i) results_.DropLast(i, index, last.own_operand);
    step_.context.CountRewrite("common-code-after");
  }

  static std::vector<HloInstruction*> UsersOf(const HloInstruction& conditional) {
    return {conditional.users().begin(), conditional.users().end()};
  }

  // What stands for the element before another operation is taken out.
  std::vector<HloInstruction*> Elements(int64_t index) {
    const auto known = taken_.find(index);
    if (known != taken_.end()) return {known->second};
    const auto elements = elements_.Of(*step_.conditional, index);
    return {elements.begin(), elements.end()};
  }

  HloInstruction* MakeElement(int64_t index, const Shape& shape) {
    auto attributes = std::make_unique<GetTupleElementAttributes>();
    attributes->index = index;
    InstructionBuilder builder(step_.conditional->parent(), step_.conditional);
    return builder.MakeOfShape(HloOpcode::kGetTupleElement, shape, {step_.conditional}, std::move(attributes));
  }

  const CommonCodeStep& step_;
  ValuesOfBranches values_;
  ResultsOfBranches results_;
  TupleElements elements_;                               // before anything was changed
  absl::flat_hash_map<int64_t, HloInstruction*> taken_;  // the elements since
  absl::flat_hash_map<int64_t, Shape> shapes_;           // of these
  Replacements replacements_;
  std::vector<HloInstruction*> replaced_;
};

}  // namespace

bool DoCommonWorkAfter(const CommonCodeStep& step) {
  if (!Sinking(step).CanSinkAny() || !step.MakeOwn()) return false;
  // Again, because branches may be copies now.
  Sinking(step).SinkAll();
  return true;
}

}  // namespace xla
