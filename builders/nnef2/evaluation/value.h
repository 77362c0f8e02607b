// Value: what an expression stands for, as far as it is known.
//
// While an operator is checked at its definition hardly anything is known but types and, as expressions, lengths; while
// a model is composed all is known but dynamic extents, which are expressions too, and what @lower computes. One
// evaluator serves both.
#ifndef BUILDERS_NNEF2_EVALUATION_VALUE_H_
#define BUILDERS_NNEF2_EVALUATION_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef2/symbolic/symbol_table.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// A pack with more items is an error (class value).
inline constexpr int64_t kMaxPackLength = 1 << 20;
// So is a string of more bytes.
inline constexpr size_t kMaxStringSize = 1 << 20;

// Ints have 64 bits while a model is composed, and 32 when it runs.
bool FitsRunTime(int64_t value);
// "the int 3000000000 does not fit the 32 bits that ints have at run time".
std::string RunTimeMisfit(int64_t value);

// The type of one item. Of a generic type that is not bound yet, `base` is its bound and `generic` its name.
struct ElementType {
  BaseType base = BaseType::kInt;
  absl::string_view generic;

  // That of the items of an empty list, which fits all.
  static ElementType Any() { return {BaseType::kType, {}}; }
  bool is_any() const { return base == BaseType::kType && generic.empty(); }
  bool Fits(const ElementType& other) const {
    return is_any() || other.is_any() || (base == other.base && generic == other.generic);
  }
  bool is_int() const { return base == BaseType::kInt; }
  // int or real, or a generic type that is one of them.
  bool is_number() const { return is_int() || base == BaseType::kReal || base == BaseType::kNum; }
  bool is_bool() const { return base == BaseType::kBool; }
  std::string ToString() const;
};

struct Type {
  ElementType element;
  bool is_optional = false;
  bool is_pack = false;
  bool is_tensor = false;

  // "optional real[]..": a tensor shows [], whatever its shape.
  std::string ToString() const;
};

// One item.
struct Scalar {
  enum class Kind { kUnknown, kInt, kReal, kBool, kString, kSymbolic, kTensor };
  Kind kind = Kind::kUnknown;
  int64_t integer = 0;  // of kBool 0 or 1; of kTensor the number of the tensor
  double real = 0;
  const Symbolic* symbolic = nullptr;  // of an int, a real, or a bool, which is 0 or 1
  std::string text;

  static Scalar Int(int64_t value);
  static Scalar Real(double value);
  static Scalar Bool(bool value);
  static Scalar String(std::string value);
  static Scalar Tensor(int tensor);
  // An int whose expression is constant becomes kInt, a real kReal, nullptr kUnknown.
  static Scalar Of(const Symbolic* expression);

  bool is_known() const { return kind != Kind::kUnknown && kind != Kind::kSymbolic; }
  bool operator==(const Scalar& other) const;
};

struct Value {
  Type type;
  bool is_error = false;  // reported already
  bool is_null = false;
  // A pack made of one value: messages show that.
  bool is_uniform = false;
  // Of packs: whether `items` holds the items. If not, `length` may be known as an expression.
  bool has_items = true;
  // Of packs without items; of tensor packs of dynamic length beside the items. May be nullptr.
  const Symbolic* length = nullptr;
  std::vector<Scalar> items;  // one, unless it is a pack

  static Value Error();
  static Value Null(const Type& type);
  static Value Of(ElementType element, Scalar item);
  static Value Int(int64_t value) { return Of({BaseType::kInt, {}}, Scalar::Int(value)); }
  static Value Bool(bool value) { return Of({BaseType::kBool, {}}, Scalar::Bool(value)); }
  static Value Pack(ElementType element, std::vector<Scalar> items);
  // A pack whose items are unknown.
  static Value UnknownPack(ElementType element, const Symbolic* length);

  const Scalar& item() const { return items.front(); }
  bool is_known_bool() const { return !is_null && !type.is_pack && item().kind == Scalar::Kind::kBool; }
  // "[1, 2]", "'a'", "2.0", "null", "?".
  std::string ToString() const;
};

// "2.0": the shortest form that reads back, with a point.
std::string RealText(double value);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_EVALUATION_VALUE_H_
