// The kinds of programs that MakeProductProgram chooses from. Each returns nullptr for what is not its business.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAMS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAMS_H_

#include <memory>

#include "backends/cpu/library/product/product_program.h"

namespace xla {

// In which type products are computed by our own loops.
enum class ProductArithmetic { kNone, kF32, kF64, kU32, kU64, kC64, kC128 };
ProductArithmetic ArithmeticOf(const ProductTypes& types);

// m is 1 and the matrix rhs has contiguous rows or columns of floats.
std::unique_ptr<ProductProgram> MakeVectorProgram(const StridedDot& product, const ProductTypes& types);
// bf16 and 8-bit integers, where the processor has a matrix unit.
std::unique_ptr<ProductProgram> MakeMatrixUnitProgram(const StridedDot& product, const ProductTypes& types);
// Many products of small matrices of f32 or f64.
std::unique_ptr<ProductProgram> MakeSmallProgram(const StridedDot& product, const ProductTypes& types);
// Many rows of f32 or f64, of which several fit into a vector, times a matrix as small.
std::unique_ptr<ProductProgram> MakeShortRowsProgram(const StridedDot& product, const ProductTypes& types);
// Rows of f32 that are contiguous and long, times a few columns.
std::unique_ptr<ProductProgram> MakeThinProgram(const StridedDot& product, const ProductTypes& types);
// Large products of f32, bf16 and 8-bit integers.
std::unique_ptr<ProductProgram> MakeOneDnnProgram(const StridedDot& product, const ProductTypes& types,
                                                  bool rhs_is_fixed);
// All others, by loops of our own. nullptr for types that do not go together.
std::unique_ptr<ProductProgram> MakePackedProgram(const StridedDot& product, const ProductTypes& types);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAMS_H_
