// Reading and writing modules: speed, its linearity, memory.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/generated_module.h"
#include "tests/benchmarks/peak_memory.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kTextMegabytesPerSecond = 50;
constexpr double kProtoMegabytesPerSecond = 100;
constexpr int64_t kInstructions = 40000;
constexpr double kTimesText = 4;
constexpr double kTimesShortText = 12;

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseHloModule(text);
  CHECK(module.ok());
  return *std::move(module);
}

// Runs `read`, which gives a module, once in each iteration. Modules are destroyed off the clock.
template <typename Read>
void TimeReading(benchmark::State& state, const Read& read) {
  for (auto _ : state) {
    auto module = read();
    state.PauseTiming();
    module.reset();
    state.ResumeTiming();
  }
}

void BM_TextParse(benchmark::State& state, int64_t instructions) {
  const std::string text = GenerateNetworkText(instructions);
  TimeReading(state, [&] { return Parse(text); });
  ReportRate(state, static_cast<double>(text.size()) / kMegabyte, "MB/s", kTextMegabytesPerSecond);
}

// The text as the short printer writes it: without metadata, so that each byte means more work.
void BM_ShortTextParse(benchmark::State& state) {
  const std::string text = ModuleToString(*Parse(GenerateNetworkText(kInstructions)), PrintOptions::Short());
  TimeReading(state, [&] { return Parse(text); });
  ReportRate(state, static_cast<double>(text.size()) / kMegabyte, "MB/s", kTextMegabytesPerSecond);
}

void BM_TextPrint(benchmark::State& state, int64_t instructions) {
  const auto module = Parse(GenerateNetworkText(instructions));
  size_t bytes = 0;
  for (auto _ : state) bytes = ModuleToString(*module).size();
  ReportRate(state, static_cast<double>(bytes) / kMegabyte, "MB/s", kTextMegabytesPerSecond);
}

void BM_Verify(benchmark::State& state) {
  const auto module = Parse(GenerateNetworkText(kInstructions));
  for (auto _ : state) {
    const absl::Status status = VerifyModule(*module);
    if (!status.ok()) return state.SkipWithError(status.ToString().c_str());
  }
  ReportRate(state, static_cast<double>(module->instruction_count()) / 1e6, "M instructions/s", 0);
}

void BM_ProtoRead(benchmark::State& state, int64_t instructions) {
  const auto bytes = WriteHloProto(*Parse(GenerateNetworkText(instructions)), ProtoEncoding::kBinary);
  CHECK(bytes.ok());
  TimeReading(state, [&] { return std::move(ReadHloProto(*bytes)->module); });
  ReportRate(state, static_cast<double>(bytes->size()) / kMegabyte, "MB/s", kProtoMegabytesPerSecond);
}

void BM_ProtoWrite(benchmark::State& state, int64_t instructions) {
  const auto module = Parse(GenerateNetworkText(instructions));
  size_t bytes = 0;
  for (auto _ : state) bytes = WriteHloProto(*module, ProtoEncoding::kBinary)->size();
  ReportRate(state, static_cast<double>(bytes) / kMegabyte, "MB/s", kProtoMegabytesPerSecond);
}

int64_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

void ReportMemoryOf(benchmark::State& state, const std::string& text, double most) {
  Parse(text);  // what is made once in a process does not count
  double times_text = 0;
  for (auto _ : state) {
    const int64_t before = AllocatedBytes();
    const auto module = Parse(text);
    times_text = static_cast<double>(AllocatedBytes() - before) / static_cast<double>(text.size());
  }
  ReportAmount(state, times_text, "x text", most);
}

void BM_MemoryOfModule(benchmark::State& state, bool with_metadata) {
  const std::string text = GenerateNetworkText(kInstructions);
  if (with_metadata) return ReportMemoryOf(state, text, kTimesText);
  ReportMemoryOf(state, ModuleToString(*Parse(text), PrintOptions::Short()), kTimesShortText);
}

// The module is the file that HALO_BERT_BASE names.
void BM_MemoryOfBert(benchmark::State& state) {
  const auto file = ReadFile(std::getenv("HALO_BERT_BASE"));
  if (!file.ok()) return state.SkipWithError(file.status().ToString().c_str());
  const std::string text(file->data());
  if (!ParseHloModule(text).ok()) return state.SkipWithError("the file holds no valid module");
  ReportMemoryOf(state, text, kTimesText);
}

// The peak of reading a file that is mostly one constant, beyond the sizes of the file and of the array.
void BM_PeakOfConstant(benchmark::State& state, bool as_proto) {
  const ConstantModule constant = GenerateConstantText(int64_t{100} * 1000 * 1000);
  std::string contents = constant.text;
  if (as_proto) {
    const auto bytes = WriteHloProto(*Parse(constant.text), ProtoEncoding::kBinary);
    CHECK(bytes.ok());
    contents = *bytes;
  }
  const char* folder = std::getenv("TMPDIR");
  const std::string path = absl::StrCat(folder == nullptr ? "/tmp" : folder, "/halo_benchmark_", getpid());
  double extra = 0;
  for (auto _ : state) {
    if (!WriteFile(path, contents).ok()) return state.SkipWithError("cannot write a temporary file");
    const auto peak = PeakBytesOfReading(path);
    unlink(path.c_str());
    if (!peak.ok()) return state.SkipWithError(peak.status().ToString().c_str());
    extra = static_cast<double>(*peak - static_cast<int64_t>(contents.size()) - constant.elements * 4) / kMegabyte;
  }
  ReportAmount(state, extra, "MB beyond file and array", 64 * 1.048576);
}

const bool kFormatRegistered = [] {
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    return benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->MeasureProcessCPUTime();
  };
  for (const int64_t thousands : {10, 20, 40, 80}) {
    add(absl::StrCat("text parse, ", thousands, "k instructions"), BM_TextParse, thousands * 1000);
  }
  add("text parse, 40k instructions, short form", BM_ShortTextParse);
  for (const int64_t thousands : {10, 20, 40, 80}) {
    add(absl::StrCat("text print, ", thousands, "k instructions"), BM_TextPrint, thousands * 1000);
  }
  for (const int64_t thousands : {10, 20, 40, 80}) {
    add(absl::StrCat("proto read, ", thousands, "k instructions"), BM_ProtoRead, thousands * 1000);
  }
  for (const int64_t thousands : {10, 20, 40, 80}) {
    add(absl::StrCat("proto write, ", thousands, "k instructions"), BM_ProtoWrite, thousands * 1000);
  }
  add("verify, 40k instructions", BM_Verify);
  add("memory of a module of 40k instructions", BM_MemoryOfModule, true)->Iterations(1);
  add("memory of the same without metadata", BM_MemoryOfModule, false)->Iterations(1);
  // Only where there is a module: it is not part of this tree.
  if (std::getenv("HALO_BERT_BASE") != nullptr) add("memory of BERT-base", BM_MemoryOfBert)->Iterations(1);
  add("peak of reading a constant of 100 MB text", BM_PeakOfConstant, false)->Iterations(1);
  add("peak of reading the same as protobuf", BM_PeakOfConstant, true)->Iterations(1);
  return true;
}();

}  // namespace
}  // namespace xla
