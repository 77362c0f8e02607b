// Factors of operations that put elements elsewhere: broadcast, transpose, reshape.
#include <numeric>

#include "passes/partitioning/factor_rule.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

std::vector<int> FactorForEach(int rank, FactorRule& rule) {
  std::vector<int> factors;
  for (int k = 0; k < rank; ++k) factors.push_back(rule.AddFactor());
  return factors;
}

// Walks over the dimensions of a reshape's operand and result in groups with the same product of sizes, the smallest
// there are: f32[6,4] and f32[2,3,4] have the groups 6 = 2*3 and 4 = 4.
//
// An array of several dimensions is cut along the first of them into ranges of its elements in order, which are cut in
// the same way along the first dimension of the other side, if the number of tiles divides both sizes. In a group of
// one dimension on each side it may be any number.
class ReshapeGroups {
 public:
  ReshapeGroups(const Shape& operand, const Shape& result)
      : operand_(operand),
        result_(result),
        rule_(),
        operand_factors_(operand.rank(), FactorRule::kNone),
        result_factors_(result.rank(), FactorRule::kNone) {}

  FactorRule Rule() {
    int i = 0;
    int j = 0;
    while (SkipOnes(operand_, &i) && SkipOnes(result_, &j)) AddGroup(&i, &j);
    rule_.operands = {operand_factors_};
    rule_.results = {result_factors_};
    return rule_;
  }

 private:
  // False at the end.
  static bool SkipOnes(const Shape& shape, int* k) {
    while (*k < shape.rank() && shape.dimension(*k) == 1) ++*k;
    return *k < shape.rank();
  }

  void AddGroup(int* i, int* j) {
    const int64_t first_of_operand = operand_.dimension(*i);
    const int64_t first_of_result = result_.dimension(*j);
    FactorRule::Factor factor;
    if (first_of_operand != first_of_result) {
      factor.multiple_of_tiles = std::gcd(first_of_operand, first_of_result);
    }
    operand_factors_[*i] = result_factors_[*j] = rule_.AddFactor(factor);
    int64_t operand_product = operand_.dimension((*i)++);
    int64_t result_product = result_.dimension((*j)++);
    while (operand_product != result_product) {
      if (operand_product < result_product) {
        operand_product *= operand_.dimension((*i)++);
      } else {
        result_product *= result_.dimension((*j)++);
      }
      // More than one dimension: only tiles without padding are ranges of elements.
      if (factor.multiple_of_tiles == 0) {
        factor.multiple_of_tiles = first_of_operand;
        rule_.factors.back() = factor;
      }
    }
  }

  const Shape& operand_;
  const Shape& result_;
  FactorRule rule_;
  std::vector<int> operand_factors_;
  std::vector<int> result_factors_;
};

}  // namespace

absl::optional<FactorRule> BroadcastFactors(const HloInstruction& instruction) {
  FactorRule rule;
  const std::vector<int> factors = FactorForEach(instruction.shape().rank(), rule);
  const Shape& operand = instruction.operand(0)->shape();
  rule.operands.emplace_back(operand.rank(), FactorRule::kNone);
  const DimensionVector& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
  for (int k = 0; k < operand.rank(); ++k) {
    if (operand.dimension(k) == instruction.shape().dimension(static_cast<int>(dimensions[k]))) {
      rule.operands[0][k] = factors[dimensions[k]];
    }
  }
  rule.results = {factors};
  return rule;
}

absl::optional<FactorRule> TransposeFactors(const HloInstruction& instruction) {
  FactorRule rule;
  const std::vector<int> factors = FactorForEach(instruction.shape().rank(), rule);
  rule.operands = {factors};
  const DimensionVector& dimensions = instruction.attributes<DimensionsAttributes>().dimensions;
  for (size_t k = 0; k < factors.size(); ++k) rule.operands[0][dimensions[k]] = factors[k];
  rule.results = {factors};
  return rule;
}

absl::optional<FactorRule> ReshapeFactors(const HloInstruction& instruction) {
  if (instruction.shape().ElementCount() == 0) return absl::nullopt;
  return ReshapeGroups(instruction.operand(0)->shape(), instruction.shape()).Rule();
}

}  // namespace xla
