// What the command lines of all programs have in common: flags, --help, --version, and how bad usage is told.
#ifndef TOOLS_SHARED_COMMAND_LINE_H_
#define TOOLS_SHARED_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/shared/flag_table.h"

namespace xla {

// Reads the command line: sets what the flags of `table` stand for, and `others`, what is no flag. `program` begins
// messages. The exit status, if the program ends here: after --help (of a table with one topic all of it) or --version,
// or of bad usage.
absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table,
                                    std::vector<std::string>* others);

// The same for a program that takes flags and nothing else.
absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table);

// Prints the message on standard error; the exit status of bad usage.
int BadUsage(absl::string_view program, absl::string_view message);

}  // namespace xla

#endif  // TOOLS_SHARED_COMMAND_LINE_H_
