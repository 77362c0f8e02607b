#include "xla_core/text/parser.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/literal_parser.h"
#include "xla_core/text/log_headers.h"
#include "xla_core/text/mesh_text.h"
#include "xla_core/text/module_parser.h"
#include "xla_core/text/sharding_text.h"
#include "xla_core/text/window_text.h"

namespace xla {
namespace {

constexpr absl::string_view kSeparator = "// -----";

MissingLayout MissingLayoutOf(const ParseOptions& options) {
  return options.fill_missing_layouts ? MissingLayout::kRowMajor : MissingLayout::kLeave;
}

// Reads the module in `part` of `whole`.
absl::StatusOr<std::unique_ptr<HloModule>> ParsePart(absl::string_view whole, absl::string_view part,
                                                     const ParseOptions& options) {
  const ResourceContext resources(options.resources, "reading the program");
  Diagnostics diagnostics(whole, options.file_name, &resources);
  TokenReader reader(part, &diagnostics);
  std::unique_ptr<HloModule> module = ModuleParser(reader, MissingLayoutOf(options)).Parse();
  RETURN_IF_ERROR(diagnostics.ToStatus());
  return module;
}

// The parts of a text between separator lines.
std::vector<absl::string_view> SplitModules(absl::string_view text) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  for (size_t line = 0; line < text.size();) {
    const size_t newline = text.find('\n', line);
    const size_t next = newline == absl::string_view::npos ? text.size() : newline + 1;
    if (text.substr(line, kSeparator.size()) == kSeparator) {
      parts.push_back(text.substr(begin, line - begin));
      begin = next;
    }
    line = next;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Only blanks and comments. A comment that does not end counts as something.
bool IsBlank(absl::string_view part) { return Lexer(part).Next().kind == TokenKind::kEnd; }

// Reads one value that must be the whole text.
template <typename T, typename Parse>
absl::StatusOr<T> ParseWhole(absl::string_view text, absl::string_view file_name, Parse parse) {
  Diagnostics diagnostics(text, std::string(file_name));
  TokenReader reader(text, &diagnostics);
  T value;
  if (parse(reader, &value) && !reader.Is(TokenKind::kEnd)) reader.ErrorExpected("the end of the text");
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseHloModule(absl::string_view text, const ParseOptions& options) {
  const absl::optional<std::string> stripped = options.strip_log_headers ? StripLogHeaders(text) : absl::nullopt;
  if (stripped.has_value()) text = *stripped;
  return ParsePart(text, text, options);
}

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseHloModules(absl::string_view text,
                                                                        const ParseOptions& options) {
  const absl::optional<std::string> stripped = options.strip_log_headers ? StripLogHeaders(text) : absl::nullopt;
  if (stripped.has_value()) text = *stripped;
  std::vector<std::unique_ptr<HloModule>> modules;
  const std::vector<absl::string_view> parts = SplitModules(text);
  for (absl::string_view part : parts) {
    if (parts.size() > 1 && IsBlank(part)) continue;
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParsePart(text, part, options));
    modules.push_back(std::move(module));
  }
  if (modules.empty()) return ParsePart(text, parts.back(), options).status();
  return modules;
}

absl::StatusOr<Shape> ParseShapeText(absl::string_view text) {
  return ParseWhole<Shape>(
      text, "", [](TokenReader& reader, Shape* shape) { return ParseShape(reader, MissingLayout::kLeave, shape); });
}

absl::StatusOr<Literal> ParseLiteralText(absl::string_view text, absl::string_view file_name) {
  using Pointer = std::shared_ptr<const Literal>;
  ASSIGN_OR_RETURN(Pointer literal, ParseWhole<Pointer>(text, file_name, &ParseLiteralWithShape));
  if (literal == nullptr) return absl::InvalidArgumentError("the value is elided ({...}); write all its elements");
  return Literal(*literal);
}

absl::StatusOr<Sharding> ParseShardingText(absl::string_view text) {
  return ParseWhole<Sharding>(text, "", &ParseSharding);
}

absl::StatusOr<ReplicaGroups> ParseReplicaGroupsText(absl::string_view text) {
  return ParseWhole<ReplicaGroups>(text, "", &ParseReplicaGroups);
}

absl::StatusOr<Window> ParseWindowText(absl::string_view text) { return ParseWhole<Window>(text, "", &ParseWindow); }

absl::StatusOr<ConvolutionDimensionNumbers> ParseDimLabelsText(absl::string_view text) {
  return ParseWhole<ConvolutionDimensionNumbers>(text, "", &ParseDimLabels);
}

absl::StatusOr<PaddingConfig> ParsePaddingText(absl::string_view text) {
  return ParseWhole<PaddingConfig>(text, "", &ParsePadding);
}

}  // namespace xla
