// LAPACK targets that find eigenvalues or singular values, which takes iterations. Operands -> results, info s32 last:
//   syevd   a -> eigenvectors, w[n] ascending, info                            mode V or N, uplo (heevd if complex)
//   gesdd   a -> a as LAPACK leaves it, s[k] descending, u, vt, info           mode A (u m by m, vt n by n), S (u m by
//   gesvd   the same by QR iteration                                           k, vt k by n) or N (either size, zero);
//                                                                              k = min(m, n)
//   geev    a -> wr, wi (complex: w), vl, vr (complex), info                   compute_left, compute_right V or N
//   gees    a -> t, vs, wr, wi (complex: w), sdim s32, info                    mode V or N, sort N
// What is not computed, because nothing asks or because the iterations failed, is zero. Matrices with NaN or infinities
// are not tried: they give NaN and info -4.
// Conventions as in JAX 0.10's lowerings for CPU.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

template <typename T>
class Syevd : public LapackCall {
 public:
  // syevd / heevd: the routine is asked for its workspace with lwork = -1, and the documented minimum counts if that
  // is more.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(mode_, attributes().GetChar("mode", "VN"));
    ASSIGN_OR_RETURN(uplo_, attributes().GetChar("uplo", "LU"));
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.n, s.n}), s.Result(kReal, {s.n}), s.Result(S32, {})}));
    InPlace(0, 0);
    // As the documentation of the routine gives them.
    const double n = s.n;
    RETURN_IF_ERROR(CheckWorkspace(2 * n * n + 256 * n + 1));
    const int64_t wide = s.n;
    const bool vectors = mode_ == 'V';
    liwork_ = static_cast<int>(vectors ? 3 + 5 * wide : 1);
    iwork_ = Reserve<int>(liwork_);
    int64_t least = vectors ? 1 + 6 * wide + 2 * wide * wide : 2 * wide + 1;
    if (kIsComplexElement<T>) {
      lrwork_ = static_cast<int>(vectors ? 1 + 5 * wide + 2 * wide * wide : std::max<int64_t>(1, wide));
      rwork_ = Reserve<Real<T>>(lrwork_);
      least = vectors ? 2 * wide + wide * wide : wide + 1;
    }
    ReserveWorkspace<T>(least, [&](T* work, const int* lwork, int* info) {
      // Nothing is written but the sizes, one of each kind.
      int integers = 0;
      Real<T> reals = 0;
      Call(nullptr, nullptr, work, lwork, &reals, &integers, info);
    });
    SetCost(10 * n * n * n);
    return absl::OkStatus();
  }
  // With NaN or infinities the iteration might not end: results are NaN and info is kNotFinite instead.
  void RunPart(int64_t b, const Memory& memory) const override {
    const int64_t n = sizes().n;
    T* const a = Start<T>(0, 0, b, memory);
    if (!AllFinite(a, n * n)) {
      FillNan<T>(0, b, memory);
      FillNan<Real<T>>(1, b, memory);
      return SetInteger(2, b, kNotFinite, memory);
    }
    Clear<Real<T>>(1, b, memory);
    int info = 0;
    Call(a, Result<Real<T>>(1, b, memory), work<T>(memory), lwork(), Scratch<Real<T>>(memory, rwork_),
         Scratch<int>(memory, iwork_), &info);
    Finish<T>(0, b, memory);
    Finish<Real<T>>(1, b, memory);
    SetInteger(2, b, info, memory);
  }

 private:
  void Call(T* a, Real<T>* w, T* work, const int* lwork, [[maybe_unused]] Real<T>* rwork, int* iwork, int* info) const {
    const int lda = LeadingDimension(sizes().n);
    if constexpr (kIsComplexElement<T>) {
      LapackRoutines<T>::syevd(&mode_, &uplo_, &sizes().n, a, &lda, w, work, lwork, rwork, &lrwork_, iwork, &liwork_,
                               info, 1, 1);
    } else {
      LapackRoutines<T>::syevd(&mode_, &uplo_, &sizes().n, a, &lda, w, work, lwork, iwork, &liwork_, info, 1, 1);
    }
  }

  char mode_ = 'V';
  char uplo_ = 'L';
  int liwork_ = 1;
  int lrwork_ = 1;
  int64_t iwork_ = 0;
  int64_t rwork_ = 0;
};

// gesdd (divide and conquer) and gesvd (QR iteration).
template <typename T, bool kDivide>
class SingularValues : public LapackCall {
 public:
  // gesdd / gesvd. mode: A all vectors, S the first min(m, n), N none; then the arrays of vectors may have either
  // size.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(mode_, attributes().GetChar("mode", "ASN"));
    int u_columns = mode_ == 'S' ? s.min() : s.m;
    vt_rows_ = mode_ == 'S' ? s.min() : s.n;
    const auto shapes = [&] {
      return std::vector<Shape>{s.Result(kType, {s.m, s.n}), s.Result(kReal, {s.min()}),
                                s.Result(kType, {s.m, u_columns}), s.Result(kType, {vt_rows_, s.n}), s.Result(S32, {})};
    };
    // Without vectors their arrays may have either size.
    if (mode_ == 'N' && !HasResults(shapes())) u_columns = vt_rows_ = s.min();
    RETURN_IF_ERROR(SetResults(shapes()));
    InPlace(0, 0);
    // More than any way through the routines needs.
    const double k = s.min(), l = s.max();
    RETURN_IF_ERROR(CheckWorkspace(5 * k * k + 2 * k * l + 256 * (k + l)));
    const int64_t wide = s.min(), long_side = s.max();
    iwork_ = Reserve<int>(8 * wide);
    // As the documentation of gesdd gives them, which is more than gesvd needs.
    if (kIsComplexElement<T>) {
      rwork_ = Reserve<Real<T>>(wide * std::max(5 * wide + 7, 2 * long_side + 2 * wide + 1));
    }
    ReserveWorkspace<T>(LeastWorkspace(wide, long_side), [&](T* work, const int* lwork, int* info) {
      Real<T> reals = 0;
      int integers = 0;
      Call(nullptr, nullptr, nullptr, nullptr, work, lwork, &reals, &integers, info);
    });
    SetCost(15 * k * k * l);
    return absl::OkStatus();
  }
  // Clears results first: a routine that fails leaves parts of them unwritten.
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    if (!AllFinite(a, int64_t{sizes().m} * sizes().n)) {
      for (const int j : {0, 2, 3}) FillNan<T>(j, b, memory);
      FillNan<Real<T>>(1, b, memory);
      return SetInteger(4, b, kNotFinite, memory);
    }
    Clear<Real<T>>(1, b, memory);
    for (const int j : {2, 3}) Clear<T>(j, b, memory);
    int info = 0;
    Call(a, Result<Real<T>>(1, b, memory), Result<T>(2, b, memory), Result<T>(3, b, memory), work<T>(memory), lwork(),
         Scratch<Real<T>>(memory, rwork_), Scratch<int>(memory, iwork_), &info);
    Finish<T>(0, b, memory);
    Finish<Real<T>>(1, b, memory);
    for (const int j : {2, 3}) Finish<T>(j, b, memory);
    SetInteger(4, b, info, memory);
  }

 private:
  static int64_t LeastWorkspace(int64_t k, int64_t l) {
    if (!kDivide) return 5 * k + l;
    return kIsComplexElement<T> ? k * k + 3 * k + l : 4 * k * k + 7 * k + l;
  }

  // The four routines differ in their workspaces only. The trailing 1s are the hidden lengths of Fortran character
  // arguments.
  void Call(T* a, Real<T>* values, T* u, T* vt, T* work, const int* lwork, [[maybe_unused]] Real<T>* rwork,
            [[maybe_unused]] int* iwork, int* info) const {
    const LapackSizes& s = sizes();
    const int lda = LeadingDimension(s.m), ldvt = LeadingDimension(vt_rows_);
    if constexpr (kDivide && kIsComplexElement<T>) {
      LapackRoutines<T>::gesdd(&mode_, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, rwork, iwork, info,
                               1);
    } else if constexpr (kDivide) {
      LapackRoutines<T>::gesdd(&mode_, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, iwork, info, 1);
    } else if constexpr (kIsComplexElement<T>) {
      LapackRoutines<T>::gesvd(&mode_, &mode_, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, rwork,
                               info, 1, 1);
    } else {
      LapackRoutines<T>::gesvd(&mode_, &mode_, &s.m, &s.n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, info, 1,
                               1);
    }
  }

  char mode_ = 'A';
  int vt_rows_ = 0;
  int64_t iwork_ = 0;
  int64_t rwork_ = 0;
};
template <typename T>
using Gesdd = SingularValues<T, true>;
template <typename T>
using Gesvd = SingularValues<T, false>;

// Eigenvectors of a real matrix: those of a conjugate pair come as two real columns, real part and imaginary part of
// the first.
template <typename R>
void UnpackVectors(int64_t n, const R* imaginary, const R* packed, std::complex<R>* vectors) {
  std::copy_n(packed, n * n, vectors);
  for (int64_t j = 0; j + 1 < n; ++j) {
    if (imaginary[j] == 0) continue;
    for (int64_t i = 0; i < n; ++i) {
      const R real = packed[j * n + i], imag = packed[(j + 1) * n + i];
      vectors[j * n + i] = {real, imag};
      vectors[(j + 1) * n + i] = {real, -imag};
    }
    ++j;
  }
}

template <typename T>
class Geev : public LapackCall {
 public:
  // geev. Real routines give complex eigenvectors as pairs of real columns, which are unpacked afterwards.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kComplex = PrimitiveTypeOf<Complex<T>>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(sides_[0], attributes().GetChar("compute_left", "VN"));
    ASSIGN_OR_RETURN(sides_[1], attributes().GetChar("compute_right", "VN"));
    std::vector<Shape> shapes(kValues, s.Result(kType, {s.n}));
    shapes.insert(shapes.end(), 2, s.Result(kComplex, {s.n, s.n}));
    shapes.push_back(s.Result(S32, {}));
    RETURN_IF_ERROR(SetResults(shapes));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    CopyOperand(0);
    const int64_t n = s.n;
    if (kIsComplexElement<T>) {
      rwork_ = Reserve<Real<T>>(2 * n);
    } else {
      for (int64_t& vectors : packed_) vectors = Reserve<T>(n * n);
    }
    ReserveWorkspace<T>(4 * n, [&](T* work, const int* lwork, int* info) {
      // It says here how much it needs.
      Real<T> reals = 0;
      Call(nullptr, nullptr, nullptr, nullptr, nullptr, work, lwork, &reals, info);
    });
    SetCost(25.0 * s.n * s.n * s.n);
    return absl::OkStatus();
  }
  // As for the symmetric decomposition, NaN and infinities are not given to LAPACK.
  void RunPart(int64_t b, const Memory& memory) const override {
    const int64_t n = sizes().n;
    T* const a = Operand<T>(0, b, memory);
    if (!AllFinite(a, n * n)) {
      for (int j = 0; j < kValues; ++j) FillNan<T>(j, b, memory);
      for (int j = 0; j < 2; ++j) FillNan<Complex<T>>(kValues + j, b, memory);
      return SetInteger(kValues + 2, b, kNotFinite, memory);
    }
    T* const w = Result<T>(0, b, memory);
    T* const wi = Result<T>(kValues - 1, b, memory);
    T* vectors[2];
    for (int side = 0; side < 2; ++side) {
      if constexpr (kIsComplexElement<T>) {
        Clear<T>(kValues + side, b, memory);
        vectors[side] = Result<T>(kValues + side, b, memory);
      } else {
        vectors[side] = Scratch<T>(memory, packed_[side]);
        std::fill_n(vectors[side], n * n, T(0));
      }
    }
    for (int j = 0; j < kValues; ++j) Clear<T>(j, b, memory);
    int info = 0;
    Call(a, w, wi, vectors[0], vectors[1], work<T>(memory), lwork(), Scratch<Real<T>>(memory, rwork_), &info);
    for (int side = 0; side < 2; ++side) {
      const int j = kValues + side;
      if constexpr (!kIsComplexElement<T>) UnpackVectors(n, wi, vectors[side], Result<Complex<T>>(j, b, memory));
      Finish<Complex<T>>(j, b, memory);
    }
    for (int j = 0; j < kValues; ++j) Finish<T>(j, b, memory);
    SetInteger(kValues + 2, b, info, memory);
  }

 private:
  static constexpr int kValues = kIsComplexElement<T> ? 1 : 2;  // results before the vectors

  void Call(T* a, T* w, [[maybe_unused]] T* wi, T* vl, T* vr, T* work, const int* lwork,
            [[maybe_unused]] Real<T>* rwork, int* info) const {
    const int n = sizes().n, lda = LeadingDimension(n);
    if constexpr (kIsComplexElement<T>) {
      LapackRoutines<T>::geev(&sides_[0], &sides_[1], &n, a, &lda, w, vl, &lda, vr, &lda, work, lwork, rwork, info, 1,
                              1);
    } else {
      LapackRoutines<T>::geev(&sides_[0], &sides_[1], &n, a, &lda, w, wi, vl, &lda, vr, &lda, work, lwork, info, 1, 1);
    }
  }

  char sides_[2] = {'V', 'V'};  // left, right
  int64_t packed_[2] = {};
  int64_t rwork_ = 0;
};

template <typename T>
class Gees : public LapackCall {
 public:
  // gees without a selection: "sort" can only be N.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(mode_, attributes().GetChar("mode", "VN"));
    // Sorting would need a function to select by, which the interface cannot name.
    ASSIGN_OR_RETURN(sort_, attributes().GetChar("sort", "N"));
    std::vector<Shape> shapes(2, s.Result(kType, {s.n, s.n}));
    shapes.insert(shapes.end(), kValues, s.Result(kType, {s.n}));
    shapes.insert(shapes.end(), 2, s.Result(S32, {}));
    RETURN_IF_ERROR(SetResults(shapes));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    bwork_ = Reserve<int>(s.n);
    if (kIsComplexElement<T>) rwork_ = Reserve<Real<T>>(s.n);
    ReserveWorkspace<T>(3 * int64_t{s.n}, [&](T* work, const int* lwork, int* info) {
      Real<T> reals = 0;
      int sdim = 0, flags = 0;
      Call(nullptr, &sdim, nullptr, nullptr, nullptr, work, lwork, &reals, &flags, info);
    });
    SetCost(25.0 * s.n * s.n * s.n);
    return absl::OkStatus();
  }
  // sdim, the number of selected eigenvalues, is 0, because nothing is selected.
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    const int64_t n = sizes().n;
    if (!AllFinite(a, n * n)) {
      for (int j = 0; j < 2 + kValues; ++j) FillNan<T>(j, b, memory);
      SetInteger(kValues + 2, b, 0, memory);
      return SetInteger(kValues + 3, b, kNotFinite, memory);
    }
    for (int j = 1; j < 2 + kValues; ++j) Clear<T>(j, b, memory);
    int sdim = 0, info = 0;
    Call(a, &sdim, Result<T>(2, b, memory), Result<T>(kValues + 1, b, memory), Result<T>(1, b, memory), work<T>(memory),
         lwork(), Scratch<Real<T>>(memory, rwork_), Scratch<int>(memory, bwork_), &info);
    for (int j = 0; j < 2 + kValues; ++j) Finish<T>(j, b, memory);
    SetInteger(kValues + 2, b, sdim, memory);
    SetInteger(kValues + 3, b, info, memory);
  }

 private:
  static constexpr int kValues = kIsComplexElement<T> ? 1 : 2;  // arrays of eigenvalues

  void Call(T* a, int* sdim, T* w, [[maybe_unused]] T* wi, T* vs, T* work, const int* lwork,
            [[maybe_unused]] Real<T>* rwork, int* bwork, int* info) const {
    const int n = sizes().n, lda = LeadingDimension(n);
    if constexpr (kIsComplexElement<T>) {
      LapackRoutines<T>::gees(&mode_, &sort_, nullptr, &n, a, &lda, sdim, w, vs, &lda, work, lwork, rwork, bwork, info,
                              1, 1);
    } else {
      LapackRoutines<T>::gees(&mode_, &sort_, nullptr, &n, a, &lda, sdim, w, wi, vs, &lda, work, lwork, bwork, info, 1,
                              1);
    }
  }

  char mode_ = 'V';
  char sort_ = 'N';
  int64_t bwork_ = 0;
  int64_t rwork_ = 0;
};

}  // namespace

void AddDecompositions(std::vector<BufferCallTarget>& targets) {
  AddForAllTypes<Syevd>("syevd", "heevd", targets);
  AddForAllTypes<Gesdd>("gesdd", "gesdd", targets);
  AddForAllTypes<Gesvd>("gesvd", "gesvd", targets);
  AddForAllTypes<Geev>("geev", "geev", targets);
  AddForAllTypes<Gees>("gees", "gees", targets);
}

}  // namespace xla
