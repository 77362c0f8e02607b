// What the fuzzers of NNEF 1 check.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/types/optional.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/model/model.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/input_limits.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using nnef1::Diagnostics;
using nnef1::Document;
using nnef1::Graph;

constexpr absl::string_view kQuantizationLine = "\n#quant\n";
// Larger tensors are not lowered: what a program computes at compile time is of their size.
constexpr int64_t kMostElements = 1 << 16;
constexpr int64_t kMostInflatedBytes = int64_t{16} << 20;

[[noreturn]] void Fail(absl::string_view what, absl::string_view first, absl::string_view second) {
  std::fprintf(stderr, "%.*s\n---- first:\n%.*s\n---- second:\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(first.size()), first.data(), static_cast<int>(second.size()), second.data());
  std::abort();
}

void CheckRefusal(const absl::Status& status, absl::string_view input) {
  if (status.message().empty() || !nnef1::ErrorClassOf(status).has_value()) {
    Fail("an error says nothing or has no class", input, status.ToString());
  }
}

struct Description {
  std::shared_ptr<const Document> document;
  absl::optional<Graph> graph;
};

Description Read(const std::string& text, Diagnostics* diagnostics) {
  Description read;
  const auto source = std::make_shared<const nnef1::Source>(nnef1::Source{"graph.nnef", text});
  read.document = nnef1::ParseDocument(source, diagnostics);
  if (read.document == nullptr && !diagnostics->has_errors()) Fail("there is no tree and no error", text, "");
  if (read.document == nullptr || diagnostics->has_errors()) return read;
  nnef1::CheckDocument(*read.document, diagnostics);
  if (diagnostics->has_errors()) return read;
  read.graph = nnef1::ExpandDocument(*read.document, nnef1::ExpandOptions(), diagnostics);
  if (!read.graph.has_value() && !diagnostics->has_errors()) Fail("there is no graph and no error", text, "");
  return read;
}

bool IsSmall(const Graph& graph) {
  int64_t elements = 0;
  for (const nnef1::Tensor& tensor : graph.tensors) {
    if (!tensor.extents.has_value()) continue;
    int64_t volume = 1;
    for (const int64_t extent : *tensor.extents) {
      if (extent > kMostElements || volume > kMostElements) return false;
      volume *= extent;
    }
    elements += volume;
    if (elements > 16 * kMostElements) return false;
  }
  return true;
}

void CheckLowering(const Graph& graph, const std::string& text) {
  nnef1::Model model;
  model.graph = graph;
  nnef1::LoweringOptions options;
  options.variables_are_parameters = true;
  const auto lowered = nnef1::LowerToHlo(model, options);
  if (!lowered.ok()) {
    if (lowered.status().message().empty()) Fail("an error of lowering says nothing", text, "");
    if (absl::IsInternal(lowered.status())) Fail("lowering goes wrong inside", text, lowered.status().message());
    return;
  }
  const absl::Status status = VerifyModule(*lowered->module);
  if (!status.ok()) Fail("a graph becomes HLO that is not valid", text, status.message());
}

}  // namespace

void FuzzNnef1Document(absl::string_view text) {
  const size_t end = text.find(kQuantizationLine);
  const std::string description(text.substr(0, end));
  Diagnostics diagnostics;
  const Description read = Read(description, &diagnostics);
  if (diagnostics.has_errors()) return CheckRefusal(diagnostics.ToStatus(), text);
  if (end != absl::string_view::npos) {
    const auto lines = std::make_shared<const nnef1::Source>(
        nnef1::Source{"graph.quant", std::string(text.substr(end + kQuantizationLine.size()))});
    nnef1::ParseQuantization(lines, *read.document, *read.graph, &diagnostics);
    if (diagnostics.has_errors()) return CheckRefusal(diagnostics.ToStatus(), text);
  }
  const std::string flat = nnef1::WriteFlatDocument(*read.graph);
  Diagnostics again_diagnostics;
  const Description again = Read(flat, &again_diagnostics);
  if (again_diagnostics.has_errors()) {
    Fail("a flattened document is refused", flat, again_diagnostics.ToStatus().message());
  }
  const std::string flat_again = nnef1::WriteFlatDocument(*again.graph);
  if (flat_again != flat) Fail("a flattened document comes back as another one", flat, flat_again);
  if (IsSmall(*read.graph)) CheckLowering(*read.graph, flat);
}

void FuzzNnef1Tensor(absl::string_view bytes) {
  (void)nnef1::ParseTensorHeader(bytes, static_cast<int64_t>(bytes.size()), "fuzz.dat");
  for (const auto primitive : {nnef1::Primitive::kScalar, nnef1::Primitive::kInteger, nnef1::Primitive::kLogical}) {
    int64_t consumed = 0;
    const auto tensor = nnef1::ParseTensor(bytes, primitive, nnef1::NumberTypes(), "fuzz.dat", &consumed);
    if (!tensor.ok()) {
      CheckRefusal(tensor.status(), "a tensor file");
      continue;
    }
    if (consumed < nnef1::kTensorHeaderBytes || consumed > static_cast<int64_t>(bytes.size())) {
      Fail("a tensor file takes bytes that are not there", "", "");
    }
    const auto written = nnef1::SerializeTensor(*tensor);
    if (!written.ok()) Fail("a tensor that was read cannot be written", written.status().message(), "");
    const auto again = nnef1::ParseTensor(*written, primitive, nnef1::NumberTypes(), "again.dat", &consumed);
    if (!again.ok()) Fail("a written tensor file is refused", again.status().message(), "");
    if (!tensor->BitwiseEquals(*again)) Fail("a tensor changes when it is written and read", "", "");
  }
}

namespace {

absl::StatusOr<nnef1::Model> LoadArchive(absl::string_view bytes, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef1::Container> container,
                   nnef1::OpenContainerInMemory(bytes, "fuzz.tgz", kMostInflatedBytes, resources));
  nnef1::LoadOptions options;
  options.resources = resources;
  return nnef1::LoadModel(*container, options);
}

}  // namespace

void FuzzNnef1Archive(absl::string_view bytes) {
  const InputLimits limits;
  const auto container = nnef1::OpenContainerInMemory(bytes, "fuzz.tgz", kMostInflatedBytes, limits.resources());
  if (container.ok()) {
    for (const std::string& member : (*container)->Members()) {
      if (absl::StartsWith(member, "/") || absl::StrContains(member, "../")) Fail("a name leads out", member, "");
      if (!(*container)->Has(member)) Fail("a member is listed and not there", member, "");
      (void)(*container)->ReadAll(member, kMostInflatedBytes);
    }
  }
  const absl::Status loaded = LoadArchive(bytes, limits.resources()).status();
  if (!loaded.ok()) CheckRefusal(loaded, "an archive");
  const absl::Status cancelled = LoadArchive(bytes, limits.cancelled()).status();
  if (!EndsEarlyOrAs(cancelled, loaded))
    Fail("cancelled loading ends otherwise", cancelled.ToString(), loaded.ToString());
}

}  // namespace xla
