// For tests of WebNN: contexts, operands and values in few words. A failure ends the test binary with the error.
#ifndef BUILDERS_WEBNN_TEST_SUPPORT_H_
#define BUILDERS_WEBNN_TEST_SUPPORT_H_

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"

namespace xla {
namespace webnn {

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::abort();
}

// Of the interpreter, which the test must be linked with.
inline std::shared_ptr<MLContext> NewContext(MLEdition edition = MLEdition::kDraft) {
  MLContextOptions options;
  options.edition = edition;
  options.backend = "interpreter";
  return OrDie(ML().createContext(options));
}

inline MLOperandDescriptor Float32(std::vector<uint32_t> shape) {
  return MLOperandDescriptor(MLOperandDataType::kFloat32, std::move(shape));
}

// "TypeError: RULE", or "OK".
inline std::string ErrorOf(const absl::Status& status) {
  if (status.ok()) return "OK";
  return std::string(ErrorKindName(ErrorKindOf(status))) + ": " + RuleOf(status);
}
template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& value) {
  return ErrorOf(value.status());
}

// The only output of a graph without inputs, or with the one input "x".
inline std::vector<float> RunGraph(MLGraphBuilder& builder, const MLOperand& result, std::vector<float> x = {}) {
  const std::shared_ptr<MLGraph> graph = OrDie(builder.build({{"result", result}}));
  MLNamedArrayBufferViews inputs;
  if (!x.empty()) inputs.emplace_back("x", ArrayBufferView::Of<float>(x));
  const MLComputeResult computed =
      OrDie(builder.context()->compute(graph, inputs, {{"result", OrDie(ArrayBufferView::For(result.descriptor()))}}));
  const absl::Span<float> values = computed.outputs[0].second.span<float>();
  return std::vector<float>(values.begin(), values.end());
}

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_TEST_SUPPORT_H_
