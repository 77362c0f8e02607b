// What ComputationBuilder can do, as its header says.
#ifndef BUILDERS_COMPUTATION_BUILDER_TESTS_METHODS_OF_HEADER_H_
#define BUILDERS_COMPUTATION_BUILDER_TESTS_METHODS_OF_HEADER_H_

#include <set>
#include <string>

namespace xla {

// The public methods that return an XlaOp: "Broadcast(operand, broadcast_sizes, loc)", and their names alone.
std::set<std::string> SignaturesOfHeader();
std::set<std::string> OperationsOfHeader();

// The contents of a file, by its path in the workspace; the test fails if there is none.
std::string ReadWorkspaceFile(const std::string& path);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_TESTS_METHODS_OF_HEADER_H_
