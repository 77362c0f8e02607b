// Kernels whose results take the memory of operands: whoever reads an operand must do so before it is overwritten.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "gmock/gmock.h"
#include "tests/kernels/expect_kernels.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

// The loop over rows writes an element of x and then reads it for each element of the row.
TEST(InPlace, ReadsARowBeforeItIsOverwritten) {
  ExpectKernels(R"(HloModule m
f { x = f32[8] parameter(0) y = f32[8,128] parameter(1) z = f32[] constant(0)
  s = f32[7] slice(x), slice={[0:7]} a = f32[8] pad(s, z), padding=0_1
  b = f32[8,128] broadcast(x), dimensions={0} c = f32[8,128] add(b, y)
  ROOT t = (f32[8], f32[8,128]) tuple(a, c) }
ENTRY e { x = f32[8] parameter(0) y = f32[8,128] parameter(1)
  ROOT r = (f32[8], f32[8,128]) fusion(x, y), kind=kLoop, calls=f, output_to_operand_aliasing={{0}: (0, {})} }
)");
}

TEST(InPlace, UpdatesBeforeCopiesAreWrittenBack) {
  ExpectKernels(R"(HloModule m
f { x = s32[200] parameter(0) i = s32[] constant(24) j = s32[] constant(72)
  p = s32[192] dynamic-slice(x, i), dynamic_slice_sizes={192}
  u = s32[200] dynamic-update-slice(x, p, j) n = s32[200] not(u)
  ROOT t = (s32[200], s32[200]) tuple(u, n) }
ENTRY e { x = s32[200] parameter(0)
  ROOT r = (s32[200], s32[200]) fusion(x), kind=kLoop, calls=f, output_to_operand_aliasing={{1}: (0, {})} }
)");
}

TEST(InPlace, CopiesWaitForTheOtherResults) {
  ExpectKernels(R"(HloModule m
f { x = s32[64] parameter(0) y = s32[64] parameter(1) z = s32[] constant(3)
  a = s32[31] slice(x), slice={[0:31]} b = s32[64] pad(a, z), padding=33_0
  c = s32[49] slice(x), slice={[15:64]} d = s32[15] slice(y), slice={[0:15]}
  g = s32[64] concatenate(c, d), dimensions={0} n = s32[64] not(b)
  ROOT t = (s32[64], s32[64], s32[64]) tuple(b, n, g) }
ENTRY e { x = s32[64] parameter(0) y = s32[64] parameter(1)
  ROOT r = (s32[64], s32[64], s32[64]) fusion(x, y), kind=kLoop, calls=f,
    output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})} }
)");
}

// Each element is read before the one at its place is written, by the same iteration: nothing is copied.
TEST(InPlace, ExchangesArraysElementByElement) {
  constexpr char kExchange[] = R"(HloModule m
f { x = f32[600] parameter(0) y = f32[600] parameter(1) n = f32[600] negate(x)
  ROOT t = (f32[600], f32[600]) tuple(y, n) }
ENTRY e { x = f32[600] parameter(0) y = f32[600] parameter(1)
  ROOT r = (f32[600], f32[600]) fusion(x, y), kind=kLoop, calls=f,
    output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})} }
)";
  ExpectKernels(kExchange);
  const auto module = ParseHloModule(kExchange);
  const auto lowered = LowerInstruction(*(*module)->entry()->root(), LoweringTarget(), {0, 1});
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(lowered->kernel.phases.size(), 1u) << KernelToString(lowered->kernel);
}

// A fusion of square matrices, and vectors that are as long as their rows.
class RandomFusion {
 public:
  explicit RandomFusion(uint64_t seed) : random_(seed), size_(Chance(50) ? 6 : 20) {}

  std::string Write() {
    const int operands = Pick(1, 3);
    Names types;
    std::string entry, arguments;
    for (int i = 0; i < operands; ++i) {
      const bool is_matrix = Chance(65);
      types.push_back(Typed(is_matrix ? "M" : "V"));
      const std::string name = Define(types.back(), absl::StrCat("parameter(", i, ")"), is_matrix);
      absl::StrAppend(&entry, "  p", i, " = ", types.back(), " parameter(", i, ")\n");
      absl::StrAppend(&arguments, i == 0 ? "" : ", ", "p", i);
    }
    for (int i = Pick(1, 5); i > 0; --i) AddValue();
    Names made, shapes, aliases;
    const int results = Pick(1, 3);
    std::vector<bool> taken(operands, false);
    for (int i = 0; i < results; ++i) {
      const bool is_matrix = Chance(65);
      // Everything flows into the last result: what has no users must not be there.
      std::string value = i + 1 < results ? PickFrom(is_matrix) : Sum(is_matrix);
      value = Define(Typed(is_matrix ? "M" : "V"), absl::StrCat("copy(", value, ")"), is_matrix);
      made.push_back(value);
      shapes.push_back(Typed(is_matrix ? "M" : "V"));
      const int operand = Pick(0, operands - 1);
      if (taken[operand] || types[operand] != shapes.back()) continue;
      taken[operand] = true;
      aliases.push_back(absl::StrCat("{", i, "}: (", operand, ", {})"));
    }
    const std::string shape = absl::StrCat("(", absl::StrJoin(shapes, ", "), ")");
    const std::string aliasing =
        aliases.empty() ? "" : absl::StrCat(", output_to_operand_aliasing={", absl::StrJoin(aliases, ", "), "}");
    return absl::StrCat(
        "HloModule m\nadd { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\nf {\n", text_,
        "  ROOT t = ", shape, " tuple(", absl::StrJoin(made, ", "), ")\n}\nENTRY e {\n", entry, "  ROOT r = ", shape,
        " fusion(", arguments, "), kind=kLoop, calls=f", aliasing, "\n}\n");
  }

 private:
  using Names = std::vector<std::string>;

  int Pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1)); }
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  // M is a matrix, V a vector, N the size.
  std::string Typed(const std::string& text) const {
    const std::string n = absl::StrCat(size_);
    return absl::StrReplaceAll(text, {{"M", absl::StrCat("s32[", n, ",", n, "]")},
                                      {"V", absl::StrCat("s32[", n, "]")},
                                      {"N", n}});
  }
  std::string Define(const std::string& shape, const std::string& what, bool is_matrix) {
    const std::string name = absl::StrCat("v", ++names_);
    absl::StrAppend(&text_, "  ", name, " = ", shape, " ", what, "\n");
    (is_matrix ? matrices_ : vectors_).push_back(name);
    return name;
  }
  std::string Helper(const std::string& shape, const std::string& what) {
    const std::string name = absl::StrCat("h", ++names_);
    absl::StrAppend(&text_, "  ", name, " = ", shape, " ", what, "\n");
    return name;
  }
  std::string Reduced(const std::string& matrix, int dimension) {
    const std::string zero = Helper("s32[]", "constant(0)");
    return absl::StrCat("reduce(", matrix, ", ", zero, "), dimensions={", dimension, "}, to_apply=add");
  }
  std::string PickFrom(bool is_matrix) {
    const Names& names = is_matrix ? matrices_ : vectors_;
    if (!names.empty()) return names[Pick(0, static_cast<int>(names.size()) - 1)];
    return is_matrix ? Define(Typed("M"), absl::StrCat("broadcast(", vectors_[0], "), dimensions={0}"), true)
                     : Define(Typed("V"), Reduced(matrices_[0], 1), false);
  }
  std::string Sum(bool is_matrix) {
    std::string sum = PickFrom(is_matrix);
    const Names matrices = matrices_, vectors = vectors_;
    const auto add = [&](const std::string& value) {
      sum = Helper(Typed(is_matrix ? "M" : "V"), absl::StrCat("subtract(", sum, ", ", value, ")"));
    };
    for (const std::string& matrix : matrices) {
      add(is_matrix ? matrix : Helper(Typed("V"), Reduced(matrix, 0)));
    }
    for (const std::string& vector : vectors) {
      add(is_matrix ? Helper(Typed("M"), absl::StrCat("broadcast(", vector, "), dimensions={1}")) : vector);
    }
    return sum;
  }

  void AddValue() {
    const bool is_matrix = Chance(65);
    const std::string t = Typed(is_matrix ? "M" : "V");
    const std::string x = PickFrom(is_matrix);
    const std::string y = PickFrom(is_matrix);
    const int d = is_matrix ? Pick(0, 1) : 0;
    const int cut = Pick(1, size_ - 1);
    switch (Pick(0, is_matrix ? 9 : 6)) {
      case 0:
        Define(t, absl::StrCat("not(", x, ")"), is_matrix);
        return;
      case 1:
        Define(t, absl::StrCat("add(", x, ", ", y, ")"), is_matrix);
        return;
      case 2:
        Define(t, absl::StrCat("reverse(", x, "), dimensions={", d, "}"), is_matrix);
        return;
      case 3: {  // moved by some places
        const std::string zero = Helper("s32[]", "constant(5)");
        const int low = Chance(50) ? cut : -cut;
        const std::string here = absl::StrCat(low, "_", -low);
        const std::string padding = !is_matrix ? here : d == 0 ? here + "x0_0" : "0_0x" + here;
        Define(t, absl::StrCat("pad(", x, ", ", zero, "), padding=", padding), is_matrix);
        return;
      }
      case 4: {  // the last of one and the first of the other
        const auto part = [&](const std::string& whole, int begin, int end) {
          const std::string all = absl::StrCat("[0:", size_, "]");
          const std::string here = absl::StrCat("[", begin, ":", end, "]");
          const std::string shape = !is_matrix ? absl::StrCat("s32[", end - begin, "]")
                                    : d == 0   ? Typed(absl::StrCat("s32[", end - begin, ",N]"))
                                               : Typed(absl::StrCat("s32[N,", end - begin, "]"));
          const std::string bounds = !is_matrix ? here : d == 0 ? here + "," + all : all + "," + here;
          return Helper(shape, absl::StrCat("slice(", whole, "), slice={", bounds, "}"));
        };
        const std::string left = part(x, cut, size_);
        const std::string right = part(y, 0, cut);
        Define(t, absl::StrCat("concatenate(", left, ", ", right, "), dimensions={", d, "}"), is_matrix);
        return;
      }
      case 5: {
        const std::string from = Helper("s32[]", absl::StrCat("constant(", Pick(0, 4), ")"));
        const std::string to = Helper("s32[]", absl::StrCat("constant(", Pick(0, 4), ")"));
        const std::string shape = is_matrix ? "s32[2,3]" : "s32[3]";
        const std::string rest = is_matrix ? ", " + from : "";
        const std::string part = Helper(shape, absl::StrCat("dynamic-slice(", y, ", ", from, rest,
                                                            "), dynamic_slice_sizes={", is_matrix ? "2,3" : "3", "}"));
        Define(t, absl::StrCat("dynamic-update-slice(", x, ", ", part, ", ", to, is_matrix ? ", " + to : "", ")"),
               is_matrix);
        return;
      }
      case 6: {
        const std::string indices = Helper("s32[3]", "constant({1, 4, 1})");
        const std::string columns = is_matrix ? absl::StrCat(",[0:", size_, "]") : "";
        const std::string updates = Helper(is_matrix ? Typed("s32[3,N]") : "s32[3]",
                                           absl::StrCat("slice(", y, "), slice={[0:3]", columns, "}"));
        Define(t,
               absl::StrCat("scatter(", x, ", ", indices, ", ", updates, "), update_window_dims={",
                            is_matrix ? "1" : "",
                            "}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                            "to_apply=add"),
               is_matrix);
        return;
      }
      case 7:
        Define(t, absl::StrCat("transpose(", x, "), dimensions={1,0}"), is_matrix);
        return;
      case 8: {
        const std::string vector = PickFrom(false);
        Define(t, absl::StrCat("broadcast(", vector, "), dimensions={", d, "}"), is_matrix);
        return;
      }
      default:
        Define(Typed("V"), Reduced(x, d), false);
    }
  }

  std::mt19937_64 random_;
  const int size_;
  int names_ = 0;
  std::string text_;
  Names matrices_, vectors_;
};

TEST(InPlace, RandomFusionsAgreeWithTheEvaluator) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = RandomFusion(seed).Write();
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ExpectKernels(text);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << text;
      return;
    }
  }
}

}  // namespace
}  // namespace xla
