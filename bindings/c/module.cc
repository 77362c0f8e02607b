// Modules in the C interface: reading, asking, writing. halo.h documents the functions.
//
// Functions that can fail run in Guarded, which turns statuses and exceptions into halo_status; those that only ask
// return a neutral value for a handle that is not one. Results are set to null first, so that a caller who ignores
// the status does not read garbage.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "bindings/c/struct_size.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/files.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

std::string TextOr(const char* text, absl::string_view otherwise) {
  return std::string(text != nullptr ? absl::string_view(text) : otherwise);
}

absl::StatusOr<std::unique_ptr<HloModule>> TakeModule(ProgramFile& file, const std::string& choice) {
  ASSIGN_OR_RETURN(HloModule* const chosen, ChooseModule(file, choice, "options.module"));
  for (std::unique_ptr<HloModule>& module : file.modules) {
    if (module.get() == chosen) return std::move(module);
  }
  return absl::InternalError("the chosen module is not in the file");
}

// A program in HLO or StableHLO.
absl::StatusOr<ProgramFile> ReadProgram(absl::string_view contents, const std::string& name,
                                        const ResourceContext* resources) {
  if (!LooksLikeStableHlo(contents)) {
    if (DetectHloFormat(contents) != HloFileFormat::kUnknown) return ParseProgram(contents, name, resources);
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     ": not recognized as HLO text, StableHLO text or bytecode, or a HloModuleProto, HloProto or "
                     "HloSnapshot, binary or text"));
  }
  StableHloOptions options;
  options.file_name = name;
  options.resources = resources;
  ProgramFile file;
  ASSIGN_OR_RETURN(file.modules, ParseStableHlo(contents, options));
  file.format = IsStableHloBytecode(contents) ? "StableHLO bytecode" : "StableHLO text";
  return file;
}

// Reads a program, verifies it unless the caller declines, and keeps its parameters in order. Arguments and results
// of a snapshot are left out with a warning.
absl::StatusOr<std::unique_ptr<halo_module>> LoadModule(const CallerCheck& check, absl::string_view contents,
                                                        const std::string& name, const halo_load_options& options) {
  ASSIGN_OR_RETURN(const ResourceLimits limits, LimitsOf(check, options.timeout_seconds, options.cancellation));
  ResourceContext resources(limits, "reading the program");
  ASSIGN_OR_RETURN(ProgramFile file, ReadProgram(contents, name, &resources));
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, TakeModule(file, TextOr(options.module, "")));
  if (options.unverified == 0) {
    resources.EnterPhase("verifying the program");
    VerifierOptions verification;
    verification.resources = &resources;
    RETURN_IF_ERROR(VerifyModule(*module, verification));
  }
  auto loaded = std::make_unique<halo_module>();
  if (module->entry() != nullptr) {
    for (const HloInstruction* parameter : module->entry()->parameters()) loaded->parameters.push_back(parameter);
  }
  loaded->module = std::move(module);
  loaded->format = std::move(file.format);
  loaded->warnings = std::move(file.warnings);
  if (!file.arguments.empty() || file.result.has_value()) {
    loaded->warnings.push_back("the arguments and results that the snapshot holds are left out");
  }
  return loaded;
}

const HloInstruction* RootOf(const halo_module& handle) {
  const HloComputation* const entry = handle.module->entry();
  return entry == nullptr ? nullptr : entry->root();
}

// The instruction that computes a result.
const HloInstruction* ResultInstruction(const HloInstruction& root, size_t index) {
  return root.opcode() == HloOpcode::kTuple && index < static_cast<size_t>(root.operand_count())
             ? root.operand(static_cast<int>(index))
             : &root;
}

absl::StatusOr<PrintOptions> PrintOptionsOf(const CallerCheck& check, const halo_print_options* given) {
  halo_print_options options;
  RETURN_IF_ERROR(ReadOptions(check, given, &options));
  PrintOptions print;
  switch (options.style) {
    case HALO_TEXT_LONG:
      break;
    case HALO_TEXT_SHORT:
      print = PrintOptions::Short();
      break;
    case HALO_TEXT_CANONICAL:
      print = PrintOptions::Canonical();
      break;
    default:
      return check.Error(absl::StrCat("options.style is ", options.style, ", expected a HALO_TEXT_..."));
  }
  print.elide_large_constants = options.elide_large_constants != 0;
  if (options.without_metadata != 0) print.metadata = false;
  return print;
}

}  // namespace
}  // namespace xla

halo_status* halo_module_load(const void* data, size_t size, const halo_load_options* options, halo_module** module) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(module, "module"));
    *module = nullptr;
    if (size > 0) RETURN_IF_ERROR(check.Present(data, "data"));
    halo_load_options read;
    RETURN_IF_ERROR(xla::ReadOptions(check, options, &read));
    const absl::string_view contents(static_cast<const char*>(data), size);
    ASSIGN_OR_RETURN(auto loaded, xla::LoadModule(check, contents, xla::TextOr(read.name, "<memory>"), read));
    *module = loaded.release();
    return absl::OkStatus();
  });
}

halo_status* halo_module_load_file(const char* path, const halo_load_options* options, halo_module** module) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(module, "module"));
    *module = nullptr;
    RETURN_IF_ERROR(check.Present(path, "path"));
    halo_load_options read;
    RETURN_IF_ERROR(xla::ReadOptions(check, options, &read));
    ASSIGN_OR_RETURN(const xla::FileContents contents, xla::ReadFile(path));
    ASSIGN_OR_RETURN(auto loaded, xla::LoadModule(check, contents.data(), xla::TextOr(read.name, path), read));
    *module = loaded.release();
    return absl::OkStatus();
  });
}

void halo_module_free(halo_module* module) {
  if (module != nullptr && module->has_tag()) delete module;
}

halo_status* halo_module_verify(const halo_module* module) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(module, "module"));
    return xla::VerifyModule(*module->module);
  });
}

const char* halo_module_name(const halo_module* module) {
  return xla::Ask(module, "", [](const halo_module& handle) { return handle.module->name().c_str(); });
}

const char* halo_module_format(const halo_module* module) {
  return xla::Ask(module, "", [](const halo_module& handle) { return handle.format.c_str(); });
}

size_t halo_module_warning_count(const halo_module* module) {
  return xla::Ask(module, size_t{0}, [](const halo_module& handle) { return handle.warnings.size(); });
}

const char* halo_module_warning(const halo_module* module, size_t index) {
  return index < halo_module_warning_count(module) ? module->warnings[index].c_str() : nullptr;
}

int64_t halo_module_instruction_count(const halo_module* module) {
  return xla::Ask(module, int64_t{0}, [](const halo_module& handle) { return handle.module->instruction_count(); });
}

int64_t halo_module_replica_count(const halo_module* module) {
  return xla::Ask(module, int64_t{0}, [](const halo_module& handle) { return handle.module->config().replica_count; });
}

int64_t halo_module_partition_count(const halo_module* module) {
  return xla::Ask(module, int64_t{0}, [](const halo_module& handle) { return handle.module->config().num_partitions; });
}

size_t halo_module_parameter_count(const halo_module* module) {
  return xla::Ask(module, size_t{0}, [](const halo_module& handle) { return handle.parameters.size(); });
}

const char* halo_module_parameter_name(const halo_module* module, size_t index) {
  if (index >= halo_module_parameter_count(module) || module->parameters[index] == nullptr) return nullptr;
  return module->parameters[index]->name().c_str();
}

const halo_shape* halo_module_parameter_shape(const halo_module* module, size_t index) {
  if (index >= halo_module_parameter_count(module) || module->parameters[index] == nullptr) return nullptr;
  return xla::WrapShape(&module->parameters[index]->shape());
}

size_t halo_module_result_count(const halo_module* module) {
  return xla::Ask(module, size_t{0}, [](const halo_module& handle) {
    const xla::HloInstruction* const root = xla::RootOf(handle);
    return root == nullptr ? 0 : xla::ResultCount(root->shape());
  });
}

const char* halo_module_result_name(const halo_module* module, size_t index) {
  if (index >= halo_module_result_count(module)) return nullptr;
  return xla::ResultInstruction(*xla::RootOf(*module), index)->name().c_str();
}

const halo_shape* halo_module_result_shape(const halo_module* module, size_t index) {
  if (index >= halo_module_result_count(module)) return nullptr;
  return xla::WrapShape(xla::ResultShape(xla::RootOf(*module)->shape(), index));
}

halo_status* halo_module_to_text(const halo_module* module, const halo_print_options* options, char** text,
                                 size_t* size) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(text, "text"));
    *text = nullptr;
    if (size != nullptr) *size = 0;
    RETURN_IF_ERROR(check.Live(module, "module"));
    ASSIGN_OR_RETURN(const xla::PrintOptions print, xla::PrintOptionsOf(check, options));
    return xla::GiveText(xla::ModuleToString(*module->module, print), text, size);
  });
}

halo_status* halo_module_to_proto(const halo_module* module, halo_proto_encoding encoding, char** data, size_t* size) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(data, "data"));
    *data = nullptr;
    RETURN_IF_ERROR(check.Present(size, "size"));
    *size = 0;
    RETURN_IF_ERROR(check.Live(module, "module"));
    if (encoding != HALO_PROTO_BINARY && encoding != HALO_PROTO_TEXT) {
      return check.Error(absl::StrCat("encoding is ", encoding, ", expected HALO_PROTO_BINARY or HALO_PROTO_TEXT"));
    }
    ASSIGN_OR_RETURN(const std::string written,
                     xla::WriteHloProto(*module->module, encoding == HALO_PROTO_BINARY ? xla::ProtoEncoding::kBinary
                                                                                       : xla::ProtoEncoding::kText));
    return xla::GiveText(written, data, size);
  });
}
