#include "xla_core/literal_io/format_literal.h"

#include "gtest/gtest.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

TEST(FormatLiteral, AbbreviatesEachDimension) {
  InputSpec spec;
  spec.shape = Shape::Array(S32, {100, 8});
  spec.fill = InputSpec::Fill::kIota;
  EXPECT_EQ(FormatLiteral(*MakeInput(spec)), R"(s32[100,8] {
  {0, 1, 2, ..., 5, 6, 7},
  {8, 9, 10, ..., 13, 14, 15},
  {16, 17, 18, ..., 21, 22, 23},
  ...,
  {776, 777, 778, ..., 781, 782, 783},
  {784, 785, 786, ..., 789, 790, 791},
  {792, 793, 794, ..., 797, 798, 799}
})");
}

TEST(FormatLiteral, AnyNumberOfDimensionsFitsAScreen) {
  InputSpec spec;
  spec.shape = Shape::Array(S32, std::vector<int64_t>(20, 2));
  spec.fill = InputSpec::Fill::kIota;
  EXPECT_LT(FormatLiteral(*MakeInput(spec)).size(), 10000u);
}

TEST(FormatLiteral, FloatsAreShortAndExact) {
  EXPECT_EQ(FormatLiteral(Literal::Vector<float>({0.1f, 1.0f / 3, 1e10f, 100, -0.0f, -NAN, INFINITY})),
            "f32[7] {0.1, 0.33333334, 1e+10, 100, -0, -nan, inf}");
  EXPECT_EQ(FormatLiteral(Literal::Vector<double>({0.1, 1.0 / 3})), "f64[2] {0.1, 0.3333333333333333}");
}

TEST(FormatLiteral, TuplesStandOnLines) {
  const Literal value = Literal::Tuple({Literal::Scalar<bool>(false), Literal::Token()});
  EXPECT_EQ(FormatLiteral(value), "(\npred[] false,\ntoken[]\n)");
}

TEST(FormatLiteral, ShowsTheValidPartOfADynamicArray) {
  const bool dynamic[] = {true};
  Literal array = *Literal::Zeros(Shape::Array(S32, {5}, dynamic));
  array.SetDynamicSize(0, 2);
  EXPECT_EQ(FormatLiteral(array), "s32[<=5] {0, 0}");
}

TEST(FormatIndex, SplitsAPosition) {
  EXPECT_EQ(FormatIndex({2, 3, 4}, 23), "{1,2,3}");
  EXPECT_EQ(FormatIndex({}, 0), "{}");
}

}  // namespace
}  // namespace xla
