// Dynamic dimensions: arrays of which only a part is valid. Values that have them only meet operations that know what
// is valid: those of this file, and those of other moves that are made of dynamic operands (DynamicOperandsMove).
#include <algorithm>
#include <utility>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

bool IsDynamicArray(const Value& value) { return value.shape().IsArray() && value.shape().IsDynamic(); }

Value SizeUpTo(Scope& scope, int64_t bound) {
  if (scope.random().Chance(40)) return scope.Scalar(S32, static_cast<double>(scope.random().Between(0, bound)));
  const Value size = scope.Like(Shape::Scalar(S32), DataClass::kCount);
  return scope.Add(HloOpcode::kClamp, {scope.Scalar(S32, 0), size, scope.Scalar(S32, static_cast<double>(bound))},
                   Facts::Whole(0, static_cast<double>(bound)));
}

void SetDimensionSizeMove(Scope& scope) {
  const Value x = scope.Array();
  if (x.rank() == 0) return;
  const int64_t d = scope.random().Below(x.rank());
  scope.Add(HloOpcode::kSetDimensionSize, {x, SizeUpTo(scope, x.dimension(static_cast<int>(d)))}, x.facts,
            {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = d; })});
}

void GetDimensionSizeMove(Scope& scope) {
  const absl::optional<Value> dynamic = scope.Find(IsDynamicArray);
  const Value x = dynamic.has_value() && scope.random().Chance(80) ? *dynamic : scope.Array();
  if (x.rank() == 0) return;
  const int64_t d = scope.random().Below(x.rank());
  scope.Add(HloOpcode::kGetDimensionSize, {x}, Facts::Whole(0, static_cast<double>(x.dimension(static_cast<int>(d)))),
            {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = d; })});
}

void DynamicElementwiseMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsDynamicArray(value) && value.facts.exact && (IsInt(value.type()) || IsFloat(value.type()));
  });
  if (!x.has_value()) return;
  if (scope.random().Chance(40)) {
    scope.Unary(HloOpcode::kNegate, *x);
  } else if (scope.random().Chance(50)) {
    scope.Binary(HloOpcode::kAdd, *x, *x);
  } else {
    // The static operand has what lies beyond the size, too.
    const Value y = scope.Like(ArrayShape(x->type(), x->dimensions()));
    scope.Binary(HloOpcode::kMaximum, *x, y);
  }
}

// Reductions skip what is not valid.
void DynamicReduceMove(Scope& scope) {
  using namespace element_class;
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsDynamicArray(value) && value.facts.exact && (ElementClassOf(value.type()) & (kInt | kFloat)) != 0;
  });
  if (!x.has_value()) return;
  const bool sum = MaySum(x->type(), static_cast<double>(x->shape().ElementCount()), x->facts);
  const HloOpcode opcode = sum && scope.random().Chance(60) ? HloOpcode::kAdd : HloOpcode::kMaximum;
  const Facts facts =
      opcode == HloOpcode::kMaximum
          ? Facts::Exact()
          : SumFacts(x->type(), static_cast<double>(x->shape().ElementCount()), Either(x->facts, Facts::Whole(0, 0)));
  const Value init = scope.Scalar(x->type(), 0);
  HloComputation* const reducer = ScalarComputation(scope.state(), opcode, x->type());
  scope.Add(HloOpcode::kReduce, {*x, init}, facts,
            {MakeAttributes<DimensionsAttributes>([&](auto& a) {
               for (int64_t d = 0; d < x->rank(); ++d) {
                 if (x->shape().is_dynamic_dimension(static_cast<int>(d)) || scope.random().Chance(30)) {
                   a.dimensions.push_back(d);
                 }
               }
             }),
             absl::nullopt,
             {reducer}});
}

// An element of each size that divides the number of elements.
DimensionVector OtherSizes(Scope& scope, int64_t count) {
  DimensionVector sizes;
  while (count > 1 && sizes.size() < 3) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= count; ++d) {
      if (count % d == 0) divisors.push_back(d);
    }
    sizes.push_back(sizes.size() == 2 ? count : scope.random().Pick(divisors));
    count /= sizes.back();
  }
  if (count > 1 || sizes.empty()) sizes.push_back(count);
  return sizes;
}

Value SizeOf(Scope& scope, const Value& x, int64_t d) {
  return scope.Add(HloOpcode::kGetDimensionSize, {x},
                   Facts::Whole(0, static_cast<double>(x.dimension(static_cast<int>(d)))),
                   {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = d; })});
}

// To a shape of as many valid elements: the same one, one row for each index of the first dimension, or, of an array
// without dynamic dimensions, any.
void DynamicReshapeMove(Scope& scope) {
  const absl::optional<Value> dynamic = scope.Find(IsDynamicArray);
  const bool is_dynamic = dynamic.has_value() && scope.random().Chance(50);
  const Value x = is_dynamic ? *dynamic : scope.Array();
  if (x.rank() == 0) return;
  std::vector<Value> operands = {x};
  DimensionVector sizes = ToVector(x.dimensions());
  if (!is_dynamic && x.shape().ElementCount() > 0 && scope.random().Chance(60)) {
    sizes = OtherSizes(scope, x.shape().ElementCount());
    for (const int64_t size : sizes) operands.push_back(scope.Scalar(S32, static_cast<double>(size)));
  } else if (scope.random().Chance(50)) {
    for (int d = 0; d < x.rank(); ++d) operands.push_back(SizeOf(scope, x, d));
  } else {
    sizes = {x.shape().ElementCount()};
    Value count = scope.Scalar(S32, 1);
    for (int d = 0; d < x.rank(); ++d) count = scope.Binary(HloOpcode::kMultiply, count, SizeOf(scope, x, d));
    operands.push_back(count);
  }
  Shape shape = ArrayShape(x.type(), sizes);
  for (int d = 0; d < shape.rank(); ++d) {
    if (is_dynamic || scope.random().Chance(50)) shape.set_dynamic_dimension(d, true);
  }
  scope.Add(HloOpcode::kDynamicReshape, operands, x.facts, {nullptr, shape});
}

// Joins dimensions, or takes them apart, so that a dynamic dimension is the first of its group.
void ReshapeOfGroupsMove(Scope& scope) {
  const absl::optional<Value> found = scope.Find([](const Value& value) {
    return IsDynamicArray(value) && value.rank() <= 4 && value.shape().ElementCount() > 0;
  });
  if (!found.has_value()) return;
  const Value& x = *found;
  DimensionVector sizes = ToVector(x.dimensions());
  std::vector<bool> dynamic;
  for (int d = 0; d < x.rank(); ++d) dynamic.push_back(x.shape().is_dynamic_dimension(d));
  const size_t d = static_cast<size_t>(scope.random().Below(x.rank()));
  switch (scope.random().Below(4)) {
    case 0:  // a dimension of one element
      sizes.insert(sizes.begin() + static_cast<int64_t>(d), 1);
      dynamic.insert(dynamic.begin() + static_cast<int64_t>(d), false);
      break;
    case 1:  // rows joined
      if (d + 1 >= sizes.size()) return;
      sizes[d] *= sizes[d + 1];
      dynamic[d] = dynamic[d] || dynamic[d + 1];
      sizes.erase(sizes.begin() + static_cast<int64_t>(d) + 1);
      dynamic.erase(dynamic.begin() + static_cast<int64_t>(d) + 1);
      break;
    case 2:  // two static dimensions of one
      if (dynamic[d]) return;
      for (const int64_t factor : {2, 3}) {
        if (sizes[d] % factor != 0) continue;
        sizes[d] /= factor;
        sizes.insert(sizes.begin() + static_cast<int64_t>(d), factor);
        dynamic.insert(dynamic.begin() + static_cast<int64_t>(d), false);
        break;
      }
      break;
    default:  // all in one row
      sizes = {x.shape().ElementCount()};
      dynamic = {true};
  }
  Shape shape = ArrayShape(x.type(), sizes);
  for (size_t k = 0; k < sizes.size(); ++k) shape.set_dynamic_dimension(static_cast<int>(k), dynamic[k]);
  scope.Add(HloOpcode::kReshape, {x}, x.facts, {nullptr, shape});
}

void DynamicBroadcastMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsDynamicArray(value) && value.rank() <= 3 && value.shape().ElementCount() <= 100;
  });
  if (!x.has_value()) return;
  const int64_t place = scope.random().Between(0, x->rank());
  Shape shape = Shape::Scalar(x->type());
  DimensionVector dimensions;
  for (int64_t d = 0; d <= x->rank(); ++d) {
    if (d == place) shape.AddDimension(scope.random().Between(1, 3), false);
    if (d == x->rank()) break;
    dimensions.push_back(shape.rank());
    shape.AddDimension(x->dimension(static_cast<int>(d)), x->shape().is_dynamic_dimension(static_cast<int>(d)));
  }
  scope.Add(HloOpcode::kBroadcast, {*x}, x->facts,
            {MakeAttributes<BroadcastAttributes>([&](auto& a) { a.dimensions = dimensions; }), shape});
}

// Out of its dynamic shape and into it again.
void PadToStaticMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find(IsDynamicArray);
  if (!x.has_value()) return;
  const auto call = [&](const char* target, absl::Span<const Value> operands, const Shape& shape) {
    return scope.Add(HloOpcode::kCustomCall, operands, x->facts,
                     {MakeAttributes<CustomCallAttributes>([&](auto& a) { a.custom_call_target = target; }), shape});
  };
  std::vector<Shape> shapes = {ArrayShape(x->type(), x->dimensions())};
  shapes.resize(1 + x->rank(), Shape::Scalar(S32));
  const Value padded = call("PadToStatic", {*x}, Shape::Tuple(shapes));
  std::vector<Value> operands;
  for (int i = 0; i <= x->rank(); ++i) {
    const Facts facts = i == 0 ? x->facts : Facts::Whole(0, static_cast<double>(x->dimension(i - 1)));
    operands.push_back(scope.GetTupleElement(padded, i, facts));
  }
  // What is not valid means nothing.
  scope.Forget(operands[0]);
  call("SliceToDynamic", operands, x->shape());
}

// ---- Carried through tuples, loops, branches and calls

HloComputation* Passing(Scope& scope, const Shape& shape, const Facts& facts, const char* name) {
  return ComputationOf(scope, name, shape, facts, [&](Scope& inner, const Value& x) {
    return inner.random().Chance(50) && x.rank() > 0 ? inner.Reverse(x, {inner.random().Below(x.rank())})
                                                     : inner.Copy(x);
  });
}

void CarryMove(Scope& scope) {
  const absl::optional<Value> x = scope.Find(IsDynamicArray);
  if (!x.has_value()) return;
  switch (scope.random().Below(4)) {
    case 0: {
      const Value state = scope.Tuple({scope.Scalar(S32, 0), *x});
      const int64_t turns = scope.random().Between(0, 3);
      const Value last = While(
          scope, state,
          [&](Scope& inner, const Value& all) {
            const Value i = inner.GetTupleElement(all, 0, Facts::Whole(0, 3));
            return inner.Compare(ComparisonDirection::kLt, i, inner.Scalar(S32, static_cast<double>(turns)));
          },
          [&](Scope& inner, const Value& all) {
            const Value i = inner.GetTupleElement(all, 0, Facts::Whole(0, 3));
            const Value y = inner.GetTupleElement(all, 1, x->facts);
            const Value next = inner.Binary(HloOpcode::kAdd, i, inner.Scalar(S32, 1));
            return inner.Tuple({next, inner.Reverse(y, {inner.random().Below(y.rank())})});
          });
      scope.GetTupleElement(last, 1, x->facts);
      break;
    }
    case 1: {
      const Value chosen = scope.Predicate({});
      scope.Add(HloOpcode::kConditional, {chosen, *x, *x}, x->facts,
                {nullptr,
                 x->shape(),
                 {Passing(scope, x->shape(), x->facts, "branch"), Passing(scope, x->shape(), x->facts, "branch")}});
      break;
    }
    case 2:
      scope.Add(HloOpcode::kCall, {*x}, x->facts,
                {nullptr, x->shape(), {Passing(scope, x->shape(), x->facts, "called")}});
      break;
    default: {
      Value tuple = scope.Tuple({scope.Array(), *x});
      if (scope.random().Chance(60)) tuple = scope.Add(HloOpcode::kOptBarrier, {tuple}, Facts::Exact());
      scope.GetTupleElement(tuple, 1, x->facts);
    }
  }
}

int DynamicDimensionOf(const Value& x) {
  int d = 0;
  while (!x.shape().is_dynamic_dimension(d)) ++d;
  return d;
}

// What expand-dynamic-dimensions leaves in its dynamic form, with more of dynamic shape around it: a smaller size of a
// dimension that has one, and fusions.
void DynamicBorderMove(Scope& scope) {
  if (scope.kind() == Scope::Kind::kFusion) return;
  const auto is_exact_and_dynamic = [](const Value& value) { return IsDynamicArray(value) && value.facts.exact; };
  absl::optional<Value> x = scope.Find(is_exact_and_dynamic);
  if (!x.has_value()) {
    SetDimensionSizeMove(scope);
    x = scope.Find(is_exact_and_dynamic);
  }
  if (!x.has_value()) return;
  RandomSource& random = scope.random();
  if (random.Chance(40)) {
    const int64_t d = DynamicDimensionOf(*x);
    // A larger one would make something of what means nothing.
    const Value size =
        scope.Binary(HloOpcode::kMinimum, SizeOf(scope, *x, d), SizeUpTo(scope, x->dimension(static_cast<int>(d))));
    scope.Add(HloOpcode::kSetDimensionSize, {*x, size}, x->facts,
              {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = d; })});
    return;
  }
  const Value other = random.Chance(50) ? *x : scope.Like(ArrayShape(x->type(), x->dimensions()));
  Scope inner(&scope.state(), "fused", Scope::Kind::kFusion, scope.depth() + 1);
  const Value a = inner.Parameter(x->shape(), x->facts, "arg");
  const Value b = inner.Parameter(other.shape(), other.facts, "arg");
  const bool is_number = IsInt(x->type()) || IsFloat(x->type());
  const Value first = is_number ? inner.Binary(HloOpcode::kMaximum, a, b) : inner.Copy(a);
  const Value second = inner.Reverse(a, {random.Below(a.rank())});
  const bool is_tuple = random.Chance(60);
  HloComputation* const computation = inner.Finish(is_tuple ? inner.Tuple({first, second}) : first);
  computation->set_is_fusion_computation(true);
  const Value fusion =
      scope.Add(HloOpcode::kFusion, {*x, other}, first.facts,
                {MakeAttributes<FusionAttributes>([](auto& attributes) { attributes.kind = FusionKind::kLoop; }),
                 computation->root()->shape(),
                 {computation}});
  if (!is_tuple) return;
  scope.GetTupleElement(fusion, 0, first.facts);
  scope.GetTupleElement(fusion, 1, second.facts);
}

// A slice of one element is never dynamic, so that it may hold an element that is not valid: it could be anything.
bool KeepsDynamicSize(const SliceRange& range) { return CeilDiv(range.limit - range.start, range.stride) > 1; }

// Valid elements move to other places.
void DynamicMovementMove(Scope& scope) {
  const absl::optional<Value> found = scope.Find(IsDynamicArray);
  if (!found.has_value()) return;
  const Value x = *found;
  const int64_t d = DynamicDimensionOf(x);
  switch (scope.random().Below(6)) {
    case 0:
      scope.Reverse(x, {d});
      break;
    case 1:
      scope.Transpose(x, scope.Permutation(x.rank()));
      break;
    case 2: {
      const Value other = scope.Like(ArrayShape(x.type(), x.dimensions()));
      scope.Concatenate(scope.random().Chance(50) ? std::vector<Value>{x, x} : std::vector<Value>{other, x}, d);
      break;
    }
    case 3: {
      PaddingConfig padding(x.rank());
      padding[d] = {scope.random().Between(0, 2), scope.random().Between(0, 2), scope.random().Between(0, 1)};
      scope.Pad(x, scope.Like(Shape::Scalar(x.type())), padding);
      break;
    }
    case 4: {
      std::vector<SliceRange> ranges;
      for (const int64_t size : x.dimensions()) ranges.push_back({0, size, 1});
      ranges[d].start = scope.random().Between(0, 1);
      if (scope.random().Chance(50)) ranges[d].limit -= 1;
      for (int k = 0; k < x.rank(); ++k) {
        if (x.shape().is_dynamic_dimension(k) && !KeepsDynamicSize(ranges[k])) return;
      }
      scope.Slice(x, ranges);
      break;
    }
    default: {
      const Value update = scope.Like(ArrayShape(x.type(), x.dimensions()));
      std::vector<Value> operands = {update, x};
      for (int k = 0; k < x.rank(); ++k) operands.push_back(scope.Index(2, false));
      scope.Add(HloOpcode::kDynamicUpdateSlice, operands, Either(x.facts, update.facts));
      break;
    }
  }
}

// ---- Other moves with operands that get dynamic dimensions first

// The dimensions of operand `i` that may be dynamic: those about which the operation is not particular.
std::vector<int64_t> PossibleDimensions(HloOpcode opcode, absl::Span<const Value> operands, int i,
                                        const Attributes* attributes) {
  // All dimensions of all operands; of the arrays, which are the first two operands at most; of the array.
  static constexpr OpcodeSet kAny = {HloOpcode::kDot,     HloOpcode::kReduceWindow, HloOpcode::kPad,
                                     HloOpcode::kReverse, HloOpcode::kConcatenate,  HloOpcode::kTranspose};
  static constexpr OpcodeSet kOfArrays = {HloOpcode::kReduce, HloOpcode::kSort, HloOpcode::kSelectAndScatter,
                                          HloOpcode::kDynamicUpdateSlice};
  const int rank = operands[i].rank();
  std::vector<int64_t> all = Identity(rank);
  if (kAny.Has(opcode)) return all;
  if (kOfArrays.Has(opcode)) return i <= 1 ? all : std::vector<int64_t>{};
  if (opcode == HloOpcode::kSlice) {
    const auto& ranges = static_cast<const SliceAttributes*>(attributes)->ranges;
    all.erase(std::remove_if(all.begin(), all.end(), [&](int64_t d) { return !KeepsDynamicSize(ranges[d]); }),
              all.end());
    return all;
  }
  if (opcode == HloOpcode::kDynamicSlice) return i == 0 ? all : std::vector<int64_t>{};
  if (opcode == HloOpcode::kGather || opcode == HloOpcode::kScatter) {
    if (i != 1) return all;
    const int64_t vector = opcode == HloOpcode::kGather
                               ? static_cast<const GatherAttributes*>(attributes)->index_vector_dim
                               : static_cast<const ScatterAttributes*>(attributes)->index_vector_dim;
    all.erase(std::remove(all.begin(), all.end(), vector), all.end());
    return all;
  }
  if (opcode == HloOpcode::kCholesky || opcode == HloOpcode::kTriangularSolve) return Identity(std::max(0, rank - 2));
  if (opcode == HloOpcode::kFft) {
    return Identity(rank - static_cast<int64_t>(static_cast<const FftAttributes*>(attributes)->fft_length.size()));
  }
  if (opcode != HloOpcode::kConvolution || i == 1) return {};
  const auto& a = *static_cast<const ConvolutionAttributes*>(attributes);
  DimensionVector spatial = a.dim_labels.input_spatial;
  if (a.batch_group_count == 1) spatial.push_back(a.dim_labels.input_batch);
  return std::vector<int64_t>(spatial.begin(), spatial.end());
}

// Whether all arrays that it works on side by side have the same dynamic dimensions, of the same sizes.
bool WantsEqualOperands(HloOpcode opcode) { return opcode == HloOpcode::kReduce || opcode == HloOpcode::kSort; }

Value WithSize(Scope& scope, const Value& x, int64_t d, const Value& size) {
  if (x.shape().is_dynamic_dimension(static_cast<int>(d))) return x;
  return scope.Add(HloOpcode::kSetDimensionSize, {x, size}, x.facts,
                   {MakeAttributes<DimensionAttributes>([&](auto& a) { a.dimension = d; })});
}

bool MakeOperandsDynamic(Scope& scope, HloOpcode opcode, const Attributes* attributes, std::vector<Value>* operands) {
  const int arrays = WantsEqualOperands(opcode)
                         ? static_cast<int>(operands->size()) / (opcode == HloOpcode::kReduce ? 2 : 1)
                         : static_cast<int>(operands->size());
  bool made = false;
  for (int i = 0; i < arrays; ++i) {
    for (const int64_t d : PossibleDimensions(opcode, *operands, i, attributes)) {
      if (!scope.random().Chance(50)) continue;
      made = true;
      const Value size = SizeUpTo(scope, (*operands)[i].dimension(static_cast<int>(d)));
      const int first = WantsEqualOperands(opcode) ? 0 : i, last = WantsEqualOperands(opcode) ? arrays - 1 : i;
      for (int k = first; k <= last; ++k) (*operands)[k] = WithSize(scope, (*operands)[k], d, size);
    }
    if (WantsEqualOperands(opcode)) break;
  }
  return made;
}

void DynamicOperandsMove(Scope& scope) {
  std::vector<const Move*> moves;
  for (const absl::Span<const Move> family :
       {ReductionMoves(), LinearAlgebraMoves(), IndexedMoves(), DataMovementMoves()}) {
    for (const Move& move : family) moves.push_back(&move);
  }
  const Move* const move = scope.random().Pick(moves);
  scope.ChangeNextOperands([&scope](HloOpcode opcode, const Attributes* attributes, std::vector<Value>* operands) {
    return MakeOperandsDynamic(scope, opcode, attributes, operands);
  });
  move->make(scope);
  scope.ChangeNextOperands(nullptr);
}

}  // namespace

absl::Span<const Move> DynamicMoves() {
  static constexpr Move kMoves[] = {
      {"set-dimension-size", 3, 0, &SetDimensionSizeMove},
      {"get-dimension-size", 3, 0, &GetDimensionSizeMove},
      {"dynamic elementwise", 2, 0, &DynamicElementwiseMove},
      {"dynamic reduce", 3, 0, &DynamicReduceMove},
      {"dynamic-reshape", 2, 0, &DynamicReshapeMove},
      {"dynamic movement", 3, 0, &DynamicMovementMove},
      {"dynamic reshape of groups", 2, 0, &ReshapeOfGroupsMove},
      {"dynamic broadcast", 1, 0, &DynamicBroadcastMove},
      {"pad to static", 1, 0, &PadToStaticMove},
      {"dynamic carried", 2, 0, &CarryMove},
      {"dynamic border", 6, 0, &DynamicBorderMove},
      {"dynamic operands", 8, 0, &DynamicOperandsMove},
  };
  return kMoves;
}

}  // namespace xla
