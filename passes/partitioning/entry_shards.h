// EntryShards: how the arguments of a global program are cut for its devices, and its results put together.
#ifndef PASSES_PARTITIONING_ENTRY_SHARDS_H_
#define PASSES_PARTITIONING_ENTRY_SHARDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/partitioning/computation_roles.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// What is in the padding of shards, where the program must not care. Types narrower than a byte have zeros.
enum class ShardPadding {
  kZeros,
  kAllBits,  // NaN in floats, -1 in integers: for tests
};

class EntryShards {
 public:
  // Of a global module, before `partition`. The errors are those of the pass.
  static absl::StatusOr<EntryShards> Of(const HloModule& module, int64_t devices);

  int64_t devices() const { return devices_; }
  // What the device is given of each argument, which have the shapes of the global program's parameters.
  // ResourceExhausted: no memory.
  absl::StatusOr<std::vector<Literal>> ArgumentsOf(int64_t device, absl::Span<const Literal> arguments,
                                                   ShardPadding padding = ShardPadding::kZeros) const;
  // The result of the global program from those of all devices, by device. Where several of them have an element, it is
  // the first one's.
  absl::StatusOr<Literal> JoinResults(absl::Span<const Literal> results) const;

 private:
  EntryShards(Signature signature, Shape result, int64_t devices)
      : signature_(std::move(signature)), result_(std::move(result)), devices_(devices) {}

  Signature signature_;
  Shape result_;
  int64_t devices_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_ENTRY_SHARDS_H_
