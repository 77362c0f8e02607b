// Views of modules and parts of them: what they hold, and that nothing in a module breaks them.
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/cutting/extract.h"
#include "tools/views/cost_table.h"
#include "tools/views/html_view.h"
#include "tools/views/instruction_text.h"
#include "tools/views/module_diff.h"
#include "tools/views/module_dot.h"
#include "tools/views/module_json.h"
#include "tools/views/split_input.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/compare_modules.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  return *std::move(module);
}

constexpr char kModel[] = R"(HloModule model
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
fused {
  p = f32[4,8] parameter(0)
  ROOT t = f32[4,8] tanh(p)
}
body {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  v = f32[4] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[4] multiply(v, v)
  ROOT r = (s32[], f32[4]) tuple(next, w)
}
condition {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT
}
ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  f = f32[4,8] fusion(x), kind=kLoop, calls=fused, metadata={op_name="jit(f)/tanh" source_line=3}
  zero = f32[] constant(0)
  r = f32[4] reduce(f, zero), dimensions={1}, to_apply=add
  start = s32[] constant(0)
  init = (s32[], f32[4]) tuple(start, r)
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  out = f32[4] get-tuple-element(loop), index=1
  ROOT n = f32[4] negate(out), control-predecessors={f}
}
)";

// ---- JSON

JsonValue Json(const HloModule& module) {
  const absl::StatusOr<JsonValue> value = ParseJson(*ModuleToJson(module), "json");
  EXPECT_TRUE(value.ok()) << value.status();
  return *value;
}

const JsonValue* FindInstruction(const JsonValue& module, absl::string_view name) {
  for (const JsonValue& computation : *module.Find("computations")->AsArray()) {
    for (const JsonValue& instruction : *computation.Find("instructions")->AsArray()) {
      if (*instruction.Find("name")->AsString() == name) return &instruction;
    }
  }
  return nullptr;
}

TEST(ModuleJson, HoldsTheModule) {
  const JsonValue json = Json(*Parse(kModel));
  EXPECT_EQ(*json.Find("entry")->AsString(), "main");
  EXPECT_EQ(json.Find("computations")->AsArray()->size(), 5u);
  const JsonValue& reduce = *FindInstruction(json, "r");
  EXPECT_EQ(*FindInstruction(json, "f")->Find("metadata")->Find("op_name")->AsString(), "jit(f)/tanh");
  EXPECT_EQ(*reduce.Find("opcode")->AsString(), "tuple");
  const JsonValue& shape = *FindInstruction(json, "x")->Find("shape");
  EXPECT_EQ(*shape.Find("type")->AsString(), "f32");
  EXPECT_EQ(shape.Find("dimensions")->AsArray()->at(1).AsInt64(), 8);
  EXPECT_EQ(shape.Find("minor_to_major")->AsArray()->at(0).AsInt64(), 1);
  const JsonValue& loop = *FindInstruction(json, "loop");
  EXPECT_EQ(*loop.Find("called_computations")->AsArray()->at(1).Find("role")->AsString(), "body");
  EXPECT_EQ(*FindInstruction(json, "less")->Find("attributes")->Find("direction")->AsString(), "LT");
  EXPECT_EQ(*FindInstruction(json, "ten")->Find("attributes")->Find("literal")->AsString(), "s32[] 10");
  EXPECT_EQ(*FindInstruction(json, "n")->Find("control_predecessors")->AsArray()->at(0).AsString(), "f");
}

TEST(ModuleJson, NamesMayBeAnything) {
  auto module = Parse(kModel);
  module->entry()->root()->set_name("\"</script>\\\n\xff\x01");
  const JsonValue json = Json(*module);
  EXPECT_NE(FindInstruction(json, "\"</script>\\\n\xEF\xBF\xBD\x01"), nullptr);
}

// ---- DOT

TEST(ModuleDot, DrawsFusionsInsideAndCallsAsEdges) {
  const std::string dot = *ModuleToDot(*Parse(kModel));
  EXPECT_THAT(dot, HasSubstr("f = fusion fused\\nf32[4,8]"));
  EXPECT_THAT(dot, HasSubstr("label=\"f32[4,8]\""));
  EXPECT_THAT(dot, HasSubstr("style=dashed"));
  EXPECT_THAT(dot, HasSubstr("label=\"control\""));
}

TEST(ModuleDot, QuotesWhatDotWouldRead) {
  EXPECT_EQ(DotQuoted("a\"b\\c\n&amp;<b>\x01\xff"), "\"a\\\"b\\\\c\\n&amp;amp;&lt;b&gt; \xEF\xBF\xBD\"");
}

TEST(ModuleDot, IsAcceptedByGraphviz) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0) GTEST_SKIP() << "Graphviz (dot) is not installed";
  auto module = Parse(kModel);
  module->set_name("\"</svg>\\");
  module->entry()->root()->set_name("n\"];}\\N&quot;");
  const std::string path = testing::TempDir() + "/model.dot";
  ASSERT_TRUE(WriteFile(path, *ModuleToDot(*module)).ok());
  // Graphviz complains where its fonts have no place for a cache.
  const std::string dot = absl::StrCat("XDG_CACHE_HOME=", testing::TempDir(), " dot -Tsvg ");
  EXPECT_EQ(std::system(absl::StrCat(dot, path, " -o ", path, ".svg 2>", path, ".err").c_str()), 0);
  EXPECT_EQ(ReadFile(path + ".err")->data(), "");
  EXPECT_THAT(std::string(ReadFile(path + ".svg")->data()), HasSubstr("n&quot;];}\\N&amp;quot;"));
}

// ---- HTML; hlo_opt_views_test looks at it in a browser

TEST(ModuleHtml, NamesCannotLeaveTheData) {
  auto module = Parse(kModel);
  module->set_name("</script><script>alert(1)</script>@SCRIPT@");
  module->entry()->root()->set_name("<!--<script>\"\xE2\x80\xA8");
  const std::string html = *ModuleToHtml(*module, *CostsOf(*module));
  const size_t begin = html.find("type=\"application/json\"");
  const std::string data = html.substr(html.find('>', begin) + 1);
  const auto json = ParseJson(data.substr(0, data.find("</script>")), "data");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json->Find("name")->AsString(), module->name());
  EXPECT_EQ(html.find("http"), html.find("http-equiv")) << "an address";
  EXPECT_THAT(html, testing::Not(HasSubstr("src=")));
}

// ---- Costs

TEST(CostTable, SortsByBytes) {
  const auto cost = [](const HloInstruction& instruction) {
    InstructionCost cost;
    cost.bytes = instruction.opcode() == HloOpcode::kFusion ? 1234567 : 2;
    cost.flops = 40;
    cost.runs = instruction.name() == "w" ? 10 : 1;
    return cost;
  };
  const std::string table = *CostTable(*Parse(kModel), cost, 2);
  EXPECT_THAT(table, HasSubstr("      1     1.23 M  100.0%         40          0  fusion\n"));
  EXPECT_THAT(table, HasSubstr("      1         20    0.0%        400          0  multiply\n"));
  EXPECT_THAT(table, HasSubstr("main/f = f32[4,8] fusion kind=kLoop\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("tanh")));
}

// ---- Differences

std::string Diff(absl::string_view a, absl::string_view b) {
  const auto module_a = Parse(a), module_b = Parse(b);
  const ModuleDiff diff = *DiffModules(*module_a, *module_b);
  EXPECT_EQ(diff.same, ModulesStructurallyEqual(*module_a, *module_b, nullptr)) << diff.text;
  return diff.text;
}

std::string Body(absl::string_view instructions) { return absl::StrCat("ENTRY main {\n", instructions, "}\n"); }

TEST(ModuleDiff, IgnoresNames) {
  EXPECT_EQ(Diff(kModel, kModel), "the same: 25 instructions\n");
  EXPECT_EQ(Diff(Body("  x = f32[2] parameter(0)\n  y = f32[2] parameter(1)\n  s = f32[2] sine(x)\n"
                      "  c = f32[2] cosine(y)\n  ROOT r = f32[2] add(s, c)\n"),
                 Body("  a = f32[2] parameter(1)\n  b = f32[2] parameter(0)\n  c = f32[2] cosine(a)\n"
                      "  x = f32[2] sine(b)\n  ROOT y = f32[2] add(x, c)\n")),
            "the same: 5 instructions\n");
}

TEST(ModuleDiff, PairsRootsThatHaveATwin) {
  EXPECT_EQ(Diff(Body("  x = f32[2] parameter(0)\n  ROOT a = f32[2] sine(x)\n  b = f32[2] sine(x)\n"),
                 Body("  x = f32[2] parameter(0)\n  c = f32[2] sine(x)\n  ROOT d = f32[2] sine(x)\n")),
            "the same: 3 instructions\n");
}

TEST(ModuleDiff, ShowsWhatWasPutBetween) {
  EXPECT_EQ(Diff(Body("  x = f32[2] parameter(0)\n  s = f32[2] sine(x)\n  t = f32[2] tanh(s)\n"
                      "  u = f32[2] negate(t)\n  v = f32[2] floor(u)\n  ROOT r = f32[2] abs(v)\n"),
                 Body("  p = f32[2] parameter(0)\n  s = f32[2] sine(p)\n  new = f32[2] cosine(s)\n"
                      "  t = f32[2] tanh(new)\n  u = f32[2] negate(t)\n  v = f32[2] floor(u)\n"
                      "  ROOT r = f32[2] abs(v)\n")),
            R"(computation main
    p = f32[2]{0} parameter(0)
    s = f32[2]{0} sine(p)
+   new = f32[2]{0} cosine(s)
-   t = f32[2]{0} tanh(s)
+   t = f32[2]{0} tanh(new)
      # operand 0 s -> new
    u = f32[2]{0} negate(t)
    v = f32[2]{0} floor(u)
    ...

0 removed, 1 added, 1 changed, 5 the same
)");
}

TEST(ModuleDiff, SaysWhatChanged) {
  constexpr char kBefore[] = R"(HloModule m
ENTRY main {
  x = f32[2,3] parameter(0)
  c = f32[] constant(1)
  b = f32[2,3] broadcast(c), dimensions={}
  a = f32[2,3] add(x, b)
  t = f32[3,2] transpose(a), dimensions={1,0}
  ROOT n = f32[3,2] negate(t)
}
)";
  EXPECT_EQ(Diff(kBefore, R"(HloModule m, replica_count=2
ENTRY main {
  x = f32[2,3] parameter(0)
  c = f32[] constant(2)
  b = f32[2,3] broadcast(c), dimensions={}
  a = f32[2,3] multiply(x, b)
  t = f32[3,2]{0,1} transpose(a), dimensions={1,0}, sharding={replicated}
  unused = f32[2,3] sine(x)
  ROOT n = f32[3,2] negate(t)
}
)"),
            R"(header: replica_count 1 -> 2
computation main
    x = f32[2,3]{1,0} parameter(0)
-   c = f32[] constant(1)
+   c = f32[] constant(2)
      # literal f32[] 1 -> f32[] 2
    b = f32[2,3]{1,0} broadcast(c), dimensions={}
-   a = f32[2,3]{1,0} add(x, b)
+   a = f32[2,3]{1,0} multiply(x, b)
      # opcode add -> multiply
-   t = f32[3,2]{1,0} transpose(a), dimensions={1,0}
+   t = f32[3,2]{0,1} transpose(a), dimensions={1,0}, sharding={replicated}
      # layout f32[3,2]{1,0} -> f32[3,2]{0,1}; sharding (none) -> {replicated}
+   unused = f32[2,3]{1,0} sine(x)
    ROOT n = f32[3,2]{1,0} negate(t)

0 removed, 1 added, 3 changed, 3 the same
)");
}

TEST(ModuleDiff, FollowsCalls) {
  std::string other(kModel);
  other.replace(other.find("multiply(v, v)"), 14, "add(v, v)");
  EXPECT_THAT(Diff(kModel, other), testing::StartsWith("computation body\n    ...\n"));
  EXPECT_THAT(Diff(kModel, other), HasSubstr("      # opcode multiply -> add\n"));
  EXPECT_THAT(Diff(kModel, other), HasSubstr("0 removed, 0 added, 1 changed, 24 the same\n"));
}

TEST(ModuleDiff, LargeModulesTakeLittleTime) {
  std::string a = "ENTRY main {\n  v0 = f32[2] parameter(0)\n", b = a;
  for (int i = 1; i < 20000; ++i) {
    absl::StrAppend(&a, "  v", i, " = f32[2] add(v", i - 1, ", v", i / 2, ")\n");
    absl::StrAppend(&b, "  w", i, " = f32[2] ", i == 10000 ? "subtract(" : "add(", i == 1 ? "v" : "w", i - 1, ", ",
                    i / 2 == 0 ? "v" : "w", i / 2, ")\n");
  }
  absl::StrAppend(&a, "  ROOT r = f32[2] negate(v19999)\n}\n");
  absl::StrAppend(&b, "  ROOT r = f32[2] negate(w19999)\n}\n");
  EXPECT_THAT(Diff(a, b), HasSubstr("\n0 removed, 0 added, 1 changed, 20000 the same\n"));
}

// ---- Parts

std::string Extract(absl::string_view text, absl::string_view what) {
  const auto request = ParseExtractRequest(what);
  if (!request.ok()) return std::string(request.status().message());
  const auto extracted = ExtractModule(*Parse(text), *request);
  if (!extracted.ok()) return std::string(extracted.status().message());
  EXPECT_TRUE(VerifyModule(**extracted).ok()) << VerifyModule(**extracted);
  PrintOptions options = PrintOptions::Short();
  options.result_layouts = false;
  const std::string printed = ModuleToString(**extracted, options);
  EXPECT_TRUE(ParseHloModule(printed).ok()) << printed;
  return printed.substr(printed.find("\n\n") + 2);
}

TEST(Extract, CutsAtTheDepth) {
  EXPECT_EQ(Extract(kModel, "out,1"), R"(body {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  v = f32[4] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[4] multiply(v, v)
  ROOT r = (s32[], f32[4]) tuple(next, w)
}

condition {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT
}

ENTRY main {
  init = (s32[], f32[4]) parameter(0)
  loop = (s32[], f32[4]) while(init), condition=condition, body=body
  ROOT out = f32[4] get-tuple-element(loop), index=1
}

)");
  EXPECT_EQ(Extract(kModel, "main/n,0"),
            "ENTRY main {\n  out = f32[4] parameter(0)\n  ROOT n = f32[4] negate(out)\n}\n\n");
  EXPECT_EQ(Extract(kModel, "x"), "ENTRY main {\n  ROOT x = f32[4,8] parameter(0)\n}\n\n");
  EXPECT_THAT(Extract(kModel, "main/r,0"), HasSubstr("  zero = f32[] constant(0)\n"));
  EXPECT_EQ(Extract(kModel, "body/w,5"), R"(ENTRY body {
  state = (s32[], f32[4]) parameter(0)
  v = f32[4] get-tuple-element(state), index=1
  ROOT w = f32[4] multiply(v, v)
}

)");
}

TEST(Extract, TheWholeIsTheWhole) {
  const auto module = Parse(kModel);
  const auto extracted = ExtractModule(*module, *ParseExtractRequest("n"));
  std::string difference;
  EXPECT_TRUE(ModulesStructurallyEqual(*module, **extracted, &difference)) << difference;
}

TEST(Extract, TokensAndStartsAreKept) {
  constexpr char kText[] = R"(ENTRY e {
  x = f32[2] parameter(0)
  t = token[] after-all()
  s = (f32[2], f32[2], u32[]) copy-start(x)
  d = f32[2] copy-done(s)
  ROOT o = token[] outfeed(d, t), outfeed_shape=f32[2]
})";
  EXPECT_EQ(Extract(kText, "o,0"), R"(ENTRY e {
  t = token[] after-all()
  d = f32[2] parameter(0)
  ROOT o = token[] outfeed(d, t), outfeed_shape=f32[2]{0}
}

)");
  EXPECT_EQ(Extract(kText, "s,0"), Extract(kText, "d,0"));
  EXPECT_EQ(Extract(kText, "d,0"), R"(ENTRY e {
  x = f32[2] parameter(0)
  s = (f32[2], f32[2], u32[]) copy-start(x)
  ROOT d = f32[2] copy-done(s)
}

)");
}

TEST(Extract, SaysWhatIsWrong) {
  EXPECT_EQ(Extract(kModel, "lop"), "there is no instruction 'lop'; did you mean 'loop'?");
  EXPECT_EQ(Extract(kModel, "man/n"), "there is no computation 'man'; did you mean 'main'?");
  EXPECT_EQ(Extract(kModel, "i"), "several computations have an instruction 'i'; say which: body/i, condition/i");
  EXPECT_EQ(Extract(kModel, "n,x"), "'x' is not a depth: expected NAME,DEPTH with a whole number of at least 0");
  EXPECT_EQ(Extract(kModel, ""), "expected the name of an instruction: NAME, NAME,DEPTH or COMPUTATION/NAME");
}

TEST(SplitInput, KeepsLineNumbers) {
  EXPECT_THAT(SplitInput("a\n// -----\n\n// nothing\n// ----- more\nb\nc"),
              testing::ElementsAre("a\n", "\n\n\n\n\nb\nc"));
  EXPECT_THAT(SplitInput(" \n// -----\n"), testing::IsEmpty());
}

TEST(InstructionText, WideTuplesAreCut) {
  std::string shapes;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&shapes, i == 0 ? "" : ", ", "f32[4]");
  const auto module = Parse(absl::StrCat("ENTRY e {\n  ROOT p = (", shapes, ") parameter(0)\n}\n"));
  EXPECT_EQ(ShortShape(*module->entry()->root()),
            "(f32[4], f32[4], f32[4], f32[4], f32[4], f32[4], f32[4], f32... 1000 elements)");
  EXPECT_EQ(ShortShape(*Parse("ENTRY e {\n  ROOT p = ((f32[4], s32[]), pred[2]) parameter(0)\n}\n")->entry()->root()),
            "((f32[4], s32[]), pred[2])");
}

TEST(InstructionText, CutsBetweenCharacters) {
  EXPECT_EQ(Cut("abc", 3), "abc");
  EXPECT_EQ(Cut("a\xC3\xA4z", 2), "a...");
  EXPECT_EQ(ValidUtf8("\xC3\xA4\xC3|\xED\xA0\x80"), "\xC3\xA4\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace xla
