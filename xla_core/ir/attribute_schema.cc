// Equality and hashing of attributes, field by field.
#include "xla_core/ir/attribute_schema.h"

#include <cstring>
#include <string>

#include "xla_core/ir/attributes.h"
#include "xla_core/ir/structure_hash.h"

namespace xla {
namespace {

// Calls fn(reference to the field's value in `attributes`), typed by the field's kind.
template <typename Fn>
auto VisitField(const AttributeField& field, const Attributes& attributes, Fn&& fn) {
  switch (field.kind) {
    case FieldKind::kBool:
      return fn(field.Get<bool>(attributes));
    case FieldKind::kTriState:
    case FieldKind::kEnum:
      return fn(field.Get<int32_t>(attributes));
    case FieldKind::kInt:
    case FieldKind::kOneDimension:
      return fn(field.Get<int64_t>(attributes));
    case FieldKind::kOptionalInt:
    case FieldKind::kOptionalDimension:
      return fn(field.Get<absl::optional<int64_t>>(attributes));
    case FieldKind::kFloat:
      return fn(field.Get<float>(attributes));
    case FieldKind::kString:
      return fn(field.Get<std::string>(attributes));
    case FieldKind::kIntList:
      return fn(field.Get<DimensionVector>(attributes));
    case FieldKind::kIntLists:
      return fn(field.Get<std::vector<std::vector<int64_t>>>(attributes));
    case FieldKind::kBoolList:
      return fn(field.Get<std::vector<bool>>(attributes));
    case FieldKind::kPrecisionList:
      return fn(field.Get<std::vector<Precision>>(attributes));
    case FieldKind::kWindow:
      return fn(field.Get<Window>(attributes));
    case FieldKind::kOptionalWindow:
      return fn(field.Get<absl::optional<Window>>(attributes));
    case FieldKind::kDimLabels:
      return fn(field.Get<ConvolutionDimensionNumbers>(attributes));
    case FieldKind::kOptionalDimLabels:
      return fn(field.Get<absl::optional<ConvolutionDimensionNumbers>>(attributes));
    case FieldKind::kPadding:
      return fn(field.Get<PaddingConfig>(attributes));
    case FieldKind::kSlice:
      return fn(field.Get<std::vector<SliceRange>>(attributes));
    case FieldKind::kReplicaGroups:
      return fn(field.Get<ReplicaGroups>(attributes));
    case FieldKind::kSourceTargetPairs:
      return fn(field.Get<std::vector<std::pair<int64_t, int64_t>>>(attributes));
    case FieldKind::kShape:
      return fn(field.Get<Shape>(attributes));
    case FieldKind::kShapeList:
      return fn(field.Get<std::vector<Shape>>(attributes));
    case FieldKind::kOptionalShapeList:
      return fn(field.Get<absl::optional<std::vector<Shape>>>(attributes));
    case FieldKind::kAliasing:
      return fn(field.Get<std::vector<OutputOperandAlias>>(attributes));
    case FieldKind::kLiteral:
      return fn(field.Get<std::shared_ptr<const Literal>>(attributes));
    case FieldKind::kDomain:
      return fn(field.Get<Domain>(attributes));
    case FieldKind::kSparsity:
      return fn(field.Get<ConvolutionSparsity>(attributes));
  }
  return fn(false);
}

template <typename T>
bool SameValue(const T& a, const T& b) {
  return a == b;
}
// A value equals itself, NaN included.
bool SameValue(float a, float b) { return a == b || std::memcmp(&a, &b, sizeof(a)) == 0; }
bool SameValue(const std::shared_ptr<const Literal>& a, const std::shared_ptr<const Literal>& b) {
  return a == b || (a != nullptr && b != nullptr && a->BitwiseEquals(*b));
}

// Stable between runs, unlike absl::Hash.
class Hasher {
 public:
  void AddWord(uint64_t word) { state_ = MixHash(state_, word); }
  void Add(bool v) { AddWord(v); }
  void Add(int32_t v) { AddWord(static_cast<uint64_t>(v)); }
  void Add(int64_t v) { AddWord(static_cast<uint64_t>(v)); }
  void Add(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    AddWord(v == 0 ? 0 : bits);
  }
  void AddBytes(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) AddWord(bytes[i]);
  }
  void Add(const std::string& v) { AddBytes(v.data(), v.size()); }
  void Add(const absl::optional<int64_t>& v) {
    Add(v.has_value());
    if (v.has_value()) Add(*v);
  }
  void Add(const DimensionVector& v) {
    for (int64_t d : v) Add(d);
  }
  void Add(const Window& v) {
    for (const WindowDimension& d : v.dimensions) {
      for (int64_t n : {d.size, d.stride, d.padding_low, d.padding_high, d.base_dilation, d.window_dilation}) Add(n);
    }
  }
  void Add(const PaddingConfig& v) {
    for (const PaddingDimension& d : v) {
      for (int64_t n : {d.low, d.high, d.interior}) Add(n);
    }
  }
  void Add(const std::vector<SliceRange>& v) {
    for (const SliceRange& r : v) {
      for (int64_t n : {r.start, r.limit, r.stride}) Add(n);
    }
  }
  void Add(const std::shared_ptr<const Literal>& v) {
    if (v == nullptr || v->IsTuple() || v->has_dynamic_sizes()) return;
    Add(v->size_bytes());
    AddBytes(v->untyped_data(), static_cast<size_t>(v->size_bytes()));
  }
  // Rare and long kinds: equality tells them apart, the hash need not.
  template <typename T>
  void Add(const T&) {}

  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0xCBF29CE484222325;
};

}  // namespace

bool FieldEqual(const AttributeField& field, const Attributes& a, const Attributes& b) {
  return VisitField(field, a, [&](const auto& value) {
    using T = std::decay_t<decltype(value)>;
    return SameValue(value, field.Get<T>(b));
  });
}

bool AttributesEqual(const Attributes& a, const Attributes& b) {
  if (&a.schema() != &b.schema()) return false;
  for (const AttributeField& field : a.schema().fields) {
    if (!FieldEqual(field, a, b)) return false;
  }
  return true;
}

uint64_t HashAttributes(const Attributes& attributes) {
  Hasher hasher;
  for (const AttributeField& field : attributes.schema().fields) {
    // Unset and false are different values, but mostly mean the same: see ModulesStructurallyEqual.
    if (field.kind == FieldKind::kTriState) {
      hasher.Add(field.Get<int32_t>(attributes) == 1);
      continue;
    }
    VisitField(field, attributes, [&](const auto& value) {
      hasher.Add(value);
      return true;
    });
  }
  return hasher.state();
}

}  // namespace xla
