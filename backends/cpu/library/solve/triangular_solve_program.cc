// triangular-solve: every case as l * x = b with lower triangular l, whose conjugate transpose is in panels. A system
// on the right is transposed, which turns op(a) around once more; rows of an upper one are taken from the last to the
// first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/library/solve/linear_system_programs.h"
#include "backends/cpu/library/solve/matrix_panels.h"
#include "backends/cpu/library/solve/upper_panels.h"

namespace xla {
namespace {

// Panels of x that are solved together, if there are enough of them for several threads.
constexpr int64_t kMostPanelsOfGroup = 4;
constexpr int64_t kLeastGroups = 4;

// (real, imaginary) = 1 / (real, imaginary); of zero, as a real zero has it.
template <typename T>
void InvertComplex(T* number) {
  const T real = number[0], imaginary = number[1];
  if (imaginary == 0) {
    number[0] = 1 / real;
    return;
  }
  if (std::abs(real) >= std::abs(imaginary)) {
    const T ratio = imaginary / real;
    const T size = real + imaginary * ratio;
    number[0] = 1 / size;
    number[1] = -ratio / size;
  } else {
    const T ratio = real / imaginary;
    const T size = real * ratio + imaginary;
    number[0] = ratio / size;
    number[1] = -1 / size;
  }
}

template <typename T>
class TriangularSolveProgram : public StepwiseProgram {
 public:
  TriangularSolveProgram(const LinearSystem& system, const TriangularSolveAttributes& attributes,
                         const SolveKernels<T>& kernels)
      : system_(system),
        is_left_(attributes.left_side),
        is_transposed_((attributes.transpose_a != TransposeA::kNoTranspose) == attributes.left_side),
        is_conjugated_(attributes.transpose_a == TransposeA::kAdjoint),
        is_lower_(attributes.lower != is_transposed_),
        has_unit_diagonal_(attributes.unit_diagonal),
        kernels_(kernels),
        panels_(system.n, IsComplex(system.type)),
        x_panels_((system.m + kPanelWidth - 1) / kPanelWidth),
        group_panels_(std::max<int64_t>(1, std::min(kMostPanelsOfGroup, x_panels_ / kLeastGroups))),
        groups_((x_panels_ + group_panels_ - 1) / group_panels_),
        x_size_(panels_.padded_rows() * panels_.pitch()) {
    const int64_t bytes = panels_.Size() * static_cast<int64_t>(sizeof(T));
    scratch_bytes_ = group_panels_ * x_size_ * static_cast<int64_t>(sizeof(T));
    if (IsByMatrix(system)) {
      scratch_bytes_ += bytes;
    } else {
      workspace_bytes_ = bytes * system.count;
    }
  }

  void Run(absl::Span<const void* const> operands, void* result, void* workspace, TileRunner run_tiles) const override {
    const void* const a = operands[0];
    const void* const b = operands[1];
    if (IsByMatrix(system_)) return RunByMatrix(a, b, result, run_tiles);
    T* const memory = static_cast<T*>(workspace);
    run_tiles(panels_.count() * system_.count, [&](int64_t tile, void*) {
      const int64_t matrix = tile / panels_.count();
      Load(a, matrix, tile % panels_.count(), memory + matrix * panels_.Size());
    });
    run_tiles(groups_ * system_.count, [&](int64_t tile, void* scratch) {
      const int64_t matrix = tile / groups_;
      Solve(memory + matrix * panels_.Size(), b, matrix, tile % groups_, static_cast<T*>(scratch), result);
    });
  }

 private:
  void RunByMatrix(const void* a, const void* b, void* result, TileRunner run_tiles) const {
    const int64_t per_tile = MatricesPerTile(system_);
    run_tiles((system_.count + per_tile - 1) / per_tile, [&](int64_t tile, void* scratch) {
      T* const panels = static_cast<T*>(scratch);
      T* const x = panels + panels_.Size();
      const int64_t end = std::min(system_.count, (tile + 1) * per_tile);
      for (int64_t matrix = tile * per_tile; matrix < end; ++matrix) {
        for (int64_t panel = 0; panel < panels_.count(); ++panel) Load(a, matrix, panel, panels);
        for (int64_t group = 0; group < groups_; ++group) Solve(panels, b, matrix, group, x, result);
      }
    });
  }

  void Load(const void* a, int64_t matrix, int64_t number, T* panels) const {
    const int64_t n = system_.n;
    PanelMatrix place = {matrix * n * n, is_transposed_ ? n : 1, is_transposed_ ? 1 : n, !is_conjugated_};
    if (!is_lower_) place = {place.first + n * n - 1, -place.k_step, -place.c_step, place.is_conjugated};
    T* const panel = panels + panels_.PanelOffset(number);
    const int64_t column = panels_.FirstColumn(number);
    const int columns = panels_.Columns(number);
    LoadPanel(system_.type, a, place, column + columns, column, columns, panel);
    ZeroPadding(panels_.parts(), column + columns, panels_.Rows(number), columns, panel);
    LoadInverse(panel + column * panels_.pitch(), columns, panels_.BlockRows(number),
                panels + panels_.InverseOffset(number));
  }

  // block: the one on the diagonal.
  void LoadInverse(const T* block, int columns, int rows, T* inverse) const {
    const int parts = panels_.parts();
    for (int i = 0; i < rows; ++i) {
      T* const number = inverse + i * parts;
      const T* const diagonal = block + i * panels_.pitch() + i;
      const bool is_one = has_unit_diagonal_ || i >= columns;
      number[0] = is_one ? T(1) : diagonal[0];
      if (parts == 1) {
        number[0] = 1 / number[0];
      } else {
        number[1] = is_one ? T(0) : -diagonal[kPanelWidth];
        InvertComplex(number);
      }
    }
  }

  // Panels of x that are solved together. panels: the matrix.
  void Solve(const T* panels, const void* b, int64_t matrix, int64_t group, T* x, void* result) const {
    const int64_t first = group * group_panels_;
    const int64_t end = std::min(x_panels_, first + group_panels_);
    ForEachPiece(matrix, first, end, x,
                 [&](const PanelMatrix& place, int64_t rows, int64_t column, int columns, T* to) {
                   LoadPanel(system_.type, b, place, rows, column, columns, to);
                 });
    for (int64_t panel = first; panel < end; ++panel) {
      ZeroPadding(panels_.parts(), system_.n, panels_.padded_rows(), ColumnsOf(panel), x + (panel - first) * x_size_);
    }
    PanelBlock<T> work;
    for (int64_t block = 0; block < panels_.count(); ++block) {
      work.u = panels + panels_.PanelOffset(block);
      work.inverse = panels + panels_.InverseOffset(block);
      work.first = panels_.FirstColumn(block);
      work.rows = panels_.BlockRows(block);
      for (int64_t panel = first; panel < end; ++panel) {
        work.x = x + (panel - first) * x_size_;
        work.columns = ColumnsOf(panel);
        (panels_.parts() == 2 ? kernels_.solve_complex : kernels_.solve)(work);
      }
    }
    ForEachPiece(matrix, first, end, x,
                 [&](const PanelMatrix& place, int64_t rows, int64_t column, int columns, const T* from) {
                   StorePanel(system_.type, from, place, rows, column, columns, result);
                 });
  }

  int ColumnsOf(int64_t panel) const {
    return static_cast<int>(std::min<int64_t>(kPanelWidth, system_.m - panel * kPanelWidth));
  }

  // Calls fn(place, rows, column, columns, piece) for pieces of panels of x, those with the same rows together, because
  // these are near to each other in the array.
  template <typename Fn>
  void ForEachPiece(int64_t matrix, int64_t first, int64_t end, T* x, Fn fn) const {
    constexpr int64_t kRows = 64;
    const int64_t n = system_.n, m = system_.m;
    PanelMatrix place = {matrix * n * m, is_left_ ? m : 1, is_left_ ? 1 : n, false};
    if (!is_lower_) place = {place.first + (n - 1) * place.k_step, -place.k_step, place.c_step, false};
    for (int64_t row = 0; row < n; row += kRows) {
      const int64_t rows = std::min(kRows, n - row);
      for (int64_t panel = first; panel < end; ++panel) {
        T* const piece = x + (panel - first) * x_size_ + row * panels_.pitch();
        fn(place, rows, panel * kPanelWidth, ColumnsOf(panel), piece);
      }
      place.first += rows * place.k_step;
    }
  }

  const LinearSystem system_;
  const bool is_left_;
  const bool is_transposed_;  // as the matrix multiplies from the left
  const bool is_conjugated_;
  const bool is_lower_;  // after transposition
  const bool has_unit_diagonal_;
  const SolveKernels<T> kernels_;
  const UpperPanels panels_;
  const int64_t x_panels_;
  const int64_t group_panels_;
  const int64_t groups_;
  const int64_t x_size_;  // numbers of a panel of x
};

}  // namespace

template <typename T>
std::unique_ptr<StepwiseProgram> MakeTriangularSolveProgram(const LinearSystem& system,
                                                            const TriangularSolveAttributes& attributes,
                                                            const SolveKernels<T>& kernels) {
  return std::make_unique<TriangularSolveProgram<T>>(system, attributes, kernels);
}

template std::unique_ptr<StepwiseProgram> MakeTriangularSolveProgram(const LinearSystem&,
                                                                     const TriangularSolveAttributes&,
                                                                     const SolveKernels<float>&);
template std::unique_ptr<StepwiseProgram> MakeTriangularSolveProgram(const LinearSystem&,
                                                                     const TriangularSolveAttributes&,
                                                                     const SolveKernels<double>&);

}  // namespace xla
