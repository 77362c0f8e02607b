// Literals as people write them in tests, without layouts: "s32[2] {1, 2}".
#ifndef XLA_CORE_TESTING_PLAIN_LITERAL_H_
#define XLA_CORE_TESTING_PLAIN_LITERAL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/types/literal.h"

namespace xla {

// As ParseLiteralText, but what follows a shape and a blank is the value, never a layout.
absl::StatusOr<Literal> ParsePlainLiteral(absl::string_view text, absl::string_view file_name = "");

// As LiteralToString, without layouts.
std::string PlainLiteralToString(const Literal& literal);

}  // namespace xla

#endif  // XLA_CORE_TESTING_PLAIN_LITERAL_H_
