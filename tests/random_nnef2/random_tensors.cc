#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {
namespace {

double RandomNumber(RandomSource& random, Domain domain) {
  switch (domain) {
    case Domain::kAny:
      return static_cast<double>(random.Between(-8, 8)) / 4;
    case Domain::kNonzero:
      return static_cast<double>(random.Between(1, 8) * (random.Chance(50) ? 1 : -1)) / 4;
    case Domain::kPositive:
      return static_cast<double>(random.Between(1, 12)) / 4;
    case Domain::kUnit:
      return static_cast<double>(random.Between(-3, 3)) / 4;
    case Domain::kAboveOne:
      return static_cast<double>(random.Between(5, 12)) / 4;
  }
  return 0;
}

}  // namespace

DirectTensor RandomReals(RandomSource& random, std::vector<int64_t> extents, Domain domain) {
  DirectTensor tensor{BaseType::kReal, std::move(extents), {}};
  for (int64_t i = VolumeOf(tensor.extents); i > 0; --i) tensor.elements.push_back(RandomNumber(random, domain));
  return tensor;
}

DirectTensor RandomInts(RandomSource& random, std::vector<int64_t> extents, int64_t least, int64_t greatest) {
  DirectTensor tensor{BaseType::kInt, std::move(extents), {}};
  for (int64_t i = VolumeOf(tensor.extents); i > 0; --i) {
    tensor.elements.push_back(static_cast<double>(random.Between(least, greatest)));
  }
  return tensor;
}

DirectTensor RandomBools(RandomSource& random, std::vector<int64_t> extents) {
  DirectTensor tensor{BaseType::kBool, std::move(extents), {}};
  for (int64_t i = VolumeOf(tensor.extents); i > 0; --i) tensor.elements.push_back(random.Chance(50) ? 1 : 0);
  return tensor;
}

std::string ListText(const std::vector<int64_t>& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}

std::string DeclarationOf(const DirectTensor& tensor) {
  return absl::StrCat(BaseTypeName(tensor.base), ListText(tensor.extents));
}

}  // namespace nnef2
}  // namespace xla
