#include "backends/plan/collective_thunks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/collectives.h"
#include "xla_core/evaluator/element_combiner.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/transfer_peers.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Action = CollectiveCall::Action;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// An array and where it lies.
struct Place {
  const Shape* shape;
  BufferSlice slice;
};
using Places = std::vector<Place>;

std::vector<CollectiveArray> ArraysAt(const Places& places, const ExecuteContext& context) {
  std::vector<CollectiveArray> arrays;
  arrays.reserve(places.size());
  for (const Place& place : places) arrays.push_back({place.shape, context.Address(place.slice)});
  return arrays;
}

void FillWithZeros(const BufferSlice& slice, const ExecuteContext& context) {
  if (slice.bytes > 0) std::memset(context.Address(slice), 0, slice.bytes);
}

void CopyUnlessSame(const BufferSlice& from, const BufferSlice& to, const ExecuteContext& context) {
  if (from.bytes > 0 && !(from == to)) std::memcpy(context.Address(to), context.Address(from), from.bytes);
}

// Puts the instruction's name in front, unless it is there or the error is of the run as a whole.
absl::Status WithName(const absl::Status& status, const HloInstruction& instruction) {
  const absl::StatusCode code = status.code();
  const std::string prefix = absl::StrCat(instruction.name(), ":");
  if (status.ok() || code == absl::StatusCode::kAborted || code == absl::StatusCode::kCancelled ||
      code == absl::StatusCode::kDeadlineExceeded || absl::StartsWith(status.message(), prefix)) {
    return status;
  }
  return absl::Status(code, absl::StrCat(prefix, " ", status.message()));
}

absl::Status Await(StartedCollective& started, const HloInstruction& instruction, ExecuteContext& context) {
  return WithName(started.Await([&context] { return context.CheckStopped(); }), instruction);
}

// Appends the arrays of a value. False if one of them is not as other devices expect it: row-major, of whole bytes.
bool AppendPlaces(const HloInstruction& value, const Shape& shape, ShapeIndex& index, PlanContext& context,
                  Places& places) {
  if (shape.IsTuple()) {
    for (int i = 0; i < shape.tuple_size(); ++i) {
      index.push_back(i);
      if (!AppendPlaces(value, shape.tuple_shape(i), index, context, places)) return false;
      index.pop_back();
    }
    return true;
  }
  const bool is_packed =
      shape.layout() != nullptr && shape.layout()->element_size_in_bits > 0 && shape.layout()->element_size_in_bits < 8;
  if (!shape.IsArray() || !shape.IsRowMajor() || is_packed) return false;
  places.push_back({&shape, context.SliceOf(value, index)});
  return true;
}

// The part of the value at `index`.
bool AppendPlacesAt(const HloInstruction& value, ShapeIndex index, PlanContext& context, Places& places) {
  return AppendPlaces(value, *SubshapeAt(value.shape(), index), index, context, places);
}

// ---- Who takes part

// What a device does in a collective. In no group: nothing.
struct Role {
  std::shared_ptr<const std::vector<int64_t>> group;
  int64_t position = -1;
  int64_t source = -1;  // CollectiveCall::source
};

// Of every device, or the error that the instruction ends with when it runs.
absl::StatusOr<std::vector<Role>> RolesInGroups(const HloInstruction& collective, int64_t replicas,
                                                int64_t partitions) {
  ASSIGN_OR_RETURN(const std::vector<DeviceGroup> groups, DeviceGroups(collective, replicas, partitions));
  std::vector<Role> roles(replicas * partitions);
  for (const DeviceGroup& group : groups) {
    const auto shared = std::make_shared<const std::vector<int64_t>>(group);
    for (size_t i = 0; i < group.size(); ++i) roles[group[i]] = {shared, static_cast<int64_t>(i), -1};
  }
  return roles;
}

// All senders and receivers meet; the others need not wait.
absl::StatusOr<std::vector<Role>> RolesInPairs(const HloInstruction& permute, int64_t replicas, int64_t partitions) {
  const auto& attributes = permute.attributes<CollectivePermuteAttributes>();
  const bool cross_partition = attributes.channel_id.has_value();
  std::vector<Role> roles(replicas * partitions);
  for (int64_t other = 0; other < (cross_partition ? replicas : partitions); ++other) {
    const DeviceInfo one = {cross_partition ? other : 0, cross_partition ? 0 : other, replicas, partitions};
    ASSIGN_OR_RETURN(const Pairs pairs, DevicePairs(attributes.source_target_pairs, cross_partition, one));
    std::vector<int64_t> members;
    for (const auto& pair : pairs) members.insert(members.end(), {pair.first, pair.second});
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const auto group = std::make_shared<const std::vector<int64_t>>(members);
    for (size_t i = 0; i < members.size(); ++i) roles[members[i]] = {group, static_cast<int64_t>(i), -1};
    for (const auto& pair : pairs) roles[pair.second].source = roles[pair.first].position;
  }
  return roles;
}

// ---- What is done

class CombinerOfElements : public CollectiveReducer {
 public:
  explicit CombinerOfElements(std::unique_ptr<ElementCombiner> combiner) : combiner_(std::move(combiner)) {}

  PrimitiveType type() const override { return combiner_->type(); }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    combiner_->Combine(count, a, b, result);
  }

 private:
  const std::unique_ptr<ElementCombiner> combiner_;
};

// Of the collective-permute with slice_sizes: where the offsets of a slice are.
struct SlicePlaces {
  int array;
  std::vector<BufferSlice> from;
  std::vector<BufferSlice> to;
};

// A collective as the plan knows it.
struct Operation {
  Action action = Action::kMove;
  absl::StatusOr<std::vector<Role>> roles;
  Places operands;
  Places results;
  std::vector<BufferSlice> first_values;  // by result: what it holds before; empty: anything
  std::vector<BufferSlice> context_values;
  std::vector<BufferSlice> others_read;  // besides the operands
  std::unique_ptr<CollectiveReducer> reducer;
  std::vector<SlicePlaces> slices;
};

constexpr OpcodeSet kPermutes = {HloOpcode::kCollectivePermute, HloOpcode::kCollectivePermuteStart};
constexpr OpcodeSet kReductions = {HloOpcode::kAllReduce, HloOpcode::kAllReduceStart, HloOpcode::kReduceScatter};

// Looks at one instruction. A refusal is in the context.
class OperationFinder {
 public:
  OperationFinder(const HloInstruction& instruction, PlanContext& context)
      : instruction_(instruction), context_(context) {}

  // False: it is refused.
  absl::StatusOr<bool> Find(Operation* operation) {
    const DeviceCounts counts = context_.device_counts();
    operation->roles = kPermutes.Has(instruction_.opcode())
                           ? RolesInPairs(instruction_, counts.replicas, counts.partitions)
                           : RolesInGroups(instruction_, counts.replicas, counts.partitions);
    operation->roles = WithNameOf(std::move(operation->roles));
    if (!FindPlaces(operation)) return Refused("an array is not row-major");
    if (IsInPlace() && !FindSlices(operation)) return Refused("its offsets have an odd form");
    if (!kReductions.Has(instruction_.opcode())) return true;
    operation->action = Action::kReduce;
    absl::StatusOr<std::unique_ptr<ElementCombiner>> combiner =
        ElementCombiner::Create(*instruction_.called_computation(0));
    if (absl::IsUnimplemented(combiner.status())) return Refused(std::string(combiner.status().message()));
    RETURN_IF_ERROR(combiner.status());
    operation->reducer = std::make_unique<CombinerOfElements>(*std::move(combiner));
    return true;
  }

 private:
  bool Refused(std::string why) {
    context_.Refuse(std::move(why));
    return false;
  }

  absl::StatusOr<std::vector<Role>> WithNameOf(absl::StatusOr<std::vector<Role>> roles) const {
    if (roles.ok()) return roles;
    return absl::InvalidArgumentError(absl::StrCat(instruction_.name(), ": ", roles.status().message()));
  }

  bool IsInPlace() const {
    return kPermutes.Has(instruction_.opcode()) &&
           !instruction_.attributes<CollectivePermuteAttributes>().slice_sizes.empty();
  }

  bool FindPlaces(Operation* operation) {
    const int operands = IsInPlace() ? 1 : instruction_.operand_count();
    for (int i = 0; i < operands; ++i) {
      if (!AppendPlacesAt(*instruction_.operand(i), {}, context_, operation->operands)) return false;
    }
    if (!FindResults(operation)) return false;
    if (IsInPlace()) return FirstValuesAre(*instruction_.operand(1), operation);
    if (instruction_.opcode() == HloOpcode::kRaggedAllToAll) return FirstValuesAre(*instruction_.operand(1), operation);
    return true;
  }

  // Starts with opcodes of their own give context values after the results.
  bool FindResults(Operation* operation) {
    const HloOpcode opcode = instruction_.opcode();
    const Shape& shape = instruction_.shape();
    int begin = 0, end = 0;  // elements that are results; none: the whole value
    if (opcode == HloOpcode::kAllGatherStart || opcode == HloOpcode::kCollectivePermuteStart) {
      begin = 1;
      end = 2;
    } else if (opcode == HloOpcode::kAllReduceStart && shape.IsTuple() &&
               (instruction_.operand_count() == 1 || shape.tuple_size() > instruction_.operand_count())) {
      end = instruction_.operand_count();
    }
    if (end == 0) return AppendPlacesAt(instruction_, {}, context_, operation->results);
    for (int i = begin; i < end; ++i) {
      if (!AppendPlacesAt(instruction_, {i}, context_, operation->results)) return false;
    }
    Places values;
    for (int i = end; i < shape.tuple_size(); ++i) {
      if (!AppendPlacesAt(instruction_, {i}, context_, values)) return false;
    }
    for (const Place& value : values) operation->context_values.push_back(value.slice);
    return true;
  }

  bool FirstValuesAre(const HloInstruction& value, Operation* operation) {
    Places places;
    if (!AppendPlacesAt(value, {}, context_, places) || places.size() != operation->results.size()) return false;
    for (const Place& place : places) operation->first_values.push_back(place.slice);
    if (IsInPlace()) {
      operation->others_read.insert(operation->others_read.end(), operation->first_values.begin(),
                                    operation->first_values.end());
    }
    return true;
  }

  // Each array has as many slices as its offsets name, and slice_sizes has an entry for each of them.
  bool FindSlices(Operation* operation) {
    const auto& sizes = instruction_.attributes<CollectivePermuteAttributes>().slice_sizes;
    const bool has_several_arrays = instruction_.operand(0)->shape().IsTuple();
    const Shape& offsets = instruction_.operand(2)->shape();
    if (operation->operands.size() != operation->results.size()) return false;
    for (size_t array = 0; array < operation->operands.size(); ++array) {
      const auto i = static_cast<int64_t>(array);
      if (has_several_arrays && i >= offsets.tuple_size()) return false;
      const ShapeIndex at = has_several_arrays ? ShapeIndex{i} : ShapeIndex();
      const Shape& of_array = *SubshapeAt(offsets, at);
      const bool several = of_array.tuple_size() > 0 && of_array.tuple_shape(0).IsTuple();
      for (int64_t s = 0; s < (several ? of_array.tuple_size() : 1); ++s) {
        ShapeIndex index = at;
        if (several) index.push_back(s);
        SlicePlaces slice = {static_cast<int>(array)};
        const Shape &from = *operation->operands[array].shape, &to = *operation->results[array].shape;
        const size_t entry = operation->slices.size();
        if (from.element_type() != to.element_type() || from.rank() != to.rank() || entry >= sizes.size() ||
            static_cast<int>(sizes[entry].size()) != from.rank() ||
            !FindOffsets(*instruction_.operand(2), index, from.rank(), &slice.from) ||
            !FindOffsets(*instruction_.operand(3), index, from.rank(), &slice.to)) {
          return false;
        }
        for (const auto* offsets_of : {&slice.from, &slice.to}) {
          operation->others_read.insert(operation->others_read.end(), offsets_of->begin(), offsets_of->end());
        }
        operation->slices.push_back(std::move(slice));
      }
    }
    return true;
  }

  bool FindOffsets(const HloInstruction& offsets, ShapeIndex index, int rank, std::vector<BufferSlice>* places) {
    const Shape* const scalars = SubshapeAt(offsets.shape(), index);
    if (scalars == nullptr || !scalars->IsTuple() || scalars->tuple_size() != rank) return false;
    for (int d = 0; d < rank; ++d) {
      if (!scalars->tuple_shape(d).IsScalarOf(S32)) return false;
      index.push_back(d);
      places->push_back(context_.SliceOf(offsets, index));
      index.pop_back();
    }
    return true;
  }

  const HloInstruction& instruction_;
  PlanContext& context_;
};

// ---- Thunks

// A whole collective, or the begin of one.
class CollectiveThunk : public Thunk {
 public:
  // `slot`: of PlanContext::SlotOf.
  CollectiveThunk(ThunkInfo info, Operation operation, int32_t slot)
      : Thunk(std::move(info)), operation_(std::move(operation)), slot_(slot) {}

  absl::Status Execute(ExecuteContext& context) const override {
    ASSIGN_OR_RETURN(std::shared_ptr<StartedCollective> started, Start(context));
    if (slot_ >= 0) {
      context.begun[slot_] = std::move(started);
      return absl::OkStatus();
    }
    return started == nullptr ? absl::OkStatus() : Await(*started, *info().instruction, context);
  }

 private:
  // nullptr if the device has no part in it: its result is there then.
  absl::StatusOr<std::shared_ptr<StartedCollective>> Start(ExecuteContext& context) const {
    RETURN_IF_ERROR(operation_.roles.status());
    const Role& role = (*operation_.roles)[context.device.id()];
    const HloInstruction& instruction = *info().instruction;
    const bool may_be_outside =
        kPermutes.Has(instruction.opcode()) || instruction.opcode() == HloOpcode::kCollectiveBroadcast;
    if (role.group == nullptr && !may_be_outside) {
      return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": device ", context.device.id(), " (replica ",
                                                     context.device.replica, ", partition ", context.device.partition,
                                                     ") is in none of the replica_groups"));
    }
    for (const BufferSlice& value : operation_.context_values) FillWithZeros(value, context);
    const bool gets_nothing = role.group == nullptr || (kPermutes.Has(instruction.opcode()) && role.source < 0);
    for (size_t i = 0; i < operation_.results.size(); ++i) {
      const BufferSlice& result = operation_.results[i].slice;
      if (!operation_.first_values.empty()) {
        CopyUnlessSame(operation_.first_values[i], result, context);
      } else if (gets_nothing) {
        FillWithZeros(result, context);
      }
    }
    if (role.group == nullptr) return std::shared_ptr<StartedCollective>();
    return context.collectives->Start(CallOf(role, context));
  }

  CollectiveCall CallOf(const Role& role, const ExecuteContext& context) const {
    CollectiveCall call;
    call.action = operation_.action;
    call.instruction = info().instruction;
    call.group = *role.group;
    call.position = role.position;
    call.source = role.source;
    call.operands = ArraysAt(operation_.operands, context);
    call.results = ArraysAt(operation_.results, context);
    call.reducer = operation_.reducer.get();
    for (const SlicePlaces& slice : operation_.slices) {
      call.slices.push_back({slice.array, ValuesAt(slice.from, context), ValuesAt(slice.to, context)});
    }
    return call;
  }

  static std::vector<int64_t> ValuesAt(const std::vector<BufferSlice>& places, const ExecuteContext& context) {
    std::vector<int64_t> values;
    for (const BufferSlice& place : places) values.push_back(*static_cast<const int32_t*>(context.Address(place)));
    return values;
  }

  const Operation operation_;
  const int32_t slot_;
};

// The end of what another thunk has begun.
class CollectiveDoneThunk : public Thunk {
 public:
  // `start`: for messages.
  CollectiveDoneThunk(ThunkInfo info, const HloInstruction& start, int32_t slot)
      : Thunk(std::move(info)), start_(start), slot_(slot) {}

  absl::Status Execute(ExecuteContext& context) const override {
    const std::shared_ptr<StartedCollective> started = std::move(context.begun[slot_]);
    context.begun[slot_] = nullptr;
    return started == nullptr ? absl::OkStatus() : Await(*started, start_, context);
  }

 private:
  const HloInstruction& start_;
  const int32_t slot_;
};

ThunkInfo InfoOf(const HloInstruction& instruction) {
  ThunkInfo info;
  info.kind = "collective";
  info.instruction = &instruction;
  // All devices must come to meetings in one order.
  info.has_side_effect = true;
  return info;
}

// A word in the value of a send or recv.
uint32_t& WordAt(const BufferSlice& place, const ExecuteContext& context) {
  return *static_cast<uint32_t*>(context.Address(place));
}

// A step of a send or recv: its arrays, and the word.
class TransferThunk : public Thunk {
 public:
  TransferThunk(ThunkInfo info, Places data, BufferSlice word)
      : Thunk(std::move(info)), data_(std::move(data)), word_(word) {}

 protected:
  const Places data_;
  const BufferSlice word_;
};

class SendThunk : public TransferThunk {
 public:
  using TransferThunk::TransferThunk;

  absl::Status Execute(ExecuteContext& context) const override {
    const HloInstruction& send = *info().instruction;
    WordAt(word_, context) = 0;
    ASSIGN_OR_RETURN(const TransferPeers peers, PeersOfDevice(send, context.device));
    if (peers.target < 0) return absl::OkStatus();
    CollectiveCall call;
    call.action = Action::kSend;
    call.instruction = &send;
    call.channel = send.attributes<SendRecvAttributes>().channel_id.value_or(0);
    call.group = {context.device.id(), peers.target};
    call.operands = ArraysAt(data_, context);
    return Await(*context.collectives->Start(std::move(call)), send, context);
  }
};

// Says in the word from whom to receive: the id plus 1, or 0. The value comes at the done.
class RecvThunk : public TransferThunk {
 public:
  using TransferThunk::TransferThunk;

  absl::Status Execute(ExecuteContext& context) const override {
    for (const Place& place : data_) FillWithZeros(place.slice, context);
    ASSIGN_OR_RETURN(const TransferPeers peers, PeersOfDevice(*info().instruction, context.device));
    WordAt(word_, context) = static_cast<uint32_t>(peers.source + 1);
    return absl::OkStatus();
  }
};

class RecvDoneThunk : public TransferThunk {
 public:
  using TransferThunk::TransferThunk;

  absl::Status Execute(ExecuteContext& context) const override {
    const HloInstruction& done = *info().instruction;
    const HloInstruction& begin = *done.operand(0);
    const uint32_t peer = WordAt(word_, context);
    if (peer == 0) return absl::OkStatus();
    const int64_t source = int64_t{peer} - 1;
    if (source >= context.device.replica_count * context.device.partition_count) {
      return absl::InvalidArgumentError(
          absl::StrCat(done.name(), ": the operand is not the value of a recv, for its u32[] is ", peer));
    }
    CollectiveCall call;
    call.action = Action::kReceive;
    call.instruction = begin.opcode() == HloOpcode::kRecv ? &begin : &done;
    call.channel = done.attributes<SendRecvAttributes>().channel_id.value_or(0);
    call.group = {source, context.device.id()};
    call.position = 1;
    call.results = ArraysAt(data_, context);
    const HloInstruction& named = *call.instruction;
    return Await(*context.collectives->Start(std::move(call)), named, context);
  }
};

// Where a send is over, nothing is left for its done.
class SendDoneThunk : public Thunk {
 public:
  using Thunk::Thunk;
  absl::Status Execute(ExecuteContext&) const override { return absl::OkStatus(); }
};

void AppendSlices(const Places& places, std::vector<BufferSlice>* slices) {
  for (const Place& place : places) slices->push_back(place.slice);
}

// The instruction that an async-done or a done ends.
const HloInstruction& BeginOf(const HloInstruction& done) {
  const HloInstruction* begin = done.operand(0);
  while (begin->opcode() == HloOpcode::kAsyncUpdate) begin = begin->operand(0);
  return begin->opcode() == HloOpcode::kAsyncStart ? *begin->called_computation(0)->root() : *begin;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeCollectiveThunk(const HloInstruction& instruction, PlanContext& context) {
  const bool is_collective = HasTrait(instruction.opcode(), opcode_trait::kCollective);
  if ((!is_collective && instruction.opcode() != HloOpcode::kAsyncDone) || !context.device_counts().AreSeveral()) {
    return nullptr;
  }
  const int32_t slot = context.SlotOf(instruction);
  ThunkInfo info = InfoOf(instruction);
  if (HasTrait(instruction.opcode(), opcode_trait::kEnds)) {
    // The evaluator ends what it has begun.
    if (slot < 0) return nullptr;
    return std::make_unique<CollectiveDoneThunk>(std::move(info), BeginOf(instruction), slot);
  }
  Operation operation;
  ASSIGN_OR_RETURN(const bool found, OperationFinder(instruction, context).Find(&operation));
  if (!found) return nullptr;
  AppendSlices(operation.operands, &info.reads);
  info.reads.insert(info.reads.end(), operation.others_read.begin(), operation.others_read.end());
  AppendSlices(operation.results, &info.writes);
  info.writes.insert(info.writes.end(), operation.context_values.begin(), operation.context_values.end());
  return std::make_unique<CollectiveThunk>(std::move(info), std::move(operation), slot);
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeTransferThunk(const HloInstruction& instruction, PlanContext& context) {
  static constexpr OpcodeSet kTransfers = {HloOpcode::kSend, HloOpcode::kSendDone, HloOpcode::kRecv,
                                           HloOpcode::kRecvDone};
  if (!kTransfers.Has(instruction.opcode()) || !context.device_counts().AreSeveral()) return nullptr;
  if (instruction.attributes<SendRecvAttributes>().is_host_transfer) {
    context.Refuse("it is for the host");
    return nullptr;
  }
  ThunkInfo info = InfoOf(instruction);
  info.kind = "transfer";
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kSendDone) return std::make_unique<SendDoneThunk>(std::move(info));
  Places data;
  const bool sends = opcode == HloOpcode::kSend;
  if (!AppendPlacesAt(sends ? *instruction.operand(0) : instruction, sends ? ShapeIndex() : ShapeIndex{0}, context,
                      data)) {
    context.Refuse("an array is not row-major");
    return nullptr;
  }
  AppendSlices(data, sends ? &info.reads : &info.writes);
  const bool ends = opcode == HloOpcode::kRecvDone;
  const BufferSlice word = context.SliceOf(ends ? *instruction.operand(0) : instruction, {1});
  (ends ? info.reads : info.writes).push_back(word);
  if (sends) return std::make_unique<SendThunk>(std::move(info), std::move(data), word);
  if (ends) return std::make_unique<RecvDoneThunk>(std::move(info), std::move(data), word);
  return std::make_unique<RecvThunk>(std::move(info), std::move(data), word);
}

}  // namespace xla
