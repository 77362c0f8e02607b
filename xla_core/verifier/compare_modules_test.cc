#include "xla_core/verifier/compare_modules.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// Nothing if the modules are equal.
std::string Difference(absl::string_view a, absl::string_view b, const CompareOptions& options = {}) {
  std::string difference, reverse;
  const auto module_a = Parse(a), module_b = Parse(b);
  const bool equal = ModulesStructurallyEqual(*module_a, *module_b, &difference, options);
  EXPECT_EQ(equal, difference.empty());
  EXPECT_EQ(ModulesStructurallyEqual(*module_b, *module_a, &reverse, options), equal) << reverse;
  return difference;
}

std::string DifferenceOfBodies(absl::string_view a, absl::string_view b, const CompareOptions& options = {}) {
  return Difference(absl::StrCat("ENTRY main {\n", a, "\n}"), absl::StrCat("ENTRY main {\n", b, "\n}"), options);
}

TEST(CompareModules, IgnoresNamesOrderMetadataAndWhatIsNotNeeded) {
  EXPECT_EQ(DifferenceOfBodies(R"(
    x = f32[2] parameter(0)
    y = f32[2] parameter(1)
    n = f32[2] negate(x), metadata={op_name="n"}
    m = f32[2] sine(y)
    ROOT r = f32[2] add(n, m))",
                               R"(
    b = f32[2] parameter(1)
    unused = f32[2] cosine(b)
    s = f32[2] sine(b)
    a = f32[2] parameter(0)
    t = f32[2] negate(a)
    ROOT z = f32[2] add(t, s))"),
            "");
}

TEST(CompareModules, TellsSharingFromCopies) {
  EXPECT_EQ(DifferenceOfBodies("i = s32[2] iota(), iota_dimension=0\n ROOT r = s32[2] add(i, i)",
                               "i = s32[2] iota(), iota_dimension=0\n j = s32[2] iota(), iota_dimension=0\n"
                               "ROOT r = s32[2] add(i, j)"),
            "in main: the first was met before as i: i = s32[2] iota() and j = s32[2] iota()");
}

TEST(CompareModules, NamesTheFirstDifference) {
  const auto negated = [](absl::string_view rest) {
    return absl::StrCat("x = f32[2,2] parameter(0)\n y = f32[2,2] parameter(1)\n", rest);
  };
  EXPECT_EQ(DifferenceOfBodies(negated("ROOT r = f32[2,2] add(x, y)"), negated("ROOT q = f32[2,2] multiply(x, y)")),
            "in main: opcodes differ: r = f32[2,2] add(x, y) and q = f32[2,2] multiply(x, y)");
  EXPECT_EQ(
      DifferenceOfBodies(negated("ROOT r = f32[2,2] subtract(x, y)"), negated("ROOT r = f32[2,2] subtract(y, x)")),
      "in main: the first was met before as x: x = f32[2,2] parameter() and y = f32[2,2] parameter()");
  EXPECT_EQ(DifferenceOfBodies(negated("ROOT r = f32[2,2] transpose(x), dimensions={1,0}"),
                               negated("ROOT r = f32[2,2] transpose(x), dimensions={0,1}")),
            "in main: dimensions differs: r = f32[2,2] transpose(x) and r = f32[2,2] transpose(x)");
  EXPECT_EQ(DifferenceOfBodies("ROOT c = f32[] constant(1)", "ROOT c = f32[] constant(2)"),
            "in main: literal differs: c = f32[] constant() and c = f32[] constant()");
  EXPECT_EQ(DifferenceOfBodies("ROOT c = f32[] constant(1)", "ROOT c = f64[] constant(1)"),
            "in main: shapes f32[] and f64[] differ: c = f32[] constant() and c = f64[] constant()");
  EXPECT_EQ(DifferenceOfBodies("ROOT c = f32[] constant(1)", "p = f32[] parameter(0)\n ROOT c = f32[] constant(1)"),
            "in main: there are 0 and 1 parameters");
  EXPECT_EQ(DifferenceOfBodies("ROOT c = f32[] constant(0)", "ROOT c = f32[] constant(-0)"),
            "in main: literal differs: c = f32[] constant() and c = f32[] constant()");
  EXPECT_EQ(DifferenceOfBodies(negated("ROOT r = f32[2,2] add(x, y), sharding={replicated}"),
                               negated("ROOT r = f32[2,2] add(x, y)")),
            "in main: sharding differs: r = f32[2,2] add(x, y) and r = f32[2,2] add(x, y)");
}

TEST(CompareModules, LooksAtTheHeader) {
  constexpr char kBody[] = "\nENTRY main {\n  ROOT x = f32[2] parameter(0)\n}";
  EXPECT_EQ(Difference(absl::StrCat("HloModule a", kBody), absl::StrCat("HloModule b, is_scheduled=true", kBody)), "");
  EXPECT_EQ(Difference(absl::StrCat("HloModule a", kBody), absl::StrCat("HloModule a, replica_count=2", kBody)),
            "in the header: replica_count is 1 and 2");
  EXPECT_EQ(Difference(absl::StrCat("HloModule a", kBody),
                       absl::StrCat("HloModule a, input_output_alias={ {}: (0, {}, may-alias) }", kBody)),
            "in the header: input_output_alias differs");
}

TEST(CompareModules, LayoutsCountOnlyWhenAskedForAndAroundBitcasts) {
  CompareOptions with_layouts;
  with_layouts.layouts = true;
  constexpr char kPlain[] = "x = f32[2,3] parameter(0)\n ROOT n = f32[2,3] negate(x)";
  constexpr char kTurned[] = "x = f32[2,3] parameter(0)\n ROOT n = f32[2,3]{0,1} negate(x)";
  EXPECT_EQ(DifferenceOfBodies(kPlain, kTurned), "");
  EXPECT_EQ(DifferenceOfBodies(kPlain, kPlain, with_layouts), "");
  EXPECT_NE(DifferenceOfBodies(kPlain, kTurned, with_layouts), "");
  EXPECT_EQ(DifferenceOfBodies("x = f32[2,3]{1,0} parameter(0)\n ROOT b = f32[3,2]{1,0} bitcast(x)",
                               "x = f32[2,3]{1,0} parameter(0)\n ROOT b = f32[3,2]{0,1} bitcast(x)"),
            "in main: layouts around a bitcast differ: b = f32[3,2] bitcast(x) and b = f32[3,2] bitcast(x)");
}

TEST(CompareModules, TakesAMissingLayoutOfAnAttributeForRowMajor) {
  const auto program = [](absl::string_view shape) {
    return absl::StrCat(
        "x = f32[2,3] parameter(0)\n t = token[] after-all()\n ROOT o = token[] outfeed(x, t), "
        "outfeed_shape=",
        shape);
  };
  EXPECT_EQ(DifferenceOfBodies(program("f32[2,3]"), program("f32[2,3]{1,0}")), "");
  EXPECT_EQ(DifferenceOfBodies(program("f32[2,3]"), program("f32[2,3]{0,1}")),
            "in main: outfeed_shape differs: o = token[] outfeed(x, t) and o = token[] outfeed(x, t)");
}

TEST(CompareModules, TakesComparisonsOfIntegersByTheirOwnOrder) {
  auto a = Parse("ENTRY e { x = s32[2] parameter(0)  ROOT c = pred[2] compare(x, x), direction=LT }");
  const auto b =
      Parse("ENTRY e { x = s32[2] parameter(0)  ROOT c = pred[2] compare(x, x), direction=LT, type=SIGNED }");
  EXPECT_TRUE(ModulesStructurallyEqual(*a, *b, nullptr));
  a->entry()->root()->mutable_attributes<CompareAttributes>().type = ComparisonType::kFloat;
  EXPECT_TRUE(ModulesStructurallyEqual(*a, *b, nullptr));
  EXPECT_THAT(
      DifferenceOfBodies("x = f32[2] parameter(0)\n ROOT c = pred[2] compare(x, x), direction=LT",
                         "x = f32[2] parameter(0)\n ROOT c = pred[2] compare(x, x), direction=LT, type=TOTALORDER"),
      HasSubstr("type differs"));
}

TEST(CompareModules, TakesStepsOfAsyncOperationsByTheirStart) {
  const auto a = Parse(R"(
f { p = f32[2] parameter(0)  ROOT n = f32[2] negate(p) }, execution_thread="t"
ENTRY e { x = f32[2] parameter(0)
  s = ((f32[2]), f32[2], s32[]) async-start(x), async_execution_thread="t", calls=f
  ROOT d = f32[2] async-done(s) })");
  const auto b = CloneModule(*a);
  HloInstruction* const done = b->entry()->root();
  if (done->called_computations().empty()) {
    done->AddCalledComputation(done->operand(0)->called_computation(0));
  } else {
    done->ClearCalledComputations();
  }
  std::string difference;
  EXPECT_TRUE(ModulesStructurallyEqual(*a, *b, &difference)) << difference;
  EXPECT_TRUE(ModulesStructurallyEqual(*b, *a, &difference)) << difference;
}

TEST(CompareModules, TakesWhatIsUnsetForFalse) {
  const auto program = [](absl::string_view attribute) {
    return absl::StrCat(R"(
sum { a = s32[2] parameter(0)  b = s32[2] parameter(1)  c = s32[2] add(a, b)  ROOT r = (s32[2], s32[2]) tuple(c, c) }
ENTRY main {
  x = s32[2,3] parameter(0)  y = s32[2] parameter(1)
  ROOT o = (s32[2,3], s32[2]) scan(x, y), dimensions={1}, num_carries=1, to_apply=sum)",
                        attribute, "\n}");
  };
  EXPECT_EQ(Difference(program(""), program(", is_associative=false")), "");
  EXPECT_THAT(Difference(program(""), program(", is_associative=true")), HasSubstr("is_associative differs"));
}

constexpr char kMain[] = R"(
ENTRY main {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=f
  s = f32[] reduce(x, z), dimensions={0}, to_apply=g
  ROOT t = (f32[], f32[]) tuple(r, s)
})";

std::string Reducer(absl::string_view name, absl::string_view opcode) {
  return absl::StrCat(name, " {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] ", opcode,
                      "(a, b)\n}\n");
}

TEST(CompareModules, ComparesCalledComputations) {
  const std::string two = absl::StrCat(Reducer("f", "add"), Reducer("g", "add"), kMain);
  const std::string other = absl::StrCat(Reducer("f", "add"), Reducer("g", "maximum"), kMain);
  std::string shared = absl::StrCat(Reducer("f", "add"), kMain);
  shared.replace(shared.find("to_apply=g"), 10, "to_apply=f");
  EXPECT_EQ(Difference(two, two), "");
  EXPECT_EQ(Difference(two, shared), "");
  EXPECT_EQ(Difference(two, other), "in g: opcodes differ: c = f32[] add(a, b) and c = f32[] maximum(a, b)");
  EXPECT_EQ(Difference(shared, other), "in f and g: opcodes differ: c = f32[] add(a, b) and c = f32[] maximum(a, b)");
}

TEST(CompareModules, SideEffectsCountThoughNobodyUsesThem) {
  constexpr char kOne[] = R"(
    x = f32[2] parameter(0)
    t = token[] after-all()
    o = token[] outfeed(x, t), outfeed_shape=f32[2]
    ROOT n = f32[2] negate(x))";
  constexpr char kMoved[] = R"(
    x = f32[2] parameter(0)
    n2 = f32[2] negate(x)
    u = token[] after-all()
    o = token[] outfeed(x, u), outfeed_shape=f32[2]
    ROOT n = f32[2] negate(x))";
  constexpr char kOther[] = R"(
    x = f32[2] parameter(0)
    n = f32[2] negate(x)
    u = token[] after-all()
    o = token[] outfeed(n, u), outfeed_shape=f32[2]
    ROOT m = f32[2] negate(x))";
  EXPECT_EQ(DifferenceOfBodies(kOne, kMoved), "");
  EXPECT_EQ(DifferenceOfBodies(kOne, "x = f32[2] parameter(0)\n ROOT n = f32[2] negate(x)"),
            "in main: only the first has a side effect: o = token[] outfeed(x, t)");
  EXPECT_EQ(DifferenceOfBodies(kOne, kOther), "in main: only the first has a side effect: o = token[] outfeed(x, t)");
}

TEST(CompareModules, ComparesControlEdges) {
  constexpr char kFormat[] = R"(
    x = f32[2] parameter(0)
    a = f32[2] sine(x)
    b = f32[2] cosine(x)%s
    ROOT n = (f32[2], f32[2]) tuple(a, b))";
  const auto body = [&](absl::string_view edge) {
    std::string text = kFormat;
    return text.replace(text.find("%s"), 2, std::string(edge));
  };
  EXPECT_EQ(DifferenceOfBodies(body(", control-predecessors={a}"), body(", control-predecessors={a}")), "");
  EXPECT_EQ(DifferenceOfBodies(body(", control-predecessors={a}"), body("")),
            "in main: only the first waits for a: b = f32[2] cosine(x) and b = f32[2] cosine(x)");
}

TEST(CompareModules, LongChainsAndManyCopiesOfACalleeAreFast) {
  std::string text = Reducer("f", "add") + "ENTRY main {\n  v0 = f32[] parameter(0)\n";
  for (int i = 1; i < 40000; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[] ", i % 2 == 0 ? "negate(v" : "call(v", i - 1,
                    i % 2 == 0 ? ")\n" : absl::StrCat(", v", i / 2, "), to_apply=f\n"));
  }
  absl::StrAppend(&text, "  ROOT r = f32[] negate(v39999)\n}\n");
  const auto module = Parse(text);
  const auto copy = CloneModule(*module);
  std::string difference;
  EXPECT_TRUE(ModulesStructurallyEqual(*module, *copy, &difference)) << difference;
  EXPECT_TRUE(ModulesStructurallyEqual(*module, *copy, nullptr));
}

}  // namespace
}  // namespace xla
