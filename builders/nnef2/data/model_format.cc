#include "builders/nnef2/data/model_format.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "builders/nnef2/diagnostics.h"

namespace xla {
namespace nnef2 {
namespace {

void SkipBlanksAndComments(absl::string_view* text) {
  while (true) {
    *text = absl::StripLeadingAsciiWhitespace(*text);
    if (!absl::StartsWith(*text, "#")) return;
    const size_t end = text->find('\n');
    text->remove_prefix(end == absl::string_view::npos ? text->size() : end);
  }
}

// An identifier or keyword; empty if there is none.
absl::string_view TakeWord(absl::string_view* text) {
  SkipBlanksAndComments(text);
  size_t size = 0;
  while (size < text->size() && (absl::ascii_isalnum((*text)[size]) || (*text)[size] == '_')) ++size;
  const absl::string_view word = text->substr(0, size);
  text->remove_prefix(size);
  return word;
}

// `import math`, `operator f {`, `public operator f {` or `graph G {`, with a block in the braces or nothing.
bool BeginsDocument(absl::string_view text) {
  absl::string_view keyword = TakeWord(&text);
  if (keyword == "import") return !TakeWord(&text).empty();
  if (keyword == "public") keyword = TakeWord(&text);
  if ((keyword != "operator" && keyword != "graph") || TakeWord(&text).empty()) return false;
  SkipBlanksAndComments(&text);
  if (!absl::ConsumePrefix(&text, "{")) return false;
  SkipBlanksAndComments(&text);
  return absl::StartsWith(text, "@") || absl::StartsWith(text, "}");
}

bool IsModule(absl::string_view member) { return absl::EndsWith(member, kModuleSuffix); }

nnef::MemberHint HintOf(absl::string_view member) {
  if (IsModule(member)) return nnef::MemberHint::kModel;
  if (member == "graph.nnef") return nnef::MemberHint::kOther;
  return absl::StartsWith(member, "main.") && absl::EndsWith(member, kTensorFileSuffix) ? nnef::MemberHint::kLikely
                                                                                        : nnef::MemberHint::kNone;
}

bool IsKept(absl::string_view member) { return IsModule(member) || absl::EndsWith(member, kTensorFileSuffix); }

}  // namespace

const nnef::ModelFormat& Nnef2Format() {
  static const auto* const format = [] {
    auto* const made = new nnef::ModelFormat;
    made->description = kMainModuleMember;
    made->begins_description = BeginsDocument;
    made->is_kept = IsKept;
    made->kept = "*.sknd and *.dat";
    made->hint_of = HintOf;
    made->has_empty_tensors = true;
    made->container_error = ErrorClass::kData;
    made->data_error = ErrorClass::kData;
    made->quantization_error = ErrorClass::kData;
    made->fed_error = ErrorClass::kRuntimeShape;
    made->bound_error = ErrorClass::kRuntimeBound;
    return made;
  }();
  return *format;
}

}  // namespace nnef2
}  // namespace xla
