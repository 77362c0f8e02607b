#include "builders/stablehlo/ir/module.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "builders/stablehlo/ir/equal.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace stablehlo {
namespace {

bool IsBefore(const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; }

}  // namespace

AttributeId Operation::attribute(absl::string_view attribute_name) const {
  const auto found =
      std::lower_bound(attributes.begin(), attributes.end(), NamedAttribute{attribute_name, {}}, IsBefore);
  return found == attributes.end() || found->name != attribute_name ? AttributeId() : found->value;
}

absl::string_view Module::Intern(absl::string_view text) {
  if (text.empty()) return {};
  // Most are one of a few names.
  const size_t place =
      text.size() * 5 + static_cast<unsigned char>(text.front()) * 3 + static_cast<unsigned char>(text.back());
  absl::string_view& recent = recent_texts_[place % recent_texts_.size()];
  if (recent == text) return recent;
  const auto found = texts_.find(text);
  recent = found != texts_.end() ? *found : *texts_.insert(arena_.Copy(text)).first;
  return recent;
}

template <typename T>
int32_t Module::InternIn(std::deque<T>* table, HashTable* hashes, const T& value) {
  const int32_t next_id = static_cast<int32_t>(table->size());
  const auto [entry, is_new] = hashes->first.emplace(Hash(value), next_id);
  int32_t last = -1;
  for (int32_t id = is_new ? -1 : entry->second; id >= 0; id = hashes->next[id]) {
    if (Equal((*table)[id], value)) return id;
    last = id;
  }
  table->push_back(Copied(value));
  hashes->next.push_back(-1);
  if (last >= 0) hashes->next[last] = next_id;
  return next_id;
}

TypeId Module::Intern(const Type& type) { return {InternIn(&types_, &type_hashes_, type)}; }

AttributeId Module::Intern(const Attribute& attribute) {
  if (attribute.data.size() <= kMaxInternedBytes) {
    return {InternIn(&attributes_, &attribute_hashes_, attribute)};
  }
  attributes_.push_back(attribute);
  attribute_hashes_.next.push_back(-1);
  return {attribute_count() - 1};
}

LocationId Module::Intern(const Location& location) { return {InternIn(&locations_, &location_hashes_, location)}; }

LocationId Module::AddLocation(const Location& location) {
  locations_.push_back(Copied(location));
  location_hashes_.next.push_back(-1);
  return {location_count() - 1};
}

Type Module::Copied(const Type& type) {
  Type copy = type;
  copy.dimensions = arena_.Copy(type.dimensions);
  copy.types = arena_.Copy(type.types);
  copy.results = arena_.Copy(type.results);
  if (type.quantization == nullptr) return copy;
  Quantization quantization = *type.quantization;
  quantization.scales = arena_.Copy(quantization.scales);
  quantization.zero_points = arena_.Copy(quantization.zero_points);
  copy.quantization = arena_.Copy(absl::MakeConstSpan(&quantization, 1)).data();
  return copy;
}

Attribute Module::Copied(const Attribute& attribute) {
  Attribute copy = attribute;
  copy.text = Intern(attribute.text);
  copy.name = Intern(attribute.name);
  copy.words = arena_.Copy(attribute.words);
  copy.elements = arena_.Copy(attribute.elements);
  copy.fields = CopyFields(attribute.fields, /*sort=*/false);
  copy.data = arena_.Copy(attribute.data);
  return copy;
}

Location Module::Copied(const Location& location) {
  Location copy = location;
  copy.text = Intern(location.text);
  copy.parts = arena_.Copy(location.parts);
  return copy;
}

absl::Span<const NamedAttribute> Module::CopyFields(absl::Span<const NamedAttribute> fields, bool sort) {
  if (fields.empty()) return {};
  NamedAttribute* const copy =
      reinterpret_cast<NamedAttribute*>(arena_.Allocate(fields.size() * sizeof(NamedAttribute)));
  for (size_t i = 0; i < fields.size(); ++i) new (&copy[i]) NamedAttribute{Intern(fields[i].name), fields[i].value};
  if (sort && !std::is_sorted(copy, copy + fields.size(), IsBefore)) std::sort(copy, copy + fields.size(), IsBefore);
  return absl::MakeConstSpan(copy, fields.size());
}

AttributeId Module::Int64(int64_t value) { return Intern(IntegerAttribute(Intern(IntegerType(64)), value)); }

AttributeId Module::Int64Array(absl::Span<const int64_t> values) {
  absl::string_view data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t));
  if (data.size() > kMaxInternedBytes) data = KeepBytes(data);
  return Intern(DenseArrayAttribute(Intern(IntegerType(64)), data));
}

AttributeId Module::Dictionary(std::vector<NamedAttribute> fields) {
  std::sort(fields.begin(), fields.end(), IsBefore);
  return Intern(DictionaryAttribute(fields));
}

AttributeId Module::Struct(absl::string_view name, std::vector<NamedAttribute> fields) {
  std::sort(fields.begin(), fields.end(), IsBefore);
  return Intern(StructAttribute(name, fields));
}

ValueId Module::NewValue(TypeId type, absl::string_view name, LocationId location) {
  Value value;
  value.type = type;
  value.name = Intern(name);
  value.location = location;
  values_.push_back(value);
  return {value_count() - 1};
}

OperationId Module::Add(const Operation& operation) {
  const OperationId id{operation_count()};
  operations_.push_back(operation);
  Operation& copy = operations_.back();
  copy.name = Intern(operation.name);
  copy.operands = arena_.Copy(operation.operands);
  copy.results = arena_.Copy(operation.results);
  copy.attributes = CopyFields(operation.attributes, /*sort=*/true);
  copy.regions = arena_.Copy(operation.regions);
  for (size_t i = 0; i < copy.results.size(); ++i) {
    Value& result = values_[copy.results[i].index];
    result.operation = id;
    result.index = static_cast<int32_t>(i);
  }
  for (const RegionId region : copy.regions) regions_[region.index].operation = id;
  return id;
}

BlockId Module::AddBlock(absl::Span<const ValueId> arguments, absl::Span<const OperationId> operations) {
  const BlockId id{static_cast<int32_t>(blocks_.size())};
  blocks_.push_back({arena_.Copy(arguments), arena_.Copy(operations), {}});
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value& argument = values_[arguments[i].index];
    argument.block = id;
    argument.index = static_cast<int32_t>(i);
  }
  for (const OperationId operation : operations) operations_[operation.index].block = id;
  return id;
}

RegionId Module::AddRegion(absl::Span<const BlockId> blocks) {
  const RegionId id{static_cast<int32_t>(regions_.size())};
  regions_.push_back({arena_.Copy(blocks), {}});
  for (const BlockId block : blocks) blocks_[block.index].region = id;
  return id;
}

bool Module::AddResource(absl::string_view key, const Resource& resource) {
  const absl::string_view name = Intern(key);
  if (!resources_.emplace(name, resource).second) return false;
  resource_keys_.push_back(name);
  return true;
}

const Resource* Module::FindResource(absl::string_view key) const {
  const auto found = resources_.find(key);
  return found == resources_.end() ? nullptr : &found->second;
}

PrimitiveType HloElementType(const Module& module, TypeId element) {
  const Type& type = module.type(element);
  switch (type.kind) {
    case TypeKind::kInteger: {
      const bool is_unsigned = type.signedness == Signedness::kUnsigned;
      switch (type.width) {
        case 1:
          return is_unsigned ? U1 : PRED;
        case 2:
          return is_unsigned ? U2 : S2;
        case 4:
          return is_unsigned ? U4 : S4;
        case 8:
          return is_unsigned ? U8 : S8;
        case 16:
          return is_unsigned ? U16 : S16;
        case 32:
          return is_unsigned ? U32 : S32;
        case 64:
          return is_unsigned ? U64 : S64;
        default:
          return PRIMITIVE_TYPE_INVALID;
      }
    }
    case TypeKind::kIndex:
      return S64;
    case TypeKind::kFloat:
      return GetFloatKindInfo(type.float_kind).type;
    case TypeKind::kComplex: {
      const PrimitiveType part = HloElementType(module, type.element);
      return part == F32 ? C64 : part == F64 ? C128 : PRIMITIVE_TYPE_INVALID;
    }
    case TypeKind::kTensor:
    case TypeKind::kUnrankedTensor:
    case TypeKind::kMemRef:
    case TypeKind::kQuantized:
    case TypeKind::kTuple:
    case TypeKind::kFunction:
    case TypeKind::kFuture:
    case TypeKind::kToken:
    case TypeKind::kNone:
    case TypeKind::kWitness:
      return PRIMITIVE_TYPE_INVALID;
  }
  return PRIMITIVE_TYPE_INVALID;
}

int64_t ElementBytes(const Module& module, TypeId element) {
  const Type* type = &module.type(element);
  if (type->kind == TypeKind::kQuantized) type = &module.type(type->quantization->storage);
  const int parts = type->kind == TypeKind::kComplex ? 2 : 1;
  if (parts == 2) type = &module.type(type->element);
  if (type->kind == TypeKind::kInteger) return parts * ((static_cast<int64_t>(type->width) + 7) / 8);
  if (type->kind == TypeKind::kIndex) return parts * 8;
  if (type->kind == TypeKind::kFloat) return parts * GetFloatKindInfo(type->float_kind).bytes;
  return 0;
}

int64_t ElementCount(const Type& tensor) {
  int64_t count = 1;
  bool is_known = true;
  bool is_empty = false;
  for (const int64_t dimension : tensor.dimensions) {
    if (dimension == kDynamic) return -1;
    is_empty |= dimension == 0;
    is_known = is_known && CheckedMul(count, dimension, &count);
  }
  return is_empty ? 0 : is_known ? count : -1;
}

}  // namespace stablehlo
}  // namespace xla
