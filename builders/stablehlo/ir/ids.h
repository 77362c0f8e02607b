// Numbers of the parts of a module: types, attributes, locations, values, operations, blocks and regions.
#ifndef BUILDERS_STABLEHLO_IR_IDS_H_
#define BUILDERS_STABLEHLO_IR_IDS_H_

#include <cstdint>
#include <utility>

namespace xla {
namespace stablehlo {

// The number of a `What` in its module; -1: of none.
template <typename What>
struct Id {
  int32_t index = -1;

  bool ok() const { return index >= 0; }
  friend bool operator==(Id a, Id b) { return a.index == b.index; }
  friend bool operator!=(Id a, Id b) { return a.index != b.index; }
  template <typename H>
  friend H AbslHashValue(H state, Id id) {
    return H::combine(std::move(state), id.index);
  }
};

struct Type;
struct Attribute;
struct Location;
struct Value;
struct Operation;
struct Block;
struct Region;
using TypeId = Id<Type>;
using AttributeId = Id<Attribute>;
using LocationId = Id<Location>;
using ValueId = Id<Value>;
using OperationId = Id<Operation>;
using BlockId = Id<Block>;
using RegionId = Id<Region>;

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_IDS_H_
