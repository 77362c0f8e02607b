#include "builders/webnn/idl_conversions.h"

#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/operator_table.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

absl::string_view KindName(const MLValue& value) {
  static constexpr absl::string_view kNames[] = {"undefined", "a boolean",  "a number",      "an integer", "an integer",
                                                 "a string",  "an operand", "an activation", "a list"};
  return kNames[value.index()];
}

absl::Status WrongType(const MLValue& value, absl::string_view what, absl::string_view expected) {
  return TypeError(absl::StrCat("type of ", what),
                   absl::StrCat(what, " must be ", expected, ", got ", KindName(value)));
}

// StringToNumber of JavaScript, in decimal notation.
double ReadNumber(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return 0;
  if (text == "Infinity" || text == "+Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  // SimpleAtod knows more words than JavaScript, all of which have letters other than e.
  double number;
  if (text.find_first_not_of("0123456789+-.eE") != text.npos || !absl::SimpleAtod(text, &number)) return kNan;
  return number;
}

bool IsBigint(const MLValue& value) {
  if (const auto* integer = value.As<int64_t>()) return *integer > kMaxSafeInteger || *integer < -kMaxSafeInteger;
  const auto* integer = value.As<uint64_t>();
  return integer != nullptr && *integer > static_cast<uint64_t>(kMaxSafeInteger);
}

// [EnforceRange] for a type with this range.
absl::StatusOr<double> Enforced(const MLValue& value, absl::string_view what, double min, double max) {
  const std::string rule = absl::StrCat("EnforceRange ", what);
  double number;
  if (IsBigint(value)) {
    number = value.As<int64_t>() != nullptr ? static_cast<double>(*value.As<int64_t>())
                                            : static_cast<double>(*value.As<uint64_t>());
  } else {
    ASSIGN_OR_RETURN(number, ToJsNumber(value, what));
  }
  // Adding 0 makes -0 one.
  const double whole = std::trunc(number) + 0.0;
  if (!std::isfinite(number) || whole < min || whole > max) {
    return TypeError(rule, absl::StrCat(what, " must be a number from ", static_cast<int64_t>(min), " to ",
                                        static_cast<int64_t>(max), ", got ", number));
  }
  return whole;
}

template <typename T>
absl::Status AppendConverted(const MLValue& value, absl::string_view what, std::vector<T>& result,
                             absl::StatusOr<T> (*convert)(const MLValue&, absl::string_view)) {
  const auto* list = value.As<MLValueList>();
  if (list == nullptr) return WrongType(value, what, "a list");
  result.reserve(list->size());
  for (const MLValue& element : *list) {
    ASSIGN_OR_RETURN(T converted, convert(element, what));
    result.push_back(std::move(converted));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> ToFloatList(const MLValue& value, absl::string_view what, MLEdition edition) {
  const auto* list = value.As<MLValueList>();
  if (list == nullptr) return WrongType(value, what, "a list of numbers");
  std::vector<double> result;
  for (const MLValue& element : *list) {
    ASSIGN_OR_RETURN(const double number, ToFloat(element, what, edition));
    result.push_back(number);
  }
  return result;
}

// Objects of the draft, or strings of later editions.
absl::StatusOr<std::vector<MLActivation>> ToActivations(const MLValue& value, absl::string_view what,
                                                        const GraphNodes& graph) {
  const auto* list = value.As<MLValueList>();
  if (list == nullptr) return WrongType(value, what, "a list of activations");
  std::vector<MLActivation> result;
  for (const MLValue& element : *list) {
    if (const auto* activation = element.As<MLActivation>()) {
      result.push_back(*activation);
      continue;
    }
    const auto* name = element.As<std::string>();
    if (name == nullptr) return WrongType(element, what, "activations");
    if (*name != "relu" && *name != "sigmoid" && *name != "tanh") {
      return TypeError(absl::StrCat("enum ", what),
                       absl::StrCat("an activation by name is 'relu', 'sigmoid' or 'tanh', got '", *name, "'"));
    }
    const OperatorDefinition* const definition = FindOperator(*name);
    result.push_back(graph.MakeActivation(*definition, definition->make_parameters()));
  }
  return result;
}

template <typename T>
absl::StatusOr<ParameterValue> AsParameterValue(absl::StatusOr<T> value) {
  if (!value.ok()) return value.status();
  return ParameterValue(*std::move(value));
}
absl::StatusOr<ParameterValue> AsIntegerValue(absl::StatusOr<uint32_t> value) {
  if (!value.ok()) return value.status();
  return ParameterValue(static_cast<int64_t>(*value));
}

}  // namespace

absl::StatusOr<double> ToJsNumber(const MLValue& value, absl::string_view what) {
  if (const auto* number = value.As<double>()) return *number;
  if (const auto* text = value.As<std::string>()) return ReadNumber(*text);
  if (const auto* boolean = value.As<bool>()) return *boolean ? 1.0 : 0.0;
  if (value.IsUndefined()) return kNan;
  if (!IsBigint(value)) {
    if (const auto* integer = value.As<int64_t>()) return static_cast<double>(*integer);
    if (const auto* integer = value.As<uint64_t>()) return static_cast<double>(*integer);
  }
  return WrongType(value, what, "a number");
}

bool ToBoolean(const MLValue& value) {
  if (value.IsUndefined()) return false;
  if (const auto* boolean = value.As<bool>()) return *boolean;
  if (const auto* number = value.As<double>()) return *number != 0 && !std::isnan(*number);
  if (const auto* integer = value.As<int64_t>()) return *integer != 0;
  if (const auto* integer = value.As<uint64_t>()) return *integer != 0;
  if (const auto* text = value.As<std::string>()) return !text->empty();
  return true;
}

absl::StatusOr<uint32_t> ToEnforcedUnsignedLong(const MLValue& value, absl::string_view what) {
  ASSIGN_OR_RETURN(const double number, Enforced(value, what, 0, std::numeric_limits<uint32_t>::max()));
  return static_cast<uint32_t>(number);
}

absl::StatusOr<int32_t> ToEnforcedLong(const MLValue& value, absl::string_view what) {
  ASSIGN_OR_RETURN(const double number,
                   Enforced(value, what, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  return static_cast<int32_t>(number);
}

absl::StatusOr<uint32_t> ToWrappedUnsignedLong(const MLValue& value, absl::string_view what) {
  ASSIGN_OR_RETURN(const double number, ToJsNumber(value, what));
  if (!std::isfinite(number)) return 0u;
  constexpr double kModulus = 4294967296.0;
  const double remainder = std::fmod(std::trunc(number), kModulus);
  return static_cast<uint32_t>(remainder < 0 ? remainder + kModulus : remainder);
}

absl::StatusOr<UnsignedList> ToUnsignedList(const MLValue& value, absl::string_view what) {
  UnsignedList result;
  RETURN_IF_ERROR(AppendConverted<uint32_t>(value, what, result, ToEnforcedUnsignedLong));
  return result;
}

absl::StatusOr<double> CheckedFloat(double value, absl::string_view what, MLEdition edition) {
  // The conversion to `float` refuses what rounds to an infinity, too.
  const double converted = edition == MLEdition::kDraft ? static_cast<double>(static_cast<float>(value)) : value;
  if (!std::isfinite(converted)) {
    return TypeError("IDL float must be finite",
                     absl::StrCat(what, " must be a finite number",
                                  edition == MLEdition::kDraft ? " in the range of float32" : "", ", got ", value));
  }
  return converted;
}

absl::StatusOr<MLNumber> CheckedNumber(const MLNumber& value, absl::string_view what, MLEdition edition) {
  if (!value.IsDouble() || edition == MLEdition::kLater) return value;
  ASSIGN_OR_RETURN(const double number, CheckedFloat(value.AsDouble(), what, edition));
  return MLNumber(number);
}

absl::StatusOr<double> ToFloat(const MLValue& value, absl::string_view what, MLEdition edition) {
  ASSIGN_OR_RETURN(const double number, ToJsNumber(value, what));
  return CheckedFloat(number, what, edition);
}

absl::StatusOr<MLNumber> ToMLNumber(const MLValue& value, absl::string_view what, MLEdition edition) {
  if (IsBigint(value)) {
    return value.As<int64_t>() != nullptr ? MLNumber(*value.As<int64_t>()) : MLNumber(*value.As<uint64_t>());
  }
  ASSIGN_OR_RETURN(const double number, ToJsNumber(value, what));
  return CheckedNumber(MLNumber(number), what, edition);
}

absl::StatusOr<int> ToEnumIndex(const MLValue& value, const EnumNames& names, absl::string_view what) {
  const std::string rule = absl::StrCat("enum ", what);
  const auto* text = value.As<std::string>();
  const std::string expected = absl::StrCat("one of '", absl::StrJoin(names.values, "', '"), "'");
  if (text == nullptr) return TypeError(rule, absl::StrCat(what, " must be ", expected, ", got ", KindName(value)));
  for (size_t i = 0; i < names.values.size(); ++i) {
    if (names.values[i] == *text) return static_cast<int>(i);
  }
  return TypeError(rule,
                   absl::StrCat(what, " must be ", expected, ", got '", *text, "'", DidYouMean(*text, names.values)));
}

absl::StatusOr<ParameterValue> ToParameterValue(const MLValue& value, const Parameter& parameter,
                                                const GraphNodes& graph) {
  if (value.IsUndefined() && parameter.is_optional) return ParameterValue();
  const absl::string_view what = parameter.NameInRules();
  switch (parameter.kind) {
    case ParameterKind::kBoolean:
      return ParameterValue(ToBoolean(value));
    case ParameterKind::kUnsigned:
      return AsIntegerValue(ToEnforcedUnsignedLong(value, what));
    case ParameterKind::kWrapping:
      // Later editions enforce the range of all.
      return AsIntegerValue(graph.edition() == MLEdition::kDraft ? ToWrappedUnsignedLong(value, what)
                                                                 : ToEnforcedUnsignedLong(value, what));
    case ParameterKind::kLong: {
      ASSIGN_OR_RETURN(const int32_t number, ToEnforcedLong(value, what));
      return ParameterValue(int64_t{number});
    }
    case ParameterKind::kFloat:
      return AsParameterValue(ToFloat(value, what, graph.edition()));
    case ParameterKind::kNumber:
      return AsParameterValue(ToMLNumber(value, what, graph.edition()));
    case ParameterKind::kString: {
      const auto* text = value.As<std::string>();
      if (text == nullptr) return WrongType(value, what, "a string");
      return ParameterValue(*text);
    }
    case ParameterKind::kEnum: {
      ASSIGN_OR_RETURN(const int index, ToEnumIndex(value, *parameter.enum_names, what));
      return ParameterValue(std::string(parameter.enum_names->values[index]));
    }
    case ParameterKind::kUnsigneds:
      return AsParameterValue(ToUnsignedList(value, what));
    case ParameterKind::kFloats:
      return AsParameterValue(ToFloatList(value, what, graph.edition()));
    case ParameterKind::kUnsignedOrList:
      if (value.As<MLValueList>() != nullptr) return AsParameterValue(ToUnsignedList(value, what));
      return AsIntegerValue(ToEnforcedUnsignedLong(value, what));
    case ParameterKind::kOperand: {
      const auto* operand = value.As<MLOperand>();
      if (operand == nullptr) return WrongType(value, what, "an operand");
      return ParameterValue(*operand);
    }
    case ParameterKind::kActivations:
      return AsParameterValue(ToActivations(value, what, graph));
  }
  return WrongType(value, what, "of a known kind");
}

namespace {

struct ToValue {
  MLValue operator()(absl::monostate) const { return MLValue(); }
  MLValue operator()(bool value) const { return value; }
  MLValue operator()(int64_t value) const { return value; }
  MLValue operator()(double value) const { return value; }
  MLValue operator()(const MLNumber& value) const {
    return absl::visit([](auto number) { return MLValue(number); }, value.value());
  }
  MLValue operator()(const std::string& value) const { return value; }
  MLValue operator()(const MLOperand& value) const { return value; }
  MLValue operator()(const UnsignedList& values) const {
    MLValueList list;
    for (uint32_t value : values) list.push_back(int64_t{value});
    return list;
  }
  MLValue operator()(const std::vector<double>& values) const { return MLValueList(values.begin(), values.end()); }
  MLValue operator()(const std::vector<MLActivation>& values) const {
    return MLValueList(values.begin(), values.end());
  }
};

}  // namespace

MLValue FromParameterValue(const ParameterValue& value) { return absl::visit(ToValue(), value); }

}  // namespace webnn
}  // namespace xla
