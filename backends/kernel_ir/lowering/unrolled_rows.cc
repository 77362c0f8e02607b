#include "backends/kernel_ir/lowering/unrolled_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

// Elements of a row that is found as such; of one that is only a way to see a longer loop.
constexpr int64_t kLongestRow = 16;
constexpr int64_t kLongestView = 7;
// Fewer rows would leave lanes empty.
constexpr int64_t kFewestRows = 16;
// Longer bodies are not worth the time to compile them.
constexpr size_t kLongestBody = 512;

bool IsPowerOfTwo(int64_t x) { return (x & (x - 1)) == 0; }

struct Loops {
  size_t reductions = 0;
  bool have_lanes = false;                    // reductions
  const KernelRegion* vector_body = nullptr;  // the last one
};

void Collect(const KernelRegion& region, Loops& loops) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kReduce) {
      ++loops.reductions;
      loops.have_lanes = loops.have_lanes || instruction.lanes > 1;
    }
    if (instruction.op == KernelOp::kFor && instruction.schedule == LoopSchedule::kVector) {
      loops.vector_body = &instruction.regions[0];
    }
    for (const KernelRegion& nested : instruction.regions) Collect(nested, loops);
  }
}

Loops LoopsOf(const Kernel& draft) {
  Loops loops;
  if (!draft.phases.empty()) Collect(draft.phases.back().body, loops);
  return loops;
}

// Row lengths that a loop's body takes its index apart by, so that neighbours in lanes differ in what they do: they are
// of different operands, or read the same element. `any`: whatever they do.
std::set<int64_t> LengthsSeenIn(const KernelRegion& body, bool any) {
  std::set<int64_t> lengths;
  absl::flat_hash_map<KernelValue, int64_t> remainders;
  for (const KernelInstruction& instruction : body.instructions) {
    if (instruction.op == KernelOp::kQuotient && (any || !IsPowerOfTwo(instruction.constant))) {
      lengths.insert(instruction.constant);
    }
    if (instruction.op == KernelOp::kRemainder) remainders[instruction.results[0]] = instruction.constant;
    if (instruction.op != KernelOp::kInRange) continue;
    const auto remainder = remainders.find(instruction.operands[0]);
    if (remainder != remainders.end()) lengths.insert(remainder->second);
  }
  return lengths;
}

// Elements of one buffer, apart from a constant.
using Place = std::tuple<KernelOp, int, std::vector<std::pair<KernelValue, int64_t>>>;

}  // namespace

// Plans that unroll a short dimension, or a part of one that the indices show, so that vectors run along another one:
// the row's own elements, the last loop's part, or an outer loop.
std::vector<UnrolledRows> UnrolledRowsToTry(const Kernel& draft, const Nest& nest, const NestPlan& plan) {
  std::vector<UnrolledRows> found;
  if (plan.rows.empty()) return found;
  const Loops loops = LoopsOf(draft);
  const int depth = static_cast<int>(plan.rows.size());
  int64_t longest = 1;
  for (const NestTarget& target : nest.targets) {
    longest = std::max(longest, target.node.shape().ElementCount() / nest.rows);
  }
  const auto add = [&](std::vector<int64_t> rows, int dimension) {
    if (rows.back() < kFewestRows) return;
    UnrolledRows unrolled;
    unrolled.nest = nest;
    unrolled.nest.rows = 1;
    for (const int64_t size : rows) unrolled.nest.rows *= size;
    unrolled.plan.block = rows[0];
    unrolled.plan.rows = std::move(rows);
    unrolled.plan.unrolled_dimension = dimension;
    found.push_back(std::move(unrolled));
  };
  if (loops.reductions > 0 && longest <= kLongestRow) add(plan.rows, depth);
  if (longest > 1) return found;
  if (loops.vector_body != nullptr) {
    for (const int64_t length : LengthsSeenIn(*loops.vector_body, loops.reductions > 0)) {
      if (length < 2 || length > kLongestView || plan.rows.back() % length != 0) continue;
      std::vector<int64_t> rows = plan.rows;
      rows.back() /= length;
      add(std::move(rows), depth);
    }
  }
  for (int k = 0; k + 1 < depth; ++k) {
    if (plan.rows[k] > kLongestView) continue;
    std::vector<int64_t> rows = plan.rows;
    rows.erase(rows.begin() + k);
    add(std::move(rows), k);
  }
  return found;
}

// Compares a draft with the unrolled one: it must have no reductions left, and all strided accesses must cover rows
// without gaps, so that they become contiguous ones.
bool IsWorthUnrolling(const Kernel& draft, const Kernel& unrolled) {
  const Loops loops = LoopsOf(unrolled);
  const KernelRegion* const body = loops.vector_body;
  if (loops.reductions > 0 || body == nullptr || body->instructions.size() > kLongestBody) return false;
  const KernelValue row = body->arguments[0];
  absl::flat_hash_map<KernelValue, const KernelInstruction*> within;
  within[row] = nullptr;
  std::map<Place, std::pair<int64_t, std::set<int64_t>>> strided;  // strides and constants
  for (const KernelInstruction& instruction : body->instructions) {
    if (!instruction.regions.empty()) return false;
    for (const KernelValue result : instruction.results) within[result] = &instruction;
    const bool is_store = instruction.op == KernelOp::kStore;
    if (instruction.op != KernelOp::kLoad && !is_store) continue;
    const auto element = within.find(instruction.operands[0]);
    if (element == within.end() || element->second == nullptr) continue;
    const KernelInstruction& sum = *element->second;
    if (sum.op != KernelOp::kAffine) return false;
    int64_t stride = 0;
    Place place = {instruction.op, instruction.buffer, {}};
    for (size_t i = 0; i < sum.operands.size(); ++i) {
      std::get<2>(place).push_back({sum.operands[i], sum.coefficients[i]});
      if (sum.operands[i] == row) {
        stride = sum.coefficients[i];
      } else if (within.contains(sum.operands[i])) {
        return false;
      }
    }
    if (stride == 0 || stride == 1) continue;
    if (stride < 0 || stride > kLongestRow || instruction.operands.size() != (is_store ? 2 : 1)) return false;
    auto& [place_stride, constants] = strided[place];
    place_stride = stride;
    constants.insert(sum.constant);
  }
  const Loops before = LoopsOf(draft);
  if (before.have_lanes && strided.size() > before.reductions) return false;
  return !strided.empty() && std::all_of(strided.begin(), strided.end(), [](const auto& entry) {
    const auto& [stride, constants] = entry.second;
    return *constants.rbegin() - *constants.begin() + 1 >= stride;
  });
}

}  // namespace xla
