#include "bindings/pjrt/program.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/flat_program.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/messages.pb.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/partition_module.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace pjrt {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> ReadStableHlo(absl::string_view code) {
  StableHloOptions options;
  options.file_name = "the program";
  ASSIGN_OR_RETURN(auto modules, ParseStableHlo(code, options));
  if (modules.size() == 1) return std::move(modules[0]);
  return absl::InvalidArgumentError(
      absl::StrCat("the program has ", modules.size(), " functions that could be its main one, expected one: @main"));
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadHlo(absl::string_view code) {
  ASSIGN_OR_RETURN(HloProtoContents contents, ReadHloProto(code));
  RETURN_IF_ERROR(VerifyModule(*contents.module));
  return std::move(contents.module);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadHloWithConfig(absl::string_view code) {
  ::halo::pjrt::ModuleWithConfig message;
  const bool fits = code.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(code.data(), static_cast<int>(code.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program: ", code.size(), " bytes that are not a HloModuleProtoWithConfig"));
  }
  return ReadHlo(message.hlo_module());
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(absl::string_view code, absl::string_view format) {
  if (format == "mlir") return ReadStableHlo(code);
  if (format == "hlo") return ReadHlo(code);
  if (format == "hlo_with_config") return ReadHloWithConfig(code);
  return absl::InvalidArgumentError(
      absl::StrCat("the format of the program is '", format, "', expected mlir, hlo or hlo_with_config"));
}

// What a shape with its layout says of a value on the device.
ProgramValue ValueOf(const Shape& shape) {
  ProgramValue value;
  value.shape = shape.WithoutLayout();
  const Layout* const layout = shape.layout();
  if (layout != nullptr && layout->memory_space == Layout::kHostMemorySpace) value.memory_kind = kPinnedHostMemory;
  const bool has_order = layout != nullptr && !shape.IsRowMajor();
  for (int i = shape.rank() - 1; i >= 0; --i) {
    value.minor_to_major.push_back(has_order ? layout->minor_to_major[shape.rank() - 1 - i] : i);
  }
  return value;
}

void FillValues(const HloModule& module, ReadProgram* program) {
  const HloComputation& entry = *module.entry();
  const absl::optional<ProgramShape>& wanted = module.config().entry_computation_layout;
  for (const HloInstruction* parameter : entry.parameters()) {
    const size_t i = program->parameters.size();
    program->parameters.push_back(ValueOf(wanted.has_value() ? wanted->parameters[i] : parameter->shape()));
  }
  const Shape& result = wanted.has_value() ? wanted->result : entry.root()->shape();
  if (!result.IsTuple()) return program->outputs.push_back(ValueOf(result));
  for (const Shape& element : result.tuple_shapes()) program->outputs.push_back(ValueOf(element));
}

// The bytes of an OpSharding.
std::string ShardingMessage(const ArrayTiling& tiling, int64_t devices) {
  ::halo::pjrt::ArraySharding message;
  if (IsWhole(tiling)) return message.SerializeAsString();
  message.set_kind(::halo::pjrt::ArraySharding::TILED);
  for (const DimensionTiling& dimension : tiling) message.add_tile_dimensions(dimension.tiles);
  const int64_t copies = devices / TileCount(tiling);
  if (copies > 1) message.add_tile_dimensions(copies);
  message.set_replicate_on_last_tile_dimension(copies > 1);
  for (const std::vector<int64_t>& same : DevicesOfTiles(tiling, devices)) {
    for (const int64_t device : same) message.add_devices(device);
  }
  return message.SerializeAsString();
}

// The shardings that the entry of a program on whole arrays has, those that are left to Halo among them.
absl::Status FillShardings(HloModule& module, int64_t devices, ReadProgram* program) {
  RETURN_IF_ERROR(AnnotateFreeResults(module, devices, /*resources=*/nullptr));
  ASSIGN_OR_RETURN(const AnnotatedShardings shardings, AnnotatedShardings::Of(module, devices));
  ASSIGN_OR_RETURN(const ComputationRoles roles, ComputationRoles::Of(module, shardings));
  const Signature& signature = *roles.SignatureOf(*module.entry());
  for (size_t i = 0; i < program->parameters.size(); ++i) {
    program->parameters[i].sharding = ShardingMessage(signature.parameters[i][0], devices);
  }
  for (size_t i = 0; i < program->outputs.size(); ++i) {
    program->outputs[i].sharding = ShardingMessage(signature.result[i], devices);
  }
  program->has_shardings = true;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReadProgram> ReadProgramOf(absl::string_view code, absl::string_view format,
                                          const CompileRequest& request) {
  ReadProgram program;
  ASSIGN_OR_RETURN(program.module, ReadModule(code, format));
  HloModule& module = *program.module;
  if (request.is_tupled) RETURN_IF_ERROR(FlattenParameters(module));
  RETURN_IF_ERROR(CheckIsFlat(module));
  FillValues(module, &program);
  HloModuleConfig& config = module.mutable_config();
  config.replica_count = request.replica_count;
  config.num_partitions = request.partition_count;
  if (!request.use_spmd_partitioning || request.partition_count == 1) return program;
  config.allow_spmd_sharding_propagation_to_parameters = request.propagate_to_parameters;
  config.allow_spmd_sharding_propagation_to_output = request.propagate_to_output;
  RETURN_IF_ERROR(FillShardings(module, request.partition_count, &program));
  return program;
}

absl::Status CheckTargets(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const absl::string_view target = CustomCallTarget(*instruction);
      if (target.empty() || BeginsManual(*instruction) || EndsManual(*instruction)) continue;
      const absl::Status found = CustomCallRegistry::Global().Find(target).status();
      if (found.ok()) continue;
      return absl::Status(found.code(), absl::StrCat(instruction->name(), ": ", found.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status WithPlace(const absl::Status& status, const HloModule& module) {
  if (status.ok()) return status;
  const absl::string_view message = status.message();
  const absl::string_view name = message.substr(0, message.find(':'));
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() != name || !instruction->has_annotations()) continue;
      const OpMetadata& metadata = instruction->annotations().metadata;
      std::string place;
      if (!metadata.source_file.empty()) place = absl::StrCat(metadata.source_file.view(), ":", metadata.source_line);
      if (!metadata.op_name.empty()) absl::StrAppend(&place, place.empty() ? "" : ", ", metadata.op_name.view());
      if (!place.empty()) return absl::Status(status.code(), absl::StrCat(message, " [", place, "]"));
    }
  }
  return status;
}

}  // namespace pjrt
}  // namespace xla
