// Location: where in a program, mostly one in Python, an operation comes from.
#ifndef BUILDERS_STABLEHLO_IR_LOCATION_H_
#define BUILDERS_STABLEHLO_IR_LOCATION_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/ids.h"

namespace xla {
namespace stablehlo {

enum class LocationKind : uint8_t {
  kUnknown,
  kFile,      // text: the file; line, column, end_line, end_column
  kName,      // text: the name; child, not ok() if there is none
  kCallSite,  // child: the callee, caller
  kFused,     // parts, metadata
};

// Only the fields that `kind` names above have a meaning. Interned; the parts of a location have smaller ids than it,
// so a loop can replace recursion: chains of call sites may be thousands deep.
struct Location {
  LocationKind kind = LocationKind::kUnknown;
  absl::string_view text;
  int64_t line = 0;
  int64_t column = 0;
  int64_t end_line = 0;  // 0: only a line and a column are known
  int64_t end_column = 0;
  LocationId child;
  LocationId caller;
  absl::Span<const LocationId> parts;
  AttributeId metadata;  // not ok(): none
};

inline Location FileLocation(absl::string_view file, int64_t line, int64_t column) {
  Location location;
  location.kind = LocationKind::kFile;
  location.text = file;
  location.line = line;
  location.column = column;
  return location;
}
inline Location NameLocation(absl::string_view name, LocationId child = {}) {
  Location location;
  location.kind = LocationKind::kName;
  location.text = name;
  location.child = child;
  return location;
}
inline Location CallSiteLocation(LocationId callee, LocationId caller) {
  Location location;
  location.kind = LocationKind::kCallSite;
  location.child = callee;
  location.caller = caller;
  return location;
}
inline Location FusedLocation(absl::Span<const LocationId> parts, AttributeId metadata = {}) {
  Location location;
  location.kind = LocationKind::kFused;
  location.parts = parts;
  location.metadata = metadata;
  return location;
}

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_LOCATION_H_
