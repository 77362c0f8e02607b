// What a chain of reshapes and transposes does, whatever it is made of.
//
// Sizes are cut into atoms, the smallest factors that the chain keeps together: in
//   b = f32[8,3] reshape(a f32[2,4,3])   c = f32[3,8] transpose(b)   d = f32[3,2,4] reshape(c)
// they are 2, 4 and 3, which stand as {2, 4, 3} in a and as {3, 2, 4} in d. Dimensions of size 1 have no atoms, and
// atoms that stay side by side count as one, so the chain is: swap 8 with 3. From that the shortest chain that does the
// same is made: nothing, a reshape, a transpose, two of them, or reshape, transpose, reshape.
#ifndef PASSES_ALGEBRA_DIMENSION_ATOMS_H_
#define PASSES_ALGEBRA_DIMENSION_ATOMS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/types/shape.h"

namespace xla {

// One step of a chain.
struct MovementStep {
  enum class Kind { kReshape, kTranspose } kind;
  DimensionVector dimensions;  // the sizes of the result, or the permutation
};

// Begins as an array of the given sizes and follows a chain of reshapes and transposes, step by step; ShortestChain
// is then a chain from the first array to the last. Layouts are ignored.
class DimensionAtoms {
 public:
  // An array of these sizes, all of them positive.
  explicit DimensionAtoms(absl::Span<const int64_t> sizes);

  void Transpose(absl::Span<const int64_t> permutation);
  // False if the atoms do not fit the sizes: [2,3] transposed has no form that a reshape to [2,3] could keep apart.
  // The object is useless then.
  bool Reshape(absl::Span<const int64_t> sizes);

  // The shortest chain that does the same.
  std::vector<MovementStep> ShortestChain() const;

 private:
  using Atoms = std::vector<int>;  // numbers of atoms

  void Split(int atom, int64_t first_size);
  DimensionVector CurrentSizes() const;
  Atoms Flat() const;
  // The places of atoms in the source.
  std::vector<int> SourcePlaces() const;

  DimensionVector source_sizes_;
  std::vector<int64_t> atom_sizes_;
  std::vector<Atoms> source_;   // by dimension of the source
  std::vector<Atoms> current_;  // by dimension of the array that the chain has come to
};

// Applies the steps to x.
HloInstruction* ApplySteps(absl::Span<const MovementStep> steps, HloInstruction* x, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_ALGEBRA_DIMENSION_ATOMS_H_
