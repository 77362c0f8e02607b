#include "builders/nnef2/recognition/index_pieces.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "builders/nnef2/recognition/affine_index.h"

namespace xla {
namespace nnef2 {
namespace {

// Borders have three. With many, a gather is shorter.
constexpr size_t kMaxPieces = 6;

// How many numbers from `place` on follow each other with this step, at least 1.
size_t RunLength(const std::vector<int64_t>& numbers, size_t place, int64_t step) {
  size_t length = 1;
  while (place + length < numbers.size() && numbers[place + length] - numbers[place + length - 1] == step) ++length;
  return length;
}

// The values of the index in all iterations of its one loop; none if a place lies outside or is not known.
std::vector<int64_t> NumbersOf(const StatementNest& nest, const NestNode& index, int64_t extent,
                               PrimitiveType real_type) {
  std::vector<int> loops;
  for (const int loop : index.loops) {
    if (!RunsOnce(nest.loops[loop])) loops.push_back(loop);
  }
  if (loops.size() != 1) return {};
  KnownValues known(nest, loops, real_type);
  const std::vector<double>* const values = known.count() < 0 ? nullptr : known.ValuesOf(index);
  if (values == nullptr) return {};
  std::vector<int64_t> numbers;
  for (const double value : *values) {
    numbers.push_back(static_cast<int64_t>(value));
    if (numbers.back() < 0 || numbers.back() >= extent) return {};
  }
  return numbers;
}

XlaOp ElementsOf(XlaOp x, const IndexPiece& piece, int64_t dimension) {
  ComputationBuilder& b = *x.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  std::vector<int64_t> extents(shape.dimensions().begin(), shape.dimensions().end());
  if (piece.first == 0 && piece.stride == 1 && piece.count == extents[dimension]) return x;
  const int64_t low = std::min(piece.first, piece.last()), high = std::max(piece.first, piece.last());
  const int64_t step = std::max<int64_t>(std::abs(piece.stride), 1);
  const XlaOp slice =
      low == 0 && high + 1 == extents[dimension] && step == 1 ? x : b.SliceInDim(x, low, high + 1, step, dimension);
  if (piece.stride < 0) return b.Rev(slice, {dimension});
  if (piece.stride > 0 || piece.count == 1) return slice;
  extents[dimension] = piece.count;
  std::vector<int64_t> dimensions(extents.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return b.BroadcastInDim(slice, extents, dimensions);
}

}  // namespace

std::vector<IndexPiece> PiecesOf(const std::vector<int64_t>& numbers) {
  std::vector<IndexPiece> pieces;
  for (size_t place = 0; place < numbers.size();) {
    IndexPiece piece{numbers[place], 1, static_cast<int64_t>(RunLength(numbers, place, 1))};
    if (piece.count == 1 && place + 1 < numbers.size()) {
      const int64_t step = numbers[place + 1] - numbers[place];
      size_t length = RunLength(numbers, place, step);
      // Its last number may be the first one of a run that rises by one.
      if (place + length < numbers.size() && RunLength(numbers, place + length - 1, 1) > 1) --length;
      piece.count = static_cast<int64_t>(length);
      if (length > 1) piece.stride = step;
    }
    pieces.push_back(piece);
    place += static_cast<size_t>(piece.count);
    if (pieces.size() > kMaxPieces) return {};
  }
  return pieces;
}

std::vector<IndexPiece> PiecesOf(const StatementNest& nest, const NestNode& index, int64_t extent,
                                 PrimitiveType real_type) {
  return PiecesOf(NumbersOf(nest, index, extent, real_type));
}

int64_t RepeatsOf(const StatementNest& nest, const NestNode& index, int64_t extent, PrimitiveType real_type) {
  const std::vector<int64_t> numbers = NumbersOf(nest, index, extent, real_type);
  const auto count = static_cast<int64_t>(numbers.size());
  if (extent == 0 || count == 0 || count % extent != 0) return 0;
  const int64_t repeats = count / extent;
  for (int64_t i = 0; i < count; ++i) {
    if (numbers[static_cast<size_t>(i)] != i / repeats) return 0;
  }
  return repeats;
}

XlaOp JoinPieces(XlaOp x, const std::vector<IndexPiece>& pieces, int64_t dimension) {
  if (!x.valid()) return x;
  std::vector<XlaOp> parts;
  for (const IndexPiece& piece : pieces) parts.push_back(ElementsOf(x, piece, dimension));
  return parts.size() == 1 ? parts[0] : x.builder()->ConcatInDim(parts, dimension);
}

XlaOp RepeatElements(XlaOp x, int64_t repeats, int64_t dimension) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  const xla::Shape shape = b.ShapeOrInvalid(x);
  if (!b.ok()) return XlaOp();
  std::vector<int64_t> merged(shape.dimensions().begin(), shape.dimensions().end()), spread = merged, dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(merged.size()); ++d) dimensions.push_back(d > dimension ? d + 1 : d);
  spread.insert(spread.begin() + dimension + 1, repeats);
  merged[static_cast<size_t>(dimension)] *= repeats;
  return b.Reshape(b.BroadcastInDim(x, spread, dimensions), merged);
}

}  // namespace nnef2
}  // namespace xla
