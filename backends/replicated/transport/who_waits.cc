#include "backends/replicated/transport/who_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace transport {
namespace {

// Rank and state, by device.
using Devices = std::map<int64_t, std::pair<int64_t, const DeviceState*>>;

Devices DevicesOf(const std::vector<absl::optional<Report>>& reports) {
  Devices devices;
  for (size_t r = 0; r < reports.size(); ++r) {
    if (!reports[r].has_value()) continue;
    for (const DeviceState& state : reports[r]->device()) devices[state.device()] = {static_cast<int64_t>(r), &state};
  }
  return devices;
}

bool Contains(const DeviceState& state, int64_t device) {
  return std::find(state.group().begin(), state.group().end(), device) != state.group().end();
}

bool AtTheSame(const DeviceState& a, const DeviceState& b) {
  return a.series() == b.series() && a.sequence() == b.sequence();
}

}  // namespace

absl::Status FindDeadlock(const std::vector<absl::optional<Report>>& reports, DescribeRankFunction describe) {
  for (const auto& report : reports) {
    if (!report.has_value() || !report->stuck()) return absl::OkStatus();
  }
  const Devices devices = DevicesOf(reports);
  std::map<std::pair<uint64_t, int64_t>, int64_t> calls;  // of a device to a series
  for (const auto& report : reports) {
    for (const Report::Calls& c : report->calls()) calls[{c.series(), c.device()}] = c.count();
  }
  bool somebody_waits = false;
  for (const auto& [device, where] : devices) {
    const DeviceState& state = *where.second;
    if (state.state() != DeviceState::WAITS) continue;
    somebody_waits = true;
    const bool all_have_come = std::all_of(state.group().begin(), state.group().end(), [&](int64_t member) {
      const auto found = calls.find({state.series(), member});
      return found != calls.end() && found->second > state.sequence();
    });
    if (all_have_come) return absl::OkStatus();
  }
  if (!somebody_waits) return absl::OkStatus();
  std::string message = "deadlock: no device can go on";
  const auto add_first_mismatch = [&] {
    for (const auto& [a, at] : devices) {
      for (const auto& [b, bt] : devices) {
        const DeviceState &x = *at.second, &y = *bt.second;
        if (a >= b || x.state() != DeviceState::WAITS || y.state() != DeviceState::WAITS) continue;
        if (AtTheSame(x, y) || !Contains(x, b) || !Contains(y, a)) continue;
        absl::StrAppend(&message, "; ", x.at(), " on ", x.name(), " meets ", y.at(), " on ", y.name());
        return;
      }
    }
  };
  add_first_mismatch();
  for (const auto& [device, where] : devices) {
    const DeviceState& state = *where.second;
    absl::StrAppend(&message, "; device ", device, " (", describe(where.first), ") ");
    if (state.state() == DeviceState::WAITS) {
      absl::StrAppend(&message, "waits at ", state.at(), state.with());
    } else {
      absl::StrAppend(&message, "has ended");
    }
  }
  return absl::FailedPreconditionError(message);
}

absl::Status ExplainWait(const MemberMessage::Overdue& overdue, int64_t rank,
                         const std::vector<absl::optional<Report>>& reports, const std::vector<std::string>& silence,
                         DescribeRankFunction describe) {
  const DeviceState& late = overdue.device();
  std::string message = absl::StrCat("device ", late.device(), " (", describe(rank), ") has waited ",
                                     overdue.waited_ms() / 1000, " s", " at ", late.at(), late.with());
  const Devices devices = DevicesOf(reports);
  bool all_have_come = true;
  std::set<int64_t> silent;
  for (const int64_t member : late.group()) {
    const auto found = devices.find(member);
    if (member == late.device() || found == devices.end()) continue;
    const int64_t its_rank = found->second.first;
    const DeviceState& state = *found->second.second;
    const std::string& how_heard = silence[its_rank];
    if (!how_heard.empty()) silent.insert(its_rank);
    if (state.state() == DeviceState::WAITS && AtTheSame(state, late) && how_heard.empty()) continue;
    all_have_come = false;
    absl::StrAppend(&message, "; device ", member, " (", describe(its_rank), how_heard, ") ");
    if (state.state() == DeviceState::WAITS) {
      absl::StrAppend(&message, "waits at ", state.at(), state.with());
    } else {
      absl::StrAppend(&message, state.state() == DeviceState::ENDED ? "has ended" : "has not come yet");
    }
  }
  // Silent processes are the cause more often than those whose devices wait.
  for (size_t r = 0; r < silence.size(); ++r) {
    const auto other = static_cast<int64_t>(r);
    if (silence[r].empty() || silent.count(other) > 0) continue;
    absl::StrAppend(&message, "; see ", describe(other), silence[r]);
  }
  if (all_have_come) absl::StrAppend(&message, "; all have come, but their data has not: is the network slow or down?");
  absl::StrAppend(&message, "; the collective timeout is the longest that a device may wait");
  return absl::DeadlineExceededError(message);
}

}  // namespace transport
}  // namespace xla
