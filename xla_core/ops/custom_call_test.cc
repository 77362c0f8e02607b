#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/buffer_call.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/ops/ffi_attributes.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

SetAttributes Target(std::string target, std::string config = "") {
  return [=](HloInstruction& call) {
    call.mutable_attributes<CustomCallAttributes>().custom_call_target = target;
    if (!config.empty()) call.mutable_annotations().backend_config = config;
  };
}

absl::StatusOr<Literal> Call(std::string target, const Shape& shape, std::vector<Literal> operands,
                             std::string config = "") {
  return EvaluateOp(HloOpcode::kCustomCall, shape, std::move(operands), Target(target, config));
}

// ---- The operation and the registry

TEST(CustomCall, CallsWhatAProgramRegisters) {
  ASSERT_TRUE(CustomCallRegistry::Global()
                  .RegisterOriginal("test_swap",
                                    [](void* out, const void** in) {
                                      for (int i = 0; i < 2; ++i) {
                                        *static_cast<float*>(static_cast<void**>(out)[i]) =
                                            *static_cast<const float*>(in[1 - i]);
                                      }
                                    })
                  .ok());
  const auto result = Call("test_swap", Shape::Tuple({Shape::Scalar(F32), Shape::Scalar(F32)}),
                           {Literal::Scalar<float>(1), Literal::Scalar<float>(2)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->element(0).data<float>()[0], 2);
  EXPECT_EQ(result->element(1).data<float>()[0], 1);
  EXPECT_EQ(CustomCallRegistry::Global().Register("test_swap", nullptr).message(),
            "custom-call target 'test_swap' is registered already");
}

extern "C" void test_negate(void* out, void** in) { *static_cast<float*>(out) = -*static_cast<float*>(in[0]); }

TEST(CustomCall, CallsAFunctionWithTheSignatureOf2017) {
  ASSERT_TRUE(CustomCallRegistry::Global().RegisterOriginal("test_negate", &test_negate).ok());
  const auto result = Call("test_negate", Shape::Scalar(F32), {Literal::Scalar<float>(1)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data<float>()[0], -1);
}

// The parser finds both before.
TEST(CustomCall, RefusesConstraintsThatDoNotFit) {
  const Shape f2 = Shape::Array(F32, {2}), f3 = Shape::Array(F32, {3});
  const auto violations = [&](std::vector<Shape> constraints) {
    return ViolationsOf(HloOpcode::kCustomCall, f2, {f2}, [&](HloInstruction& call) {
      call.mutable_attributes<CustomCallAttributes>().operand_layout_constraints = constraints;
    });
  };
  EXPECT_EQ(violations({f2, f2}), "operand_layout_constraints must have one shape for each of the 1 operands, got 2");
  EXPECT_EQ(violations({f3}),
            "operand_layout_constraints must have the shapes of the operands: operand 0 is f32[2], got f32[3]");
}

TEST(FfiAttributes, ReadsADictionary) {
  const auto attributes = FfiAttributes::Parse(
      R"({uplo = 76 : ui8, high = -4 : i32, scale = 1.5e0 : f32, "name" = "a, \"b\"", on = true, flag, d = array<i64: 1, 2>})");
  ASSERT_TRUE(attributes.ok()) << attributes.status();
  EXPECT_EQ(*attributes->GetChar("uplo", "LU"), 'L');
  EXPECT_EQ(*attributes->GetInteger("high"), -4);
  EXPECT_EQ(*attributes->GetFloat("scale"), 1.5);
  EXPECT_EQ(*attributes->GetString("name"), "a, \"b\"");
  EXPECT_TRUE(*attributes->GetBool("on"));
  EXPECT_TRUE(*attributes->GetBool("flag"));
  EXPECT_TRUE(attributes->Has("d"));
  EXPECT_TRUE(FfiAttributes::Parse("").ok() && FfiAttributes::Parse(" { } ").ok());
}

TEST(FfiAttributes, RefusesOtherThings) {
  EXPECT_EQ(FfiAttributes::Parse("{a = [1}").status().message(),
            "backend_config must be a dictionary {key = value : type, ...}, got {a = [1}");
  EXPECT_EQ(FfiAttributes::Parse("{a = 1, a = 2}").status().message(), "backend_config names a twice: {a = 1, a = 2}");
  const FfiAttributes attributes = *FfiAttributes::Parse("{uplo = 76 : ui8, name = \"x\"}");
  EXPECT_EQ(attributes.GetInteger("low").status().message(),
            "backend_config lacks the attribute low; it has {name, uplo}");
  EXPECT_EQ(attributes.GetInteger("name").status().message(), "attribute name must be an integer, got \"x\"");
  EXPECT_EQ(attributes.GetChar("uplo", "VN").status().message(),
            "attribute uplo must be the code of one of the letters VN, got 76");
}

// ---- XLA's own targets

TEST(XlaCustomCalls, GetRngSeed) { EXPECT_EQ(Call("GetRngSeed", Shape::Scalar(U64), {})->data<uint64_t>()[0], 42u); }

// ---- LAPACK, by what its results must satisfy

template <typename T>
struct ElementTraits {
  using Real = T;
  static T Make(double real, double) { return static_cast<T>(real); }
  static T Conj(T x) { return x; }
};
template <typename R>
struct ElementTraits<std::complex<R>> {
  using Real = R;
  static std::complex<R> Make(double real, double imag) { return {static_cast<R>(real), static_cast<R>(imag)}; }
  static std::complex<R> Conj(std::complex<R> x) { return std::conj(x); }
};

template <typename T>
class Lapack : public ::testing::Test {
 protected:
  using Real = typename ElementTraits<T>::Real;
  using C = std::complex<Real>;
  static constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
  static constexpr PrimitiveType kReal = PrimitiveTypeOf<Real>::value;
  static constexpr PrimitiveType kComplex = PrimitiveTypeOf<C>::value;
  static constexpr bool kIsComplex = !std::is_same_v<T, Real>;
  static constexpr double kTolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
  static constexpr int64_t kBatch = 2;

  static std::string Name(std::string real, std::string complex) {
    const char letter = kType == F32 ? 's' : kType == F64 ? 'd' : kType == C64 ? 'c' : 'z';
    return absl::StrCat("lapack_", std::string(1, letter), kIsComplex ? complex : real, "_ffi");
  }
  static std::string Name(std::string name) { return Name(name, name); }

  using Matrix = std::vector<T>;  // row-major

  // A batch of matrices without structure.
  static Literal Random(std::vector<int64_t> dims, int seed = 1) {
    std::vector<T> values(Shape::Array(kType, dims).ElementCount());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = ElementTraits<T>::Make(std::sin(1.3 * i * i + seed), std::cos(2.1 * i + seed));
    }
    return Literal::FromValues<T>(dims, absl::Span<const T>(values));
  }
  // The same, Hermitian with a heavy diagonal.
  static Literal Hermitian(int64_t n) {
    Literal a = Random({kBatch, n, n});
    for (int64_t b = 0; b < kBatch; ++b) {
      T* const m = a.mutable_data<T>() + b * n * n;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) m[j * n + i] = ElementTraits<T>::Conj(m[i * n + j]);
        m[i * n + i] = T(static_cast<Real>(n + i));
      }
    }
    return a;
  }
  template <typename E>
  static std::vector<E> Part(const Literal& literal, int64_t b, int64_t count) {
    const E* const data = literal.data<E>() + b * count;
    return std::vector<E>(data, data + count);
  }
  template <typename E>
  static std::vector<E> Product(const std::vector<E>& a, const std::vector<E>& b, int64_t m, int64_t k, int64_t n) {
    std::vector<E> c(m * n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
      }
    }
    return c;
  }
  template <typename E>
  static std::vector<E> Adjoint(const std::vector<E>& a, int64_t m, int64_t n) {
    std::vector<E> result(a.size());
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) result[j * m + i] = ElementTraits<E>::Conj(a[i * n + j]);
    }
    return result;
  }
  template <typename E>
  static void ExpectNear(const std::vector<E>& got, const std::vector<E>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(std::abs(got[i] - want[i]), 0, kTolerance * 10) << i;
  }
  static Shape Of(PrimitiveType type, std::vector<int64_t> dims) {
    dims.insert(dims.begin(), kBatch);
    return Shape::Array(type, dims);
  }
};

// One real and one complex type: the others differ in the letter of the routine, and every type costs seconds to
// compile.
using ElementTypes = ::testing::Types<float, complex128>;
TYPED_TEST_SUITE(Lapack, ElementTypes);

TYPED_TEST(Lapack, Potrf) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 4;
  const Literal a = F::Hermitian(n);
  const auto r =
      Call(F::Name("potrf"), Shape::Tuple({F::Of(F::kType, {n, n}), F::Of(S32, {})}), {a}, "{uplo = 76 : ui8}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    auto l = F::template Part<T>(r->element(0), b, n * n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n; ++j) l[i * n + j] = 0;
    }
    F::ExpectNear(F::Product(l, F::Adjoint(l, n, n), n, n, n), F::template Part<T>(a, b, n * n));
    EXPECT_EQ(r->element(1).template data<int32_t>()[b], 0);
  }
}

TYPED_TEST(Lapack, Getrf) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t m = 5, n = 3;
  const Literal a = F::Random({F::kBatch, m, n});
  const auto r = Call(F::Name("getrf"), Shape::Tuple({F::Of(F::kType, {m, n}), F::Of(S32, {n}), F::Of(S32, {})}), {a});
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    const auto lu = F::template Part<T>(r->element(0), b, m * n);
    std::vector<T> l(m * n), u(n * n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (i <= j) u[i * n + j] = lu[i * n + j];
        l[i * n + j] = i > j ? lu[i * n + j] : i == j ? T(1) : T(0);
      }
    }
    auto want = F::template Part<T>(a, b, m * n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t pivot = r->element(1).template data<int32_t>()[b * n + i] - 1;
      ASSERT_GE(pivot, i);
      if (pivot != i) std::swap_ranges(&want[i * n], &want[i * n] + n, &want[pivot * n]);
    }
    F::ExpectNear(F::Product(l, u, m, n, n), want);
  }
}

TYPED_TEST(Lapack, GeqrfGeqp3AndOrgqr) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t m = 5, n = 3;
  const Literal a = F::Random({F::kBatch, m, n});
  const Literal pivots = *Literal::Zeros(F::Of(S32, {n}));
  for (const bool pivoted : {false, true}) {
    std::vector<Shape> shapes = {F::Of(F::kType, {m, n}), F::Of(F::kType, {n})};
    if (pivoted) shapes.insert(shapes.begin() + 1, F::Of(S32, {n}));
    const auto r = pivoted ? Call(F::Name("geqp3"), Shape::Tuple(shapes), {a, pivots})
                           : Call(F::Name("geqrf"), Shape::Tuple(shapes), {a}, "{}");
    ASSERT_TRUE(r.ok()) << r.status();
    const auto q =
        Call(F::Name("orgqr", "ungqr"), F::Of(F::kType, {m, n}), {r->element(0), r->element(pivoted ? 2 : 1)});
    ASSERT_TRUE(q.ok()) << q.status();
    for (int64_t b = 0; b < F::kBatch; ++b) {
      auto upper = F::template Part<T>(r->element(0), b, m * n);
      upper.resize(n * n);
      for (int64_t i = 0; i < n; ++i) std::fill_n(&upper[i * n], i, T(0));
      const auto want = F::template Part<T>(a, b, m * n);
      auto permuted = want;
      for (int64_t j = 0; pivoted && j < n; ++j) {
        const int64_t from = r->element(1).template data<int32_t>()[b * n + j] - 1;
        for (int64_t i = 0; i < m; ++i) permuted[i * n + j] = want[i * n + from];
      }
      F::ExpectNear(F::Product(F::template Part<T>(*q, b, m * n), upper, m, n, n), permuted);
    }
  }
}

TYPED_TEST(Lapack, Syevd) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 4;
  const Literal a = F::Hermitian(n);
  const auto r = Call(F::Name("syevd", "heevd"), Shape::Tuple({a.shape(), F::Of(F::kReal, {n}), F::Of(S32, {})}), {a},
                      "{mode = 86 : ui8, uplo = 76 : ui8}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    const auto v = F::template Part<T>(r->element(0), b, n * n);
    const auto w = F::template Part<typename F::Real>(r->element(1), b, n);
    std::vector<T> diagonal(n * n);
    for (int64_t i = 0; i < n; ++i) diagonal[i * n + i] = w[i];
    F::ExpectNear(F::Product(F::Product(v, diagonal, n, n, n), F::Adjoint(v, n, n), n, n, n),
                  F::template Part<T>(a, b, n * n));
  }
}

TYPED_TEST(Lapack, SingularValues) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t m = 5, n = 3;
  const Literal a = F::Random({F::kBatch, m, n});
  for (const char* routine : {"gesdd", "gesvd"}) {
    for (const bool full : {false, true}) {
      const int64_t columns = full ? m : n;
      const auto r = Call(F::Name(routine),
                          Shape::Tuple({a.shape(), F::Of(F::kReal, {n}), F::Of(F::kType, {m, columns}),
                                        F::Of(F::kType, {n, n}), F::Of(S32, {})}),
                          {a}, full ? "{mode = 65 : ui8}" : "{mode = 83 : ui8}");
      ASSERT_TRUE(r.ok()) << r.status();
      for (int64_t b = 0; b < F::kBatch; ++b) {
        const auto s = F::template Part<typename F::Real>(r->element(1), b, n);
        std::vector<T> diagonal(columns * n);
        for (int64_t i = 0; i < n; ++i) diagonal[i * n + i] = s[i];
        const auto u = F::template Part<T>(r->element(2), b, m * columns);
        F::ExpectNear(
            F::Product(F::Product(u, diagonal, m, columns, n), F::template Part<T>(r->element(3), b, n * n), m, n, n),
            F::template Part<T>(a, b, m * n));
      }
    }
  }
}

TYPED_TEST(Lapack, Geev) {
  using T = TypeParam;
  using F = Lapack<T>;
  using C = typename F::C;
  const int64_t n = 5;
  const Literal a = F::Random({F::kBatch, n, n});
  std::vector<Shape> shapes(F::kIsComplex ? 1 : 2, F::Of(F::kType, {n}));
  const int vectors = static_cast<int>(shapes.size());
  shapes.insert(shapes.end(), 2, F::Of(F::kComplex, {n, n}));
  shapes.push_back(F::Of(S32, {}));
  const auto r =
      Call(F::Name("geev"), Shape::Tuple(shapes), {a}, "{compute_left = 86 : ui8, compute_right = 86 : ui8}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    std::vector<C> diagonal(n * n);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (F::kIsComplex) {
        diagonal[i * n + i] = r->element(0).template data<T>()[b * n + i];
      } else {
        diagonal[i * n + i] =
            C(r->element(0).template data<T>()[b * n + i], r->element(1).template data<T>()[b * n + i]);
      }
    }
    const auto real_a = F::template Part<T>(a, b, n * n);
    const std::vector<C> wide_a(real_a.begin(), real_a.end());
    const auto vr = F::template Part<C>(r->element(vectors + 1), b, n * n);
    F::ExpectNear(F::Product(wide_a, vr, n, n, n), F::Product(vr, diagonal, n, n, n));
    const auto vl = F::Adjoint(F::template Part<C>(r->element(vectors), b, n * n), n, n);
    F::ExpectNear(F::Product(vl, wide_a, n, n, n), F::Product(diagonal, vl, n, n, n));
  }
}

TYPED_TEST(Lapack, Gees) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 4;
  const Literal a = F::Random({F::kBatch, n, n});
  std::vector<Shape> shapes(2, a.shape());
  shapes.insert(shapes.end(), F::kIsComplex ? 1 : 2, F::Of(F::kType, {n}));
  shapes.insert(shapes.end(), 2, F::Of(S32, {}));
  const auto r = Call(F::Name("gees"), Shape::Tuple(shapes), {a}, "{mode = 86 : ui8, sort = 78 : ui8}");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    const auto t = F::template Part<T>(r->element(0), b, n * n), v = F::template Part<T>(r->element(1), b, n * n);
    F::ExpectNear(F::Product(F::Product(v, t, n, n, n), F::Adjoint(v, n, n), n, n, n),
                  F::template Part<T>(a, b, n * n));
    EXPECT_EQ(t[2 * n + 0], T(0));
  }
}

TYPED_TEST(Lapack, TridiagonalAndHessenbergFormsKeepTheTrace) {
  using T = TypeParam;
  using F = Lapack<T>;
  using R = typename F::Real;
  const int64_t n = 4;
  const Literal a = F::Hermitian(n);
  const auto tridiagonal = Call(F::Name("sytrd", "hetrd"),
                                Shape::Tuple({a.shape(), F::Of(F::kReal, {n}), F::Of(F::kReal, {n - 1}),
                                              F::Of(F::kType, {n - 1}), F::Of(S32, {})}),
                                {a}, "{uplo = 76 : ui8}");
  ASSERT_TRUE(tridiagonal.ok()) << tridiagonal.status();
  const auto hessenberg = Call(F::Name("gehrd"), Shape::Tuple({a.shape(), F::Of(F::kType, {n - 1}), F::Of(S32, {})}),
                               {a}, "{high = 4 : i32, low = 1 : i32}");
  ASSERT_TRUE(hessenberg.ok()) << hessenberg.status();
  R want = 0, d_sum = 0;
  T h_sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    want += std::real(a.template data<T>()[i * n + i]);
    d_sum += tridiagonal->element(1).template data<R>()[i];
    h_sum += hessenberg->element(0).template data<T>()[i * n + i];
  }
  EXPECT_NEAR(d_sum, want, F::kTolerance * 10);
  EXPECT_NEAR(std::abs(h_sum - T(want)), 0, F::kTolerance * 10);
}

TYPED_TEST(Lapack, TrsmSolvesOnEitherSide) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 3, m = 2;
  const Literal a = F::Hermitian(n);
  for (const bool left : {true, false}) {
    const Literal b =
        F::Random(left ? std::vector<int64_t>{F::kBatch, n, m} : std::vector<int64_t>{F::kBatch, m, n}, 5);
    const auto x =
        Call(F::Name("trsm"), b.shape(), {a, b},
             absl::StrCat("{diag = 78 : ui8, side = ", left ? 76 : 82, " : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}"));
    ASSERT_TRUE(x.ok()) << x.status();
    for (int64_t i = 0; i < F::kBatch; ++i) {
      auto upper = F::template Part<T>(a, i, n * n);
      for (int64_t row = 0; row < n; ++row) std::fill_n(&upper[row * n], row, T(0));
      const auto op = F::Adjoint(upper, n, n);
      const auto part = F::template Part<T>(*x, i, n * m);
      F::ExpectNear(left ? F::Product(op, part, n, n, m) : F::Product(part, op, m, n, n),
                    F::template Part<T>(b, i, n * m));
    }
  }
}

TYPED_TEST(Lapack, GtsvSolvesTridiagonalSystems) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 4, k = 2;
  const Literal dl = F::Random({F::kBatch, n}, 1), d = F::Random({F::kBatch, n}, 2), du = F::Random({F::kBatch, n}, 3);
  const Literal b = F::Random({F::kBatch, n, k}, 4);
  const auto r =
      Call(F::Name("gtsv"), Shape::Tuple({d.shape(), d.shape(), d.shape(), b.shape(), F::Of(S32, {})}), {dl, d, du, b});
  ASSERT_TRUE(r.ok()) << r.status();
  for (int64_t i = 0; i < F::kBatch; ++i) {
    std::vector<T> a(n * n);
    for (int64_t j = 0; j < n; ++j) {
      if (j > 0) a[j * n + j - 1] = dl.template data<T>()[i * n + j];
      a[j * n + j] = d.template data<T>()[i * n + j];
      if (j + 1 < n) a[j * n + j + 1] = du.template data<T>()[i * n + j];
    }
    F::ExpectNear(F::Product(a, F::template Part<T>(r->element(3), i, n * k), n, n, k),
                  F::template Part<T>(b, i, n * k));
  }
}

TYPED_TEST(Lapack, OrmqrMultipliesByTheProductOfReflectors) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t m = 5, n = 2;
  const Literal a = F::Random({F::kBatch, m, m});
  const auto r = Call(F::Name("geqrf"), Shape::Tuple({a.shape(), F::Of(F::kType, {m})}), {a}, "{}");
  ASSERT_TRUE(r.ok()) << r.status();
  const auto q = Call(F::Name("orgqr", "ungqr"), a.shape(), {r->element(0), r->element(1)});
  ASSERT_TRUE(q.ok()) << q.status();
  for (const bool left : {true, false}) {
    const Literal c = left ? F::Random({F::kBatch, m, n}, 3) : F::Random({F::kBatch, n, m}, 3);
    for (const bool transpose : {true, false}) {
      const auto product =
          Call(F::Name("ormqr", "unmqr"), c.shape(), {r->element(0), r->element(1), c},
               absl::StrCat("{left = ", left ? "true" : "false", ", transpose = ", transpose ? "true" : "false", "}"));
      ASSERT_TRUE(product.ok()) << product.status();
      for (int64_t b = 0; b < F::kBatch; ++b) {
        auto factor = F::template Part<T>(*q, b, m * m);
        if (transpose) factor = F::Adjoint(factor, m, m);
        const auto part = F::template Part<T>(c, b, m * n);
        F::ExpectNear(F::template Part<T>(*product, b, m * n),
                      left ? F::Product(factor, part, m, m, n) : F::Product(part, factor, n, m, m));
      }
    }
  }
}

TYPED_TEST(Lapack, QrAndItsReflectorsAreXlasTargetsToo) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t m = 4, n = 3;
  const Literal a = F::Random({F::kBatch, m, n});
  const auto r = Call("Qr", Shape::Tuple({a.shape(), F::Of(F::kType, {n})}), {a});
  ASSERT_TRUE(r.ok()) << r.status();
  const auto q =
      Call("ProductOfElementaryHouseholderReflectors", a.shape(), {r->element(0), r->element(1)}, "not a dictionary");
  ASSERT_TRUE(q.ok()) << q.status();
  for (int64_t b = 0; b < F::kBatch; ++b) {
    auto upper = F::template Part<T>(r->element(0), b, m * n);
    upper.resize(n * n);
    for (int64_t i = 0; i < n; ++i) std::fill_n(&upper[i * n], i, T(0));
    F::ExpectNear(F::Product(F::template Part<T>(*q, b, m * n), upper, m, n, n), F::template Part<T>(a, b, m * n));
  }
}

TYPED_TEST(Lapack, PerturbedTridiagonalSolve) {
  using T = TypeParam;
  using F = Lapack<T>;
  const int64_t n = 5, k = 2;
  const Literal dl = F::Random({F::kBatch, n}, 1), d = F::Random({F::kBatch, n}, 2), du = F::Random({F::kBatch, n}, 3);
  const Literal b = F::Random({F::kBatch, n, k}, 4);
  const auto x = Call("tridiagonal_solve_perturbed_ffi", b.shape(), {dl, d, du, b});
  ASSERT_TRUE(x.ok()) << x.status();
  for (int64_t i = 0; i < F::kBatch; ++i) {
    std::vector<T> a(n * n);
    for (int64_t j = 0; j < n; ++j) {
      if (j > 0) a[j * n + j - 1] = dl.template data<T>()[i * n + j];
      a[j * n + j] = d.template data<T>()[i * n + j];
      if (j + 1 < n) a[j * n + j + 1] = du.template data<T>()[i * n + j];
    }
    F::ExpectNear(F::Product(a, F::template Part<T>(*x, i, n * k), n, n, k), F::template Part<T>(b, i, n * k));
  }
}

// What jaxlib 0.10.2 registers for linear algebra on CPU.
TEST(LapackTargets, AreThoseOfJaxlib) {
  std::vector<std::string> expected = {"tridiagonal_solve_perturbed_ffi"};
  for (const char* name :
       {"gees", "geev", "gehrd", "geqp3", "geqrf", "gesdd", "gesvd", "getrf", "gtsv", "potrf", "trsm"}) {
    for (const char* letter : {"s", "d", "c", "z"}) expected.push_back(absl::StrCat("lapack_", letter, name, "_ffi"));
  }
  for (const char* name : {"orgqr", "ormqr", "syevd", "sytrd"}) {
    for (const char* letter : {"s", "d"}) expected.push_back(absl::StrCat("lapack_", letter, name, "_ffi"));
  }
  for (const char* name : {"ungqr", "unmqr", "heevd", "hetrd"}) {
    for (const char* letter : {"c", "z"}) expected.push_back(absl::StrCat("lapack_", letter, name, "_ffi"));
  }
  EXPECT_EQ(expected.size(), 61u);
  expected.push_back("Qr");
  expected.push_back("ProductOfElementaryHouseholderReflectors");
  expected.push_back("cpu_csr_sparse_dense_ffi");
  std::vector<std::string> got;
  for (const BufferCallTarget& target : BufferCallTargets()) {
    got.push_back(target.name);
    EXPECT_TRUE(CustomCallRegistry::Global().Find(target.name).ok()) << target.name;
    EXPECT_EQ(FindBufferCall(target.name), target.make);
  }
  EXPECT_THAT(got, ::testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace xla
