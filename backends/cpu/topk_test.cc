// The best elements of lines, compared with the evaluator's.
#include <limits>
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
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

std::string TopKText(const std::string& operand, const std::string& values, const std::string& positions, int64_t k,
                     bool largest) {
  return absl::StrCat("HloModule m\nENTRY e { x = ", operand, " parameter(0) ROOT t = (", values, ", ", positions,
                      ") topk(x), k=", k, ", largest=", largest ? "true" : "false", " }");
}

void Check(const std::string& text, const Literal& x) {
  SCOPED_TRACE(text);
  const auto client = MakeClient();
  const auto program = CompileText(*client, text);
  EXPECT_TRUE(program->report().fallbacks.empty()) << program->report().ToString();
  ExpectSame(OrDie(ExecuteOnLiterals(*program, {x})), OrDie(RunText(text, {x})), Alike::kBits);
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

void CheckNumbers(const std::vector<float>& numbers, int64_t k) {
  const int64_t count = numbers.size();
  for (const bool largest : {true, false}) {
    Check(TopKText(absl::StrCat("f32[", count, "]"), absl::StrCat("f32[", k, "]"), absl::StrCat("s32[", k, "]"), k,
                   largest),
          Literal::FromValues<float>({count}, numbers));
  }
}

constexpr const char* kTypes[] = {
    "pred", "s2",  "s4",   "u4",  "u8",     "s8",       "s16",        "u16",        "s32",       "u32",      "s64",
    "u64",  "f16", "bf16", "f32", "f64",    "f8e5m2",   "f8e4m3fn",   "f8e4m3fnuz", "f8e8m0fnu", "f4e2m1fn", "f6e3m2fn",
};

TEST(TopK, EveryTypeWithManyTies) {
  for (const char* type : kTypes) {
    CheckRandom(type, 3, 700, 20);
    CheckRandom(type, 3, 90, 70);
  }
}

TEST(TopK, EveryTypeInShortLines) {
  for (const char* type : kTypes) CheckRandom(type, 70, 8, 2);
  for (const int64_t k : {1, 3, 4, 5, 8}) CheckRandom("f32", 33, 8, k);
  for (const int64_t length : {63, 64, 65}) CheckRandom("s8", 3, length, 8);
  CheckRandom("f32", 3, 64, 9);
}

TEST(TopK, AllSizes) {
  for (const int64_t k : {0, 1, 2, 9, 10}) CheckRandom("f32", 2, 10, k);
  for (const int64_t k : {1, 2, 255, 256, 257, 375, 376, 2999, 3000}) CheckRandom("f32", 2, 3000, k);
  CheckRandom("s64", 0, 5, 2);
}

// Several searches, of which the later ones know what the earlier ones found.
TEST(TopK, LongLines) {
  for (const int64_t k : {1, 40, 3000}) CheckRandom("f32", 17, 70001, k);
  CheckRandom("u8", 17, 70001, 3);
  CheckRandom("pred", 17, 70001, 40000);
}

TEST(TopK, LongLinesInPieces) {
  CheckRandom("f32", 2, 200001, 100);
  CheckRandom("u8", 1, 140000, 3000);
  CheckRandom("f64", 1, 131072, 1);
}

// Groups of a search with all of the best in few of them.
TEST(TopK, TheBestAreFarApartByPowersOfTwo) {
  std::vector<float> numbers(4096);
  for (size_t i = 0; i < numbers.size(); i += 16) numbers[i] = static_cast<float>(i);
  CheckNumbers(numbers, 5);
}

TEST(TopK, FloatsInTotalOrder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> numbers = {0.0f, -0.0f, nan, -infinity, -nan, 1, infinity, 0.0f, -0.0f, nan};
  for (const int64_t k : {7, 9}) CheckNumbers(numbers, k);
  for (size_t i = 0; i < 990; ++i) numbers.push_back(numbers[i]);
  for (const int64_t k : {7, 125, 900}) CheckNumbers(numbers, k);
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
