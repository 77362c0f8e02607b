#include "docs/generator/doc_comment.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace {

bool IsCapitalField(absl::string_view name) {
  return name == "Shapes" || name == "Errors" || name == "Example" || name == "HLO" || name == "T" || name == "Source";
}

// A parameter's name, or one of the fields; "Errors, for all" is Errors.
std::string FieldName(absl::string_view text) {
  if (absl::StartsWith(text, "Errors")) return "Errors";
  if (IsCapitalField(text)) return std::string(text);
  const bool is_parameter = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || c == '_';
  });
  return is_parameter ? std::string(text) : "";
}

// "  Name: text" as a field; one without a name if the line is none.
DocField FieldOf(absl::string_view line) {
  const size_t colon = line.find(": ");
  if (absl::StartsWith(line, "Errors: ")) return {"Errors", std::string(line.substr(colon + 2))};
  if (!absl::StartsWith(line, "  ") || absl::StartsWith(line, "   ") || colon == absl::string_view::npos) return {};
  return {FieldName(line.substr(2, colon - 2)), std::string(line.substr(colon + 2))};
}

std::string WithoutFullStop(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::EndsWith(text, ".") && !absl::EndsWith(text, "..")) text.remove_suffix(1);
  return std::string(text);
}

// Where the first sentence "KEY: ..." of the prose begins, for one of the fields that stand there; or npos.
size_t FindInlineField(absl::string_view prose, size_t from) {
  size_t best = absl::string_view::npos;
  for (absl::string_view key : {"Shapes: ", "T: ", "HLO: ", "Errors: "}) {
    for (size_t at = prose.find(key, from); at != absl::string_view::npos; at = prose.find(key, at + 1)) {
      if (at != 0 && !absl::EndsWith(prose.substr(0, at), ". ")) continue;
      best = std::min(best, at);
      break;
    }
  }
  return best;
}

// Takes fields out of a paragraph. Element types end with their sentence, the others where the next field begins.
void ExtractInlineFields(DocComment& comment, std::string& prose) {
  for (size_t at = FindInlineField(prose, 0); at != std::string::npos; at = FindInlineField(prose, at)) {
    const size_t colon = prose.find(": ", at);
    std::string name = prose.substr(at, colon - at);
    size_t end = std::min(FindInlineField(prose, colon), prose.size());
    if (name == "T") {
      const size_t stop = prose.find(". ", colon);
      if (stop != std::string::npos) end = std::min(end, stop + 2);
    }
    comment.fields.push_back({std::move(name), WithoutFullStop(prose.substr(colon + 2, end - colon - 2))});
    prose.erase(at, end - at);
  }
  prose = std::string(absl::StripAsciiWhitespace(prose));
}

void AppendWords(std::string& text, absl::string_view words) {
  absl::StrAppend(&text, text.empty() ? "" : " ", absl::StripAsciiWhitespace(words));
}

}  // namespace

const std::string* DocComment::Find(absl::string_view name) const {
  for (const DocField& field : fields) {
    if (field.name == name) return &field.text;
  }
  return nullptr;
}

// A comment by paragraphs: prose, preformatted text (lines that begin with blanks), and fields such as `HLO:`, which
// continue on lines with blanks in front.
DocComment ParseDocComment(const std::vector<std::string>& lines) {
  DocComment comment;
  enum { kNothing, kProse, kField, kPreformatted } inside = kNothing;
  for (const std::string& line : lines) {
    DocField field = FieldOf(line);
    if (line.empty()) {
      inside = kNothing;
    } else if (!field.name.empty()) {
      comment.fields.push_back(std::move(field));
      inside = kField;
    } else if (inside == kField && line[0] == ' ') {
      AppendWords(comment.fields.back().text, line);
    } else if (line[0] == ' ') {
      if (inside != kPreformatted) comment.paragraphs.push_back({"", true});
      absl::StrAppend(&comment.paragraphs.back().text, inside == kPreformatted ? "\n" : "", line.substr(2));
      inside = kPreformatted;
    } else {
      if (inside != kProse) comment.paragraphs.push_back({"", false});
      AppendWords(comment.paragraphs.back().text, line);
      inside = kProse;
    }
  }
  for (DocField& field : comment.fields) field.text = WithoutFullStop(field.text);
  for (DocComment::Paragraph& paragraph : comment.paragraphs) {
    if (!paragraph.is_preformatted) ExtractInlineFields(comment, paragraph.text);
  }
  comment.paragraphs.erase(std::remove_if(comment.paragraphs.begin(), comment.paragraphs.end(),
                                          [](const auto& paragraph) { return paragraph.text.empty(); }),
                           comment.paragraphs.end());
  return comment;
}

}  // namespace xla
