#include "builders/nnef_common/fed_inputs.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef {
namespace {

constexpr Standard kStandard = {"a standard", ""};

LoweredModel ModelOfTwo() {
  static const auto* const format = [] {
    auto* const made = new ModelFormat;
    made->fed_error = ErrorClass("shape", &kStandard);
    made->bound_error = ErrorClass("bound", &kStandard);
    return made;
  }();
  LoweredModel model;
  model.format = format;
  model.input_names = {"x", "z"};
  return model;
}

// f32[<=3,2] and s32[].
absl::StatusOr<std::vector<Literal>> Fit(const LoweredModel& model, std::vector<Literal> inputs) {
  return FitInputs(model, {Shape::Array(F32, {3, 2}, {true, false}), Shape::Array(S32, {})}, inputs);
}

std::string ErrorOf(const LoweredModel& model, Literal x, Literal z = Literal::Scalar<int32_t>(1)) {
  return std::string(Fit(model, {std::move(x), std::move(z)}).status().message());
}

TEST(FitInputs, MovesArraysIntoTheirBounds) {
  const Literal x = Literal::FromValues<float>({1, 2}, {7, 8});
  const auto fitted = Fit(ModelOfTwo(), {x, Literal::Scalar<int32_t>(5)});
  ASSERT_TRUE(fitted.ok()) << fitted.status();
  EXPECT_EQ((*fitted)[0].dynamic_size(0), 1);
  EXPECT_THAT((*fitted)[0].span<float>(), testing::ElementsAre(7, 8, 0, 0, 0, 0));
  EXPECT_EQ(*(*fitted)[1].data<int32_t>(), 5);
  // A dynamic array is one already.
  const auto again = Fit(ModelOfTwo(), {(*fitted)[0], Literal::Scalar<int32_t>(5)});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE((*again)[0].BitwiseEquals((*fitted)[0]));
}

TEST(FitInputs, RefusesWhatDoesNotFit) {
  const LoweredModel model = ModelOfTwo();
  EXPECT_EQ(Fit(model, {}).status().message(), "shape: expected 2 inputs, got 0");
  const auto floats = [](std::vector<int64_t> extents) { return *Literal::Zeros(Shape::Array(F32, extents)); };
  EXPECT_EQ(ErrorOf(model, floats({4, 2})), "bound: input 'x': expected f32[<=3,2], got f32[4,2]");
  EXPECT_EQ(ErrorOf(model, floats({2, 1})), "shape: input 'x': expected f32[<=3,2], got f32[2,1]");
  EXPECT_EQ(ErrorOf(model, floats({2})), "shape: input 'x': expected f32[<=3,2], got f32[2]");
  EXPECT_EQ(ErrorOf(model, Literal::Scalar<int32_t>(1)), "shape: input 'x': expected f32[<=3,2], got s32[]");
  EXPECT_EQ(ErrorOf(model, floats({2, 2}), Literal::Tuple({})), "shape: input 'z': expected s32[], got ()");
}

TEST(FitInputs, AsksTheModelWhetherExtentsAgree) {
  LoweredModel model = ModelOfTwo();
  model.check_extents = [&](const std::vector<std::vector<int64_t>>& extents) {
    EXPECT_EQ(extents, (std::vector<std::vector<int64_t>>{{2, 2}, {}}));
    return ClassifiedError(model.format->fed_error, "they do not");
  };
  EXPECT_EQ(ErrorOf(model, *Literal::Zeros(Shape::Array(F32, {2, 2}))), "shape: they do not");
}

}  // namespace
}  // namespace nnef
}  // namespace xla
