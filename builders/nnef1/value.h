// Value: what an expression of NNEF is at compile time, and the types of NNEF.
#ifndef BUILDERS_NNEF1_VALUE_H_
#define BUILDERS_NNEF1_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/variant.h"

namespace xla {
namespace nnef1 {

// The primitive types (3.3.1); kGeneric is `?`.
enum class Primitive { kInteger, kScalar, kLogical, kString, kGeneric };

// A type of the language (3.3).
struct Type {
  enum class Kind {
    kPrimitive,      // primitive
    kTensor,         // tensor<primitive>
    kUnboundTensor,  // tensor<>
    kArray,          // items[0][]
    kTuple,          // (items...)
    kEmptyArray,     // the type of []
  };
  Kind kind = Kind::kPrimitive;
  Primitive primitive = Primitive::kScalar;
  std::vector<Type> items;

  static Type Of(Primitive primitive) { return Type{Kind::kPrimitive, primitive, {}}; }
  static Type Tensor(Primitive primitive) { return Type{Kind::kTensor, primitive, {}}; }
  static Type UnboundTensor() { return Type{Kind::kUnboundTensor, Primitive::kGeneric, {}}; }
  static Type Array(Type item) { return Type{Kind::kArray, Primitive::kGeneric, {std::move(item)}}; }
  static Type Tuple(std::vector<Type> items) { return Type{Kind::kTuple, Primitive::kGeneric, std::move(items)}; }
  static Type EmptyArray() { return Type{Kind::kEmptyArray, Primitive::kGeneric, {}}; }

  // It holds no tensor.
  bool IsAttribute() const;
  // As it is written: "tensor<scalar>", "(integer,integer)[]".
  std::string ToString() const;
  friend bool operator==(const Type& a, const Type& b) {
    return a.kind == b.kind && a.primitive == b.primitive && a.items == b.items;
  }
  friend bool operator!=(const Type& a, const Type& b) { return !(a == b); }
};

// A tensor of a Graph, by its place in Graph::tensors.
struct TensorRef {
  int id = -1;
  friend bool operator==(TensorRef a, TensorRef b) { return a.id == b.id; }
};

// The name of a primitive type in documents: "integer", "?".
absl::string_view PrimitiveName(Primitive primitive);

// A value: a primitive, a tensor, an array or a tuple of values. Copies share the items of arrays and tuples.
class Value {
 public:
  Value() : value_(int64_t{0}) {}
  static Value Integer(int64_t value) { return Value(value); }
  // Kept in double precision; rounded when it becomes a tensor or an attribute of HLO.
  static Value Scalar(double value) { return Value(value); }
  static Value Logical(bool value) { return Value(value); }
  static Value String(std::string value) { return Value(std::move(value)); }
  static Value Tensor(int id) { return Value(TensorRef{id}); }
  static Value Array(std::vector<Value> items) { return Value(MakeSequence(false, std::move(items))); }
  static Value Tuple(std::vector<Value> items) { return Value(MakeSequence(true, std::move(items))); }

  bool is_integer() const { return absl::holds_alternative<int64_t>(value_); }
  bool is_scalar() const { return absl::holds_alternative<double>(value_); }
  bool is_logical() const { return absl::holds_alternative<bool>(value_); }
  bool is_string() const { return absl::holds_alternative<std::string>(value_); }
  bool is_tensor() const { return absl::holds_alternative<TensorRef>(value_); }
  bool is_array() const { return is_sequence() && !sequence().is_tuple; }
  bool is_tuple() const { return is_sequence() && sequence().is_tuple; }

  // To be called only on a value of that kind; types were checked by then.
  int64_t integer() const { return absl::get<int64_t>(value_); }
  double scalar() const { return absl::get<double>(value_); }
  bool logical() const { return absl::get<bool>(value_); }
  const std::string& string() const { return absl::get<std::string>(value_); }
  TensorRef tensor() const { return absl::get<TensorRef>(value_); }
  // Of an array or a tuple.
  const std::vector<Value>& items() const { return sequence().items; }

  // How many values it is, itself and those inside at any depth: what a walk over it costs, although copies are shared.
  int64_t total_values() const { return is_sequence() ? sequence().total_values : 1; }

  // As NNEF writes it; tensors as "%id".
  std::string ToString() const;
  // Deep equality, as `==` and `in` of NNEF compare.
  friend bool operator==(const Value& a, const Value& b);
  friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }

 private:
  struct Sequence {
    bool is_tuple = false;
    std::vector<Value> items;
    int64_t total_values = 1;
  };
  using SharedSequence = std::shared_ptr<const Sequence>;
  using Variant = absl::variant<int64_t, double, bool, std::string, TensorRef, SharedSequence>;

  template <typename T>
  explicit Value(T value) : value_(std::move(value)) {}
  static SharedSequence MakeSequence(bool is_tuple, std::vector<Value> items);
  bool is_sequence() const { return absl::holds_alternative<SharedSequence>(value_); }
  const Sequence& sequence() const { return *absl::get<SharedSequence>(value_); }

  Variant value_;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_VALUE_H_
