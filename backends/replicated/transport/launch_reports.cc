// What the coordinator is told of the devices of a launch.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/greeting.h"
#include "backends/replicated/transport/launch_parts.h"
#include "backends/replicated/transport/process_collectives.h"

namespace xla {
namespace transport {
namespace {

// Who waits longer is worth a report.
constexpr absl::Duration kLongWait = absl::Milliseconds(50);
constexpr absl::Duration kPartialReportInterval = absl::Milliseconds(500);
// Reports of programs with more series than that leave out how often devices have come to them, so that deadlocks of
// such a program are found by the timeout.
constexpr size_t kMaxReportedSeries = 50000;

}  // namespace

std::string LaunchMeetings::NameDevice(int64_t device) const {
  if (partitions_ == 1) return absl::StrCat("replica ", device);
  return absl::StrCat("replica ", device / partitions_, " partition ", device % partitions_);
}

DeviceState LaunchMeetings::StateOf(int64_t device) const {
  DeviceState state;
  state.set_device(device);
  state.set_name(NameDevice(device));
  const Device& d = devices_[device];
  if (d.has_ended) {
    state.set_state(DeviceState::ENDED);
  } else if (d.wait.part != nullptr) {
    const Part& part = *d.wait.part;
    const CollectiveCall& call = part.call();
    state.set_state(DeviceState::WAITS);
    const std::string name = call.instruction == nullptr ? "send" : call.instruction->name();
    state.set_at(absl::StrCat(name, " ", DescribeShapes(part.receives() ? call.results : call.operands)));
    const std::string full = part.receives() ? DescribeReceive(*call.instruction, call.group[0], call.channel)
                                             : DescribeMeeting(*call.instruction, call.group);
    state.set_with(full.substr(name.size()));
    state.set_series(part.series().hash);
    state.set_sequence(part.meeting->sequence);
    for (const int64_t member : call.group) state.add_group(member);
  }
  return state;
}

absl::optional<Report> LaunchMeetings::TakeReport() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!has_changed_ || !failure_.ok()) return absl::nullopt;
  const absl::Time now = absl::Now();
  std::vector<bool> runs(devices_.size());
  bool some_run = false, some_wait_long = false, all_have_ended = true;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const Device& device = devices_[d];
    if (!device.is_here || device.has_ended) continue;
    all_have_ended = false;
    runs[d] = device.wait.part == nullptr || now - device.wait.since < kLongWait;
    (runs[d] ? some_run : some_wait_long) = true;
  }
  if (!some_wait_long && !all_have_ended) return absl::nullopt;
  if (some_run && now < next_partial_report_) return absl::nullopt;
  Report report;
  report.set_launch(launch_id_);
  for (size_t d = 0; d < devices_.size(); ++d) {
    if (!devices_[d].is_here) continue;
    DeviceState& state = *report.add_device() = StateOf(static_cast<int64_t>(d));
    if (runs[d]) state.set_state(DeviceState::RUNS);
  }
  // While some run, it tells no more than where the others wait.
  has_changed_ = some_run;
  next_partial_report_ = now + kPartialReportInterval;
  if (some_run || series_.size() > kMaxReportedSeries) return report;
  report.set_stuck(true);
  for (const auto& [key, series] : series_) {
    for (size_t m = 0; m < series->group.size(); ++m) {
      if (series->calls[m] == 0) continue;
      Report::Calls& calls = *report.add_calls();
      calls.set_series(series->hash);
      calls.set_device(series->group[m]);
      calls.set_count(series->calls[m]);
    }
  }
  return report;
}

}  // namespace transport
}  // namespace xla
