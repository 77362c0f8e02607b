// What such a function returns depends on how the two values and the two indices compare, and on nothing else: so it is
// known once it has been followed, with names for its arguments, through all cases that there are.
#include "backends/kernel_ir/lowering/pair_reducer.h"

#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

// What a scalar of the function is in one case.
enum class Symbol { kLeft, kLeftIndex, kRight, kRightIndex, kFalse, kTrue, kUnknown };

enum class Relation { kLess, kEqual, kGreater, kLeftIsNan, kRightIsNan, kBothAreNan };
constexpr Relation kOrdered[] = {Relation::kLess, Relation::kEqual, Relation::kGreater};

struct Case {
  Relation values;
  Relation indices;  // one of the first three
};

bool IsNumber(Symbol symbol) {
  return symbol != Symbol::kFalse && symbol != Symbol::kTrue && symbol != Symbol::kUnknown;
}
bool IsValue(Symbol symbol) { return symbol == Symbol::kLeft || symbol == Symbol::kRight; }
bool IsLeft(Symbol symbol) { return symbol == Symbol::kLeft || symbol == Symbol::kLeftIndex; }
Symbol Truth(bool value) { return value ? Symbol::kTrue : Symbol::kFalse; }

// Whether a comparison holds in the given case; cases have no NaN.
bool Holds(ComparisonDirection direction, Relation relation) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return relation == Relation::kEqual;
    case ComparisonDirection::kNe:
      return relation != Relation::kEqual;
    case ComparisonDirection::kLt:
      return relation == Relation::kLess;
    case ComparisonDirection::kLe:
      return relation == Relation::kLess || relation == Relation::kEqual;
    case ComparisonDirection::kGt:
      return relation == Relation::kGreater;
    case ComparisonDirection::kGe:
      return relation == Relation::kGreater || relation == Relation::kEqual;
  }
  return false;
}

// How x compares with y.
Relation RelationOf(Symbol x, Symbol y, const Case& c) {
  const Relation relation = IsValue(x) ? c.values : c.indices;
  const bool left_is_nan = relation == Relation::kLeftIsNan || relation == Relation::kBothAreNan;
  const bool right_is_nan = relation == Relation::kRightIsNan || relation == Relation::kBothAreNan;
  if (x == y) return (IsLeft(x) ? left_is_nan : right_is_nan) ? Relation::kBothAreNan : Relation::kEqual;
  if (IsLeft(x) || relation == Relation::kEqual || left_is_nan || right_is_nan) return relation;
  return relation == Relation::kLess ? Relation::kGreater : Relation::kLess;
}

class CaseEvaluator {
 public:
  explicit CaseEvaluator(const Case& c) : case_(c) {}

  void Take(const HloInstruction& instruction) { symbols_[&instruction] = SymbolOf(instruction); }
  Symbol Of(const HloInstruction& instruction) const {
    const auto found = symbols_.find(&instruction);
    return found == symbols_.end() ? Symbol::kUnknown : found->second;
  }

 private:
  // Evaluates an instruction symbolically in one case of how the values and the indices compare: the result is one of
  // the parameters, a truth value, or unknown.
  Symbol SymbolOf(const HloInstruction& instruction) const {
    std::array<Symbol, 3> x = {Symbol::kUnknown, Symbol::kUnknown, Symbol::kUnknown};
    for (int i = 0; i < instruction.operand_count() && i < 3; ++i) x[i] = Of(*instruction.operand(i));
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kParameter) {
      constexpr Symbol kParameters[] = {Symbol::kLeft, Symbol::kLeftIndex, Symbol::kRight, Symbol::kRightIndex};
      return kParameters[instruction.attributes<ParameterAttributes>().number];
    }
    if (opcode == HloOpcode::kCompare) return Compared(instruction.attributes<CompareAttributes>(), x[0], x[1]);
    if (opcode == HloOpcode::kSelect) {
      if (x[0] != Symbol::kTrue && x[0] != Symbol::kFalse) return Symbol::kUnknown;
      return x[0] == Symbol::kTrue ? x[1] : x[2];
    }
    if (opcode == HloOpcode::kMinimum || opcode == HloOpcode::kMaximum) return Extremum(opcode, x[0], x[1]);
    return Logic(opcode, x[0], x[1]);
  }

  Symbol Compared(const CompareAttributes& attributes, Symbol x, Symbol y) const {
    if (attributes.type == ComparisonType::kTotalOrder) return Symbol::kUnknown;
    if (!IsNumber(x) || !IsNumber(y) || IsValue(x) != IsValue(y)) return Symbol::kUnknown;
    return Truth(Holds(attributes.direction, RelationOf(x, y, case_)));
  }

  // Of indices.
  Symbol Extremum(HloOpcode opcode, Symbol x, Symbol y) const {
    if (!IsNumber(x) || !IsNumber(y) || IsValue(x) || IsValue(y)) return Symbol::kUnknown;
    const bool first_is_less = RelationOf(x, y, case_) == Relation::kLess;
    return first_is_less == (opcode == HloOpcode::kMinimum) ? x : y;
  }

  static Symbol Logic(HloOpcode opcode, Symbol x, Symbol y) {
    if (IsNumber(x) || x == Symbol::kUnknown) return Symbol::kUnknown;
    if (opcode == HloOpcode::kNot) return Truth(x == Symbol::kFalse);
    if (IsNumber(y) || y == Symbol::kUnknown) return Symbol::kUnknown;
    if (opcode == HloOpcode::kAnd) return Truth(x == Symbol::kTrue && y == Symbol::kTrue);
    if (opcode == HloOpcode::kOr) return Truth(x == Symbol::kTrue || y == Symbol::kTrue);
    if (opcode == HloOpcode::kXor) return Truth(x != y);
    return Symbol::kUnknown;
  }

  const Case case_;
  absl::flat_hash_map<const HloInstruction*, Symbol> symbols_;
};

std::pair<Symbol, Symbol> ResultsIn(const HloComputation& computation, const Case& c) {
  CaseEvaluator evaluator(c);
  for (const auto& instruction : computation.instructions()) evaluator.Take(*instruction);
  return {evaluator.Of(*computation.root()->operand(0)), evaluator.Of(*computation.root()->operand(1))};
}

bool HasForm(const HloComputation& computation) {
  const HloInstruction& root = *computation.root();
  if (computation.parameters().size() != 4 || root.opcode() != HloOpcode::kTuple || root.operand_count() != 2) {
    return false;
  }
  const auto type_of = [&](int i) { return computation.parameters()[i]->shape().element_type(); };
  const PrimitiveType value = type_of(0);
  const bool is_number = value == F64 || value == F32 || value == F16 || value == BF16 || IsInt(value);
  return is_number && value == type_of(2) && IsInt(type_of(1)) && type_of(1) == type_of(3);
}

constexpr std::pair<Symbol, Symbol> kLeftPair = {Symbol::kLeft, Symbol::kLeftIndex};
constexpr std::pair<Symbol, Symbol> kRightPair = {Symbol::kRight, Symbol::kRightIndex};

// Whether the index that is kept is the lower one.
bool KeepsLower(Symbol index, Relation indices) {
  if (indices == Relation::kEqual) return IsNumber(index) && !IsValue(index);
  return index == (indices == Relation::kLess ? Symbol::kLeftIndex : Symbol::kRightIndex);
}

// What the function computes from NaN is right for any order of the pairs.
bool TakesNans(const HloComputation& computation, PairReducer& reducer) {
  for (const Relation indices : kOrdered) {
    if (ResultsIn(computation, {Relation::kLeftIsNan, indices}) != kLeftPair) return false;
    if (ResultsIn(computation, {Relation::kRightIsNan, indices}) != kRightPair) return false;
    const auto [value, index] = ResultsIn(computation, {Relation::kBothAreNan, indices});
    if (!IsNumber(value) || !IsValue(value)) return false;
    if (KeepsLower(index, indices)) continue;
    if (index != Symbol::kLeftIndex) return false;
    reducer.needs_ascending_indices = true;
  }
  return true;
}

}  // namespace

// Recognizes argmax and argmin by trying the function in all cases of how values and indices compare, instead of
// matching one form of it: the winner's pair must win, and equal values must keep the lower index.
absl::optional<PairReducer> AnalyzePairReducer(const HloComputation& computation) {
  if (!HasForm(computation)) return absl::nullopt;
  PairReducer reducer;
  reducer.maximum = ResultsIn(computation, {Relation::kGreater, Relation::kLess}) == kLeftPair;
  for (const Relation indices : kOrdered) {
    const Relation wins = reducer.maximum ? Relation::kGreater : Relation::kLess;
    const Relation loses = reducer.maximum ? Relation::kLess : Relation::kGreater;
    if (ResultsIn(computation, {wins, indices}) != kLeftPair) return absl::nullopt;
    if (ResultsIn(computation, {loses, indices}) != kRightPair) return absl::nullopt;
    const auto [value, index] = ResultsIn(computation, {Relation::kEqual, indices});
    if (!IsNumber(value) || !IsValue(value) || !KeepsLower(index, indices)) return absl::nullopt;
    const bool keeps_with_index = IsLeft(value) == IsLeft(index) || indices == Relation::kEqual;
    reducer.keeps_last_value = reducer.keeps_last_value || !keeps_with_index;
  }
  const bool has_nans = IsFloat(computation.parameters()[0]->shape().element_type());
  if (has_nans && !TakesNans(computation, reducer)) return absl::nullopt;
  return reducer;
}

}  // namespace xla
