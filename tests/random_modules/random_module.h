// Random programs: valid modules of all kinds of instructions, and arguments for them, from a seed.
//
// They are made to find wrong rewrites: beside uniformly drawn instructions there are the patterns that passes look for
// (x + 0, slices of concatenations, loops with invariant state ...). What may depend on the order in which a sum is
// taken never decides anything: comparisons, roundings, indices and sort keys come from values that are the same bits
// in any order. Sums are mostly of whole numbers so small that every order gives the same bits, so that even rewrites
// of dots and reductions are checked bit by bit.
#ifndef TESTS_RANDOM_MODULES_RANDOM_MODULE_H_
#define TESTS_RANDOM_MODULES_RANDOM_MODULE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

struct RandomModuleOptions {
  // Instructions of the entry computation, before those that a started pattern still adds.
  int min_instructions = 10;
  int max_instructions = 60;
  // Replicas times partitions at most.
  int64_t max_devices = 4;
  // Functions of which the op table allows an error may be computed in another way, as on another backend: nothing
  // discrete depends on them.
  bool functions_are_rounded = false;
};

struct RandomModule {
  std::unique_ptr<HloModule> module;
  // By leaf of the entry's result: true if no legal rewrite changes a bit of it (NaN aside, which is equal to NaN);
  // false if it is downstream of a sum, or of a function that may be computed in another way, and is to be compared
  // with the tolerance of its type.
  std::vector<bool> exact_leaves;
};

// A module that VerifyModule accepts and the evaluator runs without an error, on config().replica_count times
// num_partitions devices, for the arguments of RandomInputs. The same for the same seed and options on every
// machine; compilers that evaluate the arguments of a call in another order make others of a seed.
RandomModule GenerateRandomModule(uint64_t seed, const RandomModuleOptions& options = {});

// Arguments for a module of GenerateRandomModule, one list for each device. What values a parameter takes stands in its
// name (data_class.h); others take any. A third of the seeds gives ordinary numbers only, the others mix them with NaN,
// infinities, zeros of both signs, denormals and the limits of the integers.
std::vector<std::vector<Literal>> RandomInputs(const HloModule& module, uint64_t seed);

// What the module's infeeds read, one queue for each device; longer than any run needs.
std::vector<std::vector<Literal>> RandomInfeeds(const HloModule& module, uint64_t seed);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_RANDOM_MODULE_H_
