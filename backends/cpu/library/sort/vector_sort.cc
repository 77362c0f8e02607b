#include "backends/cpu/library/sort/vector_sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>

namespace xla {
namespace {

// Fewer are sorted sooner than a sorter is called.
constexpr int64_t kFew = 12;

template <typename T, typename Sorted = T>
void Sort(T* numbers, int64_t count) {
  if (count <= kFew) {
    for (int64_t i = 1; i < count; ++i)
      std::rotate(std::upper_bound(numbers, numbers + i, numbers[i]), numbers + i, numbers + i + 1);
    return;
  }
  static_assert(sizeof(T) == sizeof(Sorted), "sorted in place");
  static thread_local const hwy::Sorter sorter;
  sorter(reinterpret_cast<Sorted*>(numbers), static_cast<size_t>(count), hwy::SortAscending());
}

}  // namespace

void SortNumbers(uint8_t* numbers, int64_t count) {
  std::array<int64_t, 256> counts = {};
  for (int64_t i = 0; i < count; ++i) ++counts[numbers[i]];
  for (int value = 0; value < 256; ++value) {
    numbers = std::fill_n(numbers, counts[value], static_cast<uint8_t>(value));
  }
}
void SortNumbers(uint16_t* numbers, int64_t count) { Sort(numbers, count); }
void SortNumbers(uint32_t* numbers, int64_t count) { Sort(numbers, count); }
void SortNumbers(uint64_t* numbers, int64_t count) { Sort(numbers, count); }
void SortNumbers(WideNumber* numbers, int64_t count) { Sort<WideNumber, hwy::uint128_t>(numbers, count); }

}  // namespace xla
