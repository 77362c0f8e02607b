#include "builders/nnef1/language/type_rules.h"

#include <algorithm>
#include <utility>

namespace xla {
namespace nnef1 {
namespace {

using Kind = Type::Kind;

bool AnyItem(const Type& type, bool (*holds)(const Type&)) {
  return std::any_of(type.items.begin(), type.items.end(), holds);
}

}  // namespace

// Whether a value of type `from` can stand for one of type `to`: primitives become tensors, and everything fits a
// generic type of its kind.
bool IsCastable(const Type& from, const Type& to) {
  if (from == to) return true;
  switch (to.kind) {
    case Kind::kPrimitive:
      return from.kind == Kind::kPrimitive && to.primitive == Primitive::kGeneric;
    case Kind::kTensor:
      if (from.kind != Kind::kPrimitive && from.kind != Kind::kTensor) return false;
      return from.primitive == to.primitive || to.primitive == Primitive::kGeneric;
    case Kind::kUnboundTensor:
      return from.kind == Kind::kPrimitive || from.kind == Kind::kTensor;
    case Kind::kArray:
      return from.kind == Kind::kEmptyArray || (from.kind == Kind::kArray && IsCastable(from.items[0], to.items[0]));
    case Kind::kTuple:
      if (from.kind != Kind::kTuple || from.items.size() != to.items.size()) return false;
      for (size_t i = 0; i < to.items.size(); ++i) {
        if (!IsCastable(from.items[i], to.items[i])) return false;
      }
      return true;
    case Kind::kEmptyArray:
      return false;
  }
  return false;
}

absl::optional<Type> CommonType(const Type& a, const Type& b) {
  if (IsCastable(a, b)) return b;
  if (IsCastable(b, a)) return a;
  return absl::nullopt;
}

bool IsTensor(const Type& type) { return type.kind == Kind::kTensor || type.kind == Kind::kUnboundTensor; }

bool IsPrimitive(const Type& type, Primitive primitive) {
  return type.kind == Kind::kPrimitive && type.primitive == primitive;
}

bool ContainsGeneric(const Type& type) {
  if (type.kind == Kind::kPrimitive || type.kind == Kind::kTensor) return type.primitive == Primitive::kGeneric;
  return AnyItem(type, ContainsGeneric);
}

bool ContainsUnboundTensor(const Type& type) {
  return type.kind == Kind::kUnboundTensor || AnyItem(type, ContainsUnboundTensor);
}

bool MixesTensorsAndAttributes(const Type& type) {
  if (type.kind == Kind::kTuple) {
    const auto is_attribute = [](const Type& item) { return item.IsAttribute(); };
    const size_t attributes = std::count_if(type.items.begin(), type.items.end(), is_attribute);
    if (attributes != 0 && attributes != type.items.size()) return true;
  }
  return AnyItem(type, MixesTensorsAndAttributes);
}

Type Substitute(const Type& type, Primitive generic) {
  Type result = type;
  const bool has_primitive = type.kind == Kind::kPrimitive || type.kind == Kind::kTensor;
  if (has_primitive && type.primitive == Primitive::kGeneric) result.primitive = generic;
  for (Type& item : result.items) item = Substitute(item, generic);
  return result;
}

void CollectGeneric(const Type& parameter, const Type& argument, std::vector<Primitive>* candidates) {
  if (parameter.kind == Kind::kPrimitive || parameter.kind == Kind::kTensor) {
    const bool has_primitive = argument.kind == Kind::kPrimitive || argument.kind == Kind::kTensor;
    if (parameter.primitive != Primitive::kGeneric || !has_primitive) return;
    const bool is_known = std::count(candidates->begin(), candidates->end(), argument.primitive) > 0;
    if (!is_known) candidates->push_back(argument.primitive);
    return;
  }
  if (parameter.kind != argument.kind || parameter.items.size() != argument.items.size()) return;
  for (size_t i = 0; i < parameter.items.size(); ++i) {
    CollectGeneric(parameter.items[i], argument.items[i], candidates);
  }
}

Primitive PrimitiveOf(const Value& value) {
  if (value.is_integer()) return Primitive::kInteger;
  if (value.is_scalar()) return Primitive::kScalar;
  return value.is_logical() ? Primitive::kLogical : Primitive::kString;
}

bool MatchesPrimitive(const Value& value, Primitive primitive) {
  switch (primitive) {
    case Primitive::kInteger:
      return value.is_integer();
    case Primitive::kScalar:
      return value.is_scalar();
    case Primitive::kLogical:
      return value.is_logical();
    case Primitive::kString:
      return value.is_string();
    case Primitive::kGeneric:
      return value.is_integer() || value.is_scalar() || value.is_logical() || value.is_string();
  }
  return false;
}

bool IsSequence(const Value& value) { return value.is_array() || value.is_tuple(); }

// The type of an attribute; nullopt if there is a tensor in it, whose type only the graph knows.
absl::optional<Type> TypeOfValue(const Value& value) {
  if (value.is_integer()) return Type::Of(Primitive::kInteger);
  if (value.is_scalar()) return Type::Of(Primitive::kScalar);
  if (value.is_logical()) return Type::Of(Primitive::kLogical);
  if (value.is_string()) return Type::Of(Primitive::kString);
  if (value.is_tensor()) return absl::nullopt;
  std::vector<Type> items;
  for (const Value& item : value.items()) {
    absl::optional<Type> type = TypeOfValue(item);
    if (!type.has_value()) return absl::nullopt;
    if (value.is_array() && !items.empty()) {
      type = CommonType(items[0], *type);
      if (!type.has_value()) return absl::nullopt;
      items[0] = *std::move(type);
    } else {
      items.push_back(*std::move(type));
    }
  }
  if (value.is_tuple()) return Type::Tuple(std::move(items));
  if (items.empty()) return Type::EmptyArray();
  return Type::Array(std::move(items[0]));
}

int64_t TypeSize(const Type& type) {
  int64_t size = 1;
  for (const Type& item : type.items) size += TypeSize(item);
  return size;
}

int TypeDepth(const Type& type) {
  int depth = 0;
  for (const Type& item : type.items) depth = std::max(depth, TypeDepth(item));
  return depth + 1;
}

}  // namespace nnef1
}  // namespace xla
