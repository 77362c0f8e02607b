// PlantedRule: a pass of the table with a rule too many, for tests of what finds wrong rules.
#ifndef TESTS_AUTOPSY_PLANTED_RULE_H_
#define TESTS_AUTOPSY_PLANTED_RULE_H_

#include <string>

#include "passes/base/pass.h"
#include "xla_core/ir/opcode.h"

namespace xla {

// The name of the rule that PlantedRule adds.
inline constexpr char kPlantedRule[] = "planted-rule";

// While it lives, the pass of this name first turns every floating-point operation `from` on arrays into `to`, which
// has as many operands. At most one lives at a time, and no other thread runs passes meanwhile.
class PlantedRule {
 public:
  PlantedRule(const std::string& pass, HloOpcode from, HloOpcode to);
  ~PlantedRule();
  PlantedRule(const PlantedRule&) = delete;
  PlantedRule& operator=(const PlantedRule&) = delete;

 private:
  const Pass** row_ = nullptr;  // of the table
  const Pass* right_ = nullptr;
  Pass wrong_;
};

}  // namespace xla

#endif  // TESTS_AUTOPSY_PLANTED_RULE_H_
