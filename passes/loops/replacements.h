// Instructions in place of others, where one user may have very many operands.
#ifndef PASSES_LOOPS_REPLACEMENTS_H_
#define PASSES_LOOPS_REPLACEMENTS_H_

#include <utility>
#include <vector>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// Wherever `user` takes `old` it takes `replacement`.
void ReplaceOperands(HloInstruction* user, HloInstruction* old, HloInstruction* replacement);

// ReplaceInstruction for many: the operands of each user are gone through once, however many of them are replaced.
class Replacements {
 public:
  // Takes effect now or when Apply is called. `replacement` is itself never replaced.
  void Add(HloInstruction* old, HloInstruction* replacement);
  void Apply();

 private:
  std::vector<std::pair<HloInstruction*, HloInstruction*>> put_off_;
};

}  // namespace xla

#endif  // PASSES_LOOPS_REPLACEMENTS_H_
