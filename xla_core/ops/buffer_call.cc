#include "xla_core/ops/buffer_call.h"

#include <algorithm>

#include "xla_core/ops/lapack_call.h"

namespace xla {

bool BufferCall::MayLieInPlace(int operand, int result) const {
  return std::find(in_place_.begin(), in_place_.end(), std::make_pair(operand, result)) != in_place_.end();
}

const std::vector<BufferCallTarget>& BufferCallTargets() {
  static const auto* const targets = [] {
    auto* const made = new std::vector<BufferCallTarget>();
    AddFactorizations(*made);
    AddReflections(*made);
    AddSolvers(*made);
    AddDecompositions(*made);
    AddSparseProducts(*made);
    std::sort(made->begin(), made->end(),
              [](const BufferCallTarget& a, const BufferCallTarget& b) { return a.name < b.name; });
    return made;
  }();
  return *targets;
}

MakeBufferCall FindBufferCall(absl::string_view target) {
  const std::vector<BufferCallTarget>& targets = BufferCallTargets();
  const auto found = std::lower_bound(targets.begin(), targets.end(), target,
                                      [](const BufferCallTarget& a, absl::string_view name) { return a.name < name; });
  return found != targets.end() && found->name == target ? found->make : nullptr;
}

}  // namespace xla
