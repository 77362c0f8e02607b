// Reading and printing StableHLO: speed and its linearity, and the memory that weights take.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/reader.h"
#include "builders/stablehlo/bytecode/testing/artifact_writer.h"
#include "builders/stablehlo/text/parser.h"
#include "builders/stablehlo/text/printer.h"
#include "builders/stablehlo/writing/from_hlo.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/generated_module.h"
#include "tests/benchmarks/peak_memory.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr double kStablehloMegabytesPerSecond = 20;
constexpr double kBytecodeMegabytesPerSecond = 50;

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

void BM_StablehloBytecode(benchmark::State& state, int64_t operations) {
  const std::string file = stablehlo::NegationArtifact(operations);
  for (auto _ : state) {
    auto module = stablehlo::ReadBytecode(file);
    CHECK(module.ok());
    state.PauseTiming();
    module->reset();
    state.ResumeTiming();
  }
  ReportRate(state, static_cast<double>(file.size()) / 1e6, "MB/s", kBytecodeMegabytesPerSecond);
}

// The numbers of elements of GPT-2's weights.
std::vector<int64_t> WeightSizes() {
  std::vector<int64_t> sizes = {int64_t{50257} * 768, 1024 * 768, 768, 768};
  for (int layer = 0; layer < 12; ++layer) {
    for (const int64_t size : {768 * 2304, 768 * 768, 768 * 3072, 3072 * 768, 2304, 3072}) sizes.push_back(size);
  }
  return sizes;
}

// The artifact as text has its data in hexadecimal digits, which stay in memory beside the weights.
std::string WeightsText(const std::string& artifact) {
  const auto module = stablehlo::ReadBytecode(artifact);
  CHECK(module.ok());
  return stablehlo::PrintModule(**module);
}

void BM_PeakOfWeights(benchmark::State& state, bool as_text) {
  const std::vector<int64_t> sizes = WeightSizes();
  const int64_t weight_bytes = std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) * 4;
  const char* folder = std::getenv("TMPDIR");
  const std::string path =
      absl::StrCat(folder == nullptr ? "/tmp" : folder, "/halo_benchmark_", getpid(), as_text ? ".mlir" : ".mlirbc");
  double beyond = 0;
  for (auto _ : state) {
    std::string file = stablehlo::WeightsArtifact(sizes);
    if (as_text) file = WeightsText(file);
    if (!WriteFile(path, file).ok()) return state.SkipWithError("cannot write a temporary file");
    const auto peak = PeakBytesOfReading(path);
    unlink(path.c_str());
    if (!peak.ok()) return state.SkipWithError(peak.status().ToString().c_str());
    beyond = static_cast<double>(*peak - static_cast<int64_t>(file.size()) - (as_text ? weight_bytes : 0)) / 1e6;
  }
  const double largest = static_cast<double>(*std::max_element(sizes.begin(), sizes.end())) * 4 / 1e6;
  ReportAmount(state, beyond, as_text ? "MB beyond file and weights" : "MB beyond the file", largest + 64);
}

const bool kStablehloRegistered = [] {
  for (const int64_t thousands : {10, 40}) {
    const std::string of = absl::StrCat(", ", thousands, "k operations");
    benchmark::RegisterBenchmark(absl::StrCat("stablehlo text parse", of).c_str(), BM_StablehloParse, thousands * 1000)
        ->MeasureProcessCPUTime();
    benchmark::RegisterBenchmark(absl::StrCat("stablehlo text print", of).c_str(), BM_StablehloPrint, thousands * 1000)
        ->MeasureProcessCPUTime();
    benchmark::RegisterBenchmark(absl::StrCat("stablehlo bytecode read", of).c_str(), BM_StablehloBytecode,
                                 thousands * 1000)
        ->MeasureProcessCPUTime();
  }
  for (const bool as_text : {false, true}) {
    benchmark::RegisterBenchmark(as_text ? "stablehlo text, peak of weights" : "stablehlo bytecode, peak of weights",
                                 BM_PeakOfWeights, as_text)
        ->MeasureProcessCPUTime()
        ->Iterations(1);
  }
  return true;
}();

}  // namespace
}  // namespace xla
