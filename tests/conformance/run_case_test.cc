#include "tests/conformance/run_case.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using testing::HasSubstr;

// A valid program in a case that says it must be refused.
ConformanceCase CaseThatIsRefused() {
  ConformanceCase made;
  made.group = "invalid";
  made.name = "settings";
  made.folder = testing::TempDir() + "/settings";
  std::filesystem::create_directories(made.folder);
  EXPECT_TRUE(WriteFile(made.path("case.json"), R"({"expect": "error"})").ok());
  EXPECT_TRUE(WriteFile(made.path("module.hlo"), "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }\n").ok());
  return made;
}

TEST(RunCase, SettingsReachTheBackend) {
  const ConformanceCase refused = CaseThatIsRefused();
  CaseLimits limits;
  limits.backend = "cpu";
  limits.variants = *ReadVariants("1", "1", {"flush-denormals=false"});
  const CaseResult accepted = RunCase(refused, limits);
  EXPECT_EQ(accepted.verdict, Verdict::kFailed);
  EXPECT_THAT(accepted.message, HasSubstr("accepted, but it must be refused"));
  // The backend refuses a setting that it does not have.
  limits.variants = *ReadVariants("1", "1", {"no-such=true"});
  EXPECT_EQ(RunCase(refused, limits).verdict, Verdict::kPassed);
}

}  // namespace
}  // namespace xla
