// place-transposes: puts transposes where they move the fewest bytes.
#ifndef PASSES_ALGEBRA_PLACE_TRANSPOSES_H_
#define PASSES_ALGEBRA_PLACE_TRANSPOSES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Between operations that ask for an order of dimensions, as convolutions do, lie others that can be done in any:
// elementwise ones, windows, pads, slices, concatenations (reordered_operation.h). Each of these is done in the one or
// the other order, whichever makes for fewer bytes that transposes move:
//   before: t = transpose(c), dimensions={0,3,1,2}  m = reduce-window(t)  u = transpose(m), dimensions={0,2,3,1}
//   after:  u = reduce-window(c)
// The rules of simplify-shapes look at one operation at a time and so cannot help where an array has several users, of
// which only all together are worth it. Here the choice is the cheapest cut of a graph: on one side is what is done in
// the order as it stands, on the other what is done in the other order; an array costs a transpose if it is made on one
// side and read on the other. All that is left alone is on the first side, what transposes come from on the second.
// Dots are made in the order that is wanted, with their operands exchanged, and read either, as reductions do. Only
// where fewer bytes move than before is anything done, so that there is an end to it. Not within computations of
// fusions and custom calls.
//
// Runs after CanonicalizeConvolutions, which leaves such transposes, and after the algebra, which would fold them into
// the convolutions again.
absl::StatusOr<bool> PlaceTransposes(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_ALGEBRA_PLACE_TRANSPOSES_H_
