// The innermost loops of every instruction set that this processor has, against a stable sort.
#include "backends/cpu/library/sort/topk_kernels.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

std::vector<const TopKKernelSet*> SetsOfThisProcessor() {
  std::vector<const TopKKernelSet*> all = {&BaselineTopKKernels()};
  const int widest = HostTopKKernels().vector_bytes;
  if (widest >= 32) all.push_back(&Avx2TopKKernels());
  if (widest >= 64) all.push_back(&Avx512TopKKernels());
  return all;
}

template <typename Word>
constexpr Word kLeast = std::numeric_limits<Word>::min();

template <typename Word>
std::vector<RankRule<Word>> Rules() {
  std::vector<RankRule<Word>> rules;
  for (const Word turn : {Word{0}, Word{-1}}) {
    rules.push_back({true, 0, turn});
    rules.push_back({false, 0, turn});
    rules.push_back({false, 0, static_cast<Word>(turn ^ kLeast<Word>)});
    if (sizeof(Word) == 1) rules.push_back({true, 4, turn});
  }
  return rules;
}

template <typename Word>
Word RankOf(Word element, const RankRule<Word>& rule) {
  if (rule.is_float) {
    element = static_cast<Word>(static_cast<std::make_unsigned_t<Word>>(element) << rule.shift);
    if (element < 0) element = static_cast<Word>(kLeast<Word> + ~element);
  }
  return static_cast<Word>(element ^ rule.turn);
}

// One of 2^bits numbers each, with the ends of the type among them; the upper bits of a shifted byte are 0.
template <typename Word>
std::vector<Word> Elements(int64_t count, int bits, const RankRule<Word>& rule) {
  std::mt19937_64 random(static_cast<uint64_t>(7 * count + bits));
  const std::vector<Word> ends = {0, -1, kLeast<Word>, static_cast<Word>(~kLeast<Word>)};
  std::vector<Word> elements(count);
  for (Word& element : elements) {
    element = static_cast<Word>(random() >> (64 - bits));
    if (bits > 1 && random() % 16 == 0) element = ends[random() % 4];
    if (rule.shift != 0) element = static_cast<Word>(element & (0xFF >> rule.shift));
  }
  return elements;
}

// Positions of the line, best first.
template <typename Word>
std::vector<int32_t> Ranking(const Word* elements, int64_t count, const RankRule<Word>& rule) {
  std::vector<int32_t> ranking(count);
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(), [&](int32_t a, int32_t b) {
    return RankOf(elements[a], rule) > RankOf(elements[b], rule);
  });
  return ranking;
}

template <typename Word>
void CheckShort(const TopKKernels<Word>& kernels) {
  for (const RankRule<Word>& rule : Rules<Word>()) {
    for (const int64_t length : {1, 2, 7, 8, 33, 64}) {
      for (const int64_t lines : {1, 15, 67}) {
        for (const int bits : {1, 3, static_cast<int>(8 * sizeof(Word))}) {
          const std::vector<Word> elements = Elements(lines * length, bits, rule);
          for (int64_t k = 1; k <= std::min<int64_t>(kShortBest, length); ++k) {
            std::vector<Word> values(lines * k);
            std::vector<int32_t> positions(lines * k);
            kernels.best_of_short(elements.data(), lines, length, k, rule, values.data(), positions.data());
            std::vector<Word> want_values;
            std::vector<int32_t> want;
            for (int64_t line = 0; line < lines; ++line) {
              const std::vector<int32_t> ranking = Ranking(&elements[line * length], length, rule);
              for (int64_t j = 0; j < k; ++j) {
                want.push_back(ranking[j]);
                want_values.push_back(elements[line * length + ranking[j]]);
              }
            }
            ASSERT_EQ(positions, want) << length << " " << lines << " " << bits << " " << k;
            ASSERT_EQ(values, want_values) << length << " " << lines << " " << bits << " " << k;
          }
        }
      }
    }
  }
}

template <typename Word>
void ExpectFound(const TopKKernels<Word>& kernels, const std::vector<Word>& elements, int64_t k,
                 const RankRule<Word>& rule) {
  const int64_t count = elements.size();
  std::vector<int32_t> best = Ranking(elements.data(), count, rule);
  best.resize(k);
  const Word worst = RankOf(elements[best.back()], rule);
  std::vector<Word> maxima(MaximaWords(count));
  std::vector<int32_t> found(count + kSearchSpare);
  for (const Word floor : {kLeast<Word>, worst}) {
    const int64_t got =
        kernels.search({elements.data(), count, k, rule, floor, maxima.data()}, found.data(), found.size());
    ASSERT_GE(got, k);
    const std::vector<int32_t> positions(found.begin(), found.begin() + got);
    ASSERT_TRUE(std::is_sorted(positions.begin(), positions.end()));
    ASSERT_LT(positions.back(), count);
    ASSERT_EQ(std::adjacent_find(positions.begin(), positions.end()), positions.end());
    for (const int32_t position : best) {
      ASSERT_TRUE(std::binary_search(positions.begin(), positions.end(), position)) << position;
    }
  }
}

template <typename Word>
void CheckSearch(const TopKKernels<Word>& kernels) {
  for (const RankRule<Word>& rule : Rules<Word>()) {
    for (const int64_t count : {1, 31, 255, 256, 257, 1000, 2049}) {
      for (const int bits : {1, 3, static_cast<int>(8 * sizeof(Word))}) {
        SCOPED_TRACE(testing::Message() << count << " " << bits);
        std::vector<Word> elements = Elements(count, bits, rule);
        for (const int64_t k : {int64_t{1}, int64_t{2}, int64_t{5}, count / 8, count / 2, count}) {
          if (k >= 1 && k <= count) ExpectFound(kernels, elements, k, rule);
        }
        std::sort(elements.begin(), elements.end());
        ExpectFound(kernels, elements, 1, rule);
        ExpectFound(kernels, elements, (count + 7) / 8, rule);
      }
    }
  }
}

template <typename Word>
void CheckFewFound(const TopKKernels<Word>& kernels, int vector_bytes) {
  const int64_t lanes = vector_bytes / static_cast<int64_t>(sizeof(Word));
  const int64_t count = 40 * lanes;
  const RankRule<Word> rule = {};
  std::vector<Word> elements(count, kLeast<Word>);
  std::vector<Word> maxima(MaximaWords(count));
  std::vector<int32_t> found(count + kSearchSpare);
  const auto search = [&](Word floor, int64_t capacity) {
    return kernels.search({elements.data(), count, 2, rule, floor, maxima.data()}, found.data(), capacity);
  };
  EXPECT_EQ(search(kLeast<Word> + 1, lanes + kSearchSpare), 0) << "all are below the floor";
  EXPECT_EQ(search(kLeast<Word>, lanes + kSearchSpare), lanes) << "of equal ones no more vectors than needed";
  for (int64_t i = 0; i < 40; ++i) elements[i * lanes] = static_cast<Word>(i + 1);
  EXPECT_EQ(search(kLeast<Word>, 1 + kSearchSpare), -1) << "more than there is room for";
}

template <typename Word>
void CheckKernels(const TopKKernels<Word>& kernels, int vector_bytes) {
  CheckShort(kernels);
  CheckSearch(kernels);
  CheckFewFound(kernels, vector_bytes);
}

TEST(TopKKernels, FindWhatASortPutsFirst) {
  for (const TopKKernelSet* set : SetsOfThisProcessor()) {
    SCOPED_TRACE(set->vector_bytes);
    CheckKernels(set->of_bytes, set->vector_bytes);
    CheckKernels(set->of_halves, set->vector_bytes);
    CheckKernels(set->of_words, set->vector_bytes);
    CheckKernels(set->of_long_words, set->vector_bytes);
  }
}

}  // namespace
}  // namespace xla
