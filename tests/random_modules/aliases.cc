#include "tests/random_modules/aliases.h"

#include <utility>
#include <vector>

#include "absl/types/optional.h"

namespace xla {
namespace {

// An array in a parameter or, with number -1, in the result.
struct Part {
  int64_t parameter = -1;
  ShapeIndex index;
  int64_t bytes = 0;
};

void AddParts(const Shape& shape, int64_t parameter, const ShapeIndex& index, std::vector<Part>* parts) {
  if (shape.IsArray() && !shape.IsDynamic()) parts->push_back({parameter, index, shape.ByteSize()});
  for (int i = 0; i < (shape.IsTuple() ? shape.tuple_size() : 0); ++i) {
    ShapeIndex inner = index;
    inner.push_back(i);
    AddParts(shape.tuple_shape(i), parameter, inner, parts);
  }
}

// One of as many bytes, which is removed from `parts`.
absl::optional<Part> TakePart(RandomSource& random, int64_t bytes, std::vector<Part>* parts) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < parts->size(); ++i) {
    if ((*parts)[i].bytes == bytes) fitting.push_back(i);
  }
  if (fitting.empty()) return absl::nullopt;
  const size_t chosen = random.Pick(fitting);
  Part part = (*parts)[chosen];
  parts->erase(parts->begin() + static_cast<int64_t>(chosen));
  return part;
}

}  // namespace

void ChooseAliases(RandomSource& random, HloModule& module) {
  std::vector<Part> results, free;
  AddParts(module.entry()->root()->shape(), -1, {}, &results);
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    AddParts(parameter->shape(), parameter->attributes<ParameterAttributes>().number, {}, &free);
  }
  const int must_alias = random.Pick(std::vector<int>{0, 50, 100});
  for (const Part& result : results) {
    if (!random.Chance(60)) continue;
    const absl::optional<Part> part = TakePart(random, result.bytes, &free);
    if (!part.has_value()) continue;
    module.mutable_config().input_output_alias.push_back(
        {result.index, part->parameter, part->index, random.Chance(must_alias)});
  }
  for (const Part& part : free) {
    if (random.Chance(25)) module.mutable_config().buffer_donors.push_back({part.parameter, part.index});
  }
}

}  // namespace xla
