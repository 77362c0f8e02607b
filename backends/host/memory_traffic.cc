#include "backends/host/memory_traffic.h"

#include <algorithm>

#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

double Bytes(const HloInstruction& instruction) { return static_cast<double>(instruction.shape().ByteSize()); }

// The bytes that are written over an array of which the rest stays; -1 if the instruction makes a new array.
double UpdatedBytes(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) return Bytes(*instruction.operand(1));
  if (instruction.opcode() != HloOpcode::kScatter) return -1;
  return Bytes(*instruction.operand(instruction.operand_count() - 1));
}

// Of operand `number` of an instruction that reads it itself.
double BytesReadDirectly(const HloInstruction& user, int number, bool is_in_place) {
  const double all = Bytes(*user.operand(number));
  if (number != 0) return all;
  if (HasTrait(user.opcode(), opcode_trait::kReadsPart)) return std::min(all, Bytes(user));
  if (!is_in_place) return all;
  if (user.opcode() == HloOpcode::kDynamicUpdateSlice) return 0;
  return user.opcode() == HloOpcode::kScatter ? std::min(all, UpdatedBytes(user)) : all;
}

// Of a parameter of a fusion's computation.
double BytesReadInFusion(const HloInstruction& parameter, bool is_in_place) {
  double sum = 0;
  for (const HloInstruction* user : parameter.users()) {
    for (int i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) == &parameter) sum += BytesReadDirectly(*user, i, is_in_place);
    }
  }
  return std::min(sum, Bytes(parameter));
}

// What makes the result of a fusion, bitcasts aside.
const HloInstruction& MakerOfResult(const HloInstruction& fusion) {
  const HloInstruction* maker = fusion.called_computation(0)->root();
  while (maker->opcode() == HloOpcode::kBitcast) maker = maker->operand(0);
  return *maker;
}

}  // namespace

// Bytes that an instruction moves: operands as far as it reads them, and the result, or only the updated part if it
// is in place.
double MemoryTraffic(const HloInstruction& instruction, bool is_in_place) {
  const bool is_fusion = instruction.opcode() == HloOpcode::kFusion;
  double sum = 0;
  if (is_fusion) {
    for (const HloInstruction* parameter : instruction.called_computation(0)->parameters()) {
      sum += BytesReadInFusion(*parameter, is_in_place);
    }
  } else {
    for (int i = 0; i < instruction.operand_count(); ++i) sum += BytesReadDirectly(instruction, i, is_in_place);
  }
  const double updated = UpdatedBytes(is_fusion ? MakerOfResult(instruction) : instruction);
  return sum + (is_in_place && updated >= 0 ? std::min(updated, Bytes(instruction)) : Bytes(instruction));
}

}  // namespace xla
