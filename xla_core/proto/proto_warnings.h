// Collects what reading a protobuf drops, each thing once with a count.
#ifndef XLA_CORE_PROTO_PROTO_WARNINGS_H_
#define XLA_CORE_PROTO_PROTO_WARNINGS_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace xla {

// One object for each file that is read. Equal warnings are one entry with a count, so that a million equal fields do
// not make a million lines.
class ProtoWarnings {
 public:
  void Add(std::string warning) { ++counts_[std::move(warning)]; }

  // Notes the fields of `message` (not of those within) that its definition does not have. Cheap if there are none.
  void NoteUnknownFields(const google::protobuf::Message& message) {
    if (!message.GetReflection()->GetUnknownFields(message).empty()) AddUnknownFields(message);
  }
  // The same for `message` and everything within.
  void NoteAllUnknownFields(const google::protobuf::Message& message);

  // At most a few dozen lines.
  std::vector<std::string> Take();

 private:
  void AddUnknownFields(const google::protobuf::Message& message);

  std::map<std::string, int64_t> counts_;
};

}  // namespace xla

#endif  // XLA_CORE_PROTO_PROTO_WARNINGS_H_
