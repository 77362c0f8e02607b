#include "builders/stablehlo/ir/equal.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/hash/hash.h"

namespace xla {
namespace stablehlo {
namespace {

// All fields that are compared by value; lists that spans compare element by element are among them.
auto Fields(const Type& type) {
  return std::tie(type.kind, type.signedness, type.float_kind, type.width, type.element, type.encoding, type.dimensions,
                  type.types, type.results);
}
auto Fields(const Quantization& quantization) {
  return std::tie(quantization.storage, quantization.is_signed, quantization.storage_min, quantization.storage_max,
                  quantization.axis, quantization.zero_points);
}
auto Fields(const Attribute& attribute) {
  return std::tie(attribute.kind, attribute.is_splat, attribute.type, attribute.integer, attribute.text, attribute.name,
                  attribute.words, attribute.elements, attribute.data);
}
auto Fields(const Location& location) {
  return std::tie(location.kind, location.text, location.line, location.column, location.end_line, location.end_column,
                  location.child, location.caller, location.parts, location.metadata);
}

absl::string_view Bytes(absl::Span<const double> values) {
  return absl::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

}  // namespace

bool Equal(const Type& a, const Type& b) {
  if (Fields(a) != Fields(b) || (a.quantization == nullptr) != (b.quantization == nullptr)) return false;
  return a.quantization == nullptr || (Fields(*a.quantization) == Fields(*b.quantization) &&
                                       Bytes(a.quantization->scales) == Bytes(b.quantization->scales));
}

bool Equal(const Attribute& a, const Attribute& b) {
  const auto same = [](const NamedAttribute& x, const NamedAttribute& y) {
    return x.name == y.name && x.value == y.value;
  };
  return Fields(a) == Fields(b) && std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same);
}

bool Equal(const Location& a, const Location& b) { return Fields(a) == Fields(b); }

size_t Hash(const Type& type) {
  if (type.quantization == nullptr) return absl::HashOf(Fields(type));
  return absl::HashOf(Fields(type), Fields(*type.quantization), Bytes(type.quantization->scales));
}

size_t Hash(const Attribute& attribute) {
  size_t hash = absl::HashOf(Fields(attribute));
  for (const NamedAttribute& field : attribute.fields) hash = absl::HashOf(hash, field.name, field.value);
  return hash;
}

size_t Hash(const Location& location) { return absl::HashOf(Fields(location)); }

}  // namespace stablehlo
}  // namespace xla
