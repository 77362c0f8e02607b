// geqrf, orgqr and ormqr: products of reflections h = 1 - tau * v * v^H, with zeros in v above its element j, which is
// 1.
#include "passes/base/counted_loop.h"
#include "passes/expanding/lapack_calls.h"
#include "passes/expanding/matrix_steps.h"
#include "passes/expanding/wide_matrices.h"

namespace xla {
namespace {

using Direction = ComparisonDirection;

// The reflection that turns the elements at and after j of a vector into (beta, 0, .., 0).
struct Reflection {
  HloInstruction* v;     // [b, m]
  HloInstruction* tau;   // [b]
  HloInstruction* beta;  // [b], real
};

// -|norm| or |norm|: of the sign opposite to that of `of`, so that their difference is no smaller than either.
HloInstruction* AwayFrom(HloInstruction* norm, HloInstruction* of, InstructionBuilder& build) {
  const Shape bits = Shape::Array(of->shape().element_type() == F32 ? S32 : S64, of->shape().dimensions());
  HloInstruction* const negative = build.Compare(Direction::kLt, build.BitcastConvert(of, bits), build.Splat(bits, 0));
  return build.Select(negative, norm, build.Unary(HloOpcode::kNegate, norm));
}

// Ones at j, zeros above, `tail` below.
HloInstruction* UnitFrom(HloInstruction* tail, HloInstruction* j, InstructionBuilder& build) {
  const Shape& shape = tail->shape();
  return build.Select(
      Position(shape, 1, Direction::kGt, j, build), tail,
      build.Select(Position(shape, 1, Direction::kEq, j, build), build.Splat(shape, 1), build.Splat(shape, 0)));
}

// As LAPACK's larfg: none at all (tau = 0) if there is nothing to turn.
Reflection MakeReflection(HloInstruction* column, HloInstruction* j, InstructionBuilder& build) {
  const Shape& shape = column->shape();
  const bool complex = IsComplex(shape.element_type());
  HloInstruction* const zeros = build.Splat(shape, 0);
  HloInstruction* const tail = build.Select(Position(shape, 1, Direction::kGt, j, build), column, zeros);
  HloInstruction* const all = build.Select(Position(shape, 1, Direction::kGe, j, build), column, zeros);
  HloInstruction* const alpha = ElementAt(column, j, build);
  HloInstruction* const real = RealPart(alpha, build);
  HloInstruction* nothing = IsZero(Norms(tail, build), build);
  if (complex) nothing = build.And(nothing, IsZero(build.Unary(HloOpcode::kImag, alpha), build));
  HloInstruction* const beta = AwayFrom(Norms(all, build), real, build);
  HloInstruction* tau = build.Div(build.Sub(beta, real), beta);
  HloInstruction* difference = build.Sub(real, beta);
  if (complex) {
    HloInstruction* const imaginary = build.Unary(HloOpcode::kImag, alpha);
    tau = build.Binary(HloOpcode::kComplex, tau, build.Div(build.Unary(HloOpcode::kNegate, imaginary), beta));
    difference = build.Binary(HloOpcode::kComplex, difference, imaginary);
  }
  HloInstruction* const inverse = Quotient(build.Splat(difference->shape(), 1), difference, build);
  HloInstruction* const turned = Product(tail, build.Broadcast(inverse, shape.dimensions(), {0}), build);
  HloInstruction* const nothing_of_each = build.Broadcast(nothing, shape.dimensions(), {0});
  Reflection made;
  made.v = UnitFrom(build.Select(nothing_of_each, tail, turned), j, build);
  made.tau = build.Select(nothing, build.Splat(tau->shape(), 0), tau);
  made.beta = build.Select(nothing, real, beta);
  return made;
}

// pred[b, m]: up to the last place that holds something. A NaN is something.
HloInstruction* UpToLast(HloInstruction* holds_something, InstructionBuilder& build) {
  const Shape positions = Shape::Array(S32, holds_something->shape().dimensions());
  HloInstruction* const none = build.Scalar(S32, -1);
  HloInstruction* const last =
      build.Reduce(build.Select(holds_something, build.Iota(positions, 1), build.BroadcastScalar(none, positions)),
                   none, {1}, HloOpcode::kMaximum);
  return Position(positions, 1, Direction::kLe, last, build);
}

// a - tau * v * (v^H a) in the rows at and after j and the columns for which `columns_of_a`, of the dimensions of a,
// holds (nullptr: in all), elsewhere a. As LAPACK's larf, which does nothing if tau is zero, and passes over the zeros
// at the end of v, the columns of zeros at the end of a, and zeros in v^H a.
HloInstruction* Reflect(HloInstruction* a, HloInstruction* v, HloInstruction* tau, HloInstruction* j,
                        HloInstruction* columns_of_a, InstructionBuilder& build) {
  const Shape& shape = a->shape();
  const int64_t batch = shape.dimension(0), m = shape.dimension(1), n = shape.dimension(2);
  HloInstruction* const rows =
      build.And(Position(v->shape(), 1, Direction::kGe, j, build), UpToLast(build.Not(IsZero(v, build)), build));
  HloInstruction* const some = build.And(rows, build.Broadcast(build.Not(IsZero(tau, build)), {batch, m}, {0}));
  HloInstruction* inside = InEveryColumn(some, shape, build);
  if (columns_of_a != nullptr) inside = build.And(inside, columns_of_a);
  HloInstruction* const part = build.Select(inside, a, build.Splat(shape, 0));
  HloInstruction* const any = build.Reduce(build.Not(IsZero(part, build)), build.Scalar(PRED, 0), {1}, HloOpcode::kOr);
  HloInstruction* const products =
      build.Reshape(MultiplyMatrices(build.Reshape(ConjugateElements(v, build), {batch, 1, m}), part,
                                     /*rhs_transposed=*/false, build),
                    {batch, n});
  HloInstruction* const columns = build.And(UpToLast(any, build), build.Not(IsZero(products, build)));
  HloInstruction* const counts = build.And(inside, InEveryRow(columns, shape, build));
  HloInstruction* const scaled = Product(build.Broadcast(tau, {batch, n}, {0}), products, build);
  return build.Select(counts, build.Sub(a, OuterProduct(v, scaled, build)), a);
}

// Column j of h: -tau * v, and 1 more at j.
HloInstruction* ReflectedUnit(HloInstruction* v, HloInstruction* tau, HloInstruction* j, InstructionBuilder& build) {
  const Shape& shape = v->shape();
  HloInstruction* const taus = build.Broadcast(tau, shape.dimensions(), {0});
  HloInstruction* const below = Product(build.Unary(HloOpcode::kNegate, taus), v, build);
  HloInstruction* const rest = build.Select(Position(shape, 1, Direction::kGt, j, build), below, build.Splat(shape, 0));
  return build.Select(Position(shape, 1, Direction::kEq, j, build), build.Sub(build.Splat(shape, 1), taus), rest);
}

// Step j of QR by Householder reflections: makes the reflection that clears column j below the diagonal, keeps its
// vector there, as LAPACK does, and applies it to the columns after it.
std::vector<HloInstruction*> TriangulariseTurn(InstructionBuilder& build, HloInstruction* j,
                                               absl::Span<HloInstruction* const> state) {
  HloInstruction* const a = state[0];
  const Shape& shape = a->shape();
  HloInstruction* const column = ColumnAt(a, j, build);
  const Reflection h = MakeReflection(column, j, build);
  HloInstruction* const beta = build.Convert(h.beta, shape.element_type());
  HloInstruction* const at_j = Position(column->shape(), 1, Direction::kEq, j, build);
  HloInstruction* const below_j = Position(column->shape(), 1, Direction::kGt, j, build);
  HloInstruction* const made =
      build.Select(at_j, build.Broadcast(beta, column->shape().dimensions(), {0}), build.Select(below_j, h.v, column));
  // h^H from the left
  HloInstruction* const turned = Reflect(a, h.v, ConjugateElements(h.tau, build), j,
                                         Position(shape, 2, Direction::kGt, j, build), build);
  HloInstruction* const is_column_j = Position(shape, 2, Direction::kEq, j, build);
  return {build.Select(is_column_j, InEveryColumn(made, shape, build), turned),
          WithElementAt(state[1], h.tau, j, build)};
}

}  // namespace

HloInstruction* ExpandGeqrf(const LapackCallSite& site, InstructionBuilder& build) {
  const Shape matrices = site.Array(site.type, {site.m, site.n});
  const int64_t k = std::min(site.m, site.n);
  if (!site.Has({matrices}, {matrices, site.Array(site.type, {k})})) return nullptr;
  HloInstruction* const a = JoinBatch(site.call->operand(0), build);
  HloInstruction* const tau = build.Splat(Shape::Array(site.type, {site.batch, k}), 0);
  return site.Results(CountedLoop(build, "geqrf", S32, k, {a, tau}, &TriangulariseTurn), build);
}

// h[0] * h[1] * .. * h[k - 1] applied to the first columns of the identity, the last one first.
HloInstruction* ExpandOrgqr(const LapackCallSite& site, InstructionBuilder& build) {
  if (site.call->operand_count() != 2 || site.n > site.m) return nullptr;
  const Shape& tau_shape = site.call->operand(1)->shape();
  if (!tau_shape.IsArray() || tau_shape.rank() == 0) return nullptr;
  const int64_t k = tau_shape.dimension(tau_shape.rank() - 1);
  const Shape matrices = site.Array(site.type, {site.m, site.n});
  if (k > site.n || !site.Has({matrices, site.Array(site.type, {k})}, {matrices})) return nullptr;
  HloInstruction* const a = JoinBatch(site.call->operand(0), build);
  HloInstruction* const tau = build.Reshape(site.call->operand(1), {site.batch, k});
  const Shape& shape = a->shape();
  const Shape positions = Shape::Array(S32, shape.dimensions());
  HloInstruction* const on_diagonal = build.Compare(Direction::kEq, build.Iota(positions, 1), build.Iota(positions, 2));
  HloInstruction* const identity = build.Select(on_diagonal, build.Splat(shape, 1), build.Splat(shape, 0));
  HloInstruction* const q =
      CountedLoop(build, "orgqr", S32, k, {identity, a, tau},
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> state) {
                    HloInstruction* const j = inside.Sub(inside.Scalar(S32, k - 1), turn);
                    HloInstruction* const v = UnitFrom(ColumnAt(state[1], j, inside), j, inside);
                    HloInstruction* const tau_j = ElementAt(state[2], j, inside);
                    HloInstruction* const turned =
                        Reflect(state[0], v, tau_j, j, Position(shape, 2, Direction::kGt, j, inside), inside);
                    HloInstruction* const is_column_j = Position(shape, 2, Direction::kEq, j, inside);
                    HloInstruction* const next = inside.Select(
                        is_column_j, InEveryColumn(ReflectedUnit(v, tau_j, j, inside), shape, inside), turned);
                    return std::vector<HloInstruction*>{next, state[1], state[2]};
                  })[0];
  return site.Results({q}, build);
}

// q c with q = h[0] * .. * h[k - 1], the last one first; q^H c with their adjoints, the first one first. c q is the
// adjoint of q^H c^H.
HloInstruction* ExpandOrmqr(const LapackCallSite& site, InstructionBuilder& build) {
  const absl::StatusOr<bool> left = site.attributes.GetBool("left");
  const absl::StatusOr<bool> transpose = site.attributes.GetBool("transpose");
  if (site.call->operand_count() != 3 || !left.ok() || !transpose.ok()) return nullptr;
  const Shape& tau_shape = site.call->operand(1)->shape();
  const Shape& c_shape = site.call->operand(2)->shape();
  if (!tau_shape.IsArray() || tau_shape.rank() == 0 || !c_shape.IsArray() || c_shape.rank() < 2) return nullptr;
  const int64_t k = tau_shape.dimension(tau_shape.rank() - 1);
  const int64_t other = c_shape.dimension(c_shape.rank() - (*left ? 1 : 2));
  const Shape matrices = site.Array(site.type, {site.m, site.n});
  const Shape result = *left ? site.Array(site.type, {site.m, other}) : site.Array(site.type, {other, site.m});
  if (k > std::min(site.m, site.n)) return nullptr;
  if (!site.Has({matrices, site.Array(site.type, {k}), result}, {result})) return nullptr;
  const auto adjoint = [](HloInstruction* x, InstructionBuilder& at) {
    return ConjugateElements(at.Transpose(x, {0, 2, 1}), at);
  };
  HloInstruction* const c = JoinBatch(site.call->operand(2), build);
  HloInstruction* const a = JoinBatch(site.call->operand(0), build);
  HloInstruction* const tau = build.Reshape(site.call->operand(1), {site.batch, k});
  const bool takes_adjoint = *left == *transpose;
  HloInstruction* const product =
      CountedLoop(build, "ormqr", S32, k, {*left ? c : adjoint(c, build), a, tau},
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> state) {
                    HloInstruction* const j =
                        takes_adjoint ? turn : inside.Sub(inside.Scalar(S32, k - 1), turn);
                    HloInstruction* const v = UnitFrom(ColumnAt(state[1], j, inside), j, inside);
                    HloInstruction* tau_j = ElementAt(state[2], j, inside);
                    if (takes_adjoint) tau_j = ConjugateElements(tau_j, inside);
                    return std::vector<HloInstruction*>{Reflect(state[0], v, tau_j, j, nullptr, inside), state[1],
                                                        state[2]};
                  })[0];
  return site.Results({*left ? product : adjoint(product, build)}, build);
}

}  // namespace xla
