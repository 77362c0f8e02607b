// A command of the user's that says of a file whether it is good.
#ifndef TOOLS_VIEWS_TEST_COMMAND_H_
#define TOOLS_VIEWS_TEST_COMMAND_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Runs `command` in a shell with the path `file` as $1, after the command if it does not contain $1, $@ or $*; what
// it prints is dropped. Returns its exit status, or 128 + the number of the signal that ended it; -1 if it was stopped
// after `time_limit`. Errors: NotFound if the shell cannot run the command (its status is 126 or 127); a limit of
// `resources`, which may be nullptr, was reached, and the command was stopped.
absl::StatusOr<int> RunTestCommand(const std::string& command, const std::string& file, absl::Duration time_limit,
                                   const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // TOOLS_VIEWS_TEST_COMMAND_H_
