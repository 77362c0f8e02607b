// Attributes of the dialect sdy.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_numbers.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Span<const AttributeId> Elements(const Module& module, AttributeId attribute, absl::string_view field_name) {
  const AttributeId field = FieldOf(module, attribute, field_name);
  return field.ok() ? module.attribute(field).elements : absl::Span<const AttributeId>();
}
int64_t Integer(const Module& module, AttributeId attribute, absl::string_view field_name) {
  return IntegerValue(module, FieldOf(module, attribute, field_name)).value_or(0);
}
void AppendName(const Module& module, AttributeId attribute, std::string* out) {
  AppendString(TextValue(module, FieldOf(module, attribute, "name")).value_or(""), out);
}

// "a" or "a":(1)2
void AppendAxis(const Module& module, AttributeId axis, std::string* out) {
  AppendName(module, axis, out);
  const AttributeId part = FieldOf(module, axis, "sub_axis");
  if (part.ok()) absl::StrAppend(out, ":(", Integer(module, part, "pre_size"), ")", Integer(module, part, "size"));
}

void AppendAxes(const Module& module, absl::Span<const AttributeId> axes, std::string* out) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendAxis(module, axes[i], out);
  }
}

// {"a", ?}p1
void AppendDimensionSharding(const Module& module, AttributeId dimension, std::string* out) {
  const absl::Span<const AttributeId> axes = Elements(module, dimension, "axes");
  out->push_back('{');
  AppendAxes(module, axes, out);
  if (!FlagValue(module, FieldOf(module, dimension, "is_closed")).value_or(true)) {
    out->append(axes.empty() ? "?" : ", ?");
  }
  out->push_back('}');
  const AttributeId priority = FieldOf(module, dimension, "priority");
  if (priority.ok()) absl::StrAppend(out, "p", IntegerValue(module, priority).value_or(0));
}

void AppendFactor(int64_t factor, std::string* out) {
  constexpr int64_t kLast = 'z' - 'i';
  out->push_back(static_cast<char>('i' + std::min(factor, kLast)));
  if (factor > kLast) absl::StrAppend(out, "_", factor - kLast);
}

// ([i, j], [ij])
void AppendMappings(const Module& module, absl::Span<const AttributeId> values, std::string* out) {
  out->push_back('(');
  for (size_t i = 0; i < values.size(); ++i) {
    out->append(i == 0 ? "[" : ", [");
    const absl::Span<const AttributeId> dimensions = module.attribute(values[i]).elements;
    for (size_t j = 0; j < dimensions.size(); ++j) {
      if (j > 0) out->append(", ");
      for (const int64_t factor : IntegerList(module, dimensions[j]).value_or(std::vector<int64_t>())) {
        AppendFactor(factor, out);
      }
    }
    out->push_back(']');
  }
  out->push_back(')');
}

}  // namespace

void AppendSharding(const Module& module, AttributeId sharding, std::string* out) {
  const AttributeId mesh = FieldOf(module, sharding, "mesh");
  out->push_back('<');
  if (mesh.ok() && module.attribute(mesh).kind == AttributeKind::kStruct) {
    out->append("mesh");
    AppendMesh(module, mesh, out);
  } else if (mesh.ok()) {
    AppendAttribute(module, mesh, out);
  }
  out->append(", [");
  const absl::Span<const AttributeId> dimensions = Elements(module, sharding, "dim_shardings");
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendDimensionSharding(module, dimensions[i], out);
  }
  out->push_back(']');
  for (const absl::string_view name : {"replicated", "unreduced"}) {
    const absl::Span<const AttributeId> axes = Elements(module, sharding, absl::StrCat(name, "_axes"));
    if (axes.empty()) continue;
    absl::StrAppend(out, ", ", name, "={");
    AppendAxes(module, axes, out);
    out->push_back('}');
  }
  out->push_back('>');
}

void AppendShardings(const Module& module, AttributeId shardings, std::string* out) {
  out->push_back('[');
  const absl::Span<const AttributeId> values = Elements(module, shardings, "shardings");
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendSharding(module, values[i], out);
  }
  out->push_back(']');
}

void AppendMesh(const Module& module, AttributeId mesh, std::string* out) {
  out->append("<[");
  const absl::Span<const AttributeId> axes = Elements(module, mesh, "axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendName(module, axes[i], out);
    absl::StrAppend(out, "=", Integer(module, axes[i], "size"));
  }
  out->push_back(']');
  const std::vector<int64_t> device_ids =
      IntegerList(module, FieldOf(module, mesh, "device_ids")).value_or(std::vector<int64_t>());
  if (!device_ids.empty()) {
    out->append(", device_ids=");
    AppendIntegers(device_ids, out);
  }
  out->push_back('>');
}

void AppendManualAxes(const Module& module, AttributeId axes, std::string* out) {
  out->push_back('{');
  const absl::Span<const AttributeId> names = Elements(module, axes, "axes");
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendAttribute(module, names[i], out);
  }
  out->push_back('}');
}

void AppendCollectiveAxes(const Module& module, AttributeId axes, std::string* out) {
  const absl::string_view name = module.attribute(axes).name;
  if (name == "sdy.axis_ref_list") {
    out->push_back('{');
    AppendAxes(module, Elements(module, axes, "axes"), out);
    out->push_back('}');
    return;
  }
  const bool are_params = name == "sdy.all_to_all_param_list";
  const absl::Span<const AttributeId> elements = Elements(module, axes, are_params ? "params" : "lists");
  out->push_back('[');
  for (size_t i = 0; i < elements.size(); ++i) {
    out->append(i > 0 ? ", {" : "{");
    AppendAxes(module, Elements(module, elements[i], "axes"), out);
    out->push_back('}');
    if (!are_params) continue;
    absl::StrAppend(out, ": ", Integer(module, elements[i], "src_dim"), "->", Integer(module, elements[i], "tgt_dim"));
  }
  out->push_back(']');
}

void AppendShardingRule(const Module& module, AttributeId rule, std::string* out) {
  out->push_back('<');
  AppendMappings(module, Elements(module, rule, "operand_mappings"), out);
  out->append("->");
  AppendMappings(module, Elements(module, rule, "result_mappings"), out);
  out->append(" {");
  const auto list = [&](absl::string_view name) {
    return IntegerList(module, FieldOf(module, rule, name)).value_or(std::vector<int64_t>());
  };
  const std::vector<int64_t> sizes = list("factor_sizes");
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendFactor(static_cast<int64_t>(i), out);
    absl::StrAppend(out, "=", sizes[i]);
  }
  out->push_back('}');
  for (const absl::string_view name : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    const std::vector<int64_t> factors = list(absl::StrCat(name, "_factors"));
    if (factors.empty()) continue;
    absl::StrAppend(out, " ", name, "={");
    for (size_t i = 0; i < factors.size(); ++i) {
      if (i > 0) out->append(", ");
      AppendFactor(factors[i], out);
    }
    out->push_back('}');
  }
  out->append(FlagValue(module, FieldOf(module, rule, "is_custom_rule")).value_or(false) ? ", custom>" : ">");
}

}  // namespace stablehlo
}  // namespace xla
