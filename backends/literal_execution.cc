#include "backends/literal_execution.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The arguments of a device. Those that nothing keeps are added to `own`.
absl::StatusOr<std::vector<Buffer*>> MakeArguments(Client& client, Device& device, absl::Span<const Literal> arguments,
                                                   KeptArguments* kept, BufferList& own) {
  std::vector<Buffer*> buffers;
  buffers.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto parameter = static_cast<int64_t>(i);
    if (kept != nullptr && kept->Keeps(parameter)) {
      ASSIGN_OR_RETURN(Buffer* const buffer, kept->BufferOf(parameter, arguments[i], client, device));
      buffers.push_back(buffer);
      continue;
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client.BufferFromLiteral(arguments[i], device));
    buffers.push_back(buffer.get());
    own.push_back(std::move(buffer));
  }
  return buffers;
}

// Whether the two are one array in memory, or small ones with equal elements.
bool IsSameArray(const Literal& a, const Literal& b) {
  constexpr int64_t kSmallBytes = 64;
  if (!a.shape().IsArray() || !a.shape().Equal(b.shape())) return false;
  return a.untyped_data() == b.untyped_data() || (a.shape().ByteSize() <= kSmallBytes && a.BitwiseEquals(b));
}

}  // namespace

bool KeptArguments::Keeps(int64_t parameter) const {
  return std::find(parameters_.begin(), parameters_.end(), parameter) != parameters_.end();
}

absl::StatusOr<Buffer*> KeptArguments::BufferOf(int64_t parameter, const Literal& argument, Client& client,
                                                Device& device) {
  Kept& kept = kept_[{device.id(), parameter}];
  if (kept.buffer != nullptr && kept.buffer->is_live() && IsSameArray(kept.argument, argument)) {
    return kept.buffer.get();
  }
  ASSIGN_OR_RETURN(kept.buffer, client.BufferFromLiteral(argument, device));
  kept.argument = argument;
  return kept.buffer.get();
}

// Runs the program on literals and waits for it. Arguments in `kept` that were used before are not made into buffers
// again. Results are one literal a device, a tuple where the program gives one.
absl::StatusOr<std::vector<Literal>> ExecuteOnLiterals(Executable& executable,
                                                       absl::Span<const std::vector<Literal>> arguments,
                                                       const ExecuteOptions& options, KeptArguments* kept) {
  const absl::Span<Device* const> devices = executable.devices();
  if (arguments.size() != devices.size()) {
    return absl::InvalidArgumentError(absl::StrCat(executable.name(), ": the program runs on ", devices.size(),
                                                   " devices, got arguments for ", arguments.size()));
  }
  std::vector<BufferList> buffers(arguments.size());
  std::vector<std::vector<Buffer*>> pointers(arguments.size());
  std::vector<absl::Span<Buffer* const>> spans(arguments.size());
  for (size_t d = 0; d < arguments.size(); ++d) {
    ASSIGN_OR_RETURN(pointers[d], MakeArguments(executable.client(), *devices[d], arguments[d], kept, buffers[d]));
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
