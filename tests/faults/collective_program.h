// Random programs in which devices meet again and again, so that a fault strikes while they do.
#ifndef TESTS_FAULTS_COLLECTIVE_PROGRAM_H_
#define TESTS_FAULTS_COLLECTIVE_PROGRAM_H_

#include <cstdint>
#include <string>

#include "xla_core/support/random_source.h"

namespace xla {

struct CollectiveProgram {
  int devices = 2;
  bool are_partitions = false;  // else replicas
  int64_t elements = 8;         // of the array that they exchange, rounded up to a multiple of the devices
  int64_t trips = 100;          // of the loop
  int extra_trip = -1;          // the device that goes round once more than the others
};

// HLO text. The result is the same bits on every backend: a sum of products is all that is computed besides
// collectives.
std::string MakeCollectiveProgram(const CollectiveProgram& program, RandomSource& random);

}  // namespace xla

#endif  // TESTS_FAULTS_COLLECTIVE_PROGRAM_H_
