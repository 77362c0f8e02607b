// Each planted fault is named rightly on a small program, and no fault is found where only roundings differ.
#include "tests/autopsy/planted_faults.h"

#include <cctype>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/autopsy/autopsy.h"
#include "backends/backend.h"
#include "gmock/gmock.h"
#include "xla_core/support/random_source.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using Verdict = AutopsyResult::Verdict;

// A layer with all operations that faults are planted in, in a loop that no pass unrolls.
constexpr char kLayers[] = R"(HloModule layers
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
body {
  s = (s32[], f32[32,32], f32[32,32], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[32,32] get-tuple-element(s), index=1
  w = f32[32,32] get-tuple-element(s), index=2
  count = s32[] get-tuple-element(s), index=3
  y = f32[32,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  lowest = f32[] constant(-inf)
  top = f32[32] reduce(y, lowest), dimensions={1}, to_apply=max
  tops = f32[32,32] broadcast(top), dimensions={0}
  less = f32[32,32] subtract(y, tops)
  e = f32[32,32] exponential(less)
  zero = f32[] constant(0)
  sum = f32[32] reduce(e, zero), dimensions={1}, to_apply=add
  sums = f32[32,32] broadcast(sum), dimensions={0}
  p = f32[32,32] divide(e, sums)
  z = f32[32,32] dot(p, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  squares = f32[32,32] multiply(z, z)
  r = f32[32,32] rsqrt(squares)
  t = f32[32,32] tanh(z)
  scaled = f32[32,32] multiply(t, r)
  bounded = f32[32,32] maximum(scaled, p)
  v = f32[32,32] dot(z, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  next = f32[32,32] add(bounded, v)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT out = (s32[], f32[32,32], f32[32,32], s32[]) tuple(n, next, w, count)
}
condition {
  s = (s32[], f32[32,32], f32[32,32], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  count = s32[] get-tuple-element(s), index=3
  ROOT more = pred[] compare(i, count), direction=LT
}
ENTRY e {
  x = f32[32,32] parameter(0)
  w = f32[32,32] parameter(1)
  count = s32[] parameter(2)
  zero = s32[] constant(0)
  start = (s32[], f32[32,32], f32[32,32], s32[]) tuple(zero, x, w, count)
  loop = (s32[], f32[32,32], f32[32,32], s32[]) while(start), condition=condition, body=body
  ROOT result = f32[32,32] get-tuple-element(loop), index=1
}
)";

// Programs for a sum of 5000 numbers, in two orders: `a` and `b` differ by rounding, or are what the backend makes
// them.
constexpr char kSums[] = R"(HloModule sums
add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) }
$parts
ENTRY e {
  x = f32[5000] parameter(0)
  ones = f32[5000] parameter(1)
  zero = f32[] constant(0)
  a = f32[] dot(x, ones), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  b = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  left = f32[] subtract(a, b)
  large = f32[] constant(4194304)
  $rest
}
)";

struct RoundingProgram {
  const char* name;
  const char* parts;
  const char* rest;
};

constexpr RoundingProgram kRoundingPrograms[] = {
    {"OrderOfASum", "", "ROOT r = f32[] add(left, left)"},
    {"Amplified", "", "scaled = f32[] multiply(left, large) ROOT r = f32[] tanh(scaled)"},
    {"Comparison", "", "ROOT r = pred[] compare(a, b), direction=GT"},
    {"Selection", "",
     "p = pred[] compare(a, b), direction=GE ten = f32[] constant(10) ROOT r = f32[] select(p, large, ten)"},
    {"Floor", "", "ROOT r = f32[] floor(left)"},
    {"WholeNumber", "", "scaled = f32[] multiply(left, large) ROOT r = s32[] convert(scaled)"},
    {"Sign", "", "ROOT r = f32[] sign(left)"},
    {"Reciprocal", "", "one = f32[] constant(1) ROOT r = f32[] divide(one, left)"},
    {"Sort", "",
     "as = f32[1] reshape(a) bs = f32[1] reshape(b) both = f32[2] concatenate(as, bs), dimensions={0} "
     "places = s32[2] iota(), iota_dimension=0 "
     "sorted = (f32[2], s32[2]) sort(both, places), dimensions={0}, is_stable=true, to_apply=less "
     "ROOT r = s32[2] get-tuple-element(sorted), index=1"},
    {"Branch",
     "one { p = f32[] parameter(0) ROOT q = f32[] exponential(p) } "
     "other { p = f32[] parameter(0) ROOT q = f32[] cosine(p) }",
     "p = pred[] compare(a, b), direction=GT scaled = f32[] multiply(left, large) "
     "ROOT r = f32[] conditional(p, left, scaled), true_computation=one, false_computation=other"},
};
constexpr char kLess[] =
    "less { p = f32[] parameter(0) q = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) "
    "ROOT r = pred[] compare(p, q), direction=LT }";

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  return *std::move(module);
}

// Between -0.5 and 0.5, of the seed.
Literal Random(const std::vector<int64_t>& dimensions, uint64_t seed) {
  int64_t count = 1;
  for (const int64_t size : dimensions) count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(SplitMix64(seed, i) >> 40) / static_cast<float>(1 << 24) - 0.5F);
  }
  return Literal::FromValues<float>(dimensions, values);
}

std::string NameOfCase(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

class PlantedFault : public ::testing::TestWithParam<std::string> {};

TEST_P(PlantedFault, IsNamed) {
  const std::unique_ptr<HloModule> module = Parse(kLayers);
  const std::vector<Literal> arguments = {Random({32, 32}, 1), Random({32, 32}, 2), Literal::Scalar<int32_t>(3)};
  const std::string folder = absl::StrCat(::testing::TempDir(), "/planted_", NameOfCase(GetParam()));
  const auto outcome = FindPlantedFault(GetParam(), *module, arguments, folder);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(outcome->is_named_rightly) << outcome->text;
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, PlantedFault, ::testing::ValuesIn(PlantedFaults()),
                         [](const auto& info) { return NameOfCase(info.param); });

class RoundingAlone : public ::testing::TestWithParam<RoundingProgram> {};

TEST_P(RoundingAlone, AccusesNothing) {
  const RoundingProgram& program = GetParam();
  const std::unique_ptr<HloModule> module = Parse(
      absl::StrReplaceAll(kSums, {{"$parts", absl::StrCat(kLess, "\n", program.parts)}, {"$rest", program.rest}}));
  AutopsyOptions options;
  options.client = *GetClient("cpu", ClientOptions());
  // Which arguments make a difference, depends on the processor.
  int differences = 0;
  for (uint64_t seed = 0; seed < 40 && differences < 2; ++seed) {
    const std::vector<Literal> arguments = {Random({5000}, seed),
                                            Literal::FromValues<float>({5000}, std::vector<float>(5000, 1))};
    const absl::StatusOr<AutopsyResult> result = RunAutopsy(*module, {arguments}, options);
    ASSERT_TRUE(result.ok()) << result.status();
    if (result->verdict == Verdict::kNoDifference) continue;
    ++differences;
    EXPECT_EQ(result->verdict, Verdict::kRounding) << result->text;
  }
  EXPECT_GT(differences, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, RoundingAlone, ::testing::ValuesIn(kRoundingPrograms),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace xla
