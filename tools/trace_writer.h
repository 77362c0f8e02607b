// Writes what an evaluation did as a trace for Chrome's and Perfetto's viewers: one slice for each instruction, with
// the line of the source program that it came from. Source: Trace Event Format, JSON array form, complete ("X") events.
#ifndef TOOLS_TRACE_WRITER_H_
#define TOOLS_TRACE_WRITER_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/report.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/files.h"

namespace xla {

// "model.py:12" of the line that made the instruction, from its own metadata or from the module's stack frames; empty
// if neither says.
std::string SourceLocation(const HloInstruction& instruction);

class TraceWriter : public ProfileSink {
 public:
  // A longer trace overwhelms the viewers; what comes after is counted only.
  static constexpr int64_t kMaxSlices = 2'000'000;

  static absl::StatusOr<std::unique_ptr<TraceWriter>> Create(const std::string& path);

  // What is known of the instructions that follow: goes into the arguments of their slices.
  void SetSteps(const std::vector<PlannedStep>& steps);

  void OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time start, absl::Time end) override;

  // Ends the file, which appears only now. Further instructions are ignored.
  absl::Status Commit();
  // Instructions that the trace lacks because it was full.
  int64_t dropped_slices() const { return std::max<int64_t>(0, seen_ - kMaxSlices); }

 private:
  explicit TraceWriter(std::unique_ptr<AtomicFile> file) : file_(std::move(file)), origin_(absl::Now()) {}

  const std::unique_ptr<AtomicFile> file_;
  const absl::Time origin_;
  absl::flat_hash_map<const HloInstruction*, PlannedStep> steps_;
  std::atomic<bool> committed_{false};
  std::atomic<int64_t> seen_{0};
  std::mutex mutex_;  // guards what follows
  std::string pending_ = "[";
  bool is_first_ = true;
  absl::Status status_;
};

}  // namespace xla

#endif  // TOOLS_TRACE_WRITER_H_
