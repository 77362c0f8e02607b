#include "builders/stablehlo/bytecode/reader.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"
#include "builders/stablehlo/bytecode/container.h"
#include "builders/stablehlo/bytecode/operation_reader.h"
#include "builders/stablehlo/bytecode/vhlo_operations.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/diagnostics.h"

namespace xla {
namespace stablehlo {
namespace {

bool ReadVersion(const Container& container, ErrorLog* errors, VhloVersion* version) {
  const absl::optional<VhloVersion> read = VersionOfProducer(container.producer);
  if (read.has_value() && !(*read < kOldestVhlo)) {
    *version = *read;
    return true;
  }
  const std::string what = read.has_value() ? absl::StrCat("this artifact is of version ", read->ToString(),
                                                           "; Halo reads those from ", kOldestVhlo.ToString())
                                            : absl::StrCat("this is MLIR bytecode that ", Quoted(container.producer),
                                                           " has written, not a portable artifact of StableHLO");
  return errors->Error(kBytecodeMagic.size() + 1, SectionId::kFile,
                       absl::StrCat(what, "; write the program with stablehlo.serialize_portable_artifact or as text"));
}

bool AddResources(const Container& container, Module* module, ErrorLog* errors) {
  for (const Container::NamedResource& resource : container.resources) {
    if (!resource.data.has_value()) continue;
    if (module->AddResource(resource.key, {*resource.data, static_cast<int64_t>(resource.alignment)})) continue;
    return errors->Error(0, SectionId::kResources,
                         absl::StrCat("the resource ", Quoted(resource.key), " is duplicated"));
  }
  return true;
}

bool Read(absl::string_view file, const ResourceContext* resources, ErrorLog* errors, Module* module) {
  Container container;
  VhloVersion version;
  if (!ReadContainer(file, errors, &container) || !ReadVersion(container, errors, &version) ||
      !AddResources(container, module, errors)) {
    return false;
  }
  AttributeDecoder decoder(container, module, errors, resources);
  if (!decoder.DecodeAll()) return false;
  return OperationReader(container, version, static_cast<int64_t>(file.size()), &decoder, module, resources).Read();
}

}  // namespace

bool IsBytecode(absl::string_view contents) { return absl::StartsWith(contents, kBytecodeMagic); }

absl::StatusOr<std::unique_ptr<Module>> ReadBytecode(absl::string_view file, const BytecodeOptions& options) {
  const ResourceContext resources(options.resources, "reading the program");
  ErrorLog errors(options.file_name, &resources);
  auto module = std::make_unique<Module>();
  if (Read(file, &resources, &errors, module.get())) return module;
  RETURN_IF_ERROR(errors.ToStatus());
  return absl::InternalError("the reader of bytecode failed without a reason");
}

}  // namespace stablehlo
}  // namespace xla
