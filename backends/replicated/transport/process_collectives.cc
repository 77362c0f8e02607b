#include "backends/replicated/transport/process_collectives.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/host/collective_work.h"
#include "backends/replicated/transport/greeting.h"
#include "backends/replicated/transport/launch_parts.h"
#include "backends/replicated/transport/work_in_rounds.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace transport {
namespace {

// A connection is lost first, and then the coordinator says who has died: it takes a second or so to be sure.
constexpr absl::Duration kVerdictTime = absl::Milliseconds(1700);

uint64_t HashOf(int64_t launch, const Rendezvous::Series& series, int64_t place) {
  uint64_t hash = MixHash(static_cast<uint64_t>(launch), static_cast<uint64_t>(series.opcode));
  hash = MixHash(MixHash(hash, series.channel), place);
  for (const int64_t device : series.group) hash = MixHash(hash, device);
  return hash;
}

}  // namespace

class LaunchMeetings::Started : public StartedCollective {
 public:
  Started(std::shared_ptr<LaunchMeetings> meetings, PartPtr part)
      : meetings_(std::move(meetings)), part_(std::move(part)) {}

  Event done() const override { return part_->done(); }
  absl::Time met() const override { return done().IsReady() ? part_->met() : absl::InfinitePast(); }
  absl::Status Await(absl::FunctionRef<absl::Status()> check) override { return meetings_->Await(*part_, check); }

 private:
  const std::shared_ptr<LaunchMeetings> meetings_;
  const PartPtr part_;
};

LaunchMeetings::LaunchMeetings(const LaunchDescription& launch, LaunchConnections connections)
    : launch_id_(launch.launch_id),
      rank_of_device_(launch.process_of_device),
      partitions_(launch.module == nullptr ? 1 : std::max<int64_t>(1, launch.module->config().num_partitions)),
      timeout_(launch.collective_timeout),
      pool_(launch.pool),
      memory_(launch.memory),
      module_(launch.module),
      connections_(std::move(connections)),
      exchange_(connections_.mesh.get(), pool_, memory_),
      devices_(rank_of_device_.size()) {
  for (size_t d = 0; d < devices_.size(); ++d) devices_[d].is_here = rank_of_device_[d] == connections_.rank;
}

LaunchMeetings::~LaunchMeetings() = default;

// ---- Beginning

std::shared_ptr<StartedCollective> LaunchMeetings::Start(CollectiveCall call) {
  PartPtr part;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    SeriesState& series = SeriesOfCall(call);
    part = std::make_shared<Part>(std::move(call), &series);
  }
  const bool is_sent = part->sends() && part->series().ranks[1] != connections_.rank;
  absl::Status status;
  if (is_sent) {
    status = Post(part);
    part->Finish(status);
  } else {
    absl::StatusOr<MeetingPtr> meeting = Come(part);
    if (meeting.ok()) {
      part->meeting = *std::move(meeting);
    } else {
      part->Finish(meeting.status());
    }
  }
  return std::make_shared<Started>(shared_from_this(), part);
}

// Called with the lock held.
LaunchMeetings::SeriesState& LaunchMeetings::SeriesOfCall(const CollectiveCall& call) {
  const bool is_transfer =
      call.action == CollectiveCall::Action::kSend || call.action == CollectiveCall::Action::kReceive;
  const Rendezvous::Series key = is_transfer ? SeriesOfTransfers(call.channel, call.group[0], call.group[1])
                                             : SeriesOf(*call.instruction, call.group);
  std::unique_ptr<SeriesState>& state = series_[key];
  if (state != nullptr) return *state;
  state = std::make_unique<SeriesState>();
  state->hash = HashOf(launch_id_, key, key.instruction == nullptr ? -1 : PlaceOf(*key.instruction));
  state->group = key.group;
  state->calls.resize(key.group.size());
  for (const int64_t device : key.group) {
    state->ranks.push_back(static_cast<int>(rank_of_device_[device]));
    if (devices_[device].is_here) ++state->members_here;
  }
  return *state;
}

int64_t LaunchMeetings::PlaceOf(const HloInstruction& instruction) {
  if (places_.empty() && module_ != nullptr) {
    int64_t next = 0;
    for (const auto& computation : module_->computations()) {
      places_[computation.get()] = next;
      next += static_cast<int64_t>(computation->instructions().size());
    }
  }
  const auto it = places_.find(instruction.parent());
  return (it == places_.end() ? 0 : it->second) + instruction.place();
}

// To a receiver elsewhere. No device waits for that.
absl::Status LaunchMeetings::Post(const PartPtr& part) {
  ExchangeMeeting meeting;
  int64_t bytes = 0;
  for (const CollectiveArray& operand : part->call().operands) bytes += operand.shape->ByteSize();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return failure_;
    if (memory_ != nullptr) RETURN_IF_ERROR(memory_->Reserve(bytes));
    sent_bytes_ += bytes;
    SeriesState& series = const_cast<SeriesState&>(part->series());
    meeting = Describe(series, series.calls[0]++);
    has_changed_ = true;
  }
  meeting.calls[0] = &part->call();
  const auto taken = [self = shared_from_this(), bytes] {
    std::lock_guard<std::mutex> lock(self->mutex_);
    // After Close all has been released.
    if (self->memory_ == nullptr || self->sent_bytes_ == 0) return;
    self->sent_bytes_ -= bytes;
    self->memory_->Release(bytes);
  };
  connections_.keep_sent(connections_.mesh, exchange_.Send(meeting), taken);
  return absl::OkStatus();
}

absl::StatusOr<LaunchMeetings::MeetingPtr> LaunchMeetings::Come(const PartPtr& part) {
  if (part->sends()) RETURN_IF_ERROR(part->CopyOperands(memory_));
  MeetingPtr meeting;
  bool is_mine = false, is_ready = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok()) return failure_;
    auto& series = const_cast<SeriesState&>(part->series());
    const int64_t position = part->call().position;
    const auto at = static_cast<size_t>(series.calls[position]++ - series.complete);
    has_changed_ = true;
    if (at == series.open.size()) {
      auto opened = std::make_shared<Meeting>();
      opened->series = &series;
      opened->sequence = series.complete + static_cast<int64_t>(at);
      opened->missing = series.members_here;
      opened->parts.resize(series.group.size());
      series.open.push_back(std::move(opened));
    }
    meeting = series.open[at];
    meeting->parts[position] = part;
    if (--meeting->missing == 0) {
      series.open.pop_front();
      ++series.complete;
      is_mine = series.members_here == static_cast<int64_t>(series.group.size());
      is_ready = !is_mine;
      meeting->state = is_mine ? Meeting::State::kAtWork : Meeting::State::kReady;
      ready_.push_back(meeting);
      changed_.notify_all();
    }
  }
  if (part->sends()) part->Finish(absl::OkStatus());
  if (is_mine) Drive(*meeting, [] { return absl::OkStatus(); });
  if (is_ready) RunInBackground(meeting);
  return meeting;
}

// If no device waits for it soon.
void LaunchMeetings::RunInBackground(const MeetingPtr& meeting) {
  connections_.background->Post([self = shared_from_this(), meeting] {
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      if (meeting->state != Meeting::State::kReady || !self->failure_.ok()) return;
      meeting->state = Meeting::State::kAtWork;
    }
    self->Drive(*meeting, [&self] {
      std::lock_guard<std::mutex> lock(self->mutex_);
      return self->failure_;
    });
  });
}

// ---- The work

// Its state is kAtWork, which one thread has made it.
void LaunchMeetings::Drive(Meeting& meeting, Exchange::GoOn go_on) {
  const bool is_mine = meeting.series->members_here == static_cast<int64_t>(meeting.parts.size());
  absl::Time met = absl::Now();
  absl::Status status = is_mine ? DoWork(meeting) : DoPart(meeting, go_on, &met);
  if (!status.ok() && !is_mine) {
    std::unique_lock<std::mutex> lock(mutex_);
    // Whose connection was lost first is not who was there first.
    if (absl::IsUnavailable(status)) {
      changed_.wait_for(lock, absl::ToChronoMilliseconds(kVerdictTime), [this] { return !failure_.ok(); });
      lock.unlock();
      const absl::Status gone = connections_.gone();
      if (!gone.ok()) status = gone;
      lock.lock();
    }
    lock.unlock();
    Fail(status, false);
    lock.lock();
    status = failure_;
  }
  for (const PartPtr& part : meeting.parts) {
    if (part == nullptr) continue;
    part->set_met(met);
    part->Finish(status);
  }
  std::vector<PartPtr> parts;  // which point to the meeting
  {
    std::lock_guard<std::mutex> lock(mutex_);
    meeting.state = Meeting::State::kOver;
    parts.swap(meeting.parts);
    ready_.erase(std::find_if(ready_.begin(), ready_.end(),
                              [&meeting](const MeetingPtr& other) { return other.get() == &meeting; }));
    has_changed_ = true;
  }
  changed_.notify_all();
}

absl::Status LaunchMeetings::DoWork(const Meeting& meeting) const {
  std::vector<const CollectiveCall*> calls;
  for (const PartPtr& part : meeting.parts) calls.push_back(&part->call());
  ASSIGN_OR_RETURN(const CollectiveWork work, CollectiveWork::Make(calls));
  return RunInRounds(work, *pool_, [this] {
    std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  });
}

absl::Status LaunchMeetings::DoPart(const Meeting& meeting, Exchange::GoOn go_on, absl::Time* met) const {
  ExchangeMeeting described = Describe(*meeting.series, meeting.sequence);
  const Part* any = nullptr;
  for (size_t m = 0; m < meeting.parts.size(); ++m) {
    if (meeting.parts[m] == nullptr) continue;
    any = meeting.parts[m].get();
    described.calls[m] = &any->call();
  }
  const CollectiveCall& call = any->call();
  described.at =
      absl::StrCat(call.instruction->name(), " ", DescribeShapes(any->receives() ? call.results : call.operands));
  return any->receives() ? exchange_.Receive(described, go_on, met) : exchange_.Run(described, go_on, met);
}

ExchangeMeeting LaunchMeetings::Describe(const SeriesState& series, int64_t sequence) const {
  ExchangeMeeting meeting;
  meeting.key = MixHash(series.hash, static_cast<uint64_t>(sequence));
  meeting.calls.resize(series.group.size());
  meeting.ranks = series.ranks;
  meeting.rank = connections_.rank;
  meeting.name_device = [this](int64_t device) { return NameDevice(device); };
  return meeting;
}

}  // namespace transport
}  // namespace xla
