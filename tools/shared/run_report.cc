#include "tools/shared/run_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/source_line.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::Duration kObservedTime = absl::Seconds(1);
constexpr int64_t kFewestRuns = 3;
constexpr int64_t kMostRuns = 1000;
constexpr size_t kRowsForPeople = 40;
constexpr size_t kBuffersForPeople = 10;
constexpr size_t kLongestName = 60;

std::string ShapeText(const Shape& shape) {
  return shape.ToFullString(Shape::LayoutPrinting::kWithout, /*index_comments=*/false);
}

// Of programs that are not planned, every instruction that runs of its own, and not what it calls in turn: that time
// would be counted twice.
std::vector<PlannedStep> InstructionsAsSteps(const HloModule& module) {
  std::vector<PlannedStep> steps;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (HasTrait(instruction->opcode(), opcode_trait::kControlFlow)) continue;
      PlannedStep step;
      step.instruction = instruction.get();
      step.kind = "evaluator";
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

double Rate(double amount, const RunReport::Row& row) { return row.seconds > 0 ? amount * row.calls / row.seconds : 0; }

void AddRows(const std::vector<PlannedStep>& steps, const StepTimer& timer, RunReport& report) {
  for (const PlannedStep& step : steps) {
    const StepTimer::Times times = timer.Of(*step.instruction);
    if (times.count == 0) continue;
    RunReport::Row row;
    row.step = step;
    row.calls = static_cast<double>(times.count) / static_cast<double>(report.runs);
    row.seconds = absl::ToDoubleSeconds(times.total) / static_cast<double>(report.runs);
    row.share_of_roof = Rate(report.roof.LeastSeconds(step.bytes, step.flops), row);
    report.rows.push_back(std::move(row));
  }
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const RunReport::Row& a, const RunReport::Row& b) { return a.seconds > b.seconds; });
}

void AddPlan(const HloModule& module, RunReport& report) {
  const absl::StatusOr<BufferAssignment> assignment = AssignBuffers(module);
  if (!assignment.ok()) return;
  report.has_plan = true;
  report.live_bytes = assignment->arena_lower_bound();
  for (const AssignedBuffer& buffer : assignment->buffers()) {
    if (buffer.kind != AssignedBuffer::Kind::kTemporary) continue;
    report.buffers.push_back({buffer.first_definer->name(), ShapeText(buffer.first_definer->shape()), buffer.bytes,
                              buffer.offset, static_cast<int64_t>(buffer.values.size())});
  }
  std::stable_sort(report.buffers.begin(), report.buffers.end(),
                   [](const ReportedBuffer& a, const ReportedBuffer& b) { return a.bytes > b.bytes; });
}

// ---- For people

std::string Abbreviated(const std::string& text) {
  return text.size() <= kLongestName ? text : absl::StrCat(text.substr(0, kLongestName - 3), "...");
}

std::string TimeText(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.3f s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.3f ms", seconds * 1e3);
  return absl::StrFormat("%.2f us", seconds * 1e6);
}

std::string BytesText(double bytes) {
  if (bytes >= 1e9) return absl::StrFormat("%.2f GB", bytes / 1e9);
  if (bytes >= 1e6) return absl::StrFormat("%.2f MB", bytes / 1e6);
  if (bytes >= 1e3) return absl::StrFormat("%.1f kB", bytes / 1e3);
  return absl::StrFormat("%.0f B", bytes);
}

// "-" where there is nothing to say.
std::string Number(double value, const char* unit = "") {
  return value > 0 ? absl::StrFormat("%.*f%s", value < 100 ? 1 : 0, value, unit) : "-";
}

std::string MachineText(const RunReport& report) {
  if (!report.device.empty()) return absl::StrCat("device: ", report.device);
  return report.threads == 1 ? "machine: 1 thread" : absl::StrCat("machine: ", report.threads, " threads");
}

double TotalSeconds(const RunReport& report) {
  double sum = 0;
  for (const RunReport::Row& row : report.rows) sum += row.seconds;
  return sum;
}

std::string RowText(const RunReport::Row& row, double run_seconds) {
  const std::string name = absl::StrCat(row.step.instruction->name(), " ", ShapeText(row.step.instruction->shape()));
  const std::string source = SourceLineOf(*row.step.instruction);
  return absl::StrFormat("%6.1f %% %11s %8.4g %8s %8s %7s  %-12s %s%s\n",
                         run_seconds > 0 ? 100 * row.seconds / run_seconds : 0, TimeText(row.seconds), row.calls,
                         Number(Rate(row.step.bytes, row) / 1e9), Number(Rate(row.step.flops, row) / 1e9),
                         Number(100 * row.share_of_roof, " %"), row.step.kind, Abbreviated(name),
                         source.empty() ? "" : absl::StrCat("  ", source));
}

// Times are those of a device in a run, on average.
std::string CollectivesText(const RunReport& report) {
  if (report.collectives.empty()) return "";
  const double device_runs = static_cast<double>(report.runs) * static_cast<double>(report.device_count);
  std::string text = absl::StrFormat("collectives, on a device in a run (mean of %d devices):\n%11s %11s %8s %8s  %s\n",
                                     report.device_count, "waiting", "transfer", "calls", "GB/s", "instruction");
  for (const ReportedCollective& collective : report.collectives) {
    absl::StrAppendFormat(&text, "%11s %11s %8.4g %8s  %s\n", TimeText(collective.waiting_seconds / device_runs),
                          TimeText(collective.transfer_seconds / device_runs),
                          static_cast<double>(collective.calls) / device_runs,
                          Number(collective.transfer_seconds > 0
                                     ? static_cast<double>(collective.bytes) / collective.transfer_seconds / 1e9
                                     : 0),
                          Abbreviated(absl::StrCat(collective.name, " ", collective.shape)));
  }
  return text + "\n";
}

std::string FallbackText(const RunReport& report) {
  if (report.fallbacks.empty()) return "left to the interpreter: nothing\n";
  std::string text = "left to the interpreter:\n";
  for (const Fallback& fallback : report.fallbacks) {
    absl::StrAppend(&text, "  ", fallback.count, " ", fallback.opcode, ": ", fallback.reason, " (", fallback.example,
                    ")\n");
  }
  return text;
}

std::string MemoryText(const RunReport& report) {
  const MemoryNeed& need = report.memory;
  std::string text = absl::StrFormat(
      "memory: arguments %s, results %s (%s of them in arguments), temporaries %s",
      BytesText(static_cast<double>(need.argument_bytes)), BytesText(static_cast<double>(need.output_bytes)),
      BytesText(static_cast<double>(need.alias_bytes)), BytesText(static_cast<double>(need.temporary_bytes)));
  if (!report.has_plan) return text + "\n";
  absl::StrAppend(&text, " in one arena, of which ", BytesText(static_cast<double>(report.live_bytes)),
                  " live at once\n");
  const size_t shown = std::min(kBuffersForPeople, report.buffers.size());
  for (size_t i = 0; i < shown; ++i) {
    const ReportedBuffer& buffer = report.buffers[i];
    absl::StrAppendFormat(&text, "  %10s at %-12d %4d %s  %s\n", BytesText(static_cast<double>(buffer.bytes)),
                          buffer.offset, buffer.values, buffer.values == 1 ? "value, " : "values,",
                          Abbreviated(absl::StrCat(buffer.name, " ", buffer.shape)));
  }
  if (shown < report.buffers.size()) absl::StrAppend(&text, "  and ", report.buffers.size() - shown, " smaller ones\n");
  return text;
}

}  // namespace

void StepTimer::OnInstruction(const HloInstruction& instruction, int64_t, absl::Time start, absl::Time end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Times& times = times_[&instruction];
  ++times.count;
  times.total += end - start;
}

StepTimer::Times StepTimer::Of(const HloInstruction& instruction) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = times_.find(&instruction);
  return found == times_.end() ? Times() : found->second;
}

void CollectiveTotals::Add(const ReportedCollective& costs) {
  const auto same = std::find_if(all_.begin(), all_.end(),
                                 [&](const ReportedCollective& collective) { return collective.name == costs.name; });
  if (same == all_.end()) {
    all_.push_back(costs);
    return;
  }
  same->calls += costs.calls;
  same->bytes += costs.bytes;
  same->waiting_seconds += costs.waiting_seconds;
  same->transfer_seconds += costs.transfer_seconds;
}

void CollectiveTotals::Add(const std::vector<CollectiveCost>& costs) {
  for (const CollectiveCost& cost : costs) {
    ReportedCollective reported;
    reported.name = cost.instruction->name();
    reported.opcode = std::string(cost.instruction->opcode_name());
    reported.shape = ShapeText(cost.instruction->shape());
    reported.calls = cost.calls;
    reported.bytes = cost.bytes;
    reported.waiting_seconds = absl::ToDoubleSeconds(cost.waiting);
    reported.transfer_seconds = absl::ToDoubleSeconds(cost.transfer);
    Add(reported);
  }
}

// Of the device that the program runs on: the host, unless the client has others.
absl::Status MeasureRoof(const ReportedProgram& program, RunReport& report) {
  if (program.device != nullptr) {
    ASSIGN_OR_RETURN(const DeviceRoof roof, program.device->MeasureDeviceRoof());
    report.device = roof.name;
    report.roof = {roof.bytes_per_second, roof.flops_per_second};
    return absl::OkStatus();
  }
  ThreadPool pool(program.threads);
  report.roof = MeasureMachineRoof(pool);
  return absl::OkStatus();
}

absl::StatusOr<RunReport> ObserveRuns(const ReportedProgram& program, const StepTimer& timer,
                                      const std::function<absl::Status()>& run, const AgreeOn& agree_on) {
  RunReport report;
  absl::Duration elapsed;
  while (true) {
    bool goes_on = report.runs < kFewestRuns || (elapsed < kObservedTime && report.runs < kMostRuns);
    if (agree_on != nullptr) {
      ASSIGN_OR_RETURN(goes_on, agree_on(goes_on));
    }
    if (!goes_on) break;
    const absl::Time start = absl::Now();
    RETURN_IF_ERROR(run());
    elapsed += absl::Now() - start;
    ++report.runs;
  }
  report.run_seconds = absl::ToDoubleSeconds(elapsed) / static_cast<double>(report.runs);
  report.threads = program.threads;
  report.memory = program.memory;
  report.native_instructions = program.compile_report->native_instructions;
  report.fallbacks = program.compile_report->fallbacks;
  report.process_count = program.process_count;
  if (program.process_index == 0) RETURN_IF_ERROR(MeasureRoof(program, report));
  const bool is_planned = !program.steps.empty();
  if (!is_planned && program.module == nullptr) return report;
  AddRows(is_planned ? program.steps : InstructionsAsSteps(*program.module), timer, report);
  if (is_planned && program.module != nullptr) AddPlan(*program.module, report);
  return report;
}

std::string DescribeRunReport(const RunReport& report) {
  std::string text =
      absl::StrFormat("%s, %.1f GB/s to memory, %.1f GFLOP/s (f32)%s\nrun: %s, mean of %d\n\n", MachineText(report),
                      report.roof.bytes_per_second / 1e9, report.roof.flops_per_second / 1e9,
                      report.process_count == 1 ? "" : absl::StrCat(", by rank 0 of ", report.process_count, " alone"),
                      TimeText(report.run_seconds), report.runs);
  absl::StrAppendFormat(&text, "%8s %11s %8s %8s %8s %7s  %-12s %s\n", "of run", "time", "calls", "GB/s", "GFLOP/s",
                        "of roof", "kind", "instruction");
  const size_t shown = std::min(kRowsForPeople, report.rows.size());
  for (size_t i = 0; i < shown; ++i) text += RowText(report.rows[i], report.run_seconds);
  if (shown < report.rows.size()) {
    double seconds = 0;
    for (size_t i = shown; i < report.rows.size(); ++i) seconds += report.rows[i].seconds;
    absl::StrAppendFormat(&text, "%6.1f %% %11s  in %d others\n", 100 * seconds / report.run_seconds, TimeText(seconds),
                          report.rows.size() - shown);
  }
  const double between = std::max(0.0, report.run_seconds - TotalSeconds(report));
  absl::StrAppendFormat(&text, "%6.1f %% %11s  between them: arguments, results, finding the next\n\n",
                        100 * between / report.run_seconds, TimeText(between));
  return absl::StrCat(text, CollectivesText(report), FallbackText(report), MemoryText(report));
}

void WriteRunReport(const RunReport& report, JsonWriter& json) {
  json.BeginObject();
  json.Key("threads").Int(report.threads);
  json.Key("runs").Int(report.runs);
  json.Key("run_ms").Double(report.run_seconds * 1e3);
  json.Key("machine").BeginObject();
  if (!report.device.empty()) json.Key("device").String(report.device);
  json.Key("gb_per_s").Double(report.roof.bytes_per_second / 1e9);
  json.Key("gflop_per_s").Double(report.roof.flops_per_second / 1e9);
  json.EndObject();
  json.Key("steps").BeginArray();
  for (const RunReport::Row& row : report.rows) {
    json.BeginObject();
    json.Key("instruction").String(row.step.instruction->name());
    json.Key("opcode").String(row.step.instruction->opcode_name());
    json.Key("shape").String(ShapeText(row.step.instruction->shape()));
    const std::string source = SourceLineOf(*row.step.instruction);
    if (!source.empty()) json.Key("source").String(source);
    json.Key("kind").String(row.step.kind);
    json.Key("interpreted").Bool(row.step.is_fallback);
    json.Key("calls").Double(row.calls);
    json.Key("ms").Double(row.seconds * 1e3);
    json.Key("bytes").Double(row.step.bytes);
    json.Key("flops").Double(row.step.flops);
    json.Key("gb_per_s").Double(Rate(row.step.bytes, row) / 1e9);
    json.Key("gflop_per_s").Double(Rate(row.step.flops, row) / 1e9);
    json.Key("share_of_roof").Double(row.share_of_roof);
    json.EndObject();
  }
  json.EndArray();
  if (!report.collectives.empty()) {
    json.Key("devices").Int(report.device_count);
    json.Key("collectives").BeginArray();
    for (const ReportedCollective& collective : report.collectives) {
      json.BeginObject();
      json.Key("instruction").String(collective.name);
      json.Key("opcode").String(collective.opcode);
      json.Key("shape").String(collective.shape);
      json.Key("calls").Int(collective.calls);
      json.Key("bytes").Int(collective.bytes);
      json.Key("waiting_ms").Double(collective.waiting_seconds * 1e3);
      json.Key("transfer_ms").Double(collective.transfer_seconds * 1e3);
      json.EndObject();
    }
    json.EndArray();
  }
  json.Key("native_instructions").Int(report.native_instructions);
  json.Key("interpreted").BeginArray();
  for (const Fallback& fallback : report.fallbacks) {
    json.BeginObject();
    json.Key("opcode").String(fallback.opcode);
    json.Key("reason").String(fallback.reason);
    json.Key("count").Int(fallback.count);
    json.Key("example").String(fallback.example);
    json.EndObject();
  }
  json.EndArray();
  json.Key("memory").BeginObject();
  json.Key("argument_bytes").Int(report.memory.argument_bytes);
  json.Key("output_bytes").Int(report.memory.output_bytes);
  json.Key("alias_bytes").Int(report.memory.alias_bytes);
  json.Key("temporary_bytes").Int(report.memory.temporary_bytes);
  if (report.has_plan) {
    json.Key("live_bytes").Int(report.live_bytes);
    json.Key("buffers").BeginArray();
    for (const ReportedBuffer& buffer : report.buffers) {
      json.BeginObject();
      json.Key("instruction").String(buffer.name);
      json.Key("shape").String(buffer.shape);
      json.Key("bytes").Int(buffer.bytes);
      json.Key("offset").Int(buffer.offset);
      json.Key("values").Int(buffer.values);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace xla
