// Rendezvous: where the devices of one run meet, in one process.
//
// Each device runs on its own thread. The table below knows of every device whether it runs, waits (and for whom) or
// has ended, so that a meeting which can no longer happen is noticed at once and reported instead of waited for.
//
// To come to a meeting and to wait for its end are two calls: what begins now and is needed later holds up no one. What
// the members bring, and what is made of it, is the caller's: the last to come does the work, or calls those who wait
// to help with it, and whoever does the last of it ends the meeting.
//
// Most meetings are over within microseconds. A device that waits looks for the end for about as long as it takes a
// thread to fall asleep and wake up, and sleeps only then, until it is woken for its own meeting.
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
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Thread-safe; one object serves one run. An error of any device is the error of all that wait, with the first cause.
class Rendezvous {
 public:
  // What one device brings to a meeting.
  class Contribution {
   public:
    virtual ~Contribution() = default;
    // The run has failed before all members had come: the meeting will never be. Called once at most, from any thread.
    virtual void OnFailure(const absl::Status& failure) {}
  };
  using ContributionPtr = std::shared_ptr<Contribution>;

  // Who meets: collectives with a channel meet by it, others by instruction. Transfers have groups of {sender,
  // receiver}.
  struct Series {
    HloOpcode opcode;
    int64_t channel = 0;                          // 0: none
    const HloInstruction* instruction = nullptr;  // nullptr: the channel says it
    std::vector<int64_t> group;                   // devices, by position

    bool operator<(const Series& o) const {
      return std::tie(opcode, channel, instruction, group) < std::tie(o.opcode, o.channel, o.instruction, o.group);
    }
  };

  // One meeting of a series. Members read it once the last one has come.
  class Meeting {
   public:
    const std::vector<int64_t>& group() const { return group_; }
    // By position in the group.
    const std::vector<ContributionPtr>& contributions() const { return contributions_; }

   private:
    friend class Rendezvous;
    enum class Phase { kOpen, kAtWork, kWantsHelp, kOver };

    Phase phase() const { return phase_.load(std::memory_order_acquire); }

    std::vector<int64_t> group_;
    std::vector<ContributionPtr> contributions_;
    int64_t missing_ = 0;
    std::atomic<Phase> phase_{Phase::kOpen};  // changed with the mutex held
  };
  using MeetingPtr = std::shared_ptr<Meeting>;

  // The part of one member who has come.
  struct Attendance {
    MeetingPtr meeting;
    // All have come: this member must see to what the meeting is for, and to the call of End.
    bool is_last = false;
    // Of the last: how many others have nothing to do but to wait for the end.
    int64_t waiting = 0;
  };

  explicit Rendezvous(int64_t device_count) : devices_(device_count) {}

  // The device at `position` of the group comes to its next meeting of the series, and does not wait. The n-th meeting
  // is that of the n-th calls of all. Errors: the failure of the run.
  absl::StatusOr<Attendance> Come(const Series& series, int64_t position, ContributionPtr mine);
  // For the last to come, once: those who wait for the end help until then.
  void CallHelpers(Meeting& meeting);
  // What the meeting is for is done: the others may go on.
  void End(Meeting& meeting);
  // Waits for that; after an error, no work is done at the meeting any more. `what` is what the device waits at, for
  // messages: "all-reduce.3 with devices {0,1}"; it may be called from other threads. `check` is asked now and then
  // whether to go on waiting (deadline, Ctrl-C). `help` is called, once at most, after CallHelpers.
  absl::Status Await(
      int64_t device, const Meeting& meeting, absl::FunctionRef<std::string()> what,
      absl::FunctionRef<absl::Status()> check, absl::FunctionRef<void()> help = [] {});

  // The device will come to no further meeting. An error stops all that wait, and those who run see failed(). When it
  // returns, no work is done at a meeting that the device has come to.
  void DeviceEnded(int64_t device, const absl::Status& status);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  // The meetings of a series that not all have come to yet, the oldest first.
  struct Open {
    std::vector<int64_t> calls;  // by position
    int64_t ended = 0;
    std::deque<MeetingPtr> meetings;
  };
  // A device to whose meeting all have come counts as running, even before its thread has woken up: whoever comes last
  // says so. Hence the run is stuck exactly if no thread is running.
  enum class State { kRunning, kWaiting, kEnded };
  struct Device {
    State state = State::kRunning;
    const Meeting* meeting = nullptr;                             // that it waits for
    const absl::FunctionRef<std::string()>* waits_for = nullptr;  // for the message of a deadlock
    bool is_asleep = false;
    std::condition_variable changed;
  };

  // Until `done()`, which is looked at with the mutex held, or for some 20 ms.
  template <typename Done>
  void Sleep(std::unique_lock<std::mutex>& lock, Device& device, Done done);
  void WakeMembers(const Meeting& meeting);
  void FailIfStuck();
  // Keeps the first failure: later ones are echoes of it.
  void Fail(absl::Status failure);
  // Unlocks, and tells those whose meetings will never be.
  void UnlockAndTell(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::vector<Device> devices_;
  std::map<Series, Open> open_;
  std::vector<MeetingPtr> at_work_;  // all have come, and it is not over
  std::vector<ContributionPtr> to_be_told_;
  absl::Status failure_;
  std::atomic<bool> failed_{false};
};

// The series of a grouped collective or collective-permute.
Rendezvous::Series SeriesOf(const HloInstruction& collective, std::vector<int64_t> group);
// Of what one device sends to another.
Rendezvous::Series SeriesOfTransfers(int64_t channel, int64_t from, int64_t to);

// "all-reduce.3 with devices {0,1}", "recv.2 from device 1 on channel 3"
std::string DescribeMeeting(const HloInstruction& collective, const std::vector<int64_t>& group);
std::string DescribeReceive(const HloInstruction& recv, int64_t from, int64_t channel);

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_RENDEZVOUS_H_
