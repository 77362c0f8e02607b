#include "backends/report.h"

#include "absl/strings/str_cat.h"

namespace xla {

void CompileReport::AddFallback(absl::string_view opcode, absl::string_view reason, absl::string_view instruction) {
  for (Fallback& fallback : fallbacks) {
    if (fallback.opcode != opcode || fallback.reason != reason) continue;
    ++fallback.count;
    return;
  }
  fallbacks.push_back({std::string(opcode), std::string(reason), 1, std::string(instruction)});
}

std::string CompileReport::ToString() const {
  std::string text;
  for (const auto& [stage, time] : stages) absl::StrAppend(&text, stage, ": ", absl::FormatDuration(time), "\n");
  absl::StrAppend(&text, native_instructions, " instructions run natively\n");
  for (const Fallback& fallback : fallbacks) {
    absl::StrAppend(&text, fallback.count, " x ", fallback.opcode, " on the evaluator: ", fallback.reason,
                    " (first: ", fallback.example, ")\n");
  }
  for (const std::string& note : notes) absl::StrAppend(&text, "note: ", note, "\n");
  return text;
}

}  // namespace xla
