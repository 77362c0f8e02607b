#include "tests/random_nnef2/check_lowerings.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "builders/nnef2/recognition/recognise.h"
#include "tests/random_nnef2/compose_document.h"
#include "tests/random_nnef2/direct_evaluator.h"
#include "tests/random_nnef2/literal_tensors.h"
#include "tools/shared/check_results.h"
#include "tools/shared/run_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr uint64_t kSeedsPerArgument = 12;

absl::StatusOr<ComposedGraph> Compose(const RandomDocument& document, bool is_call) {
  return is_call ? ComposeCall(document) : ComposeDocument(document.text, "", {});
}

absl::StatusOr<std::vector<Literal>> LiteralsOf(const std::vector<DirectTensors>& packs) {
  std::vector<Literal> literals;
  for (const DirectTensors& pack : packs) {
    for (const DirectTensor& tensor : pack) {
      ASSIGN_OR_RETURN(Literal literal, LiteralOf(tensor));
      literals.push_back(std::move(literal));
    }
  }
  return literals;
}

// The first `count` results of the lowered document, those with dynamic sizes cut to them. *module: as text.
absl::StatusOr<std::vector<Literal>> RunLowered(const RandomDocument& document, bool is_call, Recogniser recogniser,
                                                const std::string& backend, size_t count, std::string* module) {
  ASSIGN_OR_RETURN(const ComposedGraph graph, Compose(document, is_call));
  Diagnostics diagnostics;
  LowerOptions options;
  options.recogniser = recogniser;
  ASSIGN_OR_RETURN(const nnef::LoweredModel model, LowerGraph(graph, options, &diagnostics));
  ASSIGN_OR_RETURN(*module, PrintModule(*model.module, PrintOptions(), /*resources=*/nullptr));
  RunSettings settings;
  settings.backend = backend;
  ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> runnable, RunnableModule::Create(*model.module, settings));
  std::vector<Literal> arguments;
  for (const DirectTensors& pack : document.inputs) {
    for (const DirectTensor& tensor : pack) {
      const xla::Shape& shape = model.module->entry()->parameters()[arguments.size()]->shape();
      ASSIGN_OR_RETURN(Literal argument, ArgumentOf(tensor, shape));
      arguments.push_back(std::move(argument));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Literal> outputs, runnable->Run({std::move(arguments)}, nullptr));
  for (const nnef::LoweredModel::Check& check : model.checks) {
    const bool holds = outputs[0].element(static_cast<int>(check.result)).data<bool>()[0];
    if (!holds) return nnef::ClassifiedError(check.error_class, check.message);
  }
  std::vector<Literal> results;
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const DirectTensor tensor, TensorOf(outputs[0].element(static_cast<int>(i))));
    ASSIGN_OR_RETURN(Literal literal, LiteralOf(tensor));
    results.push_back(std::move(literal));
  }
  return results;
}

std::string CompareForm(const char* form, const RandomDocument& document, bool is_call, Recogniser recogniser,
                        const std::string& backend, const std::vector<Literal>& want) {
  std::string module;
  const absl::StatusOr<std::vector<Literal>> got =
      RunLowered(document, is_call, recogniser, backend, want.size(), &module);
  if (!got.ok()) return absl::StrCat(form, " form: ", got.status().ToString(), "\n", module);
  const CheckedResults checked = CheckResults(NameResults(*got), NameResults(want), ResultTolerance());
  return checked.match ? "" : absl::StrCat(form, " form:\n", checked.report, "\n", module);
}

// Whether an extent that is fed does not fit the document, which is an error in each form.
bool IsMisfit(const absl::Status& status) {
  const absl::optional<ErrorClass> error_class = ErrorClassOf(status);
  return error_class == ErrorClass::kRuntimeShape || error_class == ErrorClass::kRuntimeBound;
}

std::string CheckMisfit(const RandomDocument& document, bool is_call, Recogniser recogniser,
                        const std::string& backend) {
  std::string module;
  const absl::Status status = RunLowered(document, is_call, recogniser, backend, 0, &module).status();
  if (IsMisfit(status)) return "";
  return absl::StrCat("an extent that does not fit is not reported: ", status.ToString(), "\n", module);
}

std::string CheckDocument(const RandomDocument& document, bool is_call, const std::string& backend) {
  const absl::StatusOr<ComposedGraph> graph = Compose(document, is_call);
  if (!graph.ok()) return absl::StrCat("not valid: ", graph.status().ToString());
  DirectArguments arguments;
  arguments.inputs = document.inputs;
  const absl::StatusOr<DirectResults> direct = RunDirectly(*graph, arguments);
  if (IsMisfit(direct.status())) {
    return absl::StrCat(CheckMisfit(document, is_call, nullptr, backend),
                        CheckMisfit(document, is_call, RecogniseStatements, backend));
  }
  if (!direct.ok()) return absl::StrCat("direct: ", direct.status().ToString());
  const absl::StatusOr<std::vector<Literal>> want = LiteralsOf(direct->outputs);
  if (!want.ok()) return want.status().ToString();
  const std::string general = CompareForm("general", document, is_call, nullptr, backend, *want);
  const std::string recognised = CompareForm("recognised", document, is_call, RecogniseStatements, backend, *want);
  return absl::StrCat(general, recognised);
}

}  // namespace

RandomDocument DocumentOf(uint64_t seed, int size) {
  if (IsCall(seed)) return RandomLibraryCall(seed);
  return seed % kSeedsPerArgument == 1 ? RandomArgument(seed) : RandomStatement(seed, size);
}

std::string CheckLowerings(uint64_t seed, const std::string& backend) {
  // Smaller documents first, so that what is found is easy to read.
  for (int size = kLeastSize; size <= kGreatestSize; ++size) {
    const RandomDocument document = DocumentOf(seed, size);
    const std::string wrong = CheckDocument(document, IsCall(seed), backend);
    if (!wrong.empty()) return absl::StrCat("size ", size, ": ", wrong, "\n", document.text);
    if (IsCall(seed)) break;
  }
  return "";
}

}  // namespace nnef2
}  // namespace xla
