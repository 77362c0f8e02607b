// Every pair of 30 types would be 900 loops. Instead a value passes through the widest type of its kind: integers
// through int64_t, narrow floats through float, anything on its way from an integer to a narrow float through a double
// rounded to odd (which rounds to the narrow type as the integer itself would). The buffers hold a few hundred elements
// and stay in the first-level cache, so this costs about one more instruction per element. Integer to f32 or f64, and
// f32 or f64 to integer, are direct.
#include "xla_core/ops/convert_elements.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr int64_t kChunk = 256;

template <typename From, typename To>
void CastElements(int64_t n, const From* src, To* dst) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) dst[i] = static_cast<To>(src[i]);
}

// Truncates; values beyond the type give its limits, NaN gives 0. `low` and `high` are the limits, `high` rounded up to
// a Float that may be one too large (2^63 for int64_t), which therefore must not be converted.
template <typename Float, typename Int>
void FloatsToInts(PrimitiveType to, int64_t n, const Float* src, Int* dst) {
  const int unused_bits = static_cast<int>(sizeof(Int)) * 8 - BitWidth(to);
  const Int low = static_cast<Int>(std::numeric_limits<Int>::min() >> unused_bits);
  const Int high = static_cast<Int>(std::numeric_limits<Int>::max() >> unused_bits);
  const Float float_low = static_cast<Float>(low);
  const Float float_high = static_cast<Float>(high);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const Float x = src[i];
    dst[i] = x != x ? Int{0} : x <= float_low ? low : x >= float_high ? high : static_cast<Int>(x);
  }
}

template <typename T>
void ToPred(int64_t n, const T* src, bool* dst) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) dst[i] = src[i] != T{0};
}

// The element types as storage: pred as uint8_t, which holds 0 or 1, since reading it as a number is all we want.
template <typename Fn>
auto DispatchPredOrInt(PrimitiveType type, Fn&& fn) {
  if (type == PRED) return fn(TypeTag<uint8_t>());
  return DispatchInt(type, fn);
}

bool IsPredOrInt(PrimitiveType type) { return type == PRED || IsInt(type); }

void IntsToInts(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst) {
  int64_t wide[kChunk];
  DispatchPredOrInt(from, [&](auto tag) {
    using From = TagType<decltype(tag)>;
    CastElements(n, static_cast<const From*>(src), wide);
  });
  if (to == PRED) return ToPred(n, wide, static_cast<bool*>(dst));
  DispatchInt(to, [&](auto tag) {
    using To = TagType<decltype(tag)>;
    CastElements(n, wide, static_cast<To*>(dst));
  });
  if (IsSubByte(to)) WrapSubByteElements(to, n, dst);
}

template <typename Float>
void IntsToFloats(PrimitiveType from, int64_t n, const void* src, Float* dst) {
  DispatchPredOrInt(from, [&](auto tag) {
    using From = TagType<decltype(tag)>;
    CastElements(n, static_cast<const From*>(src), dst);
  });
}

void IntsToNarrowFloats(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst) {
  double wide[kChunk];
  DispatchPredOrInt(from, [&](auto tag) {
    using From = TagType<decltype(tag)>;
    using Widest = std::conditional_t<std::is_signed_v<From>, int64_t, uint64_t>;
    const From* const values = static_cast<const From*>(src);
    for (int64_t i = 0; i < n; ++i) {
      wide[i] = sizeof(From) < 8 ? static_cast<double>(values[i]) : ToDoubleForEncoding(Widest{values[i]});
    }
  });
  EncodeNarrow(NarrowFormatOf(to), wide, dst, n);
}

// From f32 or f64 to any real type.
template <typename Float>
void FloatsToReal(PrimitiveType to, int64_t n, const Float* src, void* dst) {
  if (to == PRED) return ToPred(n, src, static_cast<bool*>(dst));
  if (to == F32) return CastElements(n, src, static_cast<float*>(dst));
  if (to == F64) return CastElements(n, src, static_cast<double*>(dst));
  if (IsNarrowFloatType(to)) return EncodeNarrow(NarrowFormatOf(to), src, dst, n);
  DispatchInt(to, [&](auto tag) {
    using To = TagType<decltype(tag)>;
    FloatsToInts(to, n, src, static_cast<To*>(dst));
  });
}

void RealToReal(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst) {
  if (IsPredOrInt(from)) {
    if (IsPredOrInt(to)) return IntsToInts(from, to, n, src, dst);
    if (to == F32) return IntsToFloats(from, n, src, static_cast<float*>(dst));
    if (to == F64) return IntsToFloats(from, n, src, static_cast<double*>(dst));
    return IntsToNarrowFloats(from, to, n, src, dst);
  }
  if (from == F64) return FloatsToReal(to, n, static_cast<const double*>(src), dst);
  if (from == F32) return FloatsToReal(to, n, static_cast<const float*>(src), dst);
  float wide[kChunk];
  DecodeNarrow(NarrowFormatOf(from), src, wide, n);
  FloatsToReal(to, n, wide, dst);
}

template <typename Component>
void RealToComplex(PrimitiveType from, int64_t n, const void* src, std::complex<Component>* dst) {
  Component real[kChunk];
  RealToReal(from, sizeof(Component) == 4 ? F32 : F64, n, src, real);
  for (int64_t i = 0; i < n; ++i) dst[i] = real[i];
}

void ConvertChunk(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst) {
  if (!IsComplex(to)) return RealToReal(from, to, n, src, dst);
  if (IsComplex(from)) {
    return RealToReal(ComplexComponentType(from), ComplexComponentType(to), 2 * n, src, dst);
  }
  if (to == C64) return RealToComplex(from, n, src, static_cast<std::complex<float>*>(dst));
  RealToComplex(from, n, src, static_cast<std::complex<double>*>(dst));
}

}  // namespace

bool CanConvert(PrimitiveType from, PrimitiveType to) {
  return IsArrayType(from) && IsArrayType(to) && (!IsComplex(from) || IsComplex(to));
}

void ConvertElements(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst) {
  CHECK(CanConvert(from, to));
  if (from == to) {
    if (src != dst) std::memcpy(dst, src, n * ByteWidth(from));
    return;
  }
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    ConvertChunk(from, to, std::min(kChunk, n - begin), static_cast<const char*>(src) + begin * ByteWidth(from),
                 static_cast<char*>(dst) + begin * ByteWidth(to));
  }
}

void WrapSubByteElements(PrimitiveType type, int64_t n, void* elements) {
  const int unused_bits = 8 - BitWidth(type);
  uint8_t* const bytes = static_cast<uint8_t*>(elements);
  if (IsSignedInt(type)) {
    for (int64_t i = 0; i < n; ++i) {
      bytes[i] = static_cast<uint8_t>(static_cast<int8_t>(bytes[i] << unused_bits) >> unused_bits);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) bytes[i] &= static_cast<uint8_t>(0xff >> unused_bits);
  }
}

}  // namespace xla
