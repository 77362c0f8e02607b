// What statements become, for the tests of this folder.
#ifndef BUILDERS_NNEF2_RECOGNITION_TEST_SUPPORT_H_
#define BUILDERS_NNEF2_RECOGNITION_TEST_SUPPORT_H_

#include <string>

#include "xla_core/types/primitive_type.h"

namespace xla {
namespace nnef2 {

// The opcodes of the instructions that an operator of these inputs, outputs and statements becomes, apart from
// parameters, constants and the tuple of results: "slice reverse"; or the errors. The inputs and outputs of the graph
// are the same, if none are given: "x: real[4]; k: int[3];".
std::string OpcodesOf(const std::string& inputs, const std::string& outputs, const std::string& statements,
                      const std::string& graph_inputs = "", const std::string& graph_outputs = "",
                      PrimitiveType real_type = F32);

inline bool Has(const std::string& opcodes, const std::string& opcode) {
  return opcodes.find(opcode) != std::string::npos;
}

// How many statements the last call of OpcodesOf has recognised.
extern int num_recognised;

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_TEST_SUPPORT_H_
