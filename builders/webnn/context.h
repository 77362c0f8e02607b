// ML and MLContext: where graphs are compiled and run.
//
//   ML ml;
//   ASSIGN_OR_RETURN(std::shared_ptr<MLContext> context, ml.createContext());
//   MLGraphBuilder builder(context);
//   ...
//   ASSIGN_OR_RETURN(std::shared_ptr<MLGraph> graph, builder.build({{"y", y}}));
//   ASSIGN_OR_RETURN(MLComputeResult result, context->compute(*graph, {{"x", x}}, {{"y", room_for_y}}));
//
// Everything in the classes of this file may be called from several threads at once.
#ifndef BUILDERS_WEBNN_CONTEXT_H_
#define BUILDERS_WEBNN_CONTEXT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "builders/webnn/array_buffer.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/enums.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph.h"
#include "builders/webnn/tensor.h"
#include "builders/webnn/value.h"

namespace xla {
namespace webnn {

// What a context is created with. deviceType (draft) and `accelerated` (later editions) choose a backend unless
// `backend` names one; powerPreference is only kept and reported.
struct MLContextOptions {
  MLDeviceType deviceType = MLDeviceType::kCpu;
  MLPowerPreference powerPreference = MLPowerPreference::kDefault;
  // Later editions, in place of deviceType: false asks for a CPU.
  bool accelerated = true;

  // ---- Not of the IDL
  MLEdition edition = MLEdition::kDraft;
  // The name of a backend that is linked (backends/registry.h); empty: the one that suits deviceType.
  std::string backend;
  ClientOptions client_options;
};

// What stands for a GPUDevice of WebGPU: a context made from one has the context type "webgpu".
struct GPUDevice {
  std::shared_ptr<Client> client;
};

// The views given to compute(), on the same memory but with buffers of their own: the caller's are detached.
struct MLComputeResult {
  MLNamedArrayBufferViews inputs;
  MLNamedArrayBufferViews outputs;
};

// Later editions: what an operator admits for an operand, or gives as a result.
struct MLTensorLimits {
  std::vector<MLOperandDataType> dataTypes;
  int rank_min = 0;  // rankRange
  int rank_max = kMaxRank;
};
// What opSupportLimits() reports, read off the rows of the operator table. maxTensorByteLength is in bytes.
struct MLOpSupportLimits {
  MLInputOperandLayout preferredInputLayout = MLInputOperandLayout::kNchw;
  int64_t maxTensorByteLength = 0;
  MLTensorLimits input;
  MLTensorLimits constant;
  MLTensorLimits output;
  // By operator, then by operand; results under "output" or, of those with several, "outputs".
  Named<Named<MLTensorLimits>> operators;
};

// Later editions: why a context can no longer be used.
struct MLContextLostInfo {
  std::string message;
};

// A device with an edition of the specification. Graphs, tensors and builders hold references to their context, and
// can be used with no other.
class MLContext : public std::enable_shared_from_this<MLContext> {
 public:
  // A context that graphs can be built for but not compiled: for tools that only want their HLO.
  static std::shared_ptr<MLContext> WithoutDevice(MLEdition edition);
  // A context over a given client.
  static std::shared_ptr<MLContext> Over(std::shared_ptr<Client> client, const MLContextOptions& options = {},
                                         MLContextType type = MLContextType::kDefault);
  ~MLContext();

  MLContextType contextType() const { return type_; }
  MLDeviceType deviceType() const { return options_.deviceType; }
  MLPowerPreference powerPreference() const { return options_.powerPreference; }
  bool accelerated() const { return options_.accelerated; }
  MLEdition edition() const { return options_.edition; }
  // nullptr without a device.
  const std::shared_ptr<Client>& client() const { return client_; }

  // ---- The draft

  // Runs a graph. `inputs` has a view for each input of the graph, and may have others; `outputs` has some of its
  // outputs. Their buffers are transferred: the views that the result has are on the same memory, those of the caller
  // are detached. Before all is checked nothing is touched.
  // Errors: TypeError for a graph of another context, an input without view, a view of another type or size, an output
  //   that the graph does not have, a buffer that cannot be transferred; OperationError for a context of type webgpu
  //   and if the execution fails.
  absl::StatusOr<MLComputeResult> compute(const std::shared_ptr<MLGraph>& graph, const MLNamedArrayBufferViews& inputs,
                                          const MLNamedArrayBufferViews& outputs);
  // The same without waiting for the end: what can be checked is checked, and the buffers are transferred, when the
  // call returns. Any number may be under way. When the future comes, with a result or an error, the memory of the
  // views is not used any more.
  Future<MLComputeResult> computeAsync(const std::shared_ptr<MLGraph>& graph, const MLNamedArrayBufferViews& inputs,
                                       const MLNamedArrayBufferViews& outputs);
  // What both check before they touch a buffer, for frontends that must detach buffers of their own in between.
  absl::Status CheckCompute(const std::shared_ptr<MLGraph>& graph, const MLNamedArrayBufferViews& inputs,
                            const MLNamedArrayBufferViews& outputs) const;

  // ---- Later editions. Writing, dispatching and reading happen in the order of the calls, as far as their tensors
  // depend on each other. Calls return at once; what goes wrong later is the error of reading what was to be computed.

  // Zeros. InvalidStateError: the context is lost; TypeError: dimensions; UnknownError: no memory.
  absl::StatusOr<std::shared_ptr<MLTensor>> createTensor(const MLTensorDescriptor& descriptor);
  absl::StatusOr<std::shared_ptr<MLTensor>> createConstantTensor(const MLOperandDescriptor& descriptor,
                                                                 const ArrayBufferView& data);
  // TypeError: a tensor of another context, destroyed, not writable (readable); another size.
  absl::Status writeTensor(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& data);
  absl::StatusOr<ArrayBuffer> readTensor(const std::shared_ptr<MLTensor>& tensor);
  absl::Status readTensor(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& destination);
  Future<ArrayBuffer> readTensorAsync(const std::shared_ptr<MLTensor>& tensor);
  Event readTensorAsync(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& destination);
  // TypeError: a graph or tensor of another context, a destroyed or constant tensor, a tensor given twice, names or
  // descriptors other than all of the graph's; InvalidStateError: a destroyed graph, a lost context.
  absl::Status dispatch(const std::shared_ptr<MLGraph>& graph, const MLNamedTensors& inputs,
                        const MLNamedTensors& outputs);

  MLOpSupportLimits opSupportLimits() const;
  // The context is lost: its tensors are gone, and nothing can be made or run any more.
  void destroy();
  bool is_lost() const;
  // Happens when the context is lost.
  Future<MLContextLostInfo> lost() const;

 private:
  struct State;
  MLContext(std::shared_ptr<Client> client, const MLContextOptions& options, MLContextType type);

  absl::Status CheckNotLost() const;
  absl::Status TryDispatch(const std::shared_ptr<MLGraph>& graph, const MLNamedTensors& inputs,
                           const MLNamedTensors& outputs);
  absl::Status CheckTensor(const std::shared_ptr<MLTensor>& tensor, absl::string_view what) const;

  const MLContextOptions options_;
  const MLContextType type_;
  const std::shared_ptr<Client> client_;
  const std::unique_ptr<State> state_;
};

// `navigator.ml`.
class ML {
 public:
  // `allowed`: whether the policy of the embedder allows the feature "webnn".
  explicit ML(bool allowed = true) : allowed_(allowed) {}

  // SecurityError: the feature is not allowed. NotSupportedError: no backend is linked for that device.
  absl::StatusOr<std::shared_ptr<MLContext>> createContext(const MLContextOptions& options = {}) const;
  absl::StatusOr<std::shared_ptr<MLContext>> createContext(const GPUDevice& device,
                                                           MLEdition edition = MLEdition::kDraft) const;

 private:
  const bool allowed_;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_CONTEXT_H_
