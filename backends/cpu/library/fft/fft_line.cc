#include "backends/cpu/library/fft/fft_line.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/root_of_unity.h"

namespace xla {
namespace {

// Longer lines take too long to prepare.
constexpr int64_t kMaxLength = int64_t{1} << 26;
constexpr int64_t kMaxChirpLength = int64_t{1} << 21;

template <typename T>
void AppendPair(std::complex<double> value, std::vector<T>& pairs) {
  pairs.push_back(static_cast<T>(value.real()));
  pairs.push_back(static_cast<T>(value.imag()));
}

// The radices of the passes; empty if the length has a larger prime factor, or is 1.
std::vector<int> RadicesOf(int64_t length) {
  std::vector<int> radices;
  for (const int radix : {13, 11, 7, 5, 3}) {
    for (; length % radix == 0; length /= radix) radices.push_back(radix);
  }
  // Two fours are better than an eight and a two.
  for (; length % 8 == 0 && length != 16; length /= 8) radices.push_back(8);
  for (; length % 4 == 0; length /= 4) radices.push_back(4);
  for (; length % 2 == 0; length /= 2) radices.push_back(2);
  return length == 1 ? radices : std::vector<int>();
}

}  // namespace

// ---- FftLanes

template <typename T>
bool FftLanes<T>::CanDo(int64_t length) {
  return length == 1 || !RadicesOf(length).empty();
}

template <typename T>
int FftLanes<T>::PassCount(int64_t length) {
  return static_cast<int>(RadicesOf(length).size());
}

template <typename T>
FftLanes<T>::FftLanes(int64_t length, const FftKernels<T>& kernels) : kernels_(kernels), length_(length) {
  int64_t rest = length;  // of the transform that a pass begins with
  for (const int radix : RadicesOf(length)) {
    const int64_t count = rest / radix;
    std::vector<T> twiddles;
    for (int64_t p = 0; p < count; ++p) {
      for (int j = 1; j < radix; ++j) AppendPair(RootOfUnity(j * p, rest), twiddles);
    }
    std::vector<T> roots;
    for (int k = 0; k < radix; ++k) AppendPair(RootOfUnity(k, radix), roots);
    passes_.push_back({radix, count, length / rest, twiddles.data(), roots.data()});
    tables_.push_back(std::move(twiddles));
    tables_.push_back(std::move(roots));
    rest = count;
  }
}

template <typename T>
T* FftLanes<T>::Run(T* rows, T* other) const {
  for (const FftPass<T>& pass : passes_) {
    kernels_.run_pass(pass, rows, other);
    std::swap(rows, other);
  }
  return rows;
}

namespace {

// ---- Lines in lanes

template <typename T>
class LinesInLanes : public FftLine<T> {
 public:
  LinesInLanes(int64_t length, const FftKernels<T>& kernels) : kernels_(kernels), lanes_(length, kernels) {}

  int group() const override { return kernels_.lanes; }
  int64_t scratch_size() const override { return 2 * lanes_.size(); }
  void Run(const FftLineRun<T>& run, T* scratch) const override {
    const FftLines<T> from = {const_cast<T*>(run.from), run.from_step, lanes_.length(), run.lines, run.inverse};
    kernels_.load_lines(from, scratch);
    const T* const rows = lanes_.Run(scratch, scratch + lanes_.size());
    kernels_.store_lines({run.to, run.to_step, lanes_.length(), run.lines, run.inverse}, run.scale, rows);
  }

  int64_t workspace_size() const override { return 0; }
  int64_t tile_scratch_size() const override { return scratch_size(); }
  void RunTiles(const FftLineRun<T>& run, T* /*workspace*/, TileRunner run_tiles) const override {
    run_tiles(1, [&](int64_t, void* scratch) { Run(run, static_cast<T*>(scratch)); });
  }

 private:
  const FftKernels<T>& kernels_;
  const FftLanes<T> lanes_;
};

// ---- Lines split into columns

template <typename T>
class SplitLine : public FftLine<T> {
 public:
  SplitLine(int64_t n1, int64_t n2, const FftKernels<T>& kernels)
      : kernels_(kernels), blocks_(CeilDiv(n2, kernels.lanes)), inner_(n1, kernels), outer_(n2, kernels) {
    const int64_t n = n1 * n2;
    for (int64_t k1 = 0; k1 < n1; ++k1) {
      std::vector<T> imaginary;
      for (int lane = 0; lane < kernels.lanes; ++lane) {
        const std::complex<double> root = RootOfUnity(k1 * lane, n);
        left_.push_back(static_cast<T>(root.real()));
        imaginary.push_back(static_cast<T>(root.imag()));
      }
      left_.insert(left_.end(), imaginary.begin(), imaginary.end());
    }
    for (int64_t block = 1; block < blocks_; ++block) {
      for (int64_t k1 = 0; k1 < n1; ++k1) {
        AppendPair(RootOfUnity(k1 * block * kernels.lanes, n), right_);
      }
    }
  }

  int group() const override { return 1; }
  int64_t scratch_size() const override { return workspace_size() + tile_scratch_size(); }
  void Run(const FftLineRun<T>& run, T* scratch) const override {
    T* const tile_scratch = scratch + workspace_size();
    for (int64_t block = 0; block < blocks_; ++block) RunInner(run, block, scratch, tile_scratch);
    for (int64_t block = 0; block < outer_blocks(); ++block) {
      Prefetch(run, block);
      RunOuter(run, block, scratch, tile_scratch);
    }
  }

  int64_t workspace_size() const override { return inner_.length() * row_step(); }
  int64_t tile_scratch_size() const override { return 2 * std::max(inner_.size(), outer_.size()); }
  void RunTiles(const FftLineRun<T>& run, T* workspace, TileRunner run_tiles) const override {
    run_tiles(blocks_,
              [&](int64_t block, void* scratch) { RunInner(run, block, workspace, static_cast<T*>(scratch)); });
    run_tiles(outer_blocks(),
              [&](int64_t block, void* scratch) { RunOuter(run, block, workspace, static_cast<T*>(scratch)); });
  }

 private:
  // Of the workspace, which has n1 lines of n2 elements, in blocks of lanes.
  int64_t row_step() const { return 2 * kernels_.lanes * blocks_; }
  int64_t outer_blocks() const { return CeilDiv(inner_.length(), kernels_.lanes); }
  int LinesIn(int64_t block, int64_t count) const {
    return static_cast<int>(std::min<int64_t>(kernels_.lanes, count - block * kernels_.lanes));
  }

  // Of the next line a part, while this one is computed; beyond the last line it does no harm.
  void Prefetch(const FftLineRun<T>& run, int64_t block) const {
    const int64_t numbers = 2 * kernels_.lanes * outer_.length();
    const T* const part = run.from + 2 * run.from_step + block * numbers;
    for (int64_t i = 0; i < numbers; i += 64 / static_cast<int64_t>(sizeof(T))) __builtin_prefetch(part + i);
  }

  void RunInner(const FftLineRun<T>& run, int64_t block, T* workspace, T* scratch) const {
    const int64_t first = block * kernels_.lanes;
    T* const columns = const_cast<T*>(run.from) + 2 * first;
    kernels_.load_columns({columns, outer_.length(), inner_.length(), LinesIn(block, outer_.length()), run.inverse},
                          scratch);
    const T* const rows = inner_.Run(scratch, scratch + inner_.size());
    const T* const right = block == 0 ? nullptr : right_.data() + 2 * (block - 1) * inner_.length();
    kernels_.twist(rows, left_.data(), right, inner_.length(), workspace + 2 * first, row_step());
  }

  void RunOuter(const FftLineRun<T>& run, int64_t block, const T* workspace, T* scratch) const {
    const int64_t first = block * kernels_.lanes;
    const int lines = LinesIn(block, inner_.length());
    kernels_.turn_rows(workspace + first * row_step(), row_step(), outer_.length(), lines, scratch);
    const T* const rows = outer_.Run(scratch, scratch + outer_.size());
    kernels_.store_columns({run.to + 2 * first, inner_.length(), outer_.length(), lines, run.inverse}, run.scale, rows);
  }

  const FftKernels<T>& kernels_;
  const int64_t blocks_;     // of columns
  const FftLanes<T> inner_;  // n1
  const FftLanes<T> outer_;  // n2
  std::vector<T> left_;      // exp(-2 pi i k1 * lane / n), a row for each k1
  std::vector<T> right_;     // exp(-2 pi i k1 * lanes * block / n), pairs for each k1, for blocks from 1 on
};

// ---- Lines of any length

template <typename T>
class ChirpLine : public FftLine<T> {
 public:
  ChirpLine(int64_t length, int64_t size, std::unique_ptr<FftLine<T>> convolution, const FftKernels<T>& kernels)
      : length_(length), size_(size), convolution_(std::move(convolution)), kernels_(kernels) {
    std::vector<std::complex<double>> chirp;  // exp(-pi i j^2 / n)
    int64_t square = 0;                       // j^2 modulo 2n
    for (int64_t j = 0; j < length; ++j) {
      chirp.push_back(RootOfUnity(square, 2 * length));
      square = (square + 2 * j + 1) % (2 * length);
    }
    for (const std::complex<double>& value : chirp) AppendPair(value, chirp_);
    std::vector<std::complex<double>> wrapped(size);
    for (int64_t j = 0; j < length; ++j) {
      wrapped[j] = std::conj(chirp[j]);
      if (j > 0) wrapped[size - j] = wrapped[j];
    }
    Transform(wrapped);
    for (const std::complex<double>& value : wrapped) AppendPair(value / static_cast<double>(size), kernel_);
  }

  int group() const override { return 1; }
  int64_t scratch_size() const override { return 2 * size_ + convolution_->scratch_size(); }
  void Run(const FftLineRun<T>& run, T* scratch) const override {
    T* const line = scratch;
    Begin(run, 0, size_, line);
    convolution_->Run(InLine(line, /*inverse=*/false), scratch + 2 * size_);
    Convolve(0, size_, line);
    convolution_->Run(InLine(line, /*inverse=*/true), scratch + 2 * size_);
    End(run, 0, length_, line);
  }

  int64_t workspace_size() const override { return 2 * size_ + convolution_->workspace_size(); }
  int64_t tile_scratch_size() const override { return convolution_->tile_scratch_size(); }
  void RunTiles(const FftLineRun<T>& run, T* workspace, TileRunner run_tiles) const override {
    T* const line = workspace;
    const auto for_pieces = [&](int64_t count, absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
      run_tiles(CeilDiv(count, kPiece),
                [&](int64_t tile, void*) { body(tile * kPiece, std::min(count, (tile + 1) * kPiece)); });
    };
    for_pieces(size_, [&](int64_t begin, int64_t end) { Begin(run, begin, end, line); });
    convolution_->RunTiles(InLine(line, /*inverse=*/false), workspace + 2 * size_, run_tiles);
    for_pieces(size_, [&](int64_t begin, int64_t end) { Convolve(begin, end, line); });
    convolution_->RunTiles(InLine(line, /*inverse=*/true), workspace + 2 * size_, run_tiles);
    for_pieces(length_, [&](int64_t begin, int64_t end) { End(run, begin, end, line); });
  }

 private:
  static constexpr int64_t kPiece = 1 << 14;

  // In double precision, and once only.
  static void Transform(std::vector<std::complex<double>>& line) {
    const auto size = static_cast<int64_t>(line.size());
    const auto transform = FftLine<double>::Make(size, 1, HostFftKernels().f64);
    std::vector<double> scratch(transform->scratch_size());
    double* const pairs = reinterpret_cast<double*>(line.data());
    transform->Run({pairs, pairs, size, size, 1, false, 1.0}, scratch.data());
  }

  FftLineRun<T> InLine(T* line, bool inverse) const { return {line, line, size_, size_, 1, inverse, T{1}}; }

  void Begin(const FftLineRun<T>& run, int64_t begin, int64_t end, T* line) const {
    const int64_t taken = std::min(end, length_);
    if (begin < taken) {
      kernels_.multiply(run.from + 2 * begin, chirp_.data() + 2 * begin, taken - begin, run.inverse, false, T{1},
                        line + 2 * begin);
    }
    const int64_t zeros = std::max(begin, length_);
    if (zeros < end) std::fill(line + 2 * zeros, line + 2 * end, T{0});
  }

  void Convolve(int64_t begin, int64_t end, T* line) const {
    kernels_.multiply(line + 2 * begin, kernel_.data() + 2 * begin, end - begin, false, false, T{1}, line + 2 * begin);
  }

  void End(const FftLineRun<T>& run, int64_t begin, int64_t end, const T* line) const {
    kernels_.multiply(line + 2 * begin, chirp_.data() + 2 * begin, end - begin, false, run.inverse, run.scale,
                      run.to + 2 * begin);
  }

  const int64_t length_;
  const int64_t size_;  // of the convolution, a power of two
  const std::unique_ptr<FftLine<T>> convolution_;
  const FftKernels<T>& kernels_;
  std::vector<T> chirp_;   // pairs: exp(-pi i j^2 / n)
  std::vector<T> kernel_;  // pairs: the transform of its conjugate, wrapped around, divided by the size
};

// ---- Choosing

// About how long a row takes in each of the passes, and on the way in and out, where `rows` of them are loaded.
double RowCost(int64_t rows, int passes, int64_t row_bytes) {
  const int64_t bytes = 2 * rows * row_bytes;
  constexpr int64_t kNear = 40 << 10;
  constexpr int64_t kFar = 512 << 10;
  return (passes + 1) * (bytes <= kNear ? 1.0 : bytes <= kFar ? 1.6 : 4.0);
}

struct Split {
  int64_t n1 = 0;  // 0: none
  double cost = std::numeric_limits<double>::infinity();
};

template <typename T>
Split BestSplit(int64_t n, int lanes) {
  const int64_t row_bytes = 2 * lanes * static_cast<int64_t>(sizeof(T));
  Split best;
  for (int64_t n2 = 2; n2 <= n / 2; ++n2) {
    if (n2 * n2 > 4 * n && n2 > lanes) break;
    if (n % n2 != 0) continue;
    const int64_t n1 = n / n2;
    const double inner = RowCost(n1, FftLanes<T>::PassCount(n1), row_bytes) * static_cast<double>(n1);
    const double outer = RowCost(n2, FftLanes<T>::PassCount(n2), row_bytes) * static_cast<double>(n2);
    const double cost = (inner + n1) * CeilDiv(n2, lanes) + outer * CeilDiv(n1, lanes);
    if (cost < best.cost) best = {n1, cost};
  }
  return best;
}

int64_t PowerOfTwoAtLeast(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

}  // namespace

template <typename T>
bool FftLine<T>::CanDo(int64_t length) {
  return length <= (FftLanes<T>::CanDo(length) ? kMaxLength : kMaxChirpLength);
}

template <typename T>
std::unique_ptr<FftLine<T>> FftLine<T>::Make(int64_t length, int64_t lines, const FftKernels<T>& kernels) {
  if (!FftLanes<T>::CanDo(length)) {
    const int64_t size = PowerOfTwoAtLeast(2 * length - 1);
    return std::make_unique<ChirpLine<T>>(length, size, Make(size, 1, kernels), kernels);
  }
  const Split split = BestSplit<T>(length, kernels.lanes);
  const int64_t row_bytes = 2 * kernels.lanes * static_cast<int64_t>(sizeof(T));
  const double in_lanes = (RowCost(length, FftLanes<T>::PassCount(length), row_bytes) + 1) *
                          static_cast<double>(length) / static_cast<double>(std::min<int64_t>(lines, kernels.lanes));
  if (split.n1 == 0 || in_lanes <= split.cost) return std::make_unique<LinesInLanes<T>>(length, kernels);
  return std::make_unique<SplitLine<T>>(split.n1, length / split.n1, kernels);
}

template class FftLanes<float>;
template class FftLanes<double>;
template class FftLine<float>;
template class FftLine<double>;

}  // namespace xla
