// Operations with their regions and blocks, and the values that they make and use.
#ifndef BUILDERS_STABLEHLO_IR_OPERATION_H_
#define BUILDERS_STABLEHLO_IR_OPERATION_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/ir/ids.h"

namespace xla {
namespace stablehlo {

// A result of an operation or an argument of a block.
struct Value {
  TypeId type;
  absl::string_view name;  // as the text uses it, without %: "arg0", "3", "3#1"; empty: it had none
  LocationId location;     // of an argument, if the program has one
  OperationId operation;   // that makes it; not ok(): an argument of `block`
  BlockId block;
  int32_t index = 0;  // among the results or arguments
};

// `attributes` are the properties and the other attributes together, sorted by name, no name twice. Attributes that are
// not given are not there: `attribute_values.h` reads them with a default.
struct Operation {
  absl::string_view name;  // with the dialect: "stablehlo.add", "func.func"
  absl::Span<const ValueId> operands;
  absl::Span<const ValueId> results;
  absl::Span<const NamedAttribute> attributes;
  absl::Span<const RegionId> regions;
  LocationId location;  // as the program gives it; not ok(): it gives none
  int32_t line = 0;     // where the operation stands in the text, from 1; 0: it was not read from text
  int32_t column = 0;
  BlockId block;  // that it stands in; not ok(): the outermost operation

  // Not ok(): there is no such attribute.
  AttributeId attribute(absl::string_view attribute_name) const;
};

struct Block {
  absl::Span<const ValueId> arguments;
  absl::Span<const OperationId> operations;
  RegionId region;
};

// No blocks: the body of a declaration.
struct Region {
  absl::Span<const BlockId> blocks;
  OperationId operation;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_OPERATION_H_
