// Which results of a random module share memory with parameters, and which parameters are given away.
#ifndef TESTS_RANDOM_MODULES_ALIASES_H_
#define TESTS_RANDOM_MODULES_ALIASES_H_

#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/random_source.h"

namespace xla {

// Pairs parts of the result with parts of parameters that have as many bytes, some of which must share memory and some
// of which may; other parameters become buffer donors by chance. The module has its entry.
void ChooseAliases(RandomSource& random, HloModule& module);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_ALIASES_H_
