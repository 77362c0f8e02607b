// The pass sink-collectives.
#ifndef PASSES_COLLECTIVES_SINK_COLLECTIVES_H_
#define PASSES_COLLECTIVES_SINK_COLLECTIVES_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Lets devices add up what is their own before they meet, so that they meet less often.
//   sums of sums  add(all-reduce(x), all-reduce(y))               => all-reduce(add(x, y))
//                 add(add(a, all-reduce(x)), all-reduce(y))       => add(a, all-reduce(add(x, y)))
//   scaling       add(multiply(all-reduce(x), c), all-reduce(y))  => all-reduce(add(multiply(x, c), y))
//   loops         while { a = add(a, all-reduce(x)) } from b      => add(b, all-reduce(while { a = add(a, x) } from 0))
// Also with maximum, minimum, multiply, and, or, xor in place of add; with subtract in place of the outer add; with
// negate and, of floats, divide as scaling; and sums of reduce-scatters. c is the same on all devices of a group. Only
// where the all-reduces have no other users and the same groups.
//
// What may change, and which fast math must be allowed then; with option keep-order, the second line needs reassociate:
//   integers, predicates; maximum and minimum of any type   every bit stays (those of NaNs aside): on
//   f32, f64 and complex, if all terms of the additions     only the order of a sum changes: on. In a loop that is so
//     are all-reduces                                       if it begins with zeros
//   narrower floats; (a + sum) + sum; loops that begin      reassociate
//     with something else; scaling by c; products
//   subtract and negate of floats                           reassociate and no-signed-zeros
//
// A loop loses its all-reduce if what it adds up is read only after it, and if all devices come to every collective of
// the program alike, whatever their arguments are.
absl::StatusOr<bool> SinkCollectives(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_SINK_COLLECTIVES_H_
