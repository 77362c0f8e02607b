// Reads shapes and layouts.
#ifndef XLA_CORE_TEXT_SHAPE_PARSER_H_
#define XLA_CORE_TEXT_SHAPE_PARSER_H_

#include "xla_core/text/token_reader.h"
#include "xla_core/types/shape.h"

namespace xla {

// What an array without a written layout gets: none, or {rank-1, ..., 1, 0}.
enum class MissingLayout { kLeave, kRowMajor };

// f32[2,<=3]{1,0:T(8,128)}, (s32[], pred[4]), token[], b(f32[4]). What is read satisfies ValidateShape.
bool ParseShape(TokenReader& reader, MissingLayout missing_layout, Shape* shape);

}  // namespace xla

#endif  // XLA_CORE_TEXT_SHAPE_PARSER_H_
