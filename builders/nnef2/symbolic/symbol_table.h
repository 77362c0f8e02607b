// SymbolTable: integers that are not known yet, as expressions of symbols, in a normal form.
//
// While a model is composed the symbols are dynamic extents; while an operator is checked at its definition they are
// its attributes, extents and lengths. Sums and products are polynomials whose variables are symbols or operations
// (integer division, minimum, comparison, ...) over such expressions. Equal expressions are one object: `is` compares
// pointers. Every expression has bounds, found by interval arithmetic; with them comparisons are decided where they can
// be. Conditions are 0 or 1.
//
// What is computed from such an integer in reals is an expression, too: real(n) / 2.0, int(`round`(real(n) * 0.5)).
#ifndef BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_
#define BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/symbolic/real_operations.h"

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
  kSelect,  // c ? a : b, of ints or of reals
  // From here on of reals. The last two are 0 or 1.
  kReal,    // a number
  kToReal,  // of an int
  kToInt,   // an int, by cutting off
  kRealFunction,
  kRealAdd,
  kRealSubtract,
  kRealMultiply,
  kRealDivide,
  kRealCeilDivide,  // the quotient rounded up
  kRealModulo,      // with the sign of the dividend
  kRealPower,
  kRealMinimum,
  kRealMaximum,
  kRealLess,
  kRealEqual,
};

// Of two reals, for the operations from kRealAdd to kRealMaximum.
double ApplyToReals(SymbolicOp op, double a, double b);

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
  // Of reals instead.
  bool is_real = false;
  double real = 0;                         // of kReal
  const RealFunction* function = nullptr;  // of kRealFunction
  double real_lower = -std::numeric_limits<double>::infinity();
  double real_upper = std::numeric_limits<double>::infinity();

  absl::optional<int64_t> constant() const;
  // "2 * h + (w + 1) / 2". Of a long expression the beginning, for operations may share operands many times.
  std::string ToString() const;
};

// The symbols of an expression, each once.
void ForEachSymbol(const Symbolic* expression, const std::function<void(const Symbolic*)>& visit);

class SymbolTable {
 public:
  // `tracks_reals`: else reals that depend on a symbol are not expressions, and not known.
  explicit SymbolTable(bool tracks_reals = true) : tracks_reals_(tracks_reals) {}
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

  bool tracks_reals() const { return tracks_reals_; }
  const Symbolic* Real(double value);
  // nullptr: `operand` is.
  const Symbolic* Apply(const RealFunction& function, const Symbolic* operand);

  // a * x + b of exactly one unknown, with constants a != 0 and b.
  struct Affine {
    const Symbolic* symbol = nullptr;
    int64_t scale = 0;
    int64_t offset = 0;
  };
  static absl::optional<Affine> AsAffine(const Symbolic* expression);

  // The ids of all nodes so far are smaller.
  int size() const { return static_cast<int>(nodes_.size()); }
  const Symbolic* node(int id) const { return nodes_[id].get(); }

  static constexpr int kMaxTerms = 100;
  static constexpr int kMaxFactors = 16;

 private:
  const Symbolic* Intern(std::unique_ptr<Symbolic> node);
  const Symbolic* Polynomial(std::vector<Symbolic::Term> terms);
  const Symbolic* AddScaled(const Symbolic* a, const Symbolic* b, int64_t scale);
  const Symbolic* Divide(SymbolicOp op, const Symbolic* a, const Symbolic* b);
  const Symbolic* Decide(SymbolicOp op, const std::vector<const Symbolic*>& operands);
  const Symbolic* DecideReal(SymbolicOp op, const std::vector<const Symbolic*>& operands);
  void SetBounds(Symbolic* operation) const;
  const Symbolic* NewOperation(std::unique_ptr<Symbolic> node);

  const bool tracks_reals_;
  std::vector<std::unique_ptr<Symbolic>> nodes_;
  absl::flat_hash_map<std::string, const Symbolic*> interned_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_SYMBOLIC_SYMBOL_TABLE_H_
