// How fast text is read and printed: `bazel run -c opt //xla_core/text:text_benchmark`.
//
// The module has 40,000 instructions (or 4,000, which shows whether time is linear) with metadata as JAX writes it. The
// counter `memory_x` is the growth of the resident set while one module is read, relative to its text.
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

std::string ModuleText(int64_t instructions) {
  std::string text =
      R"(HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[128,256]{1,0}, f32[128,256]{1,0})->f32[128,256]{1,0}}

%region_0 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (p0: f32[128,256], p1: f32[128,256]) -> f32[128,256] {
  %p0 = f32[128,256]{1,0} parameter(0)
  %p1 = f32[128,256]{1,0} parameter(1)
  %zero = f32[] constant(0)
)";
  std::string last = "p0";
  const int64_t rounds = instructions / 4;
  for (int64_t i = 0; i < 4 * rounds; ++i) {
    const std::string name = absl::StrCat("op.", i);
    absl::StrAppend(&text, i + 1 == 4 * rounds ? "  ROOT %" : "  %", name, " = ");
    switch (i % 4) {
      case 0:
        absl::StrAppend(&text, "f32[128,256]{1,0} add(%", last, ", %p1)");
        break;
      case 1:
        absl::StrAppend(&text, "f32[256,128]{1,0} transpose(%", last, "), dimensions={1,0}");
        break;
      case 2:
        absl::StrAppend(&text, "f32[128]{0} reduce(%", last, ", %zero), dimensions={0}, to_apply=%region_0");
        break;
      default:
        absl::StrAppend(&text, "f32[128,256]{1,0} broadcast(%", last, "), dimensions={0}");
    }
    absl::StrAppend(&text, ", metadata={op_type=\"add\" op_name=\"jit(step)/jit(main)/transpose(jvp(Model))/layer_",
                    i % 24, "/mlp/dense_", i,
                    "\" source_file=\"/home/user/project/model/layers.py\" source_line=", i % 900 + 1, "}\n");
    last = name;
  }
  return text + "}\n";
}

std::string ConstantText(int64_t elements) {
  std::string text = absl::StrCat("HloModule c\nENTRY e {\n  ROOT c = f32[", elements, "] constant({");
  uint32_t random = 1;
  for (int64_t i = 0; i < elements; ++i) {
    random = random * 1664525 + 1013904223;
    absl::StrAppend(&text, i > 0 ? ", " : "", static_cast<double>(random >> 8) / 16777216);
  }
  return text + "})\n}\n";
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096;
}

std::unique_ptr<HloModule> ParseOrSkip(benchmark::State& state, const std::string& text) {
  auto module = ParseHloModule(text);
  if (module.ok()) return *std::move(module);
  state.SkipWithError(std::string(module.status().message()).c_str());
  return nullptr;
}

void ParseText(benchmark::State& state, const std::string& text) {
  const int64_t before = ResidentBytes();
  std::unique_ptr<HloModule> first = ParseOrSkip(state, text);
  state.counters["memory_x"] = static_cast<double>(ResidentBytes() - before) / static_cast<double>(text.size());
  first = nullptr;
  for (auto _ : state) benchmark::DoNotOptimize(ParseOrSkip(state, text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void PrintText(benchmark::State& state, const std::string& text) {
  const std::unique_ptr<HloModule> module = ParseOrSkip(state, text);
  if (module == nullptr) return;
  size_t size = 0;
  for (auto _ : state) size = ModuleToString(*module).size();
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}

void BM_ParseModule(benchmark::State& state) { ParseText(state, ModuleText(state.range(0))); }
void BM_PrintModule(benchmark::State& state) { PrintText(state, ModuleText(state.range(0))); }
void BM_ParseConstant(benchmark::State& state) { ParseText(state, ConstantText(state.range(0))); }
void BM_PrintConstant(benchmark::State& state) { PrintText(state, ConstantText(state.range(0))); }

BENCHMARK(BM_ParseModule)->Arg(40000)->Arg(4000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PrintModule)->Arg(40000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ParseConstant)->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PrintConstant)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla

BENCHMARK_MAIN();
