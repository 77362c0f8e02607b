// The families of statements that HLO has operations for, one source each.
//
// A recogniser finds out first whether the statement is one of its own, and makes instructions only then. It returns
// the new value of the target, or an invalid XlaOp if the statement is none of its own. All of them are for statements
// with one target and without loads from it, unless they say otherwise.
#ifndef BUILDERS_NNEF2_RECOGNITION_RECOGNISERS_H_
#define BUILDERS_NNEF2_RECOGNITION_RECOGNISERS_H_

#include <vector>

#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/recognition/start_value.h"

namespace xla {
namespace nnef2 {

// y[j,i] = f(x[2 * i,], z[i,j]): slices, reversals, transposes, broadcasts, reshapes and gathers, elementwise
// operations, selects for guards and conditions, and pads.
XlaOp RecogniseAssignment(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[n + i,] = x[i,], i < m, where n or m is known at run time only.
XlaOp RecogniseBlock(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[i,j] += a[i,k] * b[k,j].
XlaOp RecogniseDot(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[b,m,i] += x[b,c,|s * i + d * j - p|] * w[m,c,j], and with the window on the left side.
XlaOp RecogniseConvolution(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[i,] >= x[|s * i + d * j - p|,].
XlaOp RecogniseWindowReduction(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[|f * i + j - p|,] += x[|i - 1 <> 0 : n - 1|,] * w(j), with known weights.
XlaOp RecogniseResampling(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[i,] += f(x[i,j]).
XlaOp RecogniseReduction(NestLowering& lowering, const StatementNest& nest, StartValue start);

// y[i,] := j, j < n | x[i,j] < x[i,y[i,]], and with several targets: the loads are of what is assigned, which starts as
// 0. False: it is none.
bool RecogniseArgument(NestLowering& lowering, const StatementNest& nest, std::vector<XlaOp>* results);

// y[i,] = 0; y[i,] := k, k < n | xs[k][i,] < xs[y[i,]][i,], from nests[first] on. *count: how many statements there
// are.
XlaOp RecogniseBestOfPack(NestLowering& lowering, const std::vector<StatementNest>& nests, int first, int* count);

// y[k[i,],j] += x[i,j].
XlaOp RecogniseScatter(NestLowering& lowering, const StatementNest& nest, StartValue start);

// Statements from nests[first] on that assign parts of one target, which lie one after the other and are all of it
// together. *count: how many there are.
XlaOp RecogniseConcatenation(NestLowering& lowering, const std::vector<StatementNest>& nests, int first, int* count);

// What several of them need: `result` (of an accumulation) together with what the target held before.
XlaOp AddToStart(NestLowering& lowering, const StatementNest& nest, StartValue start, XlaOp result);
// Sums are made in f32 if the type is narrower.
inline PrimitiveType SumType(PrimitiveType type) { return type == F16 || type == BF16 ? F32 : type; }
XlaOp ConvertTo(XlaOp x, PrimitiveType type);
// x with its dimensions in this order.
XlaOp TransposeTo(XlaOp x, const std::vector<int64_t>& permutation);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_RECOGNISERS_H_
