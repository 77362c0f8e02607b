// The eight tiles of AMX in plain C++, under the names of the intrinsics: what includes this after <immintrin.h> runs on
// processors without them. For one source file only, since it redefines these names.
//
// A tile has up to 16 rows of up to 64 bytes, as the configuration says. What the processor answers with a fault ends
// the process: tiles that are not configured, or whose sizes do not fit each other.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, LDTILECFG, TILELOADD, TDPBSSD,
// TDPBF16PS.
#ifndef BACKENDS_CPU_TESTING_EMULATED_TILES_H_
#define BACKENDS_CPU_TESTING_EMULATED_TILES_H_

#include <immintrin.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xla {
namespace {

constexpr int kEmulatedTiles = 8;
constexpr int kEmulatedRows = 16;
constexpr int kEmulatedRowBytes = 64;

struct EmulatedTile {
  int rows = 0;  // 0: not configured
  int row_bytes = 0;
  char data[kEmulatedRows][kEmulatedRowBytes] = {};

  int columns() const { return row_bytes / 4; }
  template <typename T>
  T Get(int row, int i) const {
    T value;
    std::memcpy(&value, data[row] + i * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T>
  void Set(int row, int i, T value) {
    std::memcpy(data[row] + i * sizeof(T), &value, sizeof(T));
  }
};

thread_local EmulatedTile emulated_tiles[kEmulatedTiles];

void RequireOfTiles(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "emulated tiles: %s\n", what);
  std::abort();
}

EmulatedTile& ConfiguredTile(int tile) {
  RequireOfTiles(emulated_tiles[tile].rows > 0, "a tile is used that is not configured");
  return emulated_tiles[tile];
}

// The rest of a tile that is written becomes zeros, here and below.
void ReleaseEmulatedTiles() {
  for (EmulatedTile& tile : emulated_tiles) tile = EmulatedTile();
}

void ConfigureEmulatedTiles(const void* config) {
  constexpr int kReservedBegin = 2, kReservedEnd = 16, kColumnBytes = 16, kRows = 48, kPlaces = 16;
  const auto* const bytes = static_cast<const unsigned char*>(config);
  RequireOfTiles(bytes[0] == 1, "the palette is not 1");
  for (int i = kReservedBegin; i < kReservedEnd; ++i) RequireOfTiles(bytes[i] == 0, "a reserved byte is not zero");
  ReleaseEmulatedTiles();
  for (int i = 0; i < kPlaces; ++i) {
    uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, bytes + kColumnBytes + 2 * i, sizeof(row_bytes));
    const int rows = bytes[kRows + i];
    RequireOfTiles(rows <= kEmulatedRows && row_bytes <= kEmulatedRowBytes, "a tile is configured too large");
    RequireOfTiles((rows == 0) == (row_bytes == 0), "a tile has rows without bytes, or bytes without rows");
    RequireOfTiles(i < kEmulatedTiles || rows == 0, "a tile is configured that does not exist");
    if (i >= kEmulatedTiles) continue;
    emulated_tiles[i].rows = rows;
    emulated_tiles[i].row_bytes = row_bytes;
  }
}

void LoadEmulatedTile(int number, const void* base, int64_t stride) {
  EmulatedTile& tile = ConfiguredTile(number);
  std::memset(tile.data, 0, sizeof(tile.data));
  for (int r = 0; r < tile.rows; ++r) {
    std::memcpy(tile.data[r], static_cast<const char*>(base) + r * stride, tile.row_bytes);
  }
}

void StoreEmulatedTile(int number, void* base, int64_t stride) {
  const EmulatedTile& tile = ConfiguredTile(number);
  for (int r = 0; r < tile.rows; ++r) std::memcpy(static_cast<char*>(base) + r * stride, tile.data[r], tile.row_bytes);
}

void ZeroEmulatedTile(int number) {
  EmulatedTile& tile = ConfiguredTile(number);
  std::memset(tile.data, 0, sizeof(tile.data));
}

void RequireSizesOfProduct(const EmulatedTile& c, const EmulatedTile& a, const EmulatedTile& b) {
  RequireOfTiles(&c != &a && &c != &b && &a != &b, "a tile stands twice in a product");
  RequireOfTiles(c.row_bytes % 4 == 0 && a.row_bytes % 4 == 0 && b.row_bytes % 4 == 0, "a row is not in whole words");
  RequireOfTiles(c.rows == a.rows && a.columns() == b.rows && c.columns() == b.columns(),
                 "the sizes of tiles do not fit each other");
}

// Of 8-bit integers A and B: the sums wrap.
template <typename A, typename B>
void MultiplyEmulatedBytes(int c_number, int a_number, int b_number) {
  EmulatedTile& c = ConfiguredTile(c_number);
  const EmulatedTile &a = ConfiguredTile(a_number), &b = ConfiguredTile(b_number);
  RequireSizesOfProduct(c, a, b);
  for (int m = 0; m < c.rows; ++m) {
    for (int n = 0; n < c.columns(); ++n) {
      auto sum = c.Get<uint32_t>(m, n);
      for (int k = 0; k < a.columns(); ++k) {
        for (int i = 0; i < 4; ++i) {
          const int product = a.Get<A>(m, 4 * k + i) * b.Get<B>(k, 4 * n + i);
          sum += static_cast<uint32_t>(product);
        }
      }
      c.Set(m, n, sum);
    }
  }
}

// Denormal numbers, as operands and as results, are zeros; rounding is to nearest. The unit ignores the mode of the thread.
class DenormalsAreZeros {
 public:
  DenormalsAreZeros() : before_(_mm_getcsr()) {
    constexpr unsigned kAllMasked = 0x1f80, kFlush = 0x8000, kOperandsAreZeros = 0x40;
    _mm_setcsr(kAllMasked | kFlush | kOperandsAreZeros);
  }
  ~DenormalsAreZeros() { _mm_setcsr(before_); }

 private:
  const unsigned before_;
};

float FloatOfBf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

// Even and odd elements along k have sums of their own, which start at zero and round once for each product; in the end
// they are added to each other, and that to the tile.
void MultiplyEmulatedBf16(int c_number, int a_number, int b_number) {
  EmulatedTile& c = ConfiguredTile(c_number);
  const EmulatedTile &a = ConfiguredTile(a_number), &b = ConfiguredTile(b_number);
  RequireSizesOfProduct(c, a, b);
  const DenormalsAreZeros mode;
  // Nothing that is computed may move before the mode is set or after it is restored.
  __asm__ volatile("" ::: "memory");
  for (int m = 0; m < c.rows; ++m) {
    for (int n = 0; n < c.columns(); ++n) {
      float even = 0, odd = 0;
      for (int k = 0; k < a.columns(); ++k) {
        even = __builtin_fmaf(FloatOfBf16(a.Get<uint16_t>(m, 2 * k)), FloatOfBf16(b.Get<uint16_t>(k, 2 * n)), even);
        odd = __builtin_fmaf(FloatOfBf16(a.Get<uint16_t>(m, 2 * k + 1)), FloatOfBf16(b.Get<uint16_t>(k, 2 * n + 1)),
                             odd);
      }
      c.Set(m, n, c.Get<float>(m, n) + (even + odd));
    }
  }
  __asm__ volatile("" ::: "memory");
}

}  // namespace
}  // namespace xla

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbssd
#undef _tile_dpbsud
#undef _tile_dpbusd
#undef _tile_dpbuud
#undef _tile_dpbf16ps
#define _tile_loadconfig(config) xla::ConfigureEmulatedTiles(config)
#define _tile_release() xla::ReleaseEmulatedTiles()
#define _tile_loadd(tile, base, stride) xla::LoadEmulatedTile(tile, base, stride)
#define _tile_stream_loadd(tile, base, stride) xla::LoadEmulatedTile(tile, base, stride)
#define _tile_stored(tile, base, stride) xla::StoreEmulatedTile(tile, base, stride)
#define _tile_zero(tile) xla::ZeroEmulatedTile(tile)
#define _tile_dpbssd(c, a, b) xla::MultiplyEmulatedBytes<int8_t, int8_t>(c, a, b)
#define _tile_dpbsud(c, a, b) xla::MultiplyEmulatedBytes<int8_t, uint8_t>(c, a, b)
#define _tile_dpbusd(c, a, b) xla::MultiplyEmulatedBytes<uint8_t, int8_t>(c, a, b)
#define _tile_dpbuud(c, a, b) xla::MultiplyEmulatedBytes<uint8_t, uint8_t>(c, a, b)
#define _tile_dpbf16ps(c, a, b) xla::MultiplyEmulatedBf16(c, a, b)

#endif  // BACKENDS_CPU_TESTING_EMULATED_TILES_H_
