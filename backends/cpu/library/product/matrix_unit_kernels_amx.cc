// Compiled with flags of its own, so nothing may be included here whose inline functions others use too.
#include <immintrin.h>

#include "backends/cpu/library/product/matrix_unit_kernels.h"

namespace xla {
namespace {

constexpr int64_t kStep = kMatrixUnitStep;
constexpr int64_t kTileRows = kMatrixUnitTileRows;
// Groups of four bytes in a step.
constexpr int64_t kGroups = kStep / 4;

// ---- Multiplication

// What the instruction LDTILECFG reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t column_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Tiles 0 to 3 are sums, 4 and 5 are rows of lhs, 6 and 7 columns of rhs.
void Configure(int upper, int lower) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.column_bytes[tile] = kStep;
    config.rows[tile] = kTileRows;
  }
  config.rows[0] = config.rows[1] = config.rows[4] = static_cast<uint8_t>(upper);
  config.rows[2] = config.rows[3] = config.rows[5] = static_cast<uint8_t>(lower);
  _tile_loadconfig(&config);
}

#define HALO_MULTIPLY_TILES(C, A, B)                       \
  do {                                                     \
    if constexpr (kType == MatrixUnitType::kS8S8) {        \
      _tile_dpbssd(C, A, B);                               \
    } else if constexpr (kType == MatrixUnitType::kS8U8) { \
      _tile_dpbsud(C, A, B);                               \
    } else if constexpr (kType == MatrixUnitType::kU8S8) { \
      _tile_dpbusd(C, A, B);                               \
    } else if constexpr (kType == MatrixUnitType::kU8U8) { \
      _tile_dpbuud(C, A, B);                               \
    } else {                                               \
      _tile_dpbf16ps(C, A, B);                             \
    }                                                      \
  } while (false)

template <MatrixUnitType kType, bool kLower, bool kRight>
inline void MultiplyStep(const char* upper, const char* lower, int64_t a_row, const char* b) {
  // All loads come first: where the unit is shared with another thread, taking turns takes longer. Panels pass by, and
  // should not drive the rows from the first cache.
  _tile_stream_loadd(6, b, 2 * kStep);
  _tile_loadd(4, upper, a_row);
  if constexpr (kRight) _tile_stream_loadd(7, b + kStep, 2 * kStep);
  if constexpr (kLower) _tile_loadd(5, lower, a_row);
  HALO_MULTIPLY_TILES(0, 4, 6);
  if constexpr (kRight) HALO_MULTIPLY_TILES(1, 4, 7);
  if constexpr (kLower) HALO_MULTIPLY_TILES(2, 5, 6);
  if constexpr (kLower && kRight) HALO_MULTIPLY_TILES(3, 5, 7);
}

// The columns of one panel.
template <MatrixUnitType kType, bool kLower, bool kRight>
inline void MultiplyPanel(const MatrixUnitBlock& block, const char* b, char* c) {
  const int64_t c_row = block.c_row;
  if (block.accumulate) {
    _tile_loadd(0, c, c_row);
    if constexpr (kRight) _tile_loadd(1, c + kStep, c_row);
    if constexpr (kLower) _tile_loadd(2, c + kTileRows * c_row, c_row);
    if constexpr (kLower && kRight) _tile_loadd(3, c + kTileRows * c_row + kStep, c_row);
  } else {
    _tile_zero(0);
    if constexpr (kRight) _tile_zero(1);
    if constexpr (kLower) _tile_zero(2);
    if constexpr (kLower && kRight) _tile_zero(3);
  }
  const char* a = static_cast<const char*>(block.a);
  for (int64_t step = 0; step < block.steps; ++step) {
    MultiplyStep<kType, kLower, kRight>(a, a + kTileRows * block.a_row, block.a_row, b);
    a += kStep;
    b += kGroups * 2 * kStep;
  }
  if (block.a_rest != nullptr) {
    const auto* const rest = static_cast<const char*>(block.a_rest);
    MultiplyStep<kType, kLower, kRight>(rest, rest + kTileRows * kStep, kStep, b);
  }
  _tile_stored(0, c, c_row);
  if constexpr (kRight) _tile_stored(1, c + kStep, c_row);
  if constexpr (kLower) _tile_stored(2, c + kTileRows * c_row, c_row);
  if constexpr (kLower && kRight) _tile_stored(3, c + kTileRows * c_row + kStep, c_row);
}

template <MatrixUnitType kType, bool kLower>
void MultiplyPanels(const MatrixUnitBlock& block) {
  const char* b = static_cast<const char*>(block.b);
  char* c = static_cast<char*>(block.c);
  // The intrinsics do not say that they read and write memory.
  __asm__ volatile("" ::: "memory");
  Configure(kLower ? static_cast<int>(kTileRows) : block.rows, kLower ? block.rows - static_cast<int>(kTileRows) : 1);
  int64_t column = 0;
  for (; column + kMatrixUnitColumns <= block.columns; column += kMatrixUnitColumns) {
    MultiplyPanel<kType, kLower, true>(block, b, c);
    b += block.panel_bytes;
    c += 2 * kStep;
  }
  if (column < block.columns) MultiplyPanel<kType, kLower, false>(block, b, c);
  _tile_release();
  __asm__ volatile("" ::: "memory");
}

template <MatrixUnitType kType>
void MultiplyAs(const MatrixUnitBlock& block) {
  if (block.rows > kTileRows) {
    MultiplyPanels<kType, true>(block);
  } else {
    MultiplyPanels<kType, false>(block);
  }
}

// The first `columns` of 16 sums of each row.
void CopySums(const char* sums, int rows, int64_t columns, char* c, int64_t c_row) {
  const auto mask = static_cast<__mmask16>((1u << columns) - 1);
  for (int r = 0; r < rows; ++r) {
    _mm512_mask_storeu_epi32(c + r * c_row, mask, _mm512_load_si512(sums + r * kStep));
  }
}

// A tile of sums, of which there may be fewer columns than 16. Instructions name tiles by numbers.
#define HALO_STORE_SUMS(TILE, ROWS, COLUMNS, C)        \
  do {                                                 \
    if ((COLUMNS) >= kTileRows) {                      \
      _tile_stored(TILE, C, windows.c_row);            \
    } else {                                           \
      alignas(64) char sums[kTileRows * kStep];        \
      _tile_stored(TILE, sums, kStep);                 \
      __asm__ volatile("" ::: "memory");               \
      CopySums(sums, ROWS, COLUMNS, C, windows.c_row); \
    }                                                  \
  } while (false)

// Up to 32 columns of two tiles, or of one.
template <MatrixUnitType kType, bool kLower, bool kRight>
void MultiplyWindowPanel(const MatrixUnitWindows& windows, const MatrixUnitTile* tiles, const char* b, int64_t column) {
  const int64_t columns = windows.columns - column;
  _tile_zero(0);
  if constexpr (kRight) _tile_zero(1);
  if constexpr (kLower) _tile_zero(2);
  if constexpr (kLower && kRight) _tile_zero(3);
  for (int64_t part = 0; part < windows.part_count; ++part) {
    const char* upper = static_cast<const char*>(tiles[0].a) + windows.parts[part];
    const char* lower = kLower ? static_cast<const char*>(tiles[1].a) + windows.parts[part] : nullptr;
    for (int64_t step = 0; step < windows.part_steps; ++step) {
      MultiplyStep<kType, kLower, kRight>(upper, lower, windows.a_row, b);
      upper += kStep;
      if constexpr (kLower) lower += kStep;
      b += kGroups * 2 * kStep;
    }
  }
  char* const c = static_cast<char*>(tiles[0].c) + column * 4;
  HALO_STORE_SUMS(0, tiles[0].rows, columns, c);
  if constexpr (kRight) HALO_STORE_SUMS(1, tiles[0].rows, columns - kTileRows, c + kStep);
  if constexpr (kLower) {
    char* const d = static_cast<char*>(tiles[1].c) + column * 4;
    HALO_STORE_SUMS(2, tiles[1].rows, columns, d);
    if constexpr (kRight) HALO_STORE_SUMS(3, tiles[1].rows, columns - kTileRows, d + kStep);
  }
}

template <MatrixUnitType kType, bool kLower>
void MultiplyWindowPanels(const MatrixUnitWindows& windows, const MatrixUnitTile* tiles) {
  const char* b = static_cast<const char*>(windows.b);
  int64_t column = 0;
  for (; column + kTileRows < windows.columns; column += kMatrixUnitColumns) {
    MultiplyWindowPanel<kType, kLower, true>(windows, tiles, b, column);
    b += windows.panel_bytes;
  }
  if (column < windows.columns) MultiplyWindowPanel<kType, kLower, false>(windows, tiles, b, column);
}

template <MatrixUnitType kType>
void MultiplyWindowsAs(const MatrixUnitWindows& windows) {
  __asm__ volatile("" ::: "memory");
  int upper = 0, lower = 0;
  for (int64_t i = 0; i < windows.tile_count; i += 2) {
    const MatrixUnitTile* const tiles = windows.tiles + i;
    const bool has_lower = i + 1 < windows.tile_count;
    const int lower_rows = has_lower ? tiles[1].rows : 1;
    if (tiles[0].rows != upper || lower_rows != lower) {
      upper = tiles[0].rows;
      lower = lower_rows;
      Configure(upper, lower);
    }
    if (has_lower) {
      MultiplyWindowPanels<kType, true>(windows, tiles);
    } else {
      MultiplyWindowPanels<kType, false>(windows, tiles);
    }
  }
  _tile_release();
  __asm__ volatile("" ::: "memory");
}

template <MatrixUnitType kType>
struct TypeConstant {
  static constexpr MatrixUnitType kValue = kType;
};

// call(constant of the type).
template <typename Call>
void WithType(MatrixUnitType type, Call call) {
  switch (type) {
    case MatrixUnitType::kS8S8:
      return call(TypeConstant<MatrixUnitType::kS8S8>());
    case MatrixUnitType::kS8U8:
      return call(TypeConstant<MatrixUnitType::kS8U8>());
    case MatrixUnitType::kU8S8:
      return call(TypeConstant<MatrixUnitType::kU8S8>());
    case MatrixUnitType::kU8U8:
      return call(TypeConstant<MatrixUnitType::kU8U8>());
    case MatrixUnitType::kBf16Bf16:
      return call(TypeConstant<MatrixUnitType::kBf16Bf16>());
  }
}

void Multiply(MatrixUnitType type, const MatrixUnitBlock& block) {
  WithType(type, [&](auto constant) { MultiplyAs<constant.kValue>(block); });
}

void MultiplyWindows(MatrixUnitType type, const MatrixUnitWindows& windows) {
  WithType(type, [&](auto constant) { MultiplyWindowsAs<constant.kValue>(windows); });
}

// ---- Panels

// The rows of one group, which have 32 columns, and the group.
void InterleaveGroup(int bytes, const char* const* rows, char* out) {
  const auto load = [](const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
  const auto store = [&](int part, __m256i lanes, __m256i other, bool upper) {
    const __m256i all =
        upper ? _mm256_permute2x128_si256(lanes, other, 0x31) : _mm256_permute2x128_si256(lanes, other, 0x20);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + part * 32), all);
  };
  if (bytes == 2) {
    for (int half = 0; half < 2; ++half) {
      const __m256i x = load(rows[0] + half * 32), y = load(rows[1] + half * 32);
      const __m256i low = _mm256_unpacklo_epi16(x, y), high = _mm256_unpackhi_epi16(x, y);
      store(2 * half, low, high, false);
      store(2 * half + 1, low, high, true);
    }
    return;
  }
  const __m256i x = load(rows[0]), y = load(rows[1]), z = load(rows[2]), w = load(rows[3]);
  const __m256i xy_low = _mm256_unpacklo_epi8(x, y), xy_high = _mm256_unpackhi_epi8(x, y);
  const __m256i zw_low = _mm256_unpacklo_epi8(z, w), zw_high = _mm256_unpackhi_epi8(z, w);
  const __m256i first = _mm256_unpacklo_epi16(xy_low, zw_low), second = _mm256_unpackhi_epi16(xy_low, zw_low);
  const __m256i third = _mm256_unpacklo_epi16(xy_high, zw_high), fourth = _mm256_unpackhi_epi16(xy_high, zw_high);
  store(0, first, second, false);
  store(1, third, fourth, false);
  store(2, first, second, true);
  store(3, third, fourth, true);
}

// Four rows of 64 columns, one byte each, and the groups of two panels.
inline void InterleavePair(const char* const* rows, char* out, char* next) {
  // The first 32 columns go to the lower halves of lanes, so that they follow each other when halves are unpacked.
  const __m512i halves = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  const auto load = [&](int r) { return _mm512_permutexvar_epi64(halves, _mm512_loadu_si512(rows[r])); };
  const __m512i x = load(0), y = load(1), z = load(2), w = load(3);
  alignas(64) static constexpr uint16_t kTurns[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                                      8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i first = _mm512_load_si512(kTurns), second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  const auto store = [&](__m512i xy, __m512i zw, char* to) {
    _mm512_storeu_si512(to, _mm512_permutex2var_epi16(xy, first, zw));
    _mm512_storeu_si512(to + kStep, _mm512_permutex2var_epi16(xy, second, zw));
  };
  store(_mm512_unpacklo_epi8(x, y), _mm512_unpacklo_epi8(z, w), out);
  store(_mm512_unpackhi_epi8(x, y), _mm512_unpackhi_epi8(z, w), next);
}

int64_t GroupsOf(int bytes, int64_t k) { return (k * bytes + kStep - 1) / kStep * kGroups; }

constexpr char kZeros[kMatrixUnitColumns * 2] = {};

// Two panels at a time, of one byte; some groups of each, so that memory is read and written in runs.
void PackPairs(const MatrixUnitSource& source, int64_t pairs, char* out, int64_t panel_bytes) {
  constexpr int64_t kBlock = 8;
  constexpr int kGroupRows = 4;
  const int64_t groups = GroupsOf(1, source.rows);
  for (int64_t block = 0; block < groups; block += kBlock) {
    const int64_t end = block + kBlock < groups ? block + kBlock : groups;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const char* const data = static_cast<const char*>(source.data) + pair * 2 * kMatrixUnitColumns;
      char* const to = out + pair * 2 * panel_bytes;
      for (int64_t group = block; group < end; ++group) {
        const char* rows[kGroupRows];
        for (int r = 0; r < kGroupRows; ++r) {
          const int64_t k = group * kGroupRows + r;
          rows[r] = k < source.rows ? data + k * source.row : kZeros;
        }
        char* const panel = to + group * kMatrixUnitColumns * 4;
        InterleavePair(rows, panel, panel + panel_bytes);
      }
    }
  }
}

void PackRows(int bytes, const MatrixUnitSource& whole, void* out, int64_t panel_bytes) {
  constexpr int kMostRows = 4;
  MatrixUnitSource source = whole;
  if (bytes == 1) {
    const int64_t pairs = source.columns / (2 * kMatrixUnitColumns);
    PackPairs(source, pairs, static_cast<char*>(out), panel_bytes);
    source.data = static_cast<const char*>(source.data) + pairs * 2 * kMatrixUnitColumns;
    source.columns -= pairs * 2 * kMatrixUnitColumns;
    out = static_cast<char*>(out) + pairs * 2 * panel_bytes;
    if (source.columns == 0) return;
  }
  const int group_rows = 4 / bytes;
  const int64_t groups = GroupsOf(bytes, source.rows);
  const int64_t full = source.columns / kMatrixUnitColumns, left = source.columns % kMatrixUnitColumns;
  const auto* const data = static_cast<const char*>(source.data);
  for (int64_t group = 0; group < groups; ++group) {
    const char* rows[kMostRows];
    bool exists[kMostRows];
    for (int r = 0; r < group_rows; ++r) {
      const int64_t k = group * group_rows + r;
      exists[r] = k < source.rows;
      rows[r] = exists[r] ? data + k * source.row : kZeros;
    }
    char* to = static_cast<char*>(out) + group * kMatrixUnitColumns * 4;
    for (int64_t panel = 0; panel < full; ++panel) {
      InterleaveGroup(bytes, rows, to);
      to += panel_bytes;
      for (int r = 0; r < group_rows; ++r) rows[r] += exists[r] ? kMatrixUnitColumns * bytes : 0;
    }
    if (left == 0) continue;
    char columns[kMostRows][kMatrixUnitColumns * 2] = {};
    const char* filled[kMostRows];
    for (int r = 0; r < group_rows; ++r) {
      __builtin_memcpy(columns[r], rows[r], left * bytes);
      filled[r] = columns[r];
    }
    InterleaveGroup(bytes, filled, to);
  }
}

// Sixteen rows of sixteen words become columns.
void TransposeWords(__m512i rows[16]) {
  __m512i pairs[16];
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  // fours[4 * i + j]: words j of each lane of rows 4 * i to 4 * i + 3.
  __m512i fours[16];
  for (int i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  for (int j = 0; j < 4; ++j) {
    const __m512i even_low = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0x88);
    const __m512i odd_low = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0xdd);
    const __m512i even_high = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0x88);
    const __m512i odd_high = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0xdd);
    rows[j] = _mm512_shuffle_i32x4(even_low, even_high, 0x88);
    rows[8 + j] = _mm512_shuffle_i32x4(even_low, even_high, 0xdd);
    rows[4 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0x88);
    rows[12 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd);
  }
}

// The first `count` bytes of 64; the others are zeros.
__m512i LoadBytes(const char* p, int64_t count) {
  const __mmask64 mask = count >= kStep ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
  return _mm512_maskz_loadu_epi8(mask, p);
}

void PackColumns(int bytes, const MatrixUnitSource& source, void* out) {
  const int64_t k_bytes = source.columns * bytes;
  constexpr int64_t kWidth = kMatrixUnitColumns;
  for (int64_t k = 0; k < k_bytes; k += kStep) {
    for (int64_t first = 0; first < kWidth; first += kTileRows) {
      __m512i words[16];
      for (int64_t r = 0; r < kTileRows; ++r) {
        const char* const row = static_cast<const char*>(source.data) + (first + r) * source.row + k;
        words[r] = first + r < source.rows ? LoadBytes(row, k_bytes - k) : _mm512_setzero_si512();
      }
      TransposeWords(words);
      char* const to = static_cast<char*>(out) + k * kWidth + first * 4;
      for (int64_t g = 0; g < kGroups; ++g) _mm512_storeu_si512(to + g * kWidth * 4, words[g]);
    }
  }
}

void TransposeRows(int bytes, const MatrixUnitSource& source, void* out, int64_t out_row) {
  const int64_t step_rows = kStep / bytes;
  alignas(64) char panel[kStep * kMatrixUnitColumns];
  for (int64_t k = 0; k < source.rows; k += step_rows) {
    for (int64_t column = 0; column < source.columns; column += kMatrixUnitColumns) {
      const int64_t count = source.columns - column < kMatrixUnitColumns ? source.columns - column : kMatrixUnitColumns;
      const int64_t rows = source.rows - k < step_rows ? source.rows - k : step_rows;
      const char* const from = static_cast<const char*>(source.data) + k * source.row + column * bytes;
      PackRows(bytes, {from, source.row, rows, count}, panel, sizeof(panel));
      for (int64_t first = 0; first < count; first += kTileRows) {
        __m512i words[16];
        for (int64_t g = 0; g < kGroups; ++g)
          words[g] = _mm512_load_si512(panel + (g * kMatrixUnitColumns + first) * 4);
        TransposeWords(words);
        char* const to = static_cast<char*>(out) + (column + first) * out_row + k * bytes;
        for (int64_t r = 0; r < kTileRows && first + r < count; ++r) {
          _mm512_storeu_si512(to + r * out_row, words[r]);
        }
      }
    }
  }
}

// ---- Results

void NarrowToBf16(const float* in, uint16_t* out, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    const __mmask16 mask = count - i >= 16 ? 0xffff : static_cast<__mmask16>((1u << (count - i)) - 1);
    const __m512 x = _mm512_maskz_loadu_ps(mask, in + i);
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512i top = _mm512_srli_epi32(_mm512_mask_blend_epi32(is_nan, rounded, quiet), 16);
    _mm512_mask_cvtepi32_storeu_epi16(out + i, mask, top);
  }
}

constexpr MatrixUnitKernels kKernels = {Multiply, MultiplyWindows, PackRows, PackColumns, TransposeRows, NarrowToBf16};

}  // namespace

const MatrixUnitKernels& AmxMatrixUnitKernels() { return kKernels; }

}  // namespace xla
