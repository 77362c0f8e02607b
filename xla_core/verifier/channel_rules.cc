// What has a beginning and an end: start and done, send and send-done, recv and recv-done; and what all all-reduces of
// a module have in common. (That the same channel occurs on operations of different kinds is no fault: JAX gives all of
// its collectives channel 1.)
#include <string>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// What is started is finished, once.
void CheckStart(const HloInstruction& start, HloOpcode end, Verification& verification) {
  if (start.users().size() == 1 && start.users()[0]->opcode() == end) return;
  verification.Add(start, absl::StrCat("expected one user, a ", HloOpcodeName(end), ", got ",
                                       start.users().size() == 1 ? start.users()[0]->opcode_name()
                                                                 : absl::StrCat(start.users().size())));
}

std::string ChannelToString(const absl::optional<int64_t>& channel) {
  return channel.has_value() ? absl::StrCat("channel_id ", *channel) : "no channel_id";
}

// What begins a transfer in the module: the opcode, the channel (0 for none), and whether the host is the other side.
using Transfer = std::tuple<HloOpcode, int64_t, bool>;

Transfer TransferOf(HloOpcode begin, const SendRecvAttributes& attributes) {
  return Transfer(begin, attributes.channel_id.value_or(0), attributes.is_host_transfer);
}

absl::flat_hash_set<Transfer> TransfersOf(const Verification& verification) {
  absl::flat_hash_set<Transfer> transfers;
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (opcode != HloOpcode::kSend && opcode != HloOpcode::kRecv) continue;
      if (!verification.IsSound(*instruction)) continue;
      transfers.insert(TransferOf(opcode, instruction->attributes<SendRecvAttributes>()));
    }
  }
  return transfers;
}

// send-done and recv-done repeat what their send or recv says. One that is given the value of another instruction, such
// as an element of a loop's state, finishes what a send or recv of its channel began.
void CheckTransferDone(const HloInstruction& done, const absl::flat_hash_set<Transfer>& transfers,
                       Verification& verification) {
  const HloInstruction& begin = *done.operand(0);
  const auto& second = done.attributes<SendRecvAttributes>();
  if (begin.opcode() != HloOpcode::kSend && begin.opcode() != HloOpcode::kRecv) {
    const HloOpcode opcode = done.opcode() == HloOpcode::kSendDone ? HloOpcode::kSend : HloOpcode::kRecv;
    const std::string other = absl::StrCat(second.is_host_transfer ? "host " : "", HloOpcodeName(opcode), " with ",
                                           ChannelToString(second.channel_id));
    if (transfers.contains(TransferOf(opcode, second))) {
      verification.Warn(done, absl::StrCat("finishes, by way of ", begin.name(), ", a ", other,
                                           "; which one, its operand tells when it runs"));
    } else {
      verification.Add(done, absl::StrCat("the module has no ", other, " that it could finish"));
    }
    return;
  }
  const auto& first = begin.attributes<SendRecvAttributes>();
  if (second.channel_id != first.channel_id) {
    verification.Add(done, absl::StrCat(begin.name(), " has ", ChannelToString(first.channel_id), ", this one ",
                                        ChannelToString(second.channel_id), "; they must be the same"));
  }
  if (second.is_host_transfer != first.is_host_transfer) {
    verification.Add(done, absl::StrCat("is_host_transfer must be the same as that of ", begin.name()));
  }
}

void CheckTransfer(const HloInstruction& begin, HloOpcode end, Verification& verification) {
  int ends = 0;
  for (const HloInstruction* user : begin.users()) ends += user->opcode() == end ? 1 : 0;
  if (ends > 1) verification.Add(begin, absl::StrCat("is finished by ", ends, " instructions; expected one"));
  const absl::optional<int64_t>& channel = begin.attributes<SendRecvAttributes>().channel_id;
  if (channel.has_value() && *channel < 0) {
    verification.Add(begin, absl::StrCat("channel_id must be positive, got ", *channel));
  } else if (channel.has_value() && *channel == 0) {
    verification.Warn(begin, "channel_id should be positive; 0 counts as no channel");
  }
}

// Either all all-reduces of a module constrain their layouts, or none does.
class AllReduceLayouts {
 public:
  void Visit(const HloInstruction& all_reduce, Verification& verification) {
    if (first_ == nullptr) {
      first_ = &all_reduce;
    } else if (Constrains(all_reduce) != Constrains(*first_) && !reported_) {
      verification.Add(all_reduce, absl::StrCat("constrain_layout must be the same for all all-reduces of a module; ",
                                                "that of ", first_->name(), " differs"));
      reported_ = true;
    }
  }

 private:
  static bool Constrains(const HloInstruction& all_reduce) {
    return all_reduce.attributes<AllReduceAttributes>().constrain_layout;
  }
  const HloInstruction* first_ = nullptr;
  bool reported_ = false;
};

void CheckPair(const HloInstruction& instruction, const absl::flat_hash_set<Transfer>& transfers,
               Verification& verification) {
  const HloOpcode opcode = instruction.opcode();
  if (const AsyncOpcodes* const own = FindAsyncOpcodes(&AsyncOpcodes::start, opcode)) {
    CheckStart(instruction, own->done, verification);
  } else if (opcode == HloOpcode::kSend) {
    CheckTransfer(instruction, HloOpcode::kSendDone, verification);
  } else if (opcode == HloOpcode::kRecv) {
    CheckTransfer(instruction, HloOpcode::kRecvDone, verification);
  } else if (opcode == HloOpcode::kSendDone || opcode == HloOpcode::kRecvDone) {
    CheckTransferDone(instruction, transfers, verification);
  }
}

}  // namespace

// Rules for channels: starts with their ends, transfers with both sides, and all-reduces that share one.
void VerifyChannels(Verification& verification) {
  AllReduceLayouts all_reduce_layouts;
  const absl::flat_hash_set<Transfer> transfers = TransfersOf(verification);
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (verification.MustStop()) return;
      if (!verification.IsSoundWithNeighbours(*instruction)) continue;
      const HloOpcode opcode = instruction->opcode();
      if (HasTrait(opcode, opcode_trait::kBegins | opcode_trait::kEnds)) {
        CheckPair(*instruction, transfers, verification);
      }
      if (opcode == HloOpcode::kAllReduce || opcode == HloOpcode::kAllReduceStart) {
        all_reduce_layouts.Visit(*instruction, verification);
      }
    }
  }
}

}  // namespace xla
