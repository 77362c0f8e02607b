// Runs hlo-opt as a user does who looks at modules or cuts them up.

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "tools/testing/shell.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string AddFile() {
  return File("add.hlo", R"(HloModule add_module

ENTRY main {
  x = f32[2,3] parameter(0)
  y = f32[3] parameter(1)
  b = f32[2,3] broadcast(y), dimensions={1}
  ROOT sum = f32[2,3] add(x, b)
}
)");
}

TEST(HloOptViews, WritesEachView) {
  EXPECT_THAT(Shell("hlo-opt --to dot " + AddFile()).out, StartsWith("digraph \"add_module\" {"));
  const ShellOutcome json = Shell("hlo-opt --to json " + AddFile());
  EXPECT_TRUE(ParseJson(json.out, "out").ok()) << json.out;
  EXPECT_THAT(Shell("hlo-opt --cost " + AddFile()).out, HasSubstr("main/sum = f32[2,3] add"));
}

// ---- Costs on many devices

std::string TopologyFile() {
  return File("two.json", R"({"hosts": 1, "devices_per_host": 2, "device": {"flops": 1e9, "memory_bandwidth": 1e9},
"links": {"devices": {"latency": 1e-6, "bandwidth": 1e9}}})");
}

std::string ShardedFile() {
  return File("sharded.hlo", R"(HloModule sharded, frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<["a"=2]>}}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@m, [{\"a\"}, {}]>"}
  zero = f32[] constant(0)
  ROOT r = f32[4] reduce(x, zero), dimensions={0}, to_apply=add
}
)");
}

TEST(HloOptViews, PredictsCostsOnManyDevices) {
  const std::string command = absl::StrCat("hlo-opt ", ShardedFile(), " --cost --topology ", TopologyFile());
  const ShellOutcome text = Shell(command);
  EXPECT_THAT(text.out, StartsWith("sharded on 2 devices, mesh a=2, partitioned; 1 host of 2 devices, direct\n"));
  EXPECT_THAT(text.out, HasSubstr("\n  along a "));
  const ShellOutcome json = Shell(command + " --to json");
  EXPECT_TRUE(ParseJson(json.out, "out").ok()) << json.out;
  EXPECT_THAT(Shell(command + " --mesh 1,names=a").out, HasSubstr("sharded on 1 devices, mesh a=1"));
  EXPECT_THAT(Shell(command + " --best-mesh 2").out, HasSubstr("  a=2; most of it is collectives along a\n"));
}

TEST(HloOptViews, SaysWhatIsWrongWithATopology) {
  const std::string module = ShardedFile();
  const auto outcome = [&module](const std::string& flags) { return Shell("hlo-opt " + module + " " + flags); };
  const ShellOutcome alone = outcome("--topology " + TopologyFile());
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.err, "hlo-opt: --topology says where to predict a cost: give --cost, too\n");
  EXPECT_EQ(outcome("--cost --best-mesh 2").err,
            "hlo-opt: --mesh and --best-mesh need machines: give --cost and --topology FILE, too\n");
  EXPECT_EQ(outcome("--cost --best-mesh 2 --mesh 2,names=a --topology " + TopologyFile()).err,
            "hlo-opt: --mesh and --best-mesh contradict each other: leave one out\n");
  const ShellOutcome wrong = outcome("--cost --topology " + File("wrong.json", "{\"hosts\": 0}"));
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.json: hosts: expected a whole number from 1 to 1048576, got the number 0"));
}

// ---- The page, in a browser

// The document at `address` (path and what follows #) after its scripts have run; empty if there is no browser.
std::string Dom(const std::string& address) {
  const ShellOutcome outcome = Shell(absl::StrCat(
      "chromium --headless --no-sandbox --disable-gpu --user-data-dir=", Temporary("browser"),
      " --window-size=1200,800 --virtual-time-budget=4000 --timeout=60000 --dump-dom 'file://", address, "'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

bool HaveBrowser() { return Shell("command -v chromium").status == 0; }

std::string Page(const std::string& module, const std::string& name) {
  const std::string page = Temporary(name);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt --to html ", module, " -o ", page));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return page;
}

// The text of the element with this id, tags left out.
std::string TextOf(const std::string& dom, const std::string& id) {
  const size_t begin = dom.find('>', dom.find(absl::StrCat("id=\"", id, "\""))) + 1;
  const std::string end = id == "hits" ? "</ul>" : id == "details" ? "</aside>" : "<";
  std::string text = dom.substr(begin, dom.find(end, begin) - begin);
  RE2::GlobalReplace(&text, "<[^>]*>", "|");
  return text;
}

TEST(HtmlView, ShowsAModule) {
  if (!HaveBrowser()) GTEST_SKIP() << "no chromium is installed";
  const std::string page = Page(File("fused.hlo", R"(HloModule fused_module
f {
  p = f32[2,3] parameter(0)
  n = f32[2,3] negate(p)
  ROOT e = f32[2,3] exponential(n)
}
ENTRY main {
  x = f32[2,3] parameter(0)
  fusion = f32[2,3] fusion(x), kind=kLoop, calls=f, metadata={op_name="jit(f)/<b>bold"}
  ROOT sum = f32[2,3] add(x, fusion)
}
)"),
                                "fused.html");
  const std::string plain = Dom(page);
  EXPECT_THAT(plain, HasSubstr("data-load-milliseconds="));
  EXPECT_EQ(TextOf(plain, "status"), "3 of 6 instructions shown");
  EXPECT_EQ(TextOf(Dom(page + "#open=fusions"), "status"), "6 of 6 instructions shown");
  // Selecting what is inside a fusion opens it.
  const std::string selected = Dom(page + "#select=f/n&heat=bytes");
  EXPECT_EQ(TextOf(selected, "status"), "6 of 6 instructions shown");
  EXPECT_THAT(TextOf(selected, "details"),
              testing::AllOf(HasSubstr("|n|"), HasSubstr("|operands (1)|"), HasSubstr("|p|"), HasSubstr("|users (1)|"),
                             HasSubstr("exponential f32[2,3]")));
  EXPECT_THAT(TextOf(Dom(page + "#search=bold"), "hits"), testing::AllOf(HasSubstr("fusion"), HasSubstr("1 found")));
}

TEST(HtmlView, ColorsByShardings) {
  if (!HaveBrowser()) GTEST_SKIP() << "no chromium is installed";
  const std::string module =
      File("cut.hlo", R"(HloModule cut, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=2, "model"=4]>}}
ENTRY main {
  x = f32[8,16] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  w = f32[16,32] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"model\"}]>"}
  d = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[8,32] negate(d), sharding={replicated}
}
)");
  const std::string page = Page(absl::StrCat("--passes=propagate-shardings:partitions=8 ", module), "cut.html");
  // Each color of the legend is in the drawing, too.
  const std::string dom = Dom(File("colors.html", Contents(page) + R"(<script>
const canvas = document.querySelector('canvas');
const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, drawn = new Set();
for (let i = 0; i < data.length; i += 4) drawn.add('rgb(' + [...data.slice(i, i + 3)].join(', ') + ')');
const entries = [...document.querySelectorAll('#legend .entry')];
document.body.dataset.legend =
    entries.map(entry => entry.textContent + (drawn.has(entry.firstChild.style.background) ? ' drawn' : '')).join('; ');
</script>)"));
  EXPECT_THAT(dom, HasSubstr("data-legend=\"[{data}, {model}] drawn; [{data}, {}] drawn; [{}, {model}] drawn; "
                             "whole drawn; not said drawn\""));
  // Without shardings there is nothing to color by.
  EXPECT_THAT(dom, HasSubstr("value=\"sharding\""));
  EXPECT_THAT(Dom(Page(File("uncut.hlo", "HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n"), "uncut.html")),
              testing::Not(HasSubstr("value=\"sharding\"")));
}

TEST(HtmlView, AnswersTheMouse) {
  if (!HaveBrowser()) GTEST_SKIP() << "no chromium is installed";
  // One instruction, so that it stands in the middle.
  const std::string page = Page(File("one.hlo", R"(HloModule one
f {
  i = s32[3] iota(), iota_dimension=0
  ROOT n = s32[3] negate(i)
}
ENTRY main {
  ROOT only = s32[3] fusion(), kind=kLoop, calls=f
}
)"),
                                "one.html");
  const auto after = [&](const std::string& events) {
    const std::string script = absl::StrCat(
        "<script>const canvas = document.querySelector('canvas'), box = canvas.getBoundingClientRect();"
        "const send = (Kind, type) => canvas.dispatchEvent(new Kind(type, {bubbles: true, clientX: box.left + "
        "box.width / 2, clientY: box.top + box.height / 2, deltaY: -100}));",
        events, "</script>");
    return Dom(File("events.html", Contents(page) + script));
  };
  const std::string clicked = after("send(PointerEvent, 'pointerdown'); send(PointerEvent, 'pointerup');");
  EXPECT_THAT(TextOf(clicked, "details"), HasSubstr("|only|"));
  EXPECT_THAT(TextOf(clicked, "details"), HasSubstr("|f|| 2 instructions|"));
  EXPECT_EQ(TextOf(after("send(WheelEvent, 'wheel'); send(MouseEvent, 'dblclick');"), "status"),
            "3 of 3 instructions shown");
  EXPECT_EQ(TextOf(after("send(MouseEvent, 'dblclick'); document.getElementById('collapse').click();"), "status"),
            "1 of 3 instructions shown");
}

TEST(HtmlView, NamesAreHarmless) {
  if (!HaveBrowser()) GTEST_SKIP() << "no chromium is installed";
  const std::string text = Shell("hlo-opt --to pbtxt " + AddFile()).out;
  const std::string evil =
      "</script><script>document.body.dataset.bad=1</script><img src=x onerror=document.body.dataset.bad=1>";
  const std::string page =
      Page(File("evil.pbtxt", absl::StrReplaceAll(text, {{"\"sum\"", absl::StrCat("\"", evil, "'\\\"@DATA@\"")},
                                                         {"\"add_module\"", absl::StrCat("\"", evil, "\"")}})),
           "evil.html");
  const std::string dom = Dom(page + "#search=img");
  EXPECT_THAT(dom, HasSubstr("data-load-milliseconds="));
  EXPECT_THAT(dom, testing::Not(HasSubstr("data-bad")));
  EXPECT_THAT(TextOf(dom, "hits"), HasSubstr("1 found"));
}

TEST(HtmlView, IsFastForThousandsOfInstructions) {
  if (!HaveBrowser()) GTEST_SKIP() << "no chromium is installed";
  std::string text = "HloModule large\nENTRY main {\n  v0 = f32[8,128] parameter(0)\n  v1 = f32[8,128] parameter(1)\n";
  for (int i = 2; i < 5000; ++i) {
    const int other = i % 7 == 0 ? i / 2 : i % 50 == 0 ? 0 : i - 2;
    absl::StrAppend(&text, "  v", i, " = f32[8,128] ", i % 3 == 0 ? "add" : "multiply", "(v", i - 1, ", v", other,
                    ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[8,128] negate(v4999)\n}\n");
  const std::string dom = Dom(Page(File("large.hlo", text), "large.html") + "#view=all&measure");
  EXPECT_EQ(TextOf(dom, "status"), "5001 of 5001 instructions shown");
  double load = 1e9, frame = 1e9;
  EXPECT_TRUE(RE2::PartialMatch(dom, "data-load-milliseconds=\"([0-9.]+)\"", &load));
  EXPECT_TRUE(RE2::PartialMatch(dom, "data-frame-milliseconds=\"([0-9.]+)\"", &frame));
  RecordProperty("load_milliseconds", absl::StrCat(load));
  RecordProperty("frame_milliseconds", absl::StrCat(frame));
  // Some ten times what an idle machine takes.
  EXPECT_LT(load, 5000);
  EXPECT_LT(frame, 500);
}

TEST(HloOptViews, Extracts) {
  const ShellOutcome outcome = Shell("hlo-opt --to short --extract sum,0 " + AddFile());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  b = f32[2,3]{1,0} parameter(1)\n"));
  const std::string proto = Temporary("extracted.pb");
  EXPECT_EQ(Shell("hlo-opt --to proto --extract sum,0 -o " + proto + " " + AddFile()).status, 0);
  EXPECT_EQ(Shell("hlo-opt --to short " + proto).out, outcome.out);
  const ShellOutcome wrong = Shell("hlo-opt --extract summ " + AddFile());
  EXPECT_EQ(wrong.status, 3);
  EXPECT_EQ(wrong.err, "hlo-opt: there is no instruction 'summ'; did you mean 'sum'?\n");
}

TEST(HloOptViews, ShowsDifferences) {
  const std::string other =
      File("other.hlo", absl::StrReplaceAll(Contents(AddFile()), {{" add(", " multiply("}, {"x", "xx"}}));
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt --diff ", AddFile(), " ", other));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("      # opcode add -> multiply\n"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("\x1b"))) << "coloured, though no terminal";
  const ShellOutcome same = Shell(absl::StrCat("hlo-opt --diff ", AddFile(), " - < ", AddFile()));
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "the same: 4 instructions\n");
  EXPECT_EQ(Shell("hlo-opt --diff " + AddFile()).status, 2);
  EXPECT_EQ(Shell("hlo-opt --diff /nonexistent " + AddFile()).status, 3);
}

TEST(HloOptViews, Reduces) {
  const std::string small = Temporary("small.hlo");
  const std::string reduce = absl::StrCat("hlo-opt ", AddFile(), " --reduce -o ", small, " --test ");
  const ShellOutcome outcome = Shell(reduce + "'! grep -q \"broadcast(%\" $1'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::ContainsRegex("reduced 4 instructions to 2 in [0-9]+ tests\n"));
  EXPECT_THAT(Contents(small), HasSubstr("f32[1,1]{1,0} broadcast(%"));
  EXPECT_NE(Contents(small + ".candidate.hlo"), Contents(small)) << "a file was left behind";
  EXPECT_EQ(Shell(reduce + "'grep -q \"add(\"' --keep passes").status, 0);
  EXPECT_THAT(Contents(small), HasSubstr(" add("));
  const ShellOutcome passes = Shell(reduce + "true");
  EXPECT_EQ(passes.status, 4);
  EXPECT_EQ(passes.err, "hlo-opt: --test: the command succeeds for the module as it is: there is nothing to reduce\n");
  EXPECT_EQ(Shell(reduce + "no-such-command").status, 4);
  EXPECT_EQ(Shell("hlo-opt --reduce --test false " + AddFile()).status, 2);
  EXPECT_EQ(Shell("hlo-opt --reduce -o " + small + " " + AddFile()).status, 2);
  // A command that hangs is stopped.
  EXPECT_EQ(Shell(reduce + "'sleep 100; :' --test-time 100ms").status, 4);
}

TEST(HloOptViews, AnInterruptLeavesTheBestSoFar) {
  const std::string best = Temporary("best.hlo");
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-opt ", AddFile(), " --reduce -o ", best,
                         " --test 'sleep 0.3; ! grep -q broadcast $1' & p=$!; sleep 1; kill -TERM $p; wait $p"));
  EXPECT_EQ(outcome.status, 128 + 15);
  EXPECT_THAT(Contents(best), HasSubstr("broadcast("));
  EXPECT_EQ(Contents(best + ".candidate.hlo"), "");
}

TEST(HloOptViews, SplitsTheInput) {
  const std::string good = "ENTRY e {\n  ROOT c = s32[] constant(1)\n}\n";
  const std::string file = File(
      "parts.hlo", absl::StrCat(good, "// -----\nENTRY e {\n  ROOT c = s32[] constnt(1)\n}\n", "// -----\n", good));
  EXPECT_EQ(Shell("hlo-opt " + file).status, 3);
  const ShellOutcome outcome = Shell("hlo-opt --split-input-file --to short " + file);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("parts.hlo:6:18: error: "));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("HloModule [^/]*constant\\(1\\)[^/]*// -----\nHloModule [^/]*constant"));
}

TEST(HloOptViews, GarbageIsOneError) {
  const std::vector<std::string> garbage = {"", "// nothing\n", "garbage", std::string("\0\x01\xff", 3), "HloModule"};
  for (const std::string& contents : garbage) {
    const std::string file = File("garbage.hlo", contents);
    for (const std::string flags : {"--to dot", "--to html", "--to json", "--cost", "--extract x", "--split-input-file",
                                    "--reduce --test true -o /dev/null", "--diff -"}) {
      const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt ", file, " ", flags));
      EXPECT_EQ(outcome.status, 3) << flags << ": " << outcome.err;
      EXPECT_THAT(outcome.err, StartsWith("hlo-opt: "));
      EXPECT_EQ(outcome.out, "");
    }
  }
}

TEST(HloOptViews, ReadsTheSpellingsOfXla) {
  EXPECT_EQ(Shell("hlo-opt --emit-proto " + AddFile()).out, Shell("hlo-opt --to pbtxt " + AddFile()).out);
  EXPECT_EQ(Shell("hlo-opt --stage=hlo --format=hlo " + AddFile()).out, Shell("hlo-opt " + AddFile()).out);
  EXPECT_EQ(Shell("hlo-opt --list-stages").out, "hlo\nhtml\n");
  const ShellOutcome unknown = Shell("hlo-opt --stage=llvm " + AddFile());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err, "hlo-opt: --stage: 'llvm' is none of hlo, html\n");
  EXPECT_EQ(Shell("hlo-opt --extrct n " + AddFile()).err,
            "hlo-opt: unknown flag '--extrct'; did you mean '--extract'?\n");
}

}  // namespace
}  // namespace xla
