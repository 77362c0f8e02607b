#include "backends/host/local_collectives.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "backends/host/collective_work.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<Literal>> CopyOf(absl::Span<const CollectiveArray> arrays, MemoryBudget* memory) {
  std::vector<Literal> copies;
  // Small literals hold their elements themselves: these stay where they are.
  copies.reserve(arrays.size());
  for (const CollectiveArray& array : arrays) {
    ASSIGN_OR_RETURN(Literal copy, Literal::Allocate(array.shape->WithoutLayout(), memory));
    if (copy.size_bytes() > 0) std::memcpy(copy.untyped_mutable_data(), array.data, copy.size_bytes());
    copies.push_back(std::move(copy));
  }
  return copies;
}

}  // namespace

// What a device brings to a meeting.
class LocalCollectives::Part : public Rendezvous::Contribution {
 public:
  // The parts of a meeting's work, for any number of threads to take.
  class Work {
   public:
    explicit Work(CollectiveWork work) : work_(std::move(work)) {}

    bool is_one_part() const { return work_.part_count() <= 1; }
    // Does parts until all are taken. True, for one of all callers: all are done. `check` is asked now and then; after
    // an error nothing more is computed, and it is the status.
    bool DoParts(absl::FunctionRef<absl::Status()> check) {
      // Threads of the pool may flush denormals for the run that they work for otherwise.
      const DenormalMode mode(DenormalMode::kKeep);
      const int64_t count = work_.part_count();
      if (count == 0) return next_part_.fetch_add(1, std::memory_order_relaxed) == 0;
      int64_t done = 0;
      auto next_check = std::chrono::steady_clock::now() + kCheckInterval;
      for (int64_t part; (part = next_part_.fetch_add(1, std::memory_order_relaxed)) < count; ++done) {
        if (is_stopped_.load(std::memory_order_relaxed)) continue;
        work_.Run(part, part + 1);
        if (std::chrono::steady_clock::now() < next_check) continue;
        Stop(check());
        next_check = std::chrono::steady_clock::now() + kCheckInterval;
      }
      return done > 0 && parts_done_.fetch_add(done, std::memory_order_acq_rel) + done == count;
    }
    absl::Status status() const {
      std::lock_guard<std::mutex> lock(mutex_);
      return status_;
    }

   private:
    static constexpr auto kCheckInterval = std::chrono::milliseconds(5);

    // Keeps the first error.
    void Stop(const absl::Status& status) {
      if (status.ok()) return;
      std::lock_guard<std::mutex> lock(mutex_);
      status_.Update(status);
      is_stopped_.store(true, std::memory_order_relaxed);
    }

    const CollectiveWork work_;
    mutable std::mutex mutex_;
    absl::Status status_;
    std::atomic<bool> is_stopped_{false};
    std::atomic<int64_t> next_part_{0};
    std::atomic<int64_t> parts_done_{0};
  };

  explicit Part(CollectiveCall call) : call_(std::move(call)) {}

  const CollectiveCall& call() const { return call_; }
  int64_t device() const { return call_.group[call_.position]; }
  bool sends() const { return call_.action == CollectiveCall::Action::kSend; }
  bool receives() const { return call_.action == CollectiveCall::Action::kReceive; }

  // Takes the operands along, so that the sender may write to its memory again.
  absl::Status CopyOperands(MemoryBudget* memory) {
    ASSIGN_OR_RETURN(sent_, CopyOf(call_.operands, memory));
    for (size_t i = 0; i < sent_.size(); ++i) {
      call_.operands[i] = {&sent_[i].shape(), sent_[i].untyped_mutable_data()};
    }
    return absl::OkStatus();
  }

  // With the first member: what all have to do.
  Work& SetWork(CollectiveWork work) { return work_.emplace(std::move(work)); }
  Work& work() { return *work_; }

  // Not of a sender, who has gone on.
  void SetMet(absl::Time met) { met_ = met; }
  void Finish(absl::Status status) { done_.Set(std::move(status)); }
  void OnFailure(const absl::Status& failure) override { done_.Set(failure); }
  Event done() const { return done_.event(); }
  absl::Time met() const { return met_; }

 private:
  CollectiveCall call_;
  std::vector<Literal> sent_;
  absl::Time met_ = absl::InfinitePast();  // set before done_ happens
  absl::optional<Work> work_;
  EventSource done_;
};

class LocalCollectives::Started : public StartedCollective {
 public:
  Started(LocalCollectives* local, std::shared_ptr<const Part> part, Rendezvous::MeetingPtr meeting)
      : local_(local), part_(std::move(part)), meeting_(std::move(meeting)) {}

  Event done() const override { return part_->done(); }
  absl::Time met() const override { return done().IsReady() ? part_->met() : absl::InfinitePast(); }

  absl::Status Await(absl::FunctionRef<absl::Status()> check) override {
    if (done().IsReady()) return done().status();
    const CollectiveCall& call = part_->call();
    const auto what = [&] {
      return part_->receives() ? DescribeReceive(*call.instruction, call.group[0], call.channel)
                               : DescribeMeeting(*call.instruction, call.group);
    };
    const auto help = [&] { local_->Help(*meeting_, check); };
    RETURN_IF_ERROR(local_->rendezvous_.Await(part_->device(), *meeting_, what, check, help));
    return done().status();
  }

 private:
  LocalCollectives* const local_;
  const std::shared_ptr<const Part> part_;
  const Rendezvous::MeetingPtr meeting_;  // nullptr if it never came to it
};

std::shared_ptr<StartedCollective> LocalCollectives::Start(CollectiveCall call) {
  const auto part = std::make_shared<Part>(std::move(call));
  absl::StatusOr<Rendezvous::MeetingPtr> meeting = Come(part);
  if (!meeting.ok()) part->Finish(meeting.status());
  return std::make_shared<Started>(this, part, meeting.ok() ? *std::move(meeting) : nullptr);
}

// A sender is done once its operands are copied.
absl::StatusOr<Rendezvous::MeetingPtr> LocalCollectives::Come(const std::shared_ptr<Part>& part) {
  const CollectiveCall& call = part->call();
  if (part->sends()) RETURN_IF_ERROR(part->CopyOperands(memory_));
  const Rendezvous::Series series = part->sends() || part->receives()
                                        ? SeriesOfTransfers(call.channel, call.group[0], call.group[1])
                                        : SeriesOf(*call.instruction, call.group);
  ASSIGN_OR_RETURN(const Rendezvous::Attendance attendance, rendezvous_.Come(series, call.position, part));
  if (part->sends()) part->Finish(absl::OkStatus());
  if (attendance.is_last) Hold(attendance);
  return attendance.meeting;
}

// No thread is woken up for what is done as soon. Threads of the pool come beside the members that wait, as far as
// there are more of them.
void LocalCollectives::Hold(const Rendezvous::Attendance& attendance) {
  Rendezvous::Meeting& meeting = *attendance.meeting;
  const absl::Time met = absl::Now();
  std::vector<const CollectiveCall*> calls;
  for (const Rendezvous::ContributionPtr& member : meeting.contributions()) {
    auto& part = static_cast<Part&>(*member);
    if (!part.sends()) part.SetMet(met);
    calls.push_back(&part.call());
  }
  absl::StatusOr<CollectiveWork> work = CollectiveWork::Make(calls);
  if (!work.ok()) return End(meeting, work.status());
  const absl::Status shared_values = ShareValues(calls);
  if (!shared_values.ok()) return End(meeting, shared_values);
  Part::Work& shared = static_cast<Part&>(*meeting.contributions()[0]).SetWork(*std::move(work));
  const auto go_on = [] { return absl::OkStatus(); };
  if (shared.is_one_part()) return Help(meeting, go_on);
  rendezvous_.CallHelpers(meeting);
  const int64_t threads = std::max<int64_t>(1, pool_->num_threads() - attendance.waiting);
  pool_->ParallelFor(threads, 1, [this, &meeting, go_on](int64_t, int64_t) { Help(meeting, go_on); });
}

// On a channel, a member that computes its result itself may meet others that do not, and bring arrays only.
absl::Status LocalCollectives::ShareValues(const std::vector<const CollectiveCall*>& calls) {
  const auto wants_values = [](const CollectiveCall* call) { return call->values != nullptr; };
  if (std::none_of(calls.begin(), calls.end(), wants_values)) return absl::OkStatus();
  std::vector<std::shared_ptr<const std::vector<Literal>>> values;
  for (const CollectiveCall* call : calls) {
    values.push_back(call->value);
    if (call->value != nullptr) continue;
    ASSIGN_OR_RETURN(std::vector<Literal> copy, CopyOf(call->operands, memory_));
    values.back() = std::make_shared<const std::vector<Literal>>(std::move(copy));
  }
  for (const CollectiveCall* call : calls) {
    if (call->values != nullptr) *call->values = values;
  }
  return absl::OkStatus();
}

void LocalCollectives::Help(Rendezvous::Meeting& meeting, absl::FunctionRef<absl::Status()> check) {
  Part::Work& work = static_cast<Part&>(*meeting.contributions()[0]).work();
  if (work.DoParts(check)) End(meeting, work.status());
}

// Whoever waits finds the event set.
void LocalCollectives::End(Rendezvous::Meeting& meeting, const absl::Status& status) {
  for (const Rendezvous::ContributionPtr& member : meeting.contributions()) {
    static_cast<Part&>(*member).Finish(status);
  }
  rendezvous_.End(meeting);
}

}  // namespace xla
