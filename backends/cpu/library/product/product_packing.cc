#include "backends/cpu/library/product/product_packing.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backends/cpu/library/product/product_kernels.h"
#include "xla_core/types/narrow_float.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

template <typename T>
struct IsComplexType : std::false_type {};
template <typename T>
struct IsComplexType<std::complex<T>> : std::true_type {};

// Calls visit(element, place in the packed block) in an order that suits the array.
template <typename Visit>
void ForEachElement(const StridedBlock& block, int64_t pitch, Visit visit) {
  if (block.row_stride == 1 && block.column_stride != 1) {
    for (int64_t c = 0; c < block.columns; ++c) {
      for (int64_t r = 0; r < block.rows; ++r) visit(r + c * block.column_stride, r * pitch + c);
    }
    return;
  }
  for (int64_t r = 0; r < block.rows; ++r) {
    for (int64_t c = 0; c < block.columns; ++c) visit(r * block.row_stride + c * block.column_stride, r * pitch + c);
  }
}

template <typename T, typename Stored>
T Widen(const Stored& x, bool imaginary) {
  if constexpr (IsComplexType<Stored>::value) {
    return static_cast<T>(imaginary ? x.imag() : x.real());
  } else {
    return static_cast<T>(x);
  }
}

template <typename T>
void PackNarrow(const StridedBlock& block, T* out, int64_t pitch) {
  const NarrowFormat format = NarrowFormatOf(block.type);
  const auto* const bytes = static_cast<const char*>(block.data);
  const int64_t width = ByteWidth(block.type);
  if (block.column_stride == 1) {
    for (int64_t r = 0; r < block.rows; ++r) {
      DecodeNarrow(format, bytes + r * block.row_stride * width, out + r * pitch, block.columns);
    }
    return;
  }
  ForEachElement(block, pitch, [&](int64_t element, int64_t place) {
    DecodeNarrow(format, bytes + element * width, out + place, 1);
  });
}

// Rows of narrow numbers to f32, by instructions where there are some.
template <typename Stored>
bool WidenRows(const StridedBlock& block, void (*widen)(const Stored*, float*, int64_t), float* out, int64_t pitch) {
  const auto* const data = static_cast<const Stored*>(block.data);
  for (int64_t r = 0; r < block.rows; ++r) widen(data + r * block.row_stride, out + r * pitch, block.columns);
  return true;
}

bool PackRowsOfNarrow(const StridedBlock& block, float* out, int64_t pitch) {
  if (block.column_stride != 1) return false;
  const ProductKernels& kernels = HostProductKernels();
  switch (block.type) {
    case F16:
      return WidenRows(block, kernels.widen_f16, out, pitch);
    case BF16:
      return WidenRows(block, kernels.widen_bf16, out, pitch);
    case S8:
      return WidenRows(block, kernels.widen_s8, out, pitch);
    case U8:
      return WidenRows(block, kernels.widen_u8, out, pitch);
    default:
      return false;
  }
}

// Columns that lie together in memory, to f32, and as rows of `out`. True if it is such a block.
bool PackColumns(const StridedBlock& block, float* out, int64_t pitch) {
  if (block.row_stride != 1 || block.column_stride == 1) return false;
  const auto transpose = HostProductKernels().transpose;
  if (block.type == F32) {
    transpose(static_cast<const float*>(block.data), block.column_stride, block.columns, block.rows, out, pitch);
    return true;
  }
  // A few at a time become f32 first.
  constexpr int64_t kLength = 256, kLines = 8;
  float lines[kLines * kLength];
  const auto* const bytes = static_cast<const char*>(block.data);
  for (int64_t c = 0; c < block.columns; c += kLines) {
    const int64_t count = std::min(kLines, block.columns - c);
    for (int64_t r = 0; r < block.rows; r += kLength) {
      const int64_t length = std::min(kLength, block.rows - r);
      const void* const first = bytes + (r + c * block.column_stride) * ByteWidth(block.type);
      PackBlock<float>({block.type, first, count, block.column_stride, length, 1}, false, lines, kLength);
      transpose(lines, kLength, count, length, out + r * pitch + c, pitch);
    }
  }
  return true;
}

bool PackColumns(const StridedBlock& block, double* out, int64_t pitch) {
  if (block.type != F64 || block.row_stride != 1 || block.column_stride == 1) return false;
  HostProductKernels().transpose_f64(static_cast<const double*>(block.data), block.column_stride, block.columns,
                                     block.rows, out, pitch);
  return true;
}

// ---- Results

template <typename Integer>
Integer Saturate(double x) {
  if (std::isnan(x)) return 0;
  constexpr double kTop = static_cast<double>(uint64_t{1} << (std::numeric_limits<Integer>::digits - 1)) * 2;
  if (x >= kTop) return std::numeric_limits<Integer>::max();
  if (x <= static_cast<double>(std::numeric_limits<Integer>::min())) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(x);
}

template <typename Stored, typename T>
Stored Narrow(const T& x, bool from_signed) {
  if constexpr (std::is_same_v<Stored, bool>) {
    return x != T{0};
  } else if constexpr (std::is_integral_v<Stored> && std::is_floating_point_v<T>) {
    return Saturate<Stored>(x);
  } else if constexpr (std::is_floating_point_v<Stored> && std::is_integral_v<T>) {
    return from_signed ? static_cast<Stored>(static_cast<std::make_signed_t<T>>(x)) : static_cast<Stored>(x);
  } else {
    return static_cast<Stored>(x);
  }
}

// Integers reach narrow floats through double, which holds their sums or is rounded as a double would be.
template <typename T>
void UnpackNarrow(const T* in, int64_t pitch, bool from_signed, const StridedBlock& block) {
  const NarrowFormat format = NarrowFormatOf(block.type);
  auto* const bytes = static_cast<char*>(const_cast<void*>(block.data));
  const int64_t width = ByteWidth(block.type);
  if constexpr (std::is_floating_point_v<T>) {
    if (block.column_stride == 1) {
      for (int64_t r = 0; r < block.rows; ++r) {
        EncodeNarrow(format, in + r * pitch, bytes + r * block.row_stride * width, block.columns);
      }
      return;
    }
  }
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  ForEachElement(block, pitch, [&](int64_t element, int64_t place) {
    const Wide x = Narrow<Wide>(in[place], from_signed);
    EncodeNarrow(format, &x, bytes + element * width, 1);
  });
}

}  // namespace

template <typename T>
void PackBlock(const StridedBlock& block, bool imaginary, T* out, int64_t pitch) {
  if constexpr (std::is_same_v<T, float>) {
    if (PackRowsOfNarrow(block, out, pitch)) return;
    if (!IsComplex(block.type) && PackColumns(block, out, pitch)) return;
  }
  if constexpr (std::is_same_v<T, double>) {
    if (PackColumns(block, out, pitch)) return;
  }
  if (IsNarrowFloatType(block.type)) {
    if constexpr (std::is_floating_point_v<T>) PackNarrow(block, out, pitch);
    return;
  }
  DispatchNative(block.type, [&](auto tag) {
    using Stored = TagType<decltype(tag)>;
    // Integers do not come from other types.
    if constexpr (std::is_integral_v<Stored> || std::is_floating_point_v<T>) {
      const auto* const data = static_cast<const Stored*>(block.data);
      if (std::is_same_v<Stored, T> && block.column_stride == 1) {
        for (int64_t r = 0; r < block.rows; ++r) {
          std::memcpy(out + r * pitch, data + r * block.row_stride, block.columns * sizeof(T));
        }
        return;
      }
      ForEachElement(block, pitch,
                     [&](int64_t element, int64_t place) { out[place] = Widen<T>(data[element], imaginary); });
    }
  });
}

template <typename T>
void UnpackBlock(const T* in, const T* in_imaginary, int64_t pitch, bool from_signed, const StridedBlock& block) {
  if (IsNarrowFloatType(block.type)) return UnpackNarrow(in, pitch, from_signed, block);
  DispatchNative(block.type, [&](auto tag) {
    using Stored = TagType<decltype(tag)>;
    auto* const data = static_cast<Stored*>(const_cast<void*>(block.data));
    ForEachElement(block, pitch, [&](int64_t element, int64_t place) {
      if constexpr (!IsComplexType<Stored>::value) {
        data[element] = Narrow<Stored>(in[place], from_signed);
      } else if constexpr (std::is_floating_point_v<T>) {
        using Part = typename Stored::value_type;
        data[element] = {static_cast<Part>(in[place]), static_cast<Part>(in_imaginary[place])};
      }
    });
  });
}

#define HALO_PACKING(T)                                               \
  template void PackBlock<T>(const StridedBlock&, bool, T*, int64_t); \
  template void UnpackBlock<T>(const T*, const T*, int64_t, bool, const StridedBlock&);
HALO_PACKING(float)
HALO_PACKING(double)
HALO_PACKING(uint32_t)
HALO_PACKING(uint64_t)
#undef HALO_PACKING

}  // namespace xla
