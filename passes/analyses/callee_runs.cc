#include "passes/analyses/callee_runs.h"

#include <algorithm>
#include <cmath>

#include "passes/analyses/element_count.h"
#include "passes/analyses/trip_counts.h"
#include "xla_core/ir/opcode_map.h"

namespace xla {
namespace {

double WindowElements(const HloInstruction& instruction) {
  double count = 1;
  for (const WindowDimension& dimension : instruction.attributes<WindowAttributes>().window.dimensions) {
    count *= static_cast<double>(dimension.size);
  }
  return count;
}

// Comparisons of a merge sort along the sorted dimension.
double Comparisons(const HloInstruction& sort) {
  const Shape& keys = sort.operand(0)->shape();
  const double length =
      static_cast<double>(keys.dimension(static_cast<int>(sort.attributes<SortAttributes>().dimension)));
  return length <= 1 ? 0 : Elements(keys) * std::ceil(std::log2(length));
}

double ScanSteps(const HloInstruction& scan) {
  const int dimension = static_cast<int>(scan.attributes<ScanAttributes>().dimension);
  return static_cast<double>(std::max<int64_t>(scan.operand(0)->shape().dimension(dimension), 0));
}

// The first of as many updates as there are arrays to scatter into.
double UpdateElements(const HloInstruction& scatter) {
  return Elements(scatter.operand(scatter.operand_count() / 2 + 1)->shape());
}

double OperandElements(const HloInstruction& caller) {
  return caller.operand_count() == 0 ? 0 : Elements(caller.operand(0)->shape());
}

double ElementsOfWindows(const HloInstruction& reduce_window) {
  const Shape& shape = reduce_window.shape();
  return Elements(shape.IsTuple() ? shape.tuple_shape(0) : shape) * WindowElements(reduce_window);
}

double EachBranchAlike(const HloInstruction& conditional) {
  return 1.0 / static_cast<double>(conditional.called_computations().size());
}

double StartRanIt(const HloInstruction& /*caller*/) { return 0; }
double Once(const HloInstruction& /*caller*/) { return 1; }

// For callees that all run equally often.
double RunsOfEach(const HloInstruction& caller) {
  using CountRuns = double (*)(const HloInstruction& caller);
  static constexpr OpcodeMap<CountRuns> kRuns(/*otherwise=*/&Once, {{HloOpcode::kAsyncUpdate, &StartRanIt},
                                                                    {HloOpcode::kAsyncDone, &StartRanIt},
                                                                    {HloOpcode::kConditional, &EachBranchAlike},
                                                                    {HloOpcode::kMap, &OperandElements},
                                                                    {HloOpcode::kReduce, &OperandElements},
                                                                    {HloOpcode::kAllReduce, &OperandElements},
                                                                    {HloOpcode::kAllReduceStart, &OperandElements},
                                                                    {HloOpcode::kReduceScatter, &OperandElements},
                                                                    {HloOpcode::kReduceWindow, &ElementsOfWindows},
                                                                    {HloOpcode::kSort, &Comparisons},
                                                                    {HloOpcode::kScatter, &UpdateElements},
                                                                    {HloOpcode::kScan, &ScanSteps}});
  return kRuns[caller.opcode()](caller);
}

}  // namespace

CalleeRuns EstimateCalleeRuns(const HloInstruction& caller) {
  const size_t count = caller.called_computations().size();
  if (count == 0) return {};
  if (caller.opcode() == HloOpcode::kWhile) {
    const absl::optional<int64_t> turns = EstimatedTripCount(caller);
    const double known = static_cast<double>(turns.value_or(1));
    return {{known + 1, known}, turns.has_value()};
  }
  if (caller.opcode() == HloOpcode::kSelectAndScatter) {
    const double windows = Elements(caller.operand(1)->shape());
    return {{windows * WindowElements(caller), windows}};
  }
  return {std::vector<double>(count, RunsOfEach(caller))};
}

}  // namespace xla
