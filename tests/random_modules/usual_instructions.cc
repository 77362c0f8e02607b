#include "tests/random_modules/usual_instructions.h"

#include <vector>

namespace xla {

Value MatrixProduct(Scope& scope, const Value& x, const Value& y) {
  const double terms = static_cast<double>(x.dimension(x.rank() - 1)) * (IsComplex(x.type()) ? 2 : 1);
  const Facts facts = SumFacts(x.type(), terms, ProductFacts(x.facts, y.facts, x.type()));
  return scope.Add(HloOpcode::kDot, {x, y}, facts, {MakeAttributes<DotAttributes>([&](auto& a) {
                     a.lhs_contracting_dims = {x.rank() - 1};
                     a.rhs_contracting_dims = {0};
                   })});
}

Value Reduced(Scope& scope, HloOpcode opcode, const Value& x, absl::Span<const int64_t> dimensions) {
  double terms = 1;
  for (const int64_t d : dimensions) terms *= static_cast<double>(x.dimension(static_cast<int>(d)));
  const double limit = x.facts.bounded ? x.facts.magnitude() : 0;
  const double start = opcode == HloOpcode::kMaximum ? -limit : opcode == HloOpcode::kMinimum ? limit : 0;
  const Value init = scope.Scalar(x.type(), start);
  Facts facts = Either(x.facts, init.facts);
  if (opcode == HloOpcode::kAdd) facts = SumFacts(x.type(), terms + 1, facts);
  facts.nan_bits = false;
  return scope.Add(HloOpcode::kReduce, {x, init}, facts,
                   {MakeAttributes<DimensionsAttributes>([&](auto& a) { a.dimensions = ToVector(dimensions); }),
                    absl::nullopt,
                    {ScalarComputation(scope.state(), opcode, x.type())}});
}

Value Sorted(Scope& scope, const Value& x, int64_t dimension) {
  Scope comparator(&scope.state(), "comparator", Scope::Kind::kFusion, 9);
  const Value a = comparator.Parameter(Shape::Scalar(x.type()), x.facts, "a");
  const Value b = comparator.Parameter(Shape::Scalar(x.type()), x.facts, "b");
  HloComputation* const before =
      comparator.Finish(comparator.Compare(ComparisonDirection::kLt, a, b, /*total_order=*/IsFloat(x.type())));
  return scope.Add(HloOpcode::kSort, {x}, x.facts,
                   {MakeAttributes<SortAttributes>([&](auto& s) {
                      s.dimension = dimension;
                      s.is_stable = true;
                    }),
                    absl::nullopt,
                    {before}});
}

Value Flattened(Scope& scope, const Value& x) { return scope.Reshape(x, {x.shape().ElementCount()}); }

Value ElementAt(Scope& scope, const Value& x, absl::Span<const int64_t> index) {
  std::vector<SliceRange> ranges;
  for (const int64_t i : index) ranges.push_back({i, i + 1, 1});
  return scope.Reshape(scope.Slice(x, ranges), {});
}

Value Clamped(Scope& scope, const Value& x, double limit) {
  const Shape shape = ArrayShape(x.type(), x.dimensions());
  return scope.Binary(HloOpcode::kMinimum,
                      scope.Binary(HloOpcode::kMaximum, x, scope.Splat(shape, -limit)), scope.Splat(shape, limit));
}

HloComputation* ComputationOf(Scope& scope, const std::string& name, const Shape& shape, const Facts& facts,
                              const std::function<Value(Scope& inner, const Value& parameter)>& make) {
  Scope inner(&scope.state(), name, Scope::Kind::kNested, scope.depth() + 1);
  const Value parameter = inner.Parameter(shape, facts, "argument");
  return inner.Finish(make(inner, parameter));
}

Value While(Scope& scope, const Value& init, const std::function<Value(Scope& inner, const Value& state)>& condition,
            const std::function<Value(Scope& inner, const Value& state)>& body) {
  HloComputation* const tested = ComputationOf(scope, "condition", init.shape(), Facts::Exact(), condition);
  HloComputation* const repeated = ComputationOf(scope, "body", init.shape(), Facts::Exact(), body);
  return scope.Add(HloOpcode::kWhile, {init}, Facts::Exact(), {nullptr, init.shape(), {tested, repeated}});
}

}  // namespace xla
