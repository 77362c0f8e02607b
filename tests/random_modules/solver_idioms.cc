// Systems of equations and Fourier transforms of the sizes at which the library goes other ways: many small matrices at
// once, several panels of large ones; lengths that are primes, powers, or too long for one thread.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/random_modules/moves.h"

namespace xla {
namespace {

struct Systems {
  PrimitiveType type;
  int64_t count;  // of matrices
  int64_t n;
};

// Either many matrices in the lanes of vectors, or few of several panels.
Systems ChooseSystems(RandomSource& random) {
  static constexpr int64_t kCounts[] = {7, 8, 9, 16, 17, 64, 65, 70, 130};
  static constexpr int64_t kSmall[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17};
  static constexpr int64_t kLarge[] = {31, 32, 33, 47, 64, 65, 70};
  static constexpr PrimitiveType kTypes[] = {F32, F32, F64, F64, C64, C128};
  Systems systems = {random.Pick(kTypes), 1, 1};
  if (random.Chance(60)) {
    systems.count = random.Pick(kCounts);
    systems.n = random.Pick(kSmall);
    while (systems.count * systems.n * systems.n * systems.n > 60'000) systems.n = (systems.n + 1) / 2;
  } else {
    systems.count = random.Between(1, 2);
    systems.n = random.Pick(kLarge);
  }
  return systems;
}

// Matrices whose diagonals dominate. Other moves may not use them: their facts are those of small ones.
Value Matrices(Scope& scope, const Systems& systems) {
  const DimensionVector sizes = systems.count == 1 ? DimensionVector{systems.n, systems.n}
                                                   : DimensionVector{systems.count, systems.n, systems.n};
  const Value matrices = scope.Fresh(ArrayShape(systems.type, sizes), DataClass::kDefinite);
  scope.Forget(matrices);
  return matrices;
}

void CholeskyOfSystemsIdiom(Scope& scope) {
  if (scope.depth() > 0) return;
  Value a = Matrices(scope, ChooseSystems(scope.random()));
  // Of such there is no factorisation.
  if (scope.random().Chance(15)) {
    a = scope.Unary(HloOpcode::kNegate, a);
    scope.Forget(a);
  }
  scope.Add(HloOpcode::kCholesky, {a}, Facts::Rounded(),
            {MakeAttributes<CholeskyAttributes>([&](auto& c) { c.lower = scope.random().Chance(60); })});
}

void SolveSystemsIdiom(Scope& scope) {
  if (scope.depth() > 0) return;
  RandomSource& random = scope.random();
  const Systems systems = ChooseSystems(random);
  Value a = Matrices(scope, systems);
  // Diagonals with larger imaginary parts than real ones.
  if (IsComplex(a.type()) && random.Chance(50)) {
    const Value definite = scope.Unary(HloOpcode::kReal, a);
    a = scope.Add(HloOpcode::kComplex, {scope.Unary(HloOpcode::kImag, a), definite}, Facts::Exact());
    scope.Forget(definite);
    scope.Forget(a);
  }
  static constexpr int64_t kColumns[] = {1, 1, 2, 3, 5, 16, 17, 33, 70};
  int64_t columns = random.Pick(kColumns);
  while (systems.count * systems.n * systems.n * columns > 250'000) columns = (columns + 1) / 2;
  const bool left = random.Chance(50);
  DimensionVector sizes = ToVector(a.dimensions());
  sizes[sizes.size() - (left ? 1 : 2)] = columns;
  const Value b = scope.Fresh(ArrayShape(systems.type, sizes), DataClass::kSmall);
  const bool unit = systems.n <= 3 && random.Chance(50);
  scope.Add(HloOpcode::kTriangularSolve, {a, b}, Facts::Rounded(),
            {MakeAttributes<TriangularSolveAttributes>([&](auto& t) {
              static constexpr TransposeA kTransposes[] = {TransposeA::kNoTranspose, TransposeA::kTranspose,
                                                           TransposeA::kAdjoint};
              t.left_side = left;
              t.lower = random.Chance(50);
              t.unit_diagonal = unit;
              t.transpose_a = random.Pick(kTransposes);
            })});
}

// ---- Fourier transforms

constexpr FftType kFftTypes[] = {FftType::kFft, FftType::kIfft, FftType::kRfft, FftType::kIrfft};

void AddFft(Scope& scope, FftType kind, DimensionVector sizes, int64_t transformed) {
  const bool wide = scope.random().Chance(30);
  FftAttributes attributes;
  attributes.fft_type = kind;
  attributes.fft_length.assign(sizes.end() - transformed, sizes.end());
  if (kind == FftType::kIrfft) sizes.back() = sizes.back() / 2 + 1;
  const PrimitiveType type = kind == FftType::kRfft ? (wide ? F64 : F32) : (wide ? C128 : C64);
  const Value line = scope.Fresh(ArrayShape(type, sizes), DataClass::kSmall);
  const Value result =
      scope.Add(HloOpcode::kFft, {line}, Facts::Rounded(), {std::make_unique<FftAttributes>(attributes)});
  if (ProductOf(sizes) < 2000) return;
  scope.Hide(line);
  scope.Hide(result);
}

// Products of small factors, and numbers that have large ones.
int64_t Length(RandomSource& random, int64_t most) {
  static constexpr int64_t kPrimes[] = {17, 19, 23, 29, 31, 37, 61, 97, 127, 251, 509, 1021};
  static constexpr int64_t kFactors[] = {2, 2, 2, 3, 4, 5, 7, 8, 11, 13};
  if (random.Chance(25)) {
    const int64_t prime = random.Pick(kPrimes);
    if (prime <= most) return random.Chance(70) ? prime : prime * (most / prime >= 2 ? 2 : 1);
  }
  int64_t length = 1;
  for (int i = 0; i < 6; ++i) {
    const int64_t factor = random.Pick(kFactors);
    if (length * factor <= most) length *= factor;
  }
  return length;
}

void FftOfLengthIdiom(Scope& scope) {
  if (scope.depth() > 0) return;
  RandomSource& random = scope.random();
  const int64_t transformed = random.Between(1, 3);
  int64_t most = 3000;
  DimensionVector sizes;
  for (int64_t i = 0; i < transformed; ++i) {
    sizes.push_back(Length(random, i + 1 < transformed ? 64 : most));
    most = most / sizes.back() + 1;
  }
  if (random.Chance(60)) sizes.insert(sizes.begin(), random.Between(1, std::max<int64_t>(1, std::min<int64_t>(20, most))));
  AddFft(scope, random.Pick(kFftTypes), sizes, transformed);
}

// Lines that several threads share.
void FftOfLongLinesIdiom(Scope& scope) {
  if (scope.depth() > 0 || !scope.random().Chance(30)) return;
  static constexpr int64_t kLengths[] = {16384, 40960, 65536, 66000, 40009, 80018};
  RandomSource& random = scope.random();
  FftType kind = random.Pick(kFftTypes);
  const int64_t length = random.Pick(kLengths);
  const bool real = kind == FftType::kRfft || kind == FftType::kIrfft;
  DimensionVector sizes = {real && random.Chance(70) ? 2 * length : length};
  if (random.Chance(30)) sizes.insert(sizes.begin(), 2);
  AddFft(scope, kind, sizes, 1);
}

}  // namespace

absl::Span<const Move> SolverIdioms() {
  static constexpr Move kMoves[] = {
      {"cholesky of systems", 2, 0, &CholeskyOfSystemsIdiom},
      {"solve systems", 3, 0, &SolveSystemsIdiom},
      {"fft of any length", 3, 0, &FftOfLengthIdiom},
      {"fft of long lines", 1, 0, &FftOfLongLinesIdiom},
  };
  return kMoves;
}

}  // namespace xla
