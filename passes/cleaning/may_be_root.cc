#include "passes/cleaning/may_be_root.h"

#include "passes/analyses/call_graph.h"

namespace xla {

bool MayBeRoot(const HloInstruction& replacement, const HloInstruction& root) {
  if (root.parent()->root() != &root || !IsFusionBody(*root.parent())) return true;
  return replacement.users().empty() ||
         (replacement.users().size() == 1 && replacement.users()[0] == &root && root.users().empty());
}

}  // namespace xla
