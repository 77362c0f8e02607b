// Operations that have opcodes of their own for a start and a done. Every other operation that takes time is wrapped in
// async-start and async-done; send and recv have no form without a done.
#ifndef XLA_CORE_IR_ASYNC_OPCODES_H_
#define XLA_CORE_IR_ASYNC_OPCODES_H_

#include "xla_core/ir/opcode.h"

namespace xla {

struct AsyncOpcodes {
  HloOpcode whole;  // what the start and the done do together
  HloOpcode start;
  HloOpcode done;
};

constexpr AsyncOpcodes kAsyncOpcodes[] = {
    {HloOpcode::kCopy, HloOpcode::kCopyStart, HloOpcode::kCopyDone},
    {HloOpcode::kAllReduce, HloOpcode::kAllReduceStart, HloOpcode::kAllReduceDone},
    {HloOpcode::kAllGather, HloOpcode::kAllGatherStart, HloOpcode::kAllGatherDone},
    {HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart, HloOpcode::kCollectivePermuteDone},
};

// The row whose `role` (&AsyncOpcodes::start, say) is `opcode`; nullptr if there is none.
constexpr const AsyncOpcodes* FindAsyncOpcodes(HloOpcode AsyncOpcodes::* role, HloOpcode opcode) {
  for (const AsyncOpcodes& row : kAsyncOpcodes) {
    if (row.*role == opcode) return &row;
  }
  return nullptr;
}

}  // namespace xla

#endif  // XLA_CORE_IR_ASYNC_OPCODES_H_
