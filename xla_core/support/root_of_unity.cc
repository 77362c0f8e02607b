#include "xla_core/support/root_of_unity.h"

#include <cmath>
#include <utility>

namespace xla {

std::complex<double> RootOfUnity(uint64_t k, uint64_t n) {
  // Eighths of a turn that are behind, and what is left of the angle, as a part of a turn with the divisor 8n.
  const uint64_t eighths = 8 * (k % n) / n;
  const uint64_t rest = 8 * (k % n) - eighths * n;
  // Odd eighths are mirrored, so that sine and cosine are taken of the first eighth only, where they are exact.
  const bool is_mirrored = eighths % 2 == 1;
  constexpr double kEighth = 0.78539816339744830962;
  const double angle = kEighth * (static_cast<double>(is_mirrored ? n - rest : rest) / static_cast<double>(n));
  double c = std::cos(angle);
  double s = std::sin(angle);
  if (is_mirrored) std::swap(c, s);
  // Now exp(i angle) within a quarter; each quarter after it turns it by i.
  switch (eighths / 2) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

}  // namespace xla
