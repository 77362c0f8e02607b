// Optimizing modules: how long the pipelines take, and that they take time in proportion to the module.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/generated_module.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// For the module of BERT-base, with simplify.
constexpr double kBertMilliseconds = 150;
// How much longer an instruction may take in a module four times as large.
constexpr double kGrowth = 1.5;
constexpr int kRuns = 3;

std::unique_ptr<HloModule> Generate(int64_t instructions) {
  auto module = ParseHloModule(GenerateNetworkText(instructions));
  CHECK(module.ok());
  return *std::move(module);
}

// CPU time of one run of the pipeline, verifying included.
double MillisecondsOf(const HloModule& module, absl::string_view pipeline) {
  const Pipeline steps = *PipelineByName(pipeline);
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::unique_ptr<HloModule> copy = CloneModule(module);
    PassContext context;
    const std::clock_t start = std::clock();
    const auto changed = RunPasses(steps, {}, context, *copy);
    const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    CHECK(changed.ok());
    best = run == 0 ? milliseconds : std::min(best, milliseconds);
  }
  return best;
}

void BM_Pipeline(benchmark::State& state, int64_t instructions, const char* pipeline) {
  const auto module = Generate(instructions);
  double milliseconds = 0;
  for (auto _ : state) milliseconds = MillisecondsOf(*module, pipeline);
  ReportAmount(state, milliseconds, "ms", 0);
}

void BM_Growth(benchmark::State& state, const char* pipeline) {
  const auto small = Generate(10000);
  const auto large = Generate(40000);
  double growth = 0;
  for (auto _ : state) {
    growth = MillisecondsOf(*large, pipeline) / MillisecondsOf(*small, pipeline) *
             static_cast<double>(small->instruction_count()) / static_cast<double>(large->instruction_count());
  }
  ReportAmount(state, growth, "x time per instruction", kGrowth);
}

// The module is the file that HALO_BERT_BASE names.
void BM_Bert(benchmark::State& state, const char* pipeline, double wanted) {
  const char* const path = std::getenv("HALO_BERT_BASE");
  const auto file = ReadFile(path);
  if (!file.ok()) return state.SkipWithError(file.status().ToString().c_str());
  const auto module = ParseHloModule(file->data());
  if (!module.ok() || !VerifyModule(**module).ok()) return state.SkipWithError("the file holds no valid module");
  double milliseconds = 0;
  for (auto _ : state) milliseconds = MillisecondsOf(**module, pipeline);
  ReportAmount(state, milliseconds, "ms", wanted);
}

const bool kPassRegistered = [] {
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->MeasureProcessCPUTime()->Iterations(1);
  };
  for (const char* pipeline : {"simplify", "fuse"}) {
    for (const int64_t thousands : {10, 40}) {
      add(absl::StrCat(pipeline, ", ", thousands, "k instructions"), BM_Pipeline, thousands * 1000, pipeline);
    }
    add(absl::StrCat(pipeline, ", growth from 10k to 40k instructions"), BM_Growth, pipeline);
  }
  // Only where there is a module: it is not part of this tree.
  if (std::getenv("HALO_BERT_BASE") != nullptr) {
    add("simplify, BERT-base", BM_Bert, "simplify", kBertMilliseconds);
    add("fuse, BERT-base", BM_Bert, "fuse", 0.0);
  }
  return true;
}();

}  // namespace
}  // namespace xla
