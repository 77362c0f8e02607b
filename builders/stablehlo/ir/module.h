// Module: an MLIR module of the dialects that StableHLO programs use, in memory.
//
// What text and bytecode have in common: the text parser and the bytecode reader build it, the lowering to HLO and the
// printer read it. The reader of an old artifact writes what today's StableHLO text would have.
//
// Everything lies in tables of the module and is named by a number (ids.h); lists, texts and bytes lie in its arena. So
// a module is taken down in linear time and without recursion, however deep its operations, types or locations nest.
// Types, attributes and locations are interned, and their parts come before them: one pass in the order of their ids
// visits each after its parts.
//
// A module is made from the inside out: values and operations, then the block of the operations, then its region, then
// the operation that has the region. Each step tells the parts what they belong to.
//   const TypeId f32 = module.Intern(FloatType(FloatKind::kF32));
//   const TypeId type = module.Intern(TensorType({2, 3}, f32));
//   const ValueId x = module.NewValue(type, "arg0");
//   const ValueId y = module.NewValue(type, "0");
//   Operation negate;
//   negate.name = "stablehlo.negate";
//   negate.operands = {x};   // any span that lives until the call
//   negate.results = {y};
//   const OperationId op = module.Add(negate);
//   const RegionId body = module.AddRegion({module.AddBlock({x}, {op})});
#ifndef BUILDERS_STABLEHLO_IR_MODULE_H_
#define BUILDERS_STABLEHLO_IR_MODULE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/arena.h"
#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/ir/ids.h"
#include "builders/stablehlo/ir/location.h"
#include "builders/stablehlo/ir/operation.h"
#include "builders/stablehlo/ir/type.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace stablehlo {

// The elements of constants that stand apart from the program. `data` has a byte for each element narrower than one, as
// Attribute::data has, but what signs fill the byte with may be missing.
struct Resource {
  absl::string_view data;
  int64_t alignment = 1;
};

// References to its parts stay valid as long as it lives. Not thread-safe while it is made.
class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Copies what is not there yet, with its lists and texts. The data of elements of more than kMaxInternedBytes is not
  // copied: it has come from KeepBytes, or something that is kept alive has it.
  absl::string_view Intern(absl::string_view text);
  TypeId Intern(const Type& type);
  AttributeId Intern(const Attribute& attribute);
  LocationId Intern(const Location& location);
  // The same without looking for an equal one, for what lists each location once.
  LocationId AddLocation(const Location& location);

  // Attributes that occur often.
  AttributeId String(absl::string_view text) { return Intern(TextAttribute(AttributeKind::kString, text)); }
  AttributeId Symbol(absl::string_view text) { return Intern(TextAttribute(AttributeKind::kSymbol, text)); }
  AttributeId Int64(int64_t value);
  // array<i64: ...>
  AttributeId Int64Array(absl::Span<const int64_t> values);
  // Sorts `fields`, which have no name twice.
  AttributeId Dictionary(std::vector<NamedAttribute> fields);
  AttributeId Struct(absl::string_view name, std::vector<NamedAttribute> fields);

  // Memory for elements, aligned to 16 bytes, that lives as long as the module, or until it is freed.
  char* NewBytes(size_t size) { return arena_.Allocate(size); }
  absl::string_view KeepBytes(absl::string_view bytes) { return arena_.Copy(bytes); }
  // Gives back large data that came from NewBytes; what refers to it must not be read again.
  void FreeBytes(absl::string_view bytes) { arena_.Free(bytes.data()); }
  // For data that attributes and resources refer to without a copy: a mapped file.
  void KeepAlive(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  // `name` is interned.
  ValueId NewValue(TypeId type, absl::string_view name = "", LocationId location = {});
  // Copies the name, the lists and sorts the attributes. The results are new values, and the regions new regions.
  OperationId Add(const Operation& operation);
  BlockId AddBlock(absl::Span<const ValueId> arguments, absl::Span<const OperationId> operations);
  RegionId AddRegion(absl::Span<const BlockId> blocks);
  // The outermost operation: a "builtin.module" with one region of one block.
  void set_root(OperationId root) { root_ = root; }
  void SetPosition(OperationId operation, int32_t line, int32_t column) {
    operations_[operation.index].line = line;
    operations_[operation.index].column = column;
  }
  void SetLocation(OperationId operation, LocationId location) { operations_[operation.index].location = location; }
  void SetLocation(ValueId argument, LocationId location) { values_[argument.index].location = location; }

  // False if `key` has a resource.
  bool AddResource(absl::string_view key, const Resource& resource);
  // nullptr if there is none.
  const Resource* FindResource(absl::string_view key) const;
  // In the order in which they were added.
  absl::Span<const absl::string_view> resource_keys() const { return resource_keys_; }

  const Type& type(TypeId id) const { return types_[id.index]; }
  const Attribute& attribute(AttributeId id) const { return attributes_[id.index]; }
  const Location& location(LocationId id) const { return locations_[id.index]; }
  const Value& value(ValueId id) const { return values_[id.index]; }
  const Operation& operation(OperationId id) const { return operations_[id.index]; }
  const Block& block(BlockId id) const { return blocks_[id.index]; }
  const Region& region(RegionId id) const { return regions_[id.index]; }
  OperationId root() const { return root_; }
  // The type of a value.
  const Type& type(ValueId id) const { return type(value(id).type); }

  int type_count() const { return static_cast<int>(types_.size()); }
  int attribute_count() const { return static_cast<int>(attributes_.size()); }
  int location_count() const { return static_cast<int>(locations_.size()); }
  int value_count() const { return static_cast<int>(values_.size()); }
  int operation_count() const { return static_cast<int>(operations_.size()); }

  // Bytes that lists, texts and elements take.
  int64_t arena_bytes() const { return arena_.allocated_bytes(); }

 private:
  // The ids of what is interned, by hash; those of one hash are a list.
  struct HashTable {
    absl::flat_hash_map<size_t, int32_t> first;
    std::vector<int32_t> next;  // by id; -1: it is the last
  };

  template <typename T>
  int32_t InternIn(std::deque<T>* table, HashTable* hashes, const T& value);
  absl::Span<const NamedAttribute> CopyFields(absl::Span<const NamedAttribute> fields, bool sort);
  Type Copied(const Type& type);
  Attribute Copied(const Attribute& attribute);
  Location Copied(const Location& location);

  Arena arena_;
  std::deque<Type> types_;
  std::deque<Attribute> attributes_;
  std::deque<Location> locations_;
  std::deque<Value> values_;
  std::deque<Operation> operations_;
  std::deque<Block> blocks_;
  std::deque<Region> regions_;
  OperationId root_;
  absl::flat_hash_set<absl::string_view> texts_;
  std::array<absl::string_view, 64> recent_texts_;  // some of texts_, found faster
  HashTable type_hashes_;
  HashTable attribute_hashes_;
  HashTable location_hashes_;
  absl::flat_hash_map<absl::string_view, Resource> resources_;
  std::vector<absl::string_view> resource_keys_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// HLO's element type of an integer, index (s64), float or complex type: i1 is PRED, i8 S8, ui8 U8.
// PRIMITIVE_TYPE_INVALID for all others, among them the widths that HLO does not have.
PrimitiveType HloElementType(const Module& module, TypeId element);
// Bytes of one element of a constant, whose type may be one that HLO lacks; of a quantized type, those of its storage.
// 0: such a type has no elements.
int64_t ElementBytes(const Module& module, TypeId element);
// The product of the dimensions. -1: one is dynamic, or the product is not an int64_t.
int64_t ElementCount(const Type& tensor);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_MODULE_H_
