// TypeRules: casts and common types (NNEF 1.0.4 section 3.3.1).
#ifndef BUILDERS_NNEF1_LANGUAGE_TYPE_RULES_H_
#define BUILDERS_NNEF1_LANGUAGE_TYPE_RULES_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// Whether an expression of type `from` may stand where `to` is expected. No numbers turn into others.
bool IsCastable(const Type& from, const Type& to);

// The one of two types that the other can be cast to.
absl::optional<Type> CommonType(const Type& a, const Type& b);

bool IsTensor(const Type& type);
bool IsPrimitive(const Type& type, Primitive primitive);
bool ContainsGeneric(const Type& type);
bool ContainsUnboundTensor(const Type& type);
// A tuple, at any depth, that holds tensors beside attributes.
bool MixesTensorsAndAttributes(const Type& type);

// `type` with `generic` for each `?`.
Type Substitute(const Type& type, Primitive generic);

// What `?` in `parameter` would have to be for an argument of type `argument`, appended to `candidates`, each once.
void CollectGeneric(const Type& parameter, const Type& argument, std::vector<Primitive>* candidates);

// Of a value that is neither a tensor, an array nor a tuple.
Primitive PrimitiveOf(const Value& value);
// `?` matches all of those.
bool MatchesPrimitive(const Value& value, Primitive primitive);
bool IsSequence(const Value& value);

// The type of a value without tensors; nullopt if the items of an array have no common type.
absl::optional<Type> TypeOfValue(const Value& value);

// How many parts a type is written with. Types larger than kMaxTypeSize are refused, because expressions such as
// a = (x, x); b = (a, a); ... double them with each line.
int64_t TypeSize(const Type& type);
inline constexpr int64_t kMaxTypeSize = 1000;
// Arrays in arrays deeper than this are refused, because everything about types recurses.
inline constexpr int kMaxTypeDepth = 200;
int TypeDepth(const Type& type);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_TYPE_RULES_H_
