// NNEF 2: from a document to verified HLO, and how fast variables are loaded.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/library/library.h"
#include "builders/nnef2/model/model.h"
#include "tests/benchmarks/figures.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr double kResNetMilliseconds = 100;
constexpr double kOneOperatorMilliseconds = 15;
// The seven modules of the standard library from their text, which a process reads once.
constexpr double kLibraryMilliseconds = 5;
// How much longer an invocation may take in a document of 40 times as many.
constexpr double kInvocationGrowth = 1.5;
// As a multiple of the time that NNEF 1 takes; what is above 1 is for the noise of the machine.
constexpr double kLoading = 1.1;
constexpr int kLoadRuns = 3;

constexpr char kOneOperator[] =
    "import nn;\ngraph G { @input { x: real[2, 3]; } @output { y: real[2, 3]; } @compose { y = nn.relu(x); } }\n";

// CPU time from the text of a document to verified HLO, without data; the best of three, of which the first one reads
// the standard library.
double MillisecondsToHlo(const std::string& document) {
  nnef2::LoadOptions options;
  options.load_data = false;
  nnef2::LoweringOptions lowering;
  lowering.variables_are_parameters = true;
  double best = 0;
  for (int run = 0; run < kLoadRuns; ++run) {
    const std::clock_t start = std::clock();
    const auto container = nnef::OpenContainerInMemory(document, "main.sknd", nnef2::Nnef2Format());
    CHECK(container.ok());
    const auto model = nnef2::LoadModel(**container, options);
    CHECK(model.ok());
    const auto lowered = nnef2::LowerToHlo(*model, lowering);
    CHECK(lowered.ok());
    CHECK(VerifyModule(*lowered->module).ok());
    const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = run == 0 ? milliseconds : std::min(best, milliseconds);
  }
  return best;
}

void BM_Nnef2ResNet(benchmark::State& state) {
  const auto document = ReadFile("examples/nnef2/resnet50/main.sknd");
  if (!document.ok()) return state.SkipWithError(document.status().ToString().c_str());
  double milliseconds = 0;
  for (auto _ : state) milliseconds = MillisecondsToHlo(std::string(document->data()));
  ReportAmount(state, milliseconds, "ms", kResNetMilliseconds);
}

void BM_Nnef2OneOperator(benchmark::State& state) {
  double milliseconds = 0;
  for (auto _ : state) milliseconds = MillisecondsToHlo(kOneOperator);
  ReportAmount(state, milliseconds, "ms", kOneOperatorMilliseconds);
}

void BM_Nnef2Library(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) {
    for (int run = 0; run < kLoadRuns; ++run) {
      const std::clock_t start = std::clock();
      for (const nnef2::LibraryModule& module : nnef2::StandardLibrary()) {
        nnef2::Diagnostics diagnostics;
        const auto source = std::make_shared<const nnef2::Source>(
            nnef2::Source{std::string(module.name), std::string(module.text), std::string(module.name)});
        CHECK(nnef2::ParseModule(source, &diagnostics) != nullptr);
      }
      const double milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      best = best == 0 ? milliseconds : std::min(best, milliseconds);
    }
  }
  ReportAmount(state, best, "ms", kLibraryMilliseconds);
}

std::string Chain(int invocations) {
  std::string document = "import math;\ngraph G { @input { x0: real[2, 3]; } @output { y: real[2, 3]; } @compose {\n";
  for (int i = 1; i < invocations; ++i) absl::StrAppend(&document, "x", i, " = math.add(x", i - 1, ", x0);\n");
  absl::StrAppend(&document, "y = math.add(x", invocations - 1, ", x0); } }\n");
  return document;
}

void BM_Nnef2Invocations(benchmark::State& state, int invocations) {
  double milliseconds = 0;
  for (auto _ : state) milliseconds = MillisecondsToHlo(Chain(invocations));
  ReportAmount(state, milliseconds, "ms", 0);
}

void BM_Nnef2Growth(benchmark::State& state) {
  double growth = 0;
  for (auto _ : state) growth = MillisecondsToHlo(Chain(40000)) / MillisecondsToHlo(Chain(1000)) / 40;
  ReportAmount(state, growth, "x time per invocation", kInvocationGrowth);
}

// Both documents with the same five files of 100 MB.
bool WriteModels(const std::string& folder) {
  constexpr int kVariables = 5;
  std::filesystem::create_directories(folder);
  const auto values = MakeInput(DefaultInputSpec(Shape::Array(F32, {25000000}), 1));
  if (!values.ok()) return false;
  const auto bytes = nnef2::SerializeTensor(*values);
  if (!bytes.ok()) return false;
  std::string variables1, variables2, sum1 = "x", sum2;
  for (int i = 0; i < kVariables; ++i) {
    if (!WriteFile(absl::StrCat(folder, "/main.G.v", i, ".dat"), *bytes).ok()) return false;
    absl::StrAppend(&variables1, "v", i, " = variable<scalar>(shape = [25000000], label = 'main.G.v", i, "');\n");
    absl::StrAppend(&variables2, "v", i, ": real[25000000]; ");
    absl::StrAppend(&sum1, " + v", i);
    absl::StrAppend(&sum2, i == 0 ? "" : ", ", "v", i);
  }
  const std::string nnef1 = absl::Substitute(
      "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph G( x ) -> ( y )\n{\n"
      "x = external<scalar>(shape = [25000000]);\n$0y = $1;\n}\n",
      variables1, sum1);
  const std::string nnef2 = absl::Substitute(
      "import math;\ngraph G { @input { x: real[25000000]; } @output { y: real[25000000]; } @variable { $0}\n"
      "@compose { y = math.sum_n([x, $1]); } }\n",
      variables2, sum2);
  return WriteFile(folder + "/graph.nnef", nnef1).ok() && WriteFile(folder + "/main.sknd", nnef2).ok();
}

template <typename Load>
double SecondsOf(const Load& load) {
  const auto start = std::chrono::steady_clock::now();
  CHECK(load());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The two take turns; the best of each counts.
void BM_Nnef2Variables(benchmark::State& state) {
  const char* const temporary = std::getenv("TMPDIR");
  const std::string folder =
      absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/halo_benchmark_nnef2_", getpid());
  double ratio = 0;
  for (auto _ : state) {
    if (!WriteModels(folder)) {
      state.SkipWithError("cannot write temporary files");
      break;
    }
    double first = 0, second = 0;
    for (int run = 0; run < kLoadRuns; ++run) {
      const double seconds1 = SecondsOf([&] { return nnef1::LoadModel(folder, {}).ok(); });
      const double seconds2 = SecondsOf([&] { return nnef2::LoadModel(folder, {}).ok(); });
      first = run == 0 ? seconds1 : std::min(first, seconds1);
      second = run == 0 ? seconds2 : std::min(second, seconds2);
    }
    ratio = second / first;
  }
  std::filesystem::remove_all(folder);
  ReportAmount(state, ratio, "x time of NNEF 1", kLoading);
}

const bool kNnef2Registered = [] {
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(absl::StrCat("nnef2, ", name).c_str(), run)->MeasureProcessCPUTime()->Iterations(1);
  };
  add("ResNet-50 to HLO", BM_Nnef2ResNet);
  add("one operator to HLO", BM_Nnef2OneOperator);
  add("standard library", BM_Nnef2Library);
  for (const int invocations : {1000, 10000, 40000}) {
    add(absl::StrCat(invocations / 1000, "k invocations to HLO"),
        [invocations](benchmark::State& state) { BM_Nnef2Invocations(state, invocations); });
  }
  add("growth to 40k invocations", BM_Nnef2Growth);
  add("500 MB of variables", BM_Nnef2Variables);
  return true;
}();

}  // namespace
}  // namespace xla
