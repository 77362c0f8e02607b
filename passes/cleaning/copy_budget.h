// CopyBudget: how much larger copies of shared computations may make a program.
#ifndef PASSES_CLEANING_COPY_BUDGET_H_
#define PASSES_CLEANING_COPY_BUDGET_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Sixty computations, each of which calls the next one twice, stand for 2^60 instructions, and ten thousand calls of
// ten thousand instructions for 10^8. A pass that writes out what a program shares asks here before each copy, and
// leaves the call as it is if there is no room, which PassContext::max_instructions says.
class CopyBudget {
 public:
  // For a pass that begins with `module`.
  CopyBudget(const HloModule& module, PassContext& context);

  // Whether `copies` more copies of the computation fit; if so they count, and if not, the context is warned, once.
  bool Take(const HloComputation& computation, int64_t copies = 1);
  // To be called before computations that were asked about change or go.
  void ForgetSizes() { sizes_.clear(); }

 private:
  PassContext& context_;
  int64_t limit_;  // of the instructions of the module
  int64_t left_;
  bool warned_ = false;
  absl::flat_hash_map<const HloComputation*, int64_t> sizes_;
};

}  // namespace xla

#endif  // PASSES_CLEANING_COPY_BUDGET_H_
