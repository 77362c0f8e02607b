#include "backends/backend.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

bool Device::is_addressable() const { return process_index() == client().process_index(); }

absl::StatusOr<BufferList> Executable::Execute(absl::Span<Buffer* const> arguments, const ExecuteOptions& options) {
  if (devices().size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(name(), ": the program runs on ", devices().size(),
                                                   " devices; use ExecuteSharded with arguments for each"));
  }
  ASSIGN_OR_RETURN(Execution execution, Launch({arguments}, options));
  return std::move(execution.results[0]);
}

absl::StatusOr<std::vector<BufferList>> Executable::ExecuteSharded(absl::Span<const std::vector<Buffer*>> arguments,
                                                                   const ExecuteOptions& options) {
  absl::InlinedVector<absl::Span<Buffer* const>, 8> spans;
  for (const std::vector<Buffer*>& of_device : arguments) spans.push_back(of_device);
  ASSIGN_OR_RETURN(Execution execution, Launch(spans, options));
  return std::move(execution.results);
}

absl::StatusOr<Device*> Client::FindDevice(int64_t id) const {
  for (Device* device : devices()) {
    if (device->id() == id) return device;
  }
  const auto append_id = [](std::string* out, const Device* device) { absl::StrAppend(out, device->id()); };
  return absl::InvalidArgumentError(
      absl::StrCat(platform_name(), " has no device ", id, ", only ", absl::StrJoin(devices(), ", ", append_id)));
}

absl::StatusOr<std::unique_ptr<Executable>> Client::Compile(std::unique_ptr<HloModule> module,
                                                            const CompileOptions& options) {
  return CompileShared(std::move(module), options);
}

absl::StatusOr<std::unique_ptr<Executable>> Client::Compile(const HloModule& module, const CompileOptions& options) {
  // Only a correct module can be copied.
  const ResourceContext resources(options.resources, "compiling the program");
  CompileOptions verified = options;
  VerifierOptions verifier;
  verifier.resources = &resources;
  if (options.verify) RETURN_IF_ERROR(VerifyModule(module, verifier));
  verified.verify = false;
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> copy, CloneModule(module, resources));
  return CompileShared(std::move(copy), verified);
}

}  // namespace xla
