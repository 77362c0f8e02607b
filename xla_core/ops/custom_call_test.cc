#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/ops/ffi_attributes.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

SetAttributes Target(std::string target, std::string config = "") {
  return [=](HloInstruction& call) {
    call.mutable_attributes<CustomCallAttributes>().custom_call_target = target;
    if (!config.empty()) call.mutable_annotations().backend_config = config;
  };
}

absl::StatusOr<Literal> Call(std::string target, const Shape& shape, std::vector<Literal> operands,
                             std::string config = "", std::vector<HloComputation*> called = {}) {
  return EvaluateOp(HloOpcode::kCustomCall, shape, std::move(operands), Target(target, config), std::move(called));
}

std::string ErrorOf(const absl::StatusOr<Literal>& result) { return std::string(result.status().message()); }

// ---- The operation and the registry

TEST(CustomCall, NamesTheNearestKnownTarget) {
  EXPECT_EQ(ErrorOf(Call("Shardings", Shape::Scalar(F32), {})),
            "custom-call.0: the interpreter has no custom-call target 'Shardings'; did you mean "
            "'Sharding'?");
  EXPECT_EQ(ErrorOf(Call("__cublas$gemm", Shape::Scalar(F32), {})),
            "custom-call.0: the interpreter has no custom-call target '__cublas$gemm'");
}

TEST(CustomCall, CallsWhatAProgramRegisters) {
  ASSERT_TRUE(CustomCallRegistry::Global()
                  .RegisterOriginal("test_swap",
                                    [](void* out, const void** in) {
                                      for (int i = 0; i < 2; ++i) {
                                        *static_cast<float*>(static_cast<void**>(out)[i]) =
                                            *static_cast<const float*>(in[1 - i]);
                                      }
                                    })
                  .ok());
  const auto result = Call("test_swap", Shape::Tuple({Shape::Scalar(F32), Shape::Scalar(F32)}),
                           {Literal::Scalar<float>(1), Literal::Scalar<float>(2)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->element(0).data<float>()[0], 2);
  EXPECT_EQ(result->element(1).data<float>()[0], 1);
  EXPECT_EQ(CustomCallRegistry::Global().Register("test_swap", nullptr).message(),
            "custom-call target 'test_swap' is registered already");
}

TEST(CustomCall, RefusesConstraintsAndAliasesThatDoNotFit) {
  const Shape f2 = Shape::Array(F32, {2}), f3 = Shape::Array(F32, {3});
  EXPECT_EQ(ViolationsOf(HloOpcode::kCustomCall, f2, {f2},
                         [&](HloInstruction& call) {
                           call.mutable_attributes<CustomCallAttributes>().operand_layout_constraints = {f2, f2};
                         }),
            "operand_layout_constraints must have one shape for each of the 1 operands, got 2");
  EXPECT_EQ(ViolationsOf(HloOpcode::kCustomCall, f2, {f2},
                         [&](HloInstruction& call) {
                           call.mutable_attributes<CustomCallAttributes>().operand_layout_constraints =
                               std::vector<Shape>{f3};
                         }),
            "operand_layout_constraints must have the shapes of the operands: operand 0 is f32[2], got f32[3]");
  const auto alias = [&](int64_t operand) {
    return ViolationsOf(HloOpcode::kCustomCall, f2, {f3}, [&](HloInstruction& call) {
      call.mutable_attributes<CustomCallAttributes>().output_to_operand_aliasing = {{{}, operand, {}}};
    });
  };
  EXPECT_EQ(alias(0), "output_to_operand_aliasing {}: (0, {}) pairs different shapes: f32[2] and f32[3]");
  EXPECT_EQ(alias(1), "output_to_operand_aliasing {}: (1, {}) names an output or an operand that does not exist");
}

TEST(FfiAttributes, ReadsADictionary) {
  const auto attributes = FfiAttributes::Parse(
      R"({uplo = 76 : ui8, high = -4 : i32, scale = 1.5e0 : f32, "name" = "a, \"b\"", on = true, flag, d = array<i64: 1, 2>})");
  ASSERT_TRUE(attributes.ok()) << attributes.status();
  EXPECT_EQ(*attributes->GetChar("uplo", "LU"), 'L');
  EXPECT_EQ(*attributes->GetInteger("high"), -4);
  EXPECT_EQ(*attributes->GetFloat("scale"), 1.5);
  EXPECT_EQ(*attributes->GetString("name"), "a, \"b\"");
  EXPECT_TRUE(*attributes->GetBool("on"));
  EXPECT_TRUE(*attributes->GetBool("flag"));
  EXPECT_TRUE(attributes->Has("d"));
  EXPECT_TRUE(FfiAttributes::Parse("").ok() && FfiAttributes::Parse(" { } ").ok());
}

TEST(FfiAttributes, RefusesOtherThings) {
  EXPECT_EQ(FfiAttributes::Parse("{a = [1}").status().message(),
            "backend_config must be a dictionary {key = value : type, ...}, got {a = [1}");
  EXPECT_EQ(FfiAttributes::Parse("{a = 1, a = 2}").status().message(), "backend_config names a twice: {a = 1, a = 2}");
  const FfiAttributes attributes = *FfiAttributes::Parse("{uplo = 76 : ui8, name = \"x\"}");
  EXPECT_EQ(attributes.GetInteger("low").status().message(),
            "backend_config lacks the attribute low; it has {name, uplo}");
  EXPECT_EQ(attributes.GetInteger("name").status().message(), "attribute name must be an integer, got \"x\"");
  EXPECT_EQ(attributes.GetChar("uplo", "VN").status().message(),
            "attribute uplo must be the code of one of the letters VN, got 76");
}

// ---- XLA's own targets

TEST(XlaCustomCalls, MarksAreIdentities) {
  const Literal x = Literal::Vector<float>({1, 2});
  for (const char* target : {"Sharding", "SPMDFullToShardShape", "Pin", "MoveToHost", "annotate_device_placement"}) {
    const auto result = Call(target, x.shape(), {x});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->BitwiseEquals(x));
  }
  EXPECT_EQ(ErrorOf(Call("SPMDShardToFullShape", Shape::Array(F32, {4}), {x})),
            "custom-call.1: SPMDShardToFullShape: the result must have the shape of the operand, f32[2], got f32[4]; "
            "partition the program for its devices before running it");
}

TEST(XlaCustomCalls, SplitAndCombine64Bits) {
  const Literal x = Literal::Vector<uint64_t>({0x123456789abcdef0ull});
  const auto low = Call("X64SplitLow", Shape::Array(U32, {1}), {x});
  const auto high = Call("X64SplitHigh", Shape::Array(U32, {1}), {x});
  EXPECT_THAT(low->span<uint32_t>(), ElementsAre(0x9abcdef0u));
  EXPECT_THAT(high->span<uint32_t>(), ElementsAre(0x12345678u));
  EXPECT_TRUE(Call("X64Combine", x.shape(), {*low, *high})->BitwiseEquals(x));
  const Literal d = Literal::Vector<double>({0.1});
  const auto d_low = Call("X64SplitLow", Shape::Array(F32, {1}), {d});
  const auto d_high = Call("X64SplitHigh", Shape::Array(F32, {1}), {d});
  EXPECT_NEAR(Call("X64Combine", d.shape(), {*d_low, *d_high})->data<double>()[0], 0.1, 1e-16);
}

TEST(XlaCustomCalls, DynamicSizesComeOffAndOn) {
  Literal x = Literal::Vector<float>({1, 2, 3});
  const bool dynamic = true;
  const Shape bounded = Shape::Array(F32, std::vector<int64_t>{3}, absl::MakeConstSpan(&dynamic, 1));
  x.ResetShape(bounded);
  x.SetDynamicSize(0, 2);
  const auto padded = Call("PadToStatic", Shape::Tuple({Shape::Array(F32, {3}), Shape::Scalar(S32)}), {x});
  ASSERT_TRUE(padded.ok()) << padded.status();
  EXPECT_FALSE(padded->element(0).has_dynamic_sizes());
  EXPECT_EQ(padded->element(1).data<int32_t>()[0], 2);
  const auto sliced = Call("SliceToDynamic", bounded, {padded->element(0), padded->element(1)});
  ASSERT_TRUE(sliced.ok()) << sliced.status();
  EXPECT_EQ(sliced->dynamic_size(0), 2);
  EXPECT_EQ(ErrorOf(Call("SliceToDynamic", bounded, {padded->element(0), Literal::Scalar<int32_t>(4)})),
            "custom-call.2: SliceToDynamic: size 4 of dimension 0 is not within f32[<=3]");
}

TEST(XlaCustomCalls, TopKFollowsItsComparator) {
  const Literal x = Literal::FromValues<float>({1, 4}, std::vector<float>{3, 9, -1, 9});
  const Shape shape = Shape::Tuple({Shape::Array(F32, {1, 2}), Shape::Array(S32, {1, 2})});
  EXPECT_THAT(Call("TopK", shape, {x})->element(1).span<int32_t>(), ElementsAre(1, 3));
  TestComputation less;
  auto* const a = less.Parameter(0, Shape::Scalar(F32));
  auto* const b = less.Parameter(1, Shape::Scalar(F32));
  less.Parameter(2, Shape::Scalar(S32));
  less.Parameter(3, Shape::Scalar(S32));
  less.Add(HloOpcode::kCompare, Shape::Scalar(PRED), {a, b})->mutable_attributes<CompareAttributes>().direction =
      ComparisonDirection::kLt;
  const auto smallest = Call("TopK", shape, {x}, "", {&less.computation()});
  ASSERT_TRUE(smallest.ok()) << smallest.status();
  EXPECT_THAT(smallest->element(0).span<float>(), ElementsAre(-1, 3));
}

TEST(XlaCustomCalls, GetRngSeed) { EXPECT_EQ(Call("GetRngSeed", Shape::Scalar(U64), {})->data<uint64_t>()[0], 42u); }

}  // namespace
}  // namespace xla
