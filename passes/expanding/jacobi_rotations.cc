#include "passes/expanding/jacobi_rotations.h"

#include <limits>
#include <utility>

#include "passes/base/counted_loop.h"
#include "passes/expanding/matrix_steps.h"
#include "passes/expanding/wide_matrices.h"

namespace xla {
namespace {

using Direction = ComparisonDirection;

// Rotations converge quadratically once they begin to, within five sweeps or ten; what never settles has to end too.
constexpr int64_t kMaxSweeps = 60;

HloInstruction* FirstHalf(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  return build.SliceInDim(x, dimension, 0, x->shape().dimension(static_cast<int>(dimension)) / 2);
}

HloInstruction* SecondHalf(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  const int64_t n = x->shape().dimension(static_cast<int>(dimension));
  return build.SliceInDim(x, dimension, n / 2, n);
}

HloInstruction* WithHalvesSwapped(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  return build.Concatenate({SecondHalf(x, dimension, build), FirstHalf(x, dimension, build)}, dimension);
}

// What the elements of matrices whose largest part is 1 or a little more may differ from zero by.
HloInstruction* Negligible(const Shape& shape, InstructionBuilder& build) {
  const bool is_single = ComplexComponentType(shape.element_type()) == F32;
  return build.SplatFloat(
      shape, (is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 16);
}

// ---- One iteration

// Of each pair i, i + n / 2, [b, n / 2]: rows p and q become  cosine * p - sine * q  and  conj(sine) * p + cosine * q,
// columns as the adjoint of this has them, and the diagonal moves by -shift and +shift.
struct Rotations {
  HloInstruction* rotates;  // pred: the element between p and q counts; if not, nothing moves
  HloInstruction* loss;     // real: cosine - 1, which small angles need more of than 1 has digits for
  HloInstruction* sine;
  HloInstruction* shift;  // real
};

// The smaller of the two angles, at most 45 degrees, which convergence rests on.
Rotations MakeRotations(HloInstruction* a, HloInstruction* diagonal, InstructionBuilder& build) {
  HloInstruction* const between = Diagonal(SecondHalf(FirstHalf(a, 1, build), 2, build), build);
  HloInstruction* const size = build.Unary(HloOpcode::kAbs, between);
  HloInstruction* const zeros = build.Splat(size->shape(), 0);
  HloInstruction* const ones = build.Splat(size->shape(), 1);
  Rotations made;
  made.rotates = build.Compare(Direction::kGt, size, Negligible(size->shape(), build));
  HloInstruction* const divisor = build.Select(made.rotates, size, ones);
  HloInstruction* const difference = build.Sub(SecondHalf(diagonal, 1, build), FirstHalf(diagonal, 1, build));
  HloInstruction* const cotangent = build.Div(difference, build.Add(divisor, divisor));  // of twice the angle
  HloInstruction* const root = build.Unary(HloOpcode::kSqrt, build.Add(ones, build.Mul(cotangent, cotangent)));
  HloInstruction* const acute = build.Div(ones, build.Add(build.Unary(HloOpcode::kAbs, cotangent), root));
  HloInstruction* const is_negative = build.Compare(Direction::kLt, cotangent, zeros);
  HloInstruction* const signed_tangent = build.Select(is_negative, build.Unary(HloOpcode::kNegate, acute), acute);
  HloInstruction* const tangent = build.Select(made.rotates, signed_tangent, zeros);
  HloInstruction* const cosine =
      build.Div(ones, build.Unary(HloOpcode::kSqrt, build.Add(ones, build.Mul(tangent, tangent))));
  HloInstruction* const sine = build.Mul(tangent, cosine);
  made.loss = build.Unary(HloOpcode::kNegate, build.Div(build.Mul(sine, sine), build.Add(ones, cosine)));
  made.sine = TimesReal(OverReal(between, divisor, build), sine, build);
  made.shift = build.Mul(tangent, size);
  return made;
}

// x + losses * x + sines * (x with halves swapped) along a dimension of b x m x n, for factors [b, size of the
// dimension].
HloInstruction* Rotated(HloInstruction* x, int64_t dimension, HloInstruction* losses, HloInstruction* sines,
                        InstructionBuilder& build) {
  const auto spread = [&](HloInstruction* factors) {
    return build.Broadcast(factors, x->shape().dimensions(), {0, dimension});
  };
  HloInstruction* const change = build.Add(TimesReal(x, spread(losses), build),
                                           Product(WithHalvesSwapped(x, dimension, build), spread(sines), build));
  return build.Add(x, change);
}

// Moves all but the first one place on, along the first half and back along the second.
HloInstruction* NextPairs(HloInstruction* x, int64_t dimension, InstructionBuilder& build) {
  const int64_t n = x->shape().dimension(static_cast<int>(dimension)), h = n / 2;
  if (h == 1) return x;
  std::vector<HloInstruction*> pieces;
  const std::pair<int64_t, int64_t> ranges[] = {{0, 1}, {h, h + 1}, {1, h - 1}, {h + 1, n}, {h - 1, h}};
  for (const std::pair<int64_t, int64_t>& range : ranges) {
    if (range.first < range.second) pieces.push_back(build.SliceInDim(x, dimension, range.first, range.second));
  }
  return build.Concatenate(pieces, dimension);
}

// state: the matrices and, if wanted, the product of the rotations.
std::vector<HloInstruction*> RotateAllPairs(InstructionBuilder& build, HloInstruction*,
                                            absl::Span<HloInstruction* const> state) {
  HloInstruction* const a = state[0];
  const Shape& shape = a->shape();
  HloInstruction* const diagonal = RealPart(Diagonal(a, build), build);
  const Rotations rotations = MakeRotations(a, diagonal, build);
  HloInstruction* const losses = build.Concatenate({rotations.loss, rotations.loss}, 1);
  HloInstruction* const sines =
      build.Concatenate({build.Unary(HloOpcode::kNegate, rotations.sine), ConjugateElements(rotations.sine, build)}, 1);
  HloInstruction* const adjoint_sines = ConjugateElements(sines, build);
  HloInstruction* turned = Rotated(Rotated(a, 1, losses, sines, build), 2, losses, adjoint_sines, build);
  // What a pair itself becomes is known better: without it, no rounding of the diagonal gets into the other elements.
  HloInstruction* const rotates = build.Concatenate({rotations.rotates, rotations.rotates}, 1);
  HloInstruction* const distance =
      build.Unary(HloOpcode::kAbs, build.Sub(PositionAlong(a, 1, build), PositionAlong(a, 2, build)));
  HloInstruction* const is_between =
      build.Compare(Direction::kEq, distance, build.Splat(distance->shape(), shape.dimension(1) / 2));
  turned = build.Select(build.And(is_between, InEveryColumn(rotates, shape, build)), build.Splat(shape, 0), turned);
  HloInstruction* const moved = build.Concatenate({build.Sub(FirstHalf(diagonal, 1, build), rotations.shift),
                                                   build.Add(SecondHalf(diagonal, 1, build), rotations.shift)},
                                                  1);
  turned = build.Select(RowsAgainstColumns(a, Direction::kEq, build),
                        InEveryColumn(build.Convert(moved, shape.element_type()), shape, build), turned);
  std::vector<HloInstruction*> next = {NextPairs(NextPairs(turned, 1, build), 2, build)};
  if (state.size() > 1) next.push_back(NextPairs(Rotated(state[1], 2, losses, adjoint_sines, build), 2, build));
  return next;
}

// ---- Sweeps

// pred[b]: whether any element off the diagonal counts.
HloInstruction* IsUnsettled(HloInstruction* a, InstructionBuilder& build) {
  HloInstruction* const sizes = build.Unary(HloOpcode::kAbs, a);
  HloInstruction* const counts = build.Compare(Direction::kGt, sizes, Negligible(sizes->shape(), build));
  return build.Reduce(build.And(counts, RowsAgainstColumns(a, Direction::kNe, build)), build.Zero(PRED), {1, 2},
                      HloOpcode::kOr);
}

// Sweeps go on while a matrix of the batch is not diagonal enough, at most kMaxSweeps times.
HloComputation* SweepCondition(const Shape& state, InstructionBuilder& build) {
  HloComputation* const condition = NewComputation(build.module(), "syevd_condition");
  InstructionBuilder inside(condition, build.origin());
  HloInstruction* const before = inside.Parameter(0, state);
  HloInstruction* const unsettled =
      inside.Reduce(inside.GetTupleElement(before, 1), inside.Zero(PRED), {0}, HloOpcode::kOr);
  HloInstruction* const may_turn =
      inside.Compare(Direction::kLt, inside.GetTupleElement(before, 0), inside.Scalar(S32, kMaxSweeps));
  condition->set_root(inside.And(unsettled, may_turn));
  build.UpdateStatus(inside.status());
  return condition;
}

// One sweep: n - 1 rounds of rotations, after which each pair of columns was rotated once. Then the matrix is made
// Hermitian again.
HloComputation* SweepBody(const Shape& state, InstructionBuilder& build) {
  HloComputation* const body = NewComputation(build.module(), "syevd_body");
  InstructionBuilder inside(body, build.origin());
  HloInstruction* const before = inside.Parameter(0, state);
  std::vector<HloInstruction*> arrays;
  for (int i = 2; i < state.tuple_size(); ++i) arrays.push_back(inside.GetTupleElement(before, i));
  const int64_t n = arrays[0]->shape().dimension(1);
  arrays = CountedLoop(inside, "syevd_rotations", S32, n - 1, arrays, &RotateAllPairs);
  // Rotations leave a difference between the triangles as large as it is, so that rounding must not add up to one.
  HloInstruction* const sum = inside.Add(arrays[0], TransposeMatrices(arrays[0], /*conjugated=*/true, inside));
  const Shape real = Shape::Array(RealType(sum), sum->shape().dimensions());
  arrays[0] = TimesReal(sum, inside.SplatFloat(real, 0.5), inside);
  std::vector<HloInstruction*> after = {inside.Add(inside.GetTupleElement(before, 0), inside.One(S32)),
                                        IsUnsettled(arrays[0], inside)};
  after.insert(after.end(), arrays.begin(), arrays.end());
  body->set_root(inside.Tuple(after));
  build.UpdateStatus(inside.status());
  return body;
}

}  // namespace

std::vector<HloInstruction*> Diagonalise(absl::Span<HloInstruction* const> arrays, InstructionBuilder& build) {
  std::vector<HloInstruction*> initial = {build.Zero(S32), IsUnsettled(arrays[0], build)};
  initial.insert(initial.end(), arrays.begin(), arrays.end());
  std::vector<Shape> shapes;
  for (const HloInstruction* element : initial) shapes.push_back(element->shape().WithoutLayout());
  const Shape state = Shape::Tuple(shapes);
  HloInstruction* const start = build.Tuple(initial);
  HloInstruction* const loop = build.MakeOfShape(HloOpcode::kWhile, state, {start}, nullptr,
                                                 {SweepCondition(state, build), SweepBody(state, build)});
  std::vector<HloInstruction*> results;
  for (int i = 1; i < state.tuple_size(); ++i) results.push_back(build.GetTupleElement(loop, i));
  return results;
}

}  // namespace xla
