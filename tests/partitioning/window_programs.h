// Random programs that read arrays through windows.
#ifndef TESTS_PARTITIONING_WINDOW_PROGRAMS_H_
#define TESTS_PARTITIONING_WINDOW_PROGRAMS_H_

#include <cstdint>
#include <string>

namespace xla {

// A chain of convolutions (with strides, dilations and reversal; some are gradients of kernels), reduce-windows (some
// of two arrays, some with functions that have no neutral element), select-and-scatters, cumulative sums, pads, slices,
// concatenations, reverses, gathers, slices and updates at run time, argmaxes and random bits over arrays of rank 4;
// its result is the tuple of all of them. Numbers are whole and small, some of those of kernels infinite, so that
// results are exact. The same for the same seed.
std::string RandomWindowProgram(uint64_t seed);

}  // namespace xla

#endif  // TESTS_PARTITIONING_WINDOW_PROGRAMS_H_
