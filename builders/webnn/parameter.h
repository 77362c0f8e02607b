// Parameters: what an operator is given besides operands, described once for all who read or write them (the JSON form
// of a graph, the Node addon, the fuzzer, the documentation).
//
// An operator's parameters are a struct of options.h, held in a std::any. A Parameter describes one of its members: the
// name, the kind of value, and how to get and set it as a ParameterValue. The rows of the operator table are made with
// ParameterList:
//
//   ParameterList<PadParameters>()
//       .Argument("beginningPadding", &PadParameters::beginningPadding)
//       .Argument("endingPadding", &PadParameters::endingPadding)
//       .Option("mode", &PadParameters::mode)
//       .Option("value", &PadParameters::value)
#ifndef BUILDERS_WEBNN_PARAMETER_H_
#define BUILDERS_WEBNN_PARAMETER_H_

#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/variant.h"
#include "builders/webnn/data_type.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/enums.h"
#include "builders/webnn/options.h"

namespace xla {
namespace webnn {

// Types of the IDL.
enum class ParameterKind : int {
  kBoolean,
  kUnsigned,        // [EnforceRange] unsigned long
  kWrapping,        // unsigned long without EnforceRange (draft): modulo 2^32
  kLong,            // [EnforceRange] long
  kFloat,           // float of the draft, double of later editions
  kNumber,          // float of the draft, MLNumber of later editions
  kString,          // a label
  kEnum,            // one of Parameter::enum_names
  kUnsigneds,       // sequence<[EnforceRange] unsigned long>
  kFloats,          // sequence<float>
  kUnsignedOrList,  // kUnsigned or kUnsigneds
  kOperand,
  kActivations,  // sequence<MLActivation>
};

// The value of a parameter of any kind. monostate: not given. kEnum is its string, kUnsigned, kWrapping and kLong are
// int64_t.
using ParameterValue = absl::variant<absl::monostate, bool, int64_t, double, MLNumber, std::string, UnsignedList,
                                     std::vector<double>, MLOperand, std::vector<MLActivation>>;

inline bool IsGiven(const ParameterValue& value) { return !absl::holds_alternative<absl::monostate>(value); }

// A member of a struct of parameters, described. `get` and `set` take a std::any that holds that struct.
struct Parameter {
  absl::string_view name;
  // The name in later editions where that is another; else "".
  absl::string_view later_name;
  ParameterKind kind = ParameterKind::kBoolean;
  const EnumNames* enum_names = nullptr;  // of kEnum
  // Stands between the operands and the dictionary of options; else it is a member of that.
  bool is_argument = false;
  // Whether absence is a value: an optional member, or an argument that only later editions have.
  bool is_optional = false;
  // The edition that introduced it.
  MLEdition edition = MLEdition::kDraft;
  // What rules call it, where that is not the name: "padding" for both paddings of pad.
  absl::string_view rule_name;
  // Of kOperand: element types and ranks admitted. They inform (opSupportLimits); the operator checks.
  DataTypeSet types;
  int min_rank = 0;
  int max_rank = 0;

  // The value in a struct of parameters; monostate if it is optional and not given.
  std::function<ParameterValue(const std::any& parameters)> get;
  // The value is one of the kind, in its range; monostate takes an optional value away.
  std::function<void(const ParameterValue& value, std::any& parameters)> set;

  absl::string_view NameInRules() const { return rule_name.empty() ? name : rule_name; }
};

namespace parameter_internal {

// From a member's type to its kind, and to and from ParameterValue.
template <typename M, typename Enable = void>
struct Access;

// Access for members that a ParameterValue holds as they are, or after a static_cast to Stored (integers as int64_t).
template <typename M, ParameterKind kKindOfM, typename Stored>
struct SimpleAccess {
  static constexpr ParameterKind kKind = kKindOfM;
  static constexpr bool kIsOptional = false;
  static const EnumNames* Names() { return nullptr; }
  static ParameterValue Get(const M& member) { return static_cast<Stored>(member); }
  static void Set(const ParameterValue& value, M& member) { member = static_cast<M>(absl::get<Stored>(value)); }
};
template <>
struct Access<bool> : SimpleAccess<bool, ParameterKind::kBoolean, bool> {};
template <>
struct Access<uint32_t> : SimpleAccess<uint32_t, ParameterKind::kUnsigned, int64_t> {};
template <>
struct Access<int32_t> : SimpleAccess<int32_t, ParameterKind::kLong, int64_t> {};
template <>
struct Access<double> : SimpleAccess<double, ParameterKind::kFloat, double> {};
template <>
struct Access<MLNumber> : SimpleAccess<MLNumber, ParameterKind::kNumber, MLNumber> {};
template <>
struct Access<std::string> : SimpleAccess<std::string, ParameterKind::kString, std::string> {};
template <>
struct Access<UnsignedList> : SimpleAccess<UnsignedList, ParameterKind::kUnsigneds, UnsignedList> {};
template <>
struct Access<std::vector<double>> : SimpleAccess<std::vector<double>, ParameterKind::kFloats, std::vector<double>> {};
template <>
struct Access<MLOperand> : SimpleAccess<MLOperand, ParameterKind::kOperand, MLOperand> {};
template <>
struct Access<std::vector<MLActivation>>
    : SimpleAccess<std::vector<MLActivation>, ParameterKind::kActivations, std::vector<MLActivation>> {};

template <>
struct Access<MLSplits> {
  static constexpr ParameterKind kKind = ParameterKind::kUnsignedOrList;
  static constexpr bool kIsOptional = false;
  static const EnumNames* Names() { return nullptr; }
  static ParameterValue Get(const MLSplits& member) {
    if (const auto* count = absl::get_if<uint32_t>(&member)) return static_cast<int64_t>(*count);
    return absl::get<UnsignedList>(member);
  }
  static void Set(const ParameterValue& value, MLSplits& member) {
    if (const auto* count = absl::get_if<int64_t>(&value)) {
      member = static_cast<uint32_t>(*count);
    } else {
      member = absl::get<UnsignedList>(value);
    }
  }
};

// An enumeration travels as its string. Set leaves the member unchanged for a string that the enumeration does not
// have.
template <typename E>
struct Access<E, std::enable_if_t<std::is_enum<E>::value>> {
  static constexpr ParameterKind kKind = ParameterKind::kEnum;
  static constexpr bool kIsOptional = false;
  static const EnumNames* Names() { return &EnumNamesOf<E>(); }
  static ParameterValue Get(const E& member) { return std::string(ToString(member)); }
  static void Set(const ParameterValue& value, E& member) {
    member = ParseEnum<E>(absl::get<std::string>(value)).value_or(member);
  }
};

// An optional member of any kind: absent and ParameterValue's monostate are the same.
template <typename M>
struct Access<absl::optional<M>> {
  static constexpr ParameterKind kKind = Access<M>::kKind;
  static constexpr bool kIsOptional = true;
  static const EnumNames* Names() { return Access<M>::Names(); }
  static ParameterValue Get(const absl::optional<M>& member) {
    return member.has_value() ? Access<M>::Get(*member) : ParameterValue();
  }
  static void Set(const ParameterValue& value, absl::optional<M>& member) {
    if (!IsGiven(value)) {
      member = absl::nullopt;
    } else {
      Access<M>::Set(value, member.emplace());
    }
  }
};

}  // namespace parameter_internal

// Makes the descriptions of the members of P, a struct of options.h. Every struct has a `label`, which need not be
// named. What an option differs in from others is said after it: Later(), Renamed(), ...
template <typename P>
class ParameterList {
 public:
  // Arguments come in their order, before all options.
  template <typename M, typename Base>
  ParameterList& Argument(absl::string_view name, M Base::*member) {
    Add(name, member);
    parameters_.back().is_argument = true;
    return *this;
  }
  template <typename M, typename Base>
  ParameterList& Option(absl::string_view name, M Base::*member) {
    return Add(name, member);
  }

  // ---- About the parameter that was added last.

  // Only later editions have it.
  ParameterList& Later() {
    parameters_.back().edition = MLEdition::kLater;
    return *this;
  }
  // Later editions call it so.
  ParameterList& Renamed(absl::string_view later_name) {
    parameters_.back().later_name = later_name;
    return *this;
  }
  ParameterList& CalledInRules(absl::string_view rule_name) {
    parameters_.back().rule_name = rule_name;
    return *this;
  }
  // Of operands, which all must say it.
  ParameterList& Admits(DataTypeSet types, int min_rank, int max_rank) {
    Parameter& last = parameters_.back();
    last.types = types;
    last.min_rank = min_rank;
    last.max_rank = max_rank;
    return *this;
  }
  // An unsigned long without [EnforceRange].
  ParameterList& Wrapping() {
    parameters_.back().kind = ParameterKind::kWrapping;
    return *this;
  }

  std::vector<Parameter> Finish() const {
    ParameterList all = *this;
    all.Add("label", &MLOperatorOptions::label).Later();
    return all.parameters_;
  }

 private:
  template <typename M, typename Base>
  ParameterList& Add(absl::string_view name, M Base::*member) {
    using Access = parameter_internal::Access<M>;
    Parameter parameter;
    parameter.name = name;
    parameter.kind = Access::kKind;
    parameter.enum_names = Access::Names();
    parameter.is_optional = Access::kIsOptional;
    parameter.get = [member](const std::any& parameters) {
      return Access::Get(std::any_cast<const P&>(parameters).*member);
    };
    parameter.set = [member](const ParameterValue& value, std::any& parameters) {
      Access::Set(value, std::any_cast<P&>(parameters).*member);
    };
    parameters_.push_back(std::move(parameter));
    return *this;
  }

  std::vector<Parameter> parameters_;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_PARAMETER_H_
