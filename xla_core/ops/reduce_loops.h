// The loops of a reduction by one of the reducers of known_reducer.h: FoldByKnownReducer.
#ifndef XLA_CORE_OPS_REDUCE_LOOPS_H_
#define XLA_CORE_OPS_REDUCE_LOOPS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "xla_core/ops/box_walk.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/known_reducer.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/ops/reduce_nest.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Gives contiguous elements as Reducer::Element, decoding narrow floats into a buffer.
template <typename Reducer>
class ElementReader {
 public:
  using Element = typename Reducer::Element;
  static constexpr int64_t kMaxRead = 1024;

  explicit ElementReader(const FoldedArray& array)
      : type_(array.type), is_narrow_(IsNarrowFloatType(array.type)), elements_(array.elements) {}

  // The most elements to ask for at a time.
  int64_t max_read() const { return is_narrow_ ? kMaxRead : std::numeric_limits<int64_t>::max(); }
  // `n` elements from `offset` on; valid until the next call.
  const Element* Read(int64_t offset, int64_t n) {
    if constexpr (std::is_same_v<Element, float>) {
      if (is_narrow_) {
        DecodeNarrow(NarrowFormatOf(type_), static_cast<const char*>(elements_) + offset * ByteWidth(type_),
                     buffer_.data(), n);
        return buffer_.data();
      }
    }
    return static_cast<const Element*>(elements_) + offset;
  }

 private:
  PrimitiveType type_;
  bool is_narrow_;
  const void* elements_;
  std::array<std::conditional_t<std::is_same_v<Element, float>, float, char>, kMaxRead> buffer_;
};

template <typename T>
bool IsFloatNan(T value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  return false;
}

// Folds n contiguous elements into `accumulator`: a few in order, more by eight accumulators that take every eighth
// element and then meet pairwise.
template <typename Reducer>
typename Reducer::Accumulator FoldRow(typename Reducer::Accumulator accumulator,
                                      const typename Reducer::Element* elements, int64_t n) {
  using A = typename Reducer::Accumulator;
  constexpr int kWays = 8;
  if (!Reducer::kReorders || n < 2 * kWays) {
    for (int64_t i = 0; i < n; ++i) accumulator = Reducer::Step(accumulator, A(elements[i]));
    return accumulator;
  }
  A ways[kWays];
  std::fill_n(ways, kWays, Reducer::Identity());
  int64_t i = 0;
  for (; i + kWays <= n; i += kWays) {
    for (int way = 0; way < kWays; ++way) ways[way] = Reducer::Step(ways[way], A(elements[i + way]));
  }
  for (; i < n; ++i) ways[i % kWays] = Reducer::Step(ways[i % kWays], A(elements[i]));
  for (int half = kWays / 2; half > 0; half /= 2) {
    for (int way = 0; way < half; ++way) ways[way] = Reducer::Step(ways[way], ways[way + half]);
  }
  const A result = Reducer::Step(accumulator, ways[0]);
  // A maximum of several NaN is the first of them. (A sum says nothing of the bits of its NaN.)
  if constexpr (std::is_same_v<A, typename Reducer::Element>) {
    if (IsFloatNan(result) && !IsFloatNan(accumulator)) {
      return A(*std::find_if(elements, elements + n, [](auto x) { return IsFloatNan(x); }));
    }
  }
  return result;
}

// Rows longer than this are cut into pieces of this size, whose results meet in order: the unit of parallel work where
// there are few results.
inline constexpr int64_t kRowPiece = 1 << 16;

template <typename Reducer>
typename Reducer::Accumulator FoldPiece(ElementReader<Reducer>& reader, typename Reducer::Accumulator accumulator,
                                        int64_t offset, int64_t n) {
  for (int64_t done = 0; done < n; done += reader.max_read()) {
    const int64_t count = std::min(n - done, reader.max_read());
    accumulator = FoldRow<Reducer>(accumulator, reader.Read(offset + done, count), count);
    if (count == n) break;
  }
  return accumulator;
}

// One result whose rows are cut into pieces, side by side on all threads.
template <typename Reducer>
absl::Status FoldLongRows(const ReduceNest& nest, const FoldedArray& array, int64_t source, int64_t place,
                          EvalContext& context) {
  using A = typename Reducer::Accumulator;
  const int64_t row = nest.reduced_sizes.back();
  const int64_t pieces = CeilDiv(row, kRowPiece);
  std::vector<A> partial(pieces);
  A accumulator = LoadAccumulator<Reducer>(array.type, array.init, 0);
  BoxWalk rows(nest.reduced_sizes, nest.reduced_strides);
  for (int64_t number = 0; number < nest.reduced_count; number += row) {
    rows.Seek(number);
    RETURN_IF_ERROR(context.ParallelFor(pieces, 1, [&](int64_t begin, int64_t end) {
      ElementReader<Reducer> reader(array);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t start = i * kRowPiece;
        partial[i] =
            FoldPiece(reader, Reducer::Identity(), source + rows.offset() + start, std::min(kRowPiece, row - start));
      }
    }));
    for (const A& piece : partial) accumulator = Reducer::Step(accumulator, piece);
  }
  StoreAccumulator(accumulator, array.type, static_cast<char*>(array.result) + place * ByteWidth(array.type));
  return absl::OkStatus();
}

// The innermost dimension is reduced: each result folds contiguous rows.
template <typename Reducer>
absl::Status FoldRows(const ReduceNest& nest, const FoldedArray& array, EvalContext& context) {
  using A = typename Reducer::Accumulator;
  const int64_t row = nest.reduced_sizes.back();
  const int64_t rows_per_result = nest.reduced_count / row;
  const DimensionVector outer_sizes(nest.reduced_sizes.begin(), nest.reduced_sizes.end() - 1);
  const DimensionVector outer_strides(nest.reduced_strides.begin(), nest.reduced_strides.end() - 1);
  const A init = LoadAccumulator<Reducer>(array.type, array.init, 0);
  BoxWalk first_source(nest.kept_sizes, nest.kept_strides);
  BoxWalk first_place(nest.kept_sizes, nest.result_strides);
  if (Reducer::kReorders && row > kRowPiece) {
    do {
      RETURN_IF_ERROR(FoldLongRows<Reducer>(nest, array, first_source.offset(), first_place.offset(), context));
    } while (first_source.Next() && first_place.Next());
    return absl::OkStatus();
  }
  const int64_t grain = std::max<int64_t>(1, kRowPiece / nest.reduced_count);
  return context.ParallelFor(nest.kept_count, grain, [&](int64_t begin, int64_t end) {
    ElementReader<Reducer> reader(array);
    BoxWalk source = first_source, place = first_place;
    source.Seek(begin);
    place.Seek(begin);
    BoxWalk rows(outer_sizes, outer_strides);  // after its last row it is at its first again
    for (int64_t i = begin; i < end; ++i, source.Next(), place.Next()) {
      A accumulator = init;
      for (int64_t r = 0; r < rows_per_result; ++r, rows.Next()) {
        accumulator = FoldPiece(reader, accumulator, source.offset() + rows.offset(), row);
      }
      StoreAccumulator(accumulator, array.type,
                       static_cast<char*>(array.result) + place.offset() * ByteWidth(array.type));
    }
  });
}

template <typename Reducer>
void AddRow(const typename Reducer::Element* elements, int64_t n, typename Reducer::Accumulator* accumulators) {
  using A = typename Reducer::Accumulator;
  for (int64_t l = 0; l < n; ++l) accumulators[l] = Reducer::Step(accumulators[l], A(elements[l]));
}

// The innermost dimension is kept: rows of neighbouring results take rows of neighbouring elements.
template <typename Reducer>
absl::Status FoldColumns(const ReduceNest& nest, const FoldedArray& array, EvalContext& context) {
  using A = typename Reducer::Accumulator;
  // Results at a time: their accumulators stay in the nearest cache. One if their elements are not neighbours, which
  // takes a dynamic size.
  constexpr int64_t kColumns = 256;
  const int64_t columns = nest.kept_strides.back() == 1 ? kColumns : 1;
  const int64_t width = nest.kept_sizes.back();
  const int64_t blocks_per_row = CeilDiv(width, columns);
  const int64_t last_size = nest.reduced_sizes.back();
  const int64_t last_stride = nest.reduced_strides.back();
  const A init = LoadAccumulator<Reducer>(array.type, array.init, 0);
  const int64_t grain = std::max<int64_t>(1, kRowPiece / std::min(columns, width) / nest.reduced_count);
  return context.ParallelFor(nest.kept_count / width * blocks_per_row, grain, [&](int64_t begin, int64_t end) {
    ElementReader<Reducer> reader(array);
    BoxWalk source(nest.kept_sizes, nest.kept_strides);
    BoxWalk place(nest.kept_sizes, nest.result_strides);
    std::array<A, kColumns> accumulators;
    for (int64_t block = begin; block < end; ++block) {
      const int64_t column = block % blocks_per_row * columns;
      const int64_t n = std::min(columns, width - column);
      source.Seek(block / blocks_per_row * width + column);
      place.Seek(block / blocks_per_row * width + column);
      std::fill_n(accumulators.begin(), n, init);
      BoxWalk rows(nest.reduced_sizes, nest.reduced_strides);
      for (int64_t number = 0; number < nest.reduced_count; number += last_size) {
        rows.Seek(number);
        int64_t offset = source.offset() + rows.offset();
        for (int64_t i = 0; i < last_size; ++i, offset += last_stride) {
          AddRow<Reducer>(reader.Read(offset, n), n, accumulators.data());
        }
      }
      char* results = static_cast<char*>(array.result) + place.offset() * ByteWidth(array.type);
      for (int64_t l = 0; l < n; ++l) {
        StoreAccumulator(accumulators[l], array.type, results + l * ByteWidth(array.type));
      }
    }
  });
}

// Folds all results of a nest that has some, with elements for each.
template <typename Reducer>
absl::Status FoldByKnownReducer(const ReduceNest& nest, const FoldedArray& array, EvalContext& context) {
  return nest.reduced_strides.back() == 1 ? FoldRows<Reducer>(nest, array, context)
                                          : FoldColumns<Reducer>(nest, array, context);
}

}  // namespace xla

#endif  // XLA_CORE_OPS_REDUCE_LOOPS_H_
