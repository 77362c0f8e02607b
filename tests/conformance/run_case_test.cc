#include "tests/conformance/run_case.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "tools/shared/write_results.h"
#include "xla_core/support/files.h"
#include "xla_core/types/literal.h"

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

// A program without inputs that is to give 1.5.
ConformanceCase CaseOfOnePointFive(const std::string& name, const std::string& entry) {
  ConformanceCase made;
  made.group = "program";
  made.name = name;
  made.folder = testing::TempDir() + "/" + name;
  std::filesystem::create_directories(made.folder);
  EXPECT_TRUE(WriteFile(made.path("case.json"), R"({"inputs": [[]]})").ok());
  EXPECT_TRUE(WriteFile(made.path("module.hlo"), "HloModule m\nENTRY e {\n" + entry + "\n}\n").ok());
  const Literal expected = Literal::Scalar<float>(1.5f);
  EXPECT_TRUE(WriteResults(NameResults({expected}), made.path("expected.npz"), /*resources=*/nullptr).ok());
  return made;
}

TEST(RunCase, WritesAndReadsStableHlo) {
  CaseLimits limits;
  limits.through_stablehlo = true;
  const CaseResult same = RunCase(CaseOfOnePointFive("same", "ROOT c = f32[] constant(1.5)"), limits);
  EXPECT_EQ(same.verdict, Verdict::kPassed) << same.message;
  const CaseResult other = RunCase(CaseOfOnePointFive("other", "ROOT c = f32[] constant(2.5)"), limits);
  EXPECT_EQ(other.verdict, Verdict::kFailed);
  EXPECT_THAT(other.message, HasSubstr("running what StableHLO says"));
  const CaseResult unsayable =
      RunCase(CaseOfOnePointFive("unsayable", "c = f32[] constant(1.5)\n ROOT b = f32[] bitcast(c)"), limits);
  EXPECT_EQ(unsayable.verdict, Verdict::kSkipped);
  EXPECT_THAT(unsayable.message, HasSubstr("StableHLO does not have this operation"));
  EXPECT_EQ(RunCase(CaseThatIsRefused(), limits).verdict, Verdict::kSkipped);
}

}  // namespace
}  // namespace xla
