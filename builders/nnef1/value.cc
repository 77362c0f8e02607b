#include "builders/nnef1/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef1 {
namespace {

// The shortest digits that read back as `value`, always with a point or an exponent. There is no literal for
// infinities and NaN: a number too large reads as infinity, and NaN takes an operator.
std::string ScalarText(double value) {
  if (std::isnan(value)) return "(0.0 / 0.0)";
  if (std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
  char buffer[64];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string QuotedText(const std::string& value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

}  // namespace

absl::string_view PrimitiveName(Primitive primitive) {
  switch (primitive) {
    case Primitive::kInteger:
      return "integer";
    case Primitive::kScalar:
      return "scalar";
    case Primitive::kLogical:
      return "logical";
    case Primitive::kString:
      return "string";
    case Primitive::kGeneric:
      return "?";
  }
  return "";
}

bool Type::IsAttribute() const {
  if (kind == Kind::kTensor || kind == Kind::kUnboundTensor) return false;
  return std::all_of(items.begin(), items.end(), [](const Type& item) { return item.IsAttribute(); });
}

std::string Type::ToString() const {
  switch (kind) {
    case Kind::kPrimitive:
      return std::string(PrimitiveName(primitive));
    case Kind::kTensor:
      return absl::StrCat("tensor<", PrimitiveName(primitive), ">");
    case Kind::kUnboundTensor:
      return "tensor<>";
    case Kind::kArray:
      return items[0].ToString() + "[]";
    case Kind::kTuple: {
      std::string text = "(";
      for (const Type& item : items) {
        if (text.size() > 1) text += ',';
        text += item.ToString();
      }
      return text + ")";
    }
    case Kind::kEmptyArray:
      return "[]";
  }
  return "";
}

Value::SharedSequence Value::MakeSequence(bool is_tuple, std::vector<Value> items) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  int64_t total = 1;
  // A long string counts as much as it takes, so that arrays of them are bounded as well.
  constexpr int64_t kCharactersOfValue = 16;
  for (const Value& item : items) {
    total += item.total_values();
    if (item.is_string()) total += static_cast<int64_t>(item.string().size()) / kCharactersOfValue;
    total = std::min(kMost, total);
  }
  return std::make_shared<const Sequence>(Sequence{is_tuple, std::move(items), total});
}

std::string Value::ToString() const {
  if (is_integer()) return absl::StrCat(integer());
  if (is_scalar()) return ScalarText(scalar());
  if (is_logical()) return logical() ? "true" : "false";
  if (is_string()) return QuotedText(string());
  if (is_tensor()) return absl::StrCat("%", tensor().id);
  std::string text(1, is_tuple() ? '(' : '[');
  for (size_t i = 0; i < items().size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", items()[i].ToString());
  text += is_tuple() ? ')' : ']';
  return text;
}

bool operator==(const Value& a, const Value& b) {
  if (a.value_.index() != b.value_.index()) return false;
  if (!a.is_sequence()) return a.value_ == b.value_;
  return a.is_tuple() == b.is_tuple() && a.items() == b.items();
}

}  // namespace nnef1
}  // namespace xla
