// The best elements of lines, compared with the evaluator's.
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

std::string TopKText(const std::string& operand, const std::string& values, const std::string& positions, int64_t k,
                     bool largest) {
  return absl::StrCat("HloModule m\nENTRY e { x = ", operand, " parameter(0) ROOT t = (", values, ", ", positions,
                      ") topk(x), k=", k, ", largest=", largest ? "true" : "false", " }");
}

void ExpectSame(const Literal& got, const Literal& want) {
  ASSERT_EQ(got.tuple_size(), 2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(got.element(i).size_bytes(), want.element(i).size_bytes());
    EXPECT_EQ(0,
              std::memcmp(got.element(i).untyped_data(), want.element(i).untyped_data(), got.element(i).size_bytes()))
        << "result " << i;
  }
}

void Check(const std::string& text, const Literal& x) {
  SCOPED_TRACE(text);
  const auto client = MakeClient();
  const auto program = CompileText(*client, text);
  EXPECT_TRUE(program->report().fallbacks.empty()) << program->report().ToString();
  ExpectSame(OrDie(ExecuteOnLiterals(*program, {x})), OrDie(RunText(text, {x})));
}

void CheckRandom(const std::string& type, int64_t lines, int64_t length, int64_t k) {
  const std::string operand = absl::StrCat(type, "[", lines, ",", length, "]");
  for (const bool largest : {true, false}) {
    const std::string text = TopKText(operand, absl::StrCat(type, "[", lines, ",", k, "]"),
                                      absl::StrCat("s32[", lines, ",", k, "]"), k, largest);
    const auto module = ModuleFromText(text);
    Check(text, OrDie(MakeInput(DefaultInputSpec(module->entry()->parameters()[0]->shape(), 3))));
  }
}

TEST(TopK, EveryTypeWithManyTies) {
  for (const char* type : {"pred", "s4", "u8", "s8", "s16", "u16", "s32", "u32", "s64", "u64", "f16", "bf16", "f32",
                           "f64", "f8e5m2", "f8e4m3fn"}) {
    CheckRandom(type, 3, 700, 20);
  }
}

TEST(TopK, AllSizes) {
  for (const int64_t k : {0, 1, 2, 9, 10}) CheckRandom("f32", 2, 10, k);
  for (const int64_t k : {1, 255, 256, 257, 2999, 3000}) CheckRandom("f32", 2, 3000, k);
  CheckRandom("s64", 0, 5, 2);
}

TEST(TopK, LongLinesInPieces) {
  CheckRandom("f32", 2, 200001, 100);
  CheckRandom("u8", 1, 140000, 3000);
  CheckRandom("f64", 1, 131072, 1);
}

TEST(TopK, FloatsInTotalOrder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Literal x = Literal::Vector<float>({0.0f, -0.0f, nan, -infinity, -nan, 1, infinity, 0.0f, -0.0f, nan});
  for (const bool largest : {true, false}) Check(TopKText("f32[10]", "f32[7]", "s32[7]", 7, largest), x);
}

TEST(TopK, AsACustomCall) {
  const Literal x = Literal::Vector<float>({3, 1, 4, 1, 5, 9, 2, 6});
  Check(R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  ROOT t = (f32[3], s32[3]) custom-call(x), custom_call_target="TopK"
})",
        x);
  Check(R"(HloModule m
before { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[8] parameter(0)
  ROOT t = (f32[3], s32[3]) custom-call(x), custom_call_target="TopK", called_computations={before}
})",
        x);
}

}  // namespace
}  // namespace xla
