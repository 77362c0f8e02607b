// The small computations that reductions, collectives and sorts are given.
//
// One of each kind and element type is made in a process and shared, so a module has each once however often it is
// asked for. For a type that has no such operation the result is invalid and holds the error, which the operation that
// it is given to reports.
#ifndef BUILDERS_COMPUTATION_BUILDER_SCALAR_COMPUTATIONS_H_
#define BUILDERS_COMPUTATION_BUILDER_SCALAR_COMPUTATIONS_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// (x T[], y T[]) -> x op y
XlaComputation CreateScalarAddComputation(PrimitiveType type);
XlaComputation CreateScalarMultiplyComputation(PrimitiveType type);
XlaComputation CreateScalarMaxComputation(PrimitiveType type);
XlaComputation CreateScalarMinComputation(PrimitiveType type);
XlaComputation CreateScalarAndComputation(PrimitiveType type);
XlaComputation CreateScalarOrComputation(PrimitiveType type);
XlaComputation CreateScalarXorComputation(PrimitiveType type);
// (x T[], y T[]) -> x op y, of type pred: what SelectAndScatter selects by.
XlaComputation CreateScalarGeComputation(PrimitiveType type);
XlaComputation CreateScalarLeComputation(PrimitiveType type);

// (x T[], y T[]) -> y: what a scatter that overwrites combines with.
XlaComputation CreateScalarSecondComputation(PrimitiveType type);

// Comparators for sorting operands of these types by the first of them: (x0, y0, x1, y1, ..) -> x0 op y0. Floats are
// compared in total order, in which NaN comes last for Lt.
XlaComputation CreateScalarLtComputation(ArraySlice<PrimitiveType> types);
XlaComputation CreateScalarGtComputation(ArraySlice<PrimitiveType> types);
inline XlaComputation CreateScalarLtComputation(PrimitiveType type) {
  return CreateScalarLtComputation(absl::MakeConstSpan(&type, 1));
}
inline XlaComputation CreateScalarGtComputation(PrimitiveType type) {
  return CreateScalarGtComputation(absl::MakeConstSpan(&type, 1));
}

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_SCALAR_COMPUTATIONS_H_
