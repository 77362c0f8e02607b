// What holds for every instruction of an opcode, as columns of opcodes.def. A trait is a promise about HLO, not about a
// pass or a backend: ask for traits instead of listing opcodes, and where a use differs from the promise, name the
// difference beside it:
//
//   HasTrait(opcode, opcode_trait::kView) || opcode == HloOpcode::kAfterAll  // a token takes no memory either
//
// Which opcodes one pass can handle, and how it handles each, is no trait: that is an OpcodeSet or an OpcodeMap
// (opcode_map.h) beside the code.
#ifndef XLA_CORE_IR_OPCODE_TRAITS_H_
#define XLA_CORE_IR_OPCODE_TRAITS_H_

#include <cstdint>

#include "xla_core/ir/opcode.h"

namespace xla {

namespace opcode_trait {
enum OpcodeTrait : uint32_t {
  kNone = 0,

  // ---- Values

  // Each element of the result depends only on the operands' elements at the same index, or on scalar operands.
  kElementwise = 1u << 0,
  // The value is there when the computation begins.
  kGiven = 1u << 1,
  // The value follows from the attributes and the shape; there are no operands.
  kFromAttributes = 1u << 2,
  // The result is memory of the operands, as it is: one of them, an element of one, or all of them together. Nothing is
  // computed or moved.
  kView = 1u << 3,
  // A view that makes a tuple of values, or takes a value from one.
  kBundles = 1u << 4,
  // A view that gives operand 0 as it is, whatever its shape, and only states or orders something.
  kPassesOn = 1u << 5,

  // ---- Elements

  // Each element of the result is an element of an array operand. Which one, attributes and operands that are indices
  // tell; values and sizes that are known only when the program runs do not.
  kMovesElements = 1u << 6,
  // The same with one array and without indices: the result is operand 0 with elements reordered, repeated or left out.
  kPicksElements = 1u << 7,
  // Moves elements, and reads no more elements of operand 0 than the result has.
  kReadsPart = 1u << 8,
  // No arithmetic, and at most one operand: each element of the result is an element of the operand, written in another
  // type perhaps, or follows from the attributes. To compute it again where it is read costs no more than to read it.
  kFreeToRepeat = 1u << 9,
  // Elementwise; each element of the result is an operand's element, with another sign perhaps (except for the absolute
  // value of a complex number).
  kChoosesOperand = 1u << 10,
  // Elementwise; each element of the result is the operand's element if that is an integer, or an infinity or NaN, and
  // one of the two integers beside it otherwise.
  kRoundsToInteger = 1u << 11,

  // ---- Algebra of two operands, for single elements; bits of NaNs may differ

  // op(x, y) is op(y, x). Of complex numbers the product is not: the terms of its parts change places.
  kCommutative = 1u << 12,
  // op(op(x, y), z) is op(x, op(y, z)), except for rounding and overflow to infinity, and there is a y such that
  // op(x, y) is x: a reduction may have it.
  kAssociative = 1u << 13,
  // op(x, x) is x.
  kIdempotent = 1u << 14,

  // ---- Sums

  // Each element of the result is a sum of products of one element each of the two operands.
  kProduct = 1u << 15,
  // Adds up many numbers by itself; in which order is not defined.
  kSums = 1u << 16,
  // Combines many elements into one by the computation that it calls.
  kFolds = 1u << 17,

  // ---- Calls

  // Its computations are part of the program: while it runs, their instructions run one after the other. Their
  // parameters are operands of the instruction, or the state of the loop, and their results its result.
  kControlFlow = 1u << 18,
  // Names a computation that runs beside the program between the start and the done.
  kAsyncCall = 1u << 19,

  // ---- Pairs. What goes on in between is seen in no other operation, so each start has one done.

  // The result stands for something that goes on, and is for the instruction that ends it (or updates it) only.
  kBegins = 1u << 20,
  // Operand 0 comes from an instruction that begins something.
  kEnds = 1u << 21,

  // ---- Effects

  // Meets other devices that run the same program, or begins or ends a meeting: all of them must come to it, in one
  // order.
  kCollective = 1u << 22,
  // Must run once each time the program comes to it, although the result is unused. Of a custom-call its attribute
  // tells (HasOwnSideEffect in ops/side_effects.h).
  kSideEffect = 1u << 23,
  // May give another value when it runs again with the same operands.
  kVaries = 1u << 24,
  // The value is a number of the device on which the program runs.
  kDeviceNumber = 1u << 25,
};
}  // namespace opcode_trait

namespace opcode_trait {
// The rows are written in the words of this namespace.
constexpr uint32_t kTraitsOfOpcodes[] = {
#define OPCODE(enumerator, name, traits) traits,
#include "xla_core/ir/opcodes.def"
#undef OPCODE
};
}  // namespace opcode_trait

// Whether the opcode has any of the traits: HasTrait(opcode, kView | kGiven).
constexpr bool HasTrait(HloOpcode opcode, uint32_t traits) {
  return (opcode_trait::kTraitsOfOpcodes[static_cast<uint8_t>(opcode)] & traits) != 0;
}

}  // namespace xla

#endif  // XLA_CORE_IR_OPCODE_TRAITS_H_
