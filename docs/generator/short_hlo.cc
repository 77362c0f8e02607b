#include "docs/generator/short_hlo.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr size_t kMostLines = 3;

std::string OpcodeOf(absl::string_view line) {
  // After " = " and the shape: the word before the first parenthesis that is not of a tuple's shape.
  absl::string_view rest = line.substr(line.find(" = ") + 3);
  int depth = 0;
  size_t begin = 0;
  while (begin < rest.size() && (rest[begin] != ' ' || depth > 0)) {
    if (rest[begin] == '(') ++depth;
    if (rest[begin] == ')') --depth;
    ++begin;
  }
  rest.remove_prefix(std::min(begin + 1, rest.size()));
  return std::string(rest.substr(0, rest.find('(')));
}

std::vector<std::string> EntryLines(const HloModule& module) {
  PrintOptions options = PrintOptions::Short();
  options.result_layouts = false;
  std::vector<std::string> lines;
  bool is_inside = false;
  for (absl::string_view line : absl::StrSplit(ModuleToString(module, options), '\n')) {
    if (is_inside && absl::StartsWith(line, "}")) break;
    if (is_inside) lines.emplace_back(absl::StripAsciiWhitespace(line));
    if (absl::StartsWith(line, "ENTRY ")) is_inside = true;
  }
  return lines;
}

// Opcodes in order of appearance, with a count where one occurs several times.
std::string OpcodeList(const std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& line : lines) {
    const std::string opcode = OpcodeOf(line);
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& row) { return row.first == opcode; });
    if (found == counts.end()) {
      counts.emplace_back(opcode, 1);
    } else {
      ++found->second;
    }
  }
  return absl::StrJoin(counts, ", ", [](std::string* out, const auto& row) {
    absl::StrAppend(out, row.second == 1 ? "" : absl::StrCat(row.second, " "), row.first);
  });
}

}  // namespace

std::vector<std::string> ShortHlo(const HloModule& module) {
  std::vector<std::string> lines;
  for (const std::string& line : EntryLines(module)) {
    const std::string opcode = OpcodeOf(line);
    const bool is_result = absl::StartsWith(line, "ROOT ") && opcode == "tuple";
    if (opcode != "parameter" && !is_result) lines.emplace_back(absl::StripPrefix(line, "ROOT "));
  }
  if (lines.size() > kMostLines) return {OpcodeList(lines)};
  return lines;
}

std::string WithHloComments(std::string code, const char* mark, const std::vector<std::string>& hlo) {
  constexpr size_t kWidth = 120;
  const size_t last_line = code.size() - (code.rfind('\n') + 1);
  if (hlo.size() == 1 && last_line + hlo[0].size() + 10 <= kWidth) {
    return absl::StrCat(code, "  ", mark, " HLO: ", hlo[0], "\n");
  }
  code += '\n';
  for (const std::string& line : hlo) absl::StrAppend(&code, mark, " HLO: ", line, "\n");
  return code;
}

}  // namespace xla
