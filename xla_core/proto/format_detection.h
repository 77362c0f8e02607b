// Which message a file holds.
#ifndef XLA_CORE_PROTO_FORMAT_DETECTION_H_
#define XLA_CORE_PROTO_FORMAT_DETECTION_H_

#include "absl/strings/string_view.h"
#include "xla_core/proto/hlo_proto.h"

namespace xla {

// Of a binary file. A module where nothing fits.
HloProtoKind DetectBinaryKind(absl::string_view contents);
// Of a text file.
HloProtoKind DetectTextKind(absl::string_view contents);

}  // namespace xla

#endif  // XLA_CORE_PROTO_FORMAT_DETECTION_H_
