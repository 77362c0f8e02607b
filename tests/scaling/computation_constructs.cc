// Many computations, calls, fusions, loops and conditionals, side by side or in one another.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

constexpr char kSineTimes[] = " p = f32[4] parameter(0)\n s = f32[4] sine(p)\n ROOT r = f32[4] multiply(p, s)\n";

void ManyComputations(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] call(", x, "), to_apply=", program.Computation(kSineTimes));
  program.Result(x);
}

void DeadComputations(ProgramText& program, int64_t n) {
  for (int64_t i = 0; i < n; ++i) program.Computation(kSineTimes);
  program.Result(program.Parameter("f32[4]"));
}

void ManyCalls(ProgramText& program, int64_t n) {
  const std::string callee = program.Computation(kSineTimes);
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] call(", x, "), to_apply=", callee);
  program.Result(x);
}

// n calls of a computation of n instructions.
void CallsOfALargeComputation(ProgramText& program, int64_t n) {
  std::string body = " p = f32[4] parameter(0)\n r0 = f32[4] sine(p)\n";
  for (int64_t i = 1; i < n; ++i) absl::StrAppend(&body, " r", i, " = f32[4] multiply(r", i - 1, ", p)\n");
  absl::StrAppend(&body, " ROOT r = f32[4] negate(r", n - 1, ")\n");
  const std::string callee = program.Computation(body);
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] call(", x, "), to_apply=", callee);
  program.Result(x);
}

std::string CallOf(absl::string_view callee, absl::string_view argument) {
  return absl::StrCat("f32[4] call(", argument, "), to_apply=", callee);
}

void DeepCalls(ProgramText& program, int64_t n) {
  std::string callee = program.Computation(kSineTimes);
  for (int64_t i = 1; i < n; ++i) {
    callee = program.Computation(
        absl::StrCat(" p = f32[4] parameter(0)\n c = ", CallOf(callee, "p"), "\n ROOT r = f32[4] negate(c)\n"));
  }
  program.Result(program.Add(CallOf(callee, program.Parameter("f32[4]"))));
}

// So deep that no pass writes out what doubles at each level, however small n is; but of size 1, which shows what is
// not the program's own, there is hardly a program.
int64_t DepthOfDoublings(int64_t n) {
  constexpr int64_t kDoublings = 25;
  return n == 1 ? 1 : n + kDoublings;
}

// Written out they are 2^n.
void DoublingCalls(ProgramText& program, int64_t n) {
  std::string callee = program.Computation(kSineTimes);
  for (int64_t i = 1; i < DepthOfDoublings(n); ++i) {
    callee = program.Computation(absl::StrCat(" p = f32[4] parameter(0)\n a = ", CallOf(callee, "p"),
                                              "\n ROOT b = ", CallOf(callee, "a"), "\n"));
  }
  program.Result(program.Add(CallOf(callee, program.Parameter("f32[4]"))));
}

void ManyFusions(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    x = program.Add("f32[4] fusion(", x, "), kind=kLoop, calls=", program.Computation(kSineTimes));
  }
  program.Result(x);
}

// Which the verifier refuses: a fusion has its computation to itself.
void SharedFusion(ProgramText& program, int64_t n) {
  const std::string fused = program.Computation(kSineTimes);
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] fusion(", x, "), kind=kLoop, calls=", fused);
  program.Result(x);
}

void DeepFusion(ProgramText& program, int64_t n) {
  std::string body = " p = f32[4] parameter(0)\n r0 = f32[4] sine(p)\n";
  for (int64_t i = 1; i < n; ++i) {
    absl::StrAppend(&body, " r", i, " = f32[4] ", i % 2 == 0 ? "add" : "multiply", "(r", i - 1, ", p)\n");
  }
  absl::StrAppend(&body, " ROOT r = f32[4] negate(r", n - 1, ")\n");
  const std::string fused = program.Computation(body);
  program.Result(program.Add("f32[4] fusion(", program.Parameter("f32[4]"), "), kind=kLoop, calls=", fused));
}

void FusionOfManyResults(ProgramText& program, int64_t n) {
  std::string body = " p = f32[4] parameter(0)\n";
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&body, " c", i, " = f32[] constant(", i, ")\n b", i, " = f32[4] broadcast(c", i,
                    "), dimensions={}\n r", i, " = f32[4] add(p, b", i, ")\n");
  }
  absl::StrAppend(&body, " ROOT t = tuple(", Listed(n, [](int64_t i) { return absl::StrCat("r", i); }), ")\n");
  const std::string fused = program.Computation(body);
  program.Result(program.Add("(", Repeated(n, "f32[4]"), ") fusion(", program.Parameter("f32[4]"),
                             "), kind=kLoop, calls=", fused));
}

void NestedFusions(ProgramText& program, int64_t n) {
  std::string fused = program.Computation(kSineTimes);
  for (int64_t i = 1; i < n; ++i) {
    fused =
        program.Computation(absl::StrCat(" p = f32[4] parameter(0)\n f = f32[4] fusion(p), kind=kLoop, calls=", fused,
                                         "\n ROOT r = f32[4] negate(f)\n"));
  }
  program.Result(program.Add("f32[4] fusion(", program.Parameter("f32[4]"), "), kind=kLoop, calls=", fused));
}

constexpr char kState[] = "(s32[], f32[4])";

// A loop of `count` iterations over kState whose body replaces x by what `step` gives for it.
std::string Loop(ProgramText& program, const std::string& count, absl::string_view step) {
  const std::string condition = program.Computation(
      absl::StrCat(" s = ", kState, " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n k = s32[] constant(",
                   count, ")\n ROOT go = pred[] compare(i, k), direction=LT\n"));
  const std::string body = program.Computation(
      absl::StrCat(" s = ", kState, " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n",
                   " one = s32[] constant(1)\n next = s32[] add(i, one)\n",
                   " x = f32[4] get-tuple-element(s), index=1\n", step, " ROOT t = ", kState, " tuple(next, y)\n"));
  return absl::StrCat("condition=", condition, ", body=", body);
}

std::string StateOf(ProgramText& program, const std::string& x) {
  return program.Add(kState, " tuple(", program.Add("s32[] constant(0)"), ", ", x, ")");
}

void ManyLoops(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string loop = Loop(program, absl::StrCat(i + 2), " y = f32[4] sine(x)\n");
    const std::string state = StateOf(program, x);
    const std::string result = program.Add(kState, " while(", state, "), ", loop);
    x = program.Add("f32[4] get-tuple-element(", result, "), index=1");
  }
  program.Result(x);
}

void NestedLoops(ProgramText& program, int64_t n) {
  std::string loop = Loop(program, "1000", " y = f32[4] sine(x)\n");
  for (int64_t i = 1; i < n; ++i) {
    loop = Loop(program, "1000",
                absl::StrCat(" zero = s32[] constant(0)\n inner = ", kState, " tuple(zero, x)\n w = ", kState,
                             " while(inner), ", loop, "\n y = f32[4] get-tuple-element(w), index=1\n"));
  }
  const std::string state = StateOf(program, program.Parameter("f32[4]"));
  program.Result(program.Add(kState, " while(", state, "), ", loop));
}

void LongLoop(ProgramText& program, int64_t n) {
  std::string step = " y0 = f32[4] sine(x)\n";
  for (int64_t i = 1; i < n; ++i) absl::StrAppend(&step, " y", i, " = f32[4] multiply(y", i - 1, ", x)\n");
  absl::StrAppend(&step, " y = f32[4] negate(y", n - 1, ")\n");
  const std::string loop = Loop(program, "1000", step);
  const std::string state = StateOf(program, program.Parameter("f32[4]"));
  program.Result(program.Add(kState, " while(", state, "), ", loop));
}

// n values from outside that the body reads.
void LoopInvariants(ProgramText& program, int64_t n) {
  const std::string state = absl::StrCat("(s32[], f32[4], ", Repeated(n, "f32[4]"), ")");
  const std::string condition = program.Computation(
      absl::StrCat(" s = ", state,
                   " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n k = s32[] constant(1000)\n"
                   " ROOT go = pred[] compare(i, k), direction=LT\n"));
  std::string body = absl::StrCat(" s = ", state,
                                  " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n one = s32[] constant(1)\n"
                                  " next = s32[] add(i, one)\n x0 = f32[4] get-tuple-element(s), index=1\n");
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&body, " e", i, " = f32[4] get-tuple-element(s), index=", i + 2, "\n c", i, " = f32[4] cosine(e", i,
                    ")\n x", i + 1, " = f32[4] add(x", i, ", c", i, ")\n");
  }
  absl::StrAppend(&body, " ROOT t = ", state, " tuple(next, x", n, ", ",
                  Listed(n, [](int64_t i) { return absl::StrCat("e", i); }), ")\n");
  const std::string loop = program.Computation(body);
  const std::string x = program.Parameter("f32[4]");
  const std::string zero = program.Add("s32[] constant(0)");
  const std::string initial = program.Add(state, " tuple(", zero, ", ", x, ", ",
                                          Listed(n, [&](int64_t) { return program.Parameter("f32[4]"); }), ")");
  program.Result(program.Add(state, " while(", initial, "), condition=", condition, ", body=", loop));
}

void UnrollableLoop(ProgramText& program, int64_t n) {
  const std::string loop = Loop(program, absl::StrCat(n), " y = f32[4] sine(x)\n");
  const std::string state = StateOf(program, program.Parameter("f32[4]"));
  program.Result(program.Add(kState, " while(", state, "), ", loop));
}

std::string Choice(const std::string& on_true, const std::string& on_false) {
  return absl::StrCat("true_computation=", on_true, ", false_computation=", on_false);
}

void ManyConditionals(ProgramText& program, int64_t n) {
  const std::string chosen = program.Parameter("pred[]");
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string on_true = program.Computation(kSineTimes);
    const std::string on_false = program.Computation(" p = f32[4] parameter(0)\n ROOT r = f32[4] cosine(p)\n");
    x = program.Add("f32[4] conditional(", chosen, ", ", x, ", ", x, "), ", Choice(on_true, on_false));
  }
  program.Result(x);
}

void NestedConditionals(ProgramText& program, int64_t n) {
  constexpr char kArguments[] = "(pred[], f32[4])";
  const auto leaf = [&](const char* opcode) {
    return program.Computation(absl::StrCat(" p = ", kArguments, " parameter(0)\n x = f32[4] get-tuple-element(p), ",
                                            "index=1\n ROOT r = f32[4] ", opcode, "(x)\n"));
  };
  std::string choice = Choice(leaf("sine"), leaf("cosine"));
  for (int64_t i = 1; i < n; ++i) {
    const std::string on_true = program.Computation(
        absl::StrCat(" p = ", kArguments, " parameter(0)\n c = pred[] get-tuple-element(p), index=0\n",
                     " d = f32[4] conditional(c, p, p), ", choice, "\n ROOT r = f32[4] negate(d)\n"));
    choice = Choice(on_true, leaf("tanh"));
  }
  const std::string chosen = program.Parameter("pred[]");
  const std::string x = program.Parameter("f32[4]");
  const std::string arguments = program.Add(kArguments, " tuple(", chosen, ", ", x, ")");
  program.Result(program.Add("f32[4] conditional(", chosen, ", ", arguments, ", ", arguments, "), ", choice));
}

// Each branch is the same conditional again: written out they are 2^n.
void DoublingConditionals(ProgramText& program, int64_t n) {
  constexpr char kArguments[] = "(pred[], f32[4])";
  std::string branch = program.Computation(absl::StrCat(
      " p = ", kArguments, " parameter(0)\n x = f32[4] get-tuple-element(p), index=1\n ROOT r = f32[4] sine(x)\n"));
  for (int64_t i = 1; i < DepthOfDoublings(n); ++i) {
    branch = program.Computation(absl::StrCat(" p = ", kArguments,
                                              " parameter(0)\n c = pred[] get-tuple-element(p), index=0\n",
                                              " ROOT d = f32[4] conditional(c, p, p), ", Choice(branch, branch), "\n"));
  }
  const std::string chosen = program.Parameter("pred[]");
  const std::string x = program.Parameter("f32[4]");
  const std::string arguments = program.Add(kArguments, " tuple(", chosen, ", ", x, ")");
  program.Result(
      program.Add("f32[4] conditional(", chosen, ", ", arguments, ", ", arguments, "), ", Choice(branch, branch)));
}

void CalledByACustomCall(ProgramText& program, int64_t n) {
  const std::string called = Listed(n, [&](int64_t) { return program.Computation(kSineTimes); });
  program.Result(program.Add("f32[4] custom-call(", program.Parameter("f32[4]"),
                             "), custom_call_target=\"unknown\", called_computations={", called, "}"));
}

// An operand that is itself an instruction, in parentheses.
void NestedOperands(ProgramText& program, int64_t n) {
  std::string text = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) text = absl::StrCat("f32[4] negate(", text, ")");
  program.Result(program.Add(text));
}

}  // namespace

absl::Span<const Construct> ComputationConstructs() {
  static constexpr Construct kConstructs[] = {
      {"many-computations", "n computations that are called once", 500, ManyComputations},
      {"dead-computations", "n computations that nothing calls", 1000, DeadComputations},
      {"many-calls", "n calls of one computation", 1000, ManyCalls},
      {"calls-of-a-large-computation", "n calls of a computation of n instructions", 1000, CallsOfALargeComputation},
      {"deep-calls", "calls n deep", 250, DeepCalls},
      {"doubling-calls", "calls n deep of what is called twice", 50, DoublingCalls},
      {"many-fusions", "n fusions", 300, ManyFusions},
      {"shared-fusion", "n fusions of one computation, which is wrong", 500, SharedFusion},
      {"deep-fusion", "a fusion of n operations", 300, DeepFusion},
      {"fusion-of-many-results", "a fusion with n results", 200, FusionOfManyResults},
      {"nested-fusions", "fusions in fusions, n deep", 50, NestedFusions},
      {"many-loops", "n loops", 100, ManyLoops},
      {"nested-loops", "loops n deep", 10, NestedLoops},
      {"long-loop", "a loop of n operations", 300, LongLoop},
      {"loop-invariants", "a loop that reads n values from outside", 200, LoopInvariants},
      {"unrollable-loop", "a loop of n iterations", 500, UnrollableLoop},
      {"many-conditionals", "n conditionals", 100, ManyConditionals},
      {"nested-conditionals", "conditionals n deep", 20, NestedConditionals},
      {"doubling-conditionals", "conditionals n deep in both branches", 15, DoublingConditionals},
      {"called-by-a-custom-call", "a custom call that names n computations", 500, CalledByACustomCall},
      {"nested-operands", "operands in operands, n deep", 100, NestedOperands},
  };
  return kConstructs;
}

}  // namespace xla
