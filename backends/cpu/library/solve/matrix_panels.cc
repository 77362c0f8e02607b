#include "backends/cpu/library/solve/matrix_panels.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/library/base/array_elements.h"
#include "xla_core/types/narrow_float.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// Elements that lie together in memory are converted this many at a time.
constexpr int kSegment = 64;

template <typename T>
struct Segment {
  T real[kSegment];
  T imaginary[kSegment];
};

template <typename Stored, typename T>
void ReadReal(const void* data, int64_t first, int count, T* out) {
  const Stored* const from = static_cast<const Stored*>(data) + first;
  for (int i = 0; i < count; ++i) out[i] = static_cast<T>(from[i]);
}

// Complex numbers are pairs of parts in memory.
template <typename Part, typename T>
void ReadComplex(const void* data, int64_t first, int count, Segment<T>& out) {
  const Part* const from = static_cast<const Part*>(data) + 2 * first;
  for (int i = 0; i < count; ++i) {
    out.real[i] = static_cast<T>(from[2 * i]);
    out.imaginary[i] = static_cast<T>(from[2 * i + 1]);
  }
}

template <typename T>
void Read(PrimitiveType type, const void* data, int64_t first, int count, Segment<T>& out) {
  switch (type) {
    case F32:
      return ReadReal<float>(data, first, count, out.real);
    case F64:
      return ReadReal<double>(data, first, count, out.real);
    case C64:
      return ReadComplex<float>(data, first, count, out);
    case C128:
      return ReadComplex<double>(data, first, count, out);
    default:
      break;
  }
  DecodeNarrow(NarrowFormatOf(type), ElementOf(type, data, first), out.real, count);
}

template <typename Stored, typename T>
void WriteReal(const T* in, int64_t first, int count, void* data) {
  Stored* const to = static_cast<Stored*>(data) + first;
  for (int i = 0; i < count; ++i) to[i] = static_cast<Stored>(in[i]);
}

template <typename Part, typename T>
void WriteComplex(const Segment<T>& in, int64_t first, int count, void* data) {
  Part* const to = static_cast<Part*>(data) + 2 * first;
  for (int i = 0; i < count; ++i) {
    to[2 * i] = static_cast<Part>(in.real[i]);
    to[2 * i + 1] = static_cast<Part>(in.imaginary[i]);
  }
}

template <typename T>
void Write(PrimitiveType type, const Segment<T>& in, int64_t first, int count, void* data) {
  switch (type) {
    case F32:
      return WriteReal<float>(in.real, first, count, data);
    case F64:
      return WriteReal<double>(in.real, first, count, data);
    case C64:
      return WriteComplex<float>(in, first, count, data);
    case C128:
      return WriteComplex<double>(in, first, count, data);
    default:
      break;
  }
  EncodeNarrow(NarrowFormatOf(type), in.real, ElementOf(type, data, first), count);
}

// Where pieces of a matrix that lie together in memory are in a panel: `count` of them one after the other in memory,
// of which the elements lie `step` apart in the panel, or backwards.
struct Piece {
  int64_t element;  // the first in memory
  int count;
  int64_t place;  // of that one in the panel
  int64_t step;
};

// Calls fn(piece) for all of them, in an order that stays in caches.
template <typename Fn>
void ForEachPiece(const PanelMatrix& matrix, int64_t pitch, int64_t rows, int64_t column, int columns, Fn fn) {
  const int64_t start = matrix.first + column * matrix.c_step;
  if (matrix.k_step != 1 && matrix.k_step != -1) {
    const bool is_backward = matrix.c_step < 0;
    for (int64_t k = 0; k < rows; ++k) {
      const int64_t element = start + k * matrix.k_step - (is_backward ? columns - 1 : 0);
      fn(Piece{element, columns, k * pitch + (is_backward ? columns - 1 : 0), matrix.c_step});
    }
    return;
  }
  const bool is_backward = matrix.k_step < 0;
  for (int64_t k = 0; k < rows; k += kSegment) {
    const int count = static_cast<int>(std::min<int64_t>(kSegment, rows - k));
    for (int c = 0; c < columns; ++c) {
      const int64_t lowest = is_backward ? k + count - 1 : k;
      fn(Piece{start + c * matrix.c_step + lowest * matrix.k_step, count, lowest * pitch + c, matrix.k_step * pitch});
    }
  }
}

template <typename T>
void Copy(const T* from, int64_t from_step, T* to, int64_t to_step, int count) {
  if (from_step == 1 && to_step == 1) {
    std::memcpy(to, from, count * sizeof(T));
    return;
  }
  for (int i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

int64_t PitchOf(PrimitiveType type) { return IsComplex(type) ? 2 * kPanelWidth : kPanelWidth; }

}  // namespace

template <typename T>
void LoadPanel(PrimitiveType type, const void* data, const PanelMatrix& matrix, int64_t rows, int64_t column,
               int columns, T* panel) {
  const bool is_complex = IsComplex(type);
  const T sign = matrix.is_conjugated ? -1 : 1;
  Segment<T> segment;
  if (IsStoredAs<T>(type)) {
    return ForEachPiece(matrix, PitchOf(type), rows, column, columns, [&](const Piece& piece) {
      Copy(static_cast<const T*>(data) + piece.element, 1, panel + piece.place, piece.step, piece.count);
    });
  }
  ForEachPiece(matrix, PitchOf(type), rows, column, columns, [&](const Piece& piece) {
    Read(type, data, piece.element, piece.count, segment);
    T* const to = panel + piece.place;
    for (int i = 0; i < piece.count; ++i) to[i * piece.step] = segment.real[i];
    if (!is_complex) return;
    for (int i = 0; i < piece.count; ++i) to[i * piece.step + kPanelWidth] = sign * segment.imaginary[i];
  });
}

template <typename T>
void StorePanel(PrimitiveType type, const T* panel, const PanelMatrix& matrix, int64_t rows, int64_t column,
                int columns, void* data) {
  const bool is_complex = IsComplex(type);
  const T sign = matrix.is_conjugated ? -1 : 1;
  Segment<T> segment;
  if (IsStoredAs<T>(type)) {
    return ForEachPiece(matrix, PitchOf(type), rows, column, columns, [&](const Piece& piece) {
      Copy(panel + piece.place, piece.step, static_cast<T*>(data) + piece.element, 1, piece.count);
    });
  }
  ForEachPiece(matrix, PitchOf(type), rows, column, columns, [&](const Piece& piece) {
    const T* const from = panel + piece.place;
    for (int i = 0; i < piece.count; ++i) segment.real[i] = from[i * piece.step];
    if (is_complex) {
      for (int i = 0; i < piece.count; ++i) segment.imaginary[i] = sign * from[i * piece.step + kPanelWidth];
    }
    Write(type, segment, piece.element, piece.count, data);
  });
}

template void LoadPanel(PrimitiveType, const void*, const PanelMatrix&, int64_t, int64_t, int, float*);
template void LoadPanel(PrimitiveType, const void*, const PanelMatrix&, int64_t, int64_t, int, double*);
template void StorePanel(PrimitiveType, const float*, const PanelMatrix&, int64_t, int64_t, int, void*);
template void StorePanel(PrimitiveType, const double*, const PanelMatrix&, int64_t, int64_t, int, void*);

}  // namespace xla
