// CostAnalysis: operations and bytes of instructions, and of a whole run, as far as shapes tell.
#ifndef PASSES_ANALYSES_COST_H_
#define PASSES_ANALYSES_COST_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// Numbers are estimates; as doubles they may exceed 63 bits.
struct Cost {
  double flops = 0;            // additions, multiplications, comparisons, ... of elements, of any type
  double transcendentals = 0;  // exponentials, sines, roots, random numbers, ... of elements
  double bytes_read = 0;
  double bytes_written = 0;

  double bytes() const { return bytes_read + bytes_written; }
  Cost& operator+=(const Cost& o);
  Cost operator*(double times) const;
};

// What an instruction does by itself, without what it calls, as if it stood outside of any fusion and its operands and
// result lay in memory.
//
// - Views cost nothing: parameter, constant, tuple, get-tuple-element, bitcast, opt-barrier, domain, add-dependency,
//   after-all, the ends of asynchronous pairs; and reshapes and transposes that leave all elements in place.
// - What addresses a part of an array reads or writes that part only: slice, dynamic-slice, gather,
//   dynamic-update-slice and scatter (which update in place).
// - call, while, conditional and async-start cost nothing by themselves.
// - A fusion reads its operands (only the parts that its body slices out) and writes its results (of those that update
//   an operand in place only the updates).
// - Of a custom-call only operands and result are known.
Cost OwnCost(const HloInstruction& instruction);

// Operand plus result bytes, each use of an operand for itself, whatever is done with them; 0 for views and for call,
// while, conditional and async-start, whose callees count in their place. For comparing programs, whoever wrote them.
double PlainBytes(const HloInstruction& instruction);

// True if no element changes its place in memory, as the layouts (row-major where missing) say: bitcast, and reshapes
// and transposes that could be one.
bool IsBitcastLike(const HloInstruction& instruction);

// Of a verified module, which must not change while the analysis is in use. Costs one look at each instruction.
class CostAnalysis {
 public:
  explicit CostAnalysis(const HloModule& module);
  // Within the limits of `resources`, which may be nullptr: an error once one is reached.
  static absl::StatusOr<CostAnalysis> Create(const HloModule& module, const ResourceContext* resources);

  // Of one evaluation, with everything that it calls: a loop costs its trip count, a conditional the mean of its
  // branches, a reduction as many runs of its reducer as it has elements. Loops of unknown count count as one
  // iteration.
  Cost Of(const HloInstruction& instruction) const;
  const Cost& Of(const HloComputation& computation) const { return infos_.at(&computation).cost; }
  // How often the instructions of a computation are evaluated in a run of the module, counted as above; 0 if it is
  // unreachable.
  double Runs(const HloComputation& computation) const { return infos_.at(&computation).runs; }
  // Of a run of the entry.
  const Cost& Total() const { return total_; }
  // PlainBytes of all instructions that the control flow reaches, times how often it does; what is within fusions,
  // reducers and the like does not count.
  double TotalPlainBytes() const { return plain_bytes_; }
  // Loops whose trip count is neither known nor annotated.
  int64_t UnknownLoops() const { return unknown_loops_; }

 private:
  struct Info {
    Cost cost;
    double runs = 0;
    double control_runs = 0;  // of which called by control flow
  };
  CostAnalysis() = default;
  absl::Status Count(const HloModule& module, const ResourceContext* resources);
  absl::Status CountRuns(const HloModule& module, ResourcePoll& poll);

  absl::flat_hash_map<const HloComputation*, Info> infos_;
  Cost total_;
  double plain_bytes_ = 0;
  int64_t unknown_loops_ = 0;
};

// Totals, then a line for each instruction that the control flow reaches and that costs anything.
std::string PrintCost(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_COST_H_
