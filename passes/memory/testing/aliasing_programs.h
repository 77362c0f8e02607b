// Random programs about memory that several values want: arguments that the caller gives away, updates in place, state
// that passes through loops, branches and calls, declared aliasing, results that are arguments or other results, too.
#ifndef PASSES_MEMORY_TESTING_ALIASING_PROGRAMS_H_
#define PASSES_MEMORY_TESTING_ALIASING_PROGRAMS_H_

#include <cstdint>
#include <string>

namespace xla {

// HLO text, the same for the same seed. Arrays are of integers and of equal sizes, so that any two can have the same
// buffer; loops make few iterations; each computation is called once. The last parameter, s32[], chooses branches.
std::string AliasingProgram(uint64_t seed);

}  // namespace xla

#endif  // PASSES_MEMORY_TESTING_ALIASING_PROGRAMS_H_
