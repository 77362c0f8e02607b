// What the meetings of a launch consist of; for LaunchMeetings' own sources.
#ifndef BACKENDS_REPLICATED_TRANSPORT_LAUNCH_PARTS_H_
#define BACKENDS_REPLICATED_TRANSPORT_LAUNCH_PARTS_H_

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "backends/replicated/transport/process_collectives.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace transport {

// What a device brings to a meeting.
class LaunchMeetings::Part {
 public:
  Part(CollectiveCall call, const SeriesState* series) : call_(std::move(call)), series_(series) {}

  const CollectiveCall& call() const { return call_; }
  int64_t device() const { return call_.group[call_.position]; }
  bool sends() const { return call_.action == CollectiveCall::Action::kSend; }
  bool receives() const { return call_.action == CollectiveCall::Action::kReceive; }
  const SeriesState& series() const { return *series_; }

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

  void Finish(const absl::Status& status) { done_.Set(status); }
  Event done() const { return done_.event(); }
  // Before it is done.
  void set_met(absl::Time met) { met_ = met; }
  absl::Time met() const { return met_; }

  MeetingPtr meeting;  // nullptr if it never came to one, or needs none

 private:
  CollectiveCall call_;
  const SeriesState* const series_;
  std::vector<Literal> sent_;
  absl::Time met_ = absl::InfinitePast();
  EventSource done_;
};

struct LaunchMeetings::SeriesState {
  uint64_t hash = 0;
  std::vector<int64_t> group;
  std::vector<int> ranks;  // by position
  int64_t members_here = 0;
  std::vector<int64_t> calls;  // by position, of members that are here
  int64_t complete = 0;        // meetings to which all members here have come
  std::deque<MeetingPtr> open;
};

struct LaunchMeetings::Meeting {
  enum class State { kGathering, kReady, kAtWork, kOver };
  const SeriesState* series = nullptr;
  int64_t sequence = 0;
  std::vector<PartPtr> parts;  // by position; nullptr: elsewhere, or has not come
  int64_t missing = 0;         // of those that are here
  State state = State::kGathering;

  bool HasMember(int64_t device) const {
    return std::any_of(parts.begin(), parts.end(),
                       [device](const PartPtr& part) { return part != nullptr && part->device() == device; });
  }
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_LAUNCH_PARTS_H_
