// Products of all kinds against the evaluator, and the same bits on one thread and several.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/library/product/product_program.h"
#include "backends/cpu/library/program_testing.h"

namespace xla {
namespace {

void CheckDot(const std::string& dot, const std::string& lhs, const std::string& rhs, const std::string& result,
              const std::string& kind = "", const FixedOperands& fixed = {}) {
  const std::string text = absl::StrCat("HloModule m\nENTRY e {\n  x = ", lhs, " parameter(0)\n  y = ", rhs,
                                        " parameter(1)\n  ROOT d = ", result, " dot(x, y), ", dot, "\n}\n");
  SCOPED_TRACE(text);
  const TestRun test(text);
  const auto program = MakeDotProgram(test.root(), fixed);
  ASSERT_TRUE(program.ok()) << program.status();
  if (!kind.empty()) {
    EXPECT_EQ(kind, (*program)->kind());
  }
  test.Check(**program);
}

std::string Array(const char* type, std::initializer_list<int64_t> dims) {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

constexpr char kPlain[] = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
constexpr char kBatched[] =
    "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";

void CheckPlain(const char* type, const char* result, int64_t m, int64_t k, int64_t n, const std::string& kind = "") {
  CheckDot(kPlain, Array(type, {m, k}), Array(type, {k, n}), Array(result, {m, n}), kind);
}

TEST(Product, EveryTypeInOddSizes) {
  for (const char* type : {"f32", "f64", "f16", "bf16", "f8e5m2", "f8e4m3fn", "s8", "u8", "s16", "u16", "s32", "u32",
                           "s64", "u64", "c64", "c128", "pred"}) {
    for (const auto& [m, k, n] :
         {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 7}, {17, 300, 33}, {130, 40, 9}, {5, 3, 67}}) {
      CheckPlain(type, type, m, k, n);
    }
  }
}

TEST(Product, ResultsOfOtherTypes) {
  CheckPlain("s8", "s32", 33, 100, 31);
  CheckPlain("u8", "s32", 33, 100, 31);
  CheckPlain("u8", "u32", 9, 20, 31);
  CheckPlain("s8", "f32", 33, 100, 31);
  CheckPlain("u32", "f64", 3, 100, 31);
  CheckPlain("s32", "s64", 3, 100, 31);
  CheckPlain("bf16", "f32", 33, 100, 31);
  CheckPlain("f16", "f32", 33, 100, 31);
  CheckPlain("f16", "f64", 33, 100, 31);
  CheckPlain("f32", "bf16", 33, 100, 31);
  CheckPlain("f32", "s32", 33, 100, 31);
  CheckPlain("c64", "c128", 33, 10, 31);
  CheckDot(kPlain, "s8[9,10]", "f32[10,20]", "f32[9,20]");
  CheckDot(kPlain, "s32[9,10]", "f32[10,20]", "f32[9,20]");
  CheckDot(kPlain, "bf16[9,10]", "f32[10,20]", "f32[9,20]");
}

TEST(Product, LargeOnes) {
  CheckPlain("f32", "f32", 257, 300, 190, "onednn");
  CheckPlain("f32", "f32", 50, 300, 1100, "packed");
  CheckPlain("u32", "u32", 600, 300, 310, "packed");
  CheckPlain("f32", "f32", 64, 70000, 65, "onednn");
  CheckPlain("f32", "f32", 60, 70000, 65, "packed");
  CheckPlain("bf16", "bf16", 257, 301, 190);
  CheckPlain("bf16", "f32", 257, 300, 190);
  CheckPlain("s8", "s32", 257, 300, 190);
  CheckPlain("u8", "s32", 130, 300, 190);
  CheckDot(kPlain, "u8[257,300]", "s8[300,190]", "s32[257,190]");
  CheckDot(kPlain, "s8[257,300]", "u8[300,190]", "s32[257,190]");
  CheckPlain("f64", "f64", 257, 600, 290, "packed");
  CheckPlain("f16", "f16", 257, 600, 290, "packed");
  CheckPlain("c128", "c128", 65, 300, 70, "packed");
  CheckPlain("s32", "s32", 65, 9000, 3, "packed");
  CheckPlain("f64", "f64", 5, 90000, 7, "packed");
  CheckPlain("c64", "c64", 5, 30000, 7, "packed");
}

// What a processor's matrix unit takes, where there is one: rows and columns that fill no panel, k that fills no step
// and more of it than one chunk has, several tiles that share panels, either side transposed.
TEST(Product, NarrowNumbers) {
  constexpr char kBothTransposed[] = "lhs_contracting_dims={0}, rhs_contracting_dims={1}";
  for (const auto& [lhs, rhs, result] : {std::array<const char*, 3>{"s8", "s8", "s32"},
                                         {"s8", "u8", "s32"},
                                         {"u8", "s8", "u32"},
                                         {"u8", "u8", "s32"},
                                         {"bf16", "bf16", "f32"},
                                         {"bf16", "bf16", "bf16"}}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{40, 97, 77}, {8, 2100, 300}, {300, 33, 45}, {200, 700, 80}}) {
      CheckDot(kPlain, Array(lhs, {m, k}), Array(rhs, {k, n}), Array(result, {m, n}));
      CheckDot(kBothTransposed, Array(lhs, {k, m}), Array(rhs, {n, k}), Array(result, {m, n}));
    }
    CheckDot(kBatched, Array(lhs, {5, 70, 90}), Array(rhs, {5, 90, 45}), Array(result, {5, 70, 45}));
    CheckDot(kBatched, Array(lhs, {2, 200, 300}), Array(rhs, {2, 300, 130}), Array(result, {2, 200, 130}));
  }
  CheckPlain("s8", "s32", 40, 4700, 290);
  CheckPlain("bf16", "bf16", 40, 2350, 290);
}

TEST(Product, OperandsThatArePrepared) {
  FixedOperands fixed;
  fixed.rhs = true;
  constexpr char kTransposed[] = "lhs_contracting_dims={1}, rhs_contracting_dims={1}";
  CheckDot(kPlain, "f32[100,96]", "f32[96,1000]", "f32[100,1000]", "onednn", fixed);
  CheckDot(kTransposed, "f32[30,90]", "f32[333,90]", "f32[30,333]", "onednn", fixed);
  CheckDot(kPlain, "f32[300,90]", "f32[90,333]", "f32[300,333]", "onednn", fixed);
  CheckDot(kPlain, "f32[12,90]", "f32[90,333]", "f32[12,333]", "packed", fixed);
}

// The same where columns of the result are contiguous, so that operands change places.
TEST(Product, LeftOperandsThatArePrepared) {
  for (const auto& [type, result] : {std::pair<PrimitiveType, PrimitiveType>{F32, F32}, {S8, S32}}) {
    const std::string element = absl::AsciiStrToLower(PrimitiveTypeName(type));
    const TestRun test(
        absl::StrCat("HloModule m\nENTRY e {\n  x = ", element, "[50,96] parameter(0)\n  y = ", element,
                     "[96,333] parameter(1)\n  ROOT d = ", absl::AsciiStrToLower(PrimitiveTypeName(result)),
                     "[50,333] dot(x, y), ", kPlain, "\n}\n"));
    const auto product = StridedDotOf(test.root());
    ASSERT_TRUE(product.ok()) << product.status();
    FixedOperands fixed;
    fixed.lhs = true;
    const auto program = MakeProductProgram(Transposed(*product), {type, type, result}, fixed);
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_EQ(0, (*program)->prepared_operand());
    test.CheckDequantizing(**program, /*lhs=*/1, /*rhs=*/0, {});
  }
}

TEST(Product, Vectors) {
  for (const char* type : {"f32", "bf16", "f16", "f64"}) {
    for (const auto& [k, n] :
         {std::pair<int64_t, int64_t>{1, 5}, {7, 1}, {33, 77}, {1000, 1030}, {9000, 16}, {70, 5000}}) {
      CheckPlain(type, type, 1, k, n);
      CheckPlain(type, type, n, k, 1);
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k}), Array(type, {k, n}),
               Array(type, {n}));
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k, n}), Array(type, {k}),
               Array(type, {n}));
    }
    CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {400000}), Array(type, {400000}),
             Array(type, {}), "vector");
    CheckDot(kBatched, Array(type, {9, 1, 65}), Array(type, {9, 65, 130}), Array(type, {9, 1, 130}), "vector");
  }
  CheckPlain("f32", "f32", 1, 300000, 3, "vector");
}

// Rows of a matrix are read once for all of them; k may be cut.
TEST(Product, FewVectors) {
  for (const char* type : {"f32", "f64"}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{2, 300, 1031}, {3, 4100, 67}, {8, 40, 5003}, {5, 2100, 100}}) {
      CheckPlain(type, type, m, k, n, "vector");
      // Neither vectors nor results lie in rows.
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k, m}), Array(type, {k, n}),
               Array(type, {m, n}), "vector");
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k, n}), Array(type, {k, m}),
               Array(type, {n, m}));
    }
    CheckDot(kBatched, Array(type, {3, 4, 130}), Array(type, {3, 130, 1100}), Array(type, {3, 4, 1100}), "vector");
  }
  CheckPlain("f32", "bf16", 3, 300, 1031, "vector");
  CheckDot(kPlain, "bf16[3,300]", "f32[300,1031]", "f32[3,1031]", "vector");
}

// Rows of one product as many small ones: of any length, and on either side.
TEST(Product, ShortRows) {
  for (const char* type : {"f32", "f64"}) {
    const bool is_f32 = std::string(type) == "f32";
    for (const int64_t m : {256, 1001, 20003}) {
      for (const auto& [k, n] : {std::pair<int64_t, int64_t>{4, 4}, {3, 3}, {1, 2}, {2, 1}, {7, 2}, {2, 5}, {8, 8}}) {
        const char* const kind = k <= 2 && n <= 2 && is_f32 ? "small" : "";
        CheckPlain(type, type, m, k, n, kind);
        CheckDot("lhs_contracting_dims={1}, rhs_contracting_dims={1}", Array(type, {m, k}), Array(type, {n, k}),
                 Array(type, {m, n}), kind);
        CheckDot("lhs_contracting_dims={1}, rhs_contracting_dims={1}", Array(type, {n, k}), Array(type, {m, k}),
                 Array(type, {n, m}));
        CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k, m}), Array(type, {k, n}),
                 Array(type, {m, n}));
      }
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={1}", Array(type, {2}), Array(type, {m, 2}),
               Array(type, {m}), is_f32 ? "small" : "");
    }
    CheckDot(kBatched, Array(type, {5, 300, 2}), Array(type, {5, 2, 2}), Array(type, {5, 300, 2}),
             is_f32 ? "small" : "");
  }
}

// Few columns, of which the last panel is not full, and k so short that rows are finished one after the other.
TEST(Product, ShortSumsOfFewColumns) {
  for (const char* type : {"f32", "f64", "u32", "s64", "c64"}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{300, 16, 4}, {300, 3, 37}, {77, 9, 21}, {5, 16, 1}}) {
      CheckPlain(type, type, m, k, n);
      CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {k, m}), Array(type, {k, n}),
               Array(type, {m, n}));
    }
  }
}

TEST(Product, FewColumns) {
  for (const auto& [m, k, n] :
       {std::array<int64_t, 3>{32, 64, 2}, {37, 1100, 3}, {5000, 70, 4}, {67, 129, 5}, {130, 513, 8}}) {
    CheckPlain("f32", "f32", m, k, n, "thin");
    CheckDot("lhs_contracting_dims={1}, rhs_contracting_dims={1}", Array("f32", {m, k}), Array("f32", {n, k}),
             Array("f32", {m, n}), "thin");
    // The few are on the left.
    CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={1}", Array("f32", {k, n}), Array("f32", {m, k}),
             Array("f32", {n, m}), "thin");
  }
  CheckDot(kBatched, Array("f32", {3, 40, 80}), Array("f32", {3, 80, 7}), Array("f32", {3, 40, 7}), "thin");
}

TEST(Product, Batches) {
  for (const char* type : {"u32", "bf16", "s8", "c64"}) {
    CheckDot(kBatched, Array(type, {1000, 4, 4}), Array(type, {1000, 4, 4}), Array(type, {1000, 4, 4}), "packed");
    CheckDot(kBatched, Array(type, {30, 16, 16}), Array(type, {30, 16, 16}), Array(type, {30, 16, 16}), "packed");
    CheckDot(kBatched, Array(type, {7, 65, 70}), Array(type, {7, 70, 80}), Array(type, {7, 65, 80}));
  }
}

TEST(Product, ManySmallOnes) {
  for (const char* type : {"f32", "f64"}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {3, 1, 5}, {2, 7, 2}}) {
      for (const int64_t batch : {4, 2100}) {
        CheckDot(kBatched, Array(type, {batch, m, k}), Array(type, {batch, k, n}), Array(type, {batch, m, n}));
      }
      // Of lhs, rhs or both the other order.
      CheckDot("lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}",
               Array(type, {9, k, m}), Array(type, {9, k, n}), Array(type, {9, m, n}));
      CheckDot("lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={2}",
               Array(type, {9, k, m}), Array(type, {9, n, k}), Array(type, {9, m, n}));
    }
    CheckDot(kBatched, Array(type, {50, 2, 2}), Array(type, {50, 2, 2}), Array(type, {50, 2, 2}), "small");
    for (int64_t m = 2; m <= 17; m += 3) {
      for (const auto& [k, n] : {std::pair<int64_t, int64_t>{5, 7}, {16, 16}, {2, 4}, {32, 11}, {3, 8}}) {
        CheckDot(kBatched, Array(type, {11, m, k}), Array(type, {11, k, n}), Array(type, {11, m, n}),
                 m * n > 64 && n == 7 ? "small" : "");
      }
    }
    // A matrix times a vector; the vector may be the same for all.
    CheckDot("lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
             Array(type, {70, 2, 2}), Array(type, {70, 2}), Array(type, {70, 2}), "small");
    // The innermost dimension of the batch is in the middle.
    CheckDot("lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={1}",
             Array(type, {5, 6, 3, 9}), Array(type, {5, 9, 3, 7}), Array(type, {5, 3, 6, 7}), "small");
  }
}

TEST(Product, DimensionsInAnyOrder) {
  for (const char* type : {"f32", "bf16", "s8", "f64", "c64", "f16"}) {
    // Both contracted along rows, and along columns.
    CheckDot("lhs_contracting_dims={1}, rhs_contracting_dims={1}", Array(type, {70, 90}), Array(type, {80, 90}),
             Array(type, {70, 80}));
    CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={0}", Array(type, {90, 70}), Array(type, {90, 80}),
             Array(type, {70, 80}));
    CheckDot("lhs_contracting_dims={0}, rhs_contracting_dims={1}", Array(type, {90, 70}), Array(type, {80, 90}),
             Array(type, {70, 80}));
    // Attention: heads are in the middle.
    CheckDot("lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}",
             Array(type, {2, 65, 3, 64}), Array(type, {2, 70, 3, 64}), Array(type, {2, 3, 65, 70}));
    // Several contracted, in another order.
    CheckDot("lhs_contracting_dims={2,1}, rhs_contracting_dims={1,0}", Array(type, {20, 3, 5}), Array(type, {3, 5, 7}),
             Array(type, {20, 7}));
    // Rows that are not one run.
    CheckDot("lhs_contracting_dims={1}, rhs_contracting_dims={0}", Array(type, {3, 20, 30}), Array(type, {20, 7}),
             Array(type, {3, 30, 7}));
    // Neither rows nor columns are contiguous.
    CheckDot("lhs_batch_dims={2}, rhs_batch_dims={2}, lhs_contracting_dims={1}, rhs_contracting_dims={0}",
             Array(type, {20, 30, 2}), Array(type, {30, 40, 2}), Array(type, {2, 20, 40}));
  }
}

// Blocks that are filled up with zeros must not multiply them with what is beside the matrix.
TEST(Product, InfinitiesSpoilTheirRowsAndColumnsOnly) {
  for (const char* type : {"f32", "bf16", "f16"}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{66, 301, 130}, {257, 77, 190}, {1, 301, 130}, {66, 301, 1}}) {
      const int64_t columns_of_lhs = k, columns_of_rhs = n, rows_of_lhs = m;
      const auto spoil = [&](std::vector<Literal>& arguments) {
        const auto set = [](Literal& matrix, int64_t element) {
          const uint32_t infinity = 0x7f800000;
          auto* const data = static_cast<char*>(matrix.untyped_mutable_data());
          const uint16_t half = matrix.shape().element_type() == F16 ? 0x7c00 : 0x7f80;
          const bool is_wide = matrix.shape().element_type() == F32;
          std::memcpy(data + element * (is_wide ? 4 : 2), is_wide ? static_cast<const void*>(&infinity) : &half,
                      is_wide ? 4 : 2);
        };
        const int64_t row = rows_of_lhs / 2;
        set(arguments[0], row * columns_of_lhs);
        set(arguments[0], row * columns_of_lhs + columns_of_lhs - 1);
        set(arguments[1], columns_of_rhs / 2);
        set(arguments[1], (columns_of_lhs - 1) * columns_of_rhs);
      };
      const std::string text = absl::StrCat(
          "HloModule m\nENTRY e {\n  x = ", Array(type, {m, k}), " parameter(0)\n  y = ", Array(type, {k, n}),
          " parameter(1)\n  ROOT d = ", Array(type, {m, n}), " dot(x, y), ", kPlain, "\n}\n");
      SCOPED_TRACE(text);
      const TestRun test(text, spoil);
      const auto program = MakeDotProgram(test.root());
      ASSERT_TRUE(program.ok()) << program.status();
      test.Check(**program);
    }
  }
}

struct TestDot {
  std::string lhs, rhs, result, attributes;
};

// One of the sizes at which libraries, tiles and threads come in, its dimensions in any order.
TestDot RandomDot(std::mt19937& random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const auto one_of = [&](const std::vector<int64_t>& values) {
    return values[pick(0, static_cast<int64_t>(values.size()) - 1)];
  };
  const std::vector<std::string> types = {
      "f32 f32 f32", "f32 f32 f32",   "f32 f32 f32",    "f32 f32 f32",  "f64 f64 f64", "f16 f16 f16",
      "f16 f16 f32", "bf16 bf16 f32", "bf16 bf16 bf16", "bf16 f32 f32", "s8 s8 s32",   "u8 s8 s32",
      "s8 u8 s32",   "u8 u8 s32",     "s8 s8 s8",       "s32 s32 s32",  "u64 u64 u64", "c64 c64 c64",
      "s16 s16 s16", "f32 bf16 f32",  "c128 c128 c128"};
  const std::vector<std::string> type = absl::StrSplit(types[pick(0, static_cast<int64_t>(types.size()) - 1)], ' ');
  const std::vector<int64_t> sizes = {1,   1,   2,   3,   4,   5,   7,   8,   9,    15,   16,   17,   24,   31,
                                      32,  33,  47,  48,  63,  64,  65,  96,  97,   100,  127,  128,  129,  192,
                                      256, 257, 300, 384, 512, 513, 700, 999, 1000, 1024, 1025, 2048, 3000, 5000};
  constexpr double kMost = 3e6;  // multiplications, so that the evaluator is done soon
  double work = 1;
  const auto size = [&](double most) {
    int64_t chosen = one_of(sizes);
    while (chosen > 1 && work * static_cast<double>(chosen) > most) chosen = pick(1, chosen - 1);
    work *= static_cast<double>(chosen);
    return chosen;
  };
  // Dimensions by kind: batch, contracted, free of lhs, free of rhs.
  std::vector<int64_t> dims[4];
  for (int64_t i = one_of({0, 0, 0, 1, 1, 2}); i > 0; --i) dims[0].push_back(one_of({1, 2, 3, 5, 8, 16, 40}));
  for (const int64_t d : dims[0]) work *= static_cast<double>(d);
  for (const int kind : {1, 2, 3}) dims[kind].push_back(size(kMost));
  for (const int kind : {1, 2, 3}) {
    if (pick(0, 7) == 0) dims[kind].push_back(size(kMost));
    if (kind > 1 && pick(0, 15) == 0) dims[kind].clear();
  }
  // As (kind, number), in the order of an operand.
  using Order = std::vector<std::pair<int, size_t>>;
  const auto order_of = [&](std::initializer_list<int> kinds) {
    Order order;
    for (const int kind : kinds) {
      for (size_t i = 0; i < dims[kind].size(); ++i) order.emplace_back(kind, i);
    }
    return order;
  };
  Order lhs = pick(0, 2) > 0 ? order_of({0, 2, 1}) : order_of({0, 1, 2});
  Order rhs = pick(0, 2) > 0 ? order_of({0, 1, 3}) : order_of({0, 3, 1});
  if (pick(0, 5) == 0) std::shuffle(lhs.begin(), lhs.end(), random);
  if (pick(0, 5) == 0) std::shuffle(rhs.begin(), rhs.end(), random);
  const auto text = [&](const std::string& element, const Order& order) {
    std::vector<int64_t> list;
    for (const auto& [kind, i] : order) list.push_back(dims[kind][i]);
    return absl::StrCat(element, "[", absl::StrJoin(list, ","), "]");
  };
  const auto places = [&](const char* name, const Order& order, int wanted) {
    std::vector<size_t> found(dims[wanted].size());
    for (size_t p = 0; p < order.size(); ++p) {
      if (order[p].first == wanted) found[order[p].second] = p;
    }
    return found.empty() ? "" : absl::StrCat(", ", name, "={", absl::StrJoin(found, ","), "}");
  };
  Order result = order_of({0});
  for (const auto& [operand, kind] : {std::pair<const Order*, int>{&lhs, 2}, {&rhs, 3}}) {
    for (const auto& dimension : *operand) {
      if (dimension.first == kind) result.push_back(dimension);
    }
  }
  return {text(type[0], lhs), text(type[1], rhs), text(type[2], result),
          absl::StrCat(places("lhs_batch_dims", lhs, 0), places("rhs_batch_dims", rhs, 0),
                       places("lhs_contracting_dims", lhs, 1), places("rhs_contracting_dims", rhs, 1))};
}

// Whole numbers, so that every bit counts.
TEST(Product, RandomSizes) {
  std::mt19937 random(1);
  int products = 0;
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    const TestDot dot = RandomDot(random);
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n  x = ", dot.lhs, " parameter(0)\n  y = ", dot.rhs,
                     " parameter(1)\n  ROOT d = ", dot.result, " dot(x, y)", dot.attributes, "\n}\n");
    SCOPED_TRACE(text);
    FixedOperands fixed;
    fixed.lhs = random() % 8 == 0;
    fixed.rhs = random() % 4 == 0;
    const TestRun test = TestRun::OfWholeNumbers(text, 2);
    const auto program = MakeDotProgram(test.root(), fixed);
    if (absl::IsUnimplemented(program.status())) continue;  // dimensions that the pipeline arranges first
    ASSERT_TRUE(program.ok()) << program.status();
    test.Check(**program);
    ++products;
  }
  EXPECT_GT(products, 80);
}

// A tile that has begun runs to its end, whatever the deadline says.
TEST(Product, TilesOfTheLargestAreSmall) {
  constexpr double kMostFlops = 9e9;
  for (const auto& [m, k, n] :
       {std::array<int64_t, 3>{20000, 20000, 20000}, {1000000, 4000, 512}, {4000, 30000, 4000}}) {
    const auto module = ModuleFromText(
        absl::StrCat("HloModule m\nENTRY e { x = ", Array("f32", {m, k}), " parameter(0) y = ", Array("f32", {k, n}),
                     " parameter(1) ROOT d = ", Array("f32", {m, n}), " dot(x, y), ", kPlain, " }"));
    const auto program = MakeDotProgram(*module->entry()->root());
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_STREQ((*program)->kind(), "onednn");
    EXPECT_LT((*program)->FlopCount() / static_cast<double>((*program)->tile_count(0)), kMostFlops);
  }
}

TEST(Product, SaysNo) {
  const auto module = ModuleFromText(R"(HloModule m
ENTRY e {
  x = f32[2,3,4,5] parameter(0)
  y = f32[3,5,7] parameter(1)
  ROOT d = f32[2,4,7] dot(x, y), lhs_contracting_dims={1,3}, rhs_contracting_dims={0,1}
})");
  EXPECT_EQ("contracting dimensions do not lie in memory as one",
            MakeDotProgram(*module->entry()->root()).status().message());
}

}  // namespace
}  // namespace xla
