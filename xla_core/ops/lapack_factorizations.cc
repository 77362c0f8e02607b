// LAPACK targets that factor a matrix in a fixed number of steps. Operands -> results; a is m by n (n by n), info s32:
//   potrf   a -> l or u (other triangle as in a), info                         uplo
//   getrf   a -> lu, ipiv s32[min(m, n)] counted from 1, info
//   geqrf   a -> r and reflectors, tau[min(m, n)]
//   geqp3   a, jpvt s32[n] -> r and reflectors, jpvt counted from 1, tau
//   orgqr   a, tau[k] -> q                                                     (ungqr for complex elements)
//   gehrd   a -> h and reflectors, tau[n - 1], info                            low, high, counted from 1
//   sytrd   a -> t and reflectors, d[n], e[n - 1], tau[n - 1], info            uplo (hetrd for complex elements)
// Conventions as in JAX 0.10's lowerings for CPU.
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

template <typename T>
struct Potrf {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char uplo, call.attributes().GetChar("uplo", "LU"));
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.n, s.n}), s.Result(S32, {})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.n, s.n);
      const int lda = LeadingDimension(s.n);
      int info = 0;
      LapackRoutines<T>::potrf(&uplo, &s.n, a.data(), &lda, &info, 1);
      call.StoreMatrix(0, b, s.n, s.n, a);
      call.SetInfo(1, b, info);
    });
  }
};

template <typename T>
struct Getrf {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.m, s.n}), s.Result(S32, {s.min()}), s.Result(S32, {})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.m, s.n);
      const int lda = LeadingDimension(s.m);
      int info = 0;
      LapackRoutines<T>::getrf(&s.m, &s.n, a.data(), &lda, call.ResultVector<int32_t>(1, b, s.min()), &info);
      call.StoreMatrix(0, b, s.m, s.n, a);
      call.SetInfo(2, b, info);
    });
  }
};

template <typename T>
struct Geqrf {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.m, s.n}), s.Result(kType, {s.min()})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.m, s.n);
      const int lda = LeadingDimension(s.m);
      T* const tau = call.ResultVector<T>(1, b, s.min());
      WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
        LapackRoutines<T>::geqrf(&s.m, &s.n, a.data(), &lda, tau, work, lwork, info);
      });
      call.StoreMatrix(0, b, s.m, s.n, a);
    });
  }
};

template <typename T>
struct Geqp3 {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 2, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckOperand(1, s.Result(S32, {s.n})));
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.m, s.n}), s.Result(S32, {s.n}), s.Result(kType, {s.min()})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.m, s.n);
      const std::vector<int32_t> pivots = call.LoadVector<int32_t>(1, b, s.n);
      int32_t* const jpvt = std::copy_n(pivots.begin(), s.n, call.ResultVector<int32_t>(1, b, s.n)) - s.n;
      const int lda = LeadingDimension(s.m);
      T* const tau = call.ResultVector<T>(2, b, s.min());
      WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
        if constexpr (kIsComplexElement<T>) {
          std::vector<Real<T>> rwork(2 * s.n + 1);
          LapackRoutines<T>::geqp3(&s.m, &s.n, a.data(), &lda, jpvt, tau, work, lwork, rwork.data(), info);
        } else {
          LapackRoutines<T>::geqp3(&s.m, &s.n, a.data(), &lda, jpvt, tau, work, lwork, info);
        }
      });
      call.StoreMatrix(0, b, s.m, s.n, a);
    });
  }
};

template <typename T>
struct Orgqr {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 2, kType));
    const LapackSizes& s = call.sizes();
    const Shape& tau_shape = call.operand(1).shape();
    const int64_t k = tau_shape.rank() == 0 ? 0 : tau_shape.dimension(tau_shape.rank() - 1);
    RETURN_IF_ERROR(call.CheckOperand(1, s.Result(kType, {k})));
    if (s.n > s.m || k > s.n) {
      return absl::InvalidArgumentError("a must have no more columns than rows, and tau no more elements than columns");
    }
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.m, s.n})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.m, s.n);
      const std::vector<T> tau = call.LoadVector<T>(1, b, k);
      const int lda = LeadingDimension(s.m), reflectors = static_cast<int>(k);
      WithWorkspace<T>([&](T* work, const int* lwork, int* info) {
        LapackRoutines<T>::orgqr(&s.m, &s.n, &reflectors, a.data(), &lda, tau.data(), work, lwork, info);
      });
      call.StoreMatrix(0, b, s.m, s.n, a);
    });
  }
};

template <typename T>
struct Gehrd {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const int64_t low, call.attributes().GetInteger("low"));
    ASSIGN_OR_RETURN(const int64_t high, call.attributes().GetInteger("high"));
    if (low < 1 || low > std::max(1, s.n) || high < std::min<int64_t>(low, s.n) || high > s.n) {
      return absl::InvalidArgumentError("low and high must be row numbers from 1 on, in order");
    }
    const int reflectors = std::max(0, s.n - 1);
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.n, s.n}), s.Result(kType, {reflectors}), s.Result(S32, {})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.n, s.n);
      const int lda = LeadingDimension(s.n), ilo = static_cast<int>(low), ihi = static_cast<int>(high);
      std::vector<T> tau(reflectors + 1);
      const int info = WithWorkspace<T>([&](T* work, const int* lwork, int* status) {
        LapackRoutines<T>::gehrd(&s.n, &ilo, &ihi, a.data(), &lda, tau.data(), work, lwork, status);
      });
      call.StoreMatrix(0, b, s.n, s.n, a);
      std::copy_n(tau.begin(), reflectors, call.ResultVector<T>(1, b, reflectors));
      call.SetInfo(2, b, info);
    });
  }
};

template <typename T>
struct Sytrd {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kReal = PrimitiveTypeOf<Real<T>>::value;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, 1, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char uplo, call.attributes().GetChar("uplo", "LU"));
    const int off = std::max(0, s.n - 1);
    RETURN_IF_ERROR(call.SetResults({s.Result(kType, {s.n, s.n}), s.Result(kReal, {s.n}), s.Result(kReal, {off}),
                                     s.Result(kType, {off}), s.Result(S32, {})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> a = call.LoadMatrix<T>(0, b, s.n, s.n);
      std::vector<Real<T>> e(off + 1);
      std::vector<T> tau(off + 1);
      const int lda = LeadingDimension(s.n);
      Real<T>* const d = call.ResultVector<Real<T>>(1, b, s.n);
      const int info = WithWorkspace<T>([&](T* work, const int* lwork, int* status) {
        LapackRoutines<T>::sytrd(&uplo, &s.n, a.data(), &lda, d, e.data(), tau.data(), work, lwork, status, 1);
      });
      call.StoreMatrix(0, b, s.n, s.n, a);
      std::copy_n(e.begin(), off, call.ResultVector<Real<T>>(2, b, off));
      std::copy_n(tau.begin(), off, call.ResultVector<T>(3, b, off));
      call.SetInfo(4, b, info);
    });
  }
};

}  // namespace

void AddFactorizations(std::vector<BuiltinCustomCall>& calls) {
  AddForAllTypes<Potrf>("potrf", "potrf", calls);
  AddForAllTypes<Getrf>("getrf", "getrf", calls);
  AddForAllTypes<Geqrf>("geqrf", "geqrf", calls);
  AddForAllTypes<Geqp3>("geqp3", "geqp3", calls);
  AddForAllTypes<Orgqr>("orgqr", "ungqr", calls);
  AddForAllTypes<Gehrd>("gehrd", "gehrd", calls);
  AddForAllTypes<Sytrd>("sytrd", "hetrd", calls);
}

}  // namespace xla
