#include "tools/shared/check_results.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "xla_core/literal_io/npz.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ExactArrays, AreThoseThatAllBackendsComputeAlike) {
  const auto module = ParseHloModule(R"(HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  t = token[] after-all()
  q = f32[8] divide(x, x)
  f = f32[8] exponential(x)
  z = f32[] constant(0)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add
  u = (f32[8], f32[]) tuple(f, s)
  ROOT r = (token[], f32[8], (f32[8], f32[])) tuple(t, q, u)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(*ExactArrays(**module, /*resources=*/nullptr), ElementsAre(true, false, false));
}

TEST(CheckResults, WantsTheBitsOfExactArrays) {
  const std::vector<NamedArray> want = {{"r0_out0", Literal::Scalar<float>(1)},
                                        {"r0_out1", Literal::Scalar<float>(0)},
                                        {"r1_out0", Literal::Scalar<float>(1)},
                                        {"r1_out1", Literal::Scalar<float>(0)}};
  std::vector<NamedArray> got = want;
  got[2].second = Literal::Scalar<float>(1.0000001f);
  got[3].second = Literal::Scalar<float>(-0.0f);
  ResultTolerance tolerance;
  EXPECT_TRUE(CheckResults(got, want, tolerance).match);
  tolerance.exact = {false, false};
  EXPECT_TRUE(CheckResults(got, want, tolerance).match);
  tolerance.exact = {true, false};
  const CheckedResults first = CheckResults(got, want, tolerance);
  EXPECT_FALSE(first.match);
  EXPECT_THAT(first.report, HasSubstr("r1_out0 f32[]: 1 of 1 element differ"));
  tolerance.exact = {false, true};
  EXPECT_FALSE(CheckResults(got, want, tolerance).match);
}

TEST(ReadExpectedResults, SaysThatAShapeDiffersWithoutReadingElements) {
  const std::string path = ::testing::TempDir() + "/expected.npz";
  const auto writer = NpzWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Add("out0", Literal::Vector<float>({1, 2})).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const std::vector<NamedArray> got = {{"out0", Literal::Vector<float>({1, 2, 3})}};
  const auto want = ReadExpectedResults(got, path);
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_EQ(CheckResults(got, *want, ResultTolerance()).report, "out0 f32[2]: the result is f32[3], expected f32[2]\n");
}

}  // namespace
}  // namespace xla
