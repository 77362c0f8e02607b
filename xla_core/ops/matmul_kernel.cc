#include "xla_core/ops/matmul_kernel.h"

#include "xla_core/ops/matmul_double_kernel.h"

namespace xla {
namespace {

typedef double Double2 __attribute__((vector_size(16)));

template <typename Wide, typename MultiplyAdd>
void AccumulateScalars(const MatmulTile<Wide>& tile, const MultiplyAdd& multiply_add) {
  for (int i = 0; i < tile.rows; ++i) {
    Wide sums[kTileColumns];
    Wide* const c = tile.sums + i * tile.sums_pitch;
    for (int j = 0; j < kTileColumns; ++j) sums[j] = c[j];
    const Wide* b = tile.rhs;
    for (int64_t k = 0; k < tile.k; ++k, b += kTileColumns) {
      const Wide factor = tile.lhs[i * tile.k + k];
      for (int j = 0; j < kTileColumns; ++j) multiply_add(factor, b[j], sums[j]);
    }
    for (int j = 0; j < kTileColumns; ++j) c[j] = sums[j];
  }
}

}  // namespace

void AccumulateTile(const MatmulTile<double>& tile) { AccumulateDoubles<Double2, 2>(tile); }

void AccumulateTile(const MatmulTile<uint64_t>& tile) {
  AccumulateScalars(tile, [](uint64_t a, uint64_t b, uint64_t& sum) { sum += a * b; });
}

// By components: the operator of std::complex spends most of its time on infinities.
void AccumulateTile(const MatmulTile<std::complex<double>>& tile) {
  AccumulateScalars(tile, [](std::complex<double> a, std::complex<double> b, std::complex<double>& sum) {
    sum = {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
           sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
  });
}

#if defined(__x86_64__)
bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}
#else
bool HasAvx2() { return false; }
#endif

}  // namespace xla
