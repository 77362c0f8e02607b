// CallSites: who calls each computation of a module.
#ifndef PASSES_CLEANING_CALL_SITES_H_
#define PASSES_CLEANING_CALL_SITES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// As of the moment it is made.
class CallSites {
 public:
  explicit CallSites(const HloModule& module);

  // The instructions that call the computation, each once, in the order of the module.
  const std::vector<HloInstruction*>& Of(const HloComputation& computation) const;
  // Whether a fusion calls it. (What a reader marks as the body of a fusion may have lost that fusion.)
  bool IsFusionBody(const HloComputation& computation) const;
  // Whether its form has a meaning elsewhere: it belongs to a custom call or a custom fusion, or to what these
  // call.
  bool IsFixed(const HloComputation& computation) const { return fixed_.contains(&computation); }

 private:
  absl::flat_hash_map<const HloComputation*, std::vector<HloInstruction*>> callers_;
  absl::flat_hash_set<const HloComputation*> fixed_;
};

// Whether a root may be replaced by `replacement`: the root of a fusion must have no users in the fusion.
bool MayBeRoot(const HloInstruction& replacement, const HloInstruction& root, const CallSites& sites);

}  // namespace xla

#endif  // PASSES_CLEANING_CALL_SITES_H_
