// Value ranges: between which integers the elements of an array lie.
#ifndef PASSES_ANALYSES_VALUE_RANGES_H_
#define PASSES_ANALYSES_VALUE_RANGES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/trip_counts.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// All elements are at least `low` and at most `high`. Predicates are 0 and 1.
struct ValueRange {
  int64_t low = 0;
  int64_t high = 0;
  bool IsConstant() const { return low == high; }
  bool Within(int64_t lowest, int64_t highest) const { return lowest <= low && high <= highest; }
  bool operator==(const ValueRange& o) const { return low == o.low && high == o.high; }
};

// All values of an integer type or of pred; nullopt for other types, and for u64, some of whose values no int64_t is.
absl::optional<ValueRange> RangeOfType(PrimitiveType type);

// Of a verified module, which must not change while the analysis is in use. Follows values through tuples, fusions,
// calls, branches and loops, whose counters (trip_counts.h) it bounds; each value is looked at once, when it is first
// asked for.
class ValueRanges {
 public:
  explicit ValueRanges(const HloModule& module) : ValueRanges(module, std::make_shared<const Dataflow>(module)) {}
  ValueRanges(const HloModule& module, std::shared_ptr<const Dataflow> dataflow)
      : module_(&module), dataflow_(std::move(dataflow)) {}

  // Of the leaf at `index` of the result, as the instruction gives it in any run. nullopt if it is not an integer or
  // predicate, or a u64 of which nothing is known. A range of arithmetic that might wrap around is that of the type.
  absl::optional<ValueRange> Of(const HloInstruction& instruction, const ShapeIndex& index = {});
  // Of operand number `operand` as `user` sees it: in a loop's body its counter has not yet reached the end.
  absl::optional<ValueRange> OfOperand(const HloInstruction& user, int operand);
  // Whether what it knows by now is what it would find in the module, which is still there, today.
  bool StillHolds(const HloModule& module) const;

 private:
  using Value = Dataflow::Value;
  absl::optional<ValueRange> AtPosition(Dataflow::Position position, const HloComputation& seen_from);
  void Evaluate(Value value);
  absl::optional<ValueRange> Known(Dataflow::Position position, const HloComputation& seen_from);
  absl::optional<ValueRange> RangeOfDefinition(Value value);
  absl::optional<ValueRange> RangeOfLoopState(Value phi, const HloComputation* seen_from);
  bool IsWithin(const HloComputation& computation, const HloComputation& body) const;

  const HloModule* module_;
  std::shared_ptr<const Dataflow> dataflow_;
  absl::flat_hash_map<Value, absl::optional<ValueRange>> known_;
  absl::flat_hash_map<const HloInstruction*, absl::optional<LoopCounter>> counters_;
};

// A line for each integer result that lies in a smaller range than its type.
std::string PrintValueRanges(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_VALUE_RANGES_H_
