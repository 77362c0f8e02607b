#include "docs/generator/page_writer.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "docs/generator/markdown_text.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace {

constexpr absl::string_view kOwnOpcode = "the opcode of the same name";

// The field of the entry's own comments, those of overloads behind each other, or else that of the family.
std::string FieldOf(const DocFamily& family, const DocEntry& entry, absl::string_view name) {
  std::vector<std::string> own;
  for (const DocComment& comment : entry.comments) {
    const std::string* text = comment.Find(name);
    if (text != nullptr && absl::c_find(own, *text) == own.end()) own.push_back(*text);
  }
  if (!own.empty()) return absl::StrJoin(own, "; ");
  const std::string* inherited = family.comment.Find(name);
  if (inherited == nullptr) return "";
  // What the family says at length is there in full.
  const size_t stop = inherited->find(". ");
  const std::string sentence = inherited->substr(0, stop);
  return absl::StrReplaceAll(sentence, {{", unless stated", ""}, {" unless stated", ""}}) +
         (stop == std::string::npos ? "" : absl::StrCat(" (see ", family.title, ")"));
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
    absl::StrAppend(&page_, "```\n");
    for (const DocComment& comment : entry.comments) WriteParagraphs(comment);
    WriteReference(entry, previous);
    absl::StrAppend(&page_, "\n");
    WriteFields(family, entry);
    WriteExamples(entry);
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
         {"The same for", "The same of", "The same under", "The same bit by bit", "The same in the order",
          "The same from", "The same with", "With ", "Their ", "In the total", "... "}) {
      if (!absl::StartsWith(text, beginning)) continue;
      absl::StrAppend(&page_, "\nSee also ", LinkTo(HeadingOf(*previous), HeadingOf(*previous)), ".\n");
      return;
    }
  }

  void WriteFields(const DocFamily& family, const DocEntry& entry) {
    for (const DocComment& comment : entry.comments) {
      for (const DocField& field : comment.fields) {
        if (absl::ascii_islower(field.name[0]))
          WriteField(absl::StrCat("`", field.name, "`"), MarkdownProse(field.text));
      }
    }
    WriteField("Element types", MarkdownProse(FieldOf(family, entry, "T")));
    WriteField("Shapes", MarkdownProse(FieldOf(family, entry, "Shapes")));
    std::string errors = FieldOf(family, entry, "Errors");
    if (errors.empty() && ReturnsOp(entry)) errors = "types and dimensions that do not fit";
    WriteField("Errors", MarkdownProse(errors));
    WriteField("HLO", MarkdownOpcodes(OpcodesOf(family, entry)));
    for (const DocComment& comment : entry.comments) {
      if (const std::string* source = comment.Find("Source")) WriteField("Source", MarkdownProse(*source));
    }
  }

  void WriteField(absl::string_view name, absl::string_view text) {
    if (!text.empty()) absl::StrAppend(&page_, "- **", name, "**: ", text, "\n");
  }

  void WriteExamples(const DocEntry& entry) {
    std::string shown;
    for (const std::string& name : entry.names) {
      const auto found = examples_.find(name);
      if (found == examples_.end()) continue;
      for (const ShownExample& example : found->second) absl::StrAppend(&shown, example.code, "\n", example.result);
    }
    if (!shown.empty()) {
      absl::StrAppend(&page_, "\n```c++\n", shown, "```\n");
      return;
    }
    for (const DocComment& comment : entry.comments) {
      if (const std::string* text = comment.Find("Example")) {
        absl::StrAppend(&page_, "\n```c++\n", *text, "\n```\n");
      }
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
