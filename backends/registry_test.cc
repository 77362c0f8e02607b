// Backends by name.
#include "backends/registry.h"

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Registry, FindsWhatWasRegistered) {
  EXPECT_THAT(BackendNames(), IsEmpty());
  EXPECT_EQ(GetClient("anything").status(),
            absl::NotFoundError("unknown backend 'anything'; no backend is linked: depend on @halo//:interpreter, for "
                                "example"));
  EXPECT_EQ(GetClient("cpu").status(),
            absl::NotFoundError("backend 'cpu' is not linked into this program, which has no backend; depend on "
                                "@halo//:cpu to link it"));
  const auto refuse = [](const ClientOptions& options) -> absl::StatusOr<std::shared_ptr<Client>> {
    return absl::UnavailableError(absl::StrCat("no device, asked for ", options.device_count));
  };
  EXPECT_EQ(RegisterBackend("toaster", refuse), absl::OkStatus());
  EXPECT_EQ(RegisterBackend("abacus", refuse), absl::OkStatus());
  EXPECT_EQ(RegisterBackend("toaster", refuse), absl::AlreadyExistsError("there is a backend 'toaster' already"));
  EXPECT_THAT(BackendNames(), ElementsAre("abacus", "toaster"));
  ClientOptions options;
  options.device_count = 3;
  EXPECT_EQ(GetClient("toaster", options).status(), absl::UnavailableError("no device, asked for 3"));
  EXPECT_EQ(GetClient("taoster").status(),
            absl::NotFoundError("unknown backend 'taoster'; did you mean 'toaster'?; this build has abacus, toaster"));
  EXPECT_EQ(GetClient("cpu").status(),
            absl::NotFoundError("backend 'cpu' is not linked into this program, which has abacus, toaster; depend on "
                                "@halo//:cpu to link it"));
  EXPECT_EQ(GetClient("").status(), absl::NotFoundError("unknown backend ''; this build has abacus, toaster"));
}

TEST(CompileReport, CountsFallbacksByOpcodeAndReason) {
  CompileReport report;
  report.native_instructions = 5;
  report.stages.emplace_back("verify", absl::Milliseconds(2));
  report.AddFallback("sort", "no kernel", "sort.1");
  report.AddFallback("fft", "no kernel", "fft.2");
  report.AddFallback("sort", "no kernel", "sort.3");
  EXPECT_EQ(report.ToString(),
            "verify: 2ms\n5 instructions run natively\n2 x sort on the evaluator: no kernel (first: sort.1)\n"
            "1 x fft on the evaluator: no kernel (first: fft.2)\n");
}

}  // namespace
}  // namespace xla
