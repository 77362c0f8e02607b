// Reads the values of constants.
#ifndef XLA_CORE_TEXT_LITERAL_PARSER_H_
#define XLA_CORE_TEXT_LITERAL_PARSER_H_

#include <memory>

#include "xla_core/text/token_reader.h"
#include "xla_core/types/literal.h"

namespace xla {

// A value of the valid shape `shape`, as it stands in the parentheses of a constant: 1, {1, 2}, { {1}, {2} },
// ( 1, {2} ). *literal stays null if it, or a part of it, is elided (`{...}`).
bool ParseLiteral(TokenReader& reader, const Shape& shape, std::shared_ptr<const Literal>* literal);

// The same with its shape in front: `f32[2]{0} {1, 2}`, `f32[<=4](2) {1, 2}`. A tuple has no shape in front, its
// elements have: `( s32[] 1, pred[] true )`.
bool ParseLiteralWithShape(TokenReader& reader, std::shared_ptr<const Literal>* literal);

}  // namespace xla

#endif  // XLA_CORE_TEXT_LITERAL_PARSER_H_
