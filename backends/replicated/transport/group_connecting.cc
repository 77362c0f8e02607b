// How a group comes together, and how a process leaves it.
#include <unistd.h>

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/group.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr absl::Duration kHelloInterval = absl::Milliseconds(300);
constexpr absl::Duration kLookInterval = absl::Milliseconds(50);

}  // namespace

Group::~Group() {
  if (client_ != nullptr) {
    keeper_.reset();
    // Others may still wait for its devices.
    std::deque<std::pair<absl::Time, Report>> reports;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      reports.swap(last_reports_);
    }
    for (auto& [ended, report] : reports) Tell(std::move(report));
    MemberMessage leave;
    leave.mutable_leave();
    client_->Send(std::move(leave));
    client_.reset();
  }
  background_.reset();
  mesh_.reset();
  server_.reset();
  if (address_.has_value()) address_->Withdraw();
}

absl::Status Group::Connect(Check check) {
  const absl::Time deadline = absl::Now() + options_.connect_timeout;
  ASSIGN_OR_RETURN(GroupAddress address, GroupAddress::Make(options_));
  address_.emplace(std::move(address));
  if (options_.process_index == 0) {
    ASSIGN_OR_RETURN(server_, address_->Serve());
  }
  MemberMessage self;
  self.set_launch_token(options_.launch_token);
  self.set_rank(static_cast<int>(options_.process_index));
  std::random_device random;
  self.set_incarnation(uint64_t{random()} << 32 | random());
  client_ = std::make_unique<ControlClient>(
      std::move(self), ControlClient::Listener{[this](const CoordinatorMessage& m) { Hear(m); }, [this] { Tick(); },
                                               [this] { LoseFirst(); }});
  absl::Time next_look = absl::InfinitePast(), next_hello = absl::InfinitePast();
  std::string control;
  absl::Status lookup;
  while (true) {
    const absl::Time now = absl::Now();
    if (now >= next_look) {
      next_look = now + kLookInterval;
      const absl::StatusOr<std::string> found = address_->LookUp();
      lookup = found.status();
      if (found.ok() && *found != control) {
        control = *found;
        client_->SetAddress(control);
        next_hello = absl::InfinitePast();
      }
    }
    if (!control.empty() && now >= next_hello) {
      next_hello = now + kHelloInterval;
      MemberMessage hello;
      hello.mutable_hello()->set_process_count(static_cast<int>(options_.process_count));
      hello.mutable_hello()->set_host(DisplayName());
      hello.mutable_hello()->set_pid(getpid());
      client_->Send(std::move(hello));
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, kTick);
    if (!refusal_.ok()) return refusal_;
    if (!members_.empty()) break;
    if (now >= deadline) return Missing(control, lookup);
    lock.unlock();
    RETURN_IF_ERROR(check());
  }
  ASSIGN_OR_RETURN(own_address_, address_->OwnToward(control));
  return absl::OkStatus();
}

std::string Group::DisplayName() const {
  const bool is_named = !options_.host_name.empty() && !AddressOfInterface(options_.host_name).ok();
  return is_named ? options_.host_name : OwnHostName();
}

bool Group::WasWrittenAsLoopback(const std::string& control) const {
  return absl::StartsWith(options_.rendezvous, "file:") && absl::StartsWith(control, "tcp://127.");
}

absl::Status Group::Missing(const std::string& control, const absl::Status& lookup) const {
  const std::string within = absl::StrCat(" within ", absl::FormatDuration(options_.connect_timeout));
  if (missing_.rank_size() == 0) {
    return absl::DeadlineExceededError(absl::StrCat(
        "rank 0 was not found at ", options_.rendezvous, within,
        lookup.ok() ? absl::StrCat(" (nothing answers at ", control, ")") : absl::StrCat(" (", lookup.message(), ")"),
        "; start it with the same rendezvous and launch token",
        WasWrittenAsLoopback(control) ? ", and if it is on another host, say there how it is reached: hlo-run --host, "
                                        "the setting host_name"
                                      : ""));
  }
  const int missing = missing_.rank_size();
  std::string message =
      absl::StrCat(WhoIsSilent(absl::Now()), missing == 1 ? "rank " : "ranks ", absl::StrJoin(missing_.rank(), ", "),
                   " of ", options_.process_count, missing == 1 ? " has" : " have", " not come", within);
  if (missing_.strangers() > 0) absl::StrAppend(&message, ", and one with another launch token was refused");
  return absl::DeadlineExceededError(
      absl::StrCat(message, "; start all ranks with the same rendezvous and launch token"));
}

// Who has come is known from rank 0, so it is old news once that is silent. A rank that hears from no other is more
// likely to be cut off itself than all others are.
std::string Group::WhoIsSilent(absl::Time now) const {
  const std::string own =
      absl::StrCat("the network of ", DisplayName(), ", where this rank ", options_.process_index, " runs");
  if (options_.process_index > 0) {
    const absl::Duration silence = now - client_->heard();
    if (silence < kSilent) return "";
    return absl::StrCat("rank 0 has not been heard of for ", absl::ToInt64Seconds(silence), " s (is it stopped, or ",
                        own, ", down?); when it was heard last, ");
  }
  const int silent = missing_.silent_size();
  if (silent == 0) return "";
  const bool hears_none = silent + missing_.rank_size() + 1 == options_.process_count;
  return absl::StrCat(
      silent == 1 ? "rank " : "ranks ", absl::StrJoin(missing_.silent(), ", "), silent == 1 ? " has" : " have",
      " come, but not been heard of for ", absl::ToInt64Seconds(kSilent), " s or more (",
      hears_none ? absl::StrCat("no other rank is: is ", own, ", down?") : "stopped, or the network down?", "), and ");
}

}  // namespace transport
}  // namespace xla
