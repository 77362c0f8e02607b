// KnownExtents: which numbers the dynamic extents of a composed graph are while it runs.
#ifndef TESTS_RANDOM_NNEF2_KNOWN_EXTENTS_H_
#define TESTS_RANDOM_NNEF2_KNOWN_EXTENTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

class KnownExtents {
 public:
  void Set(const Symbolic* symbol, int64_t value) { values_[symbol] = value; }
  bool Knows(const Symbolic* symbol) const { return values_.count(symbol) > 0; }
  // None: a symbol in it is not known yet.
  absl::optional<int64_t> ValueOf(const Symbolic* expression) const;
  absl::optional<int64_t> ValueOf(const Scalar& extent) const;
  // `value` with numbers for the expressions that are known.
  Value Resolve(const Value& value) const;

 private:
  using Memo = absl::flat_hash_map<const Symbolic*, absl::optional<int64_t>>;
  absl::optional<int64_t> Find(const Symbolic* expression, Memo* memo) const;
  absl::optional<int64_t> Compute(const Symbolic& expression, Memo* memo) const;
  // Of reals, and ints that are made of them.
  absl::optional<double> RealOf(const Symbolic& expression, Memo* memo) const;
  absl::optional<int64_t> ComputeFromReals(const Symbolic& expression, Memo* memo) const;

  absl::flat_hash_map<const Symbolic*, int64_t> values_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_KNOWN_EXTENTS_H_
