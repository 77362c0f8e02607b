#include "builders/nnef2/model/input_extents.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/graph_arrays.h"
#include "builders/nnef2/symbolic/symbolic_values.h"

namespace xla {
namespace nnef2 {

InputExtents::InputExtents(const ComposedGraph& graph) : program_(graph.program), workspace_(graph.workspace) {
  for (const GraphArray& input : InputArrays(graph)) {
    names_.push_back(input.name);
    shapes_.push_back(input.shape);
    for (const Scalar& extent : shapes_.back()) has_symbols_ = has_symbols_ || extent.kind == Scalar::Kind::kSymbolic;
  }
}

absl::Status InputExtents::Check(const std::vector<std::vector<int64_t>>& extents) const {
  // Where each symbol got its value.
  struct Origin {
    size_t input;
    int64_t value;
  };
  absl::flat_hash_map<const Symbolic*, Origin> origins;
  SymbolicValues values;
  for (size_t i = 0; i < shapes_.size(); ++i) {
    for (size_t d = 0; d < shapes_[i].size(); ++d) {
      if (shapes_[i][d].kind != Scalar::Kind::kSymbolic) continue;
      const Symbolic* const symbol = shapes_[i][d].symbolic;
      if (symbol->kind != Symbolic::Kind::kSymbol) continue;
      const auto inserted = origins.emplace(symbol, Origin{i, extents[i][d]});
      const Origin& origin = inserted.first->second;
      values.Set(symbol, origin.value);
      if (origin.value == extents[i][d]) continue;
      return ClassifiedError(
          ErrorClass::kRuntimeShape,
          absl::StrCat("input '", names_[i], "': expected extent ", origin.value, " in dimension ", d, ", which is ",
                       symbol->ToString(), " of input '", names_[origin.input], "', got ", extents[i][d]));
    }
  }
  for (size_t i = 0; i < shapes_.size(); ++i) {
    for (size_t d = 0; d < shapes_[i].size(); ++d) {
      if (shapes_[i][d].kind != Scalar::Kind::kSymbolic) continue;
      const absl::optional<int64_t> expected = values.Of(shapes_[i][d].symbolic);
      if (expected == extents[i][d]) continue;
      return ClassifiedError(
          ErrorClass::kRuntimeShape,
          absl::StrCat("input '", names_[i], "': expected extent ",
                       expected.has_value() ? absl::StrCat(*expected) : shapes_[i][d].symbolic->ToString(),
                       " in dimension ", d, ", which follows from other extents, got ", extents[i][d]));
    }
  }
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
