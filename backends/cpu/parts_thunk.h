// PartsThunk: several thunks that compute one instruction, one after the other.
#ifndef BACKENDS_CPU_PARTS_THUNK_H_
#define BACKENDS_CPU_PARTS_THUNK_H_

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/runtime/thunk.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Reads, writes and costs are those of its parts together; scratch is the largest, because parts run one after the
// other.
class PartsThunk : public Thunk {
 public:
  // `product`: the part that the kind is taken from.
  PartsThunk(std::vector<std::unique_ptr<Thunk>> parts, size_t product)
      : Thunk(InfoOf(parts, product)), parts_(std::move(parts)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    for (const auto& part : parts_) RETURN_IF_ERROR(part->Execute(context));
    return absl::OkStatus();
  }

 private:
  // The parts run in sequence and count as one thunk: the sum of costs, which is 0 as soon as one part uses several
  // threads, and the largest scratch.
  static ThunkInfo InfoOf(const std::vector<std::unique_ptr<Thunk>>& parts, size_t product) {
    ThunkInfo info;
    info.kind = parts[product]->info().kind;
    info.instruction = parts[product]->info().instruction;
    bool is_serial = true;
    for (const auto& part : parts) {
      is_serial = is_serial && part->info().serial_cost > 0;
      info.serial_cost += part->info().serial_cost;
      info.scratch_bytes = std::max(info.scratch_bytes, part->info().scratch_bytes);
      info.reads.insert(info.reads.end(), part->info().reads.begin(), part->info().reads.end());
      info.writes.insert(info.writes.end(), part->info().writes.begin(), part->info().writes.end());
    }
    if (!is_serial) info.serial_cost = 0;
    return info;
  }

  const std::vector<std::unique_ptr<Thunk>> parts_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_PARTS_THUNK_H_
