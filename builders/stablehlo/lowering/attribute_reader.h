// AttributeReader: named attributes of StableHLO as C++ values.
#ifndef BUILDERS_STABLEHLO_LOWERING_ATTRIBUTE_READER_H_
#define BUILDERS_STABLEHLO_LOWERING_ATTRIBUTE_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace stablehlo {

using IntPairs = std::vector<std::pair<int64_t, int64_t>>;

// The attributes of an operation, or the fields of a dictionary or struct. What is read "or" something has that value
// where it is not given. Errors: InvalidArgument that names the attribute, if it is missing or of another kind.
class AttributeReader {
 public:
  // `module` and `attributes` outlive the reader.
  AttributeReader(const Module& module, absl::Span<const NamedAttribute> attributes)
      : module_(&module), attributes_(attributes) {}

  absl::Span<const NamedAttribute> all() const { return attributes_; }
  // Not ok() or nullptr: not given.
  AttributeId FindId(absl::string_view name) const;
  const Attribute* Find(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }

  // An integer of type i64, i32 or of any.
  absl::StatusOr<int64_t> Int(absl::string_view name) const { return IntOfWidth(name, 64); }
  absl::StatusOr<int64_t> Int32(absl::string_view name) const { return IntOfWidth(name, 32); }
  absl::StatusOr<int64_t> AnyInt(absl::string_view name) const { return IntOfWidth(name, kAnyWidth); }
  absl::StatusOr<int64_t> IntOr(absl::string_view name, int64_t otherwise) const;
  absl::StatusOr<int64_t> Int32Or(absl::string_view name, int64_t otherwise) const;
  absl::StatusOr<int64_t> AnyIntOr(absl::string_view name, int64_t otherwise) const;
  // A float of type f32.
  absl::StatusOr<float> Float32(absl::string_view name) const;
  absl::StatusOr<double> NumberOr(absl::string_view name, double otherwise) const;
  // A bool.
  absl::StatusOr<bool> Bool(absl::string_view name) const;
  // A bool, or a flag that is given without a value. Not given: false.
  absl::StatusOr<bool> Flag(absl::string_view name) const;
  absl::StatusOr<std::string> Text(absl::string_view name) const;
  absl::StatusOr<std::string> TextOr(absl::string_view name, absl::string_view otherwise) const;
  // A word of an enumeration: "HIGH".
  absl::StatusOr<std::string> Word(absl::string_view name) const;
  absl::StatusOr<std::string> WordOr(absl::string_view name, absl::string_view otherwise) const;
  // The name of a function.
  absl::StatusOr<std::string> Symbol(absl::string_view name) const;

  // A list of integers or of bools, as `array<i64: 1, 2>` or `dense<[1, 2]>`.
  absl::StatusOr<DimensionVector> Ints(absl::string_view name) const;
  absl::StatusOr<DimensionVector> IntsOr(absl::string_view name, const DimensionVector& otherwise) const;
  // Rows of an n x 2 tensor.
  absl::StatusOr<IntPairs> Pairs(absl::string_view name) const;
  absl::StatusOr<IntPairs> PairsOr(absl::string_view name, const IntPairs& otherwise) const;
  // Entries of an array. Not given: none.
  absl::StatusOr<absl::Span<const AttributeId>> Elements(absl::string_view name) const;
  // Fields of a struct or dictionary. Not given: an error, or no fields.
  absl::StatusOr<AttributeReader> Struct(absl::string_view name) const;
  absl::StatusOr<AttributeReader> StructOrEmpty(absl::string_view name) const;

 private:
  static constexpr uint32_t kAnyWidth = 0;
  absl::StatusOr<int64_t> IntOfWidth(absl::string_view name, uint32_t width) const;
  absl::StatusOr<const Attribute*> Required(absl::string_view name) const;

  const Module* module_;
  absl::Span<const NamedAttribute> attributes_;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_ATTRIBUTE_READER_H_
