// The limits of --timeout and --max-memory, for the whole process.
#ifndef TOOLS_SHARED_PROCESS_LIMITS_H_
#define TOOLS_SHARED_PROCESS_LIMITS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "absl/time/time.h"

namespace xla {

// Watches the process from a thread of its own and ends it with kExitRunFailed and a message when it passes a limit,
// whatever its other threads are doing; unfinished files are removed. A run notices most limits itself and returns an
// error, which says more, so the watcher leaves it kGrace and kSlackBytes.
//
// Without limits there is no thread.
class ProcessLimits {
 public:
  // Time for a run to notice by itself that its deadline has passed.
  static constexpr absl::Duration kGrace = absl::Milliseconds(200);
  // What a process holds beside the values that a memory limit is about, such as stacks and what the compiler needs for
  // a small program.
  static constexpr int64_t kSlackBytes = int64_t{48} << 20;

  // `tool` begins the message. `timeout` counts from now. max_memory_bytes bounds what the process holds beyond what it
  // holds now, without the files that it maps; 0: no limit.
  ProcessLimits(const char* tool, absl::Duration timeout, int64_t max_memory_bytes);
  ~ProcessLimits();
  ProcessLimits(const ProcessLimits&) = delete;
  ProcessLimits& operator=(const ProcessLimits&) = delete;

  // What the process does from now on, for the message: "reading the program". The text must outlive the object.
  void EnterPhase(const char* phase) { phase_.store(phase); }

  // When the process must have ended.
  absl::Time deadline() const { return deadline_; }

  // "the time limit of 2s (--timeout) passed while reading the program"
  std::string TimeLimitPassed() const;

 private:
  void Watch();
  void CheckTime() const;
  void CheckMemory() const;

  const char* const tool_;
  const absl::Duration timeout_;
  const absl::Time deadline_;
  const int64_t max_memory_bytes_;
  const int64_t initial_bytes_;
  std::atomic<const char*> phase_{"starting"};
  std::mutex mutex_;  // guards is_over_
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watcher_;
};

}  // namespace xla

#endif  // TOOLS_SHARED_PROCESS_LIMITS_H_
