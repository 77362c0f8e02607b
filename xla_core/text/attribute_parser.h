// Values of typed attributes: a loop over what their structs say about themselves (ir/attribute_schema.h).
#ifndef XLA_CORE_TEXT_ATTRIBUTE_PARSER_H_
#define XLA_CORE_TEXT_ATTRIBUTE_PARSER_H_

#include "xla_core/ir/attributes.h"
#include "xla_core/text/shape_parser.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// Reads the value after `NAME=` into the field.
bool ParseAttributeValue(TokenReader& reader, const AttributeField& field, MissingLayout missing_layout,
                         Attributes* attributes);

// {{0}: (1, {}), ...}; also the header's input_output_alias with its kind word.
bool ParseOutputOperandAliasing(TokenReader& reader, std::vector<OutputOperandAlias>* aliases);

}  // namespace xla

#endif  // XLA_CORE_TEXT_ATTRIBUTE_PARSER_H_
