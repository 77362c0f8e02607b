// ProcessCollectives: where the devices of one launch meet, some of which are in other processes.
//
// ---- A meeting
//
// The n-th calls of the members make the n-th meeting of a series, as in a Rendezvous, and each process counts the
// calls of its own devices. When those of a meeting have come, and all members are theirs, the last one does the work;
// otherwise the first of them that waits does the part of this process (exchange.h), or, if none waits, a thread in the
// background. Processes name a series by a number that follows from the launch, the opcode, the channel or the place of
// the instruction in the program, and the group.
//
// ---- Failure
//
// The first error ends the launch for all: here at once, elsewhere through the coordinator, whose word counts where an
// error of a connection may have a cause elsewhere. A device that waits longer than the collective timeout asks the
// coordinator why, and gives up by itself if there is no answer.
#ifndef BACKENDS_REPLICATED_TRANSPORT_PROCESS_COLLECTIVES_H_
#define BACKENDS_REPLICATED_TRANSPORT_PROCESS_COLLECTIVES_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/collectives.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/transport/background.h"
#include "backends/replicated/transport/control.pb.h"
#include "backends/replicated/transport/exchange.h"
#include "backends/replicated/transport/mesh.h"
#include "xla_core/evaluator/rendezvous.h"

namespace xla {
namespace transport {

// What a launch has of its group.
struct LaunchConnections {
  int rank = 0;
  std::string host;
  std::shared_ptr<Mesh> mesh;
  std::function<void(MemberMessage)> tell;  // the coordinator
  // Since when the coordinator has been silent.
  std::function<absl::Time()> heard;
  // Why there is no coordinator any more; OK: there is.
  std::function<absl::Status()> gone;
  // Keeps what was sent until it has been taken, and calls `taken` then.
  std::function<void(std::shared_ptr<Mesh>, std::unique_ptr<Exchange::Sent>, std::function<void()> taken)> keep_sent;
  Background* background = nullptr;
};

// One object serves one launch. Thread-safe; made as a shared_ptr.
class LaunchMeetings : public std::enable_shared_from_this<LaunchMeetings> {
 public:
  LaunchMeetings(const LaunchDescription& launch, LaunchConnections connections);
  ~LaunchMeetings();

  std::shared_ptr<StartedCollective> Start(CollectiveCall call);
  void DeviceEnded(int64_t device, const absl::Status& status);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // The launch has failed somewhere. Of the coordinator.
  void FailFromElsewhere(const absl::Status& failure);
  // What the devices do, if one of them has waited for a while or none runs; nothing if that has been said.
  absl::optional<Report> TakeReport();
  // The owner goes: nothing of it is used any more when this returns.
  void Close();

 private:
  class Part;
  class Started;
  using PartPtr = std::shared_ptr<Part>;
  struct SeriesState;
  struct Meeting;
  using MeetingPtr = std::shared_ptr<Meeting>;
  struct Wait {
    const Part* part = nullptr;  // nullptr: does not wait
    absl::Time since;
    absl::Time told = absl::InfiniteFuture();  // the coordinator that it is too long
  };
  struct Device {
    bool is_here = false;
    bool has_ended = false;
    Wait wait;
  };

  absl::Status Await(Part& part, absl::FunctionRef<absl::Status()> check);
  absl::Status GoOn(int64_t device, absl::FunctionRef<absl::Status()> check);
  SeriesState& SeriesOfCall(const CollectiveCall& call);
  absl::Status Post(const PartPtr& part);
  absl::StatusOr<MeetingPtr> Come(const PartPtr& part);
  void RunInBackground(const MeetingPtr& meeting);
  void Drive(Meeting& meeting, Exchange::GoOn go_on);
  absl::Status DoWork(const Meeting& meeting) const;
  absl::Status DoPart(const Meeting& meeting, Exchange::GoOn go_on, absl::Time* met) const;
  ExchangeMeeting Describe(const SeriesState& series, int64_t sequence) const;
  bool IsAtWork(int64_t device) const;
  // Keeps the first failure, and says so elsewhere unless it comes from there.
  void Fail(const absl::Status& failure, bool from_elsewhere);
  int64_t PlaceOf(const HloInstruction& instruction);
  std::string NameDevice(int64_t device) const;
  DeviceState StateOf(int64_t device) const;

  const int64_t launch_id_;
  const std::vector<int64_t> rank_of_device_;
  const int64_t partitions_;
  const absl::Duration timeout_;
  ThreadPool* const pool_;
  MemoryBudget* memory_;
  const HloModule* const module_;
  const LaunchConnections connections_;
  const Exchange exchange_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Device> devices_;
  std::map<Rendezvous::Series, std::unique_ptr<SeriesState>> series_;
  std::map<const HloComputation*, int64_t> places_;  // of a computation's first instruction in the program
  std::deque<MeetingPtr> ready_;                     // or at work
  absl::Status failure_;
  std::atomic<bool> failed_{false};
  bool has_changed_ = true;  // since the last report that none runs
  absl::Time next_partial_report_ = absl::InfinitePast();
  int64_t sent_bytes_ = 0;  // that count in memory_
};

class ProcessCollectives : public Collectives {
 public:
  // `ended` is called when it goes.
  ProcessCollectives(std::shared_ptr<LaunchMeetings> meetings, std::function<void()> ended)
      : meetings_(std::move(meetings)), ended_(std::move(ended)) {}
  ~ProcessCollectives() override {
    meetings_->Close();
    ended_();
  }

  std::shared_ptr<StartedCollective> Start(CollectiveCall call) override { return meetings_->Start(std::move(call)); }
  void DeviceEnded(int64_t device, const absl::Status& status) override { meetings_->DeviceEnded(device, status); }
  bool failed() const override { return meetings_->failed(); }
  bool shares_values() const override { return false; }

 private:
  const std::shared_ptr<LaunchMeetings> meetings_;
  const std::function<void()> ended_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_PROCESS_COLLECTIVES_H_
