#include "passes/analyses/exactness.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

// What all programs below may call.
constexpr char kFunctions[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
add_integers { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
and_bits { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] and(a, b) }
take_second { a = f32[] parameter(0) ROOT b = f32[] parameter(1) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
less_of_first {
  a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
)";

// The beginning of the entry: arrays, constants, an inexact sum and what it is spread over.
constexpr char kValues[] = R"(ENTRY e {
  x = f32[8] parameter(0)
  i = s32[8] parameter(1)
  p = pred[8] parameter(2)
  zero = f32[] constant(0)
  zero_i = s32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  sums = f32[8] broadcast(sum), dimensions={}
  largest = f32[] reduce(x, zero), dimensions={0}, to_apply=max
  sum_is_less = pred[] compare(sum, largest), direction=LT
  sum_as_integer = s32[] convert(sum)
  sums_are_less = pred[8] compare(sums, x), direction=LT
  order = token[] after-all()
  inner = (s32[], token[], f32[]) tuple(zero_i, order, sum)
)";

// A letter for each leaf of the result: e for exact, i for inexact; then "; inexact feeds" if that is so.
std::string Outputs(const HloModule& module, const ExactnessOptions& options = {}) {
  const ExactOutputs outputs = FindExactOutputs(module, options);
  std::string text;
  for (const bool exact : outputs.results) text += exact ? 'e' : 'i';
  if (!outputs.outfeeds) text += "; inexact feeds";
  EXPECT_EQ(outputs.All(), text.find('i') == std::string::npos);
  return text;
}

struct Row {
  const char* body;  // of the entry, after kValues
  const char* outputs;
};

void Check(const std::vector<Row>& rows, const std::string& functions = "") {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.body);
    const ParsedModule module(absl::StrCat(kFunctions, functions, kValues, row.body, "\n}"));
    EXPECT_EQ(Outputs(*module), row.outputs);
  }
}

TEST(Exactness, SumsOfFloatsAreInexact) {
  Check({
      {"ROOT r = f32[8] divide(x, x)", "e"},
      {"ROOT r = f32[] copy(sum)", "i"},
      {"ROOT r = f32[] copy(largest)", "e"},
      {"ROOT r = s32[] reduce(i, zero_i), dimensions={0}, to_apply=add_integers", "e"},
      {"t = pred[] constant(true) ROOT r = pred[] reduce(p, t), dimensions={0}, to_apply=and_bits", "e"},
      {"ROOT r = f32[] reduce(sums, zero), dimensions={0}, to_apply=max", "i"},
      {"ROOT r = f32[] reduce(x, sum), dimensions={0}, to_apply=max", "i"},
      {"ROOT r = f32[8] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=add", "i"},
      {"ROOT r = f32[8] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=max", "e"},
      {"ROOT r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "i"},
      {"ROOT r = s32[] dot(i, i), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "e"},
      {"c = c64[8] convert(x) ROOT r = c64[8] fft(c), fft_type=FFT, fft_length={8}", "i"},
  });
}

TEST(Exactness, GoesFromOperandsToResults) {
  Check({
      {"ROOT r = f32[8] add(x, sums)", "i"},
      {"ROOT r = f32[8] select(p, x, x)", "e"},
      {"ROOT r = f32[8] select(p, x, sums)", "i"},
      {"ROOT r = f32[8] select(p, sums, x)", "i"},
      {"b = f32[4] slice(sums), slice={[0:4]} ROOT r = s32[4] bitcast-convert(b)", "i"},
      {"ROOT r = f32[3] dynamic-slice(x, zero_i), dynamic_slice_sizes={3}", "e"},
      {"ROOT r = f32[3] dynamic-slice(x, sum_as_integer), dynamic_slice_sizes={3}", "i"},
      {"ROOT t = (f32[], (s32[], token[], f32[]), f32[8]) tuple(sum, inner, x)", "ieeie"},
      {"ROOT r = s32[] get-tuple-element(inner), index=0", "e"},
      {"ROOT r = (s32[], token[], f32[]) opt-barrier(inner)", "eei"},
      {"ROOT r = s32[] get-dimension-size(sums), dimensions={0}", "e"},
      {"d = f32[<=8] set-dimension-size(x, sum_as_integer), dimensions={0}\n"
       "ROOT r = s32[] get-dimension-size(d), dimensions={0}",
       "i"},
      {"ROOT r = f32[8] rng(zero, zero), distribution=rng_uniform", "e"},
      {"ROOT r = f32[8] rng(zero, sum), distribution=rng_uniform", "i"},
  });
}

TEST(Exactness, WhatAnInexactValueDecidesIsInexact) {
  Check({
      {"ROOT r = pred[] copy(sum_is_less)", "i"},
      {"ROOT r = s32[] copy(sum_as_integer)", "i"},
      {"ROOT r = f32[8] select(sums_are_less, x, x)", "i"},
      {"ROOT r = f32[8] sort(x), dimensions={0}, to_apply=less", "e"},
      {"ROOT r = f32[8] sort(sums), dimensions={0}, to_apply=less", "i"},
      {"ROOT r = (f32[8], f32[8]) sort(sums, x), dimensions={0}, to_apply=less_of_first", "ii"},
      {"ROOT r = (f32[8], f32[8]) sort(x, sums), dimensions={0}, to_apply=less_of_first", "ei"},
      {"ROOT r = (f32[2], s32[2]) topk(x), k=2, largest=true", "ee"},
      {"ROOT r = (f32[2], s32[2]) topk(sums), k=2, largest=true", "ii"},
  });
}

constexpr char kCallees[] = R"(
double { a = f32[] parameter(0) ROOT r = f32[] add(a, a) }
double_array { a = f32[8] parameter(0) ROOT r = f32[8] add(a, a) }
fused { a = f32[8] parameter(0) ROOT r = f32[8] add(a, a) }
wrapped { a = f32[8] parameter(0) b = f32[8] parameter(1) ROOT t = (f32[8], f32[8]) tuple(a, b) }
fused_too { a = f32[8] parameter(0) b = f32[8] parameter(1) ROOT t = (f32[8], f32[8]) tuple(a, b) }
)";

TEST(Exactness, CallsDoNotAffectEachOther) {
  Check(
      {
          {"a = f32[8] call(x), to_apply=double_array\n"
           "b = f32[8] call(sums), to_apply=double_array\n"
           "c = f32[8] fusion(x), kind=kLoop, calls=fused\n"
           "d = (f32[8], f32[8]) fusion(sums, x), kind=kLoop, calls=fused_too\n"
           "m = f32[8] map(x), dimensions={0}, to_apply=double\n"
           "n = f32[8] map(sums), dimensions={0}, to_apply=double\n"
           "ROOT t = (f32[8], f32[8], f32[8], (f32[8], f32[8]), f32[8], f32[8]) tuple(a, b, c, d, m, n)",
           "eieieei"},
          // What is a sum in a reducer is an addition elsewhere.
          {"c = f32[] call(zero, zero), to_apply=add ROOT t = (f32[], f32[]) tuple(c, sum)", "ei"},
          {"begun = ((f32[8], f32[8]), (f32[8], f32[8]), u32[]) async-start(sums, x), calls=wrapped\n"
           "updated = ((f32[8], f32[8]), (f32[8], f32[8]), u32[]) async-update(begun)\n"
           "ROOT done = (f32[8], f32[8]) async-done(updated)",
           "ie"},
          {"begun = ((f32[8]), (f32[8], f32[8]), u32[]) async-start(x), calls=wrapped\n"
           "bound = ((f32[8], f32[8]), (f32[8], f32[8]), u32[]) async-update(begun, x)\n"
           "ROOT done = (f32[8], f32[8]) async-done(bound)",
           "ee"},
          {"begun = ((f32[8]), (f32[8], f32[8]), u32[]) async-start(x), calls=wrapped\n"
           "bound = ((f32[8], f32[8]), (f32[8], f32[8]), u32[]) async-update(begun, sums)\n"
           "ROOT done = (f32[8], f32[8]) async-done(bound)",
           "ii"},
          {"copying = (f32[8], f32[8], u32[]) copy-start(sums) ROOT r = f32[8] copy-done(copying)", "i"},
      },
      kCallees);
}

// A shift register of three elements, which decides nothing; the loop runs as often as the state's first element says.
constexpr char kShiftLoops[] = R"(
shift_condition {
  s = (s32[], f32[], f32[], f32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT }
shift_body {
  s = (s32[], f32[], f32[], f32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  one = s32[] constant(1)  next = s32[] add(i, one)
  a = f32[] get-tuple-element(s), index=1
  b = f32[] get-tuple-element(s), index=2
  w = f32[8] get-tuple-element(s), index=4
  ROOT t = (s32[], f32[], f32[], f32[], f32[8]) tuple(next, a, a, b, w) }
sum_body {
  s = (s32[], f32[], f32[], f32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0  one = s32[] constant(1)  next = s32[] add(i, one)
  a = f32[] get-tuple-element(s), index=1
  b = f32[] get-tuple-element(s), index=2
  w = f32[8] get-tuple-element(s), index=4
  sum = f32[] reduce(w, a), dimensions={0}, to_apply=add
  ROOT t = (s32[], f32[], f32[], f32[], f32[8]) tuple(next, a, sum, b, w) }
until_near_condition {
  s = (s32[], f32[], f32[], f32[], f32[8]) parameter(0)
  a = f32[] get-tuple-element(s), index=3  n = f32[] constant(5)
  ROOT r = pred[] compare(a, n), direction=LT }
)";

TEST(Exactness, SpreadsInLoops) {
  Check(
      {
          {"init = (s32[], f32[], f32[], f32[], f32[8]) tuple(zero_i, zero, zero, zero, x)\n"
           "ROOT w = (s32[], f32[], f32[], f32[], f32[8]) while(init), condition=shift_condition, body=shift_body",
           "eeeee"},
          // The third element becomes inexact in the first iteration, the fourth in the second.
          {"init = (s32[], f32[], f32[], f32[], f32[8]) tuple(zero_i, sum, zero, zero, x)\n"
           "ROOT w = (s32[], f32[], f32[], f32[], f32[8]) while(init), condition=shift_condition, body=shift_body",
           "eiiie"},
          {"init = (s32[], f32[], f32[], f32[], f32[8]) tuple(zero_i, zero, zero, zero, x)\n"
           "ROOT w = (s32[], f32[], f32[], f32[], f32[8]) while(init), condition=shift_condition, body=sum_body",
           "eeiie"},
          // The condition is inexact from the second iteration on: all that changes depends on the number of
          // iterations.
          {"init = (s32[], f32[], f32[], f32[], f32[8]) tuple(zero_i, zero, zero, zero, x)\n"
           "ROOT w = (s32[], f32[], f32[], f32[], f32[8]) while(init), condition=until_near_condition, body=sum_body",
           "ieiie"},
      },
      kShiftLoops);
}

constexpr char kBranches[] = R"(
both { s = f32[8] parameter(0) ROOT t = (f32[8], f32[8]) tuple(s, s) }
feeding { s = f32[8] parameter(0) k = token[] after-all() o = token[] outfeed(s, k), outfeed_shape=f32[8]
  ROOT t = (f32[8], f32[8]) tuple(s, s) }
taking { s = f32[8] parameter(0) k = token[] after-all() n = (f32[8], token[]) infeed(k)
  m = f32[8] get-tuple-element(n), index=0 ROOT t = (f32[8], f32[8]) tuple(s, m) }
)";

TEST(Exactness, ASelectorDecidesEveryResult) {
  Check(
      {
          {"b = pred[] constant(true)\n"
           "ROOT c = (f32[8], f32[8]) conditional(b, x, x), true_computation=both, false_computation=both",
           "ee"},
          {"b = pred[] constant(true)\n"
           "ROOT c = (f32[8], f32[8]) conditional(b, x, sums), true_computation=both, false_computation=both",
           "ii"},
          {"ROOT c = (f32[8], f32[8]) conditional(sum_is_less, x, x), true_computation=both, false_computation=both",
           "ii"},
          {"ROOT c = (f32[8], f32[8]) conditional(sum_as_integer, x, x, x), branch_computations={both, both, both}",
           "ii"},
      },
      kBranches);
}

TEST(Exactness, FeedsAreOutputsAndComeInOrder) {
  Check(
      {
          {"ROOT o = token[] outfeed(x, order), outfeed_shape=f32[8]", "e"},
          {"ROOT o = token[] outfeed(sums, order), outfeed_shape=f32[8]", "e; inexact feeds"},
          {"ROOT n = (f32[8], token[]) infeed(order)", "ee"},
          {"b = pred[] constant(true)\n"
           "ROOT c = (f32[8], f32[8]) conditional(b, x, x), true_computation=feeding, false_computation=taking",
           "ee"},
          {"ROOT c = (f32[8], f32[8]) conditional(sum_is_less, x, x), true_computation=both, false_computation=feeding",
           "ii; inexact feeds"},
          // How many elements the branch takes decides which one comes next, and which random numbers do.
          {"n = (f32[8], token[]) infeed(order) m = f32[8] get-tuple-element(n), index=0\n"
           "c = (f32[8], f32[8]) conditional(sum_is_less, x, x), true_computation=both, false_computation=taking\n"
           "u = f32[8] rng(zero, zero), distribution=rng_uniform\n"
           "ROOT t = (f32[8], f32[8], f32[8]) tuple(m, u, x)",
           "iie; inexact feeds"},
      },
      kBranches);
}

TEST(Exactness, SendsAreReceived) {
  const char* const send =
      "v = (f32[8], u32[], token[]) recv(order), channel_id=1\n"
      "s = (f32[8], u32[], token[]) send($0, order), channel_id=1\n"
      "sd = token[] send-done(s), channel_id=1\n"
      "ROOT vd = (f32[8], token[]) recv-done(v), channel_id=1";
  const std::string exact = absl::Substitute(send, "x"), inexact = absl::Substitute(send, "sums");
  Check({{exact.c_str(), "ee"}, {inexact.c_str(), "ie"}});
}

constexpr char kReducers[] = R"(
largest_with_position {
  a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GE
  m = f32[] select(g, a, b) k = s32[] select(g, i, j)
  ROOT t = (f32[], s32[]) tuple(m, k) }
sum_and_count {
  a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  m = f32[] add(a, b) k = s32[] add(i, j)
  ROOT t = (f32[], s32[]) tuple(m, k) }
sum_decides {
  a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GE
  m = f32[] add(a, b) k = s32[] select(g, i, j)
  ROOT t = (f32[], s32[]) tuple(m, k) }
add_through_a_call { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] call(a, b), to_apply=add }
running_sum { x = f32[] parameter(0) c = f32[] parameter(1) s = f32[] add(x, c)
  ROOT t = (f32[], f32[]) tuple(s, s) }
)";

TEST(Exactness, ReducersCombineInAnyOrder) {
  Check(
      {
          {"ROOT r = (f32[], s32[]) reduce(x, i, zero, zero_i), dimensions={0}, to_apply=largest_with_position", "ee"},
          {"ROOT r = (f32[], s32[]) reduce(sums, i, zero, zero_i), dimensions={0}, to_apply=largest_with_position",
           "ii"},
          {"ROOT r = (f32[], s32[]) reduce(x, i, zero, zero_i), dimensions={0}, to_apply=sum_and_count", "ie"},
          // The sum of the elements before is inexact, so what is decided by it is too.
          {"ROOT r = (f32[], s32[]) reduce(x, i, zero, zero_i), dimensions={0}, to_apply=sum_decides", "ii"},
          {"ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add_through_a_call", "i"},
          {"j = s32[8,1] reshape(i) ROOT r = f32[8] scatter(x, j, x), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
           "i"},
          {"j = s32[8,1] reshape(i) ROOT r = f32[8] scatter(x, j, x), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take_second",
           "e"},
          {"j = s32[8,1] broadcast(sum_as_integer), dimensions={}\n"
           "ROOT r = f32[8] scatter(x, j, x), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take_second",
           "i"},
          {"y = f32[4] slice(x), slice={[0:4]}\n"
           "ROOT r = f32[8] select-and-scatter(x, y, zero), window={size=2 stride=2}, select=less, scatter=add",
           "i"},
          {"y = f32[4] slice(x), slice={[0:4]}\n"
           "ROOT r = f32[8] select-and-scatter(x, y, zero), window={size=2 stride=2}, select=less, scatter=max",
           "e"},
          {"y = f32[4] slice(x), slice={[0:4]}\n"
           "ROOT r = f32[8] select-and-scatter(sums, y, zero), window={size=2 stride=2}, select=less, scatter=max",
           "i"},
          {"ROOT r = (f32[8], f32[]) scan(x, zero), dimensions={0}, num_carries=1, to_apply=running_sum", "ee"},
          {"ROOT r = (f32[8], f32[]) scan(x, zero), dimensions={0}, num_carries=1, is_associative=true, "
           "to_apply=running_sum",
           "ii"},
          {"ROOT r = (f32[8], f32[]) scan(x, sum), dimensions={0}, num_carries=1, to_apply=running_sum", "ii"},
          {"ROOT r = f32[8] all-reduce(x), to_apply=add", "i"},
          {"ROOT r = f32[8] all-reduce(x), to_apply=max", "e"},
          {"ROOT r = (f32[8], f32[8]) all-reduce(x, sums), to_apply=max", "ei"},
          {"ROOT r = f32[8] all-gather(x), dimensions={0}", "e"},
          {"ROOT r = u32[] replica-id()", "e"},
      },
      kReducers);
}

TEST(Exactness, CustomCallsAreInexactUnlessTheyOnlyMoveElements) {
  Check({
      {"ROOT r = f32[8] custom-call(x), custom_call_target=\"Sharding\"", "e"},
      {"ROOT r = f32[8] custom-call(sums), custom_call_target=\"Sharding\"", "i"},
      {"ROOT r = (f32[8], s32[]) custom-call(x), custom_call_target=\"another program's\"", "ii"},
  });
}

TEST(Exactness, FunctionsMayBeRoundedOnAnotherBackend) {
  ExactnessOptions options;
  options.may_round = &BackendsMayRound;
  const ParsedModule module(
      "HloModule m ENTRY e { x = f32[8] parameter(0) i = s32[8] parameter(1)\n"
      "a = f32[8] exponential(x) b = s32[8] power(i, i) c = f32[8] negate(x) d = f32[8] divide(x, x)\n"
      "ROOT t = (f32[8], s32[8], f32[8], f32[8]) tuple(a, b, c, d) }");
  EXPECT_EQ(Outputs(*module), "eeee");
  EXPECT_EQ(Outputs(*module, options), "ieee");
}

// Each call is looked at once for each combination of exact arguments, and without recursion.
TEST(Exactness, TakesDeepAndWideCalls) {
  std::string text = "HloModule m\nfunction0 { a = f32[8] parameter(0) ROOT r = f32[8] negate(a) }\n";
  constexpr int kDepth = 3000;
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "function", i, " { a = f32[8] parameter(0) b = f32[8] call(a), to_apply=function", i - 1,
                    " ROOT r = f32[8] call(b), to_apply=function", i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = f32[8] parameter(0) ROOT r = f32[8] call(x), to_apply=function", kDepth, " }");
  EXPECT_EQ(Outputs(*ParsedModule(text)), "e");
}

TEST(Exactness, IsKnownOfEveryInstruction) {
  const ParsedModule module(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[8], f32[], f32[]) tuple(x, sum, zero)
})");
  const Exactness exactness(*module);
  EXPECT_TRUE(exactness.IsExact(module.At("x")));
  EXPECT_FALSE(exactness.IsExact(module.At("t"), 1));
}

TEST(Exactness, IsPrinted) {
  const ParsedModule module(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
never { a = f32[8] parameter(0) ROOT r = f32[] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0} }
ENTRY e {
  x = f32[8] parameter(0)  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[8], f32[], f32[]) tuple(x, sum, zero)
})");
  EXPECT_EQ(*FindPrintedAnalysis("exactness")->Print(*module, nullptr),
            "add/a: inexact\nadd/b: inexact\nadd/r: inexact\ne/sum: inexact\ne/t: inexact, leaves 1\n");
}

TEST(Exactness, DiffersOnceASumIsReadElsewhere) {
  const ParsedModule m(R"(HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[] parameter(1)
  z = f32[] constant(0)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add
  n = f32[] negate(s)
  ROOT t = (f32[], f32[]) tuple(n, s)
})");
  const Exactness before(*m);
  EXPECT_TRUE(before == Exactness(*m));
  m.At("n").ReplaceOperand(0, &m.At("y"));
  EXPECT_FALSE(before == Exactness(*m));
}

}  // namespace
}  // namespace xla
