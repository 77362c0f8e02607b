#include "docs/generator/header_reader.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla {
namespace {

constexpr absl::string_view kFamilyMark = "==== ";

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Where the declaration that `text` begins with ends: at its semicolon or at the brace that opens its body; or npos.
size_t EndOfDeclaration(absl::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == ';' || c == '{')) return i;
  }
  return absl::string_view::npos;
}

int BraceBalance(absl::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '{') - std::count(text.begin(), text.end(), '}'));
}

// The declaration as readers want it: one line, without source location and body.
std::string SignatureOf(absl::string_view declaration) {
  std::string text = absl::StrReplaceAll(declaration.substr(0, EndOfDeclaration(declaration)),
                                         {{", SourceLocation loc = SourceLocation::Current()", ""},
                                          {"SourceLocation loc = SourceLocation::Current()", ""}});
  return std::string(absl::StripAsciiWhitespace(text));
}

// The name in front of the parameter list; empty if the declaration is none of a function, of a special one, or one
// that only repeats a member's.
std::string NameOf(absl::string_view signature) {
  const size_t paren = signature.find('(');
  if (paren == absl::string_view::npos || absl::StartsWith(signature, "explicit ") ||
      absl::StartsWith(signature, "using ")) {
    return "";
  }
  if (absl::EndsWith(signature, "= delete") || absl::EndsWith(signature, "= default")) return "";
  size_t begin = paren;
  while (begin > 0 && IsNameCharacter(signature[begin - 1])) --begin;
  const bool has_return_type = begin > 1 && signature[begin - 1] != '~' && signature[begin - 1] != ':';
  return has_return_type ? std::string(signature.substr(begin, paren - begin)) : "";
}

// Whether the line begins, or ends, a namespace like `constants_internal`.
bool IsInternalNamespace(absl::string_view line, absl::string_view beginning) {
  return absl::StartsWith(line, beginning) && absl::StrContains(line, "_internal");
}

class HeaderReader {
 public:
  // Reads a header line by line, without a parser for C++: declarations with the comment above them, outside of
  // private parts and bodies.
  DocHeader Read(absl::string_view text) {
    if (!absl::StrContains(text, kFamilyMark)) header_.families.emplace_back();
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      const absl::string_view stripped = absl::StripAsciiWhitespace(line);
      if (skipped_braces_ > 0) {
        skipped_braces_ += BraceBalance(stripped);
      } else if (line == " private:" || IsInternalNamespace(line, "namespace ")) {
        is_private_ = true;
      } else if (IsInternalNamespace(line, "}") || line == " public:" || absl::StartsWith(line, "};")) {
        is_private_ = false;
      } else if (!is_private_) {
        ReadLine(stripped);
      }
    }
    return std::move(header_);
  }

 private:
  void ReadLine(absl::string_view line) {
    if (line.empty()) {
      EndComment();
    } else if (absl::ConsumePrefix(&line, "//")) {
      absl::ConsumePrefix(&line, " ");
      ReadCommentLine(line);
    } else if (IsTypeOfItsOwn(line)) {
      skipped_braces_ = BraceBalance(line);
      comment_.clear();
    } else if (!declaration_.empty() || IsDeclaration(line)) {
      ReadDeclarationLine(line);
    } else {
      EndComment();
    }
  }

  void ReadCommentLine(absl::string_view line) {
    if (absl::ConsumePrefix(&line, kFamilyMark)) {
      // A sentence after the title begins the family's comment.
      const std::pair<absl::string_view, absl::string_view> title_and_rest =
          absl::StrSplit(line, absl::MaxSplits(". ", 1));
      header_.families.push_back({std::string(title_and_rest.first), {}, {}});
      family_comment_is_open_ = true;
      comment_.clear();
      if (!title_and_rest.second.empty()) comment_.emplace_back(title_and_rest.second);
    } else {
      may_join_ = false;
      comment_.emplace_back(line);
    }
  }

  // An empty line: the comment so far belongs to the file or to the family, not to a declaration.
  void EndComment() {
    may_join_ = false;
    if (!comment_.empty() && !top_is_read_) header_.comment = ParseDocComment(comment_);
    if (!comment_.empty() && family_comment_is_open_) header_.families.back().comment = ParseDocComment(comment_);
    if (!comment_.empty()) family_comment_is_open_ = false;
    top_is_read_ = top_is_read_ || !comment_.empty();
    comment_.clear();
  }

  // A class or struct beside the functions, which is left out. (The builder's own class is met before its families.)
  bool IsTypeOfItsOwn(absl::string_view line) const {
    return !header_.families.empty() && absl::EndsWith(line, "{") &&
           (absl::StartsWith(line, "class ") || absl::StartsWith(line, "struct "));
  }

  bool IsDeclaration(absl::string_view line) const {
    return !header_.families.empty() && line[0] != '#' && line[0] != '}' && !absl::StartsWith(line, "class ") &&
           !absl::StartsWith(line, "struct ") && !absl::StartsWith(line, "namespace ") &&
           !absl::StartsWith(line, "friend ");
  }

  void ReadDeclarationLine(absl::string_view line) {
    absl::StrAppend(&declaration_, declaration_.empty() ? "" : " ", line);
    if (EndOfDeclaration(declaration_) == std::string::npos) return;
    skipped_braces_ = BraceBalance(declaration_);
    AddDeclaration(SignatureOf(declaration_));
    declaration_.clear();
    comment_.clear();
    family_comment_is_open_ = false;
  }

  void AddDeclaration(std::string signature) {
    const std::string name = NameOf(signature);
    if (name.empty()) return;
    std::vector<DocEntry>& entries = header_.families.back().entries;
    const bool is_overload = !entries.empty() && entries.back().names.back() == name;
    if (!is_overload && !(may_join_ && !entries.empty())) entries.emplace_back();
    DocEntry& entry = entries.back();
    if (!absl::c_linear_search(entry.names, name)) entry.names.push_back(name);
    entry.signatures.push_back(std::move(signature));
    if (!comment_.empty()) entry.comments.push_back(ParseDocComment(comment_));
    may_join_ = true;
  }

  DocHeader header_;
  std::vector<std::string> comment_;
  std::string declaration_;
  int skipped_braces_ = 0;
  bool is_private_ = false;
  bool top_is_read_ = false;
  bool family_comment_is_open_ = false;
  bool may_join_ = false;  // the last line ended a declaration
};

}  // namespace

DocHeader ReadHeader(absl::string_view text) { return HeaderReader().Read(text); }

}  // namespace xla
