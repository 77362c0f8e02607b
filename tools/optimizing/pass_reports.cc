#include "tools/optimizing/pass_reports.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace xla {
namespace {

constexpr int kNameWidth = 36;

// All runs of one pass, or the rounds of a group.
struct Sum {
  std::string name;
  int64_t runs = 0;
  int64_t changed = 0;
  int64_t added = 0;  // instructions; negative: removed
  int rounds = 0;
  absl::Duration time;
  RewriteCounts rewrites;
};

Sum& SumOf(const std::string& name, std::vector<Sum>& sums) {
  for (Sum& sum : sums) {
    if (sum.name == name) return sum;
  }
  sums.emplace_back();
  sums.back().name = name;
  return sums.back();
}

void Add(const PassRecord& record, Sum& sum) {
  ++sum.runs;
  sum.changed += record.changed ? 1 : 0;
  sum.added += record.instructions_after - record.instructions_before;
  sum.rounds = std::max(sum.rounds, record.round + 1);
  sum.time += record.time;
  for (const auto& [rule, count] : record.rewrites) sum.rewrites[rule] += count;
}

std::vector<Sum> ByPass(absl::Span<const PassRecord> records) {
  std::vector<Sum> sums;
  for (const PassRecord& record : records) Add(record, SumOf(record.pass, sums));
  return sums;
}

std::string Milliseconds(absl::Duration time) { return absl::StrFormat("%.2f ms", absl::ToDoubleMilliseconds(time)); }

}  // namespace

std::string StatsTable(absl::Span<const PassRecord> records) {
  std::string text = absl::StrFormat("%-*s  runs  changed  instructions\n", kNameWidth, "pass");
  for (const Sum& sum : ByPass(records)) {
    absl::StrAppendFormat(&text, "%-*s %5d  %7d  %+12d\n", kNameWidth, sum.name, sum.runs, sum.changed, sum.added);
    for (const auto& [rule, count] : sum.rewrites) {
      absl::StrAppendFormat(&text, "  %-*s %d\n", kNameWidth - 2, rule, count);
    }
  }
  std::vector<Sum> groups;
  for (const PassRecord& record : records) {
    if (!record.group.empty()) Add(record, SumOf(record.group, groups));
  }
  for (const Sum& sum : groups) {
    absl::StrAppendFormat(&text, "group %-*s %5d  %7d  %+12d  in %d rounds\n", kNameWidth - 6, sum.name, sum.runs,
                          sum.changed, sum.added, sum.rounds);
  }
  if (records.empty()) return text;
  absl::StrAppendFormat(&text, "all: %d instructions before, %d after\n", records.front().instructions_before,
                        records.back().instructions_after);
  return text;
}

std::string TimeTable(absl::Span<const PassRecord> records) {
  std::vector<Sum> sums = ByPass(records);
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.time > b.time; });
  absl::Duration total;
  for (const Sum& sum : sums) total += sum.time;
  std::string text = absl::StrFormat("%-*s          time  share  runs\n", kNameWidth, "pass");
  for (const Sum& sum : sums) {
    const double share = total == absl::ZeroDuration() ? 0 : absl::FDivDuration(sum.time, total);
    absl::StrAppendFormat(&text, "%-*s %13s %5.1f%% %5d\n", kNameWidth, sum.name, Milliseconds(sum.time), 100 * share,
                          sum.runs);
  }
  absl::StrAppendFormat(&text, "%-*s %13s\n", kNameWidth, "all", Milliseconds(total));
  return text;
}

}  // namespace xla
