// Exactness: which values keep every bit when sums are taken in another order.
//
// Passes and backends may change the order in which an instruction adds up floats, and nothing else. A value is exact
// if no such change reaches it, so two programs of which one was made from the other must agree on it bit by bit:
//
//   s = f32[] reduce(x, zero), to_apply=add     inexact
//   m = f32[] reduce(x, zero), to_apply=max     exact: the elements may come in any order
//   b = pred[] compare(s, m), direction=LT      inexact: where the two are near, the last bit of s decides
//   r = f32[8] select(b, u, v)                  inexact, and not only in the last bits
//   y = f32[8] divide(u, v)                     exact
//
// Inexactness goes from operands to results, leaf by leaf through tuples and calls. A decision by an inexact value
// makes inexact whatever it selects: the results of a conditional, what a loop changes if its condition is inexact, all
// arrays of a sort whose comparator reads an inexact one. In a loop it spreads until nothing more becomes inexact. A
// computation that is called from several places is looked at for each combination of exact arguments, so that calls do
// not affect each other.
//
// The answer for an inexact value is "perhaps": sums of whole numbers, for example, are not recognized. The bits of a
// NaN are not looked at: whether they are the same is another question.
#ifndef PASSES_ANALYSES_EXACTNESS_H_
#define PASSES_ANALYSES_EXACTNESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct ExactnessOptions {
  // Functions that may be computed in another way, so that floats which they give are inexact too; nullptr: none.
  bool (*may_round)(HloOpcode opcode) = nullptr;
};
// What a backend may compute in another way than the interpreter: functions of which the op table allows an error, and
// what is made of them.
bool BackendsMayRound(HloOpcode opcode);

// What a program gives: the leaves of the entry's result, tokens included, and what it feeds out, which is exact if all
// of it is.
struct ExactOutputs {
  std::vector<bool> results;
  bool outfeeds = true;

  bool All() const;
  bool operator==(const ExactOutputs& o) const { return results == o.results && outfeeds == o.outfeeds; }
};

// Of a verified module, which must not change while the analysis is in use. Costs one look at each instruction for each
// combination of exact arguments of its computation; in a loop, for each time that more of the state becomes inexact.
class Exactness {
 public:
  explicit Exactness(const HloModule& module, const ExactnessOptions& options = {});
  // Within the limits of `resources`, which may be nullptr: an error once one is reached.
  static absl::StatusOr<Exactness> Create(const HloModule& module, const ResourceContext* resources,
                                          const ExactnessOptions& options = {});

  // Of a leaf of the result, in the order of the leaves of its shape, wherever the computation is called from. What is
  // never called is exact.
  bool IsExact(const HloInstruction& instruction, int64_t leaf = 0) const;
  const ExactOutputs& outputs() const { return outputs_; }
  // Of the same module.
  bool operator==(const Exactness& o) const { return inexact_ == o.inexact_ && outputs_ == o.outputs_; }

 private:
  Exactness() = default;
  absl::Status Find(const HloModule& module, const ResourceContext* resources, const ExactnessOptions& options);

  absl::flat_hash_map<const HloInstruction*, std::vector<bool>> inexact_;
  ExactOutputs outputs_;
};

// The outputs, if nothing else of the analysis is needed.
ExactOutputs FindExactOutputs(const HloModule& module, const ExactnessOptions& options = {});
// Within limits, as Exactness::Create.
absl::StatusOr<ExactOutputs> FindExactOutputs(const HloModule& module, const ResourceContext* resources,
                                              const ExactnessOptions& options = {});

// A line for each instruction of which something is inexact, with the leaves if not all of them are.
std::string PrintExactness(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_EXACTNESS_H_
