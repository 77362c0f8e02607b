// The sliding-window operations: conv, deconv, box, debox, argmax_pool, sample, desample.
// Source: NNEF 1.0.4, sections 4.3.1 to 4.3.3.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/box.h"
#include "builders/nnef1/operations/convolution.h"
#include "builders/nnef1/operations/indices.h"
#include "builders/nnef1/operations/windows.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Inference has found these in order.
template <typename T>
T Checked(absl::StatusOr<T> value) {
  return *std::move(value);
}

// ---- conv, deconv

Inferred InferConv(const OperationCall& call) {
  ASSIGN_OR_RETURN(const ConvolutionCall convolution, ConvCall(call));
  return std::vector<Extents>{convolution.output};
}

std::vector<XlaOp> LowerConv(const LoweringCall& call) {
  return {LowerConvolution(call.operand("input"), call.operand("filter"), BiasOf(call), Checked(ConvCall(call)))};
}

Inferred InferDeconv(const OperationCall& call) {
  ASSIGN_OR_RETURN(const ConvolutionCall convolution, DeconvCall(call));
  return std::vector<Extents>{convolution.output};
}

std::vector<XlaOp> LowerDeconv(const LoweringCall& call) {
  return {LowerDeconvolution(call.operand("input"), call.operand("filter"), BiasOf(call), Checked(DeconvCall(call)))};
}

// ---- box, debox

Inferred InferBox(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, BasicBoxCall(call));
  return std::vector<Extents>{DownExtents(box.windows)};
}

std::vector<XlaOp> LowerBox(const LoweringCall& call) {
  const BoxCall box = Checked(BasicBoxCall(call));
  const XlaOp input = call.operand("input");
  const XlaOp result =
      call.logical("normalize") ? BoxMean(input, box.border, box.windows) : BoxSum(input, box.border, box.windows);
  return {ConvertTo(result, TypeOf(input))};
}

Inferred InferDebox(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, ReverseBoxCall(call));
  if (box.border == Border::kIgnore && call.logical("normalize")) {
    return WrongArgument("border",
                         "another one with normalize = true, because what debox would divide by is not defined",
                         "'ignore'; use 'constant'");
  }
  return std::vector<Extents>{UpExtents(box.windows)};
}

std::vector<XlaOp> LowerDebox(const LoweringCall& call) {
  const BoxCall box = Checked(ReverseBoxCall(call));
  const XlaOp input = call.operand("input");
  XlaOp result = ReverseBoxSum(input, box.border, box.windows);
  const int64_t volume = WindowVolume(box.windows);
  if (call.logical("normalize") && volume != 1 && result.valid()) {
    result = call.builder().Div(result, NumberLike(result, static_cast<double>(volume)));
  }
  return {ConvertTo(result, TypeOf(input))};
}

// ---- argmax_pool, sample, desample

std::vector<XlaOp> LowerArgMaxPool(const LoweringCall& call) {
  const BoxCall box = Checked(BasicBoxCall(call));
  return {BoxArgMax(call.operand("input"), box.border, box.windows, call.types().integer).place};
}

absl::Status CheckIndexShape(const OperationCall& call, const Extents& expected, absl::string_view of_what) {
  const Extents& index = call.extents("index");
  if (index == expected) return absl::OkStatus();
  return WrongArgument("index", absl::StrCat("the shape of the ", of_what, " ", ShapeText(expected)),
                       ShapeText(index));
}

Inferred InferSample(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, BasicBoxCall(call, /*allow_ignore=*/false));
  RETURN_IF_ERROR(CheckIndexShape(call, DownExtents(box.windows), "output"));
  RETURN_IF_ERROR(CheckConstantIndices(call, "index", WindowVolume(box.windows), "the window"));
  return std::vector<Extents>{DownExtents(box.windows)};
}

// Whether the index of this call was found in windows of the same size, so that it names items of them.
bool IsIndexOfSameWindows(const OperationCall& call) {
  const int producer = call.tensor("index").producer;
  if (producer < 0) return false;
  const Node& node = call.graph().nodes[producer];
  const Value* const size = node.definition == nullptr ? nullptr : FindArgument(node, "size");
  return size != nullptr && *size == call.argument("size");
}

std::vector<XlaOp> LowerSample(const LoweringCall& call) {
  const BoxCall box = Checked(BasicBoxCall(call, /*allow_ignore=*/false));
  if (!IsIndexOfSameWindows(call)) CheckIndicesInRun(call, "index", WindowVolume(box.windows), "the window");
  return {SampleWindows(call.operand("input"), call.operand("index"), box.border, box.windows)};
}

Inferred InferDesample(const OperationCall& call) {
  ASSIGN_OR_RETURN(const BoxCall box, ReverseBoxCall(call));
  if (box.border != Border::kConstant) {
    return WrongArgument("border", "'constant'", absl::StrCat("'", call.string("border"), "'"));
  }
  RETURN_IF_ERROR(CheckIndexShape(call, call.extents("input"), "input"));
  return std::vector<Extents>{UpExtents(box.windows)};
}

std::vector<XlaOp> LowerDesample(const LoweringCall& call) {
  const BoxCall box = Checked(ReverseBoxCall(call));
  const XlaOp input = call.operand("input");
  return {ConvertTo(ScatterToWindows(input, call.operand("index"), box.windows), TypeOf(input))};
}

}  // namespace

std::vector<OperationDefinition> SlidingWindowOperations() {
  return {
      {WithWindowParameters(R"(
fragment conv(
    input: tensor<scalar>,
    filter: tensor<scalar>,
    bias: tensor<scalar> = 0.0,
    $0,
    groups: integer = 1 )
-> ( output: tensor<scalar> );
)"),
       "4.3.1", InferConv, LowerConv},
      {WithWindowParameters(R"(
fragment deconv(
    input: tensor<scalar>,
    filter: tensor<scalar>,
    bias: tensor<scalar> = 0.0,
    $0,
    output_shape: integer[] = [],
    groups: integer = 1 )
-> ( output: tensor<scalar> );
)"),
       "4.3.1", InferDeconv, LowerDeconv},
      {WithWindowParameters(R"(
fragment box(
    input: tensor<scalar>,
    size: integer[],
    $0,
    normalize: logical = false )
-> ( output: tensor<scalar> );
)"),
       "4.3.2", InferBox, LowerBox},
      {WithWindowParameters(R"(
fragment debox(
    input: tensor<scalar>,
    size: integer[],
    $0,
    output_shape: integer[] = [],
    normalize: logical = false )
-> ( output: tensor<scalar> );
)"),
       "4.3.2", InferDebox, LowerDebox},
      {WithWindowParameters(R"(
fragment argmax_pool(
    input: tensor<scalar>,
    size: integer[],
    $0 )
-> ( index: tensor<integer> );
)"),
       "4.3.3", InferBox, LowerArgMaxPool},
      {WithWindowParameters(R"(
fragment sample(
    input: tensor<scalar>,
    index: tensor<integer>,
    size: integer[],
    $0 )
-> ( output: tensor<scalar> );
)"),
       "4.3.3", InferSample, LowerSample},
      {WithWindowParameters(R"(
fragment desample(
    input: tensor<scalar>,
    index: tensor<integer>,
    size: integer[],
    $0,
    output_shape: integer[] = [] )
-> ( output: tensor<scalar> );
)"),
       "4.3.3", InferDesample, LowerDesample},
  };
}

}  // namespace nnef1
}  // namespace xla
