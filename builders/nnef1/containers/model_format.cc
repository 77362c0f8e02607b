#include "builders/nnef1/containers/model_format.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "builders/nnef1/diagnostics.h"

namespace xla {
namespace nnef1 {
namespace {

// `version 1.` after blanks and comments.
bool BeginsDescription(absl::string_view text) {
  while (!text.empty()) {
    const size_t word = text.find_first_not_of(" \t\v\f\r\n");
    if (word == absl::string_view::npos) return false;
    text.remove_prefix(word);
    if (text.front() != '#') break;
    const size_t end = text.find_first_of("\n\f");
    if (end == absl::string_view::npos) return false;
    text.remove_prefix(end);
  }
  if (!absl::ConsumePrefix(&text, "version")) return false;
  const size_t number = text.find_first_not_of(" \t\v\f\r\n");
  return number != 0 && number != absl::string_view::npos && absl::StartsWith(text.substr(number), "1.");
}

bool IsTensorFile(absl::string_view member) { return absl::EndsWith(member, kTensorFileSuffix); }

bool IsKept(absl::string_view member) {
  return member == kDescriptionMember || member == kQuantizationMember || IsTensorFile(member);
}

// Tensor files belong to models of all versions; those of NNEF 2 are named after its main module.
nnef::MemberHint HintOf(absl::string_view member) {
  if (member == kDescriptionMember) return nnef::MemberHint::kModel;
  if (absl::EndsWith(member, ".sknd")) return nnef::MemberHint::kOther;
  return IsTensorFile(member) && !absl::StartsWith(member, "main.") ? nnef::MemberHint::kLikely
                                                                    : nnef::MemberHint::kNone;
}

}  // namespace

const nnef::ModelFormat& Nnef1Format() {
  static const auto* const format = [] {
    auto* const made = new nnef::ModelFormat;
    made->description = kDescriptionMember;
    made->begins_description = BeginsDescription;
    made->is_kept = IsKept;
    made->kept = "graph.nnef, graph.quant and *.dat";
    made->hint_of = HintOf;
    made->ignores_surplus_bytes = true;
    made->ignores_case_of_labels = true;
    made->container_error = ErrorClass::kContainer;
    made->data_error = ErrorClass::kTensorData;
    made->quantization_error = ErrorClass::kQuantization;
    made->fed_error = ErrorClass::kFedData;
    return made;
  }();
  return *format;
}

}  // namespace nnef1
}  // namespace xla
