// RingRule: which products are computed in a ring of devices (partition_ring.h).
#ifndef PASSES_PARTITIONING_RING_RULE_H_
#define PASSES_PARTITIONING_RING_RULE_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace xla {

// What a device does in one step of a ring.
struct RingStep {
  double flops = 0;         // of its product
  int64_t bytes = 0;        // that it sends meanwhile
  int64_t whole_bytes = 0;  // of the array that all steps send together: what the devices gather or add up otherwise
  std::vector<std::pair<int64_t, int64_t>> pairs;  // who sends to whom
};

// Whether a product whose steps are such is computed in a ring.
using RingRule = std::function<bool(const RingStep& step)>;

// Where nothing is known of the machines: arrays of this many bytes take milliseconds over any link, next to which the
// latency of the steps is short, and a device without the whole array has room for others.
constexpr int64_t kRingBytes = int64_t{64} << 20;

// Arrays of at least this many bytes; of a negative number, none.
inline RingRule RingsFrom(int64_t bytes) {
  return [bytes](const RingStep& step) { return bytes >= 0 && step.whole_bytes >= bytes; };
}

}  // namespace xla

#endif  // PASSES_PARTITIONING_RING_RULE_H_
