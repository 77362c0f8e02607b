// What all-reduces take between processes, and what the links between these give to plain programs.
#ifndef TESTS_FAULTS_MEASURED_LINKS_H_
#define TESTS_FAULTS_MEASURED_LINKS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tests/faults/network.h"

namespace xla {

struct MeasuredAllReduce {
  double seconds = 0;        // of the quickest series; those of rank 0
  double small_seconds = 0;  // of a few bytes: what a message takes
  double sum_bandwidth = 0;  // bytes per second that adding up reads and writes, while all processes do
};

// By Halo's transport, of `bytes` of f32 in each of `processes`: on hosts of the network, or on this one if that is
// nullptr. To be used by a process with one thread. Unavailable, with what a process said, if one fails.
absl::StatusOr<MeasuredAllReduce> MeasureAllReduce(int processes, int64_t bytes, const Network* network);

// Bytes per second that all processes together send to their neighbors in a ring over the loopback, by sockets alone,
// when each sends an array of `bytes` at a time; the quickest of some.
absl::StatusOr<double> MeasureLoopback(int processes, int64_t bytes);

}  // namespace xla

#endif  // TESTS_FAULTS_MEASURED_LINKS_H_
