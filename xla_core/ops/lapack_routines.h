// LAPACK's Fortran routines, for all four element types under one name: LapackRoutines<float>::potrf is spotrf_.
//
// Fortran passes everything by address, and the length of every character argument by value at the end. Leaving these
// lengths out works until a compiler reuses the caller's stack, so they are declared.
// Source: LAPACK 3.11 reference, netlib.org/lapack.
#ifndef XLA_CORE_OPS_LAPACK_ROUTINES_H_
#define XLA_CORE_OPS_LAPACK_ROUTINES_H_

#include <complex>
#include <cstddef>
#include <type_traits>

namespace xla {

template <typename T>
struct LapackRoutines;

// Routines whose parameters are alike for real and complex elements. T: element type, R: its real type.
#define HALO_DECLARE_LAPACK(T, R, p, orgqr_name, ormqr_name, sytrd_name)                                               \
  extern "C" {                                                                                                         \
  void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info, size_t);                             \
  void p##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,   \
                const T* alpha, const T* a, const int* lda, T* b, const int* ldb, size_t, size_t, size_t, size_t);     \
  void p##getrf_(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info);                              \
  void p##geqrf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork, int* info);      \
  void orgqr_name(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,               \
                  const int* lwork, int* info);                                                                        \
  void ormqr_name(const char* side, const char* trans, const int* m, const int* n, const int* k, T* a, const int* lda, \
                  const T* tau, T* c, const int* ldc, T* work, const int* lwork, int* info, size_t, size_t);           \
  void p##gehrd_(const int* n, const int* ilo, const int* ihi, T* a, const int* lda, T* tau, T* work,                  \
                 const int* lwork, int* info);                                                                         \
  void sytrd_name(const char* uplo, const int* n, T* a, const int* lda, R* d, R* e, T* tau, T* work, const int* lwork, \
                  int* info, size_t);                                                                                  \
  void p##gtsv_(const int* n, const int* nrhs, T* dl, T* d, T* du, T* b, const int* ldb, int* info);                   \
  }

// Routines of real elements.
#define HALO_DECLARE_REAL_LAPACK(T, p)                                                                              \
  extern "C" {                                                                                                      \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* jpvt, T* tau, T* work, const int* lwork,    \
                 int* info);                                                                                        \
  void p##syevd_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w, T* work,             \
                 const int* lwork, int* iwork, const int* liwork, int* info, size_t, size_t);                       \
  void p##gesdd_(const char* jobz, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu,    \
                 T* vt, const int* ldvt, T* work, const int* lwork, int* iwork, int* info, size_t);                 \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* lda, T* s, T* u, \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* info, size_t, size_t);     \
  void p##geev_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* wr, T* wi, T* vl,      \
                const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* info, size_t, size_t);     \
  void p##gees_(const char* jobvs, const char* sort, int (*select)(const T*, const T*), const int* n, T* a,         \
                const int* lda, int* sdim, T* wr, T* wi, T* vs, const int* ldvs, T* work, const int* lwork,         \
                int* bwork, int* info, size_t, size_t);                                                             \
  }

// Routines of complex elements, which want real scratch memory too.
#define HALO_DECLARE_COMPLEX_LAPACK(T, R, p)                                                                         \
  extern "C" {                                                                                                       \
  void p##geqp3_(const int* m, const int* n, T* a, const int* lda, int* jpvt, T* tau, T* work, const int* lwork,     \
                 R* rwork, int* info);                                                                               \
  void p##heevd_(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, R* w, T* work,              \
                 const int* lwork, R* rwork, const int* lrwork, int* iwork, const int* liwork, int* info, size_t,    \
                 size_t);                                                                                            \
  void p##gesdd_(const char* jobz, const int* m, const int* n, T* a, const int* lda, R* s, T* u, const int* ldu,     \
                 T* vt, const int* ldvt, T* work, const int* lwork, R* rwork, int* iwork, int* info, size_t);        \
  void p##gesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, T* a, const int* lda, R* s, T* u,  \
                 const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, R* rwork, int* info, size_t,     \
                 size_t);                                                                                            \
  void p##geev_(const char* jobvl, const char* jobvr, const int* n, T* a, const int* lda, T* w, T* vl,               \
                const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, R* rwork, int* info, size_t,     \
                size_t);                                                                                             \
  void p##gees_(const char* jobvs, const char* sort, int (*select)(const T*), const int* n, T* a, const int* lda,    \
                int* sdim, T* w, T* vs, const int* ldvs, T* work, const int* lwork, R* rwork, int* bwork, int* info, \
                size_t, size_t);                                                                                     \
  }

#define HALO_LAPACK_ROUTINES(T, p, orgqr_name, ormqr_name, sytrd_name, syevd_name) \
  template <>                                                                      \
  struct LapackRoutines<T> {                                                       \
    static constexpr auto potrf = &p##potrf_;                                      \
    static constexpr auto trsm = &p##trsm_;                                        \
    static constexpr auto getrf = &p##getrf_;                                      \
    static constexpr auto geqrf = &p##geqrf_;                                      \
    static constexpr auto orgqr = &orgqr_name;                                     \
    static constexpr auto ormqr = &ormqr_name;                                     \
    static constexpr auto gehrd = &p##gehrd_;                                      \
    static constexpr auto sytrd = &sytrd_name;                                     \
    static constexpr auto gtsv = &p##gtsv_;                                        \
    static constexpr auto geqp3 = &p##geqp3_;                                      \
    static constexpr auto syevd = &syevd_name;                                     \
    static constexpr auto gesdd = &p##gesdd_;                                      \
    static constexpr auto gesvd = &p##gesvd_;                                      \
    static constexpr auto geev = &p##geev_;                                        \
    static constexpr auto gees = &p##gees_;                                        \
  };

HALO_DECLARE_LAPACK(float, float, s, sorgqr_, sormqr_, ssytrd_)
HALO_DECLARE_LAPACK(double, double, d, dorgqr_, dormqr_, dsytrd_)
HALO_DECLARE_LAPACK(std::complex<float>, float, c, cungqr_, cunmqr_, chetrd_)
HALO_DECLARE_LAPACK(std::complex<double>, double, z, zungqr_, zunmqr_, zhetrd_)
HALO_DECLARE_REAL_LAPACK(float, s)
HALO_DECLARE_REAL_LAPACK(double, d)
HALO_DECLARE_COMPLEX_LAPACK(std::complex<float>, float, c)
HALO_DECLARE_COMPLEX_LAPACK(std::complex<double>, double, z)
HALO_LAPACK_ROUTINES(float, s, sorgqr_, sormqr_, ssytrd_, ssyevd_)
HALO_LAPACK_ROUTINES(double, d, dorgqr_, dormqr_, dsytrd_, dsyevd_)
HALO_LAPACK_ROUTINES(std::complex<float>, c, cungqr_, cunmqr_, chetrd_, cheevd_)
HALO_LAPACK_ROUTINES(std::complex<double>, z, zungqr_, zunmqr_, zhetrd_, zheevd_)

#undef HALO_DECLARE_LAPACK
#undef HALO_DECLARE_REAL_LAPACK
#undef HALO_DECLARE_COMPLEX_LAPACK
#undef HALO_LAPACK_ROUTINES

}  // namespace xla

#endif  // XLA_CORE_OPS_LAPACK_ROUTINES_H_
