#include "tools/views/split_input.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace xla {
namespace {

constexpr absl::string_view kSeparator = "// -----";

bool HoldsNothing(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return line.empty() || absl::StartsWith(line, "//");
}

}  // namespace

std::vector<std::string> SplitInput(absl::string_view text) {
  std::vector<std::string> parts;
  size_t lines = 0;  // before the current one
  std::string part;
  bool holds_something = false;
  const auto finish = [&] {
    if (holds_something) parts.push_back(part);
    part.assign(lines, '\n');
    holds_something = false;
  };
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const absl::string_view line = text.substr(0, newline == absl::string_view::npos ? text.size() : newline + 1);
    text.remove_prefix(line.size());
    ++lines;
    if (absl::StartsWith(line, kSeparator)) {
      finish();
      continue;
    }
    part.append(line.data(), line.size());
    holds_something |= !HoldsNothing(line);
  }
  finish();
  return parts;
}

}  // namespace xla
