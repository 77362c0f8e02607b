// Finds what is right in the modules of a program and yet looks like a mistake.
#ifndef BUILDERS_NNEF2_CHECKING_LINT_PROGRAM_H_
#define BUILDERS_NNEF2_CHECKING_LINT_PROGRAM_H_

#include <string>
#include <vector>

#include "builders/nnef2/checking/program.h"

namespace xla {
namespace nnef2 {

// "main.sknd:3:8: module 'nn' is imported and not used": attributes, helpers and imports that nothing uses; && and ||
// of one level without parentheses. Of modules that are not standard, each in the order of its text.
std::vector<std::string> LintProgram(const Program& program);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_LINT_PROGRAM_H_
