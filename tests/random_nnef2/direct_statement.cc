#include "tests/random_nnef2/direct_statement.h"

#include <algorithm>
#include <string>
#include <utility>

#include "builders/nnef2/evaluation/evaluator.h"
#include "tests/random_nnef2/direct_numbers.h"

namespace xla {
namespace nnef2 {
namespace {

class StatementLoops {
 public:
  StatementLoops(DirectFrame* frame, const Lowering& lowering, int64_t* iterations)
      : lowering_(lowering), iterations_(*iterations), expressions_(frame, lowering) {}

  absl::Status Run(absl::flat_hash_set<DirectTensor*>* assigned) {
    for (DirectTensor* const target : expressions_.TargetsOf(*lowering_.target)) {
      if (assigned->insert(target).second) {
        std::fill(target->elements.begin(), target->elements.end(), NeutralOf(lowering_.op, target->base));
      }
    }
    Loop(0);
    return status_;
  }

 private:
  // The loops of index symbol number `bound` and of those after it.
  void Loop(size_t bound) {
    if (bound == lowering_.bounds.size()) {
      Iterate();
      return;
    }
    const IndexBound& symbol = lowering_.bounds[bound];
    const DirectValue limits = expressions_.Evaluate(*symbol.bound);
    if (limits.is_null) {
      status_.Update(expressions_.status());
      status_.Update(absl::InvalidArgumentError("the bound of an index is null"));
      return;
    }
    DirectValue index = limits;
    CountThrough(bound, 0, limits, &index);
  }

  void CountThrough(size_t bound, size_t item, const DirectValue& limits, DirectValue* index) {
    if (item == limits.items.size()) {
      expressions_.Set(lowering_.bounds[bound].symbol.text, *index);
      Loop(bound + 1);
      return;
    }
    for (double i = 0; i < limits.items[item].number && status_.ok(); ++i) {
      index->items[item].number = i;
      CountThrough(bound, item + 1, limits, index);
    }
  }

  void Iterate() {
    if (--iterations_ < 0) {
      status_ = absl::ResourceExhaustedError("too many iterations for the direct evaluation");
      return;
    }
    expressions_.StartIteration();
    for (const Lowering::Local& local : lowering_.locals) {
      expressions_.Set(local.name.text, expressions_.Evaluate(*local.value));
    }
    const DirectExpression::Access target = expressions_.Resolve(*lowering_.target, /*is_target=*/true);
    bool holds = true;
    if (lowering_.condition != nullptr) {
      const DirectValue condition = expressions_.Evaluate(*lowering_.condition);
      holds = condition.is_null || condition.items[0].number != 0;
    }
    const DirectValue value = holds ? expressions_.Evaluate(*lowering_.value) : DirectValue::Null();
    // What is computed with an index that is out of range may be wrong in any way.
    if (expressions_.skips()) {
      expressions_.ForgetErrors();
      return;
    }
    status_ = expressions_.status();
    if (status_.ok() && holds) Assign(target, value);
  }

  void Assign(const DirectExpression::Access& target, const DirectValue& value) {
    const bool fits = !value.is_null && (!value.is_pack || value.items.size() == target.elements.size());
    if (!fits) {
      status_ = absl::InvalidArgumentError("a value that is null, or not as long as its target, is assigned");
      return;
    }
    std::string error;
    for (size_t i = 0; i < target.elements.size(); ++i) {
      const DirectExpression::Element& element = target.elements[i];
      if (element.offset < 0) continue;
      double& place = element.tensor->elements[static_cast<size_t>(element.offset)];
      const double number = value.items[value.is_pack ? i : 0].number;
      const bool replaces = lowering_.op == Operator::kEqual || lowering_.op == Operator::kUniform;
      place = replaces ? number : ApplyDirectly(lowering_.op, element.tensor->base, place, number, &error);
    }
  }

  const Lowering& lowering_;
  int64_t& iterations_;
  DirectExpression expressions_;
  absl::Status status_;
};

}  // namespace

absl::Status RunStatement(DirectFrame* frame, const Lowering& lowering, absl::flat_hash_set<DirectTensor*>* assigned,
                          int64_t* iterations) {
  if (lowering.unroll_count == nullptr) return StatementLoops(frame, lowering, iterations).Run(assigned);
  Evaluator evaluator(frame->workspace.get(), frame->source, &frame->scope);
  const Value count = evaluator.EvaluateCount(*lowering.unroll_count, "the count of an unrolled index");
  if (count.is_error) return frame->diagnostics.ToStatus();
  if (count.is_null) return absl::OkStatus();
  // As many statements, in which the index is a compile-time value.
  for (int64_t i = 0; i < count.item().integer; ++i) {
    frame->scope.values.insert_or_assign(lowering.unroll_index.text, Value::Int(i));
    const absl::Status status = StatementLoops(frame, lowering, iterations).Run(assigned);
    if (!status.ok()) return status;
  }
  frame->scope.values.erase(lowering.unroll_index.text);
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
