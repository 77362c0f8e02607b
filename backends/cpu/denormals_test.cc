// The setting flush-denormals: compiled code treats denormals as zeros, on every thread; what is evaluated does not.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

// Tiles for several threads.
constexpr int64_t kElements = 1 << 20;
constexpr char kHalves[] = R"(HloModule m
ENTRY e { x = f32[1048576] parameter(0) h = f32[1048576] broadcast(f32[] constant(0.5)), dimensions={}
  ROOT r = f32[1048576] multiply(x, h) })";

// A comparator that no library has, so that the evaluator sorts. By halves, denormals differ if they are kept.
constexpr char kSort[] = R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) h = f32[] constant(0.5)
  c = f32[] multiply(a, h) d = f32[] multiply(b, h) ROOT l = pred[] compare(c, d), direction=LT }
ENTRY e { x = f32[3] parameter(0) ROOT r = f32[3] sort(x), dimensions={0}, is_stable=true, to_apply=less })";

CompileOptions Flushing(const char* value) {
  CompileOptions options;
  options.settings["flush-denormals"] = value;
  return options;
}

std::vector<float> RunOn(Executable& program, const std::vector<float>& argument) {
  const auto size = static_cast<int64_t>(argument.size());
  return Floats(OrDie(ExecuteOnLiterals(program, {Literal::FromValues<float>({size}, argument)})));
}

TEST(Denormals, AreKeptUnlessTheyAreToBeFlushed) {
  const auto client = MakeClient();
  const std::vector<float> argument(kElements, 4 * kDenormal);
  EXPECT_THAT(RunOn(*CompileText(*client, kHalves), argument), Each(2 * kDenormal));
  EXPECT_THAT(RunOn(*CompileText(*client, kHalves, Flushing("false")), argument), Each(2 * kDenormal));
  EXPECT_THAT(RunOn(*CompileText(*client, kHalves, Flushing("true")), argument), Each(0.0F));
  const volatile float after = 4 * kDenormal;
  EXPECT_EQ(after * 0.5F, 2 * kDenormal) << "the mode of the caller is not as it was";
}

TEST(Denormals, AreKeptByWhatIsEvaluated) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kSort, Flushing("true"));
  ASSERT_THAT(program->report().fallbacks, testing::SizeIs(1));
  EXPECT_THAT(RunOn(*program, {6 * kDenormal, 4 * kDenormal, 2 * kDenormal}),
              ElementsAre(2 * kDenormal, 4 * kDenormal, 6 * kDenormal));
}

TEST(Denormals, AreFlushedByALoadedExecutableAsByTheOneThatWasSaved) {
  const auto client = MakeClient();
  const std::vector<float> argument(kElements, 4 * kDenormal);
  for (const char* const saved : {"false", "true"}) {
    const auto program = CompileText(*client, kHalves, Flushing(saved));
    const std::vector<float> expected = RunOn(*program, argument);
    const auto loaded = OrDie(client->Deserialize(OrDie(program->Serialize()), Flushing("false")));
    EXPECT_EQ(RunOn(*loaded, argument), expected) << saved;
  }
}

TEST(Denormals, AreKeptOrFlushedAndNothingElse) {
  const auto client = MakeClient();
  EXPECT_THAT(std::string(client->Compile(OrDie(ParseHloModule(kHalves)), Flushing("maybe")).status().message()),
              HasSubstr("'flush-denormals' is true or false, not 'maybe'"));
}

}  // namespace
}  // namespace xla
