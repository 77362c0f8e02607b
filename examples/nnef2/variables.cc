#include "examples/nnef2/variables.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/data/tensor_file.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

InputSpec SpecOf(const nnef2::ComposedTensor& variable, uint64_t seed) {
  std::vector<int64_t> extents;
  int64_t inputs = 1;
  for (const nnef2::Scalar& extent : variable.shape) extents.push_back(extent.integer);
  for (size_t i = 1; i < extents.size(); ++i) inputs *= extents[i];
  InputSpec spec = DefaultInputSpec(Shape::Array(F32, extents), seed);
  const bool is_factor = absl::EndsWith(variable.name, ".variance") || absl::EndsWith(variable.name, ".scale");
  // Uniform numbers from -a to a have the variance a * a / 3.
  spec.high = is_factor ? 1.5 : extents.size() > 1 ? std::sqrt(3.0 / static_cast<double>(inputs)) : 0.1;
  spec.low = is_factor ? 0.5 : -spec.high;
  return spec;
}

}  // namespace

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> VariableFiles(const nnef2::Model& model) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const int variable : model.graph.variables) {
    const nnef2::ComposedTensor& tensor = model.graph.tensors[variable];
    ASSIGN_OR_RETURN(const Literal literal, MakeInput(SpecOf(tensor, files.size())));
    ASSIGN_OR_RETURN(std::string bytes, nnef2::SerializeTensor(literal));
    files.emplace_back(absl::StrCat(tensor.name, ".dat"), std::move(bytes));
  }
  return files;
}

}  // namespace xla
