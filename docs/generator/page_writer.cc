#include "docs/generator/page_writer.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "docs/generator/markdown_text.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace {

constexpr absl::string_view kOwnOpcode = "the opcode of the same name";

// The field of the entry's own comments, those of overloads one after the other.
std::string OwnFieldOf(const DocEntry& entry, absl::string_view name) {
  std::vector<std::string> own;
  for (const DocComment& comment : entry.comments) {
    const std::string* text = comment.Find(name);
    if (text != nullptr && absl::c_find(own, *text) == own.end()) own.push_back(*text);
  }
  return absl::StrJoin(own, "; ");
}

// The same, or else the field of the family.
std::string FieldOf(const DocFamily& family, const DocEntry& entry, absl::string_view name) {
  std::string own = OwnFieldOf(entry, name);
  if (!own.empty()) return own;
  const std::string* inherited = family.comment.Find(name);
  return inherited == nullptr ? "" : *inherited;
}

// Opcodes of an entry in words; "the opcode of the same name" is looked up for each name.
std::string OpcodesOf(const DocFamily& family, const DocEntry& entry) {
  std::string text = FieldOf(family, entry, "HLO");
  if (!absl::StartsWith(text, kOwnOpcode)) return text;
  return absl::StrJoin(entry.names, ", ",
                       [](std::string* out, const std::string& name) { absl::StrAppend(out, OpcodeNameOf(name)); });
}

// Whether the entry is of operations, not of what else a builder can do.
bool ReturnsOp(const DocEntry& entry) {
  for (const std::string& signature : entry.signatures) {
    if (absl::StartsWith(signature, "XlaOp ") || absl::StrContains(signature, "> XlaOp ")) return true;
  }
  return false;
}

std::string HeadingOf(const DocEntry& entry) { return absl::StrJoin(entry.names, ", "); }

std::string LinkTo(const std::string& text, const std::string& heading) {
  return absl::StrCat("[", text, "](#", HeadingAnchor(heading), ")");
}

// The result, a comment, follows the code where it fits.
std::string CodeWithResult(absl::string_view code, absl::string_view result) {
  constexpr size_t kWidth = 120;
  const bool has_one_line = absl::c_count(result, '\n') == 1 && !absl::StrContains(code, "\n");
  const bool fits = has_one_line && code.size() + 2 + result.size() <= kWidth;
  return absl::StrCat(code, fits ? "  " : "\n", result);
}

class PageWriter {
 public:
  PageWriter(const std::vector<DocFamily>& families, const ShownExamples& examples)
      : families_(families), examples_(examples) {}

  std::string Write(absl::string_view title, absl::string_view opening, const DocComment& comment) {
    absl::StrAppend(&page_, "# ", title, "\n\n", opening);
    WriteParagraphs(comment);
    absl::StrAppend(&page_, "\n## Index\n\n");
    for (const DocFamily& family : families_) WriteIndexOf(family);
    for (const DocFamily& family : families_) WriteFamily(family);
    return std::move(page_);
  }

 private:
  void WriteIndexOf(const DocFamily& family) {
    if (family.entries.empty()) return;
    std::vector<std::string> links;
    for (const DocEntry& entry : family.entries) {
      for (const std::string& name : entry.names) links.push_back(LinkTo(name, HeadingOf(entry)));
    }
    absl::StrAppend(&page_, "- **", LinkTo(family.title, family.title), "**: ", absl::StrJoin(links, ", "), "\n");
  }

  void WriteFamily(const DocFamily& family) {
    if (family.entries.empty()) return;
    absl::StrAppend(&page_, "\n## ", family.title, "\n");
    WriteParagraphs(family.comment);
    if (!family.comment.fields.empty()) absl::StrAppend(&page_, "\n");
    for (const DocField& field : family.comment.fields) {
      if (field.name != "Example") WriteField(field.name, MarkdownProse(field.text));
    }
    const DocEntry* previous = nullptr;
    for (const DocEntry& entry : family.entries) {
      WriteEntry(family, entry, previous);
      previous = &entry;
    }
  }

  void WriteEntry(const DocFamily& family, const DocEntry& entry, const DocEntry* previous) {
    absl::StrAppend(&page_, "\n### ", HeadingOf(entry), "\n\n```c++\n");
    for (const std::string& signature : entry.signatures) absl::StrAppend(&page_, WrapCode(signature), "\n");
    WriteExamples(entry);
    absl::StrAppend(&page_, "```\n");
    for (const DocComment& comment : entry.comments) WriteParagraphs(comment);
    WriteReference(entry, previous);
    WriteFields(family, entry);
  }

  void WriteParagraphs(const DocComment& comment) {
    for (const DocComment::Paragraph& paragraph : comment.paragraphs) {
      if (paragraph.is_preformatted) {
        absl::StrAppend(&page_, "\n```c++\n", paragraph.text, "\n```\n");
      } else {
        absl::StrAppend(&page_, "\n", MarkdownProse(paragraph.text), "\n");
      }
    }
  }

  // Comments that go on from the one above say so to who reads the header; here a link does.
  void WriteReference(const DocEntry& entry, const DocEntry* previous) {
    if (previous == nullptr || entry.comments.empty() || entry.comments[0].paragraphs.empty()) return;
    const std::string& text = entry.comments[0].paragraphs[0].text;
    for (absl::string_view beginning :
         {"The same for", "The same under", "The same bit by bit", "The same in the order",
          "The same from", "The same with", "With ", "Their ", "In the total", "... "}) {
      if (!absl::StartsWith(text, beginning)) continue;
      absl::StrAppend(&page_, "See also ", LinkTo(HeadingOf(*previous), HeadingOf(*previous)), ".\n");
      return;
    }
  }

  // In one paragraph. What the family says for all its entries is not repeated.
  void WriteFields(const DocFamily& family, const DocEntry& entry) {
    std::vector<std::string> fields;
    const auto add = [&](absl::string_view name, const std::string& text) {
      if (text.empty()) return;
      const bool has_stop = absl::EndsWith(text, ".") || absl::EndsWith(text, "...");
      fields.push_back(absl::StrCat("*", name, "*: ", text, has_stop ? "" : "."));
    };
    for (const DocComment& comment : entry.comments) {
      for (const DocField& field : comment.fields) {
        if (absl::ascii_islower(field.name[0])) add(field.name, MarkdownProse(field.text));
      }
    }
    add("Element types", MarkdownProse(OwnFieldOf(entry, "T")));
    add("Shapes", MarkdownProse(OwnFieldOf(entry, "Shapes")));
    add("Errors", MarkdownProse(OwnFieldOf(entry, "Errors")));
    add("HLO", MarkdownOpcodes(OpcodesOf(family, entry)));
    for (const DocComment& comment : entry.comments) {
      if (const std::string* source = comment.Find("Source")) add("Source", MarkdownProse(*source));
    }
    if (fields.empty()) return;
    // The block of code needs an empty line after it; a paragraph goes on.
    if (absl::EndsWith(page_, "```\n")) absl::StrAppend(&page_, "\n");
    absl::StrAppend(&page_, absl::StrJoin(fields, " "), "\n");
  }

  void WriteField(absl::string_view name, absl::string_view text) {
    if (!text.empty()) absl::StrAppend(&page_, "- **", name, "**: ", text, "\n");
  }

  // Below the signatures, in their block.
  void WriteExamples(const DocEntry& entry) {
    bool is_shown = false;
    for (const std::string& name : entry.names) {
      const auto found = examples_.find(name);
      if (found == examples_.end()) continue;
      for (const ShownExample& example : found->second) {
        is_shown = true;
        absl::StrAppend(&page_, CodeWithResult(example.code, example.result));
      }
    }
    if (is_shown) return;
    for (const DocComment& comment : entry.comments) {
      if (const std::string* text = comment.Find("Example")) absl::StrAppend(&page_, *text, "\n");
    }
  }

  const std::vector<DocFamily>& families_;
  const ShownExamples& examples_;
  std::string page_;
};

}  // namespace

std::string WritePage(absl::string_view title, absl::string_view opening, const DocHeader& header,
                      const ShownExamples& examples) {
  return PageWriter(header.families, examples).Write(title, opening, header.comment);
}

// Functions without an example, and those whose HLO operation is not known: the reference page must be complete.
std::vector<std::string> FindGaps(const std::vector<DocFamily>& families, const ShownExamples& examples) {
  std::vector<std::string> gaps;
  for (const DocFamily& family : families) {
    for (const DocEntry& entry : family.entries) {
      bool has_example = !ReturnsOp(entry);
      for (const std::string& name : entry.names) has_example = has_example || examples.count(name) != 0;
      if (!has_example) gaps.push_back(absl::StrCat(HeadingOf(entry), " has no example"));
      if (!absl::StartsWith(FieldOf(family, entry, "HLO"), kOwnOpcode)) continue;
      for (const std::string& name : entry.names) {
        if (HloOpcodeFromName(OpcodeNameOf(name))) continue;
        gaps.push_back(
            absl::StrCat(name, ": there is no opcode ", OpcodeNameOf(name), "; say in its comment which it is"));
      }
    }
  }
  return gaps;
}

}  // namespace xla
