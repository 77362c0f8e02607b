// Typed attributes as text: a loop over what their structs say about themselves (ir/attribute_schema.h).
#ifndef XLA_CORE_TEXT_ATTRIBUTE_PRINTER_H_
#define XLA_CORE_TEXT_ATTRIBUTE_PRINTER_H_

#include <string>

#include "xla_core/ir/attributes.h"

namespace xla {

// The part of PrintOptions that attributes depend on; the fields mean the same there.
struct AttributePrintOptions {
  bool full_replica_groups = false;
  bool elide_large_constants = false;
};

// Appends ", NAME=VALUE" for each attribute that is to be printed. `hidden`, if not null, is left out.
void AppendAttributes(const Attributes& attributes, const AttributePrintOptions& options, const char* hidden,
                      std::string* out);

// The value after `NAME=`.
void AppendAttributeValue(const AttributeField& field, const Attributes& attributes,
                          const AttributePrintOptions& options, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_ATTRIBUTE_PRINTER_H_
