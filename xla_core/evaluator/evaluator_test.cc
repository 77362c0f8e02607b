// Programs on one device: control flow, who owns which value, limits, queues, random state.
#include "xla_core/evaluator/evaluator.h"

#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

// The value of a program that must run.
Literal ValueOf(absl::string_view text, std::vector<Literal> arguments = {}, const EvaluatorOptions& options = {}) {
  auto result = RunText(text, std::move(arguments), options);
  EXPECT_EQ(result.status(), absl::OkStatus());
  return result.ok() ? *std::move(result) : Literal::Token();
}

std::string ErrorOf(absl::string_view text, std::vector<Literal> arguments = {}, const EvaluatorOptions& options = {}) {
  return RunText(text, std::move(arguments), options).status().ToString();
}

template <typename T>
T ScalarIn(const Literal& literal) {
  return *literal.data<T>();
}

Literal FloatsUpTo(int64_t n) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  return Literal::FromValues<float>({n}, values);
}

class CountingSink : public ProfileSink {
 public:
  void OnInstruction(const HloInstruction& instruction, int64_t, absl::Time start, absl::Time end) override {
    EXPECT_LE(start, end);
    std::lock_guard<std::mutex> lock(mutex_);
    ++counts_[instruction.name()];
  }
  const std::map<std::string, int>& counts() const { return counts_; }

 private:
  std::mutex mutex_;
  std::map<std::string, int> counts_;
};

// ---- Calls

TEST(Evaluator, RunsCallsAndFusions) {
  const Literal result = ValueOf(R"(HloModule m
    double { p = s32[3] parameter(0)  ROOT r = s32[3] add(p, p) }
    fused { p = s32[3] parameter(0) q = s32[3] parameter(1) t = s32[3] call(p), to_apply=double
            ROOT r = s32[3] subtract(t, q) }
    ENTRY main { x = s32[3] parameter(0) c = s32[3] constant({1, 2, 3})
      ROOT f = s32[3] fusion(x, c), kind=kLoop, calls=fused })",
                                 {Literal::Vector<int32_t>({10, 20, 30})});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(19, 38, 57));
}

constexpr char kConditional[] = R"(HloModule m
  first { x = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(x, one) }
  second { x = s32[] parameter(0) one = s32[] constant(2) ROOT r = s32[] add(x, one) }
  third { x = s32[] parameter(0) one = s32[] constant(3) ROOT r = s32[] add(x, one) }
  ENTRY main { i = s32[] parameter(0) x = s32[] constant(10)
    ROOT r = s32[] conditional(i, x, x, x), branch_computations={first, second, third} })";

TEST(Evaluator, AConditionalTakesTheBranchOfItsIndex) {
  for (int32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ScalarIn<int32_t>(ValueOf(kConditional, {Literal::Scalar<int32_t>(i)})), 11 + i);
  }
}

TEST(Evaluator, AConditionalTakesTheLastBranchIfItsIndexIsOutOfRange) {
  for (int32_t i : {-1, 3, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(ScalarIn<int32_t>(ValueOf(kConditional, {Literal::Scalar<int32_t>(i)})), 13);
  }
}

TEST(Evaluator, AConditionalOnPredTakesTheFirstBranchIfTrue) {
  constexpr char kText[] = R"(HloModule m
    yes { x = s32[] parameter(0) ROOT r = s32[] negate(x) }
    no { y = f32[] parameter(0) ROOT r = s32[] convert(y) }
    ENTRY main { p = pred[] parameter(0) x = s32[] constant(10) y = f32[] constant(7)
      ROOT r = s32[] conditional(p, x, y), true_computation=yes, false_computation=no })";
  EXPECT_EQ(ScalarIn<int32_t>(ValueOf(kText, {Literal::Scalar<bool>(true)})), -10);
  EXPECT_EQ(ScalarIn<int32_t>(ValueOf(kText, {Literal::Scalar<bool>(false)})), 7);
}

TEST(Evaluator, RunsAsyncPairsWithUpdates) {
  const Literal result = ValueOf(R"(HloModule m
    wrapped { p = s32[2] parameter(0) q = s32[2] parameter(1) ROOT r = s32[2] multiply(p, q) }
    ENTRY main { x = s32[2] parameter(0) y = s32[2] constant({3, 4})
      start = ((s32[2], s32[2]), s32[2], s32[]) async-start(x, y), calls=wrapped
      update = ((s32[2], s32[2]), s32[2], s32[]) async-update(start)
      ROOT done = s32[2] async-done(update) })",
                                 {Literal::Vector<int32_t>({10, 20})});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(30, 80));
}

TEST(Evaluator, AnAsyncUpdateMayBindOperands) {
  const Literal result = ValueOf(R"(HloModule m
    wrapped { p = s32[2] parameter(0) q = s32[2] parameter(1) ROOT r = s32[2] subtract(p, q) }
    ENTRY main { x = s32[2] parameter(0) y = s32[2] constant({3, 4})
      start = ((s32[2]), s32[2], s32[]) async-start(x), calls=wrapped
      update = ((s32[2], s32[2]), s32[2], s32[]) async-update(start, y)
      ROOT done = s32[2] async-done(update) })",
                                 {Literal::Vector<int32_t>({10, 20})});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(7, 16));
}

TEST(Evaluator, AnAsyncDoneNeedsAllOperands) {
  EXPECT_EQ(ErrorOf(R"(HloModule m
    wrapped { p = s32[] parameter(0) q = s32[] parameter(1) ROOT r = s32[] subtract(p, q) }
    ENTRY main { x = s32[] constant(1)
      start = ((s32[]), s32[], s32[]) async-start(x), calls=wrapped
      ROOT done = s32[] async-done(start) })"),
            "INVALID_ARGUMENT: done: the async operation is finished before all its operands are bound");
}

TEST(Evaluator, CopiesAndBarriersPassValuesOn) {
  const Literal result = ValueOf(R"(HloModule m
    ENTRY main { x = s32[2] parameter(0)
      start = (s32[2], s32[2], u32[]) copy-start(x)
      done = s32[2] copy-done(start)
      t = (s32[2], s32[2]) tuple(done, x)
      b = (s32[2], s32[2]) opt-barrier(t)
      y = s32[2] get-tuple-element(b), index=1
      nested = (s32[2], (s32[2], s32[2])) tuple(y, b)
      inner = (s32[2], s32[2]) get-tuple-element(nested), index=1
      z = s32[2] get-tuple-element(inner), index=0
      ROOT r = s32[2] add(y, z) })",
                                 {Literal::Vector<int32_t>({10, 20})});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(20, 40));
}

TEST(Evaluator, AParameterOrAConstantMayBeTheRoot) {
  EXPECT_EQ(
      ScalarIn<int32_t>(ValueOf("HloModule m\nENTRY e { ROOT p = s32[] parameter(0) }", {Literal::Scalar<int32_t>(3)})),
      3);
  const auto module =
      ModuleFromText("HloModule m\nENTRY e { p = s32[] parameter(0) ROOT c = s32[5] constant({1,2,3,4,5}) }");
  const auto evaluator = Evaluator::Create(*module);
  ASSERT_TRUE(evaluator.ok());
  for (int run = 0; run < 2; ++run) {
    const auto result = (*evaluator)->RunOne({Literal::Scalar<int32_t>(3)});
    ASSERT_TRUE(result.ok());
    EXPECT_THAT(ValuesOf<int32_t>(*result), ElementsAre(1, 2, 3, 4, 5));
  }
}

TEST(Evaluator, UnusedInstructionsDoNotRun) {
  EXPECT_EQ(ScalarIn<int32_t>(ValueOf(R"(HloModule m
    ENTRY main { x = s32[] constant(1) missing = f32[100] constant({...}) y = f32[100] negate(missing)
      ROOT r = s32[] negate(x) })")),
            -1);
}

TEST(Evaluator, AConstantWithoutValueCannotBeUsed) {
  EXPECT_THAT(ErrorOf("HloModule m\nENTRY e { c = f32[100] constant({...}) ROOT r = f32[100] negate(c) }"),
              AllOf(HasSubstr("FAILED_PRECONDITION: c: the value of this constant was left out"),
                    HasSubstr("print the module with large constants")));
}

// ---- Loops

// Runs a loop the quick way and, because a profile is wanted, instruction by instruction: both must agree.
Literal ValueOfLoopBothWays(absl::string_view text, std::vector<Literal> arguments) {
  const auto module = ModuleFromText(text);
  CountingSink sink;
  EvaluatorOptions options;
  const auto quick = Evaluator::Create(*module, options);
  options.profile = &sink;
  const auto profiled = Evaluator::Create(*module, options);
  const auto a = (*quick)->RunOne(arguments);
  const auto b = (*profiled)->RunOne(arguments);
  EXPECT_EQ(a.status(), absl::OkStatus());
  EXPECT_EQ(b.status(), absl::OkStatus());
  if (!a.ok() || !b.ok()) return Literal::Token();
  EXPECT_TRUE(a->BitwiseEquals(*b));
  return *a;
}

TEST(Evaluator, ALoopOverScalarsMayReorderItsState) {
  // Fibonacci: (i, a, b) -> (i + 1, b, a + b)
  const Literal result = ValueOfLoopBothWays(R"(HloModule m
    cond { s = (s32[], s64[], s64[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(50) ROOT r = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s64[], s64[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      a = s64[] get-tuple-element(s), index=1  b = s64[] get-tuple-element(s), index=2
      one = s32[] constant(1) j = s32[] add(i, one) c = s64[] add(a, b)
      ROOT t = (s32[], s64[], s64[]) tuple(j, b, c) }
    ENTRY main { i = s32[] constant(0) a = s64[] parameter(0) b = s64[] constant(1)
      t = (s32[], s64[], s64[]) tuple(i, a, b)
      w = (s32[], s64[], s64[]) while(t), condition=cond, body=body
      ROOT r = s64[] get-tuple-element(w), index=1 })",
                                             {Literal::Scalar<int64_t>(0)});
  EXPECT_EQ(ScalarIn<int64_t>(result), 12586269025);
}

TEST(Evaluator, ALoopOverScalarsMayHoldTuplesCallsAndNarrowTypes) {
  const Literal result = ValueOfLoopBothWays(R"(HloModule m
    half { x = bf16[] parameter(0) h = bf16[] constant(0.5) ROOT r = bf16[] multiply(x, h) }
    step { p = (u4[], bf16[]) parameter(0) i = u4[] get-tuple-element(p), index=0
      x = bf16[] get-tuple-element(p), index=1 seven = u4[] constant(7) j = u4[] add(i, seven)
      y = bf16[] fusion(x), kind=kLoop, calls=half
      ROOT t = (u4[], bf16[]) tuple(j, y) }
    cond { s = ((u4[], bf16[]), pred[], c64[]) parameter(0) ROOT go = pred[] get-tuple-element(s), index=1 }
    body { s = ((u4[], bf16[]), pred[], c64[]) parameter(0)
      p = (u4[], bf16[]) get-tuple-element(s), index=0
      z = c64[] get-tuple-element(s), index=2
      q = (u4[], bf16[]) call(p), to_apply=step
      x = bf16[] get-tuple-element(q), index=1
      wide = f32[] convert(x) limit = f32[] constant(0.01)
      go = pred[] compare(wide, limit), direction=GT
      i = c64[] constant((0, 1)) y = c64[] multiply(z, i)
      ROOT t = ((u4[], bf16[]), pred[], c64[]) tuple(q, go, y) }
    ENTRY main { x = bf16[] constant(3.14) i = u4[] constant(1) yes = pred[] constant(true) z = c64[] constant((1, 2))
      p = (u4[], bf16[]) tuple(i, x)
      t = ((u4[], bf16[]), pred[], c64[]) tuple(p, yes, z)
      ROOT w = ((u4[], bf16[]), pred[], c64[]) while(t), condition=cond, body=body })",
                                             {});
  // Nine halvings, 3.14 rounded to bf16 being 3.140625; 1 + 9 * 7 mod 16 is 0; i^9 is i.
  EXPECT_EQ(ScalarIn<uint8_t>(result.element(0).element(0)), 0);
  EXPECT_FALSE(ScalarIn<bool>(result.element(1)));
  EXPECT_EQ(ScalarIn<complex64>(result.element(2)), complex64(-2, 1));
}

TEST(Evaluator, ALoopStateMayBeOneScalar) {
  const Literal result = ValueOfLoopBothWays(R"(HloModule m
    cond { x = s32[] parameter(0) n = s32[] constant(1000) ROOT r = pred[] compare(x, n), direction=LT }
    body { x = s32[] parameter(0) ROOT r = s32[] add(x, x) }
    ENTRY main { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=cond, body=body })",
                                             {Literal::Scalar<int32_t>(3)});
  EXPECT_EQ(ScalarIn<int32_t>(result), 1536);
}

TEST(Evaluator, ALoopMayNotRunAtAll) {
  const Literal result = ValueOfLoopBothWays(R"(HloModule m
    cond { x = pred[] parameter(0) ROOT r = pred[] copy(x) }
    body { x = pred[] parameter(0) ROOT r = pred[] not(x) }
    ENTRY main { x = pred[] parameter(0) ROOT w = pred[] while(x), condition=cond, body=body })",
                                             {Literal::Scalar<bool>(false)});
  EXPECT_FALSE(ScalarIn<bool>(result));
}

TEST(Evaluator, AConditionMayGiveItsParameterOrAConstant) {
  EXPECT_FALSE(ScalarIn<bool>(ValueOfLoopBothWays(R"(HloModule m
    cond { ROOT x = pred[] parameter(0) }
    body { x = pred[] parameter(0) ROOT r = pred[] not(x) }
    ENTRY main { x = pred[] parameter(0) ROOT w = pred[] while(x), condition=cond, body=body })",
                                                  {Literal::Scalar<bool>(true)})));
  EXPECT_TRUE(ScalarIn<bool>(ValueOfLoopBothWays(R"(HloModule m
    cond { x = pred[] parameter(0) ROOT no = pred[] constant(false) }
    body { x = pred[] parameter(0) ROOT r = pred[] not(x) }
    ENTRY main { x = pred[] parameter(0) ROOT w = pred[] while(x), condition=cond, body=body })",
                                                 {Literal::Scalar<bool>(true)})));
}

TEST(Evaluator, LoopsNest) {
  const Literal result = ValueOfLoopBothWays(R"(HloModule m
    inner_cond { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(4) ROOT r = pred[] compare(i, n), direction=LT }
    inner_body { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1)
      j = s32[] add(i, one) y = s32[] add(x, one) ROOT t = (s32[], s32[]) tuple(j, y) }
    cond { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) zero = s32[] constant(0)
      start = (s32[], s32[]) tuple(zero, x)
      w = (s32[], s32[]) while(start), condition=inner_cond, body=inner_body
      y = s32[] get-tuple-element(w), index=1
      j = s32[] add(i, one) ROOT t = (s32[], s32[]) tuple(j, y) }
    ENTRY main { x = s32[] parameter(0) zero = s32[] constant(0) t = (s32[], s32[]) tuple(zero, x)
      ROOT w = (s32[], s32[]) while(t), condition=cond, body=body })",
                                             {Literal::Scalar<int32_t>(100)});
  EXPECT_EQ(ScalarIn<int32_t>(result.element(1)), 112);
}

// ---- Who owns which value

// dynamic-update-slice and elementwise operations write into an operand that is theirs alone. The arrays below are
// large enough for both to do so.
constexpr int64_t kLarge = 4096;

TEST(Evaluator, AnUpdateLeavesAnOperandThatIsUsedLaterAlone) {
  const Literal argument = FloatsUpTo(kLarge);
  const Literal result = ValueOf(R"(HloModule m
    ENTRY main { x = f32[4096] parameter(0) u = f32[2] constant({-1, -2}) i = s32[] constant(1)
      y = f32[4096] dynamic-update-slice(x, u, i)
      z = f32[4096] negate(y)
      ROOT t = (f32[4096], f32[4096], f32[4096]) tuple(x, y, z) })",
                                 {argument});
  EXPECT_TRUE(result.element(0).BitwiseEquals(FloatsUpTo(kLarge)));
  EXPECT_EQ(result.element(1).data<float>()[1], -1);
  EXPECT_EQ(result.element(1).data<float>()[3], 3);
  EXPECT_EQ(result.element(2).data<float>()[1], 1);
  EXPECT_EQ(result.element(2).data<float>()[3], -3);
}

TEST(Evaluator, AnUpdateLeavesTheCallersArgumentAlone) {
  const Literal argument = FloatsUpTo(kLarge);
  const Literal result = ValueOf(R"(HloModule m
    ENTRY main { x = f32[4096] parameter(0) u = f32[2] constant({-1, -2}) i = s32[] constant(1)
      y = f32[4096] dynamic-update-slice(x, u, i)
      ROOT r = f32[4096] negate(y) })",
                                 {argument});
  EXPECT_EQ(result.data<float>()[2], 2);
  EXPECT_TRUE(argument.BitwiseEquals(FloatsUpTo(kLarge)));
}

TEST(Evaluator, AnUpdateLeavesConstantsAlone) {
  const auto module = ModuleFromText(R"(HloModule m
    ENTRY main { x = s32[8] constant({1, 2, 3, 4, 5, 6, 7, 8}) u = s32[1] parameter(0) i = s32[] constant(0)
      y = s32[8] dynamic-update-slice(x, u, i)
      ROOT r = s32[8] add(y, y) })");
  const auto evaluator = Evaluator::Create(*module);
  ASSERT_TRUE(evaluator.ok());
  for (int32_t value : {50, 60}) {
    const auto result = (*evaluator)->RunOne({Literal::Vector<int32_t>({value})});
    ASSERT_TRUE(result.ok());
    EXPECT_THAT(ValuesOf<int32_t>(*result), ElementsAre(2 * value, 4, 6, 8, 10, 12, 14, 16));
  }
}

TEST(Evaluator, AnUpdateLeavesTheOtherUsesOfAnArgumentAlone) {
  // The callee gets one array twice and changes one of them.
  const Literal result = ValueOf(R"(HloModule m
    f { a = s32[8] parameter(0) b = s32[8] parameter(1) u = s32[1] constant({-1}) i = s32[] constant(0)
      c = s32[8] dynamic-update-slice(a, u, i)
      ROOT t = (s32[8], s32[8]) tuple(c, b) }
    ENTRY main { x = s32[8] iota(), iota_dimension=0
      p = (s32[8], s32[8]) call(x, x), to_apply=f
      c = s32[8] get-tuple-element(p), index=0
      b = s32[8] get-tuple-element(p), index=1
      twice = (s32[8], s32[8]) tuple(b, b)
      d = s32[8] get-tuple-element(twice), index=0
      u = s32[1] constant({-5}) i = s32[] constant(7)
      e = s32[8] dynamic-update-slice(d, u, i)
      f = s32[8] get-tuple-element(twice), index=1
      ROOT r = (s32[8], s32[8], s32[8], s32[8]) tuple(c, b, e, f) })");
  EXPECT_THAT(ValuesOf<int32_t>(result.element(0)), ElementsAre(-1, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ValuesOf<int32_t>(result.element(1)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(ValuesOf<int32_t>(result.element(2)), ElementsAre(0, 1, 2, 3, 4, 5, 6, -5));
  EXPECT_THAT(ValuesOf<int32_t>(result.element(3)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Evaluator, ABranchLeavesAnOperandThatIsUsedLaterAlone) {
  const Literal result = ValueOf(R"(HloModule m
    f { a = s32[8] parameter(0) u = s32[1] constant({-1}) i = s32[] constant(0)
      ROOT c = s32[8] dynamic-update-slice(a, u, i) }
    ENTRY main { p = pred[] parameter(0) x = s32[8] iota(), iota_dimension=0
      c = s32[8] conditional(p, x, x), true_computation=f, false_computation=f
      ROOT r = s32[8] subtract(c, x) })",
                                 {Literal::Scalar<bool>(false)});
  EXPECT_THAT(ValuesOf<int32_t>(result), ElementsAre(-1, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Evaluator, ALoopKeepsTheOldStateThatItStillUses) {
  // (i, x, previous) -> (i + 1, x with x[i] = -1, x)
  const Literal result = ValueOf(R"(HloModule m
    cond { s = (s32[], s32[4], s32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s32[4], s32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = s32[4] get-tuple-element(s), index=1 u = s32[1] constant({-1}) one = s32[] constant(1)
      j = s32[] add(i, one) y = s32[4] dynamic-update-slice(x, u, i)
      ROOT t = (s32[], s32[4], s32[4]) tuple(j, y, x) }
    ENTRY main { i = s32[] constant(0) x = s32[4] constant({5, 6, 7, 8})
      t = (s32[], s32[4], s32[4]) tuple(i, x, x)
      w = (s32[], s32[4], s32[4]) while(t), condition=cond, body=body
      ROOT r = (s32[4], (s32[], s32[4], s32[4])) tuple(x, w) })");
  EXPECT_THAT(ValuesOf<int32_t>(result.element(0)), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(ValuesOf<int32_t>(result.element(1).element(1)), ElementsAre(-1, -1, -1, 8));
  EXPECT_THAT(ValuesOf<int32_t>(result.element(1).element(2)), ElementsAre(-1, -1, 7, 8));
}

TEST(Evaluator, ALoopUpdatesItsStateInPlace) {
  // Element 2 of the state is read after the update, so that the state must have been taken apart before.
  const auto module = ModuleFromText(R"(HloModule m
    cond { s = (s32[], f32[250000], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant(1000) ROOT r = pred[] compare(i, n), direction=LT }
    body { s = (s32[], f32[250000], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = f32[250000] get-tuple-element(s), index=1 u = f32[1] constant({1}) one = s32[] constant(1)
      y = f32[250000] dynamic-update-slice(x, u, i)
      z = f32[] get-tuple-element(s), index=2
      j = s32[] add(i, one)
      ROOT t = (s32[], f32[250000], f32[]) tuple(j, y, z) }
    ENTRY main { i = s32[] constant(0) z = f32[] constant(0) x = f32[250000] broadcast(z), dimensions={}
      t = (s32[], f32[250000], f32[]) tuple(i, x, z)
      w = (s32[], f32[250000], f32[]) while(t), condition=cond, body=body
      ROOT r = f32[250000] get-tuple-element(w), index=1 })");
  const auto evaluator = Evaluator::Create(*module);
  ASSERT_TRUE(evaluator.ok());
  const auto result = (*evaluator)->RunOne({});
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->data<float>()[999], 1);
  EXPECT_EQ(result->data<float>()[1000], 0);
  EXPECT_LT((*evaluator)->peak_memory_bytes(), 1100000);  // one array
}

TEST(Evaluator, DeadValuesAreFreed) {
  std::string text = "HloModule m\nENTRY main {\n  x0 = f32[250000] parameter(0)\n";
  for (int i = 1; i <= 50; ++i) {
    absl::StrAppend(&text, "  t", i, " = f32[500,500] reshape(x", i - 1, ")\n  turned", i,
                    " = f32[500,500] transpose(t", i, "), dimensions={1,0}\n  x", i, " = f32[250000] reshape(turned", i,
                    ")\n");
  }
  text += "  ROOT r = f32[250000] negate(x50)\n}\n";
  const auto module = ModuleFromText(text);
  const auto evaluator = Evaluator::Create(*module);
  ASSERT_TRUE(evaluator.ok());
  const auto result = (*evaluator)->RunOne({FloatsUpTo(250000)});
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->data<float>()[12345], -12345);
  EXPECT_LT((*evaluator)->peak_memory_bytes(), 2100000);  // operand and result of one transpose
}

// ---- Limits

// Never ends.
constexpr char kEndless[] = R"(HloModule m
  cond { s = (s32[], f32[2]) parameter(0) ROOT yes = pred[] constant(true) }
  body { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
    x = f32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
    y = f32[2] negate(x) ROOT t = (s32[], f32[2]) tuple(j, y) }
  ENTRY main { i = s32[] constant(0) x = f32[2] constant({1, 2}) t = (s32[], f32[2]) tuple(i, x)
    ROOT w = (s32[], f32[2]) while(t), condition=cond, body=body })";
// Neither does this, and it is over scalars.
constexpr char kEndlessScalars[] = R"(HloModule m
  cond { i = s32[] parameter(0) ROOT yes = pred[] constant(true) }
  body { i = s32[] parameter(0) one = s32[] constant(1) ROOT j = s32[] add(i, one) }
  ENTRY main { i = s32[] constant(0) ROOT w = s32[] while(i), condition=cond, body=body })";
// Nor this, without a single instruction in its loop.
constexpr char kEndlessNothing[] = R"(HloModule m
  cond { i = s32[3] parameter(0) ROOT yes = pred[] constant(true) }
  body { ROOT i = s32[3] parameter(0) }
  ENTRY main { i = s32[3] constant({1, 2, 3}) ROOT w = s32[3] while(i), condition=cond, body=body })";

TEST(Evaluator, StopsAtTheStepLimit) {
  EvaluatorOptions options;
  options.max_steps = 10000;
  for (const char* text : {kEndless, kEndlessScalars, kEndlessNothing}) {
    EXPECT_THAT(ErrorOf(text, {}, options), AllOf(HasSubstr("RESOURCE_EXHAUSTED: w: "),
                                                  HasSubstr("step limit reached: the program has run 10000")));
  }
}

TEST(Evaluator, TheStepLimitLetsALoopRunThatStaysWithin) {
  // Each iteration takes two steps, the loop itself one.
  constexpr char kText[] = R"(HloModule m
    cond { x = s32[] parameter(0) n = s32[] constant(10000) ROOT r = pred[] compare(x, n), direction=LT }
    body { x = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(x, one) }
    ENTRY main { x = s32[] constant(0) ROOT w = s32[] while(x), condition=cond, body=body })";
  EvaluatorOptions options;
  options.max_steps = 20001;
  EXPECT_EQ(ScalarIn<int32_t>(ValueOf(kText, {}, options)), 10000);
  options.max_steps = 19999;
  EXPECT_THAT(ErrorOf(kText, {}, options), HasSubstr("step limit reached"));
}

TEST(Evaluator, StopsAtTheTimeLimit) {
  EvaluatorOptions options;
  options.timeout = absl::Milliseconds(100);
  for (const char* text : {kEndless, kEndlessScalars, kEndlessNothing}) {
    const absl::Time start = absl::Now();
    EXPECT_EQ(ErrorOf(text, {}, options),
              "DEADLINE_EXCEEDED: the time limit of 100ms passed while running the program");
    EXPECT_LT(absl::Now() - start, absl::Seconds(5));
  }
}

TEST(Evaluator, StopsWhenCancelled) {
  for (const char* text : {kEndless, kEndlessScalars, kEndlessNothing}) {
    const auto cancellation = std::make_shared<Cancellation>();
    ResourceLimits limits;
    limits.cancellation = cancellation;
    const ResourceContext resources(limits, "running an example");
    EvaluatorOptions options;
    options.resources = &resources;
    std::thread canceller([&] {
      absl::SleepFor(absl::Milliseconds(50));
      cancellation->Cancel();
    });
    EXPECT_EQ(ErrorOf(text, {}, options), "CANCELLED: cancelled while running an example");
    canceller.join();
  }
}

TEST(Evaluator, StopsAtTheMemoryLimit) {
  constexpr char kText[] = R"(HloModule m
    ENTRY main { z = f32[] constant(0) x = f32[1000,1000] broadcast(z), dimensions={}
      y = f32[1000,1000] transpose(x), dimensions={1,0} ROOT t = (f32[1000,1000], f32[1000,1000]) tuple(x, y) })";
  EvaluatorOptions options;
  options.max_memory_bytes = 6000000;
  constexpr char kError[] =
      "RESOURCE_EXHAUSTED: y: memory limit reached: 4000000 bytes more than the 4000000 in use would pass the limit of "
      "6000000 bytes; raise the memory limit or make the program smaller (while ";
  EXPECT_EQ(ErrorOf(kText, {}, options), absl::StrCat(kError, "running the program)"));
  const ResourceContext resources(ResourceLimits(), "folding");
  options.resources = &resources;
  EXPECT_EQ(ErrorOf(kText, {}, options), absl::StrCat(kError, "folding)"));
  options.max_memory_bytes = 8100000;
  EXPECT_EQ(ErrorOf(kText, {}, options), "OK");
}

TEST(Evaluator, CountsScratchMemory) {
  const auto error_with = [](absl::string_view text, int64_t max_memory_bytes) {
    EvaluatorOptions options;
    options.max_memory_bytes = max_memory_bytes;
    return ErrorOf(text, {}, options);
  };
  // Pieces of the operands and of the result in f64, 128 x 128 elements each.
  constexpr char kDot[] = R"(HloModule m
    ENTRY main { z = f32[] constant(1) x = f32[128,128] broadcast(z), dimensions={}
      ROOT y = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} })";
  EXPECT_THAT(error_with(kDot, 400'000), HasSubstr("RESOURCE_EXHAUSTED: y: memory limit reached"));
  EXPECT_EQ(error_with(kDot, 600'000), "OK");
  // For each element a key, a key with a position, and positions before and after: 32 bytes.
  constexpr char kSort[] = R"(HloModule m
    lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY main { x = s32[20000] iota(), iota_dimension=0
      ROOT y = s32[20000] sort(x), dimensions={0}, to_apply=lt })";
  EXPECT_THAT(error_with(kSort, 700'000), HasSubstr("RESOURCE_EXHAUSTED: y: memory limit reached"));
  EXPECT_EQ(error_with(kSort, 900'000), "OK");
  // A key, and a key with a position: 24 bytes.
  constexpr char kTopK[] = R"(HloModule m
    ENTRY main { x = f32[20000] iota(), iota_dimension=0 ROOT y = (f32[1], s32[1]) topk(x), k=1, largest=true })";
  EXPECT_THAT(error_with(kTopK, 500'000), HasSubstr("RESOURCE_EXHAUSTED: y: memory limit reached"));
  EXPECT_EQ(error_with(kTopK, 600'000), "OK");
}

TEST(Evaluator, CallsThatNestTooDeepAreAnError) {
  const auto chain = [](int depth) {
    std::string text = "HloModule m\nchain0 { x = s32[] parameter(0) ROOT r = s32[] negate(x) }\n";
    for (int i = 1; i < depth; ++i) {
      absl::StrAppend(&text, "chain", i, " { x = s32[] parameter(0) ROOT r = s32[] call(x), to_apply=chain", i - 1,
                      " }\n");
    }
    absl::StrAppend(&text, "ENTRY main { x = s32[] constant(7) ROOT r = s32[] call(x), to_apply=chain", depth - 1,
                    " }\n");
    return text;
  };
  EXPECT_EQ(ScalarIn<int32_t>(ValueOf(chain(1500))), -7);
  EXPECT_THAT(ErrorOf(chain(100000)), AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("calls nest deeper than")));
}

// ---- Arguments, profile, progress

TEST(Evaluator, ArgumentsMustFit) {
  constexpr char kText[] = "HloModule m\nENTRY e { x = s32[2] parameter(0) ROOT r = s32[2] negate(x) }";
  EXPECT_EQ(ErrorOf(kText), "INVALID_ARGUMENT: the program has 1 parameters, found 0 arguments");
  EXPECT_EQ(ErrorOf(kText, {Literal::Vector<int32_t>({1, 2, 3})}),
            "INVALID_ARGUMENT: argument 0 has shape s32[3], expected s32[2] of parameter x");
}

TEST(Evaluator, TheNumberOfDevicesMustBeSensible) {
  const auto module = ModuleFromText("HloModule m\nENTRY e { ROOT c = s32[] constant(1) }");
  for (int64_t count : {int64_t{0}, int64_t{-1}, int64_t{5000}, INT64_MAX}) {
    EvaluatorOptions options;
    options.replica_count = count;
    options.partition_count = 2;
    EXPECT_EQ(Evaluator::Create(*module, options).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Evaluator, TheProfileHasEveryInstruction) {
  CountingSink sink;
  EvaluatorOptions options;
  options.profile = &sink;
  ValueOf(R"(HloModule m
    cond { x = s32[] parameter(0) n = s32[] constant(3) ROOT less = pred[] compare(x, n), direction=LT }
    body { y = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(y, one) }
    ENTRY main { i = s32[] constant(0) loop = s32[] while(i), condition=cond, body=body ROOT r = s32[] negate(loop) })",
          {}, options);
  EXPECT_EQ(sink.counts(), (std::map<std::string, int>{{"less", 4}, {"next", 3}, {"loop", 1}, {"r", 1}}));
}

TEST(Evaluator, ReportsProgressOfTheEntryComputation) {
  std::vector<std::pair<int64_t, int64_t>> reports;
  EvaluatorOptions options;
  options.progress = [&](int64_t done, int64_t total) { reports.emplace_back(done, total); };
  ValueOf(R"(HloModule m
    f { p = s32[2] parameter(0) ROOT r = s32[2] negate(p) }
    ENTRY main { x = s32[2] constant({1, 2}) y = s32[2] call(x), to_apply=f ROOT z = s32[2] add(y, y) })",
          {}, options);
  EXPECT_EQ(reports, (std::vector<std::pair<int64_t, int64_t>>{{1, 2}, {2, 2}}));
}

// ---- The same bits every time

TEST(Evaluator, ResultsDoNotDependOnTheNumberOfThreads) {
  constexpr char kText[] = R"(HloModule m
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
    ENTRY main { x = f32[300,700] parameter(0)
      e = f32[300,700] sine(x)
      d = f32[300,300] dot(e, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      z = f32[] constant(0)
      s = f32[] reduce(e, z), dimensions={0,1}, to_apply=add
      c = f32[700] reduce(e, z), dimensions={0}, to_apply=add
      w = f32[300,700] reduce-window(x, z), window={size=3x5 pad=1_1x2_2}, to_apply=add
      ROOT t = (f32[300,700], f32[300,300], f32[], f32[700], f32[300,700]) tuple(e, d, s, c, w) })";
  std::vector<float> values(300 * 700);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 7919) % 10007) * 0.37f - 1000;
  const Literal argument = Literal::FromValues<float>({300, 700}, values);
  EvaluatorOptions options;
  const Literal one = ValueOf(kText, {argument}, options);
  options.threads = 4;
  EXPECT_TRUE(one.BitwiseEquals(ValueOf(kText, {argument}, options)));
}

constexpr char kRandom[] = R"(HloModule m
  ENTRY main { lo = f32[] constant(0) hi = f32[] constant(1)
    ROOT r = f32[8] rng(lo, hi), distribution=rng_uniform })";

TEST(Evaluator, RandomNumbersFollowFromTheSeed) {
  const auto module = ModuleFromText(kRandom);
  EvaluatorOptions options;
  options.seed = 1;
  const auto evaluator = Evaluator::Create(*module, options);
  ASSERT_TRUE(evaluator.ok());
  const auto first = (*evaluator)->RunOne({});
  const auto again = (*evaluator)->RunOne({});
  ASSERT_EQ(first.status(), absl::OkStatus());
  EXPECT_TRUE(first->BitwiseEquals(*again));
  EXPECT_TRUE(first->BitwiseEquals(ValueOf(kRandom, {}, options)));
  options.seed = 2;
  EXPECT_FALSE(first->BitwiseEquals(ValueOf(kRandom, {}, options)));
}

TEST(Evaluator, EachDeviceHasItsOwnRandomNumbers) {
  const auto results = RunTextOnDevices(kRandom, 2, 1);
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_FALSE((*results)[0].BitwiseEquals((*results)[1]));
}

// ---- Queues

TEST(Evaluator, FeedsComeAndGoInOrder) {
  FeedQueues queues;
  queues.infeed.resize(1);
  for (int32_t i = 1; i <= 3; ++i) queues.infeed[0].push_back(Literal::Vector<int32_t>({i, 10 * i}));
  const auto results = RunTextOnDevices(R"(HloModule m
    cond { i = s32[] parameter(0) n = s32[] constant(3) ROOT r = pred[] compare(i, n), direction=LT }
    body { i = s32[] parameter(0) one = s32[] constant(1) tok = token[] after-all()
      in = (s32[2], token[]) infeed(tok)
      x = s32[2] get-tuple-element(in), index=0
      after = token[] get-tuple-element(in), index=1
      y = s32[2] negate(x)
      out = token[] outfeed(y, after), outfeed_shape=s32[2]
      ROOT j = s32[] add(i, one) }
    ENTRY main { i = s32[] constant(0) ROOT w = s32[] while(i), condition=cond, body=body })",
                                        1, 1, {}, &queues);
  ASSERT_EQ(results.status(), absl::OkStatus());
  ASSERT_EQ(queues.outfeed.size(), 1u);
  ASSERT_EQ(queues.outfeed[0].size(), 3u);
  EXPECT_THAT(ValuesOf<int32_t>(queues.outfeed[0][0]), ElementsAre(-1, -10));
  EXPECT_THAT(ValuesOf<int32_t>(queues.outfeed[0][2]), ElementsAre(-3, -30));
}

constexpr char kInfeed[] = R"(HloModule m
  ENTRY main { tok = token[] after-all() in = (s32[2], token[]) infeed(tok)
    ROOT x = s32[2] get-tuple-element(in), index=0 })";

TEST(Evaluator, AnEmptyInfeedQueueIsAnError) {
  FeedQueues queues;
  queues.infeed.resize(1);
  for (FeedQueues* given : {&queues, static_cast<FeedQueues*>(nullptr)}) {
    EXPECT_EQ(RunTextOnDevices(kInfeed, 1, 1, {}, given).status().ToString(),
              "FAILED_PRECONDITION: in: needs value 1 of device 0's infeed queue, which was given 0; expected s32[2]");
  }
}

TEST(Evaluator, AnInfeedValueMustHaveItsShape) {
  FeedQueues queues;
  queues.infeed = {{Literal::Vector<float>({1, 2})}};
  EXPECT_EQ(RunTextOnDevices(kInfeed, 1, 1, {}, &queues).status().ToString(),
            "INVALID_ARGUMENT: in: value 1 of the infeed queue has shape f32[2], expected s32[2]");
}

TEST(Evaluator, EffectsInUnusedCallsTakePlace) {
  FeedQueues queues;
  const auto results = RunTextOnDevices(R"(HloModule m
    inner { x = s32[] parameter(0) tok = token[] after-all() out = token[] outfeed(x, tok), outfeed_shape=s32[]
      ROOT r = s32[] negate(x) }
    f { x = s32[] parameter(0) ROOT r = s32[] call(x), to_apply=inner }
    ENTRY main { c = s32[] constant(7) unused = s32[] call(c), to_apply=f ROOT r = s32[] constant(1) })",
                                        1, 1, {}, &queues);
  ASSERT_EQ(results.status(), absl::OkStatus());
  ASSERT_EQ(queues.outfeed[0].size(), 1u);
  EXPECT_EQ(ScalarIn<int32_t>(queues.outfeed[0][0]), 7);
}

TEST(Evaluator, HostTransfersUseTheQueues) {
  FeedQueues queues;
  queues.infeed = {{Literal::Scalar<int32_t>(5)}};
  const auto results = RunTextOnDevices(R"(HloModule m
    ENTRY main { x = s32[] constant(3) tok = token[] after-all()
      send = (s32[], u32[], token[]) send(x, tok), channel_id=1, is_host_transfer=true
      sent = token[] send-done(send), channel_id=1, is_host_transfer=true
      recv = (s32[], u32[], token[]) recv(sent), channel_id=2, is_host_transfer=true
      done = (s32[], token[]) recv-done(recv), channel_id=2, is_host_transfer=true
      ROOT y = s32[] get-tuple-element(done), index=0 })",
                                        1, 1, {}, &queues);
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_EQ(ScalarIn<int32_t>((*results)[0]), 5);
  ASSERT_EQ(queues.outfeed[0].size(), 1u);
  EXPECT_EQ(ScalarIn<int32_t>(queues.outfeed[0][0]), 3);
}

// ---- Errors

TEST(Evaluator, AnErrorNamesTheInstruction) {
  FeedQueues queues;
  EXPECT_EQ(RunTextOnDevices(R"(HloModule m
    f { x = s32[2] parameter(0) tok = token[] after-all() in = (s32[2], token[]) infeed(tok)
      ROOT r = s32[2] get-tuple-element(in), index=0 }
    ENTRY main { x = s32[2] constant({1, 2}) ROOT c = s32[2] call(x), to_apply=f })",
                             1, 1, {}, &queues)
                .status()
                .ToString(),
            "FAILED_PRECONDITION: c: in: needs value 1 of device 0's infeed queue, which was given 0; expected s32[2]");
}

// Planning them once took minutes.
TEST(EvaluatorTest, HundredsOfThousandsOfOperands) {
  constexpr int kCount = 300000;
  const auto program = [](const std::string& shape, const std::string& opcode, const std::string& attributes) {
    std::string text = "HloModule m\nENTRY e {\n p = f32[1] parameter(0)\n n = f32[1] negate(p)\n";
    absl::StrAppend(&text, " ROOT r = ", shape, " ", opcode, "(n");
    for (int i = 1; i < kCount; ++i) absl::StrAppend(&text, ", p");
    return absl::StrCat(text, ")", attributes, "\n}\n");
  };
  const auto arguments = [] {
    std::vector<Literal> one;
    one.push_back(Literal::FromValues<float>({1}, {2}));
    return one;
  };
  std::string shape = "(f32[1]";
  for (int i = 1; i < kCount; ++i) absl::StrAppend(&shape, ", f32[1]");
  const absl::Time start = absl::Now();
  const Literal tuple = ValueOf(program(absl::StrCat(shape, ")"), "tuple", ""), arguments());
  ASSERT_EQ(tuple.tuple_size(), kCount);
  EXPECT_EQ(ScalarIn<float>(tuple.element(0)), -2);
  EXPECT_EQ(ScalarIn<float>(tuple.element(kCount - 1)), 2);
  const Literal joined =
      ValueOf(program(absl::StrCat("f32[", kCount, "]"), "concatenate", ", dimensions={0}"), arguments());
  EXPECT_EQ(joined.data<float>()[0], -2);
  EXPECT_EQ(joined.data<float>()[kCount - 1], 2);
  EXPECT_LT(absl::Now() - start, absl::Seconds(60));
}

}  // namespace
}  // namespace xla
