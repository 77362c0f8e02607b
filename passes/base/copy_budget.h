// CopyBudget: how much larger a pass may make a program.
#ifndef PASSES_BASE_COPY_BUDGET_H_
#define PASSES_BASE_COPY_BUDGET_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Sixty computations, each of which calls the next one twice, stand for 2^60 instructions, and ten thousand calls of
// ten thousand instructions for 10^8. A pass that writes out what a program shares asks here before each copy, and
// leaves the call as it is if there is no room, which PassContext::max_instructions says. ApplyRules asks before its
// rules see an instruction that calls something.
class CopyBudget {
 public:
  // For a pass that begins with `module`.
  CopyBudget(const HloModule& module, PassContext& context);

  // Whether `copies` more copies of the computation fit; if so they count, and if not, the context is warned, once in a
  // run of a pass.
  bool Take(const HloComputation& computation, int64_t copies = 1);
  // The same for what a rule may make of `caller`: a copy of each computation that it calls. A few instructions always
  // fit, for then the program grows in proportion to its text. May be asked again; computations may change.
  bool TakeCallees(const HloInstruction& caller);
  // The same for `instructions` that an instruction stands for.
  bool TakeParts(const HloInstruction& whole, int64_t instructions);
  // To be called before computations that Take was asked about change or go.
  void ForgetSizes() { sizes_.clear(); }

 private:
  bool TakeIfLeft(int64_t instructions, const std::string& stays, absl::string_view if_not);

  const HloModule& module_;
  PassContext& context_;
  int64_t limit_;  // of the instructions of the module
  int64_t left_;
  absl::flat_hash_map<const HloComputation*, int64_t> sizes_;
};

// "the program would have more than 50000 instructions".
std::string TooManyInstructions(int64_t limit);

}  // namespace xla

#endif  // PASSES_BASE_COPY_BUDGET_H_
