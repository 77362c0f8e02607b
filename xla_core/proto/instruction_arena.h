// InstructionArena: memory in which one HloInstructionProto after the other is made, used again and again. Messages
// outside of an arena allocate and free each of their parts, which costs more than filling them.
#ifndef XLA_CORE_PROTO_INSTRUCTION_ARENA_H_
#define XLA_CORE_PROTO_INSTRUCTION_ARENA_H_

#include <google/protobuf/arena.h>

#include <cstddef>

#include "xla_core/proto/hlo.pb.h"

namespace xla {

// Memory stays near one block however many messages are made: the arena is reset once half of the block is used.
class InstructionArena {
 public:
  InstructionArena() : arena_(Options()) {}

  // An empty message, valid until the next call.
  ::halo::hlo::HloInstructionProto* NewMessage() {
    if (arena_.SpaceUsed() > kBlockBytes / 2) arena_.Reset();
    return google::protobuf::Arena::CreateMessage<::halo::hlo::HloInstructionProto>(&arena_);
  }

 private:
  static constexpr size_t kBlockBytes = 1 << 16;

  google::protobuf::ArenaOptions Options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_;
    options.initial_block_size = sizeof(block_);
    return options;
  }

  alignas(16) char block_[kBlockBytes];
  google::protobuf::Arena arena_;
};

}  // namespace xla

#endif  // XLA_CORE_PROTO_INSTRUCTION_ARENA_H_
