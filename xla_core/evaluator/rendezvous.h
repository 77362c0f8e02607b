// Rendezvous: where the devices of one run meet to exchange values, in one process.
//
// Each device runs on its own thread. The table below knows of every device whether it runs, waits (and for whom) or
// has ended, so that a meeting which can no longer happen is noticed at once and reported instead of waited for.
#ifndef XLA_CORE_EVALUATOR_RENDEZVOUS_H_
#define XLA_CORE_EVALUATOR_RENDEZVOUS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {

// Thread-safe; one object serves one run. An error of any device is the error of all that wait, with the first cause.
class Rendezvous {
 public:
  explicit Rendezvous(int64_t device_count) : devices_(device_count) {}

  // See EvalContext::Exchange. `check` is asked now and then whether to go on waiting (deadline, Ctrl-C).
  absl::StatusOr<std::vector<std::vector<Literal>>> Exchange(int64_t device, const HloInstruction& instruction,
                                                             absl::Span<const int64_t> group, std::vector<Literal> mine,
                                                             absl::FunctionRef<absl::Status()> check);
  void Send(int64_t from, int64_t to, int64_t channel, Literal value);
  absl::StatusOr<Literal> Receive(int64_t device, int64_t from, int64_t channel, const HloInstruction& instruction,
                                  absl::FunctionRef<absl::Status()> check);

  // The device will come to no further meeting. An error stops all that wait, and those who run see failed().
  void DeviceEnded(int64_t device, const absl::Status& status);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  struct Meeting {
    int64_t missing = 0;
    bool done = false;
    std::vector<std::vector<Literal>> contributions;
  };
  // Collectives with a channel meet by it, others by instruction.
  using MeetingKey = std::tuple<int, int64_t, const HloInstruction*, std::vector<int64_t>>;
  using Mailbox = std::tuple<int64_t, int64_t, int64_t>;  // channel, from, to
  // A device whose meeting is complete or whose mail has come counts as running, even before its thread has woken up:
  // whoever completes it says so. Hence the run is stuck exactly if no thread is running.
  enum class State { kRunning, kWaiting, kEnded };
  struct Device {
    State state = State::kRunning;
    std::string waits_for;  // for the message of a deadlock
    Mailbox mailbox;        // of a device that waits for mail
  };

  // Waits, with `lock` held, until ready() or the run has failed. Reports a deadlock if this device is the last that
  // was running.
  absl::Status Wait(std::unique_lock<std::mutex>& lock, int64_t device, std::string what,
                    absl::FunctionRef<bool()> ready, absl::FunctionRef<absl::Status()> check);
  void FailIfStuck();
  // Keeps the first failure: later ones are echoes of it.
  void Fail(absl::Status failure);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  std::map<MeetingKey, std::shared_ptr<Meeting>> meetings_;
  std::map<Mailbox, std::deque<Literal>> mail_;
  absl::Status failure_;
  std::atomic<bool> failed_{false};
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_RENDEZVOUS_H_
