#include "builders/stablehlo/text/print_attributes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/dialect_attributes.h"
#include "builders/stablehlo/text/print_elements.h"
#include "builders/stablehlo/text/print_numbers.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {
namespace {

// array<i64: 1, 2>
void AppendDenseArray(const Module& module, const Attribute& value, std::string* out) {
  out->append("array<");
  AppendType(module, value.type, out);
  const size_t bytes = static_cast<size_t>(ElementBytes(module, value.type));
  for (size_t at = 0; at < value.data.size(); at += bytes) {
    out->append(at == 0 ? ": " : ", ");
    AppendElement(module, value.type, value.data.data() + at, out);
  }
  out->push_back('>');
}

void AppendInteger(const Module& module, const Attribute& value, std::string* out) {
  const Type& type = module.type(value.type);
  if (type.signedness == Signedness::kUnsigned) {
    absl::StrAppend(out, static_cast<uint64_t>(value.integer));
  } else {
    absl::StrAppend(out, value.integer);
  }
  out->append(" : ");
  AppendType(module, value.type, out);
}

void AppendArray(const Module& module, absl::Span<const AttributeId> elements, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendAttribute(module, elements[i], out);
  }
  out->push_back(']');
}

absl::string_view TextField(const Module& module, AttributeId attribute, absl::string_view name) {
  return TextValue(module, FieldOf(module, attribute, name)).value_or("");
}
int64_t IntegerField(const Module& module, AttributeId attribute, absl::string_view name) {
  return IntegerValue(module, FieldOf(module, attribute, name)).value_or(0);
}
std::vector<int64_t> ListField(const Module& module, AttributeId attribute, absl::string_view name) {
  return IntegerList(module, FieldOf(module, attribute, name)).value_or(std::vector<int64_t>());
}
absl::Span<const AttributeId> ElementsField(const Module& module, AttributeId attribute, absl::string_view name) {
  const AttributeId field = FieldOf(module, attribute, name);
  return field.ok() ? module.attribute(field).elements : absl::Span<const AttributeId>();
}

// <6, ?>
void AppendBounds(const Module& module, AttributeId attribute, std::string* out) {
  out->push_back('<');
  const char* separator = "";
  for (const int64_t bound : ListField(module, attribute, "bounds")) {
    out->append(separator);
    if (bound == kDynamic) {
      out->push_back('?');
    } else {
      absl::StrAppend(out, bound);
    }
    separator = ", ";
  }
  out->push_back('>');
}

// <name = "a", sub_axis_info = (1)2>
void AppendAxisReference(const Module& module, AttributeId attribute, std::string* out) {
  out->append("<name = ");
  AppendString(TextField(module, attribute, "name"), out);
  const AttributeId part = FieldOf(module, attribute, "sub_axis_info");
  if (part.ok()) {
    absl::StrAppend(out, ", sub_axis_info = (", IntegerField(module, part, "pre_size"), ")",
                    IntegerField(module, part, "size"));
  }
  out->push_back('>');
}

// <name = "a", size = 2>
void AppendMeshAxis(const Module& module, AttributeId attribute, std::string* out) {
  out->append("<name = ");
  AppendString(TextField(module, attribute, "name"), out);
  absl::StrAppend(out, ", size = ", IntegerField(module, attribute, "size"), ">");
}

// <axes=[<name = "a", size = 2>], device_ids=dense<...>>
void AppendStablehloMesh(const Module& module, AttributeId attribute, std::string* out) {
  out->append("<axes=[");
  const char* separator = "";
  for (const AttributeId axis : ElementsField(module, attribute, "axes")) {
    out->append(separator);
    AppendMeshAxis(module, axis, out);
    separator = ", ";
  }
  out->push_back(']');
  const AttributeId device_ids = FieldOf(module, attribute, "device_ids");
  if (device_ids.ok()) {
    out->append(", device_ids=");
    AppendAttribute(module, device_ids, out);
  }
  out->push_back('>');
}

// <mesh = @mesh, axes = [...]>
void AppendMeshAxesGroups(const Module& module, AttributeId attribute, std::string* out) {
  out->append("<mesh = ");
  AppendAttribute(module, FieldOf(module, attribute, "mesh"), out);
  out->append(", axes = ");
  AppendArray(module, ElementsField(module, attribute, "axes"), out);
  out->push_back('>');
}

bool IsDefault(const Module& module, const Attribute& value) {
  switch (value.kind) {
    case AttributeKind::kDenseArray:
      return value.data.empty();
    case AttributeKind::kInteger:
    case AttributeKind::kFloat:
    case AttributeKind::kBool:
      return value.integer == 0;
    case AttributeKind::kEnum:
      return value.text == "DEFAULT";
    default:
      return false;
  }
}

void AppendFieldValue(const Module& module, AttributeId id, std::string* out) {
  const Attribute& value = module.attribute(id);
  if (value.kind == AttributeKind::kDenseArray) {
    AppendIntegers(IntegerList(module, id).value_or(std::vector<int64_t>()), out);
  } else if (value.kind == AttributeKind::kInteger) {
    absl::StrAppend(out, value.integer);
  } else if (value.kind == AttributeKind::kFloat) {
    AppendFloat(static_cast<uint64_t>(value.integer), module.type(value.type).float_kind, out);
  } else {
    AppendAttribute(module, id, out);
  }
}

void AppendStruct(const Module& module, AttributeId id, std::string* out) {
  const Attribute& value = module.attribute(id);
  const absl::string_view name = value.name;
  if (name == "sdy.manual_axes") {
    out->append("#sdy<manual_axes");
    AppendManualAxes(module, id, out);
    out->push_back('>');
    return;
  }
  if (name == "sdy.axis_ref_list" || name == "sdy.list_of_axis_ref_lists" || name == "sdy.all_to_all_param_list") {
    absl::StrAppend(out, "#sdy<", name.substr(name.find('.') + 1));
    AppendCollectiveAxes(module, id, out);
    out->push_back('>');
    return;
  }
  absl::StrAppend(out, "#", name);
  if (name == "stablehlo.bounds") return AppendBounds(module, id, out);
  if (name == "stablehlo.axis_ref") return AppendAxisReference(module, id, out);
  if (name == "stablehlo.mesh_axis") return AppendMeshAxis(module, id, out);
  if (name == "stablehlo.mesh") return AppendStablehloMesh(module, id, out);
  if (name == "stablehlo.replica_group_mesh_axes") return AppendMeshAxesGroups(module, id, out);
  if (name == "sdy.mesh") return AppendMesh(module, id, out);
  if (name == "sdy.sharding") return AppendSharding(module, id, out);
  if (name == "sdy.op_sharding_rule") return AppendShardingRule(module, id, out);
  if (name == "sdy.sharding_per_value") {
    out->push_back('<');
    AppendShardings(module, id, out);
    out->push_back('>');
    return;
  }
  if (name == "stablehlo.conv") {
    out->push_back('<');
    if (AppendDimensionLetters(module, id, out)) {
      out->push_back('>');
      return;
    }
    out->pop_back();
  }
  AppendStructBody(module, value, out);
}

}  // namespace

void AppendStructBody(const Module& module, const Attribute& value, std::string* out) {
  const StructForm* const form = FindStructForm(value.name);
  out->append(value.name == "stablehlo.conv" ? "<raw " : "<");
  const char* separator = "";
  // A struct has a form, unless one was made that no text says: its fields are then printed as they are.
  const size_t count = form == nullptr ? value.fields.size() : form->fields.size();
  for (size_t i = 0; i < count; ++i) {
    const absl::string_view name = form == nullptr ? value.fields[i].name : form->fields[i].name;
    const auto field = std::find_if(value.fields.begin(), value.fields.end(),
                                    [&](const NamedAttribute& each) { return each.name == name; });
    if (field == value.fields.end()) continue;
    if (form != nullptr && form->omits_defaults && IsDefault(module, module.attribute(field->value))) continue;
    absl::StrAppend(out, separator, name, " = ");
    AppendFieldValue(module, field->value, out);
    separator = ", ";
  }
  out->push_back('>');
}

void AppendIntegers(absl::Span<const int64_t> values, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < values.size(); ++i) absl::StrAppend(out, i == 0 ? "" : ", ", values[i]);
  out->push_back(']');
}

void AppendDictionary(const Module& module, absl::Span<const NamedAttribute> fields, std::string* out) {
  out->push_back('{');
  const char* separator = "";
  for (const NamedAttribute& field : fields) {
    out->append(separator);
    if (IsWord(field.name)) {
      out->append(field.name.data(), field.name.size());
    } else {
      AppendString(field.name, out);
    }
    separator = ", ";
    if (module.attribute(field.value).kind == AttributeKind::kUnit) continue;
    out->append(" = ");
    AppendAttribute(module, field.value, out);
  }
  out->push_back('}');
}

void AppendAttribute(const Module& module, AttributeId id, std::string* out) {
  const Attribute& value = module.attribute(id);
  switch (value.kind) {
    case AttributeKind::kUnit:
      out->append("unit");
      return;
    case AttributeKind::kBool:
      out->append(value.integer != 0 ? "true" : "false");
      return;
    case AttributeKind::kInteger:
      return AppendInteger(module, value, out);
    case AttributeKind::kFloat:
      AppendFloat(static_cast<uint64_t>(value.integer), module.type(value.type).float_kind, out);
      out->append(" : ");
      return AppendType(module, value.type, out);
    case AttributeKind::kString:
      return AppendString(value.text, out);
    case AttributeKind::kSymbol:
      AppendSymbol(value.text, out);
      for (const AttributeId nested : value.elements) {
        out->append("::");
        AppendSymbol(module.attribute(nested).text, out);
      }
      return;
    case AttributeKind::kType:
      return AppendType(module, value.type, out);
    case AttributeKind::kArray:
      return AppendArray(module, value.elements, out);
    case AttributeKind::kDictionary:
      return AppendDictionary(module, value.fields, out);
    case AttributeKind::kDenseArray:
      return AppendDenseArray(module, value, out);
    case AttributeKind::kDenseElements:
      AppendElements(module, value, out);
      out->append(" : ");
      return AppendType(module, value.type, out);
    case AttributeKind::kResource:
      out->append("dense_resource<");
      if (IsWord(value.text)) {
        out->append(value.text.data(), value.text.size());
      } else {
        AppendString(value.text, out);
      }
      out->append("> : ");
      return AppendType(module, value.type, out);
    case AttributeKind::kEnum: {
      const size_t dot = value.name.find('.');
      const absl::string_view dialect = value.name.substr(0, dot);
      const absl::string_view name = value.name.substr(dot + 1);
      if (name == "result_accuracy_mode") {
        absl::StrAppend(out, "#", value.name, "<", value.text, ">");
      } else {
        absl::StrAppend(out, "#", dialect, "<", name, " ", value.text, ">");
      }
      return;
    }
    case AttributeKind::kStruct:
      return AppendStruct(module, id, out);
    case AttributeKind::kOpaque:
      out->append(value.text.data(), value.text.size());
      return;
  }
}

bool AppendDimensionLetters(const Module& module, AttributeId id, std::string* out) {
  struct Part {
    absl::string_view first;
    absl::string_view second;
    absl::string_view spatial;
    const char* letters;
    const char* separator;
  };
  constexpr Part kParts[] = {
      {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions", "bf", ""},
      {"kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions", "io", "x"},
      {"output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", "bf", "->"}};
  std::string text;
  for (const Part& part : kParts) {
    const std::vector<int64_t> spatial = ListField(module, id, part.spatial);
    std::vector<std::string> places(spatial.size() + 2);
    const auto put = [&places](int64_t place, std::string letter) {
      if (place < 0 || place >= static_cast<int64_t>(places.size()) || !places[place].empty()) return false;
      places[place] = std::move(letter);
      return true;
    };
    if (!put(IntegerField(module, id, part.first), std::string(1, part.letters[0])) ||
        !put(IntegerField(module, id, part.second), std::string(1, part.letters[1]))) {
      return false;
    }
    for (size_t i = 0; i < spatial.size(); ++i) {
      if (!put(spatial[i], absl::StrCat(i))) return false;
    }
    absl::StrAppend(&text, part.separator, "[");
    for (size_t i = 0; i < places.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", places[i]);
    text.push_back(']');
  }
  out->append(text);
  return true;
}

}  // namespace stablehlo
}  // namespace xla
