#include "passes/base/odd_forms.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

constexpr char kFunctions[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
add_in_tuple { a = f32[] parameter(0) b = f32[] parameter(1) s = f32[] add(a, b) ROOT t = (f32[]) tuple(s) }
add_wide { a = f64[] parameter(0) b = f64[] parameter(1) ROOT s = f64[] add(a, b) }
greater { a = f32[] parameter(0) b = f32[] parameter(1) ROOT g = pred[] compare(a, b), direction=GE }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[4] parameter(0)
  i = s32[4] parameter(1)
  n = s8[4] parameter(2)
  p = pred[4] parameter(3)
  c = c64[4] parameter(4)
  u = u32[4] parameter(5)
  yes = pred[] parameter(6)
  d = f64[4] parameter(7)
  at = s32[1,1] parameter(8)
  new = f32[1] parameter(9)
  zero = f32[] constant(0)
  pair = (f32[4], f32[4]) tuple(x, x)
)";

// Whether the root is odd, in a computation of what is declared above.
bool IsOdd(const std::string& root) {
  const ParsedModule module(absl::StrCat(kFunctions, "  ROOT ", root, "\n}"));
  return IsOddForm(*module->entry()->root());
}

TEST(OddForms, ATupleOfOneResult) {
  EXPECT_FALSE(IsOdd("r = f32[] reduce(x, zero), dimensions={0}, to_apply=add"));
  EXPECT_TRUE(IsOdd("r = (f32[]) reduce(x, zero), dimensions={0}, to_apply=add_in_tuple"));
  EXPECT_FALSE(IsOdd("r = f32[4] sort(x), dimensions={0}, to_apply=less"));
  EXPECT_TRUE(IsOdd("r = (f32[4]) sort(x), dimensions={0}, to_apply=less"));
  EXPECT_FALSE(IsOdd("r = f32[4] all-reduce(x), to_apply=add"));
  EXPECT_TRUE(IsOdd("r = (f32[4]) all-reduce(x), to_apply=add"));
  EXPECT_FALSE(IsOdd("r = (f32[4], f32[4]) all-reduce(x, x), to_apply=add"));
  EXPECT_FALSE(IsOdd("r = (f32[4]) tuple(x)")) << "a tuple is made to be one";
}

TEST(OddForms, AScatterWhoseFunctionGivesATuple) {
  const std::string scatter =
      "(x, at, new), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=";
  EXPECT_FALSE(IsOdd("r = f32[4] scatter" + scatter + "add"));
  EXPECT_TRUE(IsOdd("r = f32[4] scatter" + scatter + "add_in_tuple"));
  EXPECT_TRUE(IsOdd("r = (f32[4]) scatter" + scatter + "add_in_tuple"));
}

TEST(OddForms, AReductionInAnotherType) {
  EXPECT_TRUE(IsOdd("r = f64[] reduce(x, zero), dimensions={0}, to_apply=add_wide"));
  EXPECT_TRUE(IsOdd("r = f64[4] reduce-window(x, zero), window={size=1}, to_apply=add_wide"));
  EXPECT_FALSE(IsOdd("r = f32[4] reduce-window(x, zero), window={size=1}, to_apply=add"));
}

TEST(OddForms, AReversedWindow) {
  EXPECT_FALSE(IsOdd("r = f32[3] reduce-window(x, zero), window={size=2}, to_apply=add"));
  EXPECT_TRUE(IsOdd("r = f32[3] reduce-window(x, zero), window={size=2 rhs_reversal=1}, to_apply=add"));
  EXPECT_TRUE(
      IsOdd("r = f32[4] select-and-scatter(x, new, zero), window={size=4 rhs_reversal=1}, select=greater, "
            "scatter=add"));
  EXPECT_FALSE(IsOdd("r = f32[4] select-and-scatter(x, new, zero), window={size=4}, select=greater, scatter=add"));
}

TEST(OddForms, ASelectedTuple) {
  EXPECT_FALSE(IsOdd("r = f32[4] select(p, x, x)"));
  EXPECT_TRUE(IsOdd("r = (f32[4], f32[4]) select(yes, pair, pair)"));
}

std::string Dot(const std::string& result, const std::string& lhs, const std::string& rhs) {
  return absl::StrCat("r = ", result, "[] dot(", lhs, ", ", rhs,
                      "), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
}

TEST(OddForms, AProductOfDifferentKinds) {
  EXPECT_FALSE(IsOdd(Dot("f32", "x", "x")));
  EXPECT_FALSE(IsOdd(Dot("c64", "c", "c")));
  EXPECT_FALSE(IsOdd(Dot("s32", "n", "i"))) << "integers of different widths are usual";
  EXPECT_TRUE(IsOdd(Dot("c64", "c", "x")));
  EXPECT_TRUE(IsOdd(Dot("f32", "p", "x")));
  EXPECT_TRUE(IsOdd(Dot("f32", "x", "p")));
}

TEST(OddForms, AProductNarrowerThanItsIntegers) {
  EXPECT_FALSE(IsOdd(Dot("s32", "n", "n")));
  EXPECT_FALSE(IsOdd(Dot("s32", "i", "i")));
  EXPECT_TRUE(IsOdd(Dot("s8", "i", "n")));
  EXPECT_TRUE(IsOdd(Dot("s8", "n", "i")));
  EXPECT_FALSE(IsOdd(Dot("f32", "d", "d"))) << "of floats it is not odd";
}

TEST(OddForms, AComparisonAsAnotherType) {
  EXPECT_FALSE(IsOdd("r = pred[4] compare(i, i), direction=LT"));
  EXPECT_FALSE(IsOdd("r = pred[4] compare(i, i), direction=LT, type=SIGNED"));
  EXPECT_TRUE(IsOdd("r = pred[4] compare(x, x), direction=LT, type=SIGNED"));
  EXPECT_TRUE(IsOdd("r = pred[4] compare(u, u), direction=LT, type=SIGNED"));
  EXPECT_FALSE(IsOdd("r = pred[4] compare(x, x), direction=LT, type=TOTALORDER"));
}

TEST(OddForms, ABitcastConvertBetweenComplexAndRealNumbers) {
  EXPECT_TRUE(IsOdd("r = f32[4,2] bitcast-convert(c)"));
  EXPECT_FALSE(IsOdd("r = u32[4] bitcast-convert(x)"));
  EXPECT_FALSE(IsOdd("r = s16[4,2] bitcast-convert(x)"));
}

}  // namespace
}  // namespace xla
