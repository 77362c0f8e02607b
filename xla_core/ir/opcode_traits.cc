// Traits that imply others; a row of opcodes.def that forgets one does not compile.
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace opcode_trait {
namespace {

struct Implication {
  uint32_t trait;
  uint32_t implied;
};

constexpr Implication kImplications[] = {
    {kBundles, kView},
    {kPassesOn, kView},
    {kPicksElements, kMovesElements},
    {kReadsPart, kMovesElements},
    {kPicksElements, kFreeToRepeat},
    {kChoosesOperand, kElementwise},
    {kRoundsToInteger, kElementwise},
    {kCommutative, kElementwise},
    {kAssociative, kCommutative},
    {kIdempotent, kAssociative},
    {kProduct, kSums},
    {kAsyncCall, kBegins | kEnds},
    {kCollective, kSideEffect},
};

constexpr bool ImplicationsHold() {
  for (int i = 0; i < kOpcodeCount; ++i) {
    for (const Implication& implication : kImplications) {
      const auto opcode = static_cast<HloOpcode>(i);
      if (HasTrait(opcode, implication.trait) && !HasTrait(opcode, implication.implied)) return false;
    }
  }
  return true;
}
static_assert(ImplicationsHold(), "a row of opcodes.def has a trait without one that it implies");

}  // namespace
}  // namespace opcode_trait
}  // namespace xla
