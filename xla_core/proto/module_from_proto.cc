// HloModuleProto -> HloModule.
//
// Ids: a reference (operand, root, control predecessor, schedule) is always to an instruction of the same computation.
// Newer XLA writes ids as computation id * 2^32 + a local number, older XLA small numbers, and some files mix both, so
// instructions are found by the low 32 bits; the high ones, where there are any, must be those of the computation or of
// the instruction that is meant.
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
#include "xla_core/proto/module_conversion.h"
#include "xla_core/proto/old_opcodes.h"
#include "xla_core/proto/value_conversion.h"
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

// Instruction names may not be those of element types.
std::string LegalInstructionName(const std::string& name, ProtoWarnings& warnings) {
  std::string legal = LegalName(name, "instruction", warnings);
  if (PrimitiveTypeFromName(legal) != PRIMITIVE_TYPE_INVALID) {
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

class ModuleReader {
 public:
  ModuleReader(const pb::HloModuleProto& proto, ProtoWarnings& warnings) : proto_(proto), warnings_(warnings) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Read();

 private:
  absl::Status ReadConfig();
  absl::Status ReadComputations();
  absl::Status FindEntry();

  const pb::HloModuleProto& proto_;
  ProtoWarnings& warnings_;
  std::unique_ptr<HloModule> module_;
  absl::flat_hash_map<uint32_t, HloComputation*> computations_;  // by the low bits of their ids
};

// Reads one computation into the module.
class ComputationReader {
 public:
  ComputationReader(const pb::HloComputationProto& proto, const pb::HloModuleProto& module_proto,
                    const absl::flat_hash_map<uint32_t, HloComputation*>& computations, HloModule* module,
                    ProtoWarnings& warnings)
      : proto_(proto),
        module_proto_(module_proto),
        computations_(computations),
        module_(module),
        warnings_(warnings),
        computation_(std::make_unique<HloComputation>(LegalName(proto.name(), "computation", warnings))) {}

  absl::StatusOr<std::unique_ptr<HloComputation>> Read();

 private:
  absl::StatusOr<std::vector<int>> InstructionOrder() const;
  absl::Status ReadInstruction(const pb::HloInstructionProto& proto);
  absl::Status ReadOperands(const pb::HloInstructionProto& proto, HloInstruction* instruction) const;
  absl::Status ReadCalledComputations(const pb::HloInstructionProto& proto, HloInstruction* instruction) const;
  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction, bool has_old_opcode);
  absl::StatusOr<HloInstruction*> Find(int64_t id, absl::string_view role) const;
  absl::Status CheckParameters() const;

  const pb::HloComputationProto& proto_;
  const pb::HloModuleProto& module_proto_;
  const absl::flat_hash_map<uint32_t, HloComputation*>& computations_;
  HloModule* module_;
  ProtoWarnings& warnings_;
  std::unique_ptr<HloComputation> computation_;
  absl::flat_hash_map<uint32_t, HloInstruction*> instructions_;  // by the low bits of their ids
};

absl::StatusOr<HloInstruction*> ComputationReader::Find(int64_t id, absl::string_view role) const {
  const auto it = instructions_.find(LowBits(id));
  if (it != instructions_.end()) {
    const int64_t high = HighBits(id);
    if (high == 0 || high == HighBits(it->second->id()) || high == LowBits(proto_.id())) return it->second;
  }
  for (const pb::HloInstructionProto& instruction : proto_.instructions()) {
    if (instruction.id() == id) {
      return absl::InvalidArgumentError(
          absl::StrCat(role, " ", instruction.name(), " (id ", id, ") comes later; it must come first"));
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("refers to id ", id, " as ", role, ", but the computation has no such instruction"));
}

// Positions in proto_.instructions(): as they stand or, if the computation is scheduled, in order of the schedule.
absl::StatusOr<std::vector<int>> ComputationReader::InstructionOrder() const {
  std::vector<int> order;
  const int count = proto_.instructions_size();
  order.reserve(count);
  const auto sequence = module_proto_.schedule().sequences().find(proto_.id());
  if (!module_proto_.has_schedule() || sequence == module_proto_.schedule().sequences().end()) {
    for (int i = 0; i < count; ++i) order.push_back(i);
    return order;
  }
  absl::flat_hash_map<uint32_t, int> positions;
  positions.reserve(count);
  for (int i = 0; i < count; ++i) positions.emplace(LowBits(proto_.instructions(i).id()), i);
  for (int64_t id : sequence->second.instruction_ids()) {
    const auto it = positions.find(LowBits(id));
    if (it == positions.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the schedule names id ", id, " twice, or the computation has no such instruction"));
    }
    order.push_back(it->second);
    positions.erase(it);
  }
  if (static_cast<int>(order.size()) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the schedule has ", order.size(), " of the computation's ", count, " instructions"));
  }
  return order;
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

absl::Status ComputationReader::ReadCalledComputations(const pb::HloInstructionProto& proto,
                                                       HloInstruction* instruction) const {
  std::vector<HloComputation*> called;
  for (int64_t id : proto.called_computation_ids()) {
    const auto it = computations_.find(LowBits(id));
    if (it == computations_.end()) {
      for (const pb::HloComputationProto& computation : module_proto_.computations()) {
        if (LowBits(computation.id()) == LowBits(id)) {
          return absl::InvalidArgumentError(absl::StrCat("calls computation ", computation.name(), " (id ", id,
                                                         "), which comes later; callees must come first"));
        }
      }
      return absl::InvalidArgumentError(
          absl::StrCat("calls computation id ", id, ", but the module has no such computation"));
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

// Adds the instruction to the computation, with what old files imply; returns who goes by its id.
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
    instruction->AddCalledComputation(module_->AddComputation(MakeScalarAdd(name, type)));
  }
  return computation_->AddInstruction(std::move(instruction));
}

absl::Status ComputationReader::ReadInstruction(const pb::HloInstructionProto& proto) {
  warnings_.NoteUnknownFields(proto);
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
  ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.shape(), warnings_));
  auto instruction =
      std::make_unique<HloInstruction>(*opcode, LegalInstructionName(proto.name(), warnings_), std::move(shape));
  instruction->set_id(proto.id());
  RETURN_IF_ERROR(ReadOperands(proto, instruction.get()));
  RETURN_IF_ERROR(ReadCalledComputations(proto, instruction.get()));
  if (old.has_value() && old->direction.has_value()) {
    pb::HloInstructionProto compare = proto;
    compare.set_comparison_direction(ComparisonDirectionNames().names[static_cast<int>(*old->direction)]);
    RETURN_IF_ERROR(ReadAttributes(compare, warnings_, instruction.get()));
  } else {
    RETURN_IF_ERROR(ReadAttributes(proto, warnings_, instruction.get()));
  }
  RETURN_IF_ERROR(ReadAnnotations(proto, module_proto_, warnings_, instruction.get()));
  HloInstruction* added = Add(std::move(instruction), old.has_value());
  added->set_id(proto.id());
  if (!instructions_.emplace(LowBits(proto.id()), added).second) {
    return absl::InvalidArgumentError(
        absl::StrCat("has the id ", proto.id(), ", which another instruction has already"));
  }
  return absl::OkStatus();
}

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

absl::StatusOr<std::unique_ptr<HloComputation>> ComputationReader::Read() {
  warnings_.NoteUnknownFields(proto_);
  computation_->set_id(proto_.id());
  if (!proto_.execution_thread().empty()) computation_->set_execution_thread(proto_.execution_thread());
  computation_->set_is_fusion_computation(proto_.is_fusion_computation());
  if (proto_.instructions_size() == 0) return absl::InvalidArgumentError("the computation has no instructions");
  instructions_.reserve(proto_.instructions_size());
  ASSIGN_OR_RETURN(const std::vector<int> order, InstructionOrder());
  for (int position : order) {
    const pb::HloInstructionProto& instruction = proto_.instructions(position);
    absl::Status read = ReadInstruction(instruction);
    if (!read.ok()) return AddContext(read, absl::StrCat("instruction ", instruction.name()));
  }
  RETURN_IF_ERROR(CheckParameters());
  ASSIGN_OR_RETURN(HloInstruction * root, Find(proto_.root_id(), "root"));
  computation_->set_root(root);
  return std::move(computation_);
}

absl::Status ModuleReader::ReadComputations() {
  for (const pb::HloComputationProto& proto : proto_.computations()) {
    ComputationReader reader(proto, proto_, computations_, module_.get(), warnings_);
    absl::StatusOr<std::unique_ptr<HloComputation>> computation = reader.Read();
    if (!computation.ok()) return AddContext(computation.status(), absl::StrCat("computation ", proto.name()));
    HloComputation* added = module_->AddComputation(*std::move(computation));
    if (!computations_.emplace(LowBits(proto.id()), added).second) {
      return absl::InvalidArgumentError(absl::StrCat("computation ", proto.name(), " has the id ", proto.id(),
                                                     ", which another computation has already"));
    }
  }
  return absl::OkStatus();
}

absl::Status ModuleReader::FindEntry() {
  if (module_->computations().empty()) return absl::InvalidArgumentError("the module has no computations");
  const auto it = computations_.find(LowBits(proto_.entry_computation_id()));
  HloComputation* entry = it == computations_.end() ? nullptr : it->second;
  // Files from before computations had ids only give a name.
  if (entry == nullptr || proto_.entry_computation_id() == 0) {
    for (const auto& computation : module_->computations()) {
      if (computation->name() == proto_.entry_computation_name()) entry = computation.get();
    }
  }
  if (entry == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the entry computation '", proto_.entry_computation_name(),
                                                   "' (id ", proto_.entry_computation_id(),
                                                   ") is none of the module's computations"));
  }
  module_->set_entry(entry);
  return absl::OkStatus();
}

ShapeIndex ToShapeIndex(const google::protobuf::RepeatedField<int64_t>& index) {
  return ShapeIndex(index.begin(), index.end());
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

absl::Status ModuleReader::ReadConfig() {
  HloModuleConfig& config = module_->mutable_config();
  const pb::HaloModuleConfig& halo = proto_.halo_config();
  config.is_scheduled = proto_.has_schedule() && proto_.schedule().sequences_size() > 0;
  if (halo.replica_count() != 0) config.replica_count = halo.replica_count();
  if (halo.num_partitions() != 0) config.num_partitions = halo.num_partitions();
  if (config.replica_count < 1 || config.num_partitions < 1) {
    return absl::InvalidArgumentError("replica_count and num_partitions must be positive");
  }
  for (const auto& entry : proto_.input_output_alias().entries()) {
    config.input_output_alias.push_back({ToShapeIndex(entry.output_shape_index()), entry.parameter_number(),
                                         ToShapeIndex(entry.parameter_shape_index()),
                                         entry.kind() == pb::MUST_ALIAS});
  }
  for (const auto& entry : proto_.buffer_donor().entries()) {
    config.buffer_donors.push_back({entry.parameter_number(), ToShapeIndex(entry.parameter_shape_index())});
  }
  config.alias_passthrough_params = halo.alias_passthrough_params();
  if (!proto_.has_host_program_shape()) {
    return absl::InvalidArgumentError("host_program_shape, the shapes of arguments and result, is missing");
  }
  if (!halo.no_entry_computation_layout()) {
    absl::StatusOr<ProgramShape> layout = ProgramShapeFromProto(proto_.host_program_shape(), warnings_);
    if (!layout.ok()) return AddContext(layout.status(), "host_program_shape");
    config.entry_computation_layout = *std::move(layout);
  }
  config.frontend_attributes = FrontendAttributesFromProto(proto_.frontend_attributes());
  const auto& to_parameters = halo.allow_spmd_sharding_propagation_to_parameters();
  config.allow_spmd_sharding_propagation_to_parameters.assign(to_parameters.begin(), to_parameters.end());
  const auto& to_output = halo.allow_spmd_sharding_propagation_to_output();
  config.allow_spmd_sharding_propagation_to_output.assign(to_output.begin(), to_output.end());
  config.origin_recovery_table = OriginRecoveryFromProto(proto_.original_value_recovery_table(), warnings_);
  config.debug_attributes = halo.debug_attributes();
  config.stack_frames = StackFramesFromProto(proto_.stack_frame_index());
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloModule>> ModuleReader::Read() {
  warnings_.NoteUnknownFields(proto_);
  module_ = std::make_unique<HloModule>(LegalName(proto_.name(), "module", warnings_));
  module_->set_id(proto_.id());
  RETURN_IF_ERROR(ReadComputations());
  RETURN_IF_ERROR(FindEntry());
  RETURN_IF_ERROR(ReadConfig());
  return std::move(module_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ModuleFromProto(const pb::HloModuleProto& proto, ProtoWarnings& warnings) {
  return ModuleReader(proto, warnings).Read();
}

}  // namespace xla
