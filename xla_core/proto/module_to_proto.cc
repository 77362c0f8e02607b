// HloModule -> HloModuleProto.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/proto/annotation_conversion.h"
#include "xla_core/proto/attribute_conversion.h"
#include "xla_core/proto/instruction_arena.h"
#include "xla_core/proto/module_conversion.h"
#include "xla_core/proto/value_conversion.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

// The ids that the message gives to computations and instructions: their own if those can serve, else fresh ones that
// are unique in the module and fit in 31 bits, which XLA of every age reads.
class Ids {
 public:
  explicit Ids(const HloModule& module) : kept_(CanKeep(module)) {
    int64_t computation_id = 0;
    int64_t instruction_id = 1;
    for (const auto& computation : module.computations()) {
      computations_[computation.get()] = {kept_ ? computation->id() : ++computation_id, instruction_id};
      instruction_id += computation->instruction_count();
    }
  }

  int64_t Of(const HloComputation* computation) const { return computations_.at(computation).own; }
  int64_t Of(const HloInstruction* instruction) const {
    return kept_ ? instruction->id() : computations_.at(instruction->parent()).first + instruction->place();
  }
  bool Has(const HloComputation* computation) const { return computations_.contains(computation); }

 private:
  struct OfComputation {
    int64_t own;
    int64_t first;  // of its instructions, if theirs are fresh
  };

  static bool Ascend(absl::Span<const std::unique_ptr<HloInstruction>> instructions) {
    int64_t last = -1;
    for (const auto& instruction : instructions) {
      if (instruction->id() <= last || instruction->id() > std::numeric_limits<uint32_t>::max()) return false;
      last = instruction->id();
    }
    return true;
  }
  // Readers compare the low 32 bits: computations of a module and instructions of a computation must differ in them.
  static bool CanKeep(const HloModule& module) {
    absl::flat_hash_set<uint32_t> computations;
    absl::flat_hash_set<uint32_t> instructions;
    for (const auto& computation : module.computations()) {
      if (computation->id() < 0 || !computations.insert(static_cast<uint32_t>(computation->id())).second) return false;
      if (Ascend(computation->instructions())) continue;  // so they differ
      instructions.clear();
      for (const auto& instruction : computation->instructions()) {
        if (instruction->id() < 0 || !instructions.insert(static_cast<uint32_t>(instruction->id())).second) {
          return false;
        }
      }
    }
    return true;
  }

  bool kept_;
  absl::flat_hash_map<const HloComputation*, OfComputation> computations_;
};

// Writes one instruction. Control edges are written at their successors; a loop's computations are written body
// first, as XLA does.
absl::Status InstructionToProto(const HloInstruction& instruction, const Ids& ids, pb::HloInstructionProto* proto) {
  proto->set_name(instruction.name());
  proto->set_opcode(std::string(instruction.opcode_name()));
  ShapeToProto(instruction.shape(), proto->mutable_shape());
  proto->set_id(ids.Of(&instruction));
  for (const HloInstruction* operand : instruction.operands()) proto->add_operand_ids(ids.Of(operand));
  for (const HloInstruction* p : instruction.control_predecessors()) proto->add_control_predecessor_ids(ids.Of(p));
  std::vector<const HloComputation*> called(instruction.called_computations().begin(),
                                            instruction.called_computations().end());
  // The message has body, condition.
  if (instruction.opcode() == HloOpcode::kWhile && called.size() == 2) std::swap(called[0], called[1]);
  for (const HloComputation* computation : called) {
    if (!ids.Has(computation)) {
      return absl::InvalidArgumentError(
          absl::StrCat(instruction.name(), ": calls a computation that is not part of the module"));
    }
    proto->add_called_computation_ids(ids.Of(computation));
  }
  absl::Status written = WriteAttributes(instruction, proto);
  if (!written.ok()) {
    return absl::Status(written.code(), absl::StrCat(instruction.name(), ": ", written.message()));
  }
  WriteAnnotations(instruction, proto);
  return absl::OkStatus();
}

// The signature of a computation from its parameters and its root.
void SignatureToProto(const HloComputation& computation, pb::ProgramShapeProto* proto) {
  for (const HloInstruction* parameter : computation.parameters()) {
    pb::ShapeProto* shape = proto->add_parameters();
    if (parameter != nullptr) ShapeToProto(parameter->shape(), shape);
    proto->add_parameter_names(parameter == nullptr ? "" : parameter->name());
  }
  ShapeToProto(computation.root()->shape(), proto->mutable_result());
}

absl::Status CheckRoot(const HloComputation& computation) {
  if (computation.root() != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("computation ", computation.name(), " has no root"));
}

// The fields that follow the instructions.
void FillComputationEnd(const HloComputation& computation, const Ids& ids, pb::HloComputationProto* proto) {
  SignatureToProto(computation, proto->mutable_program_shape());
  proto->set_id(ids.Of(&computation));
  proto->set_root_id(ids.Of(computation.root()));
  proto->set_is_fusion_computation(computation.is_fusion_computation());
  proto->set_execution_thread(computation.execution_thread());
}

absl::Status ComputationToProto(const HloComputation& computation, const Ids& ids, const ResourceContext& resources,
                                pb::HloComputationProto* proto) {
  RETURN_IF_ERROR(CheckRoot(computation));
  proto->set_name(computation.name());
  proto->mutable_instructions()->Reserve(static_cast<int>(computation.instruction_count()));
  for (const auto& instruction : computation.instructions()) {
    RETURN_IF_ERROR(resources.Check());
    RETURN_IF_ERROR(InstructionToProto(*instruction, ids, proto->add_instructions()));
  }
  FillComputationEnd(computation, ids, proto);
  return absl::OkStatus();
}

// `message`, whose size has just been asked for, without memory besides the output.
absl::Status AppendSized(const google::protobuf::Message& message, size_t size, std::string* out) {
  if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError("a part of the module takes more than the 2 GB that a protobuf message may have");
  }
  const size_t start = out->size();
  out->resize(start + size);
  google::protobuf::io::ArrayOutputStream output(&(*out)[start], static_cast<int>(size));
  google::protobuf::io::CodedOutputStream stream(&output);
  stream.SetSerializationDeterministic(true);  // maps in order of their keys
  message.SerializeWithCachedSizes(&stream);
  return absl::OkStatus();
}

void AppendFieldHead(int number, size_t size, std::string* out) {
  using google::protobuf::io::CodedOutputStream;
  constexpr uint32_t kBytesWireType = 2;
  uint8_t head[20];
  uint8_t* end = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(number) << 3 | kBytesWireType, head);
  end = CodedOutputStream::WriteVarint64ToArray(size, end);
  out->append(reinterpret_cast<const char*>(head), end - head);
}

// The same, serialized.
absl::Status AppendComputation(const HloComputation& computation, const Ids& ids, const ResourceContext& resources,
                               InstructionArena& arena, std::string* out) {
  RETURN_IF_ERROR(CheckRoot(computation));
  pb::HloComputationProto begin;
  begin.set_name(computation.name());
  RETURN_IF_ERROR(AppendMessage(begin, out));
  for (const auto& instruction : computation.instructions()) {
    RETURN_IF_ERROR(resources.Check());
    pb::HloInstructionProto* message = arena.NewMessage();
    RETURN_IF_ERROR(InstructionToProto(*instruction, ids, message));
    const size_t size = message->ByteSizeLong();
    AppendFieldHead(pb::HloComputationProto::kInstructionsFieldNumber, size, out);
    RETURN_IF_ERROR(AppendSized(*message, size, out));
  }
  pb::HloComputationProto end;
  FillComputationEnd(computation, ids, &end);
  return AppendMessage(end, out);
}

// A schedule lists the computations that run on their own: all but the bodies of fusions.
void ScheduleToProto(const HloModule& module, const Ids& ids, pb::HloScheduleProto* proto) {
  for (const auto& computation : module.computations()) {
    if (computation->is_fusion_computation()) continue;
    auto& sequence = (*proto->mutable_sequences())[ids.Of(computation.get())];
    for (const auto& instruction : computation->instructions()) {
      sequence.add_instruction_ids(ids.Of(instruction.get()));
    }
  }
}

// Tables of names, locations and frames refer to each other by number; they are copied as they are, without a check.
void StackFramesToProto(const StackFrameIndex& index, pb::StackFrameIndexProto* proto) {
  for (const std::string& name : index.file_names) proto->add_file_names(name);
  for (const std::string& name : index.function_names) proto->add_function_names(name);
  for (const StackFrameIndex::FileLocation& location : index.file_locations) {
    auto* added = proto->add_file_locations();
    added->set_file_name_id(location.file_name_id);
    added->set_function_name_id(location.function_name_id);
    added->set_line(location.line);
    added->set_end_line(location.end_line);
    added->set_column(location.column);
    added->set_end_column(location.end_column);
  }
  for (const StackFrameIndex::StackFrame& frame : index.stack_frames) {
    auto* added = proto->add_stack_frames();
    added->set_file_location_id(frame.file_location_id);
    added->set_parent_frame_id(frame.parent_frame_id);
  }
}

void EntryLayoutToProto(const HloModule& module, pb::HloModuleProto* proto) {
  const absl::optional<ProgramShape>& layout = module.config().entry_computation_layout;
  pb::ProgramShapeProto* program = proto->mutable_host_program_shape();
  SignatureToProto(*module.entry(), program);
  if (!layout.has_value()) {
    proto->mutable_halo_config()->set_no_entry_computation_layout(true);
    return;
  }
  program->clear_parameters();
  for (const Shape& parameter : layout->parameters) ShapeToProto(parameter, program->add_parameters());
  program->clear_result();
  ShapeToProto(layout->result, program->mutable_result());
}

void AliasingToProto(const HloModuleConfig& config, pb::HloModuleProto* proto) {
  for (const InputOutputAlias& alias : config.input_output_alias) {
    auto* added = proto->mutable_input_output_alias()->add_entries();
    added->mutable_output_shape_index()->Add(alias.output_index.begin(), alias.output_index.end());
    added->set_parameter_number(alias.parameter_number);
    added->mutable_parameter_shape_index()->Add(alias.parameter_index.begin(), alias.parameter_index.end());
    added->set_kind(alias.must_alias ? pb::MUST_ALIAS : pb::MAY_ALIAS);
  }
  for (const BufferDonor& donor : config.buffer_donors) {
    auto* added = proto->mutable_buffer_donor()->add_entries();
    added->set_parameter_number(donor.parameter_number);
    added->mutable_parameter_shape_index()->Add(donor.parameter_index.begin(), donor.parameter_index.end());
  }
}

// What XLA's message has no place for; left out when it says nothing.
void HaloConfigToProto(const HloModuleConfig& config, pb::HloModuleProto* proto) {
  pb::HaloModuleConfig halo = proto->halo_config();
  if (config.replica_count != 1) halo.set_replica_count(config.replica_count);
  if (config.num_partitions != 1) halo.set_num_partitions(config.num_partitions);
  halo.set_alias_passthrough_params(config.alias_passthrough_params);
  for (bool allow : config.allow_spmd_sharding_propagation_to_parameters) {
    halo.add_allow_spmd_sharding_propagation_to_parameters(allow);
  }
  for (bool allow : config.allow_spmd_sharding_propagation_to_output) {
    halo.add_allow_spmd_sharding_propagation_to_output(allow);
  }
  halo.set_debug_attributes(config.debug_attributes);
  if (halo.ByteSizeLong() != 0) *proto->mutable_halo_config() = halo;
}

// The fields of the module besides its computations.
void ConfigToProto(const HloModule& module, const Ids& ids, pb::HloModuleProto* proto) {
  const HloModuleConfig& config = module.config();
  if (config.is_scheduled) ScheduleToProto(module, ids, proto->mutable_schedule());
  AliasingToProto(config, proto);
  EntryLayoutToProto(module, proto);
  if (!config.frontend_attributes.empty()) {
    FrontendAttributesToProto(config.frontend_attributes, proto->mutable_frontend_attributes());
  }
  for (const OriginRecovery& recovery : config.origin_recovery_table) {
    auto* entry = proto->mutable_original_value_recovery_table()->add_entries();
    OriginalArrayToProto(recovery.old_array, entry->mutable_old_original_array());
    OriginalArrayToProto(recovery.new_array, entry->mutable_new_original_array());
    entry->set_halo_recovery_module_text(recovery.module_text);
  }
  if (!config.stack_frames.empty()) StackFramesToProto(config.stack_frames, proto->mutable_stack_frame_index());
  HaloConfigToProto(config, proto);
}

// The fields that follow the computations.
void FillModuleEnd(const HloModule& module, const Ids& ids, pb::HloModuleProto* proto) {
  proto->set_entry_computation_id(ids.Of(module.entry()));
  proto->set_id(module.id());
  ConfigToProto(module, ids, proto);
}

}  // namespace

absl::Status AppendMessage(const google::protobuf::Message& message, std::string* out) {
  return AppendSized(message, message.ByteSizeLong(), out);
}

void AppendField(int number, absl::string_view bytes, std::string* out) {
  AppendFieldHead(number, bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

// Appends the message in parts, one computation at a time, with the messages of instructions in an arena: memory
// beyond the output stays small.
absl::Status AppendModule(const HloModule& module, const ResourceContext& resources, std::string* out) {
  if (module.entry() == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  const Ids ids(module);
  pb::HloModuleProto begin;
  begin.set_name(module.name());
  begin.set_entry_computation_name(module.entry()->name());
  RETURN_IF_ERROR(AppendMessage(begin, out));
  InstructionArena arena;
  std::string bytes;
  for (const auto& computation : module.computations()) {
    bytes.clear();
    RETURN_IF_ERROR(AppendComputation(*computation, ids, resources, arena, &bytes));
    AppendField(pb::HloModuleProto::kComputationsFieldNumber, bytes, out);
  }
  pb::HloModuleProto end;
  FillModuleEnd(module, ids, &end);
  return AppendMessage(end, out);
}

absl::Status ModuleToProto(const HloModule& module, const ResourceContext& resources, pb::HloModuleProto* proto) {
  if (module.entry() == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  const Ids ids(module);
  proto->set_name(module.name());
  proto->set_entry_computation_name(module.entry()->name());
  for (const auto& computation : module.computations()) {
    RETURN_IF_ERROR(ComputationToProto(*computation, ids, resources, proto->add_computations()));
  }
  FillModuleEnd(module, ids, proto);
  return absl::OkStatus();
}

}  // namespace xla
