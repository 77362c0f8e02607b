// SymbolicValues: what expressions of symbols are, once the symbols are known.
#ifndef BUILDERS_NNEF2_SYMBOLIC_SYMBOLIC_VALUES_H_
#define BUILDERS_NNEF2_SYMBOLIC_SYMBOLIC_VALUES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/nnef2/symbolic/symbol_table.h"

namespace xla {
namespace nnef2 {

class SymbolicValues {
 public:
  // To be called before the expressions with it are asked for.
  void Set(const Symbolic* symbol, int64_t value) { values_.insert_or_assign(symbol, value); }

  // nullopt: a symbol in it is not known, it divides by 0, or it overflows.
  absl::optional<int64_t> Of(const Symbolic* expression);

 private:
  absl::optional<int64_t> Compute(const Symbolic& node) const;
  absl::optional<int64_t> ComputeOperation(const Symbolic& node) const;
  absl::optional<int64_t> ComputeFromReals(const Symbolic& node) const;
  absl::optional<double> ComputeReal(const Symbolic& node) const;
  absl::optional<int64_t> ComputePolynomial(const Symbolic& node) const;
  absl::optional<int64_t> Known(const Symbolic* node) const { return values_.at(node); }

  absl::optional<double> KnownReal(const Symbolic* node) const { return reals_.at(node); }

  absl::flat_hash_map<const Symbolic*, absl::optional<int64_t>> values_;
  // Those of reals, which have an empty entry above, too.
  absl::flat_hash_map<const Symbolic*, absl::optional<double>> reals_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_SYMBOLIC_SYMBOLIC_VALUES_H_
