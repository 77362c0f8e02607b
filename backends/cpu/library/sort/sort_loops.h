// Loops of sorts, by one thread or several.
#ifndef BACKENDS_CPU_LIBRARY_SORT_SORT_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_SORT_SORT_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backends/cpu/library/sort/line_key.h"
#include "backends/cpu/library/sort/vector_sort.h"
#include "backends/runtime/execute_context.h"

namespace xla {

// Shorter lines are not worth sharing.
inline constexpr int64_t kMinSharedLength = int64_t{1} << 16;

class SortLoop {
 public:
  // nullptr: on this thread.
  explicit SortLoop(const ExecuteContext* context) : context_(context) {}

  int threads() const { return context_ == nullptr ? 1 : context_->thread_count(); }
  // Calls body(begin, end) for parts of [0, count).
  template <typename Body>
  void Run(int64_t count, const Body& body, int64_t part = kPart) const {
    if (context_ == nullptr) return body(0, count);
    context_->ParallelFor((count + part - 1) / part, 1,
                          [&](int64_t begin, int64_t end) { body(begin * part, std::min(count, end * part)); });
  }

 private:
  static constexpr int64_t kPart = 1 << 14;

  const ExecuteContext* const context_;
};

// The keys of elements 0, stride, ...; true if some of them look different from others of the same key.
template <typename Word>
bool MakeKeys(const KeyMaker<Word>& maker, const Word* elements, int64_t stride, int64_t count, Word* keys) {
  if (!maker.is_float()) {
    for (int64_t i = 0; i < count; ++i) keys[i] = maker.OfInteger(elements[i * stride]);
    return false;
  }
  Word found = 0;
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) {
      found |= maker.LooksDifferent(elements[i]);
      keys[i] = maker.OfFloat(elements[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      found |= maker.LooksDifferent(elements[i * stride]);
      keys[i] = maker.OfFloat(elements[i * stride]);
    }
  }
  return found != 0;
}

// How many of the first `rank` numbers of the two sorted lists together are a's. Of equal ones a's come first.
template <typename Word>
int64_t RankIn(int64_t rank, const Word* a, int64_t a_count, const Word* b, int64_t b_count) {
  int64_t low = std::max<int64_t>(0, rank - b_count);
  int64_t high = std::min(rank, a_count);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (b[rank - middle - 1] < a[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Places [begin, end) of the list that neighbouring sorted runs of `width` numbers give, two and two together.
template <typename Word>
void MergeRuns(const Word* words, int64_t count, int64_t width, int64_t begin, int64_t end, Word* merged) {
  while (begin < end) {
    const int64_t first = begin / (2 * width) * 2 * width;
    const int64_t middle = std::min(first + width, count);
    const int64_t last = std::min(first + 2 * width, count);
    const int64_t stop = std::min(end, last);
    const Word* const a = words + first;
    const Word* const b = words + middle;
    const int64_t a_begin = RankIn(begin - first, a, middle - first, b, last - middle);
    const int64_t a_end = RankIn(stop - first, a, middle - first, b, last - middle);
    std::merge(a + a_begin, a + a_end, b + (begin - first - a_begin), b + (stop - first - a_end), merged + begin);
    begin = stop;
  }
}

// Sorts the words; uses `other`, of the same length, and returns whichever of the two holds the result.
template <typename Word>
Word* SortWords(Word* words, Word* other, int64_t count, const SortLoop& loop) {
  if (loop.threads() == 1 || count < kMinSharedLength) {
    SortNumbers(words, count);
    return words;
  }
  int64_t runs = 2;
  while (runs < loop.threads()) runs *= 2;
  const int64_t width = (count + runs - 1) / runs;
  loop.Run(
      count,
      [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at += width) SortNumbers(words + at, std::min(width, end - at));
      },
      width);
  for (int64_t merged = width; merged < count; merged *= 2) {
    loop.Run(count, [&](int64_t begin, int64_t end) { MergeRuns(words, count, merged, begin, end, other); });
    std::swap(words, other);
  }
  return words;
}

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_SORT_LOOPS_H_
