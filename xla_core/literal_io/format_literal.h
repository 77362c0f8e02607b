// Values as text for people: single elements, and arrays abbreviated to a screenful.
#ifndef XLA_CORE_LITERAL_IO_FORMAT_LITERAL_H_
#define XLA_CORE_LITERAL_IO_FORMAT_LITERAL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla_core/types/literal.h"

namespace xla {

// The element at a row-major position: "3", "true", "0.1" (the shortest text that reads back as the same value),
// "-nan",
// "(1, -2)".
std::string FormatElement(const Literal& array, int64_t position);

// "{1,0,3}": the index in each dimension of the element at a row-major position.
std::string FormatIndex(absl::Span<const int64_t> dimensions, int64_t position);

// "f32[2,3] {{1, 2, 3}, {4, 5, 6}}". Of arrays with more than `max_elements` elements only the first and last few of
// each dimension are shown, with "..." between. Tuples show their elements one per line.
std::string FormatLiteral(const Literal& value, int64_t max_elements = 100);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_FORMAT_LITERAL_H_
