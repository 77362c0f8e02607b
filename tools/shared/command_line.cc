#include "tools/shared/command_line.h"

#include <cstdio>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/shared/exit_codes.h"

namespace xla {
namespace {

int Print(const std::string& text) {
  std::printf("%s", text.c_str());
  return kExitFine;
}

int PrintHelp(absl::string_view program, const FlagTable& table) {
  const std::string& topic = *table.help_topic();
  const absl::StatusOr<std::string> help = table.Help(topic);
  if (!help.ok()) return BadUsage(program, help.status().message());
  const std::vector<std::string> topics = table.topics();
  if (!topic.empty() || topics.size() != 1) return Print(*help);
  return Print(absl::StrCat(*help, "\n", *table.Help(topics[0])));
}

}  // namespace

absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table,
                                    std::vector<std::string>* others) {
  absl::StatusOr<std::vector<std::string>> rest = table.Parse(absl::MakeConstSpan(argv + 1, argc - 1));
  if (!rest.ok()) return BadUsage(program, rest.status().message());
  if (table.help_topic().has_value()) return PrintHelp(program, table);
  if (table.version_asked()) return Print(table.version_text());
  *others = *std::move(rest);
  return absl::nullopt;
}

absl::optional<int> ReadCommandLine(absl::string_view program, int argc, char** argv, FlagTable& table) {
  std::vector<std::string> others;
  const absl::optional<int> ended = ReadCommandLine(program, argc, argv, table, &others);
  if (ended.has_value() || others.empty()) return ended;
  return BadUsage(program, absl::StrCat("unexpected argument '", others[0], "'; --help lists the flags"));
}

int BadUsage(absl::string_view program, absl::string_view message) {
  std::fprintf(stderr, "%s: %s\n", std::string(program).c_str(), std::string(message).c_str());
  return kExitBadUsage;
}

}  // namespace xla
