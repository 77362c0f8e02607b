// cholesky: the upper factor u, conj(u)^T * u = a, panel by panel. The lower one is its conjugate transpose.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/cpu/library/solve/linear_system_programs.h"
#include "backends/cpu/library/solve/matrix_panels.h"
#include "backends/cpu/library/solve/upper_panels.h"

namespace xla {
namespace {

template <typename T>
class CholeskyProgram : public StepwiseProgram {
 public:
  CholeskyProgram(const LinearSystem& system, bool lower, const SolveKernels<T>& kernels)
      : system_(system), lower_(lower), kernels_(kernels), panels_(system.n, IsComplex(system.type)) {
    const int64_t bytes = panels_.Size() * static_cast<int64_t>(sizeof(T));
    if (IsByMatrix(system)) {
      scratch_bytes_ = bytes;
    } else {
      workspace_bytes_ = bytes * system.count;
    }
  }

  void Run(absl::Span<const void* const> operands, void* result, void* workspace, TileRunner run_tiles) const override {
    const void* const a = operands[0];
    if (IsByMatrix(system_)) return RunByMatrix(a, result, run_tiles);
    // Tiles are panels of all matrices, those of a panel number together.
    T* const memory = static_cast<T*>(workspace);
    const auto run_panels = [&](int64_t first,
                                absl::FunctionRef<void(int64_t matrix, int64_t panel, T * panels)> body) {
      run_tiles((panels_.count() - first) * system_.count, [&](int64_t tile, void*) {
        const int64_t matrix = tile % system_.count;
        body(matrix, first + tile / system_.count, memory + matrix * panels_.Size());
      });
    };
    run_panels(0, [&](int64_t matrix, int64_t panel, T* panels) { Load(a, matrix, panel, panels); });
    for (int64_t block = 0; block + 1 < panels_.count(); ++block) {
      run_panels(block + 1, [&](int64_t, int64_t panel, T* panels) { Solve(block, panel, panels); });
    }
    run_panels(0, [&](int64_t matrix, int64_t panel, T* panels) { Store(matrix, panel, panels, result); });
  }

 private:
  void RunByMatrix(const void* a, void* result, TileRunner run_tiles) const {
    const int64_t per_tile = MatricesPerTile(system_);
    run_tiles((system_.count + per_tile - 1) / per_tile, [&](int64_t tile, void* scratch) {
      T* const panels = static_cast<T*>(scratch);
      const int64_t end = std::min(system_.count, (tile + 1) * per_tile);
      for (int64_t matrix = tile * per_tile; matrix < end; ++matrix) {
        for (int64_t panel = 0; panel < panels_.count(); ++panel) {
          Load(a, matrix, panel, panels);
          for (int64_t block = 0; block < panel; ++block) Solve(block, panel, panels);
        }
        for (int64_t panel = 0; panel < panels_.count(); ++panel) Store(matrix, panel, panels, result);
      }
    });
  }

  // The triangle that is read and written.
  PanelMatrix Triangle(int64_t matrix) const {
    const int64_t first = matrix * system_.n * system_.n;
    return lower_ ? PanelMatrix{first, 1, system_.n, true} : PanelMatrix{first, system_.n, 1, false};
  }

  void Load(const void* a, int64_t matrix, int64_t number, T* panels) const {
    T* const panel = panels + panels_.PanelOffset(number);
    const int64_t column = panels_.FirstColumn(number);
    const int columns = panels_.Columns(number);
    LoadPanel(system_.type, a, Triangle(matrix), column + columns, column, columns, panel);
    ZeroPadding(panels_.parts(), column + columns, panels_.Rows(number), columns, panel);
    for (int64_t i = columns; i < panels_.BlockRows(number); ++i) panel[(column + i) * panels_.pitch() + i] = 1;
    if (number == 0) Factor(0, panels);
  }

  void Factor(int64_t number, T* panels) const {
    const auto factor = panels_.parts() == 2 ? kernels_.factor_complex : kernels_.factor;
    panels[panels_.GoodOffset(number)] = factor(panels + panels_.PanelOffset(number), panels_.FirstColumn(number),
                                                panels_.BlockRows(number), panels + panels_.InverseOffset(number));
  }

  // Solves the rows of a panel that are beside the block on the diagonal of another; factors it when they were the
  // last.
  void Solve(int64_t block, int64_t number, T* panels) const {
    PanelBlock<T> work;
    work.u = panels + panels_.PanelOffset(block);
    work.inverse = panels + panels_.InverseOffset(block);
    work.x = panels + panels_.PanelOffset(number);
    work.first = panels_.FirstColumn(block);
    work.rows = kPanelWidth;
    work.columns = panels_.Columns(number);
    (panels_.parts() == 2 ? kernels_.solve_complex : kernels_.solve)(work);
    if (number == block + 1) Factor(number, panels);
  }

  void Store(int64_t matrix, int64_t number, T* panels, void* result) const {
    T* const panel = panels + panels_.PanelOffset(number);
    const T* const good = panels + panels_.GoodOffset(0);
    if (std::count(good, good + panels_.count(), T(1)) != panels_.count()) {
      return StoreNan(matrix, number, panel, result);
    }
    const int64_t column = panels_.FirstColumn(number);
    const int columns = panels_.Columns(number);
    for (int64_t row = 0; row < columns * panels_.parts(); ++row) {
      std::fill_n(panel + column * panels_.pitch() + row * kPanelWidth, row / panels_.parts(), T());
    }
    StorePanel(system_.type, panel, Triangle(matrix), column + columns, column, columns, result);
    StoreZeros(matrix, column, columns, result);
  }

  // The rows below the panel, which are those of the other triangle.
  void StoreZeros(int64_t matrix, int64_t column, int columns, void* result) const {
    const int64_t width = ByteWidth(system_.type);
    const int64_t done = column + columns;
    char* const target = static_cast<char*>(result) + matrix * system_.n * system_.n * width;
    if (lower_) {
      for (int64_t i = column; i < done; ++i) {
        std::memset(target + (i * system_.n + done) * width, 0, (system_.n - done) * width);
      }
    } else {
      for (int64_t i = done; i < system_.n; ++i) {
        std::memset(target + (i * system_.n + column) * width, 0, columns * width);
      }
    }
  }

  void StoreNan(int64_t matrix, int64_t number, T* panel, void* result) const {
    const int64_t rows = panels_.Rows(number);
    std::fill_n(panel, rows * panels_.pitch(), std::numeric_limits<T>::quiet_NaN());
    PanelMatrix place = Triangle(matrix);
    for (int64_t row = 0; row < system_.n; row += rows) {
      StorePanel(system_.type, panel, place, std::min(rows, system_.n - row), panels_.FirstColumn(number),
                 panels_.Columns(number), result);
      place.first += rows * place.k_step;
    }
  }

  const LinearSystem system_;
  const bool lower_;
  const SolveKernels<T> kernels_;
  const UpperPanels panels_;
};

}  // namespace

template <typename T>
std::unique_ptr<StepwiseProgram> MakeCholeskyProgram(const LinearSystem& system, bool lower,
                                                     const SolveKernels<T>& kernels) {
  return std::make_unique<CholeskyProgram<T>>(system, lower, kernels);
}

template std::unique_ptr<StepwiseProgram> MakeCholeskyProgram(const LinearSystem&, bool, const SolveKernels<float>&);
template std::unique_ptr<StepwiseProgram> MakeCholeskyProgram(const LinearSystem&, bool, const SolveKernels<double>&);

}  // namespace xla
