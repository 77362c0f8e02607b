// Reads and writes modules in XLA's protobuf form, binary (.hlo.pb) and text (.pbtxt). The only header of this folder
// that others include; no protobuf header comes with it.
#ifndef XLA_CORE_PROTO_HLO_PROTO_H_
#define XLA_CORE_PROTO_HLO_PROTO_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// The forms in which a file may hold a module.
enum class HloFileFormat { kHloText, kProtoBinary, kProtoText, kUnknown };

// What a file of unknown kind looks like, from its content alone. What fits nothing is called HLO text if it is text at
// all, and a binary protobuf if it begins like one with a module, so that the reader of that format says what is wrong
// with it.
HloFileFormat DetectHloFormat(absl::string_view contents);

// The messages that hold a module.
enum class HloProtoKind { kModule, kHloProto, kSnapshot, kUnoptimizedSnapshot };

// What was read. Arguments and result are empty unless `kind` is one of the snapshots.
struct HloProtoContents {
  HloProtoKind kind = HloProtoKind::kModule;
  std::unique_ptr<HloModule> module;  // as the file says; only VerifyModule makes it trustworthy
  // A snapshot brings the arguments of a run: one list for HloSnapshot, one for each partition for
  // HloUnoptimizedSnapshot.
  std::vector<std::vector<Literal>> arguments;
  absl::optional<Literal> result;  // what HloSnapshot says that run gave
  std::string execution_platform;
  // What was dropped or changed in reading: fields that this reader does not know, names that HLO does not allow.
  std::vector<std::string> warnings;
};

// Reads a HloModuleProto, HloProto, HloSnapshot or HloUnoptimizedSnapshot, binary or text, distinguished by their
// content.
// Errors: InvalidArgument naming the place in the file, or the computation and instruction, that is wrong; HLO text is
// refused too; reaching a limit of `resources`, if there are any.
// Source: XLA's hlo.proto and xla_data.proto.
absl::StatusOr<HloProtoContents> ReadHloProto(absl::string_view contents, const ResourceContext* resources = nullptr);

// The wire format, or the text format of Protobuf (.pbtxt).
enum class ProtoEncoding { kBinary, kText };

// The module as a HloModuleProto or inside of a HloProto; `kind` is one of these two. Equal modules give equal bytes.
// Ids are kept where they are unique, else made up. InvalidArgument if the module cannot be expressed (a value out of
// the field's range, a string that is no UTF-8, more than 2 GB). Reaching a limit of `resources`, if there are any, is
// an error too.
absl::StatusOr<std::string> WriteHloProto(const HloModule& module, ProtoEncoding encoding,
                                          HloProtoKind kind = HloProtoKind::kModule,
                                          const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // XLA_CORE_PROTO_HLO_PROTO_H_
