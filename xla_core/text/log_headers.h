// C++ logging puts a header before each line; people paste such logs.
#ifndef XLA_CORE_TEXT_LOG_HEADERS_H_
#define XLA_CORE_TEXT_LOG_HEADERS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {

// The text with every header `I0521 12:04:45.883483    1509 service.cc:186] ` at the beginning of a line replaced by as
// many blanks, so that columns stay; nullopt if no line has one.
absl::optional<std::string> StripLogHeaders(absl::string_view text);

}  // namespace xla

#endif  // XLA_CORE_TEXT_LOG_HEADERS_H_
