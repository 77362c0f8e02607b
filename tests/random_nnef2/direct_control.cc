// Branches and loops.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/random_nnef2/direct_run.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {

absl::StatusOr<bool> DirectRun::RunCondition(const ComposedRegion& region) {
  RETURN_IF_ERROR(RunOperations(region.operations));
  return Get(region.results[0].item().integer)->elements[0] != 0;
}

absl::Status DirectRun::RunBranch(const ComposedOperation& operation) {
  const ComposedBranch& branch = *operation.branch;
  size_t chosen = 0;
  for (; chosen < branch.conditions.size(); ++chosen) {
    ASSIGN_OR_RETURN(const bool holds, RunCondition(branch.conditions[chosen]));
    if (holds) break;
  }
  const ComposedRegion& region = branch.consequents[chosen];
  RETURN_IF_ERROR(RunOperations(region.operations));
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    for (size_t k = 0; k < operation.outputs[i].items.size(); ++k) {
      RETURN_IF_ERROR(
          Store(static_cast<size_t>(operation.outputs[i].items[k].integer), Get(region.results[i].items[k].integer)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::optional<int64_t>> DirectRun::CountOf(const ComposedLoop& loop) {
  absl::optional<int64_t> count = loop.count;
  for (const ComposedLoop::Scan& scan : loop.scans) count = static_cast<int64_t>(TensorsIn(scan.pack).size());
  if (loop.count.has_value() && count.has_value()) count = std::min(*count, *loop.count);
  if (!loop.count_tensor.has_value()) return count;
  const int64_t wanted = static_cast<int64_t>(Get(*loop.count_tensor)->elements[0]);
  if (!loop.scans.empty() && wanted > *count) {
    return ClassifiedError(ErrorClass::kRuntimeBound,
                           absl::StrCat("a loop runs ", wanted, " times, and its packs have ", *count, " tensors"));
  }
  return absl::optional<int64_t>(wanted);
}

void DirectRun::SetLocals(const ComposedLoop& loop, const std::vector<TensorPtr>& carried) {
  for (size_t i = 0; i < carried.size(); ++i) tensors_[static_cast<size_t>(loop.carried[i].local)] = carried[i];
}

absl::Status DirectRun::RunLoop(const ComposedOperation& operation) {
  const ComposedLoop& loop = *operation.loop;
  ASSIGN_OR_RETURN(const absl::optional<int64_t> count, CountOf(loop));
  std::vector<TensorPtr> carried;
  for (const ComposedLoop::Carried& variable : loop.carried) {
    carried.push_back(Get(variable.initial));
  }
  std::vector<std::vector<TensorPtr>> scanned(operation.outputs.size() - carried.size());
  int64_t i = 0;
  for (; !count.has_value() || i < *count; ++i) {
    if (--iterations_ < 0) return absl::ResourceExhaustedError("a loop has too many iterations");
    SetLocals(loop, carried);
    for (const ComposedLoop::Scan& scan : loop.scans) {
      const TensorPtr item = Get(scan.pack.items[static_cast<size_t>(i)].integer);
      tensors_[static_cast<size_t>(scan.local)] = item;
    }
    if (loop.index.has_value()) {
      tensors_[static_cast<size_t>(*loop.index)] =
          std::make_shared<DirectTensor>(DirectTensor{BaseType::kInt, {}, {static_cast<double>(i)}});
    }
    if (loop.condition.has_value() && !loop.tests_after) {
      ASSIGN_OR_RETURN(const bool goes_on, RunCondition(*loop.condition));
      if (!goes_on) break;
    }
    RETURN_IF_ERROR(RunOperations(loop.body.operations));
    for (size_t k = 0; k < loop.body.results.size(); ++k) {
      const TensorPtr& result = Get(loop.body.results[k].item().integer);
      if (k < carried.size()) {
        carried[k] = result;
      } else {
        scanned[k - carried.size()].push_back(result);
      }
    }
    if (loop.condition.has_value() && loop.tests_after) {
      SetLocals(loop, carried);
      ASSIGN_OR_RETURN(const bool goes_on, RunCondition(*loop.condition));
      if (!goes_on) {
        ++i;
        break;
      }
    }
  }
  return StoreLoop(operation, carried, scanned);
}

absl::Status DirectRun::StoreLoop(const ComposedOperation& operation, const std::vector<TensorPtr>& carried,
                                  const std::vector<std::vector<TensorPtr>>& scanned) {
  for (size_t k = 0; k < carried.size(); ++k) {
    RETURN_IF_ERROR(Store(static_cast<size_t>(operation.outputs[k].item().integer), carried[k]));
  }
  for (size_t k = 0; k < scanned.size(); ++k) {
    const Value& pack = operation.outputs[carried.size() + k];
    if (pack.length != nullptr) extents_.Set(pack.length, static_cast<int64_t>(scanned[k].size()));
    for (size_t i = 0; i < scanned[k].size(); ++i) {
      RETURN_IF_ERROR(Store(static_cast<size_t>(pack.items[i].integer), scanned[k][i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
