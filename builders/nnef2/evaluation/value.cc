#include "builders/nnef2/evaluation/value.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace nnef2 {
namespace {

std::string ScalarText(const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::kUnknown:
      return "?";
    case Scalar::Kind::kInt:
      return absl::StrCat(scalar.integer);
    case Scalar::Kind::kReal:
      return RealText(scalar.real);
    case Scalar::Kind::kBool:
      return scalar.integer != 0 ? "true" : "false";
    case Scalar::Kind::kString:
      return absl::StrCat("'", scalar.text, "'");
    case Scalar::Kind::kSymbolic:
      return scalar.symbolic->ToString();
    case Scalar::Kind::kTensor:
      return "tensor";
  }
  return "";
}

}  // namespace

bool FitsRunTime(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

std::string RunTimeMisfit(int64_t value) {
  return absl::StrCat("the int ", value, " does not fit the 32 bits that ints have at run time");
}

std::string RealText(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (std::isnan(value)) return "nan";
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    double again = 0;
    if (absl::SimpleAtod(text, &again) && again == value) break;
  }
  const std::string shortest(text);
  return shortest.find_first_of(".e") == std::string::npos ? shortest + ".0" : shortest;
}

std::string ElementType::ToString() const { return std::string(generic.empty() ? BaseTypeName(base) : generic); }

std::string Type::ToString() const {
  return absl::StrCat(is_optional ? "optional " : "", element.ToString(), is_tensor ? "[]" : "", is_pack ? ".." : "");
}

Scalar Scalar::Int(int64_t value) {
  Scalar scalar;
  scalar.kind = Kind::kInt;
  scalar.integer = value;
  return scalar;
}

Scalar Scalar::Real(double value) {
  Scalar scalar;
  scalar.kind = Kind::kReal;
  scalar.real = value;
  return scalar;
}

Scalar Scalar::Bool(bool value) {
  Scalar scalar = Int(value ? 1 : 0);
  scalar.kind = Kind::kBool;
  return scalar;
}

Scalar Scalar::String(std::string value) {
  Scalar scalar;
  scalar.kind = Kind::kString;
  scalar.text = std::move(value);
  return scalar;
}

Scalar Scalar::Tensor(int tensor) {
  Scalar scalar = Int(tensor);
  scalar.kind = Kind::kTensor;
  return scalar;
}

Scalar Scalar::Of(const Symbolic* expression) {
  if (expression == nullptr) return Scalar();
  if (const absl::optional<int64_t> constant = expression->constant()) return Int(*constant);
  if (expression->is_real && expression->op == SymbolicOp::kReal) return Real(expression->real);
  Scalar scalar;
  scalar.kind = Kind::kSymbolic;
  scalar.symbolic = expression;
  return scalar;
}

bool Scalar::operator==(const Scalar& other) const {
  return kind == other.kind && integer == other.integer && real == other.real && symbolic == other.symbolic &&
         text == other.text;
}

Value Value::Error() {
  Value value;
  value.is_error = true;
  value.items.resize(1);
  return value;
}

Value Value::Null(const Type& type) {
  Value value;
  value.type = type;
  value.type.is_optional = true;
  value.is_null = true;
  if (!type.is_pack) value.items.resize(1);
  return value;
}

Value Value::Of(ElementType element, Scalar item) {
  Value value;
  value.type.element = element;
  value.type.is_tensor = item.kind == Scalar::Kind::kTensor;
  value.items.push_back(std::move(item));
  return value;
}

Value Value::Pack(ElementType element, std::vector<Scalar> items) {
  Value value;
  value.type.element = element;
  value.type.is_pack = true;
  value.items = std::move(items);
  return value;
}

Value Value::UnknownPack(ElementType element, const Symbolic* length) {
  Value value;
  value.type.element = element;
  value.type.is_pack = true;
  value.has_items = false;
  value.length = length;
  return value;
}

std::string Value::ToString() const {
  if (is_null) return "null";
  if (!type.is_pack) return ScalarText(item());
  if (!has_items) return "[?]";
  if (is_uniform && !items.empty()) return ScalarText(items.front());
  return absl::StrCat(
      "[", absl::StrJoin(items, ", ", [](std::string* out, const Scalar& item) { *out += ScalarText(item); }), "]");
}

}  // namespace nnef2
}  // namespace xla
