// The values of elementwise.def for complex numbers.
//
// T is wider than the components of the element type (double for c64, long double for c128): products of components
// neither overflow nor lose what cancels, and the result is rounded once. What is missing here (exp, sin, asin ...) is
// std::complex's own.
// Source: StableHLO spec, the sections of elementwise operations.
#ifndef XLA_CORE_OPS_ELEMENT_COMPLEX_H_
#define XLA_CORE_OPS_ELEMENT_COMPLEX_H_

#include <cmath>
#include <complex>

namespace xla {
namespace element_value {

template <typename T>
std::complex<T> Add(std::complex<T> x, std::complex<T> y) {
  return {x.real() + y.real(), x.imag() + y.imag()};
}
template <typename T>
std::complex<T> Subtract(std::complex<T> x, std::complex<T> y) {
  return {x.real() - y.real(), x.imag() - y.imag()};
}
// Componentwise, without C99's recovery of infinities.
template <typename T>
std::complex<T> Multiply(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}
template <typename T>
std::complex<T> Divide(std::complex<T> x, std::complex<T> y) {
  const T scale = y.real() * y.real() + y.imag() * y.imag();
  return {(x.real() * y.real() + x.imag() * y.imag()) / scale, (x.imag() * y.real() - x.real() * y.imag()) / scale};
}
template <typename T>
std::complex<T> Negate(std::complex<T> x) {
  return {-x.real(), -x.imag()};
}
template <typename T>
T Real(std::complex<T> x) {
  return x.real();
}
template <typename T>
T Imag(std::complex<T> x) {
  return x.imag();
}
// Infinite if either component is, NaN or not.
template <typename T>
T Abs(std::complex<T> x) {
  return std::hypot(x.real(), x.imag());
}
template <typename T>
std::complex<T> Sign(std::complex<T> x) {
  const T modulus = Abs(x);
  if (modulus == 0) return x;
  return {x.real() / modulus, x.imag() / modulus};
}
template <typename T>
std::complex<T> Rsqrt(std::complex<T> x) {
  return Divide(std::complex<T>(1), std::sqrt(x));
}
template <typename T>
std::complex<T> Logistic(std::complex<T> x) {
  return Divide(std::complex<T>(1), std::complex<T>(1) + std::exp(-x));
}

// exp(a + bi) - 1 = (exp(a) - 1) cos(b) - (1 - cos(b)) + i exp(a) sin(b), where 1 - cos(b) = 2 sin(b/2)^2.
template <typename T>
std::complex<T> Expm1(std::complex<T> x) {
  if (x.imag() == 0) return {std::expm1(x.real()), x.imag()};
  const T half_sine = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
          std::exp(x.real()) * std::sin(x.imag())};
}

// Near 0, |1 + x|^2 - 1 is taken as a (a + 2) + b^2 rather than as a difference of numbers close to 1.
template <typename T>
std::complex<T> Log1p(std::complex<T> x) {
  const T a = x.real();
  const T b = x.imag();
  const bool near_zero = std::fabs(a) < T{0.5} && std::fabs(b) < T{0.5};
  const T log_modulus = near_zero ? std::log1p(a * (a + 2) + b * b) / 2 : std::log(std::hypot(1 + a, b));
  return {log_modulus, std::atan2(b, 1 + a)};
}

// -i log((x + iy) / sqrt(x^2 + y^2))
template <typename T>
std::complex<T> Atan2(std::complex<T> y, std::complex<T> x) {
  const std::complex<T> i(0, 1);
  const std::complex<T> modulus = std::sqrt(Add(Multiply(x, x), Multiply(y, y)));
  const std::complex<T> log = std::log(Divide(Add(x, Multiply(i, y)), modulus));
  return {log.imag(), -log.real()};
}

// 1^y = x^0 = 1, whatever the other; real powers of zero and of real infinities are those of real numbers, where
// exp(y log(x)) would be NaN.
template <typename T>
std::complex<T> Power(std::complex<T> x, std::complex<T> y) {
  if (x == T{1} || y == T{0}) return T{1};
  const bool is_zero = x == T{0};
  if (is_zero && y.real() > 0) return T{0};
  const bool is_real_infinity = std::isinf(x.real()) && x.imag() == 0;
  if ((is_zero || is_real_infinity) && y.imag() == 0) return std::pow(x.real(), y.real());
  return std::pow(x, y);
}

}  // namespace element_value
}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENT_COMPLEX_H_
