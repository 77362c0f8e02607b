// NestLowering: what the code that turns a statement into HLO is given.
//
// Arrays are static here, dynamic extents have their bounds: elements past the size of a dimension may be anything, and
// whoever sums, compares or moves along one leaves them out (Extent gives the size). Parameters and results of the
// module are dynamic arrays; lower_graph.cc makes the one of the other.
#ifndef BUILDERS_NNEF2_LOWERING_NEST_LOWERING_H_
#define BUILDERS_NNEF2_LOWERING_NEST_LOWERING_H_

#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/lowering/statement_nest.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace nnef2 {

class NestLowering {
 public:
  virtual ~NestLowering() = default;

  virtual ComputationBuilder& builder() = 0;
  // The tensors of the graph, by number, and their values.
  virtual const ComposedTensor& tensor(int number) const = 0;
  virtual XlaOp Array(int number) = 0;
  // The items of a pack one after the other along a new first dimension, each padded to the largest extents. All of
  // them have the same rank.
  virtual XlaOp Stacked(const std::vector<int>& numbers) = 0;
  // An extent as an s32[]: a constant, or what it is at run time.
  virtual XlaOp Extent(const Scalar& extent) = 0;
  // The element type of ints, reals and bools.
  virtual PrimitiveType TypeOf(BaseType type) const = 0;

  // The extents of a tensor, of dynamic ones the bounds: the dimensions of its array.
  std::vector<int64_t> BoundsOf(int number) const;
};

// Turns statements into HLO if they are what HLO has operations for: how many of the operation's nests, from
// nests[first] on, have been lowered together; 0: none, they take the general form. All of them have the targets of
// nests[first], and *results are the new values of these, in their order. `initial`: the values before; invalid ones if
// nothing has been assigned: then elements that are not assigned become 0 or false, and accumulation starts with what
// changes nothing.
using Recogniser = int (*)(NestLowering& lowering, const std::vector<StatementNest>& nests, int first,
                           const std::vector<XlaOp>& initial, std::vector<XlaOp>* results);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_NEST_LOWERING_H_
