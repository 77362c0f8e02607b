#include "xla_core/ops/identity_calls.h"

#include <algorithm>

namespace xla {

absl::Span<const IdentityCall> IdentityCalls() {
  static constexpr IdentityCall kCalls[] = {{"LayoutConstraint", true},
                                            {"MoveToDevice", false},
                                            {"MoveToHost", false},
                                            {"Pin", false},
                                            {"SPMDFullToShardShape", false},
                                            {"SPMDShardToFullShape", false},
                                            {"SetBound", true},
                                            {"ShardBarrierFrom", true},
                                            {"ShardBarrierTo", true},
                                            {"Sharding", false},
                                            {"Unpin", false},
                                            {"annotate_device_placement", false},
                                            {"xla.sdy.FuncResultSharding", false},
                                            {"xla.sdy.PropagationBarrier", false}};
  return kCalls;
}

bool IsIdentityCall(absl::string_view target) {
  const absl::Span<const IdentityCall> calls = IdentityCalls();
  const auto at = std::lower_bound(calls.begin(), calls.end(), target,
                                   [](const IdentityCall& call, absl::string_view name) { return call.target < name; });
  return at != calls.end() && at->target == target;
}

}  // namespace xla
