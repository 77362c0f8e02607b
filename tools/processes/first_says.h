// FirstSays: all processes go on with what the first one says.
#ifndef TOOLS_PROCESSES_FIRST_SAYS_H_
#define TOOLS_PROCESSES_FIRST_SAYS_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "backends/backend.h"

namespace xla {

// A program on all devices of a client, which gives each the number that the first one has. For what must not depend on
// a process's own clock: whether to run once more, when a trace began.
class FirstSays {
 public:
  // `resources` limit what the processes do and outlive the object; they may be nullptr.
  static absl::StatusOr<std::unique_ptr<FirstSays>> Create(Client& client, const ResourceContext* resources);

  // The first process's `mine`, when all have called. Errors: those of a run.
  absl::StatusOr<int64_t> Number(int64_t mine);

 private:
  FirstSays(std::unique_ptr<Executable> program, const ResourceContext* resources)
      : program_(std::move(program)), resources_(resources) {}

  const std::unique_ptr<Executable> program_;
  const ResourceContext* const resources_;
};

}  // namespace xla

#endif  // TOOLS_PROCESSES_FIRST_SAYS_H_
