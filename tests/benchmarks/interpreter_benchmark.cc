// The interpreter on one thread, from arguments to result.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/generated_module.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr char kAdd[] =
    "HloModule add\nENTRY main { x = f32[1048576] parameter(0) y = f32[1048576] parameter(1) "
    "ROOT r = f32[1048576] add(x, y) }";
constexpr char kDot[] =
    "HloModule dot\nENTRY main { x = f32[512,512] parameter(0) y = f32[512,512] parameter(1) "
    "ROOT r = f32[512,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";

std::string ReduceText(const std::string& result, const std::string& dimensions) {
  return absl::StrCat(
      "HloModule reduce\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n",
      "ENTRY main { x = f32[1024,1024] parameter(0) zero = f32[] constant(0) ROOT r = ", result,
      " reduce(x, zero), dimensions={", dimensions, "}, to_apply=add }");
}

struct Program {
  std::unique_ptr<HloModule> module;
  std::unique_ptr<Evaluator> evaluator;
  std::vector<Literal> arguments;
};

// With arguments in [-1, 1).
Program MakeProgram(const std::string& text) {
  Program program;
  auto module = ParseHloModule(text);
  CHECK(module.ok());
  program.module = *std::move(module);
  auto evaluator = Evaluator::Create(*program.module);
  CHECK(evaluator.ok());
  program.evaluator = *std::move(evaluator);
  for (const HloInstruction* parameter : program.module->entry()->parameters()) {
    auto argument = MakeInput(DefaultInputSpec(parameter->shape().WithoutLayout(), program.arguments.size()));
    CHECK(argument.ok());
    program.arguments.push_back(*std::move(argument));
  }
  return program;
}

// `amount` of something for each run.
void BM_Run(benchmark::State& state, const std::string& text, double amount, const char* unit, double wanted) {
  const Program program = MakeProgram(text);
  for (auto _ : state) {
    const auto result = program.evaluator->RunOne(program.arguments);
    if (!result.ok()) return state.SkipWithError(result.status().ToString().c_str());
  }
  ReportRate(state, amount, unit, wanted);
}

// ResNet-50 on one image, from the corpus that HALO_CORPUS names.
void BM_ResNet50(benchmark::State& state, const std::string& layout) {
  const char* corpus = std::getenv("HALO_CORPUS");
  if (corpus == nullptr) return state.SkipWithError("HALO_CORPUS does not name a corpus");
  const auto file = ReadFile(absl::StrCat(corpus, "/hlo/model/model_resnet50_", layout, "_full/module.hlo"));
  if (!file.ok()) return state.SkipWithError(file.status().ToString().c_str());
  const Program program = MakeProgram(std::string(file->data()));
  const double cpu_before = static_cast<double>(std::clock());
  for (auto _ : state) {
    const auto result = program.evaluator->RunOne(program.arguments);
    if (!result.ok()) return state.SkipWithError(result.status().ToString().c_str());
  }
  ReportAmount(state, (static_cast<double>(std::clock()) - cpu_before) / CLOCKS_PER_SEC, "s", 20);
}

const bool kInterpreterRegistered = [] {
  const auto add = [](const char* name, const std::string& text, double amount, const char* unit, double wanted) {
    benchmark::RegisterBenchmark(name, BM_Run, text, amount, unit, wanted)->MeasureProcessCPUTime();
  };
  add("add of 1M f32", kAdd, 1.048576, "M elements/s", 200);
  add("dot of 512x512x512 f32", kDot, 2 * 512.0 * 512 * 512 / 1e9, "GFLOP/s", 2);
  // Border positions, where part of the window is padding, counted as if they were whole.
  add("convolution 3x3, 56x56x64 to 64, f32", GenerateConvolutionStackText(1), 2 * 9.0 * 56 * 56 * 64 * 64 / 1e9,
      "GFLOP/s", 1);
  add("reduce of the minor dimension, 1M f32", ReduceText("f32[1024]", "1"), 1.048576, "M elements/s", 200);
  add("reduce of the major dimension, 1M f32", ReduceText("f32[1024]", "0"), 1.048576, "M elements/s", 200);
  add("reduce of both dimensions, 1M f32", ReduceText("f32[]", "0,1"), 1.048576, "M elements/s", 200);
  add("while with ten scalar operations", GenerateScalarLoopText(100000), 100, "thousand turns/s", 300);
  add("while with ten operations on f32[4]", GenerateVectorLoopText(100000), 100, "thousand turns/s", 0);
  for (const char* layout : {"nhwc", "nchw"}) {
    benchmark::RegisterBenchmark(absl::StrCat("ResNet-50, one image, ", layout).c_str(), BM_ResNet50, layout)
        ->Iterations(1)
        ->MeasureProcessCPUTime();
  }
  return true;
}();

}  // namespace
}  // namespace xla
