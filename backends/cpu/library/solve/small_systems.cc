// cholesky and triangular-solve of many small matrices: as many at once as a vector has lanes, in f64.
#include <algorithm>
#include <limits>

#include "backends/cpu/library/solve/linear_system_programs.h"

namespace xla {
namespace {

constexpr int64_t kSmallMostRows = 16;
constexpr int64_t kLeastMatrices = 8;
// A multiple of the lanes of every instruction set.
constexpr int64_t kMatricesOfTile = 64;

// Element (k, c) of matrix number i lies at first + i * size + k * k_step + c * c_step.
struct SmallMatrices {
  int64_t first, size;
  int64_t k_step, c_step;
};

bool AreSmall(const LinearSystem& system) {
  return (system.type == F32 || system.type == F64) && std::max(system.n, system.m) <= kSmallMostRows &&
         system.count >= kLeastMatrices;
}

// Calls fn(lane, address of the element (0, 0)) for the matrices [begin, end).
template <typename T, typename Fn>
void ForEachLane(const SmallMatrices& matrices, T* data, int64_t begin, int64_t end, Fn fn) {
  for (int64_t i = begin; i < end; ++i) fn(i - begin, data + matrices.first + i * matrices.size);
}

class SmallSystems : public StepwiseProgram {
 public:
  void Run(absl::Span<const void* const> operands, void* result, void* /*workspace*/,
           TileRunner run_tiles) const override {
    const void* const a = operands[0];
    const void* const b = operands.size() > 1 ? operands[1] : nullptr;
    if (system_.type == F32) {
      RunAll(static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(result), run_tiles);
    } else {
      RunAll(static_cast<const double*>(a), static_cast<const double*>(b), static_cast<double*>(result), run_tiles);
    }
  }

 protected:
  SmallSystems(const LinearSystem& system, const SmallMatrices& triangle, const LaneKernels& kernels)
      : system_(system), triangle_(triangle), kernels_(kernels) {}

  // `count` matrices from `first` on, as many as there are lanes or fewer.
  virtual void RunLanes(const float* a, const float* b, float* result, int64_t first, int64_t count,
                        double* scratch) const = 0;
  virtual void RunLanes(const double* a, const double* b, double* result, int64_t first, int64_t count,
                        double* scratch) const = 0;

  // The upper triangle; ones on the diagonal of lanes that have no matrix.
  template <typename T>
  void LoadTriangle(const T* a, int64_t first, int64_t count, double* u) const {
    const int64_t n = system_.n, lanes = kernels_.lanes;
    if (count < lanes) {
      for (int64_t e = 0; e < n * n; ++e) std::fill_n(u + e * lanes, lanes, e % (n + 1) == 0 ? 1.0 : 0.0);
    }
    ForEachLane(triangle_, a, first, first + count, [&](int64_t lane, const T* from) {
      for (int64_t k = 0; k < n; ++k) {
        double* const to = u + k * n * lanes + lane;
        for (int64_t c = k; c < n; ++c) {
          to[c * lanes] = static_cast<double>(from[k * triangle_.k_step + c * triangle_.c_step]);
        }
      }
    });
  }

  const LinearSystem system_;
  const SmallMatrices triangle_;
  const LaneKernels kernels_;

 private:
  template <typename T>
  void RunAll(const T* a, const T* b, T* result, TileRunner run_tiles) const {
    run_tiles((system_.count + kMatricesOfTile - 1) / kMatricesOfTile, [&](int64_t tile, void* scratch) {
      const int64_t end = std::min(system_.count, (tile + 1) * kMatricesOfTile);
      for (int64_t i = tile * kMatricesOfTile; i < end; i += kernels_.lanes) {
        RunLanes(a, b, result, i, std::min<int64_t>(kernels_.lanes, end - i), static_cast<double*>(scratch));
      }
    });
  }
};

class SmallCholesky : public SmallSystems {
 public:
  SmallCholesky(const LinearSystem& system, const SmallMatrices& triangle, const LaneKernels& kernels)
      : SmallSystems(system, triangle, kernels) {
    scratch_bytes_ = (system.n * system.n + 1) * kernels.lanes * static_cast<int64_t>(sizeof(double));
  }

 protected:
  void RunLanes(const float* a, const float* /*b*/, float* result, int64_t first, int64_t count,
                double* scratch) const override {
    Factor(a, result, first, count, scratch);
  }
  void RunLanes(const double* a, const double* /*b*/, double* result, int64_t first, int64_t count,
                double* scratch) const override {
    Factor(a, result, first, count, scratch);
  }

 private:
  template <typename T>
  void Factor(const T* a, T* result, int64_t first, int64_t count, double* u) const {
    const int64_t n = system_.n, lanes = kernels_.lanes;
    double* const good = u + n * n * lanes;
    LoadTriangle(a, first, count, u);
    kernels_.factor(static_cast<int>(n), u, good);
    ForEachLane(triangle_, result, first, first + count, [&](int64_t lane, T* to) {
      const bool is_good = good[lane] == 1;
      const T other = is_good ? T(0) : std::numeric_limits<T>::quiet_NaN();
      for (int64_t k = 0; k < n; ++k) {
        for (int64_t c = 0; c < n; ++c) {
          to[k * triangle_.k_step + c * triangle_.c_step] =
              c < k || !is_good ? other : static_cast<T>(u[(k * n + c) * lanes + lane]);
        }
      }
    });
  }
};

class SmallSolve : public SmallSystems {
 public:
  SmallSolve(const LinearSystem& system, const SmallMatrices& triangle, const SmallMatrices& x, bool has_unit_diagonal,
             const LaneKernels& kernels)
      : SmallSystems(system, triangle, kernels), x_(x), has_unit_diagonal_(has_unit_diagonal) {
    scratch_bytes_ = system.n * (system.n + 1 + system.m) * kernels.lanes * static_cast<int64_t>(sizeof(double));
  }

 protected:
  void RunLanes(const float* a, const float* b, float* result, int64_t first, int64_t count,
                double* scratch) const override {
    Solve(a, b, result, first, count, scratch);
  }
  void RunLanes(const double* a, const double* b, double* result, int64_t first, int64_t count,
                double* scratch) const override {
    Solve(a, b, result, first, count, scratch);
  }

 private:
  template <typename T>
  void Solve(const T* a, const T* b, T* result, int64_t first, int64_t count, double* u) const {
    const int64_t n = system_.n, m = system_.m, lanes = kernels_.lanes;
    double* const inverse = u + n * n * lanes;
    double* const x = inverse + n * lanes;
    LoadTriangle(a, first, count, u);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t lane = 0; lane < lanes; ++lane) {
        inverse[i * lanes + lane] = has_unit_diagonal_ ? 1 : 1 / u[i * (n + 1) * lanes + lane];
      }
    }
    if (count < lanes) std::fill_n(x, n * m * lanes, 0.0);
    ForEachLane(x_, b, first, first + count, [&](int64_t lane, const T* from) {
      for (int64_t k = 0; k < n; ++k) {
        double* const to = x + k * m * lanes + lane;
        for (int64_t c = 0; c < m; ++c) to[c * lanes] = static_cast<double>(from[k * x_.k_step + c * x_.c_step]);
      }
    });
    kernels_.solve(static_cast<int>(n), static_cast<int>(m), u, inverse, x);
    ForEachLane(x_, result, first, first + count, [&](int64_t lane, T* to) {
      for (int64_t k = 0; k < n; ++k) {
        const double* const from = x + k * m * lanes + lane;
        for (int64_t c = 0; c < m; ++c) to[k * x_.k_step + c * x_.c_step] = static_cast<T>(from[c * lanes]);
      }
    });
  }

  const SmallMatrices x_;
  const bool has_unit_diagonal_;
};

}  // namespace

std::unique_ptr<StepwiseProgram> MakeSmallCholeskyProgram(const LinearSystem& system, bool lower,
                                                          const LaneKernels& kernels) {
  if (!AreSmall(system)) return nullptr;
  const int64_t n = system.n;
  return std::make_unique<SmallCholesky>(system, SmallMatrices{0, n * n, lower ? 1 : n, lower ? n : 1}, kernels);
}

std::unique_ptr<StepwiseProgram> MakeSmallSolveProgram(const LinearSystem& system,
                                                       const TriangularSolveAttributes& attributes,
                                                       const LaneKernels& kernels) {
  if (!AreSmall(system)) return nullptr;
  const int64_t n = system.n, m = system.m;
  const bool is_transposed = (attributes.transpose_a != TransposeA::kNoTranspose) == attributes.left_side;
  SmallMatrices triangle = {0, n * n, is_transposed ? n : 1, is_transposed ? 1 : n};
  SmallMatrices x = {0, n * m, attributes.left_side ? m : 1, attributes.left_side ? 1 : n};
  if (attributes.lower == is_transposed) {  // an upper one: from the last row to the first
    triangle = {n * n - 1, n * n, -triangle.k_step, -triangle.c_step};
    x = {(n - 1) * x.k_step, n * m, -x.k_step, x.c_step};
  }
  return std::make_unique<SmallSolve>(system, triangle, x, attributes.unit_diagonal, kernels);
}

}  // namespace xla
