// MLGraphBuilder::build(): from the graph's definition to an executable of the context's backend.
#include <memory>
#include <utility>

#include "builders/webnn/background.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

absl::StatusOr<std::shared_ptr<MLGraph>> Compile(const std::shared_ptr<MLContext>& context, GraphDefinition graph) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, LowerToHlo(graph));
  if (context->client() == nullptr) {
    return InMethod(OperationError("no device", "the context has no device, it is only for HLO"), "build");
  }
  CompileOptions options;
  options.verify = false;  // LowerToHlo gives verified modules
  absl::StatusOr<std::unique_ptr<Executable>> executable = context->client()->Compile(std::move(module), options);
  if (!executable.ok()) {
    return InMethod(AsError(executable.status(), MLErrorKind::kOperationError, "not supported"), "build");
  }
  return std::make_shared<MLGraph>(context, std::move(graph), *std::move(executable));
}

}  // namespace

absl::StatusOr<std::shared_ptr<MLGraph>> MLGraphBuilder::build(const MLNamedOperands& outputs) {
  ASSIGN_OR_RETURN(GraphDefinition graph, Define(outputs));
  has_built_ = true;
  return Compile(context_, std::move(graph));
}

Future<std::shared_ptr<MLGraph>> MLGraphBuilder::buildAsync(const MLNamedOperands& outputs) {
  absl::StatusOr<GraphDefinition> graph = Define(outputs);
  if (!graph.ok()) return Future<std::shared_ptr<MLGraph>>(graph.status());
  has_built_ = true;
  auto result = std::make_shared<std::shared_ptr<MLGraph>>();
  auto source = std::make_shared<EventSource>();
  Future<std::shared_ptr<MLGraph>> future(source->event(), result);
  RunInBackground([context = context_, graph = *std::move(graph), result, source]() mutable {
    absl::StatusOr<std::shared_ptr<MLGraph>> compiled = Compile(context, std::move(graph));
    if (compiled.ok()) *result = *compiled;
    source->Set(compiled.status());
  });
  return future;
}

}  // namespace webnn
}  // namespace xla
