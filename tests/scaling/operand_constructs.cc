// Instructions with many operands, values with many users, tuples with many elements.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

std::string Shapes(int64_t n, const char* shape = "f32[]") { return absl::StrCat("(", Repeated(n, shape), ")"); }

// " p0 = f32[] parameter(0)" and so on.
std::string ParameterLines(int64_t n, const char* shape = "f32[]") {
  std::string lines;
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&lines, " p", i, " = ", shape, " parameter(", i, ")\n");
  return lines;
}

// A computation of n parameters that uses the first and the last.
std::string FirstPlusLast(ProgramText& program, int64_t n, const char* shape = "f32[]") {
  return program.Computation(absl::StrCat(ParameterLines(n, shape), " ROOT r = ", shape, " add(p0, p", n - 1, ")\n"));
}

void WideTuple(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1]");
  program.Result(program.Add(Shapes(n, "f32[1]"), " tuple(", Repeated(n, x), ")"));
}

void WideConcatenate(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1]");
  program.Result(program.Add("f32[", n, "] concatenate(", Repeated(n, x), "), dimensions={0}"));
}

void WideCall(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[]");
  const std::string callee = FirstPlusLast(program, n);
  program.Result(program.Add("f32[] call(", Repeated(n, x), "), to_apply=", callee));
}

void WideFusion(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[2]");
  std::string body = ParameterLines(n, "f32[2]");
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&body, " sum", i, " = f32[2] add(", i == 0 ? "p0" : absl::StrCat("sum", i - 1), ", p", i, ")\n");
  }
  absl::StrAppend(&body, " ROOT r = f32[2] negate(sum", n - 1, ")\n");
  const std::string fused = program.Computation(body);
  program.Result(program.Add("f32[2] fusion(", Repeated(n, x), "), kind=kLoop, calls=", fused));
}

void WideConcatenateInFusion(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1]");
  const std::string fused = program.Computation(absl::StrCat(
      " p = f32[1] parameter(0)\n ROOT c = f32[", n, "] concatenate(", Repeated(n, "p"), "), dimensions={0}\n"));
  program.Result(program.Add("f32[", n, "] fusion(", x, "), kind=kLoop, calls=", fused));
}

void WideCustomCall(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[]");
  program.Result(program.Add("f32[] custom-call(", Repeated(n, x), "), custom_call_target=\"unknown\""));
}

void WideMap(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  const std::string function = FirstPlusLast(program, n);
  program.Result(program.Add("f32[4] map(", Repeated(n, x), "), dimensions={0}, to_apply=", function));
}

void VariadicReduce(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  const std::string zero = program.Add("f32[] constant(0)");
  std::string body = ParameterLines(2 * n);
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&body, " sum", i, " = f32[] add(p", i, ", p", n + i, ")\n");
  absl::StrAppend(&body, " ROOT t = ", Shapes(n), " tuple(",
                  Listed(n, [](int64_t i) { return absl::StrCat("sum", i); }), ")\n");
  const std::string sum = program.Computation(body);
  program.Result(
      program.Add(Shapes(n), " reduce(", Repeated(n, x), ", ", Repeated(n, zero), "), dimensions={0}, to_apply=", sum));
}

void VariadicSort(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  const std::string less =
      program.Computation(absl::StrCat(ParameterLines(2 * n), " ROOT l = pred[] compare(p0, p1), direction=LT\n"));
  program.Result(
      program.Add(Shapes(n, "f32[4]"), " sort(", Repeated(n, x), "), dimensions={0}, is_stable=true, to_apply=", less));
}

void VariadicAllReduce(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add(Shapes(n, "f32[4]"), " all-reduce(", Repeated(n, x), "), to_apply=", program.Adder()));
}

void WideAllToAll(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("replica_count=", n));
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add(Shapes(n, "f32[4]"), " all-to-all(", Repeated(n, x), "), replica_groups={{",
                             Listed(n, [](int64_t i) { return absl::StrCat(i); }), "}}"));
}

void WideScatter(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[8]");
  const std::string indices = program.Parameter("s32[3,1]");
  const std::string updates = program.Parameter("f32[3]");
  std::string body = ParameterLines(2 * n);
  absl::StrAppend(&body, " ROOT t = ", Shapes(n), " tuple(",
                  Listed(n, [n](int64_t i) { return absl::StrCat("p", n + i); }), ")\n");
  const std::string assign = program.Computation(body);
  program.Result(program.Add(Shapes(n, "f32[8]"), " scatter(", Repeated(n, x), ", ", indices, ", ",
                             Repeated(n, updates),
                             "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                             "index_vector_dim=1, to_apply=",
                             assign));
}

// A loop that counts to 3 and whose state has n more elements, each of which takes the value of the next one.
void WideWhile(ProgramText& program, int64_t n) {
  const std::string state = absl::StrCat("(s32[], ", Repeated(n, "f32[]"), ")");
  const std::string condition = program.Computation(
      absl::StrCat(" s = ", state,
                   " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n k = s32[] constant(3)\n"
                   " ROOT go = pred[] compare(i, k), direction=LT\n"));
  std::string body = absl::StrCat(" s = ", state,
                                  " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
                                  " one = s32[] constant(1)\n next = s32[] add(i, one)\n");
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&body, " e", i, " = f32[] get-tuple-element(s), index=", i + 1, "\n");
  absl::StrAppend(&body, " ROOT t = ", state, " tuple(next, ",
                  Listed(n, [n](int64_t i) { return absl::StrCat("e", (i + 1) % n); }), ")\n");
  const std::string loop = program.Computation(body);
  const std::string x = program.Parameter("f32[]");
  const std::string zero = program.Add("s32[] constant(0)");
  const std::string initial = program.Add(state, " tuple(", zero, ", ", Repeated(n, x), ")");
  program.Result(program.Add(state, " while(", initial, "), condition=", condition, ", body=", loop));
}

void ManyBranches(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[]");
  const std::string index = program.Parameter("s32[]");
  const std::string branches = Listed(n, [&](int64_t i) {
    return program.Computation(
        absl::StrCat(" p = f32[] parameter(0)\n c = f32[] constant(", i, ")\n ROOT r = f32[] add(p, c)\n"));
  });
  program.Result(
      program.Add("f32[] conditional(", index, ", ", Repeated(n, x), "), branch_computations={", branches, "}"));
}

void BranchesOfWideTuples(ProgramText& program, int64_t n) {
  const std::string chosen = program.Parameter("pred[]");
  const std::string x = program.Parameter("f32[]");
  const auto branch = [&](const char* opcode) {
    std::string body = " p = f32[] parameter(0)\n";
    for (int64_t i = 0; i < n; ++i) absl::StrAppend(&body, " r", i, " = f32[] ", opcode, "(p)\n");
    absl::StrAppend(&body, " ROOT t = ", Shapes(n), " tuple(",
                    Listed(n, [](int64_t i) { return absl::StrCat("r", i); }), ")\n");
    return program.Computation(body);
  };
  const std::string on_true = branch("sine"), on_false = branch("cosine");
  program.Result(program.Add(Shapes(n), " conditional(", chosen, ", ", x, ", ", x, "), true_computation=", on_true,
                             ", false_computation=", on_false));
}

void ManyUsers(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[]");
  std::string last = x;
  for (int64_t i = 0; i < n; ++i) last = program.Add("f32[] add(", last, ", ", x, ")");
  program.Result(last);
}

void WideAfterAll(ProgramText& program, int64_t n) {
  const std::string tokens = Listed(n, [&](int64_t) { return program.Add("token[] after-all()"); });
  const std::string x = program.Parameter("f32[]");
  const std::string all = program.Add("token[] after-all(", tokens, ")");
  program.Result(program.Add("f32[] add-dependency(", x, ", ", all, ")"));
}

void ManyParameters(ProgramText& program, int64_t n) {
  std::string sum = program.Parameter("f32[]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string x = program.Parameter("f32[]");
    if (i % 2 == 0) sum = program.Add("f32[] add(", sum, ", ", x, ")");
  }
  program.Result(sum);
}

void ElementsOfAWideTuple(ProgramText& program, int64_t n) {
  const std::string tuple = program.Parameter(Shapes(n));
  std::string sum = program.Add("f32[] constant(1)");
  for (int64_t i = 0; i < n; ++i) {
    const std::string element = program.Add("f32[] get-tuple-element(", tuple, "), index=", i);
    sum = program.Add("f32[] multiply(", sum, ", ", element, ")");
  }
  program.Result(sum);
}

void WideBarrier(ProgramText& program, int64_t n) {
  const std::string tuple = program.Parameter(Shapes(n));
  const std::string barrier = program.Add(Shapes(n), " opt-barrier(", tuple, ")");
  program.Result(program.Add("f32[] get-tuple-element(", barrier, "), index=", n - 1));
}

void DeepTuple(ProgramText& program, int64_t n) {
  const std::string shape = absl::StrCat(std::string(n, '('), "f32[]", std::string(n, ')'));
  program.Result(program.Add(shape, " copy(", program.Parameter(shape), ")"));
}

void ManyTuples(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string tuple = program.Add(Shapes(8), " tuple(", Repeated(8, x), ")");
    const std::string element = program.Add("f32[] get-tuple-element(", tuple, "), index=", i % 8);
    x = program.Add("f32[] negate(", element, ")");
  }
  program.Result(x);
}

}  // namespace

absl::Span<const Construct> OperandConstructs() {
  static constexpr Construct kConstructs[] = {
      {"wide-tuple", "a tuple of n operands", 10000, WideTuple},
      {"wide-concatenate", "a concatenate of n operands", 5000, WideConcatenate},
      {"wide-call", "a call of n arguments", 5000, WideCall},
      {"wide-fusion", "a fusion of n operands, all of which it adds", 500, WideFusion},
      {"wide-concatenate-in-fusion", "a fusion with a concatenate of n operands", 500, WideConcatenateInFusion},
      {"wide-custom-call", "a custom call of n operands", 10000, WideCustomCall},
      {"wide-map", "a map over n arrays", 1000, WideMap},
      {"variadic-reduce", "a reduce of n arrays", 100, VariadicReduce},
      {"variadic-sort", "a sort of n arrays", 500, VariadicSort},
      {"variadic-all-reduce", "an all-reduce of n arrays", 2000, VariadicAllReduce},
      {"wide-all-to-all", "an all-to-all among n replicas", 500, WideAllToAll},
      {"wide-scatter", "a scatter into n arrays", 200, WideScatter},
      {"wide-while", "a loop whose state has n elements", 1000, WideWhile},
      {"many-branches", "a conditional with n branches", 500, ManyBranches},
      {"branches-of-wide-tuples", "branches that return n elements", 500, BranchesOfWideTuples},
      {"many-users", "a value with n users", 1000, ManyUsers},
      {"wide-after-all", "an after-all of n tokens", 2000, WideAfterAll},
      {"many-parameters", "n parameters, half of which are used", 2000, ManyParameters},
      {"elements-of-a-wide-tuple", "all elements of a tuple of n", 1000, ElementsOfAWideTuple},
      {"wide-barrier", "an opt-barrier of n elements, of which one is used", 5000, WideBarrier},
      {"deep-tuple", "a copy of a tuple n deep", 25, DeepTuple},
      {"many-tuples", "n tuples with an element of each", 1000, ManyTuples},
  };
  return kConstructs;
}

}  // namespace xla
