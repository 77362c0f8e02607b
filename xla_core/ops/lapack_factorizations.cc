// LAPACK targets that factor a matrix in a fixed number of steps. Operands -> results; a is m by n (n by n), info s32:
//   potrf   a -> l or u (other triangle as in a), info                         uplo
//   getrf   a -> lu, ipiv s32[min(m, n)] counted from 1, info
//   geqrf   a -> r and reflectors, tau[min(m, n)]
//   geqp3   a, jpvt s32[n] -> r and reflectors, jpvt counted from 1, tau
//   gehrd   a -> h and reflectors, tau[n - 1], info                            low, high, counted from 1
//   sytrd   a -> t and reflectors, d[n], e[n - 1], tau[n - 1], info            uplo (hetrd for complex elements)
// Conventions as in JAX 0.10's lowerings for CPU. XLA's own target Qr is geqrf of any floating or complex type.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

double Cube(const LapackSizes& s) { return 2.0 * s.m * s.n * s.min(); }

template <typename T>
class Potrf : public LapackCall {
 public:
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    ASSIGN_OR_RETURN(uplo_, attributes().GetChar("uplo", "LU"));
    RETURN_IF_ERROR(SetResults({sizes().Result(kType, {sizes().n, sizes().n}), sizes().Result(S32, {})}));
    InPlace(0, 0);
    SetCost(Cube(sizes()) / 6);
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    const int lda = LeadingDimension(sizes().n);
    int info = 0;
    LapackRoutines<T>::potrf(&uplo_, &sizes().n, a, &lda, &info, 1);
    Finish<T>(0, b, memory);
    SetInteger(1, b, info, memory);
  }

 private:
  char uplo_ = 'L';
};

template <typename T>
class Getrf : public LapackCall {
 public:
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    const LapackSizes& s = sizes();
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.m, s.n}), s.Result(S32, {s.min()}), s.Result(S32, {})}));
    InPlace(0, 0);
    SetCost(Cube(s));
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    const int lda = LeadingDimension(sizes().m);
    int info = 0;
    LapackRoutines<T>::getrf(&sizes().m, &sizes().n, a, &lda, Result<int32_t>(1, b, memory), &info);
    Finish<T>(0, b, memory);
    Finish<int32_t>(1, b, memory);
    SetInteger(2, b, info, memory);
  }
};

template <typename T, typename Stored>
class Geqrf : public LapackCall {
 public:
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<Stored>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    const LapackSizes& s = sizes();
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.m, s.n}), s.Result(kType, {s.min()})}));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    ReserveWorkspace<T>(s.n,
                        [&](T* work, const int* lwork, int* info) { Call(nullptr, nullptr, work, lwork, info); });
    SetCost(Cube(s));
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T, Stored>(0, 0, b, memory);
    int info = 0;
    Call(a, Result<T, Stored>(1, b, memory), work<T>(memory), lwork(), &info);
    Finish<T, Stored>(0, b, memory);
    Finish<T, Stored>(1, b, memory);
  }

 private:
  void Call(T* a, T* tau, T* work, const int* lwork, int* info) const {
    const int lda = LeadingDimension(sizes().m);
    LapackRoutines<T>::geqrf(&sizes().m, &sizes().n, a, &lda, tau, work, lwork, info);
  }
};
template <typename T>
using SameGeqrf = Geqrf<T, T>;

template <typename T>
class Geqp3 : public LapackCall {
 public:
  // geqp3: QR with column pivoting. Operand 1 and result 1 are the pivots, which the caller may preset.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(2, kType));
    const LapackSizes& s = sizes();
    RETURN_IF_ERROR(CheckOperand(1, s.Result(S32, {s.n})));
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.m, s.n}), s.Result(S32, {s.n}), s.Result(kType, {s.min()})}));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    InPlace(1, 1);
    if (kIsComplexElement<T>) rwork_ = Reserve<Real<T>>(2 * int64_t{s.n});
    const int64_t least = kIsComplexElement<T> ? int64_t{s.n} + 1 : 3 * int64_t{s.n} + 1;
    ReserveWorkspace<T>(least, [&](T* work, const int* lwork, int* info) {
      Real<T> reals = 0;
      Call(nullptr, nullptr, nullptr, work, lwork, &reals, info);
    });
    SetCost(Cube(s));
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    int32_t* const jpvt = Start<int32_t>(1, 1, b, memory);
    int info = 0;
    Call(a, jpvt, Result<T>(2, b, memory), work<T>(memory), lwork(), Scratch<Real<T>>(memory, rwork_), &info);
    Finish<T>(0, b, memory);
    Finish<int32_t>(1, b, memory);
    Finish<T>(2, b, memory);
  }

 private:
  void Call(T* a, int* jpvt, T* tau, T* work, const int* lwork, [[maybe_unused]] Real<T>* rwork, int* info) const {
    const int lda = LeadingDimension(sizes().m);
    if constexpr (kIsComplexElement<T>) {
      LapackRoutines<T>::geqp3(&sizes().m, &sizes().n, a, &lda, jpvt, tau, work, lwork, rwork, info);
    } else {
      LapackRoutines<T>::geqp3(&sizes().m, &sizes().n, a, &lda, jpvt, tau, work, lwork, info);
    }
  }

  int64_t rwork_ = 0;
};

template <typename T>
class Gehrd : public LapackCall {
 public:
  // gehrd: to Hessenberg form. low and high are counted from 1, as LAPACK does.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(const int64_t low, attributes().GetInteger("low"));
    ASSIGN_OR_RETURN(const int64_t high, attributes().GetInteger("high"));
    if (low < 1 || low > std::max(1, s.n) || high < std::min<int64_t>(low, s.n) || high > s.n) {
      return absl::InvalidArgumentError("low and high must be row numbers from 1 on, in order");
    }
    low_ = static_cast<int>(low);
    high_ = static_cast<int>(high);
    RETURN_IF_ERROR(SetResults(
        {s.Result(kType, {s.n, s.n}), s.Result(kType, {std::max(0, s.n - 1)}), s.Result(S32, {})}));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    ReserveWorkspace<T>(s.n,
                        [&](T* work, const int* lwork, int* info) { Call(nullptr, nullptr, work, lwork, info); });
    SetCost(2 * Cube(s));
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    int info = 0;
    Call(a, Result<T>(1, b, memory), work<T>(memory), lwork(), &info);
    Finish<T>(0, b, memory);
    Finish<T>(1, b, memory);
    SetInteger(2, b, info, memory);
  }

 private:
  void Call(T* a, T* tau, T* work, const int* lwork, int* info) const {
    const int lda = LeadingDimension(sizes().n);
    LapackRoutines<T>::gehrd(&sizes().n, &low_, &high_, a, &lda, tau, work, lwork, info);
  }

  int low_ = 1;
  int high_ = 1;
};

template <typename T>
class Sytrd : public LapackCall {
 public:
  // sytrd / hetrd: to tridiagonal form; diagonal and off-diagonal are real also for complex matrices.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    RETURN_IF_ERROR(TakeOperands(1, kType));
    RETURN_IF_ERROR(CheckSquare());
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(uplo_, attributes().GetChar("uplo", "LU"));
    const int off = std::max(0, s.n - 1);
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.n, s.n}), s.Result(kReal, {s.n}), s.Result(kReal, {off}),
                                s.Result(kType, {off}), s.Result(S32, {})}));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    ReserveWorkspace<T>(1, [&](T* work, const int* lwork, int* info) {
      Call(nullptr, nullptr, nullptr, nullptr, work, lwork, info);
    });
    SetCost(Cube(s));
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Start<T>(0, 0, b, memory);
    int info = 0;
    Call(a, Result<Real<T>>(1, b, memory), Result<Real<T>>(2, b, memory), Result<T>(3, b, memory), work<T>(memory),
         lwork(), &info);
    Finish<T>(0, b, memory);
    Finish<Real<T>>(1, b, memory);
    Finish<Real<T>>(2, b, memory);
    Finish<T>(3, b, memory);
    SetInteger(4, b, info, memory);
  }

 private:
  void Call(T* a, Real<T>* d, Real<T>* e, T* tau, T* work, const int* lwork, int* info) const {
    const int lda = LeadingDimension(sizes().n);
    LapackRoutines<T>::sytrd(&uplo_, &sizes().n, a, &lda, d, e, tau, work, lwork, info, 1);
  }

  char uplo_ = 'L';
};

}  // namespace

void AddFactorizations(std::vector<BufferCallTarget>& targets) {
  AddForAllTypes<Potrf>("potrf", "potrf", targets);
  AddForAllTypes<Getrf>("getrf", "getrf", targets);
  AddForAllTypes<SameGeqrf>("geqrf", "geqrf", targets);
  AddForAllTypes<Geqp3>("geqp3", "geqp3", targets);
  AddForAllTypes<Gehrd>("gehrd", "gehrd", targets);
  AddForAllTypes<Sytrd>("sytrd", "hetrd", targets);
  targets.push_back({"Qr", &MakeCallOfAnyType<Geqrf>});
}

}  // namespace xla
