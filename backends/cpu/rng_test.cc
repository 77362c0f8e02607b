// Random numbers are those of the interpreter, drawn in its order, on any number of threads.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"

namespace xla {
namespace {

using ::testing::IsEmpty;

void Check(const std::string& text, std::vector<Literal> arguments = {}) {
  SCOPED_TRACE(text);
  for (const int threads : {1, 2, 8}) {
    ClientOptions client_options;
    client_options.threads = threads;
    const auto client = OrDie(GetClient(kBackend, client_options));
    const auto program = CompileText(*client, text);
    EXPECT_THAT(program->report().fallbacks, IsEmpty());
    for (const uint64_t seed : {0, 17}) {
      EvaluatorOptions evaluator_options;
      evaluator_options.seed = seed;
      ExecuteOptions options;
      options.seed = seed;
      const Literal expected = OrDie(RunText(text, arguments, evaluator_options));
      ExpectSame(OrDie(ExecuteOnLiterals(*program, arguments, options)), expected, Alike::kBits,
                 absl::StrCat(threads, " threads, seed ", seed, ": result "));
    }
  }
}

std::string Numbers(const std::string& type, const std::string& from, const std::string& to,
                    const std::string& distribution) {
  // Two uses, of an odd number of elements, and so many that threads share them.
  return absl::StrCat("HloModule m\nENTRY e { a = ", type, "[] constant(", from, ") b = ", type, "[] constant(", to,
                      ") x = ", type, "[3,5] rng(a, b), distribution=", distribution, " y = ", type,
                      "[30001] rng(a, b), distribution=", distribution, " ROOT t = (", type, "[3,5], ", type,
                      "[30001]) tuple(x, y) }");
}

TEST(Rng, OfEveryType) {
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e4m3fn", "f8e5m2"}) {
    Check(Numbers(type, "-1.5", "2", "rng_uniform"));
    Check(Numbers(type, "1", "0.5", "rng_normal"));
    Check(Numbers(type, "2", "1", "rng_uniform"));
  }
  for (const char* type : {"s64", "s32", "s16", "s8", "u64", "u32", "u16", "u8", "s4", "u4"}) {
    Check(Numbers(type, "1", "6", "rng_uniform"));
    Check(Numbers(type, "6", "6", "rng_uniform"));
  }
  Check(Numbers("s32", "-100", "100", "rng_uniform"));
  Check(Numbers("pred", "false", "true", "rng_uniform"));
  Check(Numbers("pred", "true", "true", "rng_uniform"));
}

TEST(Rng, ScalarsEmptyArraysAndLayouts) {
  Check(R"(HloModule m
ENTRY e { a = f32[] constant(0) b = f32[] constant(1)
  s = f32[] rng(a, b), distribution=rng_uniform
  n = f32[0,3] rng(a, b), distribution=rng_uniform
  c = f32[7,5]{0,1} rng(a, s), distribution=rng_normal
  d = f32[7,5] rng(s, b), distribution=rng_uniform
  ROOT t = (f32[], f32[0,3], f32[7,5]{0,1}, f32[7,5]) tuple(s, n, c, d) })");
}

// The limits are computed, and where they lie nothing else may be drawn too early.
TEST(Rng, FromComputedLimits) {
  Check(R"(HloModule m
ENTRY e { a = f32[] parameter(0) b = f32[] exponential(a) m = f32[] negate(b)
  x = f32[100] rng(m, b), distribution=rng_uniform
  z = f32[] rng(m, b), distribution=rng_uniform
  y = f32[100] rng(z, b), distribution=rng_normal
  ROOT r = f32[100] add(x, y) })",
        {Literal::Scalar<float>(0.5f)});
}

TEST(Rng, InLoopsBranchesAndCalls) {
  Check(R"(HloModule m
draw { a = f32[] parameter(0) b = f32[] parameter(1) x = f32[33] rng(a, b), distribution=rng_uniform
  s = u64[2] rng-get-and-update-state(), delta=5 ROOT t = (f32[33], u64[2]) tuple(x, s) }
normal { t = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(t), index=0 b = f32[] get-tuple-element(t), index=1
  ROOT x = f32[33] rng(a, b), distribution=rng_normal }
uniform { t = (f32[], f32[]) parameter(0) a = f32[] get-tuple-element(t), index=0 b = f32[] get-tuple-element(t), index=1
  x = f32[33] rng(a, b), distribution=rng_uniform y = f32[33] rng(a, b), distribution=rng_uniform
  ROOT r = f32[33] subtract(x, y) }
body { p = (s32[], f32[33], u64[2]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[33] get-tuple-element(p), index=1 u = u64[2] get-tuple-element(p), index=2
  a = f32[] constant(-1) b = f32[] constant(3)
  c = (f32[33], u64[2]) call(a, b), to_apply=draw d = f32[33] get-tuple-element(c), index=0
  s = u64[2] get-tuple-element(c), index=1
  ab = (f32[], f32[]) tuple(a, b) odd = s32[] and(i, s32[] constant(1))
  e = f32[33] conditional(odd, ab, ab), branch_computations={normal, uniform}
  de = f32[33] add(d, e) y = f32[33] add(x, de) v = u64[2] add(u, s)
  n = s32[] add(i, s32[] constant(1)) ROOT r = (s32[], f32[33], u64[2]) tuple(n, y, v) }
cond { p = (s32[], f32[33], u64[2]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT r = pred[] compare(i, s32[] constant(7)), direction=LT }
ENTRY e { i = s32[] constant(0) x = f32[33] parameter(0) u = u64[2] constant({0, 0})
  t = (s32[], f32[33], u64[2]) tuple(i, x, u)
  ROOT w = (s32[], f32[33], u64[2]) while(t), condition=cond, body=body })",
        {Literal::FromValues<float>({33}, std::vector<float>(33, 0))});
}

}  // namespace
}  // namespace xla
