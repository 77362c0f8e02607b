// LAPACK targets that find eigenvalues or singular values, which takes iterations. Operands -> results, info s32 last:
//   syevd   a -> eigenvectors, w[n] ascending, info                            mode V or N, uplo (heevd if complex)
//   gesdd   a -> a as LAPACK leaves it, s[k] descending, u, vt, info           mode A (u m by m, vt n by n), S (u m by
//   k, gesvd   the same by QR iteration                                           vt k by n) or N (either size, zero);
//   k =
//                                                                              min(m, n)
//   geev    a -> wr, wi (complex: w), vl, vr (complex), info                   compute_left, compute_right V or N
//   gees    a -> t, vs, wr, wi (complex: w), sdim s32, info                    mode V or N, sort N
// Matrices with NaN or infinities are not tried: they give NaN and info -4.
// Conventions as in JAX 0.10's lowerings for CPU.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

template <typename T>
struct Syevd {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char mode, call.attributes().GetChar("mode", "VN"));
    ASSIGN_OR_RETURN(const char uplo, call.attributes().GetChar("uplo", "LU"));
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.n, s.n}), s.Result(kReal, {s.n}), s.Result(S32, {})}));
    const int64_t elements = int64_t{s.n} * s.n;
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.n, s.n);
      if (!AllFinite(a)) {
        call.FillNan<T>(0, b, elements);
        call.FillNan<Real<T>>(1, b, s.n);
        return call.SetInfo(2, b, kNotFinite);
      }
      call.SetInfo(2, b, Run(mode, uplo, s.n, a.data(), call.ResultVector<Real<T>>(1, b, s.n)));
      call.StoreMatrix(0, b, s.n, s.n, a);
    });
  }

 private:
  static int Run(char mode, char uplo, int n, T* a, Real<T>* w) {
    const int lda = LeadingDimension(n);
    // Sizes of the other scratch arrays as the documentation of the routine gives them.
    const int64_t wide = n;
    const int liwork = static_cast<int>(mode == 'V' ? 3 + 5 * wide : 1);
    std::vector<int> iwork(liwork);
    if constexpr (kIsComplexElement<T>) {
      const int64_t lrwork_wide = mode == 'V' ? 1 + 5 * wide + 2 * wide * wide : std::max<int64_t>(1, wide);
      const int lrwork = static_cast<int>(std::min<int64_t>(lrwork_wide, std::numeric_limits<int>::max()));
      std::vector<Real<T>> rwork(lrwork);
      return WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
        LapackRoutines<T>::syevd(&mode, &uplo, &n, a, &lda, w, work, lwork, rwork.data(), &lrwork, iwork.data(),
                                 &liwork, info, 1, 1);
      });
    } else {
      return WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
        LapackRoutines<T>::syevd(&mode, &uplo, &n, a, &lda, w, work, lwork, iwork.data(), &liwork, info, 1, 1);
      });
    }
  }
};

// gesdd (divide and conquer) and gesvd (QR iteration).
template <typename T, bool kDivide>
struct SingularValues {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    ASSIGN_OR_RETURN(const char mode, call.attributes().GetChar("mode", "ASN"));
    int u_columns = mode == 'S' ? s.min() : s.m, vt_rows = mode == 'S' ? s.min() : s.n;
    const auto shapes = [&] {
      return std::vector<Shape>{s.Result(kType, {s.m, s.n}), s.Result(kReal, {s.min()}),
                                s.Result(kType, {s.m, u_columns}), s.Result(kType, {vt_rows, s.n}), s.Result(S32, {})};
    };
    // Without vectors their arrays may have either size.
    if (mode == 'N' && !Shape::Tuple(shapes()).Compatible(custom_call.instruction.shape())) {
      u_columns = vt_rows = s.min();
    }
    RETURN_IF_ERROR(call.SetResults(shapes()));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.m, s.n);
      if (!AllFinite(a)) {
        call.FillNan<T>(0, b, int64_t{s.m} * s.n);
        call.FillNan<Real<T>>(1, b, s.min());
        call.FillNan<T>(2, b, int64_t{s.m} * u_columns);
        call.FillNan<T>(3, b, int64_t{vt_rows} * s.n);
        return call.SetInfo(4, b, kNotFinite);
      }
      std::vector<T> u(std::max<int64_t>(1, int64_t{s.m} * u_columns)),
          vt(std::max<int64_t>(1, int64_t{vt_rows} * s.n));
      const int info = Run(mode, s, vt_rows, a.data(), call.ResultVector<Real<T>>(1, b, s.min()), u.data(), vt.data());
      call.StoreMatrix(0, b, s.m, s.n, a);
      call.StoreMatrix(2, b, s.m, u_columns, u);
      call.StoreMatrix(3, b, vt_rows, s.n, vt);
      call.SetInfo(4, b, info);
    });
  }

 private:
  static int Run(char mode, const LapackSizes& s, int vt_rows, T* a, Real<T>* values, T* u, T* vt) {
    const int lda = LeadingDimension(s.m), ldvt = LeadingDimension(vt_rows);
    // As the documentation of gesdd gives it, which is more than gesvd needs.
    const int64_t k = s.min(), l = s.max();
    [[maybe_unused]] std::vector<Real<T>> rwork(
        kIsComplexElement<T> ? std::max<int64_t>(1, k * std::max(5 * k + 7, 2 * l + 2 * k + 1)) : 1);
    [[maybe_unused]] std::vector<int> iwork(8 * k + 1);
    return WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
      if constexpr (kDivide && kIsComplexElement<T>) {
        LapackRoutines<T>::gesdd(&mode, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, rwork.data(),
                                 iwork.data(), info, 1);
      } else if constexpr (kDivide) {
        LapackRoutines<T>::gesdd(&mode, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, iwork.data(),
                                 info, 1);
      } else if constexpr (kIsComplexElement<T>) {
        LapackRoutines<T>::gesvd(&mode, &mode, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork,
                                 rwork.data(), info, 1, 1);
      } else {
        LapackRoutines<T>::gesvd(&mode, &mode, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, info, 1,
                                 1);
      }
    });
  }
};
template <typename T>
using Gesdd = SingularValues<T, true>;
template <typename T>
using Gesvd = SingularValues<T, false>;

// Eigenvectors of a real matrix: those of a conjugate pair come as two real columns, real part and imaginary part of
// the first.
template <typename R>
std::vector<std::complex<R>> UnpackVectors(int n, const R* imaginary, const std::vector<R>& packed) {
  std::vector<std::complex<R>> vectors(packed.begin(), packed.end());
  for (int64_t j = 0; j + 1 < n; ++j) {
    if (imaginary[j] == 0) continue;
    for (int64_t i = 0; i < n; ++i) {
      const R real = packed[j * n + i], imag = packed[(j + 1) * n + i];
      vectors[j * n + i] = {real, imag};
      vectors[(j + 1) * n + i] = {real, -imag};
    }
    ++j;
  }
  return vectors;
}

template <typename T>
struct Geev {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kComplex = PrimitiveTypeOf<Complex<T>>::value;
    constexpr int kValues = kIsComplexElement<T> ? 1 : 2;  // results before the vectors
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    const int n = s.n;
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char left, call.attributes().GetChar("compute_left", "VN"));
    ASSIGN_OR_RETURN(const char right, call.attributes().GetChar("compute_right", "VN"));
    std::vector<Shape> shapes(kValues, s.Result(kType, {n}));
    shapes.insert(shapes.end(), 2, s.Result(kComplex, {n, n}));
    shapes.push_back(s.Result(S32, {}));
    RETURN_IF_ERROR(call.SetResults(shapes));
    const int64_t elements = int64_t{n} * n;
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, n, n);
      if (!AllFinite(a)) {
        for (int i = 0; i < kValues; ++i) call.FillNan<T>(i, b, n);
        for (int i = 0; i < 2; ++i) call.FillNan<Complex<T>>(kValues + i, b, elements);
        return call.SetInfo(kValues + 2, b, kNotFinite);
      }
      const int lda = LeadingDimension(n);
      std::vector<T> vl(elements + 1), vr(elements + 1);
      T* const w = call.ResultVector<T>(0, b, n);
      [[maybe_unused]] T* const wi = call.ResultVector<T>(kValues - 1, b, n);
      [[maybe_unused]] std::vector<Real<T>> rwork(2 * n + 1);
      const int info = WithWorkspace<T>([&](T* work, const int* lwork, int* status) {
        if constexpr (kIsComplexElement<T>) {
          LapackRoutines<T>::geev(&left, &right, &n, a.data(), &lda, w, vl.data(), &lda, vr.data(), &lda, work, lwork,
                                  rwork.data(), status, 1, 1);
        } else {
          LapackRoutines<T>::geev(&left, &right, &n, a.data(), &lda, w, wi, vl.data(), &lda, vr.data(), &lda, work,
                                  lwork, status, 1, 1);
        }
      });
      if constexpr (kIsComplexElement<T>) {
        call.StoreMatrix(1, b, n, n, vl);
        call.StoreMatrix(2, b, n, n, vr);
      } else {
        call.StoreMatrix(2, b, n, n, UnpackVectors(n, wi, vl));
        call.StoreMatrix(3, b, n, n, UnpackVectors(n, wi, vr));
      }
      call.SetInfo(kValues + 2, b, info);
    });
  }
};

template <typename T>
struct Gees {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    constexpr int kValues = kIsComplexElement<T> ? 1 : 2;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    const int n = s.n;
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char mode, call.attributes().GetChar("mode", "VN"));
    // Sorting would need a function to select by, which the interface cannot name.
    ASSIGN_OR_RETURN(const char sort, call.attributes().GetChar("sort", "N"));
    std::vector<Shape> shapes(2, s.Result(kType, {n, n}));
    shapes.insert(shapes.end(), kValues, s.Result(kType, {n}));
    shapes.insert(shapes.end(), 2, s.Result(S32, {}));
    RETURN_IF_ERROR(call.SetResults(shapes));
    const int64_t elements = int64_t{n} * n;
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, n, n);
      if (!AllFinite(a)) {
        for (int i = 0; i < 2; ++i) call.FillNan<T>(i, b, elements);
        for (int i = 0; i < kValues; ++i) call.FillNan<T>(2 + i, b, n);
        return call.SetInfo(kValues + 3, b, kNotFinite);
      }
      const int lda = LeadingDimension(n);
      std::vector<T> vs(elements + 1);
      T* const w = call.ResultVector<T>(2, b, n);
      [[maybe_unused]] T* const wi = call.ResultVector<T>(kValues + 1, b, n);
      [[maybe_unused]] std::vector<Real<T>> rwork(n + 1);
      std::vector<int> bwork(n + 1);
      int sdim = 0;
      const int info = WithWorkspace<T>([&](T* work, const int* lwork, int* status) {
        if constexpr (kIsComplexElement<T>) {
          LapackRoutines<T>::gees(&mode, &sort, nullptr, &n, a.data(), &lda, &sdim, w, vs.data(), &lda, work, lwork,
                                  rwork.data(), bwork.data(), status, 1, 1);
        } else {
          LapackRoutines<T>::gees(&mode, &sort, nullptr, &n, a.data(), &lda, &sdim, w, wi, vs.data(), &lda, work, lwork,
                                  bwork.data(), status, 1, 1);
        }
      });
      call.StoreMatrix(0, b, n, n, a);
      call.StoreMatrix(1, b, n, n, vs);
      call.SetInfo(kValues + 2, b, sdim);
      call.SetInfo(kValues + 3, b, info);
    });
  }
};

}  // namespace

void AddDecompositions(std::vector<BuiltinCustomCall>& calls) {
  AddForAllTypes<Syevd>("syevd", "heevd", calls);
  AddForAllTypes<Gesdd>("gesdd", "gesdd", calls);
  AddForAllTypes<Gesvd>("gesvd", "gesvd", calls);
  AddForAllTypes<Geev>("geev", "geev", calls);
  AddForAllTypes<Gees>("gees", "gees", calls);
}

}  // namespace xla
