// Ids differ between modules, so those of `b` are translated: in the order of b's ids, so that the parts of each come
// before it, the type, attribute or location of `a` is found that equals it. Then operations are compared id by id.
#include "builders/stablehlo/ir/compare_modules.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/ir/equal.h"

namespace xla {
namespace stablehlo {
namespace {

// Elements that are all the same, as one.
absl::string_view AsSplat(absl::string_view data, size_t element_bytes) {
  if (element_bytes == 0 || data.size() <= element_bytes) return data;
  const bool is_same = data.substr(element_bytes) == data.substr(0, data.size() - element_bytes);
  return is_same ? data.substr(0, element_bytes) : data;
}

class Comparison {
 public:
  Comparison(const Module& a, const Module& b, const CompareOptions& options) : a_(a), b_(b), options_(options) {}

  std::string Run() {
    TranslateAttributesAndTypes();
    if (options_.with_locations) TranslateLocations();
    if (const std::string difference = CompareResources(); !difference.empty()) return difference;
    values_.resize(b_.value_count());
    std::vector<std::pair<OperationId, OperationId>> to_compare = {{a_.root(), b_.root()}};
    while (!to_compare.empty()) {
      const auto [x, y] = to_compare.back();
      to_compare.pop_back();
      if (const char* what = Compare(x, y, &to_compare); what != nullptr) return Describe(x, y, what);
    }
    return "";
  }

 private:
  // One canonical number for each distinct value of both modules.
  template <typename T>
  class Numbers {
   public:
    int32_t Of(const T& value) {
      std::vector<int32_t>& same_hash = by_hash_[Hash(value)];
      for (const int32_t number : same_hash) {
        if (Equal(values_[number], value)) return number;
      }
      same_hash.push_back(static_cast<int32_t>(values_.size()));
      values_.push_back(value);
      return same_hash.back();
    }

   private:
    std::vector<T> values_;
    absl::flat_hash_map<size_t, std::vector<int32_t>> by_hash_;
  };

  // What one module's ids are in canonical numbers, and the lists of those that values of Numbers refer to.
  struct Translation {
    std::vector<int32_t> types;
    std::vector<int32_t> attributes;
    std::vector<int32_t> locations;
    std::deque<std::vector<TypeId>> type_lists;
    std::deque<std::vector<AttributeId>> attribute_lists;
    std::deque<std::vector<NamedAttribute>> field_lists;
    std::deque<std::vector<LocationId>> location_lists;
    std::deque<Quantization> quantizations;
  };

  template <typename What>
  static Id<What> Map(const std::vector<int32_t>& numbers, Id<What> id) {
    return id.ok() ? Id<What>{numbers[id.index]} : id;
  }
  template <typename What>
  static absl::Span<const Id<What>> MapList(const std::vector<int32_t>& numbers, absl::Span<const Id<What>> ids,
                                            std::deque<std::vector<Id<What>>>* lists) {
    if (ids.empty()) return {};
    lists->emplace_back();
    for (const Id<What> id : ids) lists->back().push_back(Map(numbers, id));
    return lists->back();
  }

  int32_t NumberOf(Type type, Translation* t) {
    type.element = Map(t->types, type.element);
    type.encoding = Map(t->attributes, type.encoding);
    type.types = MapList(t->types, type.types, &t->type_lists);
    type.results = MapList(t->types, type.results, &t->type_lists);
    if (type.quantization != nullptr) {
      t->quantizations.push_back(*type.quantization);
      t->quantizations.back().storage = Map(t->types, t->quantizations.back().storage);
      type.quantization = &t->quantizations.back();
    }
    return types_.Of(type);
  }

  int32_t NumberOf(const Module& module, Attribute attribute, Translation* t) {
    if (attribute.kind == AttributeKind::kDenseElements) {
      const TypeId element = module.type(attribute.type).element;
      attribute.data = AsSplat(attribute.data, static_cast<size_t>(ElementBytes(module, element)));
      attribute.is_splat = false;
    }
    attribute.type = Map(t->types, attribute.type);
    attribute.elements = MapList(t->attributes, attribute.elements, &t->attribute_lists);
    if (!attribute.fields.empty()) {
      t->field_lists.emplace_back();
      for (const NamedAttribute& field : attribute.fields) {
        t->field_lists.back().push_back({field.name, Map(t->attributes, field.value)});
      }
      attribute.fields = t->field_lists.back();
    }
    return attributes_.Of(attribute);
  }

  // Types have attributes as encodings, attributes have types: each is numbered once all of its parts are. Both tables
  // have parts before wholes, so advancing in either one is always possible.
  void Translate(const Module& module, Translation* t) {
    const auto has_type = [t](TypeId id) { return id.index < static_cast<int32_t>(t->types.size()); };
    const auto has_attribute = [t](AttributeId id) { return id.index < static_cast<int32_t>(t->attributes.size()); };
    bool advances = true;
    while (advances) {
      advances = false;
      for (; has_attributes_left(module, *t); advances = true) {
        const Attribute& next = module.attribute({static_cast<int32_t>(t->attributes.size())});
        if (!has_type(next.type)) break;
        t->attributes.push_back(NumberOf(module, next, t));
      }
      for (; has_types_left(module, *t); advances = true) {
        const Type& next = module.type(TypeId{static_cast<int32_t>(t->types.size())});
        if (!has_attribute(next.encoding)) break;
        t->types.push_back(NumberOf(next, t));
      }
    }
  }
  static bool has_attributes_left(const Module& module, const Translation& t) {
    return static_cast<int>(t.attributes.size()) < module.attribute_count();
  }
  static bool has_types_left(const Module& module, const Translation& t) {
    return static_cast<int>(t.types.size()) < module.type_count();
  }

  void TranslateAttributesAndTypes() {
    Translate(a_, &of_a_);
    Translate(b_, &of_b_);
  }

  void TranslateLocations() {
    for (const auto& [module, t] : {std::make_pair(&a_, &of_a_), std::make_pair(&b_, &of_b_)}) {
      for (int i = 0; i < module->location_count(); ++i) {
        Location location = module->location({i});
        location.child = Map(t->locations, location.child);
        location.caller = Map(t->locations, location.caller);
        location.parts = MapList(t->locations, location.parts, &t->location_lists);
        location.metadata = Map(t->attributes, location.metadata);
        t->locations.push_back(locations_.Of(location));
      }
    }
  }

  std::string CompareResources() const {
    if (a_.resource_keys().size() != b_.resource_keys().size()) return "the numbers of resources differ";
    for (const absl::string_view key : a_.resource_keys()) {
      const Resource* const other = b_.FindResource(key);
      if (other == nullptr) return absl::StrCat("the resource '", key, "' is only in the first module");
      if (a_.FindResource(key)->data != other->data) return absl::StrCat("the resources '", key, "' differ");
    }
    return "";
  }

  bool IsSame(TypeId x, TypeId y) const { return Map(of_a_.types, x) == Map(of_b_.types, y); }
  bool IsSame(AttributeId x, AttributeId y) const { return Map(of_a_.attributes, x) == Map(of_b_.attributes, y); }
  bool IsSame(LocationId x, LocationId y) const {
    return !options_.with_locations || Map(of_a_.locations, x) == Map(of_b_.locations, y);
  }

  // Takes the values of `y` for those of `x`.
  const char* Define(absl::Span<const ValueId> x, absl::Span<const ValueId> y) {
    if (x.size() != y.size()) return "the numbers of values differ";
    for (size_t i = 0; i < x.size(); ++i) {
      const Value& value_x = a_.value(x[i]);
      const Value& value_y = b_.value(y[i]);
      if (!IsSame(value_x.type, value_y.type)) return "the types of values differ";
      if (options_.with_value_names && value_x.name != value_y.name) return "the names of values differ";
      if (!IsSame(value_x.location, value_y.location)) return "the locations of values differ";
      values_[y[i].index] = x[i];
    }
    return nullptr;
  }

  // nullptr: no difference; what is inside the operations is then in `to_compare`, in order from its end.
  const char* Compare(OperationId id_x, OperationId id_y,
                      std::vector<std::pair<OperationId, OperationId>>* to_compare) {
    const Operation& x = a_.operation(id_x);
    const Operation& y = b_.operation(id_y);
    if (x.name != y.name) return "the operations differ";
    const auto same_value = [this](ValueId p, ValueId q) { return values_[q.index] == p; };
    if (!std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(), same_value)) {
      return "the operands differ";
    }
    const auto same_attribute = [this](const NamedAttribute& p, const NamedAttribute& q) {
      return p.name == q.name && IsSame(p.value, q.value);
    };
    if (!std::equal(x.attributes.begin(), x.attributes.end(), y.attributes.begin(), y.attributes.end(),
                    same_attribute)) {
      return "the attributes differ";
    }
    if (!IsSame(x.location, y.location)) return "the locations differ";
    if (const char* what = Define(x.results, y.results); what != nullptr) return what;
    return CompareRegions(x, y, to_compare);
  }

  const char* CompareRegions(const Operation& x, const Operation& y,
                             std::vector<std::pair<OperationId, OperationId>>* to_compare) {
    if (x.regions.size() != y.regions.size()) return "the numbers of regions differ";
    const size_t before = to_compare->size();
    for (size_t i = 0; i < x.regions.size(); ++i) {
      const absl::Span<const BlockId> blocks_x = a_.region(x.regions[i]).blocks;
      const absl::Span<const BlockId> blocks_y = b_.region(y.regions[i]).blocks;
      if (blocks_x.size() != blocks_y.size()) return "the numbers of blocks differ";
      for (size_t j = 0; j < blocks_x.size(); ++j) {
        const Block& block_x = a_.block(blocks_x[j]);
        const Block& block_y = b_.block(blocks_y[j]);
        if (const char* what = Define(block_x.arguments, block_y.arguments); what != nullptr) return what;
        if (block_x.operations.size() != block_y.operations.size()) return "the numbers of operations differ";
        for (size_t k = 0; k < block_x.operations.size(); ++k) {
          to_compare->emplace_back(block_x.operations[k], block_y.operations[k]);
        }
      }
    }
    std::reverse(to_compare->begin() + before, to_compare->end());
    return nullptr;
  }

  std::string Describe(OperationId x, OperationId y, const char* what) const {
    const Operation& in_a = a_.operation(x);
    const Operation& in_b = b_.operation(y);
    return absl::StrCat(what, ": ", in_a.name, " (number ", x.index, ", line ", in_a.line, ") and ", in_b.name,
                        " (number ", y.index, ", line ", in_b.line, ")");
  }

  const Module& a_;
  const Module& b_;
  const CompareOptions options_;
  Numbers<Type> types_;
  Numbers<Attribute> attributes_;
  Numbers<Location> locations_;
  Translation of_a_;
  Translation of_b_;
  std::vector<ValueId> values_;  // of a, by the ids of b
};

}  // namespace

std::string FirstDifference(const Module& a, const Module& b, const CompareOptions& options) {
  return Comparison(a, b, options).Run();
}

}  // namespace stablehlo
}  // namespace xla
