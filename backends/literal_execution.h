// Runs executables from literals to literals: buffers are made, used once and gone.
#ifndef BACKENDS_LITERAL_EXECUTION_H_
#define BACKENDS_LITERAL_EXECUTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "xla_core/types/literal.h"

namespace xla {

// Buffers of parameters that are the same in many runs of one executable (CompileOptions::weights), made again only
// when an argument is another array than in the run before, or a tuple.
class KeptArguments {
 public:
  explicit KeptArguments(std::vector<int64_t> parameters) : parameters_(std::move(parameters)) {}

  bool Keeps(int64_t parameter) const;
  // The buffer of a parameter that is kept, as a device has it. Errors: those of BufferFromLiteral.
  absl::StatusOr<Buffer*> BufferOf(int64_t parameter, const Literal& argument, Client& client, Device& device);

 private:
  struct Kept {
    Literal argument;  // whose memory nothing can change while it is here
    std::unique_ptr<Buffer> buffer;
  };
  const std::vector<int64_t> parameters_;
  std::map<std::pair<int64_t, int64_t>, Kept> kept_;  // by device and parameter
};

// arguments[d][i] is parameter i of device d of the executable; the result has one literal for each device, a tuple
// where the program's result is one. `kept`, if given, is of this executable. Errors: those of Executable::Launch and
// of the run.
absl::StatusOr<std::vector<Literal>> ExecuteOnLiterals(Executable& executable,
                                                       absl::Span<const std::vector<Literal>> arguments,
                                                       const ExecuteOptions& options = {},
                                                       KeptArguments* kept = nullptr);

// Of a program for one device.
absl::StatusOr<Literal> ExecuteOnLiterals(Executable& executable, absl::Span<const Literal> arguments,
                                          const ExecuteOptions& options = {});

}  // namespace xla

#endif  // BACKENDS_LITERAL_EXECUTION_H_
