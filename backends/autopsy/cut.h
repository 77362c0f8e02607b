// Cuts a program down to what still shows a fault, on given arguments.
#ifndef BACKENDS_AUTOPSY_CUT_H_
#define BACKENDS_AUTOPSY_CUT_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// A program for one device with its arguments.
struct CutProgram {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  bool finished = true;  // false: the time limit ended the search
};

// Whether a verified module shows the fault with these arguments, within the limits.
using ShowsFault = std::function<absl::StatusOr<bool>(const HloModule& module, const std::vector<Literal>& arguments,
                                                      const ResourceContext* limits)>;

// The smallest program that the reducer finds (passes/cutting/reduce.h). What becomes a parameter gets the value that
// the interpreter computes for it in `module`; where dimensions get smaller, arrays are cut off. A smaller
// program that takes much longer than `module`, because it has an endless loop, does not show it. Errors: those of
// `shows`; FailedPrecondition if `module` does not show it; those of limits.
absl::StatusOr<CutProgram> Cut(const HloModule& module, const std::vector<Literal>& arguments, const ShowsFault& shows,
                               absl::Duration time_limit, const ResourceContext* resources);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_CUT_H_
