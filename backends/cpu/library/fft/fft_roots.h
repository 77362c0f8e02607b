// Roots of unity.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_ROOTS_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_ROOTS_H_

#include <complex>
#include <cstdint>

namespace xla {

// exp(-2 pi i k / n) for k >= 0 and 0 < n < 2^32, right to the last bit or the one before.
std::complex<double> RootOfUnity(uint64_t k, uint64_t n);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_ROOTS_H_
