// Arguments that are given away, updates in place and declared aliasing: against the evaluator, at every level and on
// any number of threads, whether or not the arguments are given away.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/check/check_inputs.h"
#include "passes/memory/testing/aliasing_programs.h"
#include "xla_core/evaluator/evaluator.h"

namespace xla {
namespace {

struct Program {
  const char* name;
  const char* text;
};

constexpr Program kPrograms[] = {
    {"an updated argument is a result, and another result is in its buffer", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY e { p = f32[40] parameter(0) u = f32[11] parameter(1) k = s32[] constant(3)
  d = f32[40] dynamic-update-slice(p, u, k) n = f32[40] negate(d)
  ROOT o = (f32[40], f32[40]) tuple(n, d) })"},
    {"the same with scatter", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[40] parameter(0) i = s32[11] parameter(1) u = f32[11] parameter(2)
  d = f32[40] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=add
  n = f32[40] negate(d) ROOT o = (f32[40], f32[40]) tuple(n, d) })"},
    {"the same with a loop", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
body { t = (s32[], f32[40]) parameter(0)
  i = s32[] get-tuple-element(t), index=0 x = f32[40] get-tuple-element(t), index=1
  y = f32[40] reverse(x), dimensions={0} one = s32[] constant(1) n = s32[] add(i, one)
  ROOT r = (s32[], f32[40]) tuple(n, y) }
cond { t = (s32[], f32[40]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] constant(51)
  ROOT r = pred[] compare(i, k), direction=LT }
ENTRY e { p = f32[40] parameter(0) z = s32[] constant(0) t = (s32[], f32[40]) tuple(z, p)
  w = (s32[], f32[40]) while(t), condition=cond, body=body
  d = f32[40] get-tuple-element(w), index=1 n = f32[40] negate(d) ROOT o = (f32[40], f32[40]) tuple(n, d) })"},
    {"a step of a cache of keys and values", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY e { cache = f32[128,64] parameter(0) k = f32[1,64] parameter(1) pos = s32[] parameter(2) z = s32[] constant(0)
  c = f32[128,64] dynamic-update-slice(cache, k, pos, z)
  h = f32[] constant(0.5) hb = f32[128,64] broadcast(h), dimensions={} decayed = f32[128,64] multiply(c, hb)
  ROOT o = (f32[128,64], f32[128,64]) tuple(decayed, c) })"},
    {"arguments that must change places", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}, must-alias), {2}: (2, {}, must-alias) }
ENTRY e { p = f32[33] parameter(0) q = f32[33] parameter(1) r = f32[33] parameter(2)
  ROOT o = (f32[33], f32[33], f32[33], f32[33]) tuple(q, r, p, p) })"},
    {"tuples that are given away", R"(
HloModule m, input_output_alias={ {1}: (0, {}, must-alias) }
ENTRY e { p = (s32[9], f32[7]) parameter(0)
  a = s32[9] get-tuple-element(p), index=0 b = f32[7] get-tuple-element(p), index=1
  n = s32[9] negate(a) c = f32[7] reverse(b), dimensions={0} t = (s32[9], f32[7]) tuple(n, c)
  ROOT o = (f32[7], (s32[9], f32[7]), s32[9]) tuple(b, t, a) })"},
    {"one branch updates what the other passes on", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
left { x = f32[16] parameter(0) u = f32[3] slice(x), slice={[9:12]} i = s32[] constant(2)
  d = f32[16] dynamic-update-slice(x, u, i) n = f32[16] negate(d) ROOT t = (f32[16], f32[16]) tuple(n, d) }
right { x = f32[16] parameter(0) r = f32[16] reverse(x), dimensions={0} ROOT t = (f32[16], f32[16]) tuple(x, r) }
ENTRY e { p = f32[16] parameter(0) k = s32[] parameter(1)
  ROOT c = (f32[16], f32[16]) conditional(k, p, p), branch_computations={left, right} })"},
    {"a fusion reads a row that it overwrites", R"(
HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
fused { p0 = f32[8] parameter(0) p1 = f32[8,128] parameter(1) z = f32[] constant(0)
  s = f32[7] slice(p0), slice={[0:7]} a = f32[8] pad(s, z), padding=0_1
  b = f32[8,128] broadcast(p0), dimensions={0} c = f32[8,128] add(b, p1)
  ROOT t = (f32[8], f32[8,128]) tuple(a, c) }
ENTRY e { p0 = f32[8] parameter(0) p1 = f32[8,128] parameter(1)
  ROOT f = (f32[8], f32[8,128]) fusion(p0, p1), kind=kLoop, calls=fused, output_to_operand_aliasing={{0}: (0, {})} })"},
    {"a fusion updates what another result is copied over", R"(
HloModule m
fused { p = s32[200] parameter(0) i = s32[] constant(24) j = s32[] constant(72)
  u = s32[192] dynamic-slice(p, i), dynamic_slice_sizes={192} d = s32[200] dynamic-update-slice(p, u, j)
  n = s32[200] not(d) ROOT o = (s32[200], s32[200]) tuple(d, n) }
ENTRY e { p = s32[200] parameter(0)
  ROOT f = (s32[200], s32[200]) fusion(p), kind=kLoop, calls=fused, output_to_operand_aliasing={{1}: (0, {})} })"},
    {"a fusion with two results in place of operands", R"(
HloModule m, input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {}, may-alias) }
fused { p0 = s32[64] parameter(0) p1 = s32[64] parameter(1) z = s32[] constant(3)
  a = s32[31] slice(p0), slice={[0:31]} b = s32[64] pad(a, z), padding=33_0
  c = s32[49] slice(p0), slice={[15:64]} d = s32[15] slice(p1), slice={[0:15]}
  g = s32[64] concatenate(c, d), dimensions={0} n = s32[64] not(b)
  ROOT o = (s32[64], s32[64], s32[64]) tuple(b, n, g) }
ENTRY e { p0 = s32[64] parameter(0) p1 = s32[64] parameter(1)
  ROOT f = (s32[64], s32[64], s32[64]) fusion(p0, p1), kind=kLoop, calls=fused,
    output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})} })"},
    {"a product in place of a factor", R"(
HloModule m, input_output_alias={ {}: (0, {}, must-alias) }
fused { a = f32[48,48] parameter(0) b = f32[48,48] parameter(1)
  d = f32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT s = f32[48,48] subtract(d, a) }
ENTRY e { a = f32[48,48] parameter(0) b = f32[48,48] parameter(1)
  ROOT f = f32[48,48] fusion(a, b), kind=kOutput, calls=fused, output_to_operand_aliasing={{}: (0, {})} })"},
};

class Checker {
 public:
  void Check(const std::string& text, int level, int threads, bool poisons) {
    const auto module = OrDie(ParseHloModule(text));
    CompileOptions options;
    options.optimization_level = level;
    options.settings["poison-memory"] = poisons ? "true" : "false";
    const auto compiled = CompileText(ClientOf(threads), text, options);
    const auto evaluator = OrDie(Evaluator::Create(*module));
    ExecuteOptions keep;
    for (int i = 0; i < module->entry()->parameter_count(); ++i) keep.non_donatable_parameters.push_back(i);
    for (const uint64_t seed : {1, 2}) {
      CheckInputOptions inputs;
      inputs.kind = CheckInputKind::kWholeNumbers;
      inputs.seed = seed;
      MemoryBudget budget;
      const std::vector<Literal> arguments = OrDie(MakeCheckInputs(*module, inputs, &budget))[0];
      const Literal want = OrDie(evaluator->RunOne(arguments));
      ExpectSame(OrDie(ExecuteOnLiterals(*compiled, arguments)), want, Alike::kValues, "given away");
      ExpectSame(OrDie(ExecuteOnLiterals(*compiled, arguments, keep)), want, Alike::kValues, "kept");
    }
  }

 private:
  Client& ClientOf(int threads) {
    std::shared_ptr<Client>& client = clients_[threads];
    if (client == nullptr) {
      ClientOptions options;
      options.threads = threads;
      client = OrDie(GetClient(kBackend, options));
    }
    return *client;
  }

  std::map<int, std::shared_ptr<Client>> clients_;
};

TEST(Aliasing, AgreesWithTheEvaluator) {
  Checker checker;
  for (const Program& program : kPrograms) {
    for (const int level : {0, 1, 2}) {
      for (const int threads : {1, 2, 8}) {
        SCOPED_TRACE(absl::StrCat(program.name, ", level ", level, ", ", threads, " threads"));
        for (const bool poisons : {false, true}) checker.Check(program.text, level, threads, poisons);
      }
    }
  }
}

TEST(Aliasing, OfRandomProgramsAgreesWithTheEvaluator) {
  Checker checker;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const std::string text = AliasingProgram(seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", text));
    checker.Check(text, static_cast<int>(seed % 3), seed % 2 == 0 ? 1 : 2, /*poisons=*/seed % 4 < 2);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace xla
