#include "xla_core/verifier/settle_dimensions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

// The shapes of all instructions of the entry after settling, or the error of whatever fails first.
std::string Settled(absl::string_view text, const std::vector<Shape>& arguments) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text);
  if (!module.ok()) return module.status().ToString();
  VerifierOptions options;
  options.allow_unbounded_dimensions = true;
  absl::Status status = VerifyModule(**module, options);
  if (status.ok()) status = SettleDimensions(**module, arguments);
  if (status.ok()) status = VerifyModule(**module);
  if (!status.ok()) return std::string(status.message());
  std::string shapes;
  for (const auto& instruction : (*module)->entry()->instructions()) {
    absl::StrAppend(&shapes, shapes.empty() ? "" : " ", instruction->name(), "=", instruction->shape().ToString());
  }
  return shapes;
}

Shape F32Array(std::vector<int64_t> dimensions) { return Shape::Array(F32, dimensions); }

TEST(SettleDimensions, FollowsOperands) {
  EXPECT_EQ(Settled(R"(HloModule m, entry_computation_layout={(f32[?,4]{1,0}, f32[4]{0})->f32[?]{0}}
    ENTRY main {
      x = f32[?,4] parameter(0)
      y = f32[4] parameter(1)
      b = f32[?,4] broadcast(y), dimensions={1}
      n = f32[?,4] negate(x)
      t = f32[4,?] transpose(n), dimensions={1,0}
      ROOT r = f32[?] reshape(t)
    })",
                    {F32Array({3, 4}), F32Array({4})}),
            "b: a dimension of f32[?,4] does not follow from the operands; write its size");
  EXPECT_EQ(Settled(R"(HloModule m, entry_computation_layout={(f32[?,4]{1,0}, f32[?]{0})->f32[?]{0}}
    ENTRY main {
      x = f32[?,4] parameter(0)
      y = f32[?] parameter(1)
      b = f32[?,4] broadcast(y), dimensions={0}
      n = f32[?,4] add(x, b)
      t = f32[4,?] transpose(n), dimensions={1,0}
      ROOT r = f32[?] reshape(t)
    })",
                    {F32Array({3, 4}), F32Array({3})}),
            "x=f32[3,4] y=f32[3] b=f32[3,4] n=f32[3,4] t=f32[4,3] r=f32[12]");
}

TEST(SettleDimensions, CopiesWhatIsCalledWithSeveralShapes) {
  constexpr char kText[] = R"(HloModule m
    f { a = f32[?] parameter(0) ROOT n = f32[?] negate(a) }
    condition { s = f32[?] parameter(0) ROOT p = pred[] constant(false) }
    ENTRY main {
      x = f32[?] parameter(0)
      y = f32[?] parameter(1)
      fx = f32[?] call(x), to_apply=f
      fy = f32[?] call(y), to_apply=f
      w = f32[?] while(fx), condition=condition, body=f
      ROOT t = (f32[?], f32[?]) tuple(w, fy)
    })";
  EXPECT_EQ(Settled(kText, {F32Array({2}), F32Array({5})}),
            "x=f32[2] y=f32[5] fx=f32[2] fy=f32[5] w=f32[2] t=(f32[2], f32[5])");
  EXPECT_EQ(Settled(kText, {F32Array({2}), Shape::Array(S32, {5})}), "parameter y is f32[?], but its argument s32[5]");
  EXPECT_EQ(Settled(kText, {F32Array({2})}), "main takes 2 arguments, but gets 1");
  EXPECT_EQ(Settled(kText, {F32Array({2}), Shape::Array(F32, {Shape::kUnboundedSize}, {true})}),
            "parameter y is f32[?]: only an argument tells its sizes; give one");
}

TEST(SettleDimensions, LooksIntoWhatIsCalledByWhatIsSettled) {
  EXPECT_EQ(Settled(R"(HloModule m
    g { a = f32[?] parameter(0) n = f32[?] negate(a) z = f32[] constant(0) ROOT m = f32[] copy(z) }
    f { a = f32[?] parameter(0) ROOT r = f32[] call(a), to_apply=g }
    ENTRY main { x = f32[?] parameter(0) ROOT r = f32[] call(x), to_apply=f })",
                    {F32Array({2})}),
            "x=f32[2] r=f32[]");
}

TEST(SettleDimensions, LeavesWrongSizesToTheVerifier) {
  EXPECT_THAT(Settled(R"(ENTRY main {
      x = f32[?] parameter(0)
      y = f32[3] constant({1, 2, 3})
      ROOT s = f32[?] add(x, y)
    })",
                      {F32Array({2})}),
              HasSubstr("does not follow from the operands"));
  EXPECT_THAT(Settled(R"(ENTRY main {
      x = f32[?] parameter(0)
      ROOT s = f32[3] negate(x)
    })",
                      {F32Array({2})}),
              HasSubstr("expected the result shape f32[2], got f32[3]"));
}

// Sixty calls of calls, each twice.
TEST(SettleDimensions, StopsWhereCallsMultiply) {
  std::string text = "HloModule m\n call0 { a = f32[?] parameter(0) ROOT n = f32[?] negate(a) }\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&text, "call", i, " { a = f32[?] parameter(0) b = f32[?] call(a), to_apply=call", i - 1,
                    " ROOT c = f32[?] call(b), to_apply=call", i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY main { x = f32[?] parameter(0) ROOT r = f32[?] call(x), to_apply=call60 }");
  EXPECT_THAT(Settled(text, {F32Array({2})}), HasSubstr("calls too much"));
}

}  // namespace
}  // namespace xla
