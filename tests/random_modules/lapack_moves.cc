// Calls of LAPACK on matrices whose diagonal dominates, so that no rounding decides about a pivot, a sign or info, and
// of XLA's own targets that do the same or do nothing.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/random_modules/moves.h"

namespace xla {
namespace {

struct Matrices {
  Value a;
  DimensionVector batch;
  int64_t n;
};

Matrices RandomMatrices(Scope& scope, DataClass data_class) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F64, C64, C128};
  Matrices made;
  if (scope.random().Chance(40)) made.batch.push_back(scope.random().Between(1, 3));
  made.n = scope.random().Between(1, 5);
  DimensionVector sizes = made.batch;
  sizes.insert(sizes.end(), 2, made.n);
  made.a = scope.Fresh(ArrayShape(scope.random().Pick(kTypes), sizes), data_class);
  return made;
}

Shape With(const Matrices& matrices, PrimitiveType type, std::initializer_list<int64_t> dims) {
  DimensionVector sizes = matrices.batch;
  sizes.insert(sizes.end(), dims.begin(), dims.end());
  return ArrayShape(type, sizes);
}

// By the routine's names for real and for complex elements.
Value Call(Scope& scope, const std::string& real_name, const std::string& complex_name,
           absl::Span<const Value> operands, const Shape& shape, const std::string& config) {
  const PrimitiveType type = operands[0].type();
  const char* const letter = type == F32 ? "s" : type == F64 ? "d" : type == C64 ? "c" : "z";
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->custom_call_target = absl::StrCat("lapack_", letter, IsComplex(type) ? complex_name : real_name, "_ffi");
  attributes->api_version = CustomCallApiVersion::kTypedFfi;
  const Value result = scope.Add(HloOpcode::kCustomCall, operands, Facts::Rounded(2), {std::move(attributes), shape});
  result.instruction->mutable_annotations().backend_config = config;
  return result;
}

// One of XLA's own targets.
Value CallXla(Scope& scope, const char* target, absl::Span<const Value> operands, const Shape& shape,
              const Facts& facts) {
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->custom_call_target = target;
  return scope.Add(HloOpcode::kCustomCall, operands, facts, {std::move(attributes), shape});
}

std::string Character(Scope& scope, const char* name, const std::string& of) {
  const char character = of[static_cast<size_t>(scope.random().Below(static_cast<int64_t>(of.size())))];
  return absl::StrCat(name, " = ", static_cast<int>(character), " : ui8");
}

void CallPotrf(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kDefinite);
  const Value result = Call(scope, "potrf", "potrf", {m.a}, Shape::Tuple({m.a.shape(), With(m, S32, {})}),
                            absl::StrCat("{", Character(scope, "uplo", "LU"), "}"));
  scope.GetTupleElement(result, 0, Facts::Rounded(2));
  if (scope.random().Chance(50)) scope.GetTupleElement(result, 1, Facts::Whole(0, 0));
}

void CallGetrf(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kDefinite);
  const Value result =
      Call(scope, "getrf", "getrf", {m.a}, Shape::Tuple({m.a.shape(), With(m, S32, {m.n}), With(m, S32, {})}), "{}");
  scope.GetTupleElement(result, 0, Facts::Rounded(2));
  if (scope.random().Chance(50)) scope.GetTupleElement(result, 1, Facts::Whole(1, static_cast<double>(m.n)));
  if (scope.random().Chance(50)) scope.GetTupleElement(result, 2, Facts::Whole(0, 0));
}

// By LAPACK or XLA; then the product of the reflectors, or of that and another matrix on either side.
void CallGeqrf(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kDefinite);
  const Shape vector = With(m, m.a.type(), {m.n});
  const Shape both = Shape::Tuple({m.a.shape(), vector});
  const Value result = scope.random().Chance(70) ? Call(scope, "geqrf", "geqrf", {m.a}, both, "{}")
                                                 : CallXla(scope, "Qr", {m.a}, both, Facts::Rounded(2));
  const Value reflectors = scope.GetTupleElement(result, 0, Facts::Rounded(2));
  const Value tau = scope.GetTupleElement(result, 1, Facts::Rounded(2));
  switch (scope.random().Below(4)) {
    case 0:
      Call(scope, "orgqr", "ungqr", {reflectors, tau}, m.a.shape(), "{}");
      break;
    case 1:
      CallXla(scope, "ProductOfElementaryHouseholderReflectors", {reflectors, tau}, m.a.shape(), Facts::Rounded(2));
      break;
    case 2: {
      const bool left = scope.random().Chance(50);
      const int64_t other = scope.random().Between(1, 3);
      const Shape shape = left ? With(m, m.a.type(), {m.n, other}) : With(m, m.a.type(), {other, m.n});
      const Value c = scope.Fresh(shape, DataClass::kSmall);
      Call(scope, "ormqr", "unmqr", {reflectors, tau, c}, shape,
           absl::StrCat("{left = ", left ? "true" : "false",
                        ", transpose = ", scope.random().Chance(50) ? "true" : "false", "}"));
      break;
    }
    default:
      break;
  }
}

// dl, d, du and b of systems whose diagonal dominates.
void CallTridiagonalSolve(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kSmall);
  const Shape diagonal = With(m, m.a.type(), {m.n});
  const Value lower = scope.Fresh(diagonal, DataClass::kSmall), upper = scope.Fresh(diagonal, DataClass::kSmall);
  const Value middle =
      scope.Binary(HloOpcode::kAdd, scope.Fresh(diagonal, DataClass::kSmall), scope.Splat(diagonal, 16));
  const Shape b = m.a.shape();
  if (scope.random().Chance(50)) {
    CallXla(scope, "tridiagonal_solve_perturbed_ffi", {lower, middle, upper, m.a}, b, Facts::Rounded(2));
    return;
  }
  const Value result = Call(scope, "gtsv", "gtsv", {lower, middle, upper, m.a},
                            Shape::Tuple({diagonal, diagonal, diagonal, b, With(m, S32, {})}), "{}");
  scope.GetTupleElement(result, 3, Facts::Rounded(2));
}

// The operand itself, said something about.
void CallMark(Scope& scope) {
  static constexpr const char* kTargets[] = {"LayoutConstraint", "SetBound", "ShardBarrierFrom", "ShardBarrierTo"};
  const Matrices m = RandomMatrices(scope, DataClass::kSmall);
  CallXla(scope, scope.random().Pick(kTargets), {m.a}, m.a.shape(), m.a.facts);
}

// Zeros, added to something.
void CallAllocateBuffer(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kSmall);
  const Value zeros = CallXla(scope, "AllocateBuffer", {}, m.a.shape(), Facts::Whole(0, 0));
  scope.Binary(HloOpcode::kAdd, m.a, zeros);
}

Value Conjugate(Scope& scope, const Value& x) {
  if (!IsComplex(x.type())) return x;
  const Value imaginary = scope.Unary(HloOpcode::kImag, x);
  return scope.Binary(HloOpcode::kComplex, scope.Unary(HloOpcode::kReal, x),
                      scope.Unary(HloOpcode::kNegate, imaginary));
}

// v diag(w) v^H: what vectors are not unique in does not show there.
Value MultiplyBack(Scope& scope, const Value& vectors, const Value& values) {
  const int64_t batch_rank = vectors.rank() - 2;
  DimensionVector places = ToVector(Identity(batch_rank));
  places.push_back(batch_rank + 1);
  const Value wide =
      IsComplex(vectors.type()) ? scope.Convert(values, vectors.type()) : values;
  const Value scaled =
      scope.Binary(HloOpcode::kMultiply, vectors, scope.Broadcast(wide, vectors.dimensions(), places));
  return scope.Add(HloOpcode::kDot, {scaled, Conjugate(scope, vectors)}, Facts::Rounded(4),
                   {MakeAttributes<DotAttributes>([&](auto& a) {
                     a.lhs_batch_dims = a.rhs_batch_dims = ToVector(Identity(batch_rank));
                     a.lhs_contracting_dims = a.rhs_contracting_dims = {batch_rank + 1};
                   })});
}

// The vectors are looked at as a product only: they are unique except for their signs, phases and bases of equal values.
void CallSyevd(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kDefinite);
  const PrimitiveType type = m.a.type();
  const PrimitiveType real_type = IsComplex(type) ? ComplexComponentType(type) : type;
  const bool with_vectors = scope.random().Chance(50);
  const Shape shape = Shape::Tuple({m.a.shape(), With(m, real_type, {m.n}), With(m, S32, {})});
  const Value result =
      Call(scope, "syevd", "heevd", {m.a}, shape,
           absl::StrCat("{mode = ", with_vectors ? 86 : 78, " : ui8, ", Character(scope, "uplo", "LU"), "}"));
  const Value values = scope.GetTupleElement(result, 1, Facts::Rounded(4));
  if (with_vectors) {
    const size_t known = scope.values().size();
    const Value vectors = scope.GetTupleElement(result, 0, Facts::Rounded(4));
    const Value product = MultiplyBack(scope, vectors, values);
    const std::vector<Value> steps(scope.values().begin() + static_cast<std::ptrdiff_t>(known), scope.values().end());
    for (const Value& step : steps) {
      if (step.instruction != product.instruction) scope.Forget(step);
    }
    scope.Forget(result);
  }
  if (scope.random().Chance(50)) scope.GetTupleElement(result, 2, Facts::Whole(0, 0));
}

void CallTrsm(Scope& scope) {
  const Matrices m = RandomMatrices(scope, DataClass::kTriangular);
  const bool left = scope.random().Chance(50);
  const int64_t other = scope.random().Between(1, 3);
  const Shape shape = left ? With(m, m.a.type(), {m.n, other}) : With(m, m.a.type(), {other, m.n});
  std::vector<Value> operands = {m.a, scope.Fresh(shape, DataClass::kSmall)};
  if (scope.random().Chance(30)) operands.push_back(scope.Fresh(Shape::Scalar(m.a.type()), DataClass::kSmall));
  Call(scope, "trsm", "trsm", operands, shape,
       absl::StrCat("{", Character(scope, "diag", "NU"), ", side = ", left ? 76 : 82, " : ui8, ",
                    Character(scope, "trans_x", "NTC"), ", ", Character(scope, "uplo", "LU"), "}"));
}

}  // namespace

void LapackCallMove(Scope& scope) {
  static constexpr void (*kCalls[])(Scope&) = {
      &CallPotrf, &CallGetrf, &CallGeqrf, &CallSyevd, &CallTrsm, &CallTridiagonalSolve, &CallMark, &CallAllocateBuffer,
  };
  scope.random().Pick(kCalls)(scope);
}

}  // namespace xla
