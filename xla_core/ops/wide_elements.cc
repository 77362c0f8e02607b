#include "xla_core/ops/wide_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

template <typename T>
constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// The conversions of one element. Combinations that callers never ask for (complex to real, floats to integer sums) end
// the process.
template <typename Wide, typename T>
inline Wide Widen(T value) {
  if constexpr (kIsComplex<Wide>) {
    if constexpr (kIsComplex<T>) {
      return complex128(value.real(), value.imag());
    } else {
      return complex128(static_cast<double>(value), 0);
    }
  } else if constexpr (kIsComplex<T> || (std::is_integral_v<Wide> && std::is_floating_point_v<T>)) {
    CHECK(false && "an element does not fit the wide type");
    return Wide();
  } else {
    return static_cast<Wide>(value);
  }
}

// Copies T elements, converted, in the order that GatherWide documents.
template <typename T, typename Dst, typename Convert>
void Gather(const T* data, absl::Span<const int64_t> outer, absl::Span<const int64_t> inner, int64_t inner_pitch,
            Dst* dst, const Convert& convert) {
  bool consecutive = true;
  for (size_t i = 1; i < inner.size(); ++i) consecutive &= inner[i] == inner[i - 1] + 1;
  const int64_t count = static_cast<int64_t>(inner.size());
  for (size_t o = 0; o < outer.size(); ++o, dst += inner_pitch) {
    const T* const source = data + outer[o];
    if (consecutive && count > 0) {
      const T* const run = source + inner[0];
      for (int64_t i = 0; i < count; ++i) dst[i] = convert(run[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) dst[i] = convert(source[inner[i]]);
    }
  }
}

// Narrow floats are gathered as bits and decoded in bulk.
template <typename Storage>
void GatherNarrow(NarrowFormat format, const void* data, absl::Span<const int64_t> outer,
                  absl::Span<const int64_t> inner, int64_t inner_pitch, double* dst) {
  constexpr int64_t kChunk = 512;
  Storage bits[kChunk];
  for (const int64_t base : outer) {
    for (int64_t i = 0; i < static_cast<int64_t>(inner.size()); i += kChunk) {
      const absl::Span<const int64_t> part = inner.subspan(i, kChunk);
      Gather(static_cast<const Storage*>(data), {base}, part, 0, bits, [](Storage b) { return b; });
      DecodeNarrow(format, bits, dst + i, static_cast<int64_t>(part.size()));
    }
    dst += inner_pitch;
  }
}

void GatherNarrow(PrimitiveType type, const void* data, absl::Span<const int64_t> outer,
                  absl::Span<const int64_t> inner, int64_t inner_pitch, double* dst) {
  const NarrowFormat format = NarrowFormatOf(type);
  if (ByteWidth(type) == 1) return GatherNarrow<uint8_t>(format, data, outer, inner, inner_pitch, dst);
  GatherNarrow<uint16_t>(format, data, outer, inner, inner_pitch, dst);
}

template <typename T>
T SaturatingTruncate(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  // The largest 64-bit integer rounds up to a power of two, which is out of range itself.
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

// Keeps the low `bits` bits, extended by the signedness of T.
template <typename T>
T WrapToBits(uint64_t value, int bits) {
  const int unused = 64 - bits;
  if (std::is_signed_v<T>) return static_cast<T>(static_cast<int64_t>(value << unused) >> unused);
  return static_cast<T>(value << unused >> unused);
}

template <typename T>
T TruncateToBits(double value, int bits) {
  const T saturated = SaturatingTruncate<T>(value);
  const int spare = static_cast<int>(sizeof(T)) * 8 - bits;
  return std::clamp<T>(saturated, static_cast<T>(std::numeric_limits<T>::min() >> spare),
                       static_cast<T>(std::numeric_limits<T>::max() >> spare));
}

// One wide value as an element: integers wrap or, if they come from floats, truncate and saturate; floats round to
// nearest even.
template <typename T, typename Wide>
T Narrow(Wide value, const WideStore& store) {
  if constexpr (kIsComplex<T>) {
    using Real = typename T::value_type;
    if constexpr (kIsComplex<Wide>) {
      return T(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    } else {
      return T(Narrow<Real>(value, store), 0);
    }
  } else if constexpr (kIsComplex<Wide>) {
    CHECK(false && "a complex sum has a real result");
    return T();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const int bits = BitWidth(store.type);
    if constexpr (std::is_integral_v<Wide>) {
      return WrapToBits<T>(value, bits);
    } else {
      if (store.doubles_are_integers) return WrapToBits<T>(static_cast<uint64_t>(static_cast<int64_t>(value)), bits);
      return TruncateToBits<T>(value, bits);
    }
  } else if constexpr (std::is_integral_v<Wide>) {
    // Straight to the result's type: by way of double, a float would round twice.
    return store.integers_are_signed ? static_cast<T>(static_cast<int64_t>(value)) : static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// ScatterWide for narrow floats: encodes in bulk, then places the bits.
template <typename Storage>
void ScatterNarrow(const WideStore& store, const double* values, absl::Span<const int64_t> offsets) {
  constexpr int64_t kChunk = 512;
  Storage bits[kChunk];
  Storage* const data = static_cast<Storage*>(store.data);
  for (int64_t i = 0; i < static_cast<int64_t>(offsets.size()); i += kChunk) {
    const absl::Span<const int64_t> part = offsets.subspan(i, kChunk);
    EncodeNarrow(NarrowFormatOf(store.type), values + i, bits, static_cast<int64_t>(part.size()));
    for (size_t j = 0; j < part.size(); ++j) data[part[j]] = bits[j];
  }
}

void ScatterNarrow(const WideStore& store, const double* values, absl::Span<const int64_t> offsets) {
  if (ByteWidth(store.type) == 1) return ScatterNarrow<uint8_t>(store, values, offsets);
  ScatterNarrow<uint16_t>(store, values, offsets);
}

}  // namespace

WideType WideTypeFor(PrimitiveType a, PrimitiveType b) {
  if (IsComplex(a) || IsComplex(b)) return WideType::kComplex;
  if (IsFloat(a) || IsFloat(b)) return WideType::kFloat;
  return WideType::kInteger;
}

bool IntegerSumsFitDouble(PrimitiveType a, PrimitiveType b, int64_t count) {
  const int product_bits = BitWidth(a) + BitWidth(b);
  return product_bits <= 32 && count < (int64_t{1} << (53 - product_bits));
}

// Narrow floats are decoded in rows; other types are widened element by element.
template <typename Wide>
void GatherWide(PrimitiveType type, const void* data, absl::Span<const int64_t> outer, absl::Span<const int64_t> inner,
                int64_t inner_pitch, Wide* dst) {
  if (IsNarrowFloatType(type)) {
    if constexpr (std::is_same_v<Wide, double>) {
      GatherNarrow(type, data, outer, inner, inner_pitch, dst);
    } else {
      std::vector<double> row(inner.size());
      for (const int64_t base : outer) {
        GatherNarrow(type, data, {base}, inner, 0, row.data());
        std::transform(row.begin(), row.end(), dst, [](double value) { return Widen<Wide>(value); });
        dst += inner_pitch;
      }
    }
    return;
  }
  DispatchNative(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    Gather(static_cast<const T*>(data), outer, inner, inner_pitch, dst, [](T value) { return Widen<Wide>(value); });
  });
}

template <typename Wide>
void ReadWide(PrimitiveType type, const void* data, int64_t begin, int64_t count, Wide* dst) {
  constexpr int64_t kChunk = 512;
  int64_t offsets[kChunk];
  for (int64_t i = 0; i < std::min(kChunk, count); ++i) offsets[i] = i;
  for (int64_t i = 0; i < count; i += kChunk) {
    const size_t part = static_cast<size_t>(std::min(kChunk, count - i));
    GatherWide(type, data, {begin + i}, absl::MakeConstSpan(offsets, part), 0, dst + i);
  }
}

// Narrow floats are encoded from double, after integers have been rounded so that no second rounding shows.
template <typename Wide>
void ScatterWide(const WideStore& store, const Wide* values, absl::Span<const int64_t> offsets) {
  if (IsNarrowFloatType(store.type)) {
    if constexpr (std::is_same_v<Wide, double>) {
      ScatterNarrow(store, values, offsets);
    } else {
      std::vector<double> reals(offsets.size());
      for (size_t i = 0; i < reals.size(); ++i) {
        if constexpr (std::is_integral_v<Wide>) {
          reals[i] = store.integers_are_signed ? ToDoubleForEncoding(static_cast<int64_t>(values[i]))
                                               : ToDoubleForEncoding(values[i]);
        } else {
          reals[i] = Narrow<double>(values[i], store);
        }
      }
      ScatterNarrow(store, reals.data(), offsets);
    }
    return;
  }
  DispatchNative(store.type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    T* const data = static_cast<T*>(store.data);
    for (size_t i = 0; i < offsets.size(); ++i) {
      data[offsets[i]] = Narrow<T>(values[i], store);
    }
  });
}

template <typename Wide>
void WriteWide(const WideStore& store, const Wide* values, int64_t begin, int64_t count) {
  constexpr int64_t kChunk = 512;
  int64_t offsets[kChunk];
  for (int64_t i = 0; i < count; i += kChunk) {
    const int64_t part = std::min(kChunk, count - i);
    for (int64_t j = 0; j < part; ++j) offsets[j] = begin + i + j;
    ScatterWide(store, values + i, absl::MakeConstSpan(offsets, static_cast<size_t>(part)));
  }
}

template void GatherWide(PrimitiveType, const void*, absl::Span<const int64_t>, absl::Span<const int64_t>, int64_t,
                         uint64_t*);
template void GatherWide(PrimitiveType, const void*, absl::Span<const int64_t>, absl::Span<const int64_t>, int64_t,
                         double*);
template void GatherWide(PrimitiveType, const void*, absl::Span<const int64_t>, absl::Span<const int64_t>, int64_t,
                         complex128*);
template void ReadWide(PrimitiveType, const void*, int64_t, int64_t, uint64_t*);
template void ReadWide(PrimitiveType, const void*, int64_t, int64_t, double*);
template void ReadWide(PrimitiveType, const void*, int64_t, int64_t, complex128*);
template void ScatterWide(const WideStore&, const uint64_t*, absl::Span<const int64_t>);
template void ScatterWide(const WideStore&, const double*, absl::Span<const int64_t>);
template void ScatterWide(const WideStore&, const complex128*, absl::Span<const int64_t>);
template void WriteWide(const WideStore&, const uint64_t*, int64_t, int64_t);
template void WriteWide(const WideStore&, const double*, int64_t, int64_t);
template void WriteWide(const WideStore&, const complex128*, int64_t, int64_t);

}  // namespace xla
