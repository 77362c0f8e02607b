// Attributes of the dialect sdy: meshes, shardings and sharding rules.
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/attribute_parser.h"

namespace xla {
namespace stablehlo {

bool AttributeParser::ReadSdyAttribute(absl::string_view name, const Token& at, AttributeId* attribute) {
  if (name == "mesh") return ReadMesh(attribute);
  if (name == "sharding") return ReadSharding(attribute);
  if (name == "sharding_per_value") return Expect('<') && ReadShardings(attribute) && Expect('>');
  if (name == "manual_axes") return ReadManualAxes(attribute);
  if (name == "axis_ref_list") return ReadAxisRefList(attribute);
  if (name == "list_of_axis_ref_lists") return ReadAxisRefLists(attribute);
  if (name == "all_to_all_param_list") return ReadAllToAllParams(attribute);
  if (name == "op_sharding_rule") return ReadShardingRule(attribute);
  if (const EnumForm* form = FindEnumForm("sdy", name); form != nullptr) return ReadEnumerator("sdy", *form, attribute);
  return ErrorAt(at.begin(), absl::StrCat("the dialect sdy does not have an attribute ", Quoted(name)));
}

// <["a"=2, "b"=4], device_ids=[0, 1]>
bool AttributeParser::ReadMesh(AttributeId* attribute) {
  std::vector<AttributeId> axes;
  std::vector<int64_t> device_ids;
  if (!Expect('<')) return false;
  const bool is_read = ReadList('[', ']', [&] {
    std::string name;
    int64_t size = 0;
    if (!ReadString(&name) || !Expect('=') || !ReadIntegerFrom(1, &size)) return false;
    axes.push_back(module_.Struct("sdy.mesh_axis", {{"name", module_.String(name)}, {"size", module_.Int64(size)}}));
    return true;
  });
  if (!is_read || (ConsumeIf(',') && (!ExpectAssignment("device_ids") || !ReadIntegers(&device_ids)))) return false;
  *attribute = module_.Struct(
      "sdy.mesh", {{"axes", module_.Intern(ArrayAttribute(axes))}, {"device_ids", module_.Int64Array(device_ids)}});
  return Expect('>');
}

// "a" or "a":(1)2
bool AttributeParser::ReadAxis(AttributeId* attribute) {
  std::string name;
  if (!ReadString(&name)) return false;
  NamedAttributes fields = {{"name", module_.String(name)}};
  if (ConsumeIf(':')) {
    int64_t pre_size = 0;
    int64_t size = 0;
    if (!Expect('(') || !ReadIntegerFrom(1, &pre_size) || !Expect(')') || !ReadIntegerFrom(1, &size)) return false;
    fields.push_back({"sub_axis", module_.Struct("sdy.sub_axis", {{"pre_size", module_.Int64(pre_size)},
                                                                  {"size", module_.Int64(size)}})});
  }
  *attribute = module_.Struct("sdy.axis_ref", std::move(fields));
  return true;
}

// {"a", "b":(1)2}
bool AttributeParser::ReadAxisList(AttributeId* attribute) {
  std::vector<AttributeId> axes;
  const bool is_read = ReadList('{', '}', [&] {
    axes.emplace_back();
    return ReadAxis(&axes.back());
  });
  if (is_read) *attribute = module_.Intern(ArrayAttribute(axes));
  return is_read;
}

// {"a", ?}p1
bool AttributeParser::ReadDimensionSharding(AttributeId* attribute) {
  std::vector<AttributeId> axes;
  bool is_closed = true;
  const bool is_read = ReadList('{', '}', [&] {
    if (!is_closed) return ErrorExpected("'}' after '?'");
    is_closed = !ConsumeIf('?');
    if (!is_closed) return true;
    axes.emplace_back();
    return ReadAxis(&axes.back());
  });
  if (!is_read) return false;
  NamedAttributes fields = {{"axes", module_.Intern(ArrayAttribute(axes))},
                            {"is_closed", module_.Intern(BoolAttribute(is_closed))}};
  int64_t priority = 0;
  const bool has_priority = token().Is(TokenKind::kWord) && token().text[0] == 'p' &&
                            absl::SimpleAtoi(token().text.substr(1), &priority) && priority >= 0;
  if (has_priority) {
    fields.push_back({"priority", module_.Int64(priority)});
    Advance();
  }
  *attribute = module_.Struct("sdy.dimension_sharding", std::move(fields));
  return true;
}

// <@mesh, [{"a"}, {?}], replicated={"b"}, unreduced={"c"}>
bool AttributeParser::ReadSharding(AttributeId* attribute) {
  if (!Expect('<')) return false;
  AttributeId mesh;
  if (ConsumeWordIf("mesh") ? !ReadMesh(&mesh) : !ReadSymbolAttribute(&mesh)) return false;
  std::vector<AttributeId> dimensions;
  if (!Expect(',')) return false;
  const bool is_read = ReadList('[', ']', [&] {
    dimensions.emplace_back();
    return ReadDimensionSharding(&dimensions.back());
  });
  if (!is_read) return false;
  AttributeId replicated;
  AttributeId unreduced;
  while (ConsumeIf(',')) {
    const bool is_replicated = token().IsWord("replicated");
    if (!is_replicated && !token().IsWord("unreduced")) return ErrorExpected("'replicated' or 'unreduced'");
    AttributeId* const axes = is_replicated ? &replicated : &unreduced;
    if (axes->ok()) return Error("these axes are duplicated");
    Advance();
    if (!Expect('=') || !ReadAxisList(axes)) return false;
  }
  const AttributeId none = module_.Intern(ArrayAttribute({}));
  *attribute = module_.Struct("sdy.sharding", {{"mesh", mesh},
                                               {"dim_shardings", module_.Intern(ArrayAttribute(dimensions))},
                                               {"replicated_axes", replicated.ok() ? replicated : none},
                                               {"unreduced_axes", unreduced.ok() ? unreduced : none}});
  return Expect('>');
}

bool AttributeParser::ReadShardings(AttributeId* attribute) {
  std::vector<AttributeId> shardings;
  const bool is_read = ReadList('[', ']', [&] {
    shardings.emplace_back();
    return ReadSharding(&shardings.back());
  });
  if (!is_read) return false;
  *attribute = module_.Struct("sdy.sharding_per_value", {{"shardings", module_.Intern(ArrayAttribute(shardings))}});
  return true;
}

bool AttributeParser::ReadManualAxes(AttributeId* attribute) {
  std::vector<AttributeId> axes;
  const bool is_read = ReadList('{', '}', [&] {
    std::string name;
    if (!ReadString(&name)) return false;
    axes.push_back(module_.String(name));
    return true;
  });
  if (!is_read) return false;
  *attribute = module_.Struct("sdy.manual_axes", {{"axes", module_.Intern(ArrayAttribute(axes))}});
  return true;
}

bool AttributeParser::ReadAxisRefList(AttributeId* attribute) {
  AttributeId axes;
  if (!ReadAxisList(&axes)) return false;
  *attribute = module_.Struct("sdy.axis_ref_list", {{"axes", axes}});
  return true;
}

bool AttributeParser::ReadAxisRefLists(AttributeId* attribute) {
  std::vector<AttributeId> lists;
  const bool is_read = ReadList('[', ']', [&] {
    lists.emplace_back();
    return ReadAxisRefList(&lists.back());
  });
  if (is_read) {
    *attribute = module_.Struct("sdy.list_of_axis_ref_lists", {{"lists", module_.Intern(ArrayAttribute(lists))}});
  }
  return is_read;
}

bool AttributeParser::ReadAllToAllParams(AttributeId* attribute) {
  std::vector<AttributeId> params;
  const bool is_read = ReadList('[', ']', [&] {
    AttributeId axes;
    int64_t from = 0;
    int64_t to = 0;
    if (!ReadAxisList(&axes) || !Expect(':') || !ReadIntegerFrom(0, &from) || !ExpectArrow() ||
        !ReadIntegerFrom(0, &to)) {
      return false;
    }
    params.push_back(module_.Struct(
        "sdy.all_to_all_param", {{"axes", axes}, {"src_dim", module_.Int64(from)}, {"tgt_dim", module_.Int64(to)}}));
    return true;
  });
  if (is_read) {
    *attribute = module_.Struct("sdy.all_to_all_param_list", {{"params", module_.Intern(ArrayAttribute(params))}});
  }
  return is_read;
}

// ij or z_1: the factors of a dimension, whose names are i to z, then z_1, z_2 and so on.
bool AttributeParser::ReadFactors(std::vector<int64_t>* factors) {
  if (!token().Is(TokenKind::kWord)) return ErrorExpected("factors such as i or z_1");
  absl::string_view word = token().text;
  while (!word.empty()) {
    if (word[0] < 'i' || word[0] > 'z') return ErrorExpected("factors such as i or z_1");
    int64_t factor = word[0] - 'i';
    word.remove_prefix(1);
    if (factor == 'z' - 'i' && !word.empty() && word[0] == '_') {
      size_t digits = 1;
      while (digits < word.size() && word[digits] >= '0' && word[digits] <= '9') ++digits;
      int32_t number = 0;
      if (!absl::SimpleAtoi(word.substr(1, digits - 1), &number)) return ErrorExpected("factors such as i or z_1");
      factor += number;
      word.remove_prefix(digits);
    }
    factors->push_back(factor);
  }
  Advance();
  return true;
}

// ([i, j], [ij])
bool AttributeParser::ReadFactorMappings(AttributeId* attribute) {
  std::vector<AttributeId> values;
  const bool is_read = ReadList('(', ')', [&] {
    std::vector<AttributeId> dimensions;
    const bool has_dimensions = ReadList('[', ']', [&] {
      std::vector<int64_t> factors;
      if (!ReadFactors(&factors)) return false;
      dimensions.push_back(module_.Int64Array(factors));
      return true;
    });
    values.push_back(module_.Intern(ArrayAttribute(dimensions)));
    return has_dimensions;
  });
  if (is_read) *attribute = module_.Intern(ArrayAttribute(values));
  return is_read;
}

// name={i, j}, if it is there
bool AttributeParser::ReadFactorSet(absl::string_view name, AttributeId* attribute) {
  std::vector<int64_t> factors;
  if (ConsumeWordIf(name)) {
    if (!Expect('=') || !ReadList('{', '}', [&] { return ReadFactors(&factors); })) return false;
  }
  *attribute = module_.Int64Array(factors);
  return true;
}

// <([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom>
bool AttributeParser::ReadShardingRule(AttributeId* attribute) {
  AttributeId operands;
  AttributeId results;
  if (!Expect('<') || !ReadFactorMappings(&operands) || !ExpectArrow() || !ReadFactorMappings(&results)) return false;
  std::vector<int64_t> sizes;
  const bool is_read = ReadList('{', '}', [&] {
    std::vector<int64_t> factor;
    const char* const at = token().begin();
    if (!ReadFactors(&factor)) return false;
    if (factor[0] != static_cast<int64_t>(sizes.size()) || factor.size() != 1) {
      return ErrorAt(at, "expected the sizes of all factors in order");
    }
    sizes.push_back(0);
    return Expect('=') && ReadIntegerFrom(0, &sizes.back());
  });
  NamedAttributes fields = {
      {"operand_mappings", operands}, {"result_mappings", results}, {"factor_sizes", module_.Int64Array(sizes)}};
  if (!is_read) return false;
  constexpr absl::string_view kSets[][2] = {{"reduction", "reduction_factors"},
                                            {"need_replication", "need_replication_factors"},
                                            {"permutation", "permutation_factors"},
                                            {"blocked_propagation", "blocked_propagation_factors"}};
  for (const auto& set : kSets) {
    AttributeId factors;
    if (!ReadFactorSet(set[0], &factors)) return false;
    fields.push_back({set[1], factors});
  }
  const bool is_custom = ConsumeIf(',');
  if (is_custom && !ExpectWord("custom")) return false;
  fields.push_back({"is_custom_rule", module_.Intern(BoolAttribute(is_custom))});
  *attribute = module_.Struct("sdy.op_sharding_rule", std::move(fields));
  return Expect('>');
}

}  // namespace stablehlo
}  // namespace xla
