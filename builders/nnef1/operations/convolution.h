// conv and deconv (NNEF 1.0.4, section 4.3.1): what is checked, and how they become HLO convolutions.
#ifndef BUILDERS_NNEF1_OPERATIONS_CONVOLUTION_H_
#define BUILDERS_NNEF1_OPERATIONS_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/borders.h"
#include "builders/nnef1/operations/windows.h"

namespace xla {
namespace nnef1 {

// A convolution whose shapes fit: what inference finds out and lowering needs.
struct ConvolutionCall {
  Border border = Border::kConstant;
  Windows windows;     // one axis for each spatial dimension
  int64_t groups = 1;  // never 0
  Extents output;
};

// Of the parameters of conv and deconv. Errors: InvalidArgument.
absl::StatusOr<ConvolutionCall> ConvCall(const OperationCall& call);
absl::StatusOr<ConvolutionCall> DeconvCall(const OperationCall& call);

// input [B, C, X..], filter [c, C/G, f..] -> [B, c, x..]; the bias is a scalar or [c]. Sums of f16 and bf16 are made in
// f32, and so is that with the bias.
//
// Transposes stand around a convolution and an addition that have channels last: the form in which the optimizer keeps
// what follows together with the convolution, and in which the transposes between two convolutions cancel.
//   HLO: transpose, convolution, add
XlaOp LowerConvolution(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const ConvolutionCall& call);

// input [B, c, x..], filter [c, C/G, f..] -> [B, C, X..]; the bias is a scalar or [C]. Where no item of the input
// reaches, there is the bias, or 0.
//   HLO: the same with a dilated input and a reversed window
XlaOp LowerDeconvolution(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const ConvolutionCall& call);

// The operand `bias`, as the two above want it; nullopt for a literal 0.0.
absl::optional<XlaOp> BiasOf(const LoweringCall& call);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_CONVOLUTION_H_
