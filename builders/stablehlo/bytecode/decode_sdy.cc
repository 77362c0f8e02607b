// Attributes of sdy (Shardy).
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"

namespace xla {
namespace stablehlo {

bool AttributeDecoder::DecodeSdyAttribute(ByteReader& reader) {
  uint64_t code = 0;
  if (!reader.ReadVarint(&code)) return false;
  switch (code) {
    case 0: {
      std::vector<AttributeId> axes;
      if (!ReadAttributes(reader, &axes)) return false;
      for (const AttributeId axis : axes) {
        if (axis.ok() && module_.attribute(axis).kind != AttributeKind::kString)
          return reader.Error("expected a string");
      }
      return IsWaiting() || SetStruct("sdy.manual_axes", {{"axes", module_.Intern(ArrayAttribute(axes))}});
    }
    case 1: {
      absl::string_view name;
      int64_t size = 0;
      if (!ReadString(reader, &name) || !reader.ReadSignedVarint(&size)) return false;
      if (size < 1) return reader.Error(absl::StrCat("expected the size of an axis, from 1, found ", size));
      return SetStruct("sdy.mesh_axis", {{"name", module_.String(name)}, {"size", module_.Int64(size)}});
    }
    case 2:
      return DecodeSdyMesh(reader);
    case 3:
      return DecodeSubAxis(reader, "sdy.sub_axis");
    case 4:
      return DecodeSdyAxisReference(reader);
    case 5:
      return DecodeDimensionSharding(reader);
    case 6:
    case 15:
    case 17:
      return DecodeSharding(reader, /*has_unreduced=*/code != 6, /*has_reduction=*/code == 17);
    case 7:
    case 16:
      return DecodeStructsOf(reader, "sdy.sharding", "sdy.sharding_per_value", "shardings");
    case 8: {
      std::vector<int64_t> factors;
      return ReadFactors(reader, &factors) && SetAttribute(module_.Int64Array(factors));
    }
    case 9: {
      std::vector<AttributeId> dimensions;
      if (!ReadAttributes(reader, &dimensions)) return false;
      for (const AttributeId dimension : dimensions) {
        if (!dimension.ok() || module_.attribute(dimension).kind == AttributeKind::kDenseArray) continue;
        return reader.Error("expected the factors of a dimension");
      }
      return SetAttribute(ArrayAttribute(dimensions));
    }
    case 10:
      return DecodeShardingRule(reader);
    case 11:
      return DecodeStructsOf(reader, "sdy.axis_ref", "sdy.axis_ref_list", "axes");
    case 12:
      return DecodeStructsOf(reader, "sdy.axis_ref_list", "sdy.list_of_axis_ref_lists", "lists");
    case 13: {
      std::vector<AttributeId> axes;
      int64_t from = 0;
      int64_t to = 0;
      if (!ReadStructs(reader, "sdy.axis_ref", &axes) || !reader.ReadSignedVarint(&from) ||
          !reader.ReadSignedVarint(&to)) {
        return false;
      }
      return IsWaiting() || SetStruct("sdy.all_to_all_param", {{"axes", module_.Intern(ArrayAttribute(axes))},
                                                               {"src_dim", module_.Int64(from)},
                                                               {"tgt_dim", module_.Int64(to)}});
    }
    case 14:
      return DecodeStructsOf(reader, "sdy.all_to_all_param", "sdy.all_to_all_param_list", "params");
    default:
      return ErrorCode(reader, "sdy", "attribute", code);
  }
}

// A struct whose one field is a list of structs.
bool AttributeDecoder::DecodeStructsOf(ByteReader& reader, absl::string_view element, absl::string_view name,
                                       absl::string_view field) {
  std::vector<AttributeId> elements;
  return ReadStructs(reader, element, &elements) &&
         (IsWaiting() || SetStruct(name, {{field, module_.Intern(ArrayAttribute(elements))}}));
}

bool AttributeDecoder::DecodeSdyMesh(ByteReader& reader) {
  std::vector<AttributeId> axes;
  std::vector<int64_t> device_ids;
  return ReadStructs(reader, "sdy.mesh_axis", &axes) && ReadIntegers(reader, &device_ids) &&
         (IsWaiting() || SetStruct("sdy.mesh", {{"axes", module_.Intern(ArrayAttribute(axes))},
                                                {"device_ids", module_.Int64Array(device_ids)}}));
}

bool AttributeDecoder::DecodeSdyAxisReference(ByteReader& reader) {
  absl::string_view name;
  bool has_part = false;
  AttributeId part;
  if (!ReadString(reader, &name) || !ReadOptionalAttribute(reader, &has_part, &part)) return false;
  std::vector<NamedAttribute> fields = {{"name", module_.String(name)}};
  if (has_part) {
    if (!CheckStruct(reader, "sdy.sub_axis", part)) return false;
    fields.push_back({"sub_axis", part});
  }
  return SetStruct("sdy.axis_ref", std::move(fields));
}

bool AttributeDecoder::DecodeDimensionSharding(ByteReader& reader) {
  std::vector<AttributeId> axes;
  bool is_closed = false;
  uint64_t priority = 0;
  bool has_priority = false;
  if (!ReadStructs(reader, "sdy.axis_ref", &axes) || !ReadTruth(reader, &is_closed) ||
      !reader.ReadFlagged(&priority, &has_priority)) {
    return false;
  }
  if (IsWaiting()) return true;
  std::vector<NamedAttribute> fields = {{"axes", module_.Intern(ArrayAttribute(axes))},
                                        {"is_closed", module_.Intern(BoolAttribute(is_closed))}};
  if (has_priority) fields.push_back({"priority", module_.Int64(static_cast<int64_t>(priority))});
  return SetStruct("sdy.dimension_sharding", std::move(fields));
}

bool AttributeDecoder::DecodeSharding(ByteReader& reader, bool has_unreduced, bool has_reduction) {
  AttributeId mesh;
  std::vector<AttributeId> dimensions;
  std::vector<AttributeId> replicated;
  std::vector<AttributeId> unreduced;
  int64_t reduction = 0;
  if (!ReadAttribute(reader, &mesh) || !ReadStructs(reader, "sdy.dimension_sharding", &dimensions) ||
      !ReadStructs(reader, "sdy.axis_ref", &replicated) ||
      (has_unreduced && !ReadStructs(reader, "sdy.axis_ref", &unreduced)) ||
      (has_reduction && !reader.ReadSignedVarint(&reduction))) {
    return false;
  }
  if (IsWaiting()) return true;
  if (reduction != 0) return reader.Error("axes that are not reduced by a sum are not supported");
  const Attribute& value = module_.attribute(mesh);
  const bool is_symbol = value.kind == AttributeKind::kSymbol && value.elements.empty();
  if (!is_symbol && !CheckStruct(reader, "sdy.mesh", mesh)) return false;
  return SetStruct("sdy.sharding", {{"mesh", mesh},
                                    {"dim_shardings", module_.Intern(ArrayAttribute(dimensions))},
                                    {"replicated_axes", module_.Intern(ArrayAttribute(replicated))},
                                    {"unreduced_axes", module_.Intern(ArrayAttribute(unreduced))}});
}

bool AttributeDecoder::ReadFactors(ByteReader& reader, std::vector<int64_t>* factors) {
  if (!ReadIntegers(reader, factors)) return false;
  const auto is_wrong = [](int64_t factor) { return factor < 0 || factor > std::numeric_limits<int32_t>::max(); };
  return std::none_of(factors->begin(), factors->end(), is_wrong) || reader.Error("expected the numbers of factors");
}

// For each value a list, which has the factors of each dimension.
bool AttributeDecoder::DecodeFactorMappings(ByteReader& reader, AttributeId* mappings) {
  std::vector<AttributeId> values;
  if (!ReadAttributes(reader, &values)) return false;
  for (const AttributeId value : values) {
    if (!value.ok()) continue;
    const Attribute& mapping = module_.attribute(value);
    const bool is_mapping =
        mapping.kind == AttributeKind::kArray &&
        std::all_of(mapping.elements.begin(), mapping.elements.end(), [this](AttributeId dimension) {
          return module_.attribute(dimension).kind == AttributeKind::kDenseArray;
        });
    if (!is_mapping) return reader.Error("expected the factors of the dimensions of a value");
  }
  if (!IsWaiting()) *mappings = module_.Intern(ArrayAttribute(values));
  return true;
}

bool AttributeDecoder::DecodeShardingRule(ByteReader& reader) {
  std::vector<int64_t> sizes;
  std::vector<NamedAttribute> fields(2);
  fields[0].name = "operand_mappings";
  fields[1].name = "result_mappings";
  if (!ReadIntegers(reader, &sizes) || !DecodeFactorMappings(reader, &fields[0].value) ||
      !DecodeFactorMappings(reader, &fields[1].value)) {
    return false;
  }
  fields.push_back({"factor_sizes", module_.Int64Array(sizes)});
  for (const absl::string_view name :
       {"reduction_factors", "need_replication_factors", "permutation_factors", "blocked_propagation_factors"}) {
    std::vector<int64_t> factors;
    if (!ReadFactors(reader, &factors)) return false;
    fields.push_back({name, module_.Int64Array(factors)});
  }
  bool is_custom = false;
  if (!ReadTruth(reader, &is_custom)) return false;
  fields.push_back({"is_custom_rule", module_.Intern(BoolAttribute(is_custom))});
  return SetStruct("sdy.op_sharding_rule", std::move(fields));
}

}  // namespace stablehlo
}  // namespace xla
