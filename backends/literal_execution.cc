#include "backends/literal_execution.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<BufferList> MakeArguments(Client& client, Device& device, absl::Span<const Literal> arguments) {
  BufferList buffers;
  buffers.reserve(arguments.size());
  for (const Literal& argument : arguments) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client.BufferFromLiteral(argument, device));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> ExecuteOnLiterals(Executable& executable,
                                                       absl::Span<const std::vector<Literal>> arguments,
                                                       const ExecuteOptions& options) {
  const absl::Span<Device* const> devices = executable.devices();
  if (arguments.size() != devices.size()) {
    return absl::InvalidArgumentError(absl::StrCat(executable.name(), ": the program runs on ", devices.size(),
                                                   " devices, got arguments for ", arguments.size()));
  }
  std::vector<BufferList> buffers(arguments.size());
  std::vector<std::vector<Buffer*>> pointers(arguments.size());
  std::vector<absl::Span<Buffer* const>> spans(arguments.size());
  for (size_t d = 0; d < arguments.size(); ++d) {
    ASSIGN_OR_RETURN(buffers[d], MakeArguments(executable.client(), *devices[d], arguments[d]));
    for (const auto& buffer : buffers[d]) pointers[d].push_back(buffer.get());
    spans[d] = pointers[d];
  }
  ExecuteOptions tupled = options;
  tupled.untuple_result = false;
  ASSIGN_OR_RETURN(Execution execution, executable.Launch(spans, tupled));
  RETURN_IF_ERROR(execution.done.Await());
  std::vector<Literal> results;
  for (const BufferList& of_device : execution.results) {
    ASSIGN_OR_RETURN(Literal result, of_device[0]->ToLiteral());
    results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<Literal> ExecuteOnLiterals(Executable& executable, absl::Span<const Literal> arguments,
                                          const ExecuteOptions& options) {
  const std::vector<Literal> of_device(arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   ExecuteOnLiterals(executable, absl::MakeConstSpan(&of_device, 1), options));
  return std::move(results[0]);
}

}  // namespace xla
