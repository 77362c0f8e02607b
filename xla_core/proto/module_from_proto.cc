// HloModuleProto -> HloModule.
//
// The bytes of the module are cut into computations and those into instructions by hand; protobuf parses one
// instruction at a time into memory that is used again for the next. That takes half the time of parsing the module
// into one message, and no memory besides the module's own.
//
// Ids: a reference (operand, root, control predecessor, schedule) is always to an instruction of the same computation.
// Newer XLA writes ids as computation id * 2^32 + a local number, older XLA small numbers, and some files mix both, so
// instructions are found by the low 32 bits; the high ones, where there are any, must be those of the computation or of
// the instruction that is meant.
#include <google/protobuf/io/coded_stream.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/proto/annotation_conversion.h"
#include "xla_core/proto/attribute_conversion.h"
#include "xla_core/proto/instruction_arena.h"
#include "xla_core/proto/large_literal.h"
#include "xla_core/proto/module_conversion.h"
#include "xla_core/proto/old_opcodes.h"
#include "xla_core/proto/value_conversion.h"
#include "xla_core/proto/wire_format.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

uint32_t LowBits(int64_t id) { return static_cast<uint32_t>(id); }
int64_t HighBits(int64_t id) { return id >> 32; }

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; }

// `name` if text could have it, else the nearest that it could have, with a warning.
std::string LegalName(const std::string& name, absl::string_view what, ProtoWarnings& warnings) {
  bool legal = !name.empty() && (absl::ascii_isalpha(name[0]) || name[0] == '_');
  for (char c : name) legal = legal && IsNameCharacter(c);
  if (legal) return name;
  std::string changed = name;
  for (char& c : changed) c = IsNameCharacter(c) ? c : '_';
  if (changed.empty() || !(absl::ascii_isalpha(changed[0]) || changed[0] == '_')) changed.insert(0, "_");
  warnings.Add(absl::StrCat("renamed ", what, " '", name, "' to '", changed, "': HLO text does not allow that name"));
  return changed;
}

// Instruction names may not be those of types. (Text does not write the word "tuple" for one.)
std::string LegalInstructionName(const std::string& name, ProtoWarnings& warnings) {
  std::string legal = LegalName(name, "instruction", warnings);
  const PrimitiveType type = PrimitiveTypeFromName(legal);
  if (type != PRIMITIVE_TYPE_INVALID && type != TUPLE) {
    warnings.Add(absl::StrCat("renamed instruction '", legal, "' to '", legal, "_': it is the name of a type"));
    legal += '_';
  }
  return legal;
}

std::string DidYouMeanOpcode(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (HloOpcode opcode : AllOpcodes()) names.push_back(HloOpcodeName(opcode));
  return DidYouMean(name, names);
}

absl::Status AddContext(const absl::Status& status, absl::string_view context) {
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

// The fields of `message`, which are those of number `list`, the others, and none of number `skip`.
struct SplitMessage {
  std::vector<absl::string_view> list;
  std::string others;
};
absl::StatusOr<SplitMessage> Split(absl::string_view message, uint64_t list, uint64_t skip) {
  SplitMessage split;
  WireCursor cursor(message);
  WireField field;
  while (!cursor.AtEnd()) {
    if (!cursor.Next(&field)) return absl::DataLossError("");
    if (field.number == list && field.type == WireType::kBytes) {
      split.list.push_back(field.bytes);
    } else if (field.number != skip) {
      split.others.append(field.whole.data(), field.whole.size());
    }
  }
  return split;
}

// Instructions by the low 32 bits of their ids. These mostly count up from the first instruction's.
class InstructionTable {
 public:
  void Reserve(size_t count) { dense_.reserve(count); }
  // False if the id is taken.
  bool Insert(uint32_t id, HloInstruction* instruction) {
    if (dense_.empty()) first_ = id;
    if (id - first_ == dense_.size()) {
      dense_.push_back(instruction);
      return !sparse_.contains(id);
    }
    return Find(id) == nullptr && sparse_.emplace(id, instruction).second;
  }
  // nullptr if there is none.
  HloInstruction* Find(uint32_t id) const {
    const uint32_t index = id - first_;
    if (index < dense_.size()) return dense_[index];
    const auto it = sparse_.find(id);
    return it == sparse_.end() ? nullptr : it->second;
  }

 private:
  uint32_t first_ = 0;
  std::vector<HloInstruction*> dense_;  // of the ids first_, first_ + 1, ...
  absl::flat_hash_map<uint32_t, HloInstruction*> sparse_;
};

// Makes one HloInstructionProto after the other in the same memory.
class InstructionParser {
 public:
  explicit InstructionParser(int max_depth) : max_depth_(max_depth) {}

  // Valid until the next call; nullptr if the bytes are no message.
  const pb::HloInstructionProto* Parse(absl::string_view bytes) {
    pb::HloInstructionProto* proto = arena_.NewMessage();
    split_ = SplitLargeLiteral(bytes);
    if (split_.has_value()) bytes = split_->message;
    return ParseMessage(bytes, max_depth_, proto).ok() ? proto : nullptr;
  }
  // Those of the last message's literal, if it is so large that they were left out of it.
  EncodedElements elements() const { return split_.has_value() ? split_->elements : EncodedElements(); }

 private:
  int max_depth_;
  absl::optional<SplitInstruction> split_;
  InstructionArena arena_;
};

using ComputationTable = absl::flat_hash_map<int64_t, HloComputation*>;  // by their ids

// What the readers of a module share.
struct ReadingState {
  const pb::HloModuleProto& module_proto;  // without its computations
  HloModule* module;
  ComputationTable computations;
  InstructionParser* parser;
  int max_depth;
  const ResourceContext& resources;
  ProtoWarnings& warnings;
};

// Reads one computation.
class ComputationReader {
 public:
  explicit ComputationReader(ReadingState& state) : state_(state) {}

  absl::StatusOr<std::unique_ptr<HloComputation>> Read(absl::string_view bytes);
  // After Read, also where that failed: what the message says besides its instructions.
  const pb::HloComputationProto& proto() const { return proto_; }

 private:
  absl::Status PutInOrderOfSchedule(std::vector<absl::string_view>* instructions) const;
  absl::Status ReadInstruction(const pb::HloInstructionProto& proto);
  absl::Status ReadOperands(const pb::HloInstructionProto& proto, HloInstruction* instruction) const;
  absl::Status ReadCalledComputations(const pb::HloInstructionProto& proto, HloInstruction* instruction) const;
  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction, bool has_old_opcode);
  absl::StatusOr<HloInstruction*> Find(int64_t id, absl::string_view role) const;
  absl::Status CheckParameters() const;

  ReadingState& state_;
  pb::HloComputationProto proto_;
  std::unique_ptr<HloComputation> computation_;
  InstructionTable instructions_;
};

absl::StatusOr<HloInstruction*> ComputationReader::Find(int64_t id, absl::string_view role) const {
  HloInstruction* found = instructions_.Find(LowBits(id));
  if (found != nullptr) {
    const int64_t high = HighBits(id);
    if (high == 0 || high == HighBits(found->id()) || high == LowBits(proto_.id())) return found;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("refers to id ", id, " as ", role, ", but no instruction before it in the computation has that id"));
}

// The id that a serialized instruction has.
int64_t InstructionId(absl::string_view instruction) {
  WireCursor cursor(instruction);
  WireField field;
  int64_t id = 0;
  while (!cursor.AtEnd() && cursor.Next(&field)) {
    if (field.number == pb::HloInstructionProto::kIdFieldNumber) id = static_cast<int64_t>(field.varint);
  }
  return id;
}

// Sorts the instructions' bytes by the module's schedule, if it has one for this computation: in a scheduled module,
// the order of instructions is the order in which they run. The schedule must name each exactly once.
absl::Status ComputationReader::PutInOrderOfSchedule(std::vector<absl::string_view>* instructions) const {
  const auto& sequences = state_.module_proto.schedule().sequences();
  const auto sequence = sequences.find(proto_.id());
  if (sequence == sequences.end()) return absl::OkStatus();
  absl::flat_hash_map<uint32_t, absl::string_view> by_id;
  by_id.reserve(instructions->size());
  for (absl::string_view instruction : *instructions) by_id.emplace(LowBits(InstructionId(instruction)), instruction);
  std::vector<absl::string_view> ordered;
  for (int64_t id : sequence->second.instruction_ids()) {
    const auto it = by_id.find(LowBits(id));
    if (it == by_id.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the schedule names id ", id, " twice, or the computation has no such instruction"));
    }
    ordered.push_back(it->second);
    by_id.erase(it);
  }
  if (ordered.size() != instructions->size()) {
    return absl::InvalidArgumentError(absl::StrCat("the schedule has ", ordered.size(), " of the computation's ",
                                                   instructions->size(), " instructions"));
  }
  *instructions = std::move(ordered);
  return absl::OkStatus();
}

absl::Status ComputationReader::ReadOperands(const pb::HloInstructionProto& proto, HloInstruction* instruction) const {
  for (int64_t id : proto.operand_ids()) {
    ASSIGN_OR_RETURN(HloInstruction * operand, Find(id, "operand"));
    instruction->AddOperand(operand);
  }
  for (int64_t id : proto.control_predecessor_ids()) {
    ASSIGN_OR_RETURN(HloInstruction * predecessor, Find(id, "control predecessor"));
    instruction->AddControlPredecessor(predecessor);
  }
  return absl::OkStatus();
}

// Binds ids of computations to those read before; callees precede callers in the file. The computation that a fusion
// calls is marked as its body, whatever its own message says.
absl::Status ComputationReader::ReadCalledComputations(const pb::HloInstructionProto& proto,
                                                       HloInstruction* instruction) const {
  std::vector<HloComputation*> called;
  for (int64_t id : proto.called_computation_ids()) {
    const auto it = state_.computations.find(id);
    if (it == state_.computations.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("calls computation id ", id, ", but no computation before this one has that id"));
    }
    called.push_back(it->second);
  }
  // The message has body, condition.
  if (instruction->opcode() == HloOpcode::kWhile && called.size() == 2) std::swap(called[0], called[1]);
  for (HloComputation* computation : called) {
    instruction->AddCalledComputation(computation);
    if (instruction->opcode() == HloOpcode::kFusion) computation->set_is_fusion_computation(true);
  }
  return absl::OkStatus();
}

// Adds the instruction to the computation, with what old files imply; returns the one with its id.
HloInstruction* ComputationReader::Add(std::unique_ptr<HloInstruction> instruction, bool has_old_opcode) {
  const HloOpcode opcode = instruction->opcode();
  if ((opcode == HloOpcode::kInfeed && instruction->operand_count() == 0) ||
      (opcode == HloOpcode::kOutfeed && instruction->operand_count() == 1)) {
    return AddTokenToFeed(std::move(instruction), computation_.get());
  }
  if (!has_old_opcode) return computation_->AddInstruction(std::move(instruction));
  if (opcode == HloOpcode::kSelect && instruction->shape().IsTuple() && instruction->operand_count() == 3 &&
      instruction->operand(1)->shape().Compatible(instruction->shape()) &&
      instruction->operand(2)->shape().Compatible(instruction->shape())) {
    return ExpandTupleSelect(std::move(instruction), computation_.get());
  }
  if (opcode == HloOpcode::kAllReduce && instruction->called_computations().empty() &&
      instruction->operand_count() > 0) {
    const PrimitiveType type = instruction->operand(0)->shape().element_type();
    const std::string name = absl::StrCat(computation_->name(), ".", instruction->name(), ".add");
    instruction->AddCalledComputation(state_.module->AddComputation(MakeScalarAdd(name, type)));
  }
  return computation_->AddInstruction(std::move(instruction));
}

// Reads one instruction. Opcodes of older versions of XLA are read as what they are called today, and those without a
// meaning here are dropped. Ids are compared by their low 32 bits, as some writers leave out the rest.
absl::Status ComputationReader::ReadInstruction(const pb::HloInstructionProto& proto) {
  state_.warnings.NoteUnknownFields(proto);
  if (IsDroppedOpcode(proto.opcode())) return absl::OkStatus();
  absl::optional<HloOpcode> opcode = HloOpcodeFromName(proto.opcode());
  absl::optional<OldOpcode> old;
  if (!opcode.has_value()) {
    old = FindOldOpcode(proto.opcode());
    if (!old.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown opcode '", proto.opcode(), "'", DidYouMeanOpcode(proto.opcode())));
    }
    opcode = old->opcode;
  }
  if (!proto.has_shape()) return absl::InvalidArgumentError("the instruction has no shape");
  ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.shape(), state_.warnings));
  auto instruction =
      std::make_unique<HloInstruction>(*opcode, LegalInstructionName(proto.name(), state_.warnings), std::move(shape));
  instruction->set_id(proto.id());
  RETURN_IF_ERROR(ReadOperands(proto, instruction.get()));
  RETURN_IF_ERROR(ReadCalledComputations(proto, instruction.get()));
  if (old.has_value() && old->direction.has_value()) {
    pb::HloInstructionProto compare = proto;
    compare.set_comparison_direction(ComparisonDirectionNames().names[static_cast<int>(*old->direction)]);
    RETURN_IF_ERROR(ReadAttributes(compare, {}, state_.warnings, instruction.get()));
  } else {
    RETURN_IF_ERROR(ReadAttributes(proto, state_.parser->elements(), state_.warnings, instruction.get()));
  }
  RETURN_IF_ERROR(ReadAnnotations(proto, state_.module_proto, state_.warnings, instruction.get()));
  HloInstruction* added = Add(std::move(instruction), old.has_value());
  added->set_id(proto.id());
  if (!instructions_.Insert(LowBits(proto.id()), added)) {
    return absl::InvalidArgumentError(
        absl::StrCat("has the id ", proto.id(), ", which another instruction has already"));
  }
  return absl::OkStatus();
}

// Parameters must be numbered 0 to n - 1, each once.
absl::Status ComputationReader::CheckParameters() const {
  const int count = computation_->parameter_count();
  std::vector<bool> seen(count, false);
  for (const auto& instruction : computation_->instructions()) {
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    const int64_t number = instruction->attributes<ParameterAttributes>().number;
    if (number < 0 || number >= count) {
      return absl::InvalidArgumentError(absl::StrCat(instruction->name(), " is parameter number ", number,
                                                     ", but there are ", count, " parameters, numbered from 0"));
    }
    if (seen[number]) {
      return absl::InvalidArgumentError(absl::StrCat("parameter number ", number, " appears more than once"));
    }
    seen[number] = true;
  }
  return absl::OkStatus();
}

// Reads one computation from its bytes. Instructions are split off first and parsed one at a time into a reused
// message, since the message of a whole large computation would take several times its memory.
absl::StatusOr<std::unique_ptr<HloComputation>> ComputationReader::Read(absl::string_view bytes) {
  // The signature repeats what parameters and root say.
  ASSIGN_OR_RETURN(SplitMessage message, Split(bytes, pb::HloComputationProto::kInstructionsFieldNumber,
                                               pb::HloComputationProto::kProgramShapeFieldNumber));
  RETURN_IF_ERROR(ParseMessage(message.others, state_.max_depth, &proto_));
  state_.warnings.NoteUnknownFields(proto_);
  computation_ = std::make_unique<HloComputation>(LegalName(proto_.name(), "computation", state_.warnings));
  computation_->set_id(proto_.id());
  if (!proto_.execution_thread().empty()) computation_->set_execution_thread(proto_.execution_thread());
  computation_->set_is_fusion_computation(proto_.is_fusion_computation());
  if (message.list.empty()) return absl::InvalidArgumentError("the computation has no instructions");
  instructions_.Reserve(message.list.size());
  RETURN_IF_ERROR(PutInOrderOfSchedule(&message.list));
  for (absl::string_view instruction_bytes : message.list) {
    RETURN_IF_ERROR(state_.resources.Check());
    const pb::HloInstructionProto* instruction = state_.parser->Parse(instruction_bytes);
    if (instruction == nullptr) return absl::DataLossError("");
    absl::Status read = ReadInstruction(*instruction);
    if (!read.ok()) return AddContext(read, absl::StrCat("instruction ", instruction->name()));
  }
  RETURN_IF_ERROR(CheckParameters());
  ASSIGN_OR_RETURN(HloInstruction * root, Find(proto_.root_id(), "root"));
  computation_->set_root(root);
  return std::move(computation_);
}

absl::Status ReadComputations(const std::vector<absl::string_view>& computations, ReadingState& state) {
  for (absl::string_view bytes : computations) {
    ComputationReader reader(state);
    absl::StatusOr<std::unique_ptr<HloComputation>> computation = reader.Read(bytes);
    const pb::HloComputationProto& proto = reader.proto();
    if (!computation.ok()) return AddContext(computation.status(), absl::StrCat("computation ", proto.name()));
    HloComputation* added = state.module->AddComputation(*std::move(computation));
    if (!state.computations.emplace(proto.id(), added).second) {
      return absl::InvalidArgumentError(absl::StrCat("computation ", proto.name(), " has the id ", proto.id(),
                                                     ", which another computation has already"));
    }
  }
  return absl::OkStatus();
}

// Finds the entry by id, or by name in files that are older than ids.
absl::Status FindEntry(const ReadingState& state) {
  if (state.module->computations().empty()) return absl::InvalidArgumentError("the module has no computations");
  const pb::HloModuleProto& proto = state.module_proto;
  const auto it = state.computations.find(proto.entry_computation_id());
  HloComputation* entry = it == state.computations.end() ? nullptr : it->second;
  // Files from before computations had ids only give a name.
  if (proto.entry_computation_id() == 0) {
    for (const auto& computation : state.module->computations()) {
      if (computation->name() == proto.entry_computation_name()) entry = computation.get();
    }
  }
  if (entry == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the entry computation '", proto.entry_computation_name(), "' (id ",
                                                   proto.entry_computation_id(),
                                                   ") is none of the module's computations"));
  }
  state.module->set_entry(entry);
  return absl::OkStatus();
}

absl::StatusOr<ProgramShape> ProgramShapeFromProto(const pb::ProgramShapeProto& proto, ProtoWarnings& warnings) {
  ProgramShape program;
  for (const pb::ShapeProto& parameter : proto.parameters()) {
    ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(parameter, warnings));
    program.parameters.push_back(std::move(shape));
  }
  ASSIGN_OR_RETURN(program.result, ShapeFromProto(proto.result(), warnings));
  return program;
}

StackFrameIndex StackFramesFromProto(const pb::StackFrameIndexProto& proto) {
  StackFrameIndex index;
  index.file_names.assign(proto.file_names().begin(), proto.file_names().end());
  index.function_names.assign(proto.function_names().begin(), proto.function_names().end());
  for (const auto& l : proto.file_locations()) {
    index.file_locations.push_back(
        {l.file_name_id(), l.function_name_id(), l.line(), l.end_line(), l.column(), l.end_column()});
  }
  for (const auto& f : proto.stack_frames()) index.stack_frames.push_back({f.file_location_id(), f.parent_frame_id()});
  return index;
}

std::vector<OriginRecovery> OriginRecoveryFromProto(const pb::OriginalValueRecoveryTableProto& proto,
                                                    ProtoWarnings& warnings) {
  std::vector<OriginRecovery> table;
  for (const auto& entry : proto.entries()) {
    if (entry.has_recovery_module() && entry.halo_recovery_module_text().empty()) {
      warnings.Add("dropped the recovery module of an entry of original_value_recovery_table");
    }
    table.push_back({OriginalArrayFromProto(entry.old_original_array()),
                     OriginalArrayFromProto(entry.new_original_array()), entry.halo_recovery_module_text()});
  }
  return table;
}

// Reads what belongs to the module as a whole. Fields that XLA keeps outside of hlo.proto, such as the replica count
// in its text form, are stored in an extension message of Halo's own.
absl::Status ReadConfig(const pb::HloModuleProto& proto, ProtoWarnings& warnings, HloModuleConfig& config) {
  const pb::HaloModuleConfig& halo = proto.halo_config();
  config.is_scheduled = proto.has_schedule() && proto.schedule().sequences_size() > 0;
  if (halo.replica_count() != 0) config.replica_count = halo.replica_count();
  if (halo.num_partitions() != 0) config.num_partitions = halo.num_partitions();
  if (config.replica_count < 1 || config.num_partitions < 1) {
    return absl::InvalidArgumentError("replica_count and num_partitions must be positive");
  }
  for (const auto& entry : proto.input_output_alias().entries()) {
    config.input_output_alias.push_back({ToShapeIndex(entry.output_shape_index()), entry.parameter_number(),
                                         ToShapeIndex(entry.parameter_shape_index()), entry.kind() == pb::MUST_ALIAS});
  }
  for (const auto& entry : proto.buffer_donor().entries()) {
    config.buffer_donors.push_back({entry.parameter_number(), ToShapeIndex(entry.parameter_shape_index())});
  }
  config.alias_passthrough_params = halo.alias_passthrough_params();
  if (!proto.has_host_program_shape()) {
    return absl::InvalidArgumentError("host_program_shape, the shapes of arguments and result, is missing");
  }
  if (!halo.no_entry_computation_layout()) {
    absl::StatusOr<ProgramShape> layout = ProgramShapeFromProto(proto.host_program_shape(), warnings);
    if (!layout.ok()) return AddContext(layout.status(), "host_program_shape");
    config.entry_computation_layout = *std::move(layout);
  }
  config.frontend_attributes = FrontendAttributesFromProto(proto.frontend_attributes());
  const auto& to_parameters = halo.allow_spmd_sharding_propagation_to_parameters();
  config.allow_spmd_sharding_propagation_to_parameters.assign(to_parameters.begin(), to_parameters.end());
  const auto& to_output = halo.allow_spmd_sharding_propagation_to_output();
  config.allow_spmd_sharding_propagation_to_output.assign(to_output.begin(), to_output.end());
  config.origin_recovery_table = OriginRecoveryFromProto(proto.original_value_recovery_table(), warnings);
  config.debug_attributes = halo.debug_attributes();
  config.stack_frames = StackFramesFromProto(proto.stack_frame_index());
  return absl::OkStatus();
}

// HLO text cannot be read with ids of frames that its tables do not have.
void DropWildStackFrameIds(HloModule* module, ProtoWarnings& warnings) {
  const StackFrameIndex& index = module->config().stack_frames;
  if (index.empty()) return;
  const auto frames = static_cast<int64_t>(index.stack_frames.size());
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const int32_t id = instruction->annotations().metadata.stack_frame_id;
      if (id >= 0 && id <= frames) continue;
      warnings.Add("dropped a stack_frame_id that stack_frame_index does not have");
      instruction->mutable_annotations().metadata.stack_frame_id = 0;
    }
  }
}

}  // namespace

absl::Status ParseMessage(absl::string_view bytes, int max_depth, google::protobuf::Message* message) {
  using google::protobuf::io::CodedInputStream;
  const int size = static_cast<int>(bytes.size());
  if (max_depth <= CodedInputStream::GetDefaultRecursionLimit()) {
    return message->ParseFromArray(bytes.data(), size) ? absl::OkStatus() : absl::DataLossError("");
  }
  CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), size);
  stream.SetRecursionLimit(max_depth);
  const bool parsed = message->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  return parsed ? absl::OkStatus() : absl::DataLossError("");
}

absl::StatusOr<std::unique_ptr<HloModule>> ModuleFromBytes(absl::string_view bytes, int max_depth,
                                                           const ResourceContext& resources, ProtoWarnings& warnings) {
  ASSIGN_OR_RETURN(const SplitMessage message, Split(bytes, pb::HloModuleProto::kComputationsFieldNumber, 0));
  pb::HloModuleProto proto;
  RETURN_IF_ERROR(ParseMessage(message.others, max_depth, &proto));
  warnings.NoteUnknownFields(proto);
  auto module = std::make_unique<HloModule>(LegalName(proto.name(), "module", warnings));
  module->set_id(proto.id());
  const auto parser = std::make_unique<InstructionParser>(max_depth);
  ReadingState state{proto, module.get(), {}, parser.get(), max_depth, resources, warnings};
  RETURN_IF_ERROR(ReadComputations(message.list, state));
  RETURN_IF_ERROR(FindEntry(state));
  RETURN_IF_ERROR(ReadConfig(proto, warnings, module->mutable_config()));
  DropWildStackFrameIds(module.get(), warnings);
  return module;
}

}  // namespace xla
