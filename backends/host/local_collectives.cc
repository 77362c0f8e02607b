#include "backends/host/local_collectives.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "backends/host/collective_work.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {

// What a device brings to a meeting.
class LocalCollectives::Part : public Rendezvous::Contribution {
 public:
  explicit Part(CollectiveCall call) : call_(std::move(call)) {}

  const CollectiveCall& call() const { return call_; }
  int64_t device() const { return call_.group[call_.position]; }
  bool sends() const { return call_.action == CollectiveCall::Action::kSend; }
  bool receives() const { return call_.action == CollectiveCall::Action::kReceive; }

  // Takes the operands along, so that the sender may write to its memory again.
  absl::Status CopyOperands(MemoryBudget* memory) {
    // Small literals hold their elements themselves: these stay where they are.
    sent_.reserve(call_.operands.size());
    for (CollectiveArray& operand : call_.operands) {
      ASSIGN_OR_RETURN(Literal allocated, Literal::Allocate(operand.shape->WithoutLayout(), memory));
      Literal& copy = sent_.emplace_back(std::move(allocated));
      if (copy.size_bytes() > 0) std::memcpy(copy.untyped_mutable_data(), operand.data, copy.size_bytes());
      operand = {&copy.shape(), copy.untyped_mutable_data()};
    }
    return absl::OkStatus();
  }

  void Finish(absl::Time met, absl::Status status) {
    met_ = met;
    done_.Set(std::move(status));
  }
  void OnFailure(const absl::Status& failure) override { done_.Set(failure); }
  Event done() const { return done_.event(); }
  absl::Time met() const { return met_; }

 private:
  CollectiveCall call_;
  std::vector<Literal> sent_;
  absl::Time met_ = absl::InfinitePast();  // set before done_ happens
  EventSource done_;
};

class LocalCollectives::Started : public StartedCollective {
 public:
  Started(Rendezvous* rendezvous, std::shared_ptr<const Part> part, Rendezvous::MeetingPtr meeting)
      : rendezvous_(rendezvous), part_(std::move(part)), meeting_(std::move(meeting)) {}

  Event done() const override { return part_->done(); }
  absl::Time met() const override { return done().IsReady() ? part_->met() : absl::InfinitePast(); }

  absl::Status Await(absl::FunctionRef<absl::Status()> check) override {
    if (done().IsReady()) return done().status();
    const CollectiveCall& call = part_->call();
    const auto what = [&] {
      return part_->receives() ? DescribeReceive(*call.instruction, call.group[0], call.channel)
                               : DescribeMeeting(*call.instruction, call.group);
    };
    RETURN_IF_ERROR(rendezvous_->Await(part_->device(), *meeting_, what, check));
    return done().status();
  }

 private:
  Rendezvous* const rendezvous_;
  const std::shared_ptr<const Part> part_;
  const Rendezvous::MeetingPtr meeting_;  // nullptr if it never came to it
};

std::shared_ptr<StartedCollective> LocalCollectives::Start(CollectiveCall call) {
  const auto part = std::make_shared<Part>(std::move(call));
  absl::StatusOr<Rendezvous::MeetingPtr> meeting = Come(part);
  if (!meeting.ok()) part->Finish(absl::InfinitePast(), meeting.status());
  return std::make_shared<Started>(&rendezvous_, part, meeting.ok() ? *std::move(meeting) : nullptr);
}

// A sender is done once its operands are copied.
absl::StatusOr<Rendezvous::MeetingPtr> LocalCollectives::Come(const std::shared_ptr<Part>& part) {
  const CollectiveCall& call = part->call();
  if (part->sends()) RETURN_IF_ERROR(part->CopyOperands(memory_));
  const Rendezvous::Series series = part->sends() || part->receives()
                                        ? SeriesOfTransfers(call.channel, call.group[0], call.group[1])
                                        : SeriesOf(*call.instruction, call.group);
  ASSIGN_OR_RETURN(const Rendezvous::Attendance attendance, rendezvous_.Come(series, call.position, part));
  if (part->sends()) part->Finish(absl::InfinitePast(), absl::OkStatus());
  if (attendance.is_last) Hold(*attendance.meeting);
  return attendance.meeting;
}

// Whoever waits finds the event set.
void LocalCollectives::Hold(Rendezvous::Meeting& meeting) {
  const absl::Time met = absl::Now();
  const absl::Status status = DoWork(meeting);
  for (const Rendezvous::ContributionPtr& member : meeting.contributions()) {
    auto& part = static_cast<Part&>(*member);
    if (!part.sends()) part.Finish(met, status);  // a sender has gone on
  }
  rendezvous_.End(meeting);
}

// Threads of the pool may flush denormals for the run that they work for otherwise.
absl::Status LocalCollectives::DoWork(const Rendezvous::Meeting& meeting) {
  std::vector<const CollectiveCall*> calls;
  for (const Rendezvous::ContributionPtr& member : meeting.contributions()) {
    calls.push_back(&static_cast<const Part&>(*member).call());
  }
  ASSIGN_OR_RETURN(const CollectiveWork work, CollectiveWork::Make(calls));
  pool_->ParallelFor(work.part_count(), 1, [&work](int64_t begin, int64_t end) {
    const DenormalMode mode(DenormalMode::kKeep);
    work.Run(begin, end);
  });
  return absl::OkStatus();
}

}  // namespace xla
