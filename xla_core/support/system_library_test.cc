#include "xla_core/support/system_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(LazyLibrary, FindsFunctions) {
  void* address = nullptr;
  LazyLibrary library("libm.so.6", "libc6", {{"floor", &address}});
  EXPECT_EQ(library.Load(), absl::OkStatus());
  EXPECT_EQ(library.Load(), absl::OkStatus());
  ASSERT_NE(address, nullptr);
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(address)(2.5), 2.0);
}

TEST(LazyLibrary, SaysWhatIsMissingWhereItLookedAndWhatToInstall) {
  LazyLibrary library("libelsewhere.so.1", "libelsewhere1", {});
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(library.Load(),
            absl::UnavailableError(
                "cannot load libelsewhere.so.1: libelsewhere.so.1: cannot open shared object file: No such file or "
                "directory; looked in the system's folders of libraries (LD_LIBRARY_PATH is not set); apt-get install "
                "libelsewhere1 installs it"));
  setenv("LD_LIBRARY_PATH", "/nowhere:/else", 1);
  EXPECT_THAT(library.Load().message(), HasSubstr("folders of libraries and LD_LIBRARY_PATH=/nowhere:/else; "));
  unsetenv("LD_LIBRARY_PATH");
}

TEST(LazyLibrary, SaysWhichFunctionIsMissing) {
  void* address = nullptr;
  LazyLibrary library("libm.so.6", "libc6", {{"fourth_root", &address}});
  EXPECT_EQ(library.Load(), absl::UnavailableError("libm.so.6 has no function fourth_root: it is not the one of the "
                                                   "Debian package libc6"));
  EXPECT_EQ(address, nullptr);
}

}  // namespace
}  // namespace xla
