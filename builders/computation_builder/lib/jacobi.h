// What both of Jacobi's methods are made of: rotations in the plane of two rows or columns, and sweeps over all pairs.
// Private to the folder.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_JACOBI_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_JACOBI_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Cosine and sine, T[.., 1, 1].
struct Rotation {
  XlaOp c;
  XlaOp s;
};

// The rotation that makes the matrix {{pp, pq}, {pq, qq}} diagonal, the smaller of the two possible angles.
Rotation DiagonalizingRotation(ComputationBuilder* b, XlaOp pp, XlaOp pq, XlaOp qq);

// (column p, column q) becomes (c p - s q, s p + c q); the same for rows.
XlaOp RotateColumns(ComputationBuilder* b, XlaOp a, XlaOp p, XlaOp q, Rotation rotation);
XlaOp RotateRows(ComputationBuilder* b, XlaOp a, XlaOp p, XlaOp q, Rotation rotation);

// values = step(p, q, values) for all 0 <= p < q < n, in lexicographic order; in a loop of `b`.
using PairStep = std::function<std::vector<XlaOp>(ComputationBuilder* b, XlaOp p, XlaOp q, ArraySlice<XlaOp> values)>;
std::vector<XlaOp> ForEachPair(ComputationBuilder* b, int64_t n, const PairStep& step, ArraySlice<XlaOp> values);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_JACOBI_H_
