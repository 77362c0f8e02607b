// IndexPiece: an index that moves through a dimension in a few runs, as those of mirrored borders do.
//
//   |i - 2 <> 2 - i : 8 - i| of an extent of 4, i < 8     2 1 | 0 1 2 3 | 2 1
#ifndef BUILDERS_NNEF2_RECOGNITION_INDEX_PIECES_H_
#define BUILDERS_NNEF2_RECOGNITION_INDEX_PIECES_H_

#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef2/recognition/known_values.h"

namespace xla {
namespace nnef2 {

// The places first, first + stride, ...; stride 0: the same place again and again.
struct IndexPiece {
  int64_t first = 0;
  int64_t stride = 1;
  int64_t count = 1;

  int64_t last() const { return first + stride * (count - 1); }
};

// The values of `index` in all iterations of the one loop that it depends on. Empty: there are more than a few pieces,
// a place lies outside of 0 .. extent - 1, or it is not known.
std::vector<IndexPiece> PiecesOf(const StatementNest& nest, const NestNode& index, int64_t extent,
                                 PrimitiveType real_type);

// How often each place is repeated, one after the other, if that is all that the index does: 0 0 1 1 2 2; else 0.
int64_t RepeatsOf(const StatementNest& nest, const NestNode& index, int64_t extent, PrimitiveType real_type);

// `numbers` in as few pieces as show when runs that rise by one are taken whole first.
std::vector<IndexPiece> PiecesOf(const std::vector<int64_t>& numbers);

// The elements of x that the pieces name, along a dimension.
XlaOp JoinPieces(XlaOp x, const std::vector<IndexPiece>& pieces, int64_t dimension);
// x with each element of a dimension so many times.
XlaOp RepeatElements(XlaOp x, int64_t repeats, int64_t dimension);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_INDEX_PIECES_H_
