// The command line of small programs that have flags and nothing else, all under one topic of help, "flags".
#ifndef TOOLS_TESTING_COMMAND_LINE_H_
#define TOOLS_TESTING_COMMAND_LINE_H_

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/shared/flag_table.h"

namespace xla {

// Reads the command line. The exit status, if the program ends here: after --help, or of bad usage.
absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table);

// Prints the message on standard error; the exit status of bad usage.
int BadUsage(absl::string_view program, absl::string_view message);

}  // namespace xla

#endif  // TOOLS_TESTING_COMMAND_LINE_H_
