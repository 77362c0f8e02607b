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

namespace xla {
namespace {

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
