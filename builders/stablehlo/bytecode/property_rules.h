// Tables of what in VHLO's attributes is not the same in StableHLO's properties.
#ifndef BUILDERS_STABLEHLO_BYTECODE_PROPERTY_RULES_H_
#define BUILDERS_STABLEHLO_BYTECODE_PROPERTY_RULES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace stablehlo {

enum class Conversion : uint8_t {
  kSame,
  kIntegers,  // a tensor of i64: an array of them
  kBooleans,  // a tensor of i1: an array of them
  kFlag,      // true: a unit
  kSymbol,    // a string: the symbol of this name
  kSymbols,   // an array of strings
};

// The value that says that an attribute is not given.
enum class NotGiven : uint8_t {
  kNone,      // there is none
  kZeros,     // zero, false, or a list of these, which is not empty
  kOnes,      // one, or a list of ones, which is not empty
  kMinusOne,  // -1
  kEmpty,     // an empty text, list or dictionary, a tensor without elements; a list of empty dictionaries
  kDefault,   // the word DEFAULT, a list of these, or a result accuracy that allows nothing
  kNoType,    // the word NOTYPE
};

struct PropertyRule {
  absl::string_view name;
  Conversion conversion = Conversion::kSame;
  NotGiven not_given = NotGiven::kNone;
  absl::string_view operation = {};  // empty: of any
};

// Attributes that are the fields of one property.
struct StructRule {
  absl::string_view operation;
  absl::string_view property;
  absl::string_view struct_name;
};

// Attributes that operations had once, and that mean nothing in today's form.
struct DroppedAttribute {
  absl::string_view operation;
  absl::string_view attribute;
};
// Names of operations are those of StableHLO without its dialect. The rule of an attribute that has none changes
// nothing.
const PropertyRule& RuleOf(absl::string_view operation, absl::string_view attribute);
absl::Span<const StructRule> StructRules();
absl::Span<const DroppedAttribute> DroppedAttributes();

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_PROPERTY_RULES_H_
