#include "passes/analyses/callee_runs.h"

#include <algorithm>
#include <cmath>

#include "passes/analyses/element_count.h"
#include "passes/analyses/trip_counts.h"

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

// For callees that all run equally often.
double RunsOfEach(const HloInstruction& caller) {
  switch (caller.opcode()) {
    case HloOpcode::kConditional:
      return 1.0 / static_cast<double>(caller.called_computations().size());
    case HloOpcode::kAsyncUpdate:
    case HloOpcode::kAsyncDone:
      return 0;  // the start ran it
    case HloOpcode::kMap:
    case HloOpcode::kReduce:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduceScatter:
      return caller.operand_count() == 0 ? 0 : Elements(caller.operand(0)->shape());
    case HloOpcode::kReduceWindow: {
      const Shape& result = caller.shape().IsTuple() ? caller.shape().tuple_shape(0) : caller.shape();
      return Elements(result) * WindowElements(caller);
    }
    case HloOpcode::kSort:
      return Comparisons(caller);
    case HloOpcode::kScatter:
      return UpdateElements(caller);
    case HloOpcode::kScan:
      return ScanSteps(caller);
    default:
      return 1;
  }
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
