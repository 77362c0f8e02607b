// What the fuzzers of NNEF 2 check.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "builders/nnef2/checking/lint_program.h"
#include "builders/nnef2/composition/print_composed_graph.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/language/printer.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/containers/container.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/input_limits.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Larger graphs are not lowered: what a program computes at compile time is of their size.
constexpr int64_t kMostElements = 1 << 12;
constexpr size_t kMostTensors = 1000;

[[noreturn]] void FailOnTensor(absl::string_view what, absl::string_view message) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(message.size()),
               message.data());
  std::abort();
}

[[noreturn]] void FailOnDocument(absl::string_view what, absl::string_view text, absl::string_view message) {
  std::fprintf(stderr, "%.*s\n---- document:\n%.*s\n---- message:\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(text.size()), text.data(), static_cast<int>(message.size()), message.data());
  std::abort();
}

void CheckDocumentRefusal(const absl::Status& status, absl::string_view text) {
  if (status.message().empty() || !nnef2::ErrorClassOf(status).has_value()) {
    FailOnDocument("an error says nothing or has no class", text, status.ToString());
  }
}

std::shared_ptr<const nnef2::Module> ParseText(absl::string_view text, nnef2::Diagnostics* diagnostics) {
  const auto source = std::make_shared<const nnef2::Source>(nnef2::Source{"main.sknd", std::string(text), "main"});
  return nnef2::ParseModule(source, diagnostics);
}

absl::StatusOr<nnef2::Model> LoadText(absl::string_view text, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container,
                   nnef::OpenContainerInMemory(text, "main.sknd", nnef2::Nnef2Format()));
  nnef2::LoadOptions options;
  options.resources = resources;
  return nnef2::LoadModel(*container, options);
}

bool IsSmall(const nnef2::ComposedGraph& graph) {
  int64_t elements = 0;
  for (const nnef2::ComposedTensor& tensor : graph.tensors) {
    int64_t volume = 1;
    for (const nnef2::Scalar& extent : tensor.shape) {
      const int64_t bound = extent.kind == nnef2::Scalar::Kind::kInt ? extent.integer : extent.symbolic->upper;
      if (bound > kMostElements || volume > kMostElements) return false;
      volume *= bound;
    }
    elements += volume;
    if (elements > 16 * kMostElements) return false;
  }
  return graph.tensors.size() <= kMostTensors;
}

// What a small graph becomes is HLO that the verifier takes, or it is refused with a message.
void CheckLowering(const nnef2::Model& model, absl::string_view text, const ResourceContext* resources) {
  if (!IsSmall(model.graph)) return;
  nnef2::LoweringOptions options;
  options.variables_are_parameters = true;
  options.resources = resources;
  const absl::StatusOr<nnef2::LoweredModel> lowered = nnef2::LowerToHlo(model, options);
  if (!lowered.ok()) {
    const bool is_told = !lowered.status().message().empty() && !absl::IsInternal(lowered.status());
    if (!is_told) FailOnDocument("lowering goes wrong inside", text, lowered.status().ToString());
    return;
  }
  const absl::Status verified = VerifyModule(*lowered->module);
  if (!verified.ok()) FailOnDocument("a graph becomes HLO that is not valid", text, verified.message());
}

}  // namespace

void FuzzNnef2Document(absl::string_view text) {
  nnef2::Diagnostics diagnostics;
  const std::shared_ptr<const nnef2::Module> module = ParseText(text, &diagnostics);
  if (module == nullptr) return CheckDocumentRefusal(diagnostics.ToStatus(), text);
  const std::string printed = nnef2::PrintModule(*module);
  const std::shared_ptr<const nnef2::Module> again = ParseText(printed, &diagnostics);
  if (again == nullptr) FailOnDocument("a printed module is refused", printed, diagnostics.ToStatus().message());
  const std::string printed_again = nnef2::PrintModule(*again);
  if (printed_again != printed) FailOnDocument("a printed module is printed otherwise", printed, printed_again);

  const InputLimits limits;
  const absl::StatusOr<nnef2::Model> model = LoadText(text, limits.resources());
  const absl::Status cancelled = LoadText(text, limits.cancelled()).status();
  if (!EndsEarlyOrAs(cancelled, model.status())) {
    FailOnDocument("cancelled loading ends otherwise", text, cancelled.ToString());
  }
  if (!model.ok()) return CheckDocumentRefusal(model.status(), text);
  (void)nnef2::LintProgram(*model->graph.program);
  const absl::StatusOr<nnef2::Model> of_printed = LoadText(printed, limits.resources());
  if (!of_printed.ok()) FailOnDocument("a printed model is refused", printed, of_printed.status().message());
  const std::string graph = nnef2::PrintComposedGraph(model->graph);
  const std::string graph_again = nnef2::PrintComposedGraph(of_printed->graph);
  if (graph_again != graph) FailOnDocument("a printed model is composed otherwise", graph, graph_again);
  CheckLowering(*model, text, limits.resources());
}

void FuzzNnef2Tensor(absl::string_view bytes) {
  const absl::StatusOr<nnef2::StoredTensor> tensor = nnef2::ParseStoredTensor(bytes, "fuzz.dat");
  if (!tensor.ok()) {
    const bool is_classified = nnef2::ErrorClassOf(tensor.status()) == nnef2::ErrorClass::kData;
    if (!is_classified) FailOnTensor("an error is not of class data", tensor.status().ToString());
    return;
  }
  if (nnef::kTensorHeaderBytes + tensor->header.data_bytes != static_cast<int64_t>(bytes.size())) {
    FailOnTensor("a tensor file is not as long as it should be", "");
  }
  const absl::StatusOr<std::string> written = nnef2::SerializeTensor(tensor->value);
  if (!written.ok()) FailOnTensor("a tensor that was read cannot be written", written.status().message());
  const absl::StatusOr<nnef2::StoredTensor> again = nnef2::ParseStoredTensor(*written, "again.dat");
  if (!again.ok()) FailOnTensor("a written tensor file is refused", again.status().message());
  if (!tensor->value.BitwiseEquals(again->value)) FailOnTensor("a tensor changes when it is written and read", "");
}

}  // namespace xla
