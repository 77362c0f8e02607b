#include "passes/analyses/index_maps.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/analyses/cost.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

__extension__ using Wide = __int128;

// Expressions and sets of maps beyond these say nothing that anybody could use.
constexpr int kMaxTerms = 64;
constexpr size_t kMaxMaps = 64;

struct Range {
  Wide low = 0;
  Wide high = 0;
};

// Makes expressions over variables of known sizes, in one canonical form as far as ranges tell. Once a number does not
// fit or an expression gets too large, failed() is true and results mean nothing.
class Algebra {
 public:
  explicit Algebra(std::vector<int64_t> sizes) : sizes_(std::move(sizes)) {}

  bool failed() const { return failed_; }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  int64_t AddVariable(int64_t size) {
    sizes_.push_back(size);
    return static_cast<int64_t>(sizes_.size()) - 1;
  }

  IndexExpression Constant(int64_t value) const {
    IndexExpression expression;
    expression.constant = value;
    return expression;
  }
  // A variable of one value is 0.
  IndexExpression Variable(int64_t variable) const {
    IndexExpression expression;
    if (sizes_[variable] <= 1) return expression;
    IndexTerm term;
    term.variable = variable;
    expression.terms.push_back(term);
    return expression;
  }
  IndexExpression Add(IndexExpression a, const IndexExpression& b) {
    failed_ = failed_ || __builtin_add_overflow(a.constant, b.constant, &a.constant);
    for (const IndexTerm& term : b.terms) {
      const auto same =
          std::find_if(a.terms.begin(), a.terms.end(), [&](const IndexTerm& other) { return other.SameAtom(term); });
      if (same == a.terms.end()) {
        a.terms.push_back(term);
        continue;
      }
      failed_ = failed_ || __builtin_add_overflow(same->coefficient, term.coefficient, &same->coefficient);
      if (same->coefficient == 0) a.terms.erase(same);
    }
    failed_ = failed_ || Size(a) > kMaxTerms;
    return a;
  }
  IndexExpression Add(const IndexExpression& a, int64_t constant) { return Add(a, Constant(constant)); }
  IndexExpression Multiply(IndexExpression a, int64_t factor) {
    if (factor == 0) return Constant(0);
    failed_ = failed_ || __builtin_mul_overflow(a.constant, factor, &a.constant);
    for (IndexTerm& term : a.terms) {
      failed_ = failed_ || __builtin_mul_overflow(term.coefficient, factor, &term.coefficient);
    }
    return a;
  }
  // Rounded down; the divisor is positive.
  IndexExpression Divide(const IndexExpression& a, int64_t divisor) {
    if (divisor == 1 || failed_) return a;
    // What the divisor divides comes out of the quotient.
    const auto [whole, rest] = Split(a, divisor);
    const Range range = RangeOf(rest);
    if (range.low >= 0 && range.high < divisor) return whole;
    return Add(whole, Atom(IndexTerm::Kind::kQuotient, rest, divisor));
  }
  IndexExpression Remainder(const IndexExpression& a, int64_t divisor) {
    if (divisor == 1) return Constant(0);
    if (failed_) return a;
    const Range all = RangeOf(a);
    if (all.low >= 0 && all.high < divisor) return a;
    const IndexExpression rest = Split(a, divisor).second;
    const Range range = RangeOf(rest);
    if (range.low >= 0 && range.high < divisor) return rest;
    return Atom(IndexTerm::Kind::kRemainder, rest, divisor);
  }

  // `expression` with these in place of its variables. As deep as it nests, which Size bounds.
  IndexExpression Substitute(const IndexExpression& expression, absl::Span<const IndexExpression> values) {
    IndexExpression result = Constant(expression.constant);
    for (const IndexTerm& term : expression.terms) {
      if (failed_) return result;
      IndexExpression atom;
      if (term.kind == IndexTerm::Kind::kVariable) {
        atom = values[term.variable];
      } else {
        const IndexExpression inner = Substitute(*term.inner, values);
        atom = term.kind == IndexTerm::Kind::kQuotient ? Divide(inner, term.divisor) : Remainder(inner, term.divisor);
      }
      result = Add(std::move(result), Multiply(std::move(atom), term.coefficient));
    }
    return result;
  }

  Range RangeOf(const IndexExpression& expression) const {
    Range range{expression.constant, expression.constant};
    for (const IndexTerm& term : expression.terms) {
      Range atom{0, 0};
      if (term.kind == IndexTerm::Kind::kVariable) {
        atom.high = std::max<Wide>(0, Wide{sizes_[term.variable]} - 1);
      } else if (term.kind == IndexTerm::Kind::kRemainder) {
        atom.high = term.divisor - 1;
      } else {
        const Range inner = RangeOf(*term.inner);
        atom = {FloorDivide(inner.low, term.divisor), FloorDivide(inner.high, term.divisor)};
      }
      const Wide a = Clamp(atom.low) * term.coefficient, b = Clamp(atom.high) * term.coefficient;
      range.low = Clamp(range.low + std::min(a, b));
      range.high = Clamp(range.high + std::max(a, b));
    }
    return range;
  }

 private:
  // So that sums and products of bounds stay within 128 bits; expressions of that size are out of every array.
  static Wide Clamp(Wide value) {
    constexpr Wide kLimit = Wide{1} << 63;
    return std::max(-kLimit, std::min(kLimit, value));
  }
  static Wide FloorDivide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  // a = whole * divisor + rest
  std::pair<IndexExpression, IndexExpression> Split(const IndexExpression& a, int64_t divisor) const {
    IndexExpression whole, rest;
    whole.constant = static_cast<int64_t>(FloorDivide(a.constant, divisor));
    rest.constant = a.constant - whole.constant * divisor;
    for (const IndexTerm& term : a.terms) {
      IndexTerm part = term;
      if (term.coefficient % divisor == 0) part.coefficient /= divisor;
      (term.coefficient % divisor == 0 ? whole : rest).terms.push_back(part);
    }
    return {whole, rest};
  }
  static IndexExpression Atom(IndexTerm::Kind kind, const IndexExpression& inner, int64_t divisor) {
    IndexTerm term;
    term.kind = kind;
    term.inner = std::make_shared<const IndexExpression>(inner);
    term.divisor = divisor;
    IndexExpression expression;
    expression.terms.push_back(std::move(term));
    return expression;
  }
  static int Size(const IndexExpression& expression) {
    int size = 1;
    for (const IndexTerm& term : expression.terms) size += term.inner == nullptr ? 1 : 1 + Size(*term.inner);
    return size;
  }

  std::vector<int64_t> sizes_;
  bool failed_ = false;
};

// ---- Single instructions

class MapBuilder {
 public:
  explicit MapBuilder(const HloInstruction& instruction)
      : instruction_(instruction),
        rank_(instruction.shape().rank()),
        algebra_(
            std::vector<int64_t>(instruction.shape().dimensions().begin(), instruction.shape().dimensions().end())) {}

  absl::optional<std::vector<IndexMap>> Build() {
    if (!Describe()) return absl::nullopt;
    if (algebra_.failed()) return absl::nullopt;
    for (IndexMap& map : maps_) {
      map.variable_sizes = algebra_.sizes();
      map.result_rank = rank_;
    }
    return std::move(maps_);
  }

 private:
  const Shape& Operand(int i) const { return instruction_.operand(i)->shape(); }

  std::vector<IndexExpression> ResultIndex() const {
    std::vector<IndexExpression> index;
    for (int d = 0; d < rank_; ++d) index.push_back(algebra_.Variable(d));
    return index;
  }
  IndexMap& AddMap(int operand, std::vector<IndexExpression> index) {
    maps_.emplace_back();
    maps_.back().operand = operand;
    maps_.back().index = std::move(index);
    return maps_.back();
  }
  // Left out where it always holds.
  void AddCondition(IndexMap* map, const IndexExpression& expression, int64_t low, int64_t high) {
    const Range range = algebra_.RangeOf(expression);
    if (range.low >= low && range.high <= high) return;
    map->conditions.push_back({expression, low, high});
  }

  // False if it cannot be told.
  bool Describe() {
    const HloOpcode opcode = instruction_.opcode();
    if (opcode == HloOpcode::kConstant || opcode == HloOpcode::kIota) return true;
    if (IsElementwise(opcode)) return Elementwise();
    switch (opcode) {
      case HloOpcode::kBroadcast: {
        std::vector<IndexExpression> index;
        for (const int64_t d : instruction_.attributes<BroadcastAttributes>().dimensions) {
          index.push_back(algebra_.Variable(d));
        }
        AddMap(0, std::move(index));
        return true;
      }
      case HloOpcode::kTranspose: {
        std::vector<IndexExpression> index(rank_);
        const auto& permutation = instruction_.attributes<DimensionsAttributes>().dimensions;
        for (int d = 0; d < rank_; ++d) index[permutation[d]] = algebra_.Variable(d);
        AddMap(0, std::move(index));
        return true;
      }
      case HloOpcode::kSlice: {
        std::vector<IndexExpression> index = ResultIndex();
        const auto& ranges = instruction_.attributes<SliceAttributes>().ranges;
        for (int d = 0; d < rank_; ++d) {
          index[d] = algebra_.Add(algebra_.Multiply(index[d], ranges[d].stride), ranges[d].start);
        }
        AddMap(0, std::move(index));
        return true;
      }
      case HloOpcode::kReverse: {
        std::vector<IndexExpression> index = ResultIndex();
        for (const int64_t d : instruction_.attributes<DimensionsAttributes>().dimensions) {
          const int64_t size = instruction_.shape().dimension(static_cast<int>(d));
          if (size > 1) index[d] = algebra_.Add(algebra_.Multiply(index[d], -1), size - 1);
        }
        AddMap(0, std::move(index));
        return true;
      }
      case HloOpcode::kReshape:
        return Reshape();
      case HloOpcode::kBitcast:
        return IsRowMajorBitcast() && Reshape();
      case HloOpcode::kPad:
        return Pad();
      case HloOpcode::kConcatenate:
        return Concatenate();
      case HloOpcode::kReduce:
        return Reduce();
      case HloOpcode::kDot:
        return Dot();
      default:
        return false;
    }
  }

  bool Elementwise() {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      AddMap(i, Operand(i).rank() == 0 ? std::vector<IndexExpression>() : ResultIndex());
    }
    return true;
  }

  bool IsRowMajorBitcast() const {
    const auto row_major = [](const Shape& shape) {
      return !shape.has_layout() || shape.layout()->minor_to_major == RowMajorLayout(shape.rank())->minor_to_major;
    };
    return instruction_.shape().element_type() == Operand(0).element_type() && row_major(instruction_.shape()) &&
           row_major(Operand(0));
  }

  // Runs of dimensions of both shapes with the same number of elements belong together; within them an element's
  // number says where it is.
  bool Reshape() {
    const Shape& from = Operand(0);
    const Shape& to = instruction_.shape();
    std::vector<IndexExpression> index(from.rank());
    int a = 0, b = 0;
    while (a < from.rank() || b < to.rank()) {
      const int first_a = a, first_b = b;
      Wide size_a = a < from.rank() ? from.dimension(a++) : 1;
      Wide size_b = b < to.rank() ? to.dimension(b++) : 1;
      while (size_a != size_b) {
        if (size_a < size_b) {
          if (a == from.rank()) return false;  // no elements: any index will do, and none is read
          size_a *= from.dimension(a++);
        } else {
          if (b == to.rank()) return false;
          size_b *= to.dimension(b++);
        }
      }
      IndexExpression number = algebra_.Constant(0);
      for (int d = first_b; d < b; ++d) {
        number = algebra_.Add(algebra_.Multiply(number, to.dimension(d)), algebra_.Variable(d));
      }
      int64_t stride = 1;
      for (int d = a - 1; d >= first_a; --d) {
        const IndexExpression quotient = algebra_.Divide(number, stride);
        index[d] = d == first_a ? quotient : algebra_.Remainder(quotient, from.dimension(d));
        stride *= from.dimension(d);
      }
    }
    AddMap(0, std::move(index));
    return true;
  }

  bool Pad() {
    IndexMap map;
    const auto& padding = instruction_.attributes<PadAttributes>().padding;
    for (int d = 0; d < rank_; ++d) {
      const int64_t step = padding[d].interior + 1;
      const IndexExpression shifted = algebra_.Add(algebra_.Variable(d), -padding[d].low);
      const IndexExpression index = algebra_.Divide(shifted, step);
      AddCondition(&map, index, 0, Operand(0).dimension(d) - 1);
      if (step > 1) AddCondition(&map, algebra_.Remainder(shifted, step), 0, 0);
      map.index.push_back(index);
    }
    maps_.push_back(std::move(map));
    AddMap(1, {});  // elsewhere
    return true;
  }

  bool Concatenate() {
    const int64_t along = instruction_.attributes<DimensionAttributes>().dimension;
    int64_t start = 0;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      std::vector<IndexExpression> index = ResultIndex();
      index[along] = algebra_.Add(index[along], -start);
      const int64_t size = Operand(i).dimension(static_cast<int>(along));
      IndexMap& map = AddMap(i, index);
      AddCondition(&map, index[along], 0, size - 1);
      start += size;
    }
    return true;
  }

  bool Reduce() {
    if (instruction_.shape().IsTuple()) return false;
    const auto& reduced = instruction_.attributes<DimensionsAttributes>().dimensions;
    std::vector<IndexExpression> index;
    int64_t kept = 0;
    for (int d = 0; d < Operand(0).rank(); ++d) {
      const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
      const int64_t variable = is_reduced ? algebra_.AddVariable(Operand(0).dimension(d)) : kept++;
      index.push_back(algebra_.Variable(variable));
    }
    AddMap(0, std::move(index));
    AddMap(1, {});
    return true;
  }

  bool Dot() {
    const auto& attributes = instruction_.attributes<DotAttributes>();
    std::vector<IndexExpression> lhs(Operand(0).rank()), rhs(Operand(1).rank());
    std::vector<bool> lhs_set(lhs.size()), rhs_set(rhs.size());
    int64_t next = 0;
    for (size_t i = 0; i < attributes.lhs_batch_dims.size(); ++i, ++next) {
      lhs[attributes.lhs_batch_dims[i]] = rhs[attributes.rhs_batch_dims[i]] = algebra_.Variable(next);
      lhs_set[attributes.lhs_batch_dims[i]] = rhs_set[attributes.rhs_batch_dims[i]] = true;
    }
    for (size_t i = 0; i < attributes.lhs_contracting_dims.size(); ++i) {
      const int64_t d = attributes.lhs_contracting_dims[i];
      const int64_t variable = algebra_.AddVariable(Operand(0).dimension(static_cast<int>(d)));
      lhs[d] = rhs[attributes.rhs_contracting_dims[i]] = algebra_.Variable(variable);
      lhs_set[d] = rhs_set[attributes.rhs_contracting_dims[i]] = true;
    }
    for (size_t d = 0; d < lhs.size(); ++d) {
      if (!lhs_set[d]) lhs[d] = algebra_.Variable(next++);
    }
    for (size_t d = 0; d < rhs.size(); ++d) {
      if (!rhs_set[d]) rhs[d] = algebra_.Variable(next++);
    }
    AddMap(0, std::move(lhs));
    AddMap(1, std::move(rhs));
    return true;
  }

  const HloInstruction& instruction_;
  const int rank_;
  Algebra algebra_;
  std::vector<IndexMap> maps_;
};

// ---- Fusions

// `inner` says what an operand is made of that `outer` reads.
absl::optional<IndexMap> Compose(const IndexMap& outer, const IndexMap& inner) {
  Algebra algebra(outer.variable_sizes);
  std::vector<IndexExpression> values = outer.index;
  for (size_t i = inner.result_rank; i < inner.variable_sizes.size(); ++i) {
    values.push_back(algebra.Variable(algebra.AddVariable(inner.variable_sizes[i])));
  }
  IndexMap map;
  map.operand = inner.operand;
  map.result_rank = outer.result_rank;
  map.conditions = outer.conditions;
  for (const IndexExpression& index : inner.index) map.index.push_back(algebra.Substitute(index, values));
  for (const IndexCondition& condition : inner.conditions) {
    const IndexExpression expression = algebra.Substitute(condition.expression, values);
    const Range range = algebra.RangeOf(expression);
    if (range.low < condition.low || range.high > condition.high) {
      map.conditions.push_back({expression, condition.low, condition.high});
    }
  }
  map.variable_sizes = algebra.sizes();
  if (algebra.failed() || map.conditions.size() > kMaxMaps) return absl::nullopt;
  return map;
}

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && !shape.IsDynamic(); }

// Users before operands, each instruction with all the ways in which the root reads it.
absl::optional<std::vector<IndexMap>> MapsOfFusion(const HloInstruction& fusion) {
  const HloComputation& body = *fusion.called_computation(0);
  const HloInstruction& root = *body.root();
  if (!IsStaticArray(root.shape())) return absl::nullopt;
  absl::flat_hash_map<const HloInstruction*, std::vector<IndexMap>> reads;
  IndexMap identity;
  identity.result_rank = root.shape().rank();
  identity.variable_sizes.assign(root.shape().dimensions().begin(), root.shape().dimensions().end());
  const Algebra algebra(identity.variable_sizes);
  for (int d = 0; d < root.shape().rank(); ++d) identity.index.push_back(algebra.Variable(d));
  reads[&root] = {identity};
  std::vector<IndexMap> result;
  const auto instructions = body.instructions();
  for (size_t i = instructions.size(); i > 0; --i) {
    const HloInstruction& instruction = *instructions[i - 1];
    const auto found = reads.find(&instruction);
    if (found == reads.end()) continue;
    const std::vector<IndexMap> ways = std::move(found->second);
    if (instruction.opcode() == HloOpcode::kParameter) {
      for (IndexMap way : ways) {
        way.operand = static_cast<int>(instruction.attributes<ParameterAttributes>().number);
        result.push_back(std::move(way));
      }
      continue;
    }
    if (instruction.opcode() == HloOpcode::kFusion) return absl::nullopt;  // fusions nest as deep as somebody likes
    const auto maps = IndexMapsOf(instruction);
    if (!maps.has_value()) return absl::nullopt;
    for (const IndexMap& map : *maps) {
      std::vector<IndexMap>& known = reads[instruction.operand(map.operand)];
      for (const IndexMap& way : ways) {
        absl::optional<IndexMap> composed = Compose(way, map);
        if (!composed.has_value()) return absl::nullopt;
        composed->operand = 0;
        if (std::find(known.begin(), known.end(), *composed) == known.end()) known.push_back(*std::move(composed));
        if (known.size() > kMaxMaps) return absl::nullopt;
      }
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const IndexMap& a, const IndexMap& b) { return a.operand < b.operand; });
  return result;
}

// ---- Text

std::string Text(const IndexExpression& expression, int64_t rank);

std::string AtomText(const IndexTerm& term, int64_t rank) {
  if (term.kind == IndexTerm::Kind::kVariable) {
    return term.variable < rank ? absl::StrCat("d", term.variable) : absl::StrCat("r", term.variable - rank);
  }
  const std::string inner = Text(*term.inner, rank);
  const bool simple = term.inner->constant == 0 && term.inner->terms.size() == 1 &&
                      term.inner->terms[0].coefficient == 1 && term.inner->terms[0].inner == nullptr;
  const char* const sign = term.kind == IndexTerm::Kind::kQuotient ? " / " : " mod ";
  return simple ? absl::StrCat("(", inner, sign, term.divisor, ")")
                : absl::StrCat("((", inner, ")", sign, term.divisor, ")");
}

std::string Text(const IndexExpression& expression, int64_t rank) {
  std::string text;
  for (const IndexTerm& term : expression.terms) {
    const bool negative = term.coefficient < 0;
    const uint64_t factor = negative ? -static_cast<uint64_t>(term.coefficient) : term.coefficient;
    if (!text.empty()) {
      absl::StrAppend(&text, negative ? " - " : " + ");
    } else if (negative) {
      text = "-";
    }
    if (factor != 1) absl::StrAppend(&text, factor, " * ");
    text += AtomText(term, rank);
  }
  if (text.empty()) return absl::StrCat(expression.constant);
  if (expression.constant > 0) absl::StrAppend(&text, " + ", expression.constant);
  if (expression.constant < 0) absl::StrAppend(&text, " - ", -static_cast<uint64_t>(expression.constant));
  return text;
}

}  // namespace

bool IndexTerm::SameAtom(const IndexTerm& o) const {
  if (kind != o.kind) return false;
  if (kind == Kind::kVariable) return variable == o.variable;
  return divisor == o.divisor && *inner == *o.inner;
}

bool IndexExpression::operator==(const IndexExpression& o) const {
  return constant == o.constant && terms.size() == o.terms.size() &&
         std::equal(terms.begin(), terms.end(), o.terms.begin(), [](const IndexTerm& a, const IndexTerm& b) {
           return a.coefficient == b.coefficient && a.SameAtom(b);
         });
}

bool IndexExpression::IsVariable(int64_t variable) const {
  return constant == 0 && terms.size() == 1 && terms[0].kind == IndexTerm::Kind::kVariable &&
         terms[0].variable == variable && terms[0].coefficient == 1;
}

int64_t IndexExpression::ValueAt(absl::Span<const int64_t> variables) const {
  int64_t value = constant;
  for (const IndexTerm& term : terms) {
    int64_t atom = 0;
    if (term.kind == IndexTerm::Kind::kVariable) {
      atom = variables[term.variable];
    } else {
      const int64_t inner = term.inner->ValueAt(variables);
      const int64_t remainder = (inner % term.divisor + term.divisor) % term.divisor;
      atom = term.kind == IndexTerm::Kind::kRemainder ? remainder : (inner - remainder) / term.divisor;
    }
    value += term.coefficient * atom;
  }
  return value;
}

bool IndexMap::IsIdentity() const {
  if (!conditions.empty() || static_cast<int64_t>(index.size()) != result_rank) return false;
  for (int64_t d = 0; d < result_rank; ++d) {
    const bool is_only_element = variable_sizes[d] <= 1 && index[d] == IndexExpression();
    if (!is_only_element && !index[d].IsVariable(d)) return false;
  }
  return true;
}

std::string IndexMap::ToString() const {
  std::vector<std::string> variables, indices, bounds;
  for (int64_t d = 0; d < result_rank; ++d) variables.push_back(absl::StrCat("d", d));
  for (const IndexExpression& expression : index) indices.push_back(Text(expression, result_rank));
  for (size_t i = result_rank; i < variable_sizes.size(); ++i) {
    bounds.push_back(absl::StrCat("r", i - result_rank, " < ", variable_sizes[i]));
  }
  std::vector<std::string> parts;
  for (const IndexCondition& condition : conditions) {
    parts.push_back(
        absl::StrCat(condition.low, " <= ", Text(condition.expression, result_rank), " <= ", condition.high));
  }
  return absl::StrCat("(", absl::StrJoin(variables, ", "), ") -> operand ", operand, " at (",
                      absl::StrJoin(indices, ", "), ")", bounds.empty() ? "" : " for all ", absl::StrJoin(bounds, ", "),
                      parts.empty() ? "" : " if ", absl::StrJoin(parts, " and "));
}

absl::optional<std::vector<IndexMap>> IndexMapsOf(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  const bool is_static = IsStaticArray(instruction.shape()) &&
                         std::all_of(operands.begin(), operands.end(),
                                     [](const HloInstruction* operand) { return IsStaticArray(operand->shape()); });
  if (!is_static) return absl::nullopt;
  if (instruction.opcode() == HloOpcode::kFusion) return MapsOfFusion(instruction);
  return MapBuilder(instruction).Build();
}

std::string PrintIndexMaps(const HloModule& module) {
  std::string text;
  for (const auto& computation : module.computations()) {
    if (computation->is_fusion_computation()) continue;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed() || IsElementwise(instruction->opcode())) continue;
      const auto maps = IndexMapsOf(*instruction);
      if (!maps.has_value()) continue;
      for (const IndexMap& map : *maps) {
        absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": ", map.ToString(), "\n");
      }
    }
  }
  return text;
}

}  // namespace xla
