// How an attribute struct describes its own fields, once. Parser, printer, protobuf conversion, equality and hashing of
// attributes are loops over this description; none of them knows a struct by name.
//
//   struct IotaAttributes : AttributesOf<IotaAttributes> {
//     int64_t iota_dimension = 0;
//     static const AttributeSchema& Schema();  // { Field<&IotaAttributes::iota_dimension>("iota_dimension", kInt,
//     kRequired, "dimensions") }
//   };
#ifndef XLA_CORE_IR_ATTRIBUTE_SCHEMA_H_
#define XLA_CORE_IR_ATTRIBUTE_SCHEMA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

class Attributes;

// The C++ type of a field, and how text spells its value.
enum class FieldKind {
  kBool,               // bool: true
  kTriState,           // int32_t 0 unset, 1 true, 2 false: as_bool, always printed
  kInt,                // int64_t: 3
  kOptionalInt,        // absl::optional<int64_t>: 3
  kOneDimension,       // int64_t: {3}
  kOptionalDimension,  // absl::optional<int64_t>: {3}
  kFloat,              // float: 0.001
  kString,             // std::string: "text"
  kIntList,            // DimensionVector: {1,2}
  kIntLists,           // std::vector<std::vector<int64_t>>: {{1},{2}}
  kBoolList,           // std::vector<bool>: {true,false}
  kEnum,               // an enum class over int32_t: a word of `enums`
  kPrecisionList,      // std::vector<Precision>: {high,default}
  kWindow,             // Window: {size=3x3 pad=1_1x1_1}
  kOptionalWindow,     // absl::optional<Window>
  kDimLabels,          // ConvolutionDimensionNumbers: bf01_oi01->bf01
  kOptionalDimLabels,  // absl::optional<ConvolutionDimensionNumbers>
  kPadding,            // PaddingConfig: 0_1x2_3_1
  kSlice,              // std::vector<SliceRange>: {[0:2:1], [1:4]}
  kReplicaGroups,      // ReplicaGroups: {{0,1}}, [2,4]<=[8], mesh[...] {...}
  kSourceTargetPairs,  // std::vector<std::pair<int64_t, int64_t>>: {{0,1},{1,0}}
  kShape,              // Shape: f32[2]{0}
  kShapeList,          // std::vector<Shape>: {f32[2]{0}, s32[]}
  kOptionalShapeList,  // absl::optional<std::vector<Shape>>
  kAliasing,           // std::vector<OutputOperandAlias>: {{0}: (1, {})}
  kLiteral,            // std::shared_ptr<const Literal>
  kDomain,             // Domain: {kind="sharding", entry={..}, exit={..}}
  kSparsity,           // ConvolutionSparsity: {lhs={sparsity=2x4 dimension=1 stride=1}}
};

// Names of an enumeration; the index is the C++ and the protobuf value, nullptr marks a value without a spelling.
struct EnumTable {
  const char* what;  // "fft_type", for messages
  std::vector<const char*> names;
  bool any_case = false;  // text is accepted in any case

  // -1 if `name` is none of the names.
  int Find(absl::string_view name) const;
};

// Whether text must have an attribute, and when the printer writes it.
enum class Presence {
  kRequired,         // an error if text does not have it; always printed
  kOptional,         // printed only if it differs from the default-constructed struct
  kOptionalPrinted,  // may be missing, always printed
  kInternal,  // not an attribute of text (a parameter's number stands in its parentheses); protobuf and equality only
};

// One field of an attribute struct. `address` gives a pointer to the member within the struct, whose C++ type is that
// of `kind`; Get casts it, so T must be that type.
struct AttributeField {
  const char* name;
  FieldKind kind;
  Presence presence;
  // Field path in HloInstructionProto: "gather_dimension_numbers.offset_dims"; nullptr if protobuf does not store it.
  const char* proto;
  void* (*address)(Attributes&);
  const EnumTable* enums = nullptr;  // for kEnum

  template <typename T>
  T& Get(Attributes& attributes) const {
    return *static_cast<T*>(address(attributes));
  }
  template <typename T>
  const T& Get(const Attributes& attributes) const {
    return *static_cast<const T*>(address(const_cast<Attributes&>(attributes)));
  }
};

// The fields of one struct. There is one static object for each struct, so schemas can be compared by address.
struct AttributeSchema {
  const char* name;                    // of the struct, for messages
  std::vector<AttributeField> fields;  // in print order
};

// Base of the attribute structs; see AttributesOf.
class Attributes {
 public:
  Attributes() = default;
  Attributes(const Attributes&) {}
  Attributes& operator=(const Attributes&) { return *this; }
  virtual ~Attributes() = default;
  virtual const AttributeSchema& schema() const = 0;
  virtual std::unique_ptr<Attributes> Clone() const = 0;
  // A default-constructed struct of the same kind.
  virtual std::unique_ptr<Attributes> MakeDefault() const = 0;

 private:
  friend class SharedAttributes;
  mutable std::atomic<uint32_t> owners_{1};
};

// Attributes that copies of the pointer share until they are written to through one of them. Copies may be used from
// different threads like copies of the attributes.
class SharedAttributes {
 public:
  SharedAttributes() = default;
  explicit SharedAttributes(std::unique_ptr<Attributes> attributes) : attributes_(attributes.release()) {}
  SharedAttributes(const SharedAttributes& other) : attributes_(other.attributes_) {
    if (attributes_ != nullptr) attributes_->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  SharedAttributes(SharedAttributes&& other) noexcept : attributes_(std::exchange(other.attributes_, nullptr)) {}
  SharedAttributes& operator=(SharedAttributes other) noexcept {
    std::swap(attributes_, other.attributes_);
    return *this;
  }
  ~SharedAttributes() { Release(attributes_); }

  const Attributes* get() const { return attributes_; }
  // For writing; a copy of its own if others share them. nullptr if there are none.
  Attributes* Mutable() {
    if (attributes_ != nullptr && attributes_->owners_.load(std::memory_order_acquire) != 1) {
      Release(std::exchange(attributes_, attributes_->Clone().release()));
    }
    return attributes_;
  }

 private:
  static void Release(const Attributes* attributes) {
    if (attributes != nullptr && attributes->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete attributes;
  }

  Attributes* attributes_ = nullptr;
};

// `Base` is Attributes or a struct over it that several kinds share members through.
template <typename Derived, typename Base = Attributes>
class AttributesOf : public Base {
 public:
  const AttributeSchema& schema() const override { return Derived::Schema(); }
  std::unique_ptr<Attributes> Clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  std::unique_ptr<Attributes> MakeDefault() const override { return std::make_unique<Derived>(); }
};

namespace attribute_internal {
template <typename>
struct MemberOf;
// Splits the type of a pointer to a member into the struct's type and the member's.
template <typename Struct, typename Value>
struct MemberOf<Value Struct::*> {
  using StructType = Struct;
  using ValueType = Value;
};
}  // namespace attribute_internal

// Describes the member kMember, which may be inherited by the struct that is described.
template <auto kMember>
AttributeField Field(const char* name, FieldKind kind, Presence presence, const char* proto,
                     const EnumTable* enums = nullptr) {
  using Struct = typename attribute_internal::MemberOf<decltype(kMember)>::StructType;
  return {name, kind, presence, proto, [](Attributes& a) -> void* { return &(static_cast<Struct&>(a).*kMember); },
          enums};
}

// Whether `field` has equal values in `a` and `b`, whose schema it belongs to.
bool FieldEqual(const AttributeField& field, const Attributes& a, const Attributes& b);
// Same schema and equal fields.
bool AttributesEqual(const Attributes& a, const Attributes& b);
// Equal attributes have equal hashes; the same in every run.
uint64_t HashAttributes(const Attributes& attributes);

}  // namespace xla

#endif  // XLA_CORE_IR_ATTRIBUTE_SCHEMA_H_
