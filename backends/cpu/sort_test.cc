// Sorts by keys, compared with the standard library's stable sort.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
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

// NaN and both zeros made equal to others of their kind, as array libraries write it.
constexpr char kMergingComparator[] = R"(HloModule m
before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  any = f32[] constant(nan)
  zero = f32[] constant(0)
  a_nan = pred[] compare(a, a), direction=NE
  a_zero = pred[] compare(a, zero), direction=EQ
  a1 = f32[] select(a_zero, zero, a)
  a2 = f32[] select(a_nan, any, a1)
  b_nan = pred[] compare(b, b), direction=NE
  b_zero = pred[] compare(b, zero), direction=EQ
  b1 = f32[] select(b_zero, zero, b)
  b2 = f32[] select(b_nan, any, b1)
  ROOT r = pred[] compare(a2, b2), direction=LT, type=TOTALORDER
}
)";

constexpr char kTwoKeys[] = R"(HloModule m
before {
  a = s64[] parameter(0)
  b = s64[] parameter(1)
  x = u8[] parameter(2)
  y = u8[] parameter(3)
  i = s32[] parameter(4)
  j = s32[] parameter(5)
  greater = pred[] compare(x, y), direction=GT
  tie = pred[] compare(x, y), direction=EQ
  less = pred[] compare(a, b), direction=LT
  rest = pred[] and(tie, less)
  ROOT r = pred[] or(greater, rest)
}
)";

// The same numbers on every machine.
class Numbers {
 public:
  uint32_t Next(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % limit;
  }

 private:
  uint64_t state_ = 1;
};

std::unique_ptr<Executable> CompileNatively(Client& client, const std::string& text) {
  std::unique_ptr<Executable> program = CompileText(client, text);
  EXPECT_TRUE(program->report().fallbacks.empty()) << program->report().ToString();
  return program;
}

std::vector<int32_t> PositionsIn(const Literal& sorted, int result) {
  const auto span = sorted.element(result).span<int32_t>();
  return std::vector<int32_t>(span.begin(), span.end());
}

float SpecialFloat(Numbers& numbers) {
  switch (numbers.Next(6)) {
    case 0:
      return std::numeric_limits<float>::quiet_NaN();
    case 1:
      return -std::numeric_limits<float>::quiet_NaN();
    case 2:
      return 0.0f;
    case 3:
      return -0.0f;
    default:
      return static_cast<float>(static_cast<int>(numbers.Next(40)) - 20) * 1e10f;
  }
}

// Short lines are sorted in another way than long ones.
class SortLength : public ::testing::TestWithParam<int64_t> {};

TEST_P(SortLength, RowsOfFloatsKeepTiesInOrder) {
  const int64_t n = GetParam();
  constexpr int64_t kRows = 5;
  Numbers numbers;
  std::vector<float> values(kRows * n);
  for (float& value : values) value = SpecialFloat(numbers);
  std::vector<int32_t> want;
  for (int64_t row = 0; row < kRows; ++row) {
    std::vector<int32_t> line(n);
    std::iota(line.begin(), line.end(), 0);
    std::stable_sort(line.begin(), line.end(), [&](int32_t i, int32_t j) {
      const float a = values[row * n + i];
      const float b = values[row * n + j];
      return std::isnan(a) || std::isnan(b) ? std::isnan(b) && !std::isnan(a) : a < b;
    });
    want.insert(want.end(), line.begin(), line.end());
  }
  const std::string shape = absl::StrCat("[", kRows, ",", n, "]");
  const auto client = MakeClient();
  const auto program =
      CompileNatively(*client, absl::StrCat(kMergingComparator, "ENTRY e { x = f32", shape, " parameter(0) i = s32",
                                            shape, " iota(), iota_dimension=1 ROOT s = (f32", shape, ", s32", shape,
                                            ") sort(x, i), dimensions={1}, is_stable=true, to_apply=before }"));
  const Literal sorted = OrDie(ExecuteOnLiterals(*program, {Literal::FromValues<float>({kRows, n}, values)}));
  EXPECT_EQ(PositionsIn(sorted, 1), want);
  for (int64_t i = 0; i < kRows * n; ++i) {
    const float moved = values[i / n * n + want[i]];
    const float got = sorted.element(0).data<float>()[i];
    if (std::isnan(moved)) {
      EXPECT_TRUE(std::isnan(got)) << i;
    } else {
      EXPECT_EQ(got, moved) << i;
      EXPECT_EQ(std::signbit(got), std::signbit(moved)) << i;
    }
  }
}

TEST_P(SortLength, ColumnsByTwoKeys) {
  const int64_t n = GetParam();
  constexpr int64_t kColumns = 3;
  Numbers numbers;
  std::vector<int64_t> values(n * kColumns);
  std::vector<uint8_t> classes(n * kColumns);
  for (int64_t& value : values) value = (static_cast<int64_t>(numbers.Next(9)) - 4) * 1000000000000;
  for (uint8_t& number : classes) number = static_cast<uint8_t>(numbers.Next(3) * 100);
  std::vector<int32_t> want(n * kColumns);
  for (int64_t column = 0; column < kColumns; ++column) {
    std::vector<int32_t> line(n);
    std::iota(line.begin(), line.end(), 0);
    std::stable_sort(line.begin(), line.end(), [&](int32_t i, int32_t j) {
      const int64_t a = i * kColumns + column;
      const int64_t b = j * kColumns + column;
      return classes[a] != classes[b] ? classes[a] > classes[b] : values[a] < values[b];
    });
    for (int64_t i = 0; i < n; ++i) want[i * kColumns + column] = line[i];
  }
  const std::string shape = absl::StrCat("[", n, ",", kColumns, "]");
  const auto client = MakeClient();
  const auto program = CompileNatively(
      *client, absl::StrCat(kTwoKeys, "ENTRY e { x = s64", shape, " parameter(0) c = u8", shape,
                            " parameter(1) i = s32", shape, " iota(), iota_dimension=0 ROOT s = (s64", shape, ", u8",
                            shape, ", s32", shape, ") sort(x, c, i), dimensions={0}, to_apply=before }"));
  const Literal sorted = OrDie(ExecuteOnLiterals(*program, {Literal::FromValues<int64_t>({n, kColumns}, values),
                                                            Literal::FromValues<uint8_t>({n, kColumns}, classes)}));
  EXPECT_EQ(PositionsIn(sorted, 2), want);
  for (int64_t i = 0; i < n * kColumns; ++i) {
    EXPECT_EQ(sorted.element(0).data<int64_t>()[i], values[want[i] * kColumns + i % kColumns]) << i;
  }
}

// One array by its own elements, of which no two that look alike can be distinguished.
void CheckAlone(const std::string& type, const std::string& compare, const Literal& x) {
  const std::string shape = absl::StrCat(type, "[", x.shape().dimension(0), "]");
  const std::string text =
      absl::StrCat("HloModule m\nbefore { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ROOT r = pred[] ",
                   compare, " }\nENTRY e { x = ", shape, " parameter(0) ROOT s = ", shape,
                   " sort(x), dimensions={0}, is_stable=true, to_apply=before }");
  SCOPED_TRACE(text);
  const auto client = MakeClient();
  const Literal got = OrDie(ExecuteOnLiterals(*CompileNatively(*client, text), {x}));
  const Literal want = OrDie(RunText(text, {x}));
  EXPECT_EQ(0, std::memcmp(got.untyped_data(), want.untyped_data(), want.size_bytes()));
}

TEST_P(SortLength, OneArrayOfEveryWidth) {
  Numbers numbers;
  std::vector<float> floats(GetParam());
  for (float& value : floats) value = SpecialFloat(numbers);
  const Literal x = Literal::FromValues<float>({GetParam()}, floats);
  for (const char* order : {"", ", type=TOTALORDER"}) {
    CheckAlone("f32", absl::StrCat("compare(a, b), direction=LT", order), x);
    CheckAlone("f32", absl::StrCat("compare(a, b), direction=GT", order), x);
  }
  for (const char* type : {"u8", "s16", "u16", "bf16", "s32", "u32", "u64", "s64", "f64"}) {
    const auto module =
        ModuleFromText(absl::StrCat("HloModule m\nENTRY e { ROOT x = ", type, "[", GetParam(), "] parameter(0) }"));
    const Literal random = OrDie(MakeInput(DefaultInputSpec(module->entry()->root()->shape(), 5)));
    CheckAlone(type, "compare(a, b), direction=LT", random);
    CheckAlone(type, "compare(b, a), direction=LT", random);
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, SortLength, ::testing::Values(1, 2, 12, 13, 37, 5000, 70000));

TEST(Sort, ByAbsoluteValuesKeepsTiesInOrder) {
  const std::string text = R"(HloModule m
before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  x = f32[] abs(a)
  y = f32[] abs(b)
  ROOT r = pred[] compare(x, y), direction=LT
}
ENTRY e { x = f32[8] parameter(0) ROOT s = f32[8] sort(x), dimensions={0}, to_apply=before })";
  const auto client = MakeClient();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Literal x = Literal::Vector<float>({-3, 2, -0.0f, 3, -nan, 0, -2, nan});
  const Literal got = OrDie(ExecuteOnLiterals(*CompileNatively(*client, text), {x}));
  const Literal want = OrDie(RunText(text, {x}));
  EXPECT_EQ(0, std::memcmp(got.untyped_data(), want.untyped_data(), want.size_bytes()));
  EXPECT_EQ(Floats(got)[2], 2);
  EXPECT_EQ(Floats(got)[3], -2);
}

TEST(Sort, LeavesAComparatorThatComputesToTheEvaluator) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  x = f32[] cosine(a)
  y = f32[] cosine(b)
  ROOT r = pred[] compare(x, y), direction=LT
}
ENTRY e { x = f32[3] parameter(0) ROOT s = f32[3] sort(x), dimensions={0}, to_apply=before })");
  ASSERT_EQ(program->report().fallbacks.size(), 1);
  EXPECT_EQ(program->report().fallbacks[0].reason, "the comparator does more than compare elements");
  const Literal sorted = OrDie(ExecuteOnLiterals(*program, {Literal::Vector<float>({0, 3, 1})}));
  EXPECT_THAT(Floats(sorted), ::testing::ElementsAre(3, 1, 0));
}

}  // namespace
}  // namespace xla
