#include "passes/analyses/comparison_direction.h"

namespace xla {
namespace {

// By direction, in the order of ComparisonDirection: EQ, NE, GE, GT, LE, LT.
constexpr unsigned kAccepted[] = {
    kIsEqual, kIsLess | kIsGreater | kIsUnordered, kIsGreater | kIsEqual, kIsGreater, kIsLess | kIsEqual, kIsLess};
constexpr int kDirectionCount = 6;

unsigned ExchangedOutcomes(unsigned outcomes) {
  return (outcomes & (kIsEqual | kIsUnordered)) | ((outcomes & kIsLess) != 0 ? kIsGreater : 0) |
         ((outcomes & kIsGreater) != 0 ? kIsLess : 0);
}

}  // namespace

unsigned AcceptedOutcomes(ComparisonDirection direction) { return kAccepted[static_cast<int>(direction)]; }

absl::optional<ComparisonDirection> DirectionAccepting(unsigned accepted, unsigned possible) {
  for (int i = 0; i < kDirectionCount; ++i) {
    if ((kAccepted[i] & possible) == (accepted & possible)) return static_cast<ComparisonDirection>(i);
  }
  return absl::nullopt;
}

ComparisonDirection Exchanged(ComparisonDirection direction) {
  return *DirectionAccepting(ExchangedOutcomes(AcceptedOutcomes(direction)), kAllOutcomes);
}

}  // namespace xla
