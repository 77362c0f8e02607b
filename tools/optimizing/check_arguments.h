// The arguments of the user's own that --check-each-pass runs a program with.
#ifndef TOOLS_OPTIMIZING_CHECK_ARGUMENTS_H_
#define TOOLS_OPTIMIZING_CHECK_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/optimizing/pass_flags.h"
#include "tools/shared/run_arguments.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// What the file of a program brings beside its module.
struct ProgramData {
  std::string file;                      // for errors
  std::vector<std::string> input_names;  // of the parameters, where the format names them
  // Arguments of the program's own, as those of a snapshot, by device or for all of them; from those that the flags
  // give if it takes some. nullptr: there are none.
  std::function<absl::StatusOr<DeviceArguments>(DeviceArguments given)> complete;
  // How many parameters, from the first on, `given` has; -1: all.
  int64_t given_count = -1;
};

struct CheckArguments {
  DeviceArguments given;         // by device; empty: there are none
  std::vector<int64_t> weights;  // numbers of parameters that are the same in all sets
};

// InvalidArgument, for the command line: flags that contradict each other.
absl::Status CheckArgumentFlags(const PassFlags& flags);

// From the files that the flags name. InvalidArgument: what they say does not fit the module; or there are no arguments
// at all to check it with.
absl::StatusOr<CheckArguments> ReadCheckArguments(const HloModule& module, const PassFlags& flags,
                                                  const ProgramData& program, const ResourceContext& resources);

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_CHECK_ARGUMENTS_H_
