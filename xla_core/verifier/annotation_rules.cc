// What is written beside an instruction must fit its shape: shardings, original values, parameter replication; and
// where references to buffers may occur.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// ---- Shardings

constexpr int64_t kMaxDevices = 1'000'000;

absl::StatusOr<int64_t> CountTiles(const std::vector<int64_t>& dimensions) {
  int64_t tiles = 1;
  for (int64_t d : dimensions) {
    if (d < 1 || !CheckedMul(tiles, d, &tiles) || tiles > kMaxDevices) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the counts of a sharding must be positive and their product at most ", kMaxDevices, ", got a count of ", d));
    }
  }
  return tiles;
}

// The devices of a tiled sharding, each once. An iota names each once, however it is transposed, and it is not written
// out: a few characters may stand for a million devices, at each instruction.
absl::Status CheckDevices(const Sharding& sharding, int64_t tiles) {
  int64_t count = static_cast<int64_t>(sharding.devices.size());
  if (sharding.iota.has_value()) {
    ASSIGN_OR_RETURN(count, sharding.iota->Count(kMaxDevices));
  }
  if (count != tiles) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sharding cuts into ", tiles, " tiles but lists ", count, " devices"));
  }
  if (sharding.iota.has_value()) return absl::OkStatus();
  absl::flat_hash_set<int64_t> seen;
  for (int64_t device : sharding.devices) {
    if (device < 0 || !seen.insert(device).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sharding lists device ", device, device < 0 ? ", which there is not" : " twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLeafSharding(const Sharding& sharding, const Shape& shape) {
  if (sharding.named != nullptr || sharding.type != Sharding::Type::kOther) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t tiles, CountTiles(sharding.tile_dimensions));
  RETURN_IF_ERROR(CheckDevices(sharding, tiles));
  if (!shape.IsArray()) return absl::OkStatus();
  const size_t extra = sharding.replicate_on_last_tile_dim ? 1 : sharding.last_tile_dims.size();
  if (sharding.tile_dimensions.size() != static_cast<size_t>(shape.rank()) + extra) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding has ", sharding.tile_dimensions.size(),
                                                   " dimensions, expected ", shape.rank(), " for ", shape.ToString(),
                                                   extra == 0 ? "" : absl::StrCat(" and ", extra, " for subgroups")));
  }
  return absl::OkStatus();
}

// In the order in which shardings of tuples list them. Parts without leaves are passed over.
void AppendLeaves(const Shape& shape, std::vector<const Shape*>* leaves) {
  if (!shape.IsTuple()) leaves->push_back(&shape);
  for (const Shape& element : shape.tuple_shapes()) {
    if (LeafCount(element) > 0) AppendLeaves(element, leaves);
  }
}

absl::Status CheckSharding(const Sharding& sharding, const Shape& shape) {
  if (sharding.type != Sharding::Type::kTuple) return CheckLeafSharding(sharding, shape);
  const int64_t count = LeafCount(shape);
  // An empty tuple counts as one leaf.
  if (sharding.tuple.empty() || (count == 0 && sharding.tuple.size() == 1)) return absl::OkStatus();
  // A short text may have the shape of many leaves, so these are gone through only if it says as much of them.
  if (static_cast<int64_t>(sharding.tuple.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("the sharding of a tuple has ", sharding.tuple.size(),
                                                   " elements, expected ", count, ", one for each leaf"));
  }
  std::vector<const Shape*> leaves;
  AppendLeaves(shape, &leaves);
  for (size_t i = 0; i < leaves.size(); ++i) RETURN_IF_ERROR(CheckLeafSharding(sharding.tuple[i], *leaves[i]));
  return absl::OkStatus();
}

// ---- Origin

bool HasShapeOf(const OriginalValue& value, const Shape& shape) {
  if (!value.is_tuple) return !shape.IsTuple();
  // `origin={}` says nothing about any shape.
  if (value.elements.empty()) return true;
  if (!shape.IsTuple() || static_cast<int>(value.elements.size()) != shape.tuple_size()) return false;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    if (!HasShapeOf(value.elements[i], shape.tuple_shape(i))) return false;
  }
  return true;
}

// ---- Buffers

// Whether shapes hold buffers. Tuples that share their elements, as most of a program do, are looked at once: they are
// known by the address of their elements.
class BufferSearch {
 public:
  bool Finds(const Shape& shape) {
    if (!shape.IsTuple() || shape.tuple_size() == 0) return shape.IsBuffer();
    const auto [known, is_new] = known_.try_emplace(shape.tuple_shapes().data(), false);
    if (!is_new) return known->second;
    const auto elements = shape.tuple_shapes();
    const bool found = std::any_of(elements.begin(), elements.end(), [this](const Shape& e) { return Finds(e); });
    known_[elements.data()] = found;
    return found;
  }

 private:
  absl::flat_hash_map<const Shape*, bool> known_;
};

// Operations that only pass values on, and custom calls, which make buffers and use them.
bool MayHoldBuffer(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kBundles | opcode_trait::kControlFlow | opcode_trait::kAsyncCall) ||
         opcode == HloOpcode::kParameter || opcode == HloOpcode::kOptBarrier || opcode == HloOpcode::kFusion ||
         opcode == HloOpcode::kCustomCall;
}

// Who may write into a buffer: all users but the custom calls that only read it, which do not alias it with a result.
class Writers {
 public:
  bool Contain(const HloInstruction& user, const HloInstruction& buffer) {
    if (user.opcode() != HloOpcode::kCustomCall) return true;
    const auto [known, is_new] = aliased_.try_emplace(&user);
    if (is_new) {
      for (const OutputOperandAlias& alias : user.attributes<CustomCallAttributes>().output_to_operand_aliasing) {
        const bool exists = alias.operand >= 0 && alias.operand < user.operand_count();
        if (exists) known->second.insert(user.operand(static_cast<int>(alias.operand)));
      }
    }
    return known->second.contains(&buffer);
  }

 private:
  // The operands that custom calls alias: of a call with many buffers, each asks.
  absl::flat_hash_map<const HloInstruction*, absl::flat_hash_set<const HloInstruction*>> aliased_;
};

// A buffer goes from hand to hand: with two that may write into it, what a third reads would depend on their order.
void CheckOneWriter(const HloInstruction& buffer, Writers& writers, Verification& verification) {
  const HloInstruction* writer = nullptr;
  for (const HloInstruction* user : buffer.users()) {
    if (!verification.IsSound(*user) || !writers.Contain(*user, buffer)) continue;
    if (writer != nullptr) {
      verification.Add(buffer, absl::StrCat("both ", writer->name(), " and ", user->name(),
                                            " may write into this buffer; expected one writer"));
      return;
    }
    writer = user;
  }
}

void CheckAnnotations(const HloInstruction& instruction, Verification& verification) {
  const InstructionAnnotations& annotations = instruction.annotations();
  if (annotations.sharding.has_value()) {
    const absl::Status consistent = CheckSharding(*annotations.sharding, instruction.shape());
    if (!consistent.ok()) verification.Add(instruction, consistent.message());
  }
  if (annotations.original_value.has_value() && !annotations.original_value->is_synthetic_call &&
      !HasShapeOf(*annotations.original_value, instruction.shape())) {
    verification.Add(instruction, "the tree of its origin is not that of its shape");
  }
}

void CheckReplication(const HloInstruction& parameter, Verification& verification) {
  const std::vector<bool>& replication = parameter.attributes<ParameterAttributes>().parameter_replication;
  const int64_t leaves = LeafCount(parameter.shape());
  if (replication.empty() || static_cast<int64_t>(replication.size()) == leaves) return;
  verification.Add(parameter, absl::StrCat("parameter_replication has ", replication.size(), " entries, expected ",
                                           leaves, ", one for each leaf of the shape"));
}

}  // namespace

void VerifyAnnotations(Verification& verification) {
  BufferSearch buffers;
  Writers writers;
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (verification.MustStop()) return;
      if (!verification.IsSound(*instruction)) continue;
      if (instruction->has_annotations()) CheckAnnotations(*instruction, verification);
      if (instruction->opcode() == HloOpcode::kParameter) CheckReplication(*instruction, verification);
      if (buffers.Finds(instruction->shape()) && !MayHoldBuffer(instruction->opcode())) {
        verification.Add(*instruction, absl::StrCat("a ", instruction->opcode_name(), " cannot give a buffer"));
      }
      if (instruction->shape().IsBuffer()) CheckOneWriter(*instruction, writers, verification);
    }
  }
}

}  // namespace xla
