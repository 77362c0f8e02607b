// For tests of command-line tools: runs them as a user does.
#ifndef TOOLS_TESTING_SHELL_H_
#define TOOLS_TESTING_SHELL_H_

#include <string>

namespace xla {

struct ShellOutcome {
  int status;  // exit status, or 128 + the signal
  std::string out, err;
};

// Runs a shell command in which hlo-run and hlo-opt are those under test, which the test has as data.
ShellOutcome Shell(const std::string& command);

// A path in the test's own folder.
std::string Temporary(const std::string& name);
// Writes a file there and returns its path.
std::string File(const std::string& name, const std::string& contents);
// What a file holds; "" if there is none.
std::string Contents(const std::string& path);

}  // namespace xla

#endif  // TOOLS_TESTING_SHELL_H_
