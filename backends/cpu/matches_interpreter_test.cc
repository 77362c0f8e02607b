// Programs whose results are the interpreter's to the bit, at every level and on any number of threads.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

// Integers are random; floats are made from them in the programs, so that sums are the same in any order.
void Check(const std::string& text) {
  SCOPED_TRACE(text);
  const auto module = ModuleFromText(text);
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module->entry()->parameters()) {
    arguments.push_back(OrDie(MakeInput(DefaultInputSpec(parameter->shape(), arguments.size() + 1))));
  }
  const Literal expected = OrDie(RunText(text, arguments));
  for (const int level : {0, 1, 2}) {
    for (const int threads : {1, 2, 8}) {
      ClientOptions client_options;
      client_options.threads = threads;
      const auto client = OrDie(GetClient(kBackend, client_options));
      for (const char* poison : {"false", "true"}) {
        CompileOptions options;
        options.optimization_level = level;
        options.settings["poison-memory"] = poison;
        const auto program = CompileText(*client, text, options);
        ExpectSame(OrDie(ExecuteOnLiterals(*program, arguments)), expected, Alike::kBits,
                   absl::StrCat("level ", level, ", ", threads, " threads, poison ", poison, ": result "));
      }
    }
  }
}

TEST(TupleConstants, AsResultsLoopStatesAndOperands) {
  Check("HloModule m\nENTRY e { ROOT t = (f32[2], s32[]) constant(({1,2}, 3)) }");
  Check("HloModule m\nENTRY e { ROOT t = () constant(()) }");
  Check(R"(HloModule m
body { p = (s32[], (f32[2], s32[3]), ()) parameter(0) i = s32[] get-tuple-element(p), index=0
  q = (f32[2], s32[3]) get-tuple-element(p), index=1 a = f32[2] get-tuple-element(q), index=0
  b = s32[3] get-tuple-element(q), index=1 e = () get-tuple-element(p), index=2
  n = s32[] add(i, s32[] constant(1)) c = f32[2] add(a, a)
  k = (f32[2], s32[3]) constant(({1.5,-2}, {7,8,9})) ka = f32[2] get-tuple-element(k), index=0
  kb = s32[3] get-tuple-element(k), index=1 d = f32[2] add(c, ka) f = s32[3] add(b, kb)
  r = (f32[2], s32[3]) tuple(d, f) ROOT t = (s32[], (f32[2], s32[3]), ()) tuple(n, r, e) }
cond { p = (s32[], (f32[2], s32[3]), ()) parameter(0) i = s32[] get-tuple-element(p), index=0
  k = (pred[], s32[]) constant((true, 5)) l = s32[] get-tuple-element(k), index=1
  ROOT r = pred[] compare(i, l), direction=LT }
f { k = (f32[2], s32[]) constant(({1,2}, 3)) x = f32[2] parameter(0) a = f32[2] get-tuple-element(k), index=0
  ROOT r = f32[2] add(x, a) }
g { x = f32[2] parameter(0) ROOT k = (f32[2], s32[]) constant(({4,5}, 6)) }
b0 { x = (f32[2], s32[]) parameter(0) ROOT k = (f32[2], s32[]) constant(({4,5}, 6)) }
b1 { x = (f32[2], s32[]) parameter(0) ROOT r = (f32[2], s32[]) copy(x) }
ENTRY e {
  init = (s32[], (f32[2], s32[3]), ()) constant((0, ({1,2}, {3,4,5}), ()))
  w = (s32[], (f32[2], s32[3]), ()) while(init), condition=cond, body=body
  y = s32[2] parameter(0) x = f32[2] convert(y) fu = f32[2] fusion(x), kind=kLoop, calls=f
  gu = (f32[2], s32[]) fusion(x), kind=kLoop, calls=g
  i = s32[] parameter(1) o = (f32[2], s32[]) constant(({40,50}, 60))
  c = (f32[2], s32[]) conditional(i, o, o), branch_computations={b0, b1}
  k = (f32[2]{0}, (pred[], c64[2], bf16[2,2]{0,1}), ()) constant(({7,8}, (true, {(1,2),(3,4)}, {{1,2},{3,4}}), ()))
  late = (f32[2,2]{0,1}, s32[]) constant(({{1,2},{3,4}}, 5)), control-predecessors={c}
  ROOT t = ((s32[], (f32[2], s32[3]), ()), f32[2], (f32[2], s32[]), (f32[2], s32[]),
    (f32[2]{0}, (pred[], c64[2], bf16[2,2]{0,1}), ()), (f32[2,2]{0,1}, s32[]), (f32[2], s32[])) tuple(w, fu, gu, c, k, late, o) })");
}

// A convolution of `type` from whole numbers.
void CheckConvolution(const std::string& type, const std::string& lhs, const std::string& rhs,
                      const std::string& result, const std::string& attributes) {
  Check(absl::StrCat("HloModule m\nENTRY e { p = s32", lhs, " parameter(0) q = s32", rhs, " parameter(1) x = ", type,
                     lhs, " convert(p) y = ", type, rhs, " convert(q) ROOT c = ", type, result, " convolution(x, y), ",
                     attributes, " }"));
}

TEST(Convolutions, OfSeveralImagesWithRowsThatNobodyReads) {
  for (const char* type : {"f32", "f16", "bf16"}) {
    CheckConvolution(type, "[8,14,14,64]", "[1,1,64,64]", "[8,7,7,64]",
                     "window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f");
    CheckConvolution(type, "[8,64,14,14]", "[64,64,1,1]", "[8,64,7,7]",
                     "window={size=1x1 stride=2x2}, dim_labels=bf01_oi01->bf01");
    CheckConvolution(type, "[16,9,9,16]", "[1,1,16,16]", "[16,3,3,16]",
                     "window={size=1x1 stride=3x3}, dim_labels=b01f_01io->b01f");
    CheckConvolution(type, "[16,3,5,16]", "[1,1,16,16]", "[16,4,5,16]",
                     "window={size=1x1 pad=0_-1x0_0 lhs_dilate=2x1}, dim_labels=b01f_01io->b01f");
    CheckConvolution(type, "[1,1,5,2]", "[3,3,2,64]", "[1,2,5,64]",
                     "window={size=3x3 pad=2_3x1_1 rhs_dilate=2x1 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f");
  }
}

// A recurrence that is chaotic: one bit more or less, and the last numbers are others.
TEST(Recurrences, RoundAsTheInterpreterDoes) {
  for (const char* type : {"f32", "f64"}) {
    const std::string state = absl::StrCat("(s32[], ", type, "[], ", type, "[])");
    const std::string value = absl::StrCat(type, "[]");
    Check(absl::StrCat(
        "HloModule m\nbody { t = ", state, " parameter(0) i = s32[] get-tuple-element(t), index=0 x = ", value,
        " get-tuple-element(t), index=1 r = ", value, " get-tuple-element(t), index=2 a = ", value,
        " multiply(x, x) b = ", value, " subtract(x, a) y = ", value,
        " multiply(r, b) n = s32[] add(i, s32[] constant(1)) ROOT q = ", state, " tuple(n, y, r) }\ncond { t = ", state,
        " parameter(0) i = s32[] get-tuple-element(t), index=0 ROOT r = pred[] compare(i, s32[] constant(200)), "
        "direction=LT }\nENTRY e { z = s32[] constant(0) x = ",
        value, " constant(0.3) r = ", value, " constant(3.9) t = ", state, " tuple(z, x, r) w = ", state,
        " while(t), condition=cond, body=body ROOT y = ", value, " get-tuple-element(w), index=1 }"));
  }
}

// Of numbers whose sums are exact.
void CheckWindows(const std::string& operand, const std::string& result, const std::string& window,
                  const std::string& function) {
  Check(absl::StrCat("HloModule m\nf { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] ", function,
                     "(a, b) }\nENTRY e { x = s32", operand, " parameter(0) z = s32[] constant(3) ROOT r = s32", result,
                     " reduce-window(x, z), window={", window, "}, to_apply=f }"));
}

TEST(HugeWindows, HoldWhatIsInside) {
  for (const char* function : {"add", "subtract", "maximum"}) {
    CheckWindows("[1]", "[1]", "size=1099511627776 pad=0_1099511627775", function);
    CheckWindows("[10]", "[3]", "size=1099511627776 pad=1099511627768_0", function);
    CheckWindows("[10]", "[12]", "size=1099511627776 pad=1099511627774_3", function);
    CheckWindows("[7]", "[1498]", "size=1000 stride=2 pad=2990_2990 lhs_dilate=2 rhs_dilate=3", function);
    CheckWindows("[7,5]", "[13,5]", "size=1000000x3 pad=999999_6x1_1", function);
    CheckWindows("[7,5]", "[4,1]", "size=3x900 stride=2x1 pad=1_1x-1_896", function);
  }
}

TEST(HugeWindows, SelectWhatIsInside) {
  Check(R"(HloModule m
a { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }
g { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = pred[] compare(x, y), direction=GE }
ENTRY e { x = s32[3] parameter(0) s = s32[2] parameter(1) z = s32[] constant(0)
  ROOT b = s32[3] select-and-scatter(x, s, z), window={size=1099511627776 pad=0_1099511627774}, select=g, scatter=a })");
}

// x, y, x, y .. : more than a kernel chooses from.
std::string WideConcatenate(const std::string& shapes, const std::string& result, int dimension) {
  std::string operands = "x";
  for (int i = 1; i < 41; ++i) absl::StrAppend(&operands, i % 2 == 0 ? ", x" : ", y");
  return absl::StrCat("HloModule m\nENTRY e { ", shapes, " c = ", result, " concatenate(", operands, "), dimensions={",
                      dimension, "} ROOT n = ", result, " not(c) }");
}

TEST(WideConcatenates, AlongEachDimension) {
  Check(WideConcatenate("x = s32[3,5,2] parameter(0) y = s32[1,5,2] parameter(1)", "s32[83,5,2]", 0));
  Check(WideConcatenate("x = s32[3,5,2] parameter(0) y = s32[3,1,2] parameter(1)", "s32[3,125,2]", 1));
  Check(WideConcatenate("x = s8[3,5,2] parameter(0) y = s8[3,5,3] parameter(1)", "s8[3,5,102]", 2));
  Check(WideConcatenate("x = s32[300,500] parameter(0) y = s32[100,500] parameter(1)", "s32[8300,500]", 0));
}

TEST(WideConcatenates, OfEmptyArraysAndOtherLayouts) {
  Check(WideConcatenate("x = s32[3,5] parameter(0) y = s32[0,5] parameter(1)", "s32[63,5]", 0));
  Check(WideConcatenate("x = s32[0,5] parameter(0) y = s32[0,5] parameter(1)", "s32[0,5]", 0));
  Check(WideConcatenate("x = s32[3,5]{0,1} parameter(0) y = s32[3,2]{1,0} parameter(1)", "s32[3,145]{0,1}", 1));
}

TEST(WideConcatenates, InLoops) {
  std::string operands = "a";
  for (int i = 1; i < 40; ++i) absl::StrAppend(&operands, ", a");
  Check(absl::StrCat(R"(HloModule m
body { p = (s32[], s32[40]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = s32[40] get-tuple-element(p), index=1 a = s32[1] slice(x), slice={[3:4]}
  w = s32[40] concatenate()",
                     operands, R"(), dimensions={0} s = s32[40] add(x, w)
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], s32[40]) tuple(n, s) }
cond { p = (s32[], s32[40]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT r = pred[] compare(i, s32[] constant(20)), direction=LT }
ENTRY e { x = s32[40] parameter(0) z = s32[] constant(0) t = (s32[], s32[40]) tuple(z, x)
  ROOT w = (s32[], s32[40]) while(t), condition=cond, body=body })"));
}

}  // namespace
}  // namespace xla
