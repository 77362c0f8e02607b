#include "passes/analyses/cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/callee_runs.h"
#include "passes/analyses/element_count.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// ---- Sizes

// Unbounded arrays count nothing: it is unknown how large they are.
double Bytes(const Shape& shape) { return shape.IsUnboundedDynamic() ? 0 : static_cast<double>(shape.ByteSize()); }

double OperandBytes(const HloInstruction& instruction, int first = 0) {
  double bytes = 0;
  for (int i = first; i < instruction.operand_count(); ++i) bytes += Bytes(instruction.operand(i)->shape());
  return bytes;
}

double DimensionProduct(const Shape& shape, absl::Span<const int64_t> dimensions) {
  double product = 1;
  for (const int64_t d : dimensions) product *= static_cast<double>(shape.dimension(static_cast<int>(d)));
  return product;
}

// ---- What moves nothing

bool IsView(const HloInstruction& instruction) {
  // A token takes no memory.
  return HasTrait(instruction.opcode(), opcode_trait::kGiven | opcode_trait::kView | opcode_trait::kEnds) ||
         instruction.opcode() == HloOpcode::kAfterAll || IsBitcastLike(instruction);
}

bool IsFreeByItself(const HloInstruction& instruction) {
  const bool control =
      !instruction.called_computations().empty() && ContextOfCallees(instruction.opcode()) == CallContext::kControl;
  return control || IsView(instruction);
}

// What is written; results of asynchronous starts repeat their operands.
double ResultBytes(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kSend) return 0;
  if (opcode == HloOpcode::kCopyStart || opcode == HloOpcode::kRecv) {
    return shape.tuple_size() > 0 ? Bytes(shape.tuple_shape(0)) : 0;
  }
  const bool repeats = opcode == HloOpcode::kAllGatherStart || opcode == HloOpcode::kCollectivePermuteStart;
  return repeats && shape.tuple_size() > 1 ? Bytes(shape.tuple_shape(1)) : Bytes(shape);
}

// Dimensions of more than one element, minor ones first.
DimensionVector PhysicalOrder(const Shape& shape) {
  DimensionVector order;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t d = shape.has_layout() ? shape.layout()->minor_to_major[i] : shape.rank() - 1 - i;
    if (shape.dimension(static_cast<int>(d)) != 1) order.push_back(d);
  }
  return order;
}

bool TransposeKeepsPlaces(const HloInstruction& transpose) {
  DimensionVector moved;
  const auto& permutation = transpose.attributes<DimensionsAttributes>().dimensions;
  for (const int64_t d : PhysicalOrder(transpose.shape())) moved.push_back(permutation[d]);
  return moved == PhysicalOrder(transpose.operand(0)->shape());
}

// ---- Operations by opcode

using CountOperations = void (*)(const HloInstruction& instruction, Cost& cost);

// A product of complex numbers is four products and two sums.
double FlopsOfMultiplyAdd(const Shape& shape) { return IsComplex(shape.element_type()) ? 8 : 2; }

void CountElementwise(const HloInstruction& instruction, Cost& cost) {
  const double elements = Elements(instruction.shape());
  if (IsMathFunction(instruction.opcode()) || instruction.opcode() == HloOpcode::kSqrt) {
    cost.transcendentals += elements;
  } else if (instruction.opcode() != HloOpcode::kCopy) {
    const bool complex = IsComplex(instruction.shape().element_type());
    cost.flops += elements * (!complex ? 1 : instruction.opcode() == HloOpcode::kMultiply ? 6 : 2);
  }
}

void CountDot(const HloInstruction& dot, Cost& cost) {
  const double contracted =
      DimensionProduct(dot.operand(0)->shape(), dot.attributes<DotAttributes>().lhs_contracting_dims);
  cost.flops += FlopsOfMultiplyAdd(dot.shape()) * Elements(dot.shape()) * contracted;
}

// Groups of a ragged contracting dimension divide it between them; other groups divide rows or batches.
void CountRaggedDot(const HloInstruction& dot, Cost& cost) {
  const auto& attributes = dot.attributes<RaggedDotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  double rhs_free = Elements(dot.operand(1)->shape());
  for (const auto* dims : {&attributes.rhs_batch_dims, &attributes.rhs_contracting_dims, &attributes.rhs_group_dims}) {
    rhs_free /= std::max(1.0, DimensionProduct(dot.operand(1)->shape(), *dims));
  }
  cost.flops += FlopsOfMultiplyAdd(dot.shape()) * Elements(lhs) * rhs_free;
}

// Pairs of a position of the window's output and an element of the window that fall on an element of the input.
double TapsInside(const WindowDimension& window, int64_t input_size, int64_t output_size) {
  constexpr double kMaxSteps = 1 << 16;
  const double all = static_cast<double>(window.size) * static_cast<double>(output_size);
  if (all > kMaxSteps) return all / static_cast<double>(window.base_dilation);
  double count = 0;
  for (int64_t tap = 0; tap < window.size; ++tap) {
    for (int64_t position = 0; position < output_size; ++position) {
      const int64_t place = position * window.stride + tap * window.window_dilation - window.padding_low;
      count += place >= 0 && place % window.base_dilation == 0 && place / window.base_dilation < input_size;
    }
  }
  return count;
}

void CountConvolution(const HloInstruction& convolution, Cost& cost) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const Shape& result = convolution.shape();
  const auto size = [](const Shape& shape, int64_t d) { return shape.dimension(static_cast<int>(d)); };
  double products = static_cast<double>(size(result, labels.output_batch)) *
                    static_cast<double>(size(result, labels.output_feature)) *
                    static_cast<double>(size(convolution.operand(1)->shape(), labels.kernel_input_feature));
  for (size_t i = 0; i < labels.output_spatial.size(); ++i) {
    products *=
        TapsInside(attributes.window.dimensions[i], size(convolution.operand(0)->shape(), labels.input_spatial[i]),
                   size(result, labels.output_spatial[i]));
  }
  cost.flops += FlopsOfMultiplyAdd(result) * products;
}

void CountCholesky(const HloInstruction& cholesky, Cost& cost) {
  const Shape& shape = cholesky.shape();
  const double n = static_cast<double>(shape.dimension(shape.rank() - 1));
  cost.flops += Elements(shape) * n / 3 * FlopsOfMultiplyAdd(shape) / 2;
}

void CountTriangularSolve(const HloInstruction& solve, Cost& cost) {
  const Shape& matrix = solve.operand(0)->shape();
  const double n = static_cast<double>(matrix.dimension(matrix.rank() - 1));
  cost.flops += Elements(solve.shape()) * n * FlopsOfMultiplyAdd(solve.shape()) / 2;
}

// 5 n log2 n: the usual count for a complex transform of radix 2.
void CountFft(const HloInstruction& fft, Cost& cost) {
  double length = 1;
  for (const int64_t size : fft.attributes<FftAttributes>().fft_length) length *= static_cast<double>(size);
  const double elements = std::max(Elements(fft.shape()), Elements(fft.operand(0)->shape()));
  if (length > 1) cost.flops += 5 * elements * std::log2(length);
}

void CountBatchNorm(const HloInstruction& batch_norm, Cost& cost) {
  const Shape& data = batch_norm.operand(0)->shape();
  const int feature = static_cast<int>(batch_norm.attributes<BatchNormAttributes>().feature_index);
  // Means, differences, squares, scaling: some five operations per element, and twice as many for gradients.
  cost.flops += Elements(data) * (batch_norm.opcode() == HloOpcode::kBatchNormGrad ? 10 : 5);
  cost.transcendentals += static_cast<double>(data.dimension(feature));
}

void CountRng(const HloInstruction& rng, Cost& cost) { cost.transcendentals += Elements(rng.shape()); }

void CountRngBits(const HloInstruction& rng, Cost& cost) {
  constexpr double kFlopsPerWord = 40;  // ten rounds of Philox on four words at some 16 operations each
  const Shape& shape = rng.shape();
  const Shape& bits = shape.IsTuple() && shape.tuple_size() > 1 ? shape.tuple_shape(1) : shape;
  if (bits.IsArray()) cost.flops += kFlopsPerWord * Elements(bits);
}

void CountTopK(const HloInstruction& topk, Cost& cost) {
  const double k = static_cast<double>(topk.attributes<TopKAttributes>().k);
  cost.flops += Elements(topk.operand(0)->shape()) * std::max(1.0, std::log2(std::max(k, 1.0)));
}

// Operations that are neither elementwise nor done by a called computation. What is missing here moves data only.
constexpr OpcodeMap<CountOperations> kCounts(/*otherwise=*/nullptr,
                                             {{HloOpcode::kDot, &CountDot},
                                              {HloOpcode::kScaledDot, &CountDot},
                                              {HloOpcode::kRaggedDot, &CountRaggedDot},
                                              {HloOpcode::kConvolution, &CountConvolution},
                                              {HloOpcode::kCholesky, &CountCholesky},
                                              {HloOpcode::kTriangularSolve, &CountTriangularSolve},
                                              {HloOpcode::kFft, &CountFft},
                                              {HloOpcode::kBatchNormTraining, &CountBatchNorm},
                                              {HloOpcode::kBatchNormInference, &CountBatchNorm},
                                              {HloOpcode::kBatchNormGrad, &CountBatchNorm},
                                              {HloOpcode::kRng, &CountRng},
                                              {HloOpcode::kRngBitGenerator, &CountRngBits},
                                              {HloOpcode::kTopK, &CountTopK}});

CountOperations FindCount(HloOpcode opcode) { return IsElementwise(opcode) ? &CountElementwise : kCounts[opcode]; }

// ---- Bytes of what addresses parts of arrays

void CountBytes(const HloInstruction& instruction, Cost& cost) {
  if (HasTrait(instruction.opcode(), opcode_trait::kReadsPart)) {
    const double part = std::min(Bytes(instruction.shape()), Bytes(instruction.operand(0)->shape()));
    cost.bytes_read += part + OperandBytes(instruction, 1);
    cost.bytes_written += Bytes(instruction.shape());
  } else if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) {
    cost.bytes_read += OperandBytes(instruction, 1);
    cost.bytes_written += Bytes(instruction.operand(1)->shape());
  } else if (instruction.opcode() == HloOpcode::kScatter) {
    // Arrays, indices, updates: what is updated is read, combined and written back.
    const int arrays = instruction.operand_count() / 2;
    const double updates = OperandBytes(instruction, arrays + 1);
    cost.bytes_read += OperandBytes(instruction, arrays) + updates;
    cost.bytes_written += updates;
  } else {
    cost.bytes_read += OperandBytes(instruction);
    cost.bytes_written += ResultBytes(instruction);
  }
}

// Through bitcasts towards the operands.
const HloInstruction* SkipViews(const HloInstruction* instruction) {
  while (IsBitcastLike(*instruction)) instruction = instruction->operand(0);
  return instruction;
}

// Bytes that the body reads of a parameter.
double BytesReadOfParameter(const HloInstruction& parameter) {
  const double all = Bytes(parameter.shape());
  double read = 0;
  for (const HloInstruction* user : parameter.users()) {
    const bool first_only =
        std::count(user->operands().begin(), user->operands().end(), &parameter) == 1 && user->operand(0) == &parameter;
    if (first_only && user->opcode() == HloOpcode::kDynamicUpdateSlice) continue;
    if (!first_only || !HasTrait(user->opcode(), opcode_trait::kReadsPart)) return all;
    read += Bytes(user->shape());
  }
  return parameter.parent()->root() == &parameter ? all : std::min(read, all);
}

double BytesWrittenFor(const HloInstruction* result) {
  result = SkipViews(result);
  const bool in_place = result->opcode() == HloOpcode::kDynamicUpdateSlice &&
                        SkipViews(result->operand(0))->opcode() == HloOpcode::kParameter;
  return Bytes(in_place ? result->operand(1)->shape() : result->shape());
}

void CountFusionBytes(const HloInstruction& fusion, Cost& cost) {
  const HloComputation& body = *fusion.called_computation(0);
  for (const HloInstruction* parameter : body.parameters()) {
    if (parameter != nullptr) cost.bytes_read += BytesReadOfParameter(*parameter);
  }
  if (body.root()->opcode() != HloOpcode::kTuple) {
    cost.bytes_written += BytesWrittenFor(body.root());
    return;
  }
  for (const HloInstruction* result : body.root()->operands()) cost.bytes_written += BytesWrittenFor(result);
}

}  // namespace

Cost& Cost::operator+=(const Cost& o) {
  flops += o.flops;
  transcendentals += o.transcendentals;
  bytes_read += o.bytes_read;
  bytes_written += o.bytes_written;
  return *this;
}

Cost Cost::operator*(double times) const {
  return {flops * times, transcendentals * times, bytes_read * times, bytes_written * times};
}

bool IsBitcastLike(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kBitcast) return true;
  if (opcode != HloOpcode::kReshape && opcode != HloOpcode::kTranspose) return false;
  const Shape& operand = instruction.operand(0)->shape();
  if (instruction.shape().IsDynamic() || operand.IsDynamic()) return false;
  if (opcode == HloOpcode::kTranspose) return TransposeKeepsPlaces(instruction);
  return instruction.shape().IsRowMajor() && operand.IsRowMajor();
}

Cost OwnCost(const HloInstruction& instruction) {
  Cost cost;
  if (IsFreeByItself(instruction)) return cost;
  if (const CountOperations count = FindCount(instruction.opcode())) count(instruction, cost);
  if (instruction.opcode() == HloOpcode::kFusion) {
    CountFusionBytes(instruction, cost);
  } else {
    CountBytes(instruction, cost);
  }
  return cost;
}

double PlainBytes(const HloInstruction& instruction) {
  if (IsFreeByItself(instruction)) return 0;
  return OperandBytes(instruction) + ResultBytes(instruction);
}

CostAnalysis::CostAnalysis(const HloModule& module) { CHECK(Count(module, /*resources=*/nullptr).ok()); }

absl::StatusOr<CostAnalysis> CostAnalysis::Create(const HloModule& module, const ResourceContext* resources) {
  CostAnalysis analysis;
  RETURN_IF_ERROR(analysis.Count(module, resources));
  return analysis;
}

absl::Status CostAnalysis::Count(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  infos_.reserve(module.computations().size());
  for (const auto& computation : module.computations()) {  // callees precede their callers
    Cost cost;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
      cost += Of(*instruction);
    }
    infos_[computation.get()].cost = cost;
  }
  RETURN_IF_ERROR(CountRuns(module, poll));
  if (module.entry() != nullptr) total_ = Of(*module.entry());
  return absl::OkStatus();
}

Cost CostAnalysis::Of(const HloInstruction& instruction) const {
  Cost cost = OwnCost(instruction);
  const bool control = ContextOfCallees(instruction.opcode()) == CallContext::kControl;
  const CalleeRuns runs = EstimateCalleeRuns(instruction);
  for (size_t i = 0; i < runs.runs.size(); ++i) {
    Cost callee = Of(*instruction.called_computations()[i]) * runs.runs[i];
    if (!control) callee.bytes_read = callee.bytes_written = 0;  // its values are in registers
    cost += callee;
  }
  return cost;
}

absl::Status CostAnalysis::CountRuns(const HloModule& module, ResourcePoll& poll) {
  if (module.entry() == nullptr) return absl::OkStatus();
  infos_[module.entry()].runs = infos_[module.entry()].control_runs = 1;
  for (size_t i = module.computations().size(); i > 0; --i) {
    const HloComputation& computation = *module.computations()[i - 1];
    const Info info = infos_[&computation];
    if (info.runs == 0) continue;
    for (const auto& instruction : computation.instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
      plain_bytes_ += info.control_runs * PlainBytes(*instruction);
      const bool control = ContextOfCallees(instruction->opcode()) == CallContext::kControl;
      const CalleeRuns runs = EstimateCalleeRuns(*instruction);
      unknown_loops_ += runs.known ? 0 : 1;
      for (size_t k = 0; k < runs.runs.size(); ++k) {
        Info& callee = infos_[instruction->called_computations()[k]];
        callee.runs += info.runs * runs.runs[k];
        if (control) callee.control_runs += info.control_runs * runs.runs[k];
      }
    }
  }
  return absl::OkStatus();
}

std::string PrintCost(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<CostAnalysis> made = CostAnalysis::Create(module, resources);
  if (!made.ok()) return "";
  const CostAnalysis& analysis = *made;
  ResourcePoll poll(resources);
  const CallGraph graph(module);
  const Cost& total = analysis.Total();
  std::string text = absl::StrFormat(
      "a run: %.6g flops, %.6g transcendentals, %.6g bytes read, %.6g bytes written; operands and results %.6g bytes\n",
      total.flops, total.transcendentals, total.bytes_read, total.bytes_written, analysis.TotalPlainBytes());
  if (analysis.UnknownLoops() > 0) {
    absl::StrAppend(&text, analysis.UnknownLoops(), " loops of unknown trip count are counted as one iteration\n");
  }
  for (const HloComputation* computation : graph.ControlComputations()) {
    absl::StrAppend(&text, absl::StrFormat("%s, %.6g runs:\n", computation->name(), analysis.Runs(*computation)));
    for (const auto& instruction : computation->instructions()) {
      if (poll.IsOver(1 + instruction->operand_count())) return text;
      const Cost cost = analysis.Of(*instruction);
      if (cost.flops == 0 && cost.transcendentals == 0 && cost.bytes() == 0) continue;
      absl::StrAppend(&text, absl::StrFormat("  %s: %.6g flops, %.6g transcendentals, %.6g bytes read, %.6g written\n",
                                             instruction->name(), cost.flops, cost.transcendentals, cost.bytes_read,
                                             cost.bytes_written));
    }
  }
  return text;
}

}  // namespace xla
