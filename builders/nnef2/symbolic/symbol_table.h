// SymbolTable: integers that are not known yet, as expressions of symbols, in a normal form.
//
// While a model is composed the symbols are dynamic extents; while an operator is checked at its definition they are
// its attributes, extents and lengths. Sums and products are polynomials whose variables are symbols or operations
// (integer division, minimum, comparison, ...) over such expressions. Equal expressions are one object: `is` compares
// pointers. Every expression has bounds, found by interval arithmetic; with them comparisons are decided where they can
// be. Conditions are 0 or 1.
#ifndef BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_
#define BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {
namespace nnef2 {

enum class SymbolicOp {
  kFloorDivide,
  kCeilDivide,
  kModulo,
  kMinimum,
  kMaximum,
  kPower,
  kLess,    // a < b
  kEqual,   // a == b
  kSelect,  // c ? a : b
};

// A node. Nodes live as long as their table.
struct Symbolic {
  enum class Kind { kSymbol, kPolynomial, kOperation };
  // coefficient * factors[0] * factors[1] ...; factors are symbols and operations, by rising id.
  struct Term {
    int64_t coefficient = 0;
    std::vector<const Symbolic*> factors;
  };

  Kind kind = Kind::kPolynomial;
  int id = 0;
  std::string name;         // of symbols
  std::vector<Term> terms;  // of polynomials; a constant is one term without factors, 0 has none
  SymbolicOp op = SymbolicOp::kMinimum;
  std::vector<const Symbolic*> operands;
  int64_t lower = std::numeric_limits<int64_t>::min();
  int64_t upper = std::numeric_limits<int64_t>::max();

  absl::optional<int64_t> constant() const;
  // "2 * h + (w + 1) / 2". Of a long expression the beginning, for operations may share operands many times.
  std::string ToString() const;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  const Symbolic* Constant(int64_t value);
  // A new symbol, different from all others, also from those of that name.
  const Symbolic* NewSymbol(absl::string_view name, int64_t lower, int64_t upper);

  // nullptr: a coefficient overflows, or the expression has more than kMaxTerms terms or kMaxFactors factors in one.
  const Symbolic* Add(const Symbolic* a, const Symbolic* b) { return AddScaled(a, b, 1); }
  const Symbolic* Subtract(const Symbolic* a, const Symbolic* b) { return AddScaled(a, b, -1); }
  const Symbolic* Multiply(const Symbolic* a, const Symbolic* b);
  // The operands of kPower and of divisions may be anything but a constant 0 divisor. nullptr as above.
  const Symbolic* Operation(SymbolicOp op, std::vector<const Symbolic*> operands);
  const Symbolic* Not(const Symbolic* condition) { return Subtract(Constant(1), condition); }

  // a * x + b of exactly one unknown, with constants a != 0 and b.
  struct Affine {
    const Symbolic* symbol = nullptr;
    int64_t scale = 0;
    int64_t offset = 0;
  };
  static absl::optional<Affine> AsAffine(const Symbolic* expression);

  // The ids of all nodes so far are smaller.
  int size() const { return static_cast<int>(nodes_.size()); }

  static constexpr int kMaxTerms = 100;
  static constexpr int kMaxFactors = 16;

 private:
  const Symbolic* Intern(std::unique_ptr<Symbolic> node);
  const Symbolic* Polynomial(std::vector<Symbolic::Term> terms);
  const Symbolic* AddScaled(const Symbolic* a, const Symbolic* b, int64_t scale);
  const Symbolic* Divide(SymbolicOp op, const Symbolic* a, const Symbolic* b);
  const Symbolic* Decide(SymbolicOp op, const std::vector<const Symbolic*>& operands);
  void SetBounds(Symbolic* operation) const;

  std::vector<std::unique_ptr<Symbolic>> nodes_;
  absl::flat_hash_map<std::string, const Symbolic*> interned_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_
