// Matrix products in a processor's matrix unit (AMX): tiles of 16 rows of 64 bytes are multiplied by one instruction.
// Plain pointers, no other headers: what includes this is compiled with flags that inline functions of others must not
// see.
//
// Numbers have one byte or two. Rows of lhs have k contiguous, and are taken in *steps* of 64 bytes. Columns of rhs are
// in *panels* of 32: for each group of four bytes along k, those bytes of all columns, one column after the other. A
// panel's k is filled up to whole steps with zeros, and its columns to 32.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_MATRIX_UNIT_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_MATRIX_UNIT_KERNELS_H_

#include <cstdint>

namespace xla {

// Of lhs and rhs.
enum class MatrixUnitType { kS8S8, kS8U8, kU8S8, kU8U8, kBf16Bf16 };

// Bytes along k that one instruction multiplies.
inline constexpr int64_t kMatrixUnitStep = 64;
// Columns of a panel, and rows that are computed together.
inline constexpr int64_t kMatrixUnitColumns = 32;
inline constexpr int64_t kMatrixUnitRows = 32;
// Rows of a tile.
inline constexpr int64_t kMatrixUnitTileRows = 16;

// c[r, j] = (accumulate ? c[r, j] : 0) + sum over k of a[r, k] * b[k, j], in 32-bit integers that wrap or in f32, for
// at most 32 rows and the columns of some panels, of which there must be as many places in c.
struct MatrixUnitBlock {
  int64_t steps;  // of all of `a`'s rows
  const void* a;
  int64_t a_row;       // bytes
  const void* a_rest;  // one step more, whose rows are 64 bytes filled up with zeros; nullptr: there is none
  const void* b;       // the first panel
  int64_t panel_bytes;
  void* c;
  int64_t c_row;  // bytes
  int rows;
  int64_t columns;  // a multiple of 16
  bool accumulate;
};

// Rows of lhs that lie equally far apart, and where their sums go.
struct MatrixUnitTile {
  const void* a;
  void* c;
  int rows;  // 1 to 16
};

// The same sums, for tiles of rows anywhere. k is in parts, which lie equally far from all rows: so a convolution's
// window has parts that no row of lhs has together.
struct MatrixUnitWindows {
  const MatrixUnitTile* tiles;
  int64_t tile_count;
  int64_t a_row;  // bytes from a tile's row to the next
  int64_t c_row;
  const int64_t* parts;  // bytes from a row
  int64_t part_count;
  int64_t part_steps;  // of each part
  const void* b;       // the first panel, k's parts one after the other
  int64_t panel_bytes;
  int64_t columns;  // any number
};

// Rows of a matrix, `row` bytes from one to the next.
struct MatrixUnitSource {
  const void* data;
  int64_t row;  // bytes
  int64_t rows, columns;
};

// Element types have one byte (`bytes` = 1) or two.
struct MatrixUnitKernels {
  void (*multiply)(MatrixUnitType type, const MatrixUnitBlock& block);
  void (*multiply_windows)(MatrixUnitType type, const MatrixUnitWindows& windows);
  // Rows of the source are k, its columns fill panels; panel_bytes from one to the next.
  void (*pack_rows)(int bytes, const MatrixUnitSource& source, void* out, int64_t panel_bytes);
  // Columns of the source are k, its rows, at most 32, the columns of a panel.
  void (*pack_columns)(int bytes, const MatrixUnitSource& source, void* out);
  // Rows of the source are k: out[c * out_row + k] = source[k, c], with zeros up to the next step.
  void (*transpose)(int bytes, const MatrixUnitSource& source, void* out, int64_t out_row);
  // Rounded to nearest even, NaN to a quiet one.
  void (*narrow_to_bf16)(const float* in, uint16_t* out, int64_t count);
};

// nullptr: this processor has no such unit, or the system does not let it be used.
const MatrixUnitKernels* HostMatrixUnitKernels();

// From now on the function above returns these; nullptr: what the processor has. For tests, which emulate the unit
// (backends/cpu/testing/tested_processor.h).
void UseMatrixUnitInTests(const MatrixUnitKernels* kernels);

const MatrixUnitKernels& AmxMatrixUnitKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_MATRIX_UNIT_KERNELS_H_
