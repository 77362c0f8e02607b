// The innermost loops of topk, compiled for several instruction sets. Plain pointers, no other headers: what includes
// this is compiled with flags that inline functions of others must not see.
//
// They work on ranks: signed numbers as wide as the elements and in their order, the best greatest.
#ifndef BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNELS_H_

#include <cstdint>

namespace xla {

// How elements become ranks.
template <typename Word>
struct RankRule {
  bool is_float;  // sign and magnitude
  Word shift;     // bits above the sign, which only a byte can have
  Word turn;      // bits that are turned at last: the sign of unsigned numbers; all if the smallest are best
};

// Lines of so few elements, of which so few are wanted, are for `best_of_short`.
constexpr int kShortLine = 64;
constexpr int kShortBest = 8;

template <typename Word>
struct LineSearch {
  const Word* elements;
  int64_t count;
  int64_t k;
  RankRule<Word> rule;
  Word floor;    // lower ranks are not looked for
  Word* maxima;  // memory for MaximaWords(count)
};

// Room that a search needs.
constexpr int64_t MaximaWords(int64_t count) { return count + 128; }

constexpr int64_t kSearchSpare = 64;

template <typename Word>
struct TopKKernels {
  // Values and positions of the k best of each line, best first.
  void (*best_of_short)(const Word* elements, int64_t lines, int64_t length, int64_t k, const RankRule<Word>& rule,
                        Word* values, int32_t* positions);
  // Writes positions, ascending, among which are those of the k best, of those from the floor on if these are fewer.
  // Returns how many, or -1 if there is not room for them and kSearchSpare others.
  int64_t (*search)(const LineSearch<Word>& line, int32_t* positions, int64_t capacity);
};

struct TopKKernelSet {
  int vector_bytes;
  TopKKernels<int8_t> of_bytes;
  TopKKernels<int16_t> of_halves;
  TopKKernels<int32_t> of_words;
  TopKKernels<int64_t> of_long_words;
};

const TopKKernelSet& BaselineTopKKernels();
const TopKKernelSet& Avx2TopKKernels();
const TopKKernelSet& Avx512TopKKernels();

// For the processor that this runs on.
const TopKKernelSet& HostTopKKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_TOPK_KERNELS_H_
