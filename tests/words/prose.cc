#include "tests/words/prose.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xla {
namespace {

namespace fs = std::filesystem;

bool HasEnding(absl::string_view path, std::initializer_list<absl::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](absl::string_view ending) { return absl::EndsWith(path, ending); });
}

// Joins what follows each other.
class Collector {
 public:
  void Add(Prose::Kind kind, int line, absl::string_view text) {
    if (kind != Prose::Kind::kString) text = absl::StripAsciiWhitespace(text);
    const bool joins = !prose_.empty() && kind == prose_.back().kind && line <= last_line_ + 1 && !is_closed_;
    if (joins) {
      absl::StrAppend(&prose_.back().text, kind == Prose::Kind::kString ? "" : " ", text);
    } else {
      prose_.push_back({kind, line, std::string(text)});
    }
    last_line_ = line;
    is_closed_ = false;
  }
  // What comes next is not joined with what came before.
  void Close() { is_closed_ = true; }
  std::vector<Prose> Take() { return std::move(prose_); }

 private:
  std::vector<Prose> prose_;
  int last_line_ = -1;
  bool is_closed_ = true;
};

// Comments that begin with two slashes, and strings. A string ends with its line at the latest, so that an apostrophe
// that is none hides no more than that.
class SlashReader {
 public:
  explicit SlashReader(absl::string_view text) : text_(text) {}

  std::vector<Prose> Read() {
    while (position_ < text_.size()) ReadNext();
    return collector_.Take();
  }

 private:
  bool At(absl::string_view token) const { return absl::StartsWith(text_.substr(position_), token); }

  void ReadNext() {
    const char c = text_[position_];
    if (At("//")) {
      ReadComment();
    } else if (At("/*")) {
      ReadBlockComment();
    } else if (At("R\"")) {
      SkipRawString();
    } else if (c == '"' || c == '\'') {
      ReadString(c);
    } else {
      if (c == '\n') ++line_;
      if (!absl::ascii_isspace(c)) collector_.Close();
      ++position_;
    }
  }

  void ReadComment() {
    const size_t end = std::min(text_.find('\n', position_), text_.size());
    absl::string_view comment = text_.substr(position_, end - position_);
    while (absl::StartsWith(comment, "/")) comment.remove_prefix(1);
    collector_.Add(Prose::Kind::kComment, line_, comment);
    position_ = end;
  }

  void ReadBlockComment() {
    const size_t end = std::min(text_.find("*/", position_ + 2), text_.size());
    for (absl::string_view row : absl::StrSplit(text_.substr(position_ + 2, end - position_ - 2), '\n')) {
      row = absl::StripAsciiWhitespace(row);
      absl::ConsumePrefix(&row, "*");
      if (row.empty()) collector_.Close();
      if (!row.empty()) collector_.Add(Prose::Kind::kComment, line_, row);
      ++line_;
    }
    --line_;
    position_ = std::min(end + 2, text_.size());
  }

  void SkipRawString() {
    collector_.Close();
    const size_t open = text_.find('(', position_);
    if (open == absl::string_view::npos) {
      position_ = text_.size();
      return;
    }
    const std::string close = absl::StrCat(")", text_.substr(position_ + 2, open - position_ - 2), "\"");
    const size_t end = std::min(text_.find(close, open), text_.size() - 1);
    line_ += static_cast<int>(std::count(text_.begin() + position_, text_.begin() + end, '\n'));
    position_ = std::min(end + close.size(), text_.size());
  }

  void ReadString(char quote) {
    size_t end = position_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, text_.size());
    if (quote == '"') {
      collector_.Add(Prose::Kind::kString, line_, text_.substr(position_ + 1, end - position_ - 1));
    } else {
      collector_.Close();
    }
    position_ = end < text_.size() && text_[end] == quote ? end + 1 : end;
  }

  absl::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  Collector collector_;
};

std::vector<Prose> HashComments(absl::string_view text) {
  Collector collector;
  int line = 0;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    ++line;
    row = absl::StripAsciiWhitespace(row);
    if (absl::StartsWith(row, "#") && !absl::StartsWith(row, "#!")) {
      collector.Add(Prose::Kind::kComment, line, row.substr(row.find_first_not_of('#') == absl::string_view::npos
                                                                ? row.size()
                                                                : row.find_first_not_of('#')));
    }
  }
  return collector.Take();
}

std::vector<Prose> MarkdownParagraphs(absl::string_view text) {
  Collector collector;
  int line = 0;
  bool is_code = false;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    ++line;
    const bool is_fence = absl::StartsWith(absl::StripLeadingAsciiWhitespace(row), "```");
    if (is_fence) is_code = !is_code;
    const bool stands_alone = absl::StartsWith(row, "|") || absl::StartsWith(row, "#");
    if (row.empty() || stands_alone || is_fence) collector.Close();
    if (!row.empty() && !is_code && !is_fence) collector.Add(Prose::Kind::kMarkdown, line, row);
    if (stands_alone) collector.Close();
  }
  return collector.Take();
}

std::vector<Prose> TitlesOfCases(absl::string_view text) {
  std::vector<Prose> titles;
  int line = 0;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    ++line;
    if (absl::ConsumePrefix(&row, "// CASE ")) titles.push_back({Prose::Kind::kComment, line, std::string(row)});
  }
  return titles;
}

}  // namespace

std::vector<Prose> ProseOf(absl::string_view path, absl::string_view content) {
  if (HasEnding(path, {".cc", ".h", ".c", ".inc", ".def", ".js", ".mjs", ".ts", ".mts", ".proto"})) {
    return SlashReader(content).Read();
  }
  if (HasEnding(path, {".bazel", ".bzl", ".sh", ".py", ".BUILD", ".ci/run", ".bazelrc"})) return HashComments(content);
  if (HasEnding(path, {".md"})) return MarkdownParagraphs(content);
  if (HasEnding(path, {".hlo"}) && absl::StrContains(path, "/cases/")) return TitlesOfCases(content);
  return {};
}

std::vector<std::string> SourceTree(const std::string& root) {
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden = absl::StartsWith(name, ".") && name != ".ci" && name != ".bazelrc";
    if (is_hidden || absl::StartsWith(name, "bazel-") || name == "node_modules") {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back(entry->path().lexically_relative(root).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace xla
