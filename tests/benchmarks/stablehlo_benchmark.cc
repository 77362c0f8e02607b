// Reading and printing StableHLO text: speed and its linearity.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/parser.h"
#include "builders/stablehlo/text/printer.h"
#include "builders/stablehlo/writing/from_hlo.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/generated_module.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr double kStablehloMegabytesPerSecond = 20;

// The generated network as StableHLO, with locations.
std::string GenerateStablehloText(int64_t instructions) {
  const auto hlo = ParseHloModule(GenerateNetworkText(instructions));
  CHECK(hlo.ok());
  const auto text = stablehlo::StableHloText(**hlo);
  CHECK(text.ok());
  return *text;
}

void BM_StablehloParse(benchmark::State& state, int64_t instructions) {
  const std::string text = GenerateStablehloText(instructions);
  for (auto _ : state) {
    auto module = stablehlo::ParseModule(text);
    CHECK(module.ok());
    state.PauseTiming();
    module->reset();
    state.ResumeTiming();
  }
  ReportRate(state, static_cast<double>(text.size()) / 1e6, "MB/s", kStablehloMegabytesPerSecond);
}

void BM_StablehloPrint(benchmark::State& state, int64_t instructions) {
  const auto module = stablehlo::ParseModule(GenerateStablehloText(instructions));
  CHECK(module.ok());
  stablehlo::PrintOptions options;
  options.with_locations = true;
  size_t bytes = 0;
  for (auto _ : state) bytes = stablehlo::PrintModule(**module, options).size();
  ReportRate(state, static_cast<double>(bytes) / 1e6, "MB/s", kStablehloMegabytesPerSecond);
}

const bool kStablehloRegistered = [] {
  for (const int64_t thousands : {10, 40}) {
    const std::string of = absl::StrCat(", ", thousands, "k operations");
    benchmark::RegisterBenchmark(absl::StrCat("stablehlo text parse", of).c_str(), BM_StablehloParse, thousands * 1000)
        ->MeasureProcessCPUTime();
    benchmark::RegisterBenchmark(absl::StrCat("stablehlo text print", of).c_str(), BM_StablehloPrint, thousands * 1000)
        ->MeasureProcessCPUTime();
  }
  return true;
}();

}  // namespace
}  // namespace xla
