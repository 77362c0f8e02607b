#include "tools/testing/shell.h"

#include <sys/wait.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {

std::string Temporary(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string Contents(const std::string& path) {
  const auto file = ReadFile(path);
  return file.ok() ? std::string(file->data()) : "";
}

std::string File(const std::string& name, const std::string& contents) {
  const std::string path = Temporary(name);
  EXPECT_TRUE(WriteFile(path, contents).ok());
  return path;
}

ShellOutcome Shell(const std::string& command) {
  const std::string out = Temporary("stdout"), err = Temporary("stderr");
  const int status =
      std::system(absl::StrCat("PATH=$PWD/tools:$PATH; (", command, ") >", out, " 2>", err, " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), Contents(out), Contents(err)};
}

}  // namespace xla
