// What elementwise.def says of each operation, as data.
#ifndef XLA_CORE_OPS_ELEMENTWISE_TABLE_H_
#define XLA_CORE_OPS_ELEMENTWISE_TABLE_H_

#include <string>

#include "xla_core/ir/opcode.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Sets of element types.
namespace element_class {
// Bits that are joined with |; PrimitiveType has the types, each of which belongs to one class.
enum ElementClass : unsigned {
  kPred = 1,
  kSigned = 2,
  kUnsigned = 4,
  kNarrowFloat = 8,
  kWideFloat = 16,  // f32, f64
  kComplex = 32,
  kInt = kSigned | kUnsigned,
  kFloat = kNarrowFloat | kWideFloat,
  kAny = kPred | kInt | kFloat | kComplex,
};
}  // namespace element_class

// The one class that `type` belongs to; 0 for types without elements.
unsigned ElementClassOf(PrimitiveType type);
// "signed integer, floating or complex"; `classes` must not be empty.
std::string DescribeElementClasses(unsigned classes);

// The type of the result: that of the operands; of a complex type the type of its parts; pred; or the complex type
// whose parts have the operands' type.
enum class ElementwiseResult { kSame, kComponent, kPredicate, kComplexOf };
// What f32 is computed in. kDouble: in f64, rounded once at the end.
enum class ElementwiseArithmetic { kSingle, kDouble };

// A row of elementwise.def without its value, which is code (elementwise_expansion.h).
struct ElementwiseRow {
  HloOpcode opcode;
  int arity;
  unsigned classes;  // element types of the operands
  ElementwiseResult result;
  ElementwiseArithmetic arithmetic;
  // How far a backend's result may be from the interpreter's, in units in the last place; complex results by modulus.
  int max_ulp;
};

// The row of elementwise.def; nullptr for opcodes that have none.
const ElementwiseRow* FindElementwiseRow(HloOpcode opcode);

// True for every opcode whose result element depends only on the operands' elements at the same index (or on a scalar
// operand): the rows of elementwise.def, and what needs more than element types and attributes to tell its value, such
// as compare and convert.
bool IsElementwise(HloOpcode opcode);
// True for the rows that f32 computes in double, which cost many times an addition.
bool IsMathFunction(HloOpcode opcode);

// Type of the result for operands of an admitted type.
PrimitiveType ElementwiseResultType(const ElementwiseRow& row, PrimitiveType operand_type);

}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENTWISE_TABLE_H_
