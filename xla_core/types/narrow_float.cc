#include "xla_core/types/narrow_float.h"

// Bulk conversion. Loops run over blocks of a fixed number of elements through
// buffers on the stack: GCC vectorizes at -O2 only loops whose trip count is a
// known multiple of the vector length and whose arrays it can tell apart, and
// copying in and out by memcpy leaves the caller free in alignment.

#include <array>
#include <utility>

namespace xla {
namespace {

using narrow_float_internal::BitCast;
using narrow_float_internal::ByteFormatDecoding;
using narrow_float_internal::kFirstByteFormat;
using narrow_float_internal::kNumByteFormats;

constexpr int kBlock = 64;

// The float, as bits, of a pattern of `narrow`. Integers only, so that tables
// are made at compile time.
constexpr uint32_t FloatBitsOf(NarrowFormat narrow, uint32_t bits) {
  const FloatFormat& format = FormatOf(narrow);
  const FloatTraits& traits = TraitsOf(narrow);
  constexpr uint32_t kFloatInfinity = 0x7F800000;
  constexpr uint32_t kFloatQuietNan = 0x7FC00000;
  constexpr uint32_t kFloatHiddenBit = 1u << 23;

  const uint32_t magnitude = bits & traits.magnitude_mask;
  const uint32_t sign = (bits & traits.sign_mask) != 0 ? 0x80000000u : 0u;
  uint32_t mantissa = (magnitude & ((1u << format.mantissa_bits) - 1)) << (23 - format.mantissa_bits);
  int exponent = static_cast<int>(magnitude >> format.mantissa_bits) - format.bias;
  if (IsNan(narrow, bits & (traits.magnitude_mask | traits.sign_mask))) {
    if (format.nan_style == NanStyle::kIeee) return sign | kFloatInfinity | mantissa;
    return format.nan_style == NanStyle::kAllOnes ? sign | kFloatQuietNan : kFloatQuietNan;
  }
  if (format.has_infinity && magnitude == traits.infinity_bits) return sign | kFloatInfinity;
  if (!format.has_sign) {
    return exponent == -127 ? kFloatHiddenBit >> 1 : static_cast<uint32_t>(exponent + 127) << 23;
  }
  if (exponent == -format.bias) {  // zero or denormal
    if (mantissa == 0) return sign;
    exponent = 1 - format.bias;
    for (; mantissa < kFloatHiddenBit; mantissa <<= 1) --exponent;
  }
  return sign | static_cast<uint32_t>(exponent + 127) << 23 | (mantissa & (kFloatHiddenBit - 1));
}

constexpr ByteFormatDecoding MakeByteFormatDecoding() {
  ByteFormatDecoding decoding{};
  for (int i = 0; i < kNumByteFormats; ++i) {
    const auto format = static_cast<NarrowFormat>(static_cast<int>(kFirstByteFormat) + i);
    for (uint32_t bits = 0; bits < 256; ++bits) decoding[i][bits] = FloatBitsOf(format, bits);
  }
  return decoding;
}

// Sets dst[i] = convert(src[i]) for `n` elements, which may lie anywhere.
template <typename From, typename To, typename Convert>
void ConvertElements(const void* src, void* dst, int64_t n, Convert convert) {
  const auto* from = static_cast<const char*>(src);
  auto* to = static_cast<char*>(dst);
  From in[kBlock];
  To out[kBlock];
  int64_t done = 0;
  for (; n - done >= kBlock; done += kBlock, from += sizeof(in), to += sizeof(out)) {
    std::memcpy(in, from, sizeof(in));
    for (int i = 0; i < kBlock; ++i) out[i] = convert(in[i]);
    std::memcpy(to, out, sizeof(out));
  }
  for (; done < n; ++done, from += sizeof(From), to += sizeof(To)) {
    std::memcpy(in, from, sizeof(From));
    out[0] = convert(in[0]);
    std::memcpy(to, out, sizeof(To));
  }
}

template <NarrowFormat format, typename Wide>
void Decode(const void* src, Wide* dst, int64_t n) {
  using Storage = typename NarrowFloat<format>::Storage;
  ConvertElements<Storage, Wide>(src, dst, n, [](Storage bits) {
    return static_cast<Wide>(BitCast<float>(narrow_float_internal::DecodeToFloatBits<format>(bits)));
  });
}

template <NarrowFormat format, typename Wide>
void Encode(const Wide* src, void* dst, int64_t n) {
  using Storage = typename NarrowFloat<format>::Storage;
  ConvertElements<Wide, Storage>(
      src, dst, n, [](Wide value) { return static_cast<Storage>(narrow_float_internal::Encode<format>(value)); });
}

template <NarrowFormat format>
uint32_t EncodeOne(double value) {
  return NarrowFloat<format>(value).bits();
}

template <NarrowFormat format>
double DecodeOne(uint32_t bits) {
  return static_cast<double>(NarrowFloat<format>::FromBits(bits));
}

struct Conversions {
  double (*decode_one)(uint32_t);
  uint32_t (*encode_one)(double);
  void (*decode_to_float)(const void*, float*, int64_t);
  void (*decode_to_double)(const void*, double*, int64_t);
  void (*encode_from_float)(const float*, void*, int64_t);
  void (*encode_from_double)(const double*, void*, int64_t);
};

template <size_t... kFormats>
constexpr std::array<Conversions, kNumNarrowFormats> MakeConversions(std::index_sequence<kFormats...>) {
  return {
      {{DecodeOne<static_cast<NarrowFormat>(kFormats)>, EncodeOne<static_cast<NarrowFormat>(kFormats)>,
        Decode<static_cast<NarrowFormat>(kFormats), float>, Decode<static_cast<NarrowFormat>(kFormats), double>,
        Encode<static_cast<NarrowFormat>(kFormats), float>, Encode<static_cast<NarrowFormat>(kFormats), double>}...}};
}

constexpr std::array<Conversions, kNumNarrowFormats> kConversions =
    MakeConversions(std::make_index_sequence<kNumNarrowFormats>());

const Conversions& ConversionsOf(NarrowFormat format) { return kConversions[static_cast<int>(format)]; }

}  // namespace

namespace narrow_float_internal {

extern constexpr ByteFormatDecoding kByteFormatDecoding = MakeByteFormatDecoding();

}  // namespace narrow_float_internal

double ToDoubleForEncoding(uint64_t value) {
  // Beyond 2^53 the last bits go, all in one: 11 bits suffice for 64-bit
  // values.
  constexpr uint64_t kLastBits = (1 << 11) - 1;
  if (value >> 53 != 0 && (value & kLastBits) != 0) value = (value & ~kLastBits) | (kLastBits + 1);
  return static_cast<double>(value);
}

double ToDoubleForEncoding(int64_t value) {
  const auto magnitude = static_cast<uint64_t>(value);
  return value < 0 ? -ToDoubleForEncoding(-magnitude) : ToDoubleForEncoding(magnitude);
}

double DecodeNarrow(NarrowFormat format, uint32_t bits) { return ConversionsOf(format).decode_one(bits); }

uint32_t EncodeNarrow(NarrowFormat format, double value) { return ConversionsOf(format).encode_one(value); }

void DecodeNarrow(NarrowFormat format, const void* src, float* dst, int64_t n) {
  ConversionsOf(format).decode_to_float(src, dst, n);
}

void DecodeNarrow(NarrowFormat format, const void* src, double* dst, int64_t n) {
  ConversionsOf(format).decode_to_double(src, dst, n);
}

void EncodeNarrow(NarrowFormat format, const float* src, void* dst, int64_t n) {
  ConversionsOf(format).encode_from_float(src, dst, n);
}

void EncodeNarrow(NarrowFormat format, const double* src, void* dst, int64_t n) {
  ConversionsOf(format).encode_from_double(src, dst, n);
}

}  // namespace xla
