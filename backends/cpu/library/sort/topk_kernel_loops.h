// The loops of topk_kernels.h for the instruction set that the including file is compiled for.
//
// A search goes over the line once for the maxima of groups, each of which is a few elements of one lane. If k groups
// have maxima from a bound on, then the k best elements are from that bound on, too; and if there are several times k
// groups, it is hardly more than k elements that are. Only groups with such a maximum are looked at again.
#ifndef BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNEL_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNEL_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/sort/topk_kernels.h"

namespace xla {
namespace {

template <typename Word>
constexpr int kLanesOf = VectorOf<Word>::kLanes;
template <typename Word>
constexpr Word kLeast = static_cast<Word>(uint64_t{1} << (8 * sizeof(Word) - 1));
template <typename Word>
constexpr Word kGreatest = static_cast<Word>(~kLeast<Word>);

template <typename Word, bool kIsFloat>
class Ranks {
 public:
  using V = Vector<Word>;

  explicit Ranks(const RankRule<Word>& rule) : shift_(rule.shift), turn_(Splat<Word>(rule.turn)) {}

  V Of(V elements) const {
    if constexpr (kIsFloat && sizeof(Word) == 1) elements = elements << Splat<Word>(shift_);
    return Swap(elements) ^ turn_;
  }
  V ElementsOf(V ranks) const {
    const V elements = Swap(ranks ^ turn_);
    if constexpr (!kIsFloat || sizeof(Word) > 1) return elements;
    const V low_bits = Splat<Word>(static_cast<Word>(0xFF >> shift_));
    return (elements >> Splat<Word>(shift_)) & low_bits;
  }

 private:
  // The magnitude of negative numbers counts down.
  static V Swap(V x) {
    if constexpr (!kIsFloat) return x;
    const V is_negative = x >> Splat<Word>(8 * sizeof(Word) - 1);
    return x ^ (is_negative & Splat<Word>(kGreatest<Word>));
  }

  const Word shift_;
  const V turn_;
};

template <typename V>
inline __attribute__((always_inline)) V Greater(V a, V b) {
  return a > b ? a : b;
}

// A bit for each lane where a is not less than b.
template <typename Word>
inline __attribute__((always_inline)) uint64_t LanesFrom(Vector<Word> a, Vector<Word> b) {
#if defined(__AVX512F__)
  const auto x = (__m512i)a;
  const auto y = (__m512i)b;
  if constexpr (sizeof(Word) == 1) return _mm512_cmpge_epi8_mask(x, y);
  if constexpr (sizeof(Word) == 2) return _mm512_cmpge_epi16_mask(x, y);
  if constexpr (sizeof(Word) == 4) return _mm512_cmpge_epi32_mask(x, y);
  return _mm512_cmpge_epi64_mask(x, y);
#elif defined(__AVX2__)
  const auto lanes = (__m256i)(a >= b);
  if constexpr (sizeof(Word) == 1) return static_cast<uint32_t>(_mm256_movemask_epi8(lanes));
  if constexpr (sizeof(Word) == 4) return static_cast<uint32_t>(_mm256_movemask_ps((__m256)lanes));
  if constexpr (sizeof(Word) == 8) return static_cast<uint32_t>(_mm256_movemask_pd((__m256d)lanes));
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return static_cast<uint32_t>(_mm_movemask_epi8(bytes));
#else
  const auto lanes = (__m128i)(a >= b);
  if constexpr (sizeof(Word) == 1) return static_cast<uint32_t>(_mm_movemask_epi8(lanes));
  if constexpr (sizeof(Word) == 4) return static_cast<uint32_t>(_mm_movemask_ps((__m128)lanes));
  if constexpr (sizeof(Word) == 8) return static_cast<uint32_t>(_mm_movemask_pd((__m128d)lanes));
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(lanes, __m128i{})));
#endif
}

// Writes `first` plus the number of each bit, and anything after it up to kSearchSpare positions in all.
template <int kBits>
inline __attribute__((always_inline)) int WritePositions(uint64_t bits, int32_t first, int32_t* positions) {
#if defined(__AVX512F__)
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int i = 0; i < kBits; i += 16) {
    const auto some = static_cast<__mmask16>(bits >> i);
    _mm512_storeu_si512(positions,
                        _mm512_maskz_compress_epi32(some, _mm512_add_epi32(numbers, _mm512_set1_epi32(first + i))));
    positions += __builtin_popcount(some);
  }
#else
  for (uint64_t left = bits; left != 0; left &= left - 1) *positions++ = first + __builtin_ctzll(left);
#endif
  return __builtin_popcountll(bits);
}

// ---- Short lines, in the lanes of vectors

// Element i of each line to lane `line` of vector i.
template <typename Word>
__attribute__((noinline)) void ToLanes(const Word* elements, int lines, int length, Word* vectors) {
  constexpr int kLanes = kLanesOf<Word>;
  if (lines < kLanes) __builtin_memset(vectors, 0, length * kVectorBytes);
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) vectors[i * kLanes + line] = elements[line * length + i];
  }
}

template <typename Word, typename T>
__attribute__((noinline)) void FromLanes(const Word* vectors, int lines, int length, T* elements) {
  constexpr int kLanes = kLanesOf<Word>;
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) elements[line * length + i] = static_cast<T>(vectors[i * kLanes + line]);
  }
}

template <typename Word, bool kIsFloat, int kBest>
void BestOfLanes(const Word* elements, int lines, int length, int k, const RankRule<Word>& rule, Word* values,
                 int32_t* positions) {
  using V = Vector<Word>;
  constexpr int kLanes = kLanesOf<Word>;
  alignas(kVectorBytes) Word columns[kShortLine * kLanes];
  ToLanes(elements, lines, length, columns);
  const Ranks<Word, kIsFloat> ranks(rule);
  V best[kBest];
  V places[kBest];
  for (int j = 0; j < kBest; ++j) {
    best[j] = Splat<Word>(kLeast<Word>);
    places[j] = V{};
  }
  // From the last on, so that of equal ones the first comes before the others, and before what nothing is in yet.
  for (int i = length - 1; i >= 0; --i) {
    V rank = ranks.Of(Load<V>(columns + i * kLanes));
    V place = Splat<Word>(static_cast<Word>(i));
    for (int j = 0; j < kBest; ++j) {
      const auto is_better = rank >= best[j];
      const V worse_rank = is_better ? best[j] : rank;
      const V worse_place = is_better ? places[j] : place;
      best[j] = is_better ? rank : best[j];
      places[j] = is_better ? place : places[j];
      rank = worse_rank;
      place = worse_place;
    }
  }
  alignas(kVectorBytes) Word found[kBest * kLanes];
  alignas(kVectorBytes) Word at[kBest * kLanes];
  for (int j = 0; j < kBest; ++j) {
    Store(found + j * kLanes, ranks.ElementsOf(best[j]));
    Store(at + j * kLanes, places[j]);
  }
  FromLanes(found, lines, k, values);
  FromLanes(at, lines, k, positions);
}

template <typename Word, bool kIsFloat>
void BestOfShortLines(const Word* elements, int64_t lines, int64_t length, int64_t k, const RankRule<Word>& rule,
                      Word* values, int32_t* positions) {
  constexpr int kLanes = kLanesOf<Word>;
  const auto best_of = k == 1   ? &BestOfLanes<Word, kIsFloat, 1>
                       : k == 2 ? &BestOfLanes<Word, kIsFloat, 2>
                       : k <= 4 ? &BestOfLanes<Word, kIsFloat, 4>
                                : &BestOfLanes<Word, kIsFloat, kShortBest>;
  for (int64_t line = 0; line < lines; line += kLanes) {
    const int64_t left = lines - line;
    best_of(elements + line * length, static_cast<int>(left < kLanes ? left : kLanes), static_cast<int>(length),
            static_cast<int>(k), rule, values + line * k, positions + line * k);
  }
}

// ---- Searches

// Rows of vectors that a group has; but one, if there would be fewer than 2 * k groups otherwise.
constexpr int kRowsOfGroup = 4;

template <typename Word, bool kIsFloat>
class Search {
 public:
  using V = Vector<Word>;
  static constexpr int kLanes = kLanesOf<Word>;

  explicit Search(const LineSearch<Word>& line)
      : line_(line),
        ranks_(line.rule),
        group_rows_(2 * kRowsOfGroup * line.k <= line.count ? kRowsOfGroup : 1),
        rows_((line.count + kLanes - 1) / kLanes),
        groups_((rows_ + group_rows_ - 1) / group_rows_) {}

  int64_t Run(int32_t* positions, int64_t capacity) const {
    for (int64_t g = 0; g < groups_; ++g) Store(line_.maxima + g * kLanes, MaximaOf(g));
    Word bound = line_.floor;
    if (groups_ * kLanes >= line_.k) {
      const Word sure = Bound();
      if (sure > bound) bound = sure;
    }
    return Collect(bound, positions, capacity);
  }

 private:
  V MaximaOf(int64_t group) const {
    const int64_t first = group * group_rows_;
    if (group_rows_ == kRowsOfGroup && (first + kRowsOfGroup) * kLanes <= line_.count) {
      const Word* const elements = line_.elements + first * kLanes;
      V maxima = ranks_.Of(Load<V>(elements));
      for (int i = 1; i < kRowsOfGroup; ++i) maxima = Greater(maxima, ranks_.Of(Load<V>(elements + i * kLanes)));
      return maxima;
    }
    V maxima = RowAt(first);
    for (int64_t row = first + 1; row < EndOf(group); ++row) maxima = Greater(maxima, RowAt(row));
    return maxima;
  }
  int64_t EndOf(int64_t group) const {
    const int64_t end = (group + 1) * group_rows_;
    return end < rows_ ? end : rows_;
  }

  // What is after the line ranks least.
  V RowAt(int64_t row) const {
    const int64_t left = line_.count - row * kLanes;
    if (left >= kLanes) return ranks_.Of(Load<V>(line_.elements + row * kLanes));
    V lanes;
    for (int i = 0; i < kLanes; ++i) lanes[i] = static_cast<Word>(i);
    const V ranks = ranks_.Of(LoadPart<Word>(line_.elements + row * kLanes, left));
    return lanes < Splat<Word>(static_cast<Word>(left)) ? ranks : Splat<Word>(kLeast<Word>);
  }

  // What k elements at least, in as many lanes of maxima, are not below; where they can be, not many more.
  Word Bound() const {
    // More groups than these would only make it slower.
    const int64_t wanted = (4 * line_.k + kLanes - 1) / kLanes;
    const int64_t count = wanted < groups_ && group_rows_ > 1 ? wanted : groups_;
    Word* const joined = line_.maxima + (count < groups_ ? groups_ * kLanes : 0);
    for (int64_t v = 0; v < count && count < groups_; ++v) {
      V maxima = Load<V>(line_.maxima + v * kLanes);
      for (int64_t g = v + count; g < groups_; g += count) maxima = Greater(maxima, Load<V>(line_.maxima + g * kLanes));
      Store(joined + v * kLanes, maxima);
    }
    V least = Load<V>(joined);
    V greatest = least;
    for (int64_t v = 1; v < count; ++v) {
      const V maxima = Load<V>(joined + v * kLanes);
      least = least < maxima ? least : maxima;
      greatest = Greater(greatest, maxima);
    }
    Word ends[2 * kLanes];
    Store(ends, least);
    Store(ends + kLanes, greatest);
    Word low = ends[0];
    Word high = ends[kLanes];
    for (int i = 1; i < kLanes; ++i) {
      low = ends[i] < low ? ends[i] : low;
      high = ends[kLanes + i] > high ? ends[kLanes + i] : high;
    }
    if (line_.k == 1) return high;
    // k lanes are not below `low`; fewer are above `high`.
    while (low < high) {
      const uint64_t step = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
      const Word middle = static_cast<Word>(static_cast<uint64_t>(low) + (step / 2 + step % 2));
      const int64_t reaching = CountFrom(middle, joined, count);
      if (reaching < line_.k) {
        high = static_cast<Word>(middle - 1);
        continue;
      }
      low = middle;
      if (reaching <= line_.k + line_.k / 4 + 1) break;
    }
    return low;
  }

  static int64_t CountFrom(Word bound, const Word* words, int64_t vectors) {
    const V bounds = Splat<Word>(bound);
    int64_t lanes = 0;
    for (int64_t v = 0; v < vectors; ++v) {
      lanes += __builtin_popcountll(LanesFrom<Word>(Load<V>(words + v * kLanes), bounds));
    }
    return lanes;
  }

  // Of 64 groups from the first on those with elements from the bound on.
  uint64_t GroupsFrom(int64_t first, Word bound) const {
    const int64_t count = groups_ - first < 64 ? groups_ - first : 64;
    const V bounds = Splat<Word>(bound);
    uint64_t groups = 0;
    for (int64_t g = 0; g < count; ++g) {
      const uint64_t lanes = LanesFrom<Word>(Load<V>(line_.maxima + (first + g) * kLanes), bounds);
      groups |= static_cast<uint64_t>(lanes != 0) << g;
    }
    return groups;
  }

  int64_t Collect(Word bound, int32_t* positions, int64_t capacity) const {
    int64_t found = 0;
    bool may_be_equal = true;
    for (int64_t first = 0; first < groups_; first += 64) {
      uint64_t groups = GroupsFrom(first, bound);
      while (groups != 0) {
        const int64_t g = first + __builtin_ctzll(groups);
        groups &= groups - 1;
        for (int64_t row = g * group_rows_; row < EndOf(g); ++row) {
          if (found + kSearchSpare > capacity) return -1;
          uint64_t lanes = LanesFrom<Word>(RowAt(row), Splat<Word>(bound));
          const int64_t left = line_.count - row * kLanes;
          if (left < kLanes) lanes &= (uint64_t{1} << left) - 1;
          found += WritePositions<kLanes>(lanes, static_cast<int32_t>(row * kLanes), positions + found);
          if (may_be_equal && found >= line_.k) {
            // Those that equal the bound and come later are worse than what is found already.
            if (bound == kGreatest<Word>) return found;
            ++bound;
            may_be_equal = false;
            groups &= GroupsFrom(first, bound);
          }
        }
      }
    }
    return found;
  }

  const LineSearch<Word> line_;
  const Ranks<Word, kIsFloat> ranks_;
  const int64_t group_rows_;
  const int64_t rows_;  // the last may be filled in part
  const int64_t groups_;
};

// ---- Tables

template <typename Word>
void BestOfShort(const Word* elements, int64_t lines, int64_t length, int64_t k, const RankRule<Word>& rule,
                 Word* values, int32_t* positions) {
  (rule.is_float ? &BestOfShortLines<Word, true> : &BestOfShortLines<Word, false>)(elements, lines, length, k, rule,
                                                                                   values, positions);
}

template <typename Word>
int64_t SearchLine(const LineSearch<Word>& line, int32_t* positions, int64_t capacity) {
  if (line.rule.is_float) return Search<Word, true>(line).Run(positions, capacity);
  return Search<Word, false>(line).Run(positions, capacity);
}

template <typename Word>
constexpr TopKKernels<Word> kTopKKernelsOf = {&BestOfShort<Word>, &SearchLine<Word>};

constexpr TopKKernelSet kTopKKernels = {kVectorBytes, kTopKKernelsOf<int8_t>, kTopKKernelsOf<int16_t>,
                                        kTopKKernelsOf<int32_t>, kTopKKernelsOf<int64_t>};

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNEL_LOOPS_H_
