// Sorts of numbers by wide vectors, whichever the processor has.
#ifndef BACKENDS_CPU_LIBRARY_SORT_VECTOR_SORT_H_
#define BACKENDS_CPU_LIBRARY_SORT_VECTOR_SORT_H_

#include <cstdint>

namespace xla {

// 128 bits.
struct alignas(16) WideNumber {
  uint64_t low;
  uint64_t high;
};
inline bool operator<(const WideNumber& a, const WideNumber& b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

// Ascending. Equal numbers are the same, so that there is one result only.
void SortNumbers(uint8_t* numbers, int64_t count);
void SortNumbers(uint16_t* numbers, int64_t count);
void SortNumbers(uint32_t* numbers, int64_t count);
void SortNumbers(uint64_t* numbers, int64_t count);
void SortNumbers(WideNumber* numbers, int64_t count);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_VECTOR_SORT_H_
