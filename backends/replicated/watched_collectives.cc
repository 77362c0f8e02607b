#include "backends/replicated/watched_collectives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/evaluator/rendezvous.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

int64_t BytesOf(const CollectiveCall& call) {
  int64_t bytes = 0;
  for (const CollectiveArray& operand : call.operands) bytes += operand.shape->ByteSize();
  for (const CollectiveArray& result : call.results) bytes += result.shape->ByteSize();
  return bytes;
}

// "device 0 has waited 500ms at r with devices {0,1}"
std::string DescribeWait(const CollectiveCall& call, absl::Duration timeout) {
  const bool receives = call.action == CollectiveCall::Action::kReceive;
  return absl::StrCat("device ", call.group[call.position], " has waited ", absl::FormatDuration(timeout), " at ",
                      receives ? DescribeReceive(*call.instruction, call.group[0], call.channel)
                               : DescribeMeeting(*call.instruction, call.group));
}

}  // namespace

class WatchedCollectives::Started : public StartedCollective {
 public:
  // `wait` says of a call whose time is limited where it waits.
  Started(WatchedCollectives* watched, const HloInstruction* instruction, std::string wait,
          std::shared_ptr<StartedCollective> started)
      : watched_(watched), instruction_(instruction), wait_(std::move(wait)), started_(std::move(started)) {}

  Event done() const override { return started_->done(); }
  absl::Time met() const override { return started_->met(); }

  // What was over before the device asked has cost it nothing.
  absl::Status Await(absl::FunctionRef<absl::Status()> check) override {
    const absl::Time begin = absl::Now();
    const absl::Time deadline = begin + watched_->options_.timeout;
    const absl::Status status = started_->Await([&]() -> absl::Status {
      RETURN_IF_ERROR(check());
      if (absl::Now() < deadline) return absl::OkStatus();
      return absl::DeadlineExceededError(absl::StrCat(
          wait_, ", which is as long as it may; see what the others do, or set a longer collective timeout"));
    });
    if (watched_->options_.measures) {
      const absl::Time end = absl::Now();
      const absl::Time met = std::min(std::max(started_->met(), begin), end);
      watched_->AddTimes(instruction_, met - begin, end - met);
    }
    return status;
  }

 private:
  WatchedCollectives* const watched_;
  const HloInstruction* const instruction_;
  const std::string wait_;
  const std::shared_ptr<StartedCollective> started_;
};

// The last one to come may do the work of the meeting at once, which is its transfer.
std::shared_ptr<StartedCollective> WatchedCollectives::Start(CollectiveCall call) {
  const HloInstruction* const instruction = call.instruction;
  // A send may have none, and does not wait.
  if (instruction == nullptr) return meetings_->Start(std::move(call));
  const bool is_limited = options_.timeout != absl::InfiniteDuration();
  std::string wait = is_limited ? DescribeWait(call, options_.timeout) : "";
  if (!options_.measures) {
    return std::make_shared<Started>(this, instruction, std::move(wait), meetings_->Start(std::move(call)));
  }
  Count(instruction, BytesOf(call));
  const absl::Time begin = absl::Now();
  auto started = std::make_shared<Started>(this, instruction, std::move(wait), meetings_->Start(std::move(call)));
  AddTimes(instruction, absl::ZeroDuration(), absl::Now() - begin);
  return started;
}

void WatchedCollectives::DeviceEnded(int64_t device, const absl::Status& status) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_.insert(device);
  }
  meetings_->DeviceEnded(device, status);
}

void WatchedCollectives::EndOthers(absl::Span<const int64_t> devices, const absl::Status& error) {
  for (const int64_t device : devices) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ended_.contains(device)) continue;
    }
    DeviceEnded(device, error);
  }
}

std::vector<CollectiveCost> WatchedCollectives::costs() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return costs_;
}

void WatchedCollectives::Count(const HloInstruction* instruction, int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [position, is_new] = positions_.try_emplace(instruction, costs_.size());
  if (is_new) costs_.emplace_back().instruction = instruction;
  CollectiveCost& cost = costs_[position->second];
  ++cost.calls;
  cost.bytes += bytes;
}

void WatchedCollectives::AddTimes(const HloInstruction* instruction, absl::Duration waiting, absl::Duration transfer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CollectiveCost& cost = costs_[positions_.at(instruction)];
  cost.waiting += waiting;
  cost.transfer += transfer;
}

}  // namespace xla
