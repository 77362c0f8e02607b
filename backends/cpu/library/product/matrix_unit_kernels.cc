#include "backends/cpu/library/product/matrix_unit_kernels.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "backends/cpu/library/base/vector_extensions.h"

namespace xla {
namespace {

std::atomic<const MatrixUnitKernels*> kernels_in_tests{nullptr};

bool ProcessorHasAmx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  return (d & kBf16) != 0 && (d & kTiles) != 0 && (d & kInt8) != 0;
}

// Linux saves the tiles of a process only if it has asked for that.
bool SystemAllowsTiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

void UseMatrixUnitInTests(const MatrixUnitKernels* kernels) { kernels_in_tests = kernels; }

const MatrixUnitKernels* HostMatrixUnitKernels() {
  if (const MatrixUnitKernels* const kernels = kernels_in_tests) return kernels;
  if (HostVectorExtensions() != VectorExtensions::kAvx512) return nullptr;
  static const MatrixUnitKernels* const kernels =
      ProcessorHasAmx() && SystemAllowsTiles() ? &AmxMatrixUnitKernels() : nullptr;
  return kernels;
}

}  // namespace xla
