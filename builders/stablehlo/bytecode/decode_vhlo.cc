// Attributes of VHLO.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"
#include "builders/stablehlo/text/dialect_attributes.h"

namespace xla {
namespace stablehlo {
namespace {

// The attributes that are a word of an enumeration, whose words have the numbers 0, 1, 2 ...
struct WordCode {
  uint64_t code;
  absl::string_view enumeration;
  uint64_t first = 0;  // the number of the first word
};

constexpr WordCode kWords[] = {
    {3, "comparison_direction"}, {4, "comparison_type"},      {7, "fft_type"},   {11, "precision"},
    {12, "rng_algorithm"},       {13, "rng_distribution", 1}, {16, "transpose"}, {19, "result_accuracy_mode"},
};

// The last version of the interface of custom calls that there is.
constexpr uint64_t kLastApiVersion = 4;

}  // namespace

bool AttributeDecoder::DecodeVhloAttribute(ByteReader& reader) {
  uint64_t code = 0;
  if (!reader.ReadVarint(&code)) return false;
  for (const WordCode& word : kWords) {
    if (word.code == code) return DecodeWord(reader, "stablehlo", word.enumeration, word.first);
  }
  switch (code) {
    case 1: {
      std::vector<AttributeId> elements;
      return ReadAttributes(reader, &elements) && SetAttribute(ArrayAttribute(elements));
    }
    case 2: {
      uint64_t truth = 0;
      if (!reader.ReadVarint(&truth)) return false;
      if (truth > 1) return reader.Error(absl::StrCat("expected 0 or 1, found ", truth));
      return SetAttribute(BoolAttribute(truth != 0));
    }
    case 5: {
      uint64_t version = 0;
      if (!reader.ReadVarint(&version)) return false;
      if (version > kLastApiVersion) {
        return reader.Error(
            absl::StrCat("expected the version of an interface from 0 to ", kLastApiVersion, ", found ", version));
      }
      return SetAttribute(IntegerAttribute(module_.Intern(IntegerType(32)), static_cast<int64_t>(version)));
    }
    case 6:
      return DecodeDictionary(reader);
    case 8:
      return DecodeFloat(reader);
    case 9:
      return DecodeInteger(reader);
    case 10:
      return DecodeAlias(reader);
    case 14: {
      absl::string_view text;
      return ReadString(reader, &text) && SetAttribute(TextAttribute(AttributeKind::kString, text));
    }
    case 15:
      return DecodeElements(reader);
    case 17: {
      TypeId type;
      return ReadType(reader, &type) && SetAttribute(TypeAttribute(type));
    }
    case 18: {
      std::vector<int64_t> bounds;
      return ReadIntegers(reader, &bounds) && SetStruct("stablehlo.bounds", {{"bounds", module_.Int64Array(bounds)}});
    }
    case 20:
      return DecodeResultAccuracy(reader);
    case 21:
      return DecodeSubAxis(reader, "stablehlo.sub_axis_info");
    case 22:
      return DecodeAxisReference(reader);
    case 23:
      return DecodeMeshAxes(reader);
    case 24: {
      absl::string_view name;
      int64_t size = 0;
      return ReadName(reader, &name) && reader.ReadSignedVarint(&size) &&
             SetStruct("stablehlo.mesh_axis", {{"name", module_.String(name)}, {"size", module_.Int64(size)}});
    }
    case 25:
      return DecodeMesh(reader);
    default:
      return ErrorCode(reader, "vhlo", "attribute", code);
  }
}

bool AttributeDecoder::DecodeWord(ByteReader& reader, absl::string_view dialect, absl::string_view enumeration,
                                  uint64_t first) {
  const EnumForm* const form = FindEnumForm(dialect, enumeration);
  uint64_t number = 0;
  if (form == nullptr || !reader.ReadVarint(&number)) return false;
  if (number < first || number - first >= form->values.size()) {
    return reader.Error(absl::StrCat("expected a number of a ", enumeration, " from ", first, " to ",
                                     first + form->values.size() - 1, ", found ", number));
  }
  return SetAttribute(EnumAttribute(absl::StrCat(dialect, ".", enumeration), form->values[number - first]));
}

bool AttributeDecoder::DecodeAlias(ByteReader& reader) {
  std::vector<int64_t> results;
  int64_t operand = 0;
  std::vector<int64_t> operands;
  return ReadIntegers(reader, &results) && reader.ReadSignedVarint(&operand) && ReadIntegers(reader, &operands) &&
         SetStruct("stablehlo.output_operand_alias", {{"output_tuple_indices", module_.Int64Array(results)},
                                                      {"operand_index", module_.Int64(operand)},
                                                      {"operand_tuple_indices", module_.Int64Array(operands)}});
}

bool AttributeDecoder::DecodeResultAccuracy(ByteReader& reader) {
  uint64_t atol = 0;
  uint64_t rtol = 0;
  int64_t ulps = 0;
  AttributeId mode;
  if (!ReadBits(reader, 64, &atol) || !ReadBits(reader, 64, &rtol) || !reader.ReadSignedVarint(&ulps) ||
      !ReadAttribute(reader, &mode)) {
    return false;
  }
  if (mode.ok() && module_.attribute(mode).name != "stablehlo.result_accuracy_mode") {
    return reader.Error("expected the mode of an accuracy");
  }
  const TypeId f64 = module_.Intern(FloatType(FloatKind::kF64));
  return SetStruct("stablehlo.result_accuracy", {{"atol", FloatAttribute(f64, atol)},
                                                 {"rtol", FloatAttribute(f64, rtol)},
                                                 {"ulps", module_.Int64(ulps)},
                                                 {"mode", mode}});
}

bool AttributeDecoder::DecodeSubAxis(ByteReader& reader, absl::string_view name) {
  int64_t pre_size = 0;
  int64_t size = 0;
  if (!reader.ReadSignedVarint(&pre_size) || !reader.ReadSignedVarint(&size)) return false;
  if (pre_size < 1 || size < 1) return reader.Error("expected the sizes of a part of an axis, from 1");
  return SetStruct(name, {{"pre_size", module_.Int64(pre_size)}, {"size", module_.Int64(size)}});
}

bool AttributeDecoder::DecodeAxisReference(ByteReader& reader) {
  absl::string_view name;
  uint64_t has_part = 0;
  AttributeId part;
  if (!ReadName(reader, &name) || !reader.ReadVarint(&has_part)) return false;
  if (has_part > 1) return reader.Error(absl::StrCat("expected 0 or 1, found ", has_part));
  std::vector<NamedAttribute> fields = {{"name", module_.String(name)}};
  if (has_part == 1) {
    if (!ReadStruct(reader, "stablehlo.sub_axis_info", &part)) return false;
    fields.push_back({"sub_axis_info", part});
  }
  return SetStruct("stablehlo.axis_ref", std::move(fields));
}

bool AttributeDecoder::DecodeMeshAxes(ByteReader& reader) {
  AttributeId mesh;
  AttributeId axes;
  if (!ReadAttribute(reader, &mesh) || !ReadOfKind(reader, AttributeKind::kArray, "a list of axes", &axes))
    return false;
  if (IsWaiting()) return true;
  for (const AttributeId axis : module_.attribute(axes).elements) {
    if (!CheckStruct(reader, "stablehlo.axis_ref", axis)) return false;
  }
  const Attribute& value = module_.attribute(mesh);
  if (value.kind == AttributeKind::kString) {
    mesh = module_.Symbol(value.text);
  } else if (!CheckStruct(reader, "stablehlo.mesh", mesh)) {
    return false;
  }
  return SetStruct("stablehlo.replica_group_mesh_axes", {{"mesh", mesh}, {"axes", axes}});
}

bool AttributeDecoder::DecodeMesh(ByteReader& reader) {
  AttributeId axes;
  AttributeId device_ids;
  bool has_device_ids = false;
  if (!ReadOfKind(reader, AttributeKind::kArray, "a list of axes", &axes) ||
      !ReadOptionalAttribute(reader, &has_device_ids, &device_ids)) {
    return false;
  }
  if (IsWaiting()) return true;
  for (const AttributeId axis : module_.attribute(axes).elements) {
    if (!CheckStruct(reader, "stablehlo.mesh_axis", axis)) return false;
  }
  std::vector<NamedAttribute> fields = {{"axes", axes}};
  if (has_device_ids) {
    if (module_.attribute(device_ids).kind != AttributeKind::kDenseElements) {
      return reader.Error("expected a tensor of device numbers");
    }
    fields.push_back({"device_ids", device_ids});
  }
  return SetStruct("stablehlo.mesh", std::move(fields));
}

}  // namespace stablehlo
}  // namespace xla
