// The attributes of the dialects stablehlo, chlo and sdy whose text follows from a table: enumerations, and structs
// that are a list of `name = value`.
#ifndef BUILDERS_STABLEHLO_TEXT_DIALECT_ATTRIBUTES_H_
#define BUILDERS_STABLEHLO_TEXT_DIALECT_ATTRIBUTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace stablehlo {

struct EnumForm {
  absl::string_view name;  // without the dialect: "precision"
  absl::Span<const absl::string_view> values;
};

// nullptr: `name` is none of them. Those of chlo are the same, but fewer.
const EnumForm* FindEnumForm(absl::string_view dialect, absl::string_view name);

enum class FieldKind : uint8_t {
  kIntegers,  // [0, 1]; kDenseArray of i64
  kInteger,   // 0; i64
  kFloat,     // 1.0; f64
  kBool,      // true
  kType,      // f32
  kMode,      // #stablehlo.result_accuracy_mode<DEFAULT>
};

struct StructField {
  absl::string_view name;
  FieldKind kind;
};

struct StructForm {
  absl::string_view name;  // with the dialect: "stablehlo.gather"
  bool omits_defaults;     // prints no empty lists, zeros and DEFAULT; all forms may be read without them
  absl::Span<const StructField> fields;
};

// nullptr: `name` is none of them.
const StructForm* FindStructForm(absl::string_view name);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_DIALECT_ATTRIBUTES_H_
