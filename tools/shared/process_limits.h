// The limits of --timeout and --max-memory, for the whole process.
#ifndef TOOLS_SHARED_PROCESS_LIMITS_H_
#define TOOLS_SHARED_PROCESS_LIMITS_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "absl/time/time.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Makes the ResourceContext of a tool, which everything that the tool does is given. What it does then ends with an
// error when it reaches a limit.
//
// A thread watches the process. It tells the context when the process holds too much memory; and where the work does
// not end in spite of a limit that was reached, because something takes long that looks at no context, it ends the
// process with kExitRunFailed and the context's message, whatever other threads are doing; unfinished files are
// removed. Without limits there is no thread.
class ProcessLimits {
 public:
  // Time for the work to notice by itself that it has reached a limit.
  static constexpr absl::Duration kGrace = absl::Milliseconds(200);
  // What a process holds beside the values that a memory limit is about, such as stacks and what the compiler needs for
  // a small program.
  static constexpr int64_t kSlackBytes = int64_t{16} << 20;
  // More than that much beyond the limit and the slack is not waited for.
  static constexpr int64_t kMostExcessBytes = int64_t{8} << 20;

  // `tool` begins the message. `timeout` counts from now. max_memory_bytes bounds what the process holds beyond what it
  // holds now, without the files that it maps; 0: no limit but on what is counted against the context's memory(), which
  // is then that of DefaultMemoryLimit.
  ProcessLimits(const char* tool, absl::Duration timeout, int64_t max_memory_bytes);
  ~ProcessLimits();
  ProcessLimits(const ProcessLimits&) = delete;
  ProcessLimits& operator=(const ProcessLimits&) = delete;

  const ResourceContext& resources() const { return resources_; }

  // What the process does from now on, for messages: "reading the program". The text must outlive the object.
  void EnterPhase(const char* phase) { resources_.EnterPhase(phase); }

 private:
  void Watch();
  void CheckTime() const;
  void CheckMemory();
  [[noreturn]] void End() const;

  const char* const tool_;
  ResourceContext resources_;
  const int64_t max_memory_bytes_;
  const int64_t initial_bytes_;
  absl::Time memory_passed_at_ = absl::InfiniteFuture();
  std::mutex mutex_;  // guards is_over_
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watcher_;
};

// 80 % of the machine's memory.
int64_t DefaultMemoryLimit();

}  // namespace xla

#endif  // TOOLS_SHARED_PROCESS_LIMITS_H_
