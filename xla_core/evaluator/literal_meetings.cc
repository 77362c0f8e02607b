#include "xla_core/evaluator/literal_meetings.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct Literals : Rendezvous::Contribution {
  explicit Literals(std::vector<Literal> brought)
      : values(std::make_shared<const std::vector<Literal>>(std::move(brought))) {}

  const std::shared_ptr<const std::vector<Literal>> values;
  // With the first member: what is wrong with the meeting, as the last to come has found.
  absl::Status verdict;
};

Literals& BroughtBy(const Rendezvous::Meeting& meeting, size_t position) {
  return static_cast<Literals&>(*meeting.contributions()[position]);
}

absl::Status CheckMeeting(const HloInstruction& instruction, const Rendezvous::Meeting& meeting) {
  std::vector<std::vector<const Shape*>> shapes(meeting.group().size());
  for (size_t m = 0; m < shapes.size(); ++m) {
    for (const Literal& value : *BroughtBy(meeting, m).values) shapes[m].push_back(&value.shape());
  }
  return CheckSameShapes(instruction, meeting.group(), shapes);
}

}  // namespace

absl::Status CheckSameShapes(const HloInstruction& instruction, absl::Span<const int64_t> group,
                             const std::vector<std::vector<const Shape*>>& shapes) {
  const auto same = [](const Shape* a, const Shape* b) { return a->Compatible(*b); };
  for (size_t m = 1; m < shapes.size(); ++m) {
    if (std::equal(shapes[0].begin(), shapes[0].end(), shapes[m].begin(), shapes[m].end(), same)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(instruction.name(), ": devices ", group[0], " and ", group[m],
                     " meet on one channel with operands of different shapes; do they run the same program?"));
  }
  return absl::OkStatus();
}

// Collects the contributions of all devices of a group to one collective, and returns them, in order of the group, to
// each. The last to arrive compares them and wakes the others.
absl::StatusOr<Contributions> LiteralMeetings::Exchange(int64_t device, const HloInstruction& instruction,
                                                        absl::Span<const int64_t> group, std::vector<Literal> mine,
                                                        absl::FunctionRef<absl::Status()> check) {
  const Rendezvous::Series series = SeriesOf(instruction, std::vector<int64_t>(group.begin(), group.end()));
  const int64_t position = std::find(group.begin(), group.end(), device) - group.begin();
  ASSIGN_OR_RETURN(const Rendezvous::Attendance attendance,
                   rendezvous_.Come(series, position, std::make_shared<Literals>(std::move(mine))));
  Rendezvous::Meeting& meeting = *attendance.meeting;
  if (attendance.is_last) {
    BroughtBy(meeting, 0).verdict = CheckMeeting(instruction, meeting);
    rendezvous_.End(meeting);
  }
  RETURN_IF_ERROR(rendezvous_.Await(
      device, meeting, [&] { return DescribeMeeting(instruction, meeting.group()); }, check));
  RETURN_IF_ERROR(BroughtBy(meeting, 0).verdict);
  Contributions contributions;
  for (size_t m = 0; m < group.size(); ++m) contributions.push_back(BroughtBy(meeting, m).values);
  return contributions;
}

absl::Status LiteralMeetings::Send(int64_t device, int64_t to, int64_t channel, Literal value) {
  std::vector<Literal> values;
  values.push_back(std::move(value));
  ASSIGN_OR_RETURN(const Rendezvous::Attendance attendance,
                   rendezvous_.Come(SeriesOfTransfers(channel, device, to), /*position=*/0,
                                    std::make_shared<Literals>(std::move(values))));
  if (attendance.is_last) rendezvous_.End(*attendance.meeting);
  return absl::OkStatus();
}

absl::StatusOr<Literal> LiteralMeetings::Receive(int64_t device, int64_t from, int64_t channel,
                                                 const HloInstruction& instruction,
                                                 absl::FunctionRef<absl::Status()> check) {
  ASSIGN_OR_RETURN(const Rendezvous::Attendance attendance,
                   rendezvous_.Come(SeriesOfTransfers(channel, from, device), /*position=*/1,
                                    std::make_shared<Literals>(std::vector<Literal>())));
  if (attendance.is_last) rendezvous_.End(*attendance.meeting);
  RETURN_IF_ERROR(rendezvous_.Await(
      device, *attendance.meeting, [&] { return DescribeReceive(instruction, from, channel); }, check));
  return BroughtBy(*attendance.meeting, 0).values->front();
}

}  // namespace xla
