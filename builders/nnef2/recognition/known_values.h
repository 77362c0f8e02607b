// KnownValues: what nodes are in each iteration of some loops, where a lowering can know that.
//
// Ints have 32 bits and reals are rounded after each operation, as when the program runs: an index that is computed with
// reals is the same here and there. What would differ is not known. Reals of narrow types are floats here, because f16
// and bf16 do not tell the places in large dimensions apart.
#ifndef BUILDERS_NNEF2_RECOGNITION_KNOWN_VALUES_H_
#define BUILDERS_NNEF2_RECOGNITION_KNOWN_VALUES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "builders/nnef2/lowering/statement_nest.h"
#include "builders/nnef2/symbolic/symbol_table.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace nnef2 {

class KnownValues {
 public:
  // `loops`: of the statement, the outermost first. `nest` outlives it.
  KnownValues(const StatementNest& nest, std::vector<int> loops, PrimitiveType real_type);

  // How many iterations the loops have; -1: more than are looked at, or a number that only running shows.
  int64_t count() const { return count_; }
  // Ints, reals, and bools as 0 or 1, by iteration, row by row. nullptr: they depend on data or on other loops, or an
  // operation has no exact result. Needs a count.
  const std::vector<double>* ValuesOf(const NestNode& node);
  // The index of a loop in an iteration.
  int64_t IndexOf(int loop, int64_t iteration) const;

 private:
  using Values = std::vector<double>;

  bool Compute(const NestNode& node, Values* values);
  bool ComputeOperation(const NestNode& node, Values* values);
  bool ComputeRemap(const NestNode& node, Values* values);
  bool ComputeTable(const NestNode& node, Values* values);
  // Of the operands from `first` on; false: one of them is not known.
  bool OperandsOf(const NestNode& node, std::vector<const Values*>* operands);
  bool Apply(const NestNode& node, const std::vector<double>& operands, double* result);
  // As an element of that type; false: it does not fit.
  bool Round(BaseType type, double* value) const;

  const StatementNest& nest_;
  const std::vector<int> loops_;
  const PrimitiveType real_type_;
  int64_t count_ = 1;
  SymbolTable symbols_;                                                   // stays empty
  absl::flat_hash_map<const NestNode*, std::unique_ptr<Values>> values_;  // nullptr: not known
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_KNOWN_VALUES_H_
