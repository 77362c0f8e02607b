#include "tools/testing/command_line.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/shared/exit_codes.h"

namespace xla {

absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table) {
  const auto others = table.Parse(absl::MakeConstSpan(argv + 1, argc - 1));
  if (!others.ok()) return BadUsage(program, others.status().message());
  if (table.help_topic().has_value()) {
    std::printf("%s\n%s", table.Help("")->c_str(), table.Help("flags")->c_str());
    return kExitFine;
  }
  if (others->empty()) return absl::nullopt;
  return BadUsage(program, absl::StrCat("unexpected argument '", (*others)[0], "'; --help lists the flags"));
}

int BadUsage(absl::string_view program, absl::string_view message) {
  std::fprintf(stderr, "%s: %s\n", std::string(program).c_str(), std::string(message).c_str());
  return kExitBadUsage;
}

}  // namespace xla
