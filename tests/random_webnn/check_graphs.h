// What is tried with random calls of a builder of WebNN graphs.
#ifndef TESTS_RANDOM_WEBNN_CHECK_GRAPHS_H_
#define TESTS_RANDOM_WEBNN_CHECK_GRAPHS_H_

#include <cstdint>
#include <string>

namespace xla {

// Makes a sequence of calls, some of which do not fit. Those that do must be accepted, others may be refused, with a
// kind of error and a rule. The graph of the results must come back from its JSON form, and become a verified module,
// or be refused by build with an OperationError. Returns what is wrong; "" if nothing is.
std::string CheckSequence(uint64_t seed);

// Makes a graph of fitting calls and runs it on the interpreter and on `backend`: the results must be within the
// tolerance of their types. Returns what is wrong, with the graph; "" if nothing is.
std::string CheckGraph(uint64_t seed, const std::string& backend);

}  // namespace xla

#endif  // TESTS_RANDOM_WEBNN_CHECK_GRAPHS_H_
