// ModulesStructurallyEqual: whether two modules are the same program, whatever their instructions are called.
#ifndef XLA_CORE_VERIFIER_COMPARE_MODULES_H_
#define XLA_CORE_VERIFIER_COMPARE_MODULES_H_

#include <string>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// What counts as a difference beyond what ModulesStructurallyEqual always compares.
struct CompareOptions {
  // Layouts of all shapes count, a missing one as row-major. Without it only those around a bitcast do, whose meaning
  // they are, and those that attributes name.
  bool layouts = false;
};

// True if what the two verified modules do is written with the same instructions: the graphs that can be reached from
// the roots of their entries are isomorphic, opcode, shape, attributes, sharding, frontend attributes, backend
// configuration, accuracy, operands, called computations and control edges included; what runs for its side effects
// alone counts too, and so do unused parameters, the numbers of devices, and which results share the buffers of
// parameters.
//
// Does not count: names, ids, metadata, origins, statistics, the order of instructions, instructions that nothing
// needs, the schedule, and whether equal computations are one computation or copies. Where several instructions that
// look alike are tied to nothing but control edges or their side effects, they are paired in their order.
//
// If false, *first_difference (may be nullptr) says in one line where the first difference from the roots is: what `a`
// has and what `b` has. Takes time in proportion to the modules' size and does not recurse over them.
bool ModulesStructurallyEqual(const HloModule& a, const HloModule& b, std::string* first_difference,
                              const CompareOptions& options = {});

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_COMPARE_MODULES_H_
