// For small programs that people start with `bazel run`.
#ifndef TOOLS_TESTING_USER_PATH_H_
#define TOOLS_TESTING_USER_PATH_H_

#include <string>

namespace xla {

// `path` as the user meant it: `bazel run` starts a program in a folder of its own, and a relative path counts from the
// folder that BUILD_WORKING_DIRECTORY names. An empty path stays empty.
std::string UserPath(const std::string& path);

}  // namespace xla

#endif  // TOOLS_TESTING_USER_PATH_H_
