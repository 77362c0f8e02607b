#include "tools/trace_writer.h"

#include "absl/strings/str_cat.h"
#include "xla_core/ir/source_line.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Text is handed to the file in pieces of about this size.
constexpr size_t kFlushBytes = size_t{1} << 20;

void WriteStep(const PlannedStep& step, double duration_us, JsonWriter& json) {
  json.Key("kind").String(step.kind);
  json.Key("bytes").Double(step.bytes);
  json.Key("flops").Double(step.flops);
  if (duration_us <= 0) return;
  json.Key("gb_per_s").Double(step.bytes / duration_us * 1e-3);
  json.Key("gflop_per_s").Double(step.flops / duration_us * 1e-3);
}

// `step` may be null.
std::string SliceText(const HloInstruction& instruction, const PlannedStep* step, int64_t process, int64_t device,
                      double start_us, double duration_us) {
  JsonWriter json;
  json.BeginObject();
  json.Key("name").String(instruction.name());
  json.Key("cat").String(instruction.opcode_name());
  json.Key("ph").String("X");
  json.Key("ts").Double(start_us);
  json.Key("dur").Double(duration_us);
  json.Key("pid").Int(process);
  json.Key("tid").Int(device);
  json.Key("args").BeginObject();
  json.Key("opcode").String(instruction.opcode_name());
  json.Key("shape").String(instruction.shape().ToString(Shape::LayoutPrinting::kWithout, /*index_comments=*/false));
  if (instruction.parent() != nullptr) json.Key("computation").String(instruction.parent()->name());
  const absl::string_view op_name = instruction.annotations().metadata.op_name;
  if (!op_name.empty()) json.Key("op_name").String(op_name);
  const std::string source = SourceLineOf(instruction);
  if (!source.empty()) json.Key("source").String(source);
  if (step != nullptr) WriteStep(*step, duration_us, json);
  json.EndObject();
  json.EndObject();
  return json.TakeText();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceWriter>> TraceWriter::Create(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(file), 0, absl::Now()));
}

std::unique_ptr<TraceWriter> TraceWriter::ForPart(int64_t process, absl::Time origin) {
  return std::unique_ptr<TraceWriter>(new TraceWriter(nullptr, process, origin));
}

void TraceWriter::SetSteps(const std::vector<PlannedStep>& steps) {
  for (const PlannedStep& step : steps) steps_.emplace(step.instruction, step);
}

void TraceWriter::OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time start, absl::Time end) {
  if (committed_.load(std::memory_order_relaxed) || seen_.fetch_add(1, std::memory_order_relaxed) >= kMaxSlices) return;
  const double start_us = absl::ToDoubleMicroseconds(start - origin_);
  const auto step = steps_.find(&instruction);
  const std::string text = SliceText(instruction, step == steps_.end() ? nullptr : &step->second, process_, device,
                                     start_us, absl::ToDoubleMicroseconds(end - start));
  const std::lock_guard<std::mutex> lock(mutex_);
  Append(text);
}

void TraceWriter::Append(absl::string_view text) {
  absl::StrAppend(&pending_, is_first_ ? (file_ != nullptr ? "[\n" : "") : ",\n", text);
  is_first_ = false;
  if (file_ == nullptr || pending_.size() < kFlushBytes || !status_.ok()) return;
  status_ = file_->Append(pending_);
  pending_.clear();
}

void TraceWriter::NameProcess(int64_t process, const std::string& name) {
  JsonWriter json;
  json.BeginObject();
  json.Key("name").String("process_name");
  json.Key("ph").String("M");
  json.Key("pid").Int(process);
  json.Key("args").BeginObject();
  json.Key("name").String(name);
  json.EndObject();
  json.EndObject();
  const std::lock_guard<std::mutex> lock(mutex_);
  Append(json.text());
}

std::string TraceWriter::TakePart() {
  committed_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::move(pending_);
}

void TraceWriter::AddPart(absl::string_view part) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!part.empty()) Append(part);
}

absl::Status TraceWriter::Commit() {
  committed_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(file_->Append(absl::StrCat(is_first_ ? "[" : "", pending_, "\n]\n")));
  return file_->Commit();
}

}  // namespace xla
