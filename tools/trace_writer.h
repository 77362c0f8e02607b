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
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/report.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/files.h"

namespace xla {

class TraceWriter : public ProfileSink {
 public:
  // A longer trace overwhelms the viewers; what comes after is counted only.
  static constexpr int64_t kMaxSlices = 2'000'000;

  static absl::StatusOr<std::unique_ptr<TraceWriter>> Create(const std::string& path);
  // The part of a trace that another process writes, whose `process` this is; both begin their times at `origin`.
  static std::unique_ptr<TraceWriter> ForPart(int64_t process, absl::Time origin);

  // What is known of the instructions that follow: goes into the arguments of their slices.
  void SetSteps(const std::vector<PlannedStep>& steps);

  void OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time start, absl::Time end) override;

  // For the first of several processes: when its times begin.
  absl::Time origin() const { return origin_; }
  // Gives the rows of a process, which are those of its devices, this name.
  void NameProcess(int64_t process, const std::string& name);
  // What a part has, for AddPart of the whole. Further instructions are ignored.
  std::string TakePart();
  void AddPart(absl::string_view part);
  // Ends the file, which appears only now. Further instructions are ignored.
  absl::Status Commit();
  // Instructions that the trace lacks because it was full.
  int64_t dropped_slices() const { return std::max<int64_t>(0, seen_ - kMaxSlices); }

 private:
  TraceWriter(std::unique_ptr<AtomicFile> file, int64_t process, absl::Time origin)
      : file_(std::move(file)), process_(process), origin_(origin) {}

  // With mutex_ held: `text` is an event, or several with commas between them.
  void Append(absl::string_view text);

  const std::unique_ptr<AtomicFile> file_;  // nullptr: a part
  const int64_t process_;
  const absl::Time origin_;
  absl::flat_hash_map<const HloInstruction*, PlannedStep> steps_;
  std::atomic<bool> committed_{false};
  std::atomic<int64_t> seen_{0};
  std::mutex mutex_;  // guards what follows
  std::string pending_;
  bool is_first_ = true;
  absl::Status status_;
};

}  // namespace xla

#endif  // TOOLS_TRACE_WRITER_H_
