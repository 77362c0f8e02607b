// Roots of unity: the coefficients of Fourier transforms.
#ifndef XLA_CORE_SUPPORT_ROOT_OF_UNITY_H_
#define XLA_CORE_SUPPORT_ROOT_OF_UNITY_H_

#include <complex>
#include <cstdint>

namespace xla {

// exp(-2 pi i k / n) for k >= 0 and 0 < n < 2^32, right to the last bit or the one before.
std::complex<double> RootOfUnity(uint64_t k, uint64_t n);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_ROOT_OF_UNITY_H_
