// MayCopy: whether code may stand in a program twice where it stood once.
#ifndef PASSES_CLEANING_MAY_COPY_H_
#define PASSES_CLEANING_MAY_COPY_H_

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A copy that runs instead of the original does the same, except for what other devices know by its place in the
// program: sends, receives and collectives. Computations that were asked about stay as they are.
class MayCopy {
 public:
  bool operator()(const HloComputation& computation);

 private:
  absl::flat_hash_map<const HloComputation*, bool> known_;
};

}  // namespace xla

#endif  // PASSES_CLEANING_MAY_COPY_H_
