// Moves: the steps in which a random computation grows. Each adds an instruction, or a pattern of several, to a scope.
#ifndef TESTS_RANDOM_MODULES_MOVES_H_
#define TESTS_RANDOM_MODULES_MOVES_H_

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "tests/random_modules/scope.h"

namespace xla {

struct Move {
  const char* name;
  int weight;
  // Where it is made: 0 in the entry only, 1 in computations that it calls too, 2 in the bodies of fusions too.
  int reach;
  // May do nothing if it finds nothing to work on.
  void (*make)(Scope& scope);
};

absl::Span<const Move> ElementwiseMoves();
absl::Span<const Move> DataMovementMoves();
absl::Span<const Move> IndexedMoves();
absl::Span<const Move> DynamicMoves();
absl::Span<const Move> ReductionMoves();
absl::Span<const Move> LinearAlgebraMoves();
absl::Span<const Move> ControlFlowMoves();
absl::Span<const Move> OtherMoves();
absl::Span<const Move> CollectiveMoves();
absl::Span<const Move> AlgebraIdioms();
absl::Span<const Move> MovementIdioms();
absl::Span<const Move> ProductIdioms();
absl::Span<const Move> StructureIdioms();
absl::Span<const Move> LoopIdioms();
absl::Span<const Move> AliasingIdioms();
absl::Span<const Move> LibraryIdioms();
absl::Span<const Move> AttentionIdioms();
absl::Span<const Move> SolverIdioms();
absl::Span<const Move> LargeArrayIdioms();
absl::Span<const Move> LayoutIdioms();
absl::Span<const Move> FoldingIdioms();
absl::Span<const Move> OddFormMoves();

// A call of one of LAPACK's routines; one of OtherMoves.
void LapackCallMove(Scope& scope);

// A fusion of some arrays of the scope, in whose body `make` adds instructions. Its results are those without users.
void AddFusion(Scope& scope, FusionKind kind, absl::FunctionRef<void(Scope& body)> make);

// Makes random moves until the scope has that many more instructions.
void MakeMoves(Scope& scope, int64_t instructions);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_MOVES_H_
