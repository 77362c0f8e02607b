// Runs one op case.
#ifndef XLA_CORE_TESTING_RUN_OP_CASE_H_
#define XLA_CORE_TESTING_RUN_OP_CASE_H_

#include <string>

#include "xla_core/testing/case_program.h"
#include "xla_core/testing/op_case.h"

namespace xla {

// Whether parser, verifier and evaluator refuse the module, warn of it and compute what the case says; whether or not
// the operations own their operands, and for any number of threads.
CaseOutcome RunOpCase(const OpCase& op_case, const std::string& file);

}  // namespace xla

#endif  // XLA_CORE_TESTING_RUN_OP_CASE_H_
