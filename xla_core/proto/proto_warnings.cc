#include "xla_core/proto/proto_warnings.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include "absl/strings/str_cat.h"

namespace xla {

void ProtoWarnings::AddUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::UnknownFieldSet& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    Add(absl::StrCat("dropped field ", fields.field(i).number(), " of ", message.GetDescriptor()->name(),
                     ", which this reader does not know"));
  }
}

// Warns of unknown fields in the message and, recursively, in all messages that it holds.
void ProtoWarnings::NoteAllUnknownFields(const google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  NoteUnknownFields(message);
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      NoteAllUnknownFields(reflection.GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      NoteAllUnknownFields(reflection.GetRepeatedMessage(message, field, i));
    }
  }
}

std::vector<std::string> ProtoWarnings::Take() {
  constexpr size_t kMaxWarnings = 40;
  std::vector<std::string> lines;
  for (const auto& [warning, count] : counts_) {
    if (lines.size() == kMaxWarnings) {
      lines.push_back(absl::StrCat("and ", counts_.size() - kMaxWarnings, " more kinds of warnings"));
      break;
    }
    lines.push_back(count == 1 ? warning : absl::StrCat(warning, " (", count, " times)"));
  }
  counts_.clear();
  return lines;
}

}  // namespace xla
