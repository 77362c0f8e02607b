// In VHLO each number and each list is an attribute of its own, all attributes are given, and lists are tensors. In
// StableHLO attributes with a meaning together are a struct, defaults are left out, and lists are arrays. The
// tables of property_rules.h say which is which; older forms of an operation lack fields of a struct, which then have
// their defaults.
#include "builders/stablehlo/bytecode/upgrade_properties.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/bytecode/property_rules.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/dialect_attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// Longer lists of equal numbers than this are not read: a few bytes may stand for a long one, which no operation has.
constexpr int64_t kMostEqualNumbers = 1024;

absl::Status WrongKind(absl::string_view name, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("expected the attribute '", name, "' to be ", expected));
}

class Upgrade {
 public:
  Upgrade(const VhloOperation& operation, absl::Span<const AttributeId> given, Module* module)
      : operation_(operation), given_(given), is_used_(given.size()), module_(*module) {}

  absl::StatusOr<std::vector<NamedAttribute>> Run() {
    for (const DroppedAttribute& dropped : DroppedAttributes()) {
      if (dropped.operation == operation_.name) Take(dropped.attribute);
    }
    for (const StructRule& rule : StructRules()) {
      if (rule.operation == operation_.name) RETURN_IF_ERROR(AddStruct(rule));
    }
    RETURN_IF_ERROR(AddChannel());
    RETURN_IF_ERROR(AddLayouts());
    for (size_t i = 0; i < given_.size(); ++i) {
      if (!is_used_[i]) RETURN_IF_ERROR(AddProperty(operation_.attributes[i], given_[i]));
    }
    return std::move(properties_);
  }

 private:
  // The attribute, which then has been used. Not ok(): this form of the operation does not have it.
  AttributeId Take(absl::string_view name) {
    for (size_t i = 0; i < given_.size(); ++i) {
      if (operation_.attributes[i] != name) continue;
      is_used_[i] = true;
      return given_[i];
    }
    return {};
  }

  void Add(absl::string_view name, AttributeId value) { properties_.push_back({name, value}); }

  absl::Status AddProperty(absl::string_view name, AttributeId value) {
    const PropertyRule& rule = RuleOf(operation_.name, name);
    if (IsNotGiven(rule.not_given, value)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const AttributeId converted, Convert(rule.conversion, name, value));
    Add(name, converted);
    return absl::OkStatus();
  }

  // ---- Structs

  absl::Status AddStruct(const StructRule& rule) {
    const StructForm* const form = FindStructForm(rule.struct_name);
    std::vector<NamedAttribute> fields;
    bool is_given = false;
    for (const StructField& field : form->fields) {
      const AttributeId value = Take(field.name);
      is_given = is_given || (value.ok() && !IsNoneType(value));
      fields.push_back({field.name, value});
    }
    // Of an algorithm, all fields may be the type none or, in old forms, not there.
    if (rule.struct_name == "stablehlo.dot_algorithm" && !is_given) return absl::OkStatus();
    for (size_t i = 0; i < fields.size(); ++i) {
      ASSIGN_OR_RETURN(fields[i].value, FieldValue(form->fields[i], fields[i].value));
    }
    Add(rule.property, module_.Struct(rule.struct_name, std::move(fields)));
    return absl::OkStatus();
  }

  absl::StatusOr<AttributeId> FieldValue(const StructField& field, AttributeId value) {
    switch (field.kind) {
      case FieldKind::kIntegers:
        if (!value.ok()) return module_.Int64Array({});
        return Convert(Conversion::kIntegers, field.name, value);
      case FieldKind::kInteger:
        if (!value.ok()) return module_.Int64(0);
        if (Kind(value) != AttributeKind::kInteger) return WrongKind(field.name, "an integer");
        return value;
      case FieldKind::kBool:
        if (!value.ok() || Kind(value) != AttributeKind::kBool) return WrongKind(field.name, "true or false");
        return value;
      case FieldKind::kType:
        if (!value.ok() || Kind(value) != AttributeKind::kType) return WrongKind(field.name, "a type");
        return value;
      case FieldKind::kFloat:
      case FieldKind::kMode:
        break;  // of no struct above
    }
    return WrongKind(field.name, "a field of a struct");
  }

  // Collectives keep only the number of their channel, sends and receives its type too.
  absl::Status AddChannel() {
    const AttributeId id = Take("channel_id");
    const AttributeId type = Take("channel_type");
    if (!id.ok()) return absl::OkStatus();
    const absl::optional<int64_t> handle = IntegerValue(module_, id);
    const absl::optional<int64_t> number = type.ok() ? IntegerValue(module_, type) : 0;
    if (!handle.has_value() || !number.has_value())
      return WrongKind(handle ? "channel_type" : "channel_id", "a number");
    if (!type.ok() && *handle == 0) return absl::OkStatus();
    Add("channel_handle", module_.Struct("stablehlo.channel_handle",
                                         {{"handle", module_.Int64(*handle)}, {"type", module_.Int64(*number)}}));
    return absl::OkStatus();
  }

  // Of operands and results both, or of none.
  absl::Status AddLayouts() {
    const AttributeId operands = Take("operand_layouts");
    const AttributeId results = Take("result_layouts");
    if (!operands.ok() || (IsNotGiven(NotGiven::kEmpty, operands) && IsNotGiven(NotGiven::kEmpty, results))) {
      return absl::OkStatus();
    }
    Add("operand_layouts", operands);
    Add("result_layouts", results);
    return absl::OkStatus();
  }

  // ---- Values

  AttributeKind Kind(AttributeId id) const { return module_.attribute(id).kind; }
  bool IsNoneType(AttributeId id) const {
    const Attribute& value = module_.attribute(id);
    return value.kind == AttributeKind::kType && module_.type(value.type).kind == TypeKind::kNone;
  }
  bool IsWord(AttributeId id, absl::string_view word) const {
    return Kind(id) == AttributeKind::kEnum && module_.attribute(id).text == word;
  }

  bool IsNotGiven(NotGiven value, AttributeId id) const {
    const Attribute& attribute = module_.attribute(id);
    switch (value) {
      case NotGiven::kNone:
        return false;
      case NotGiven::kZeros:
        return IsAll(0, id);
      case NotGiven::kOnes:
        return IsAll(1, id);
      case NotGiven::kMinusOne:
        return IntegerValue(module_, id) == -1;
      case NotGiven::kEmpty:
        return IsEmpty(attribute);
      case NotGiven::kDefault:
        return IsDefault(id);
      case NotGiven::kNoType:
        return IsWord(id, "NOTYPE");
    }
    return false;
  }

  bool IsAll(int64_t wanted, AttributeId id) const {
    if (const absl::optional<int64_t> number = IntegerValue(module_, id)) return number == wanted;
    const absl::optional<std::vector<int64_t>> list = ListOf(id);
    return list.has_value() && !list->empty() &&
           std::all_of(list->begin(), list->end(), [wanted](int64_t number) { return number == wanted; });
  }

  bool IsEmpty(const Attribute& attribute) const {
    switch (attribute.kind) {
      case AttributeKind::kString:
        return attribute.text.empty();
      case AttributeKind::kDictionary:
        return attribute.fields.empty();
      case AttributeKind::kDenseElements:
        return attribute.data.empty();
      case AttributeKind::kArray:
        return std::all_of(attribute.elements.begin(), attribute.elements.end(), [this](AttributeId element) {
          return Kind(element) == AttributeKind::kDictionary && module_.attribute(element).fields.empty();
        });
      default:
        return false;
    }
  }

  bool IsDefault(AttributeId id) const {
    const Attribute& attribute = module_.attribute(id);
    if (attribute.kind == AttributeKind::kArray) {
      return std::all_of(attribute.elements.begin(), attribute.elements.end(),
                         [this](AttributeId element) { return IsWord(element, "DEFAULT"); });
    }
    if (attribute.kind != AttributeKind::kStruct) return IsWord(id, "DEFAULT");
    return std::all_of(attribute.fields.begin(), attribute.fields.end(), [this](const NamedAttribute& field) {
      return IsWord(field.value, "DEFAULT") || IsZero(module_.attribute(field.value));
    });
  }
  static bool IsZero(const Attribute& number) {
    return (number.kind == AttributeKind::kInteger || number.kind == AttributeKind::kFloat) && number.integer == 0;
  }

  absl::StatusOr<AttributeId> Convert(Conversion conversion, absl::string_view name, AttributeId id) {
    const Attribute& attribute = module_.attribute(id);
    switch (conversion) {
      case Conversion::kSame:
        return id;
      case Conversion::kIntegers: {
        const absl::optional<std::vector<int64_t>> list = ListOf(id, 64);
        if (!list.has_value()) return WrongKind(name, "a list of 64-bit integers");
        return module_.Int64Array(*list);
      }
      case Conversion::kBooleans: {
        const absl::optional<std::vector<int64_t>> list = ListOf(id, 1);
        if (!list.has_value()) return WrongKind(name, "a list of truth values");
        return BooleanArray(*list, module_.type(attribute.type).element);
      }
      case Conversion::kFlag:
        if (attribute.kind != AttributeKind::kBool) return WrongKind(name, "true or false");
        return module_.Intern(UnitAttribute());
      case Conversion::kSymbol:
        if (attribute.kind != AttributeKind::kString) return WrongKind(name, "the name of a function");
        return module_.Symbol(attribute.text);
      case Conversion::kSymbols: {
        std::vector<AttributeId> symbols;
        for (const AttributeId element : attribute.elements) {
          ASSIGN_OR_RETURN(const AttributeId symbol, Convert(Conversion::kSymbol, name, element));
          symbols.push_back(symbol);
        }
        if (attribute.kind != AttributeKind::kArray) return WrongKind(name, "a list of names of functions");
        return module_.Intern(ArrayAttribute(symbols));
      }
    }
    return id;
  }

  // Of a tensor of one dimension of integers of this width.
  absl::optional<std::vector<int64_t>> ListOf(AttributeId id, uint32_t width) const {
    const Attribute& attribute = module_.attribute(id);
    if (attribute.kind != AttributeKind::kDenseElements) return absl::nullopt;
    const Type& tensor = module_.type(attribute.type);
    const Type& element = module_.type(tensor.element);
    const bool is_list = tensor.dimensions.size() == 1 && element.kind == TypeKind::kInteger && element.width == width;
    return is_list ? ListOf(id) : absl::nullopt;
  }
  absl::optional<std::vector<int64_t>> ListOf(AttributeId id) const {
    const Attribute& attribute = module_.attribute(id);
    const bool is_long = attribute.is_splat && ElementCount(module_.type(attribute.type)) > kMostEqualNumbers;
    return is_long ? absl::nullopt : IntegerList(module_, id);
  }

  AttributeId BooleanArray(const std::vector<int64_t>& values, TypeId type) {
    std::string bytes;
    for (const int64_t value : values) bytes.push_back(static_cast<char>(value));
    absl::string_view kept = bytes;
    if (bytes.size() > kMaxInternedBytes) kept = module_.KeepBytes(bytes);
    return module_.Intern(DenseArrayAttribute(type, kept));
  }

  const VhloOperation& operation_;
  const absl::Span<const AttributeId> given_;
  std::vector<bool> is_used_;
  Module& module_;
  std::vector<NamedAttribute> properties_;
};

}  // namespace

absl::StatusOr<std::vector<NamedAttribute>> UpgradeProperties(const VhloOperation& operation,
                                                              absl::Span<const AttributeId> given, Module* module) {
  return Upgrade(operation, given, module).Run();
}

}  // namespace stablehlo
}  // namespace xla
