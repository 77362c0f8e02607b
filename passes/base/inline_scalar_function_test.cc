#include "passes/base/inline_scalar_function.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/base/built_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

// A module with the computation `function` of this body, which nothing calls.
std::string WithFunction(const std::string& body) {
  return absl::StrCat("HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n",
                      "function {\n", body, "\n}\nENTRY e { ROOT zero = f32[] constant(0) }");
}

bool CanInline(const std::string& body) {
  const ParsedModule module(WithFunction(body));
  return CanInlineScalarFunction(module.Computation("function"));
}

TEST(InlineScalarFunction, CanInlineElementwiseOperationsOnScalars) {
  EXPECT_TRUE(CanInline("x = f32[] parameter(0) ROOT y = f32[] tanh(x)"));
  EXPECT_TRUE(CanInline("ROOT x = f32[] parameter(0)"));
  EXPECT_TRUE(CanInline("x = f32[] parameter(0) ROOT r = f32[] constant(2)"));
  EXPECT_TRUE(CanInline("x = f32[] parameter(0) c = f32[] constant(2) ROOT p = pred[] compare(x, c), direction=LT"));
  EXPECT_TRUE(CanInline("x = f32[] parameter(0) y = f32[] negate(x) ROOT t = (f32[], f32[]) tuple(y, x)"));
  EXPECT_TRUE(CanInline("x = f32[] parameter(0) b = s32[] bitcast-convert(x) ROOT r = s32[] reshape(b)"));
}

TEST(InlineScalarFunction, CannotInlineAnythingElse) {
  EXPECT_FALSE(CanInline("x = f32[4] parameter(0) ROOT y = f32[4] tanh(x)")) << "not a scalar";
  EXPECT_FALSE(CanInline("x = f32[] parameter(0) ROOT y = f32[] call(x, x), to_apply=add"));
  EXPECT_FALSE(CanInline("x = f32[] parameter(0) ROOT y = f32[] constant({...})")) << "without a value";
  EXPECT_FALSE(
      CanInline("x = f32[] parameter(0) b = f32[4] broadcast(x), dimensions={}\n"
                "z = f32[] constant(0) ROOT r = f32[] reduce(b, z), dimensions={0}, to_apply=add"));
  EXPECT_FALSE(
      CanInline("x = f32[] parameter(0) t = (f32[], f32[]) tuple(x, x)\n"
                "ROOT r = f32[] get-tuple-element(t), index=1"))
      << "a tuple inside";
  EXPECT_FALSE(CanInline("x = f32[] parameter(0) t = (f32[]) tuple(x) ROOT r = ((f32[]), f32[]) tuple(t, x)"));
  EXPECT_FALSE(
      CanInline("x = f32[] parameter(0) y = f32[] parameter(1) n = f32[] negate(y)\n"
                "ROOT r = f32[] tanh(x), control-predecessors={n}"))
      << "an order of effects";
  EXPECT_FALSE(CanInline("x = f32[4] parameter(0) ROOT r = f32[] constant(1)")) << "a parameter that is an array";
}

// f(a, b) = (a * 10 - b, a < 3 ? 1 : b as s8), whose parameters come in the other order.
constexpr char kTwoResults[] = R"(
  b = f32[] parameter(1)
  a = f32[] parameter(0)
  ten = f32[] constant(10)
  product = f32[] multiply(a, ten)
  difference = f32[] subtract(product, b)
  three = f32[] constant(3)
  small = pred[] compare(a, three), direction=LT
  one = f32[] constant(1)
  chosen = f32[] select(small, one, b)
  narrow = s8[] convert(chosen)
  ROOT t = (f32[], s8[]) tuple(difference, narrow)
)";

TEST(InlineScalarFunction, AppliesTheFunctionToEachElement) {
  const ParsedModule module(WithFunction(kTwoResults));
  const HloComputation& function = module.Computation("function");
  ASSERT_TRUE(CanInlineScalarFunction(function));
  BuiltModule m;
  HloInstruction* const a = m.build.Constant(Literal::FromValues<float>({2, 2}, {1, 2, 3, 4}));
  HloInstruction* const b = m.build.Constant(Literal::FromValues<float>({2, 2}, {5, 6, 7, 8}));
  const auto inlined = InlineScalarFunction(function, {a, b}, a->shape(), m.build);
  ASSERT_EQ(inlined.size(), 2u);
  EXPECT_TRUE(inlined[0]->shape().Compatible(Shape::Array(F32, {2, 2})));
  EXPECT_TRUE(inlined[1]->shape().Compatible(Shape::Array(S8, {2, 2})));
  const std::vector<Literal> values = m.Evaluate(inlined);
  EXPECT_THAT(values[0].span<float>(), ElementsAre(5, 14, 23, 32));
  EXPECT_THAT(values[1].span<int8_t>(), ElementsAre(1, 1, 7, 8));
}

TEST(InlineScalarFunction, BroadcastsConstantsThatAreResults) {
  const ParsedModule module(WithFunction("x = f32[] parameter(0) ROOT c = f32[] constant(2.5)"));
  BuiltModule m;
  HloInstruction* const x = m.build.Iota(Shape::Array(F32, {3}), 0);
  const auto inlined = InlineScalarFunction(module.Computation("function"), {x}, x->shape(), m.build);
  ASSERT_EQ(inlined.size(), 1u);
  EXPECT_THAT(m.ElementsOf<float>(inlined[0]), ElementsAre(2.5, 2.5, 2.5));
}

TEST(InlineScalarFunction, GivesTheArgumentThatIsTheResult) {
  const ParsedModule module(WithFunction(
      "x = f32[] parameter(0) y = f32[] parameter(1) c = f32[] copy(y) ROOT t = (f32[], f32[]) tuple(c, x)"));
  BuiltModule m;
  HloInstruction* const x = m.build.Iota(Shape::Array(F32, {3}), 0);
  HloInstruction* const y = m.build.Splat(x->shape(), 7);
  EXPECT_THAT(InlineScalarFunction(module.Computation("function"), {x, y}, x->shape(), m.build), ElementsAre(y, x));
}

TEST(InlineScalarFunction, KeepsAttributes) {
  const ParsedModule module(
      WithFunction("x = f32[] parameter(0) ROOT r = f32[] reduce-precision(x), exponent_bits=8, mantissa_bits=2"));
  BuiltModule m;
  HloInstruction* const x = m.build.Constant(Literal::Vector<float>({1.0f, 1.3f, 1.4f}));
  const auto inlined = InlineScalarFunction(module.Computation("function"), {x}, x->shape(), m.build);
  EXPECT_THAT(m.ElementsOf<float>(inlined[0]), ElementsAre(1, 1.25, 1.5));
}

TEST(InlineScalarFunction, WorksOnScalars) {
  const ParsedModule module(WithFunction("x = f32[] parameter(0) c = f32[] constant(4) ROOT r = f32[] add(x, c)"));
  BuiltModule m;
  HloInstruction* const x = m.build.Scalar(F32, 3);
  const auto inlined = InlineScalarFunction(module.Computation("function"), {x}, x->shape(), m.build);
  EXPECT_THAT(m.ElementsOf<float>(inlined[0]), ElementsAre(7));
}

}  // namespace
}  // namespace xla
