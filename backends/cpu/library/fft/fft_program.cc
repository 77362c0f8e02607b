#include "backends/cpu/library/fft/fft_program.h"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/fft/fft_line.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/root_of_unity.h"

namespace xla {
namespace {

// Enough numbers for a thread to be worth waking.
constexpr int64_t kNumbersPerTile = 1 << 15;
// Lines that need more scratch than this are done by all threads together, one after the other.
constexpr int64_t kMaxLineScratch = 1 << 20;

int64_t Padded(int64_t bytes) { return CeilDiv(bytes, 64) * 64; }

// ---- Real lines of even length as complex ones of half of it.
//
// z[j] = x[2j] + i x[2j+1] has the transform Z = E + iO, where E and O belong to the even and the odd elements, and
//   X[k] = E[k] + w^k O[k]          w = exp(-2 pi i / n)
//   X[n/2 - k] = conj(E[k] - w^k O[k])
// E and O are the parts of Z with E[n/2 - k] = conj(E[k]), and the same for O.
template <typename T>
class RealLine {
 public:
  explicit RealLine(int64_t length) : half_(length / 2) {
    for (int64_t k = 0; k <= half_ / 2; ++k) {
      const std::complex<double> root = RootOfUnity(k, length);
      roots_.push_back(static_cast<T>(root.real()));
      roots_.push_back(static_cast<T>(root.imag()));
    }
  }

  // Pieces that a line may be cut into; several may be done at the same time.
  int64_t piece_count() const { return CeilDiv(half_ / 2 + 1, kPiece); }

  // Z in place becomes X, which has one element more.
  void Untangle(int64_t piece, T* line) const {
    ForPiece(piece, [&](int64_t k) {
      T* const a = line + 2 * k;
      T* const b = line + 2 * (half_ - k);
      if (k == 0) {
        const T sum = a[0] + a[1];
        b[0] = a[0] - a[1];
        a[0] = sum;
        a[1] = b[1] = 0;
        return;
      }
      const T even_re = (a[0] + b[0]) / 2, even_im = (a[1] - b[1]) / 2;
      const T odd_re = (a[1] + b[1]) / 2, odd_im = (b[0] - a[0]) / 2;
      const T c = roots_[2 * k], s = roots_[2 * k + 1];
      const T turned_re = odd_re * c - odd_im * s, turned_im = odd_re * s + odd_im * c;
      b[0] = even_re - turned_re;
      b[1] = turned_im - even_im;
      a[0] = even_re + turned_re;
      a[1] = even_im + turned_im;
    });
  }

  // X becomes Z.
  void Tangle(int64_t piece, const T* from, T* to) const {
    ForPiece(piece, [&](int64_t k) {
      const T* const a = from + 2 * k;
      const T* const b = from + 2 * (half_ - k);
      if (k == 0) {
        to[0] = (a[0] + b[0]) / 2;
        to[1] = (a[0] - b[0]) / 2;
        return;
      }
      const T even_re = (a[0] + b[0]) / 2, even_im = (a[1] - b[1]) / 2;
      const T turned_re = (a[0] - b[0]) / 2, turned_im = (a[1] + b[1]) / 2;
      const T c = roots_[2 * k], s = -roots_[2 * k + 1];
      const T odd_re = turned_re * c - turned_im * s, odd_im = turned_re * s + turned_im * c;
      T* const d = to + 2 * (half_ - k);
      d[0] = even_re + odd_im;
      d[1] = odd_re - even_im;
      to[2 * k] = even_re - odd_im;
      to[2 * k + 1] = even_im + odd_re;
    });
  }

 private:
  static constexpr int64_t kPiece = 1 << 14;

  template <typename Body>
  void ForPiece(int64_t piece, const Body& body) const {
    const int64_t end = std::min(half_ / 2 + 1, (piece + 1) * kPiece);
    for (int64_t k = piece * kPiece; k < end; ++k) body(k);
  }

  const int64_t half_;
  std::vector<T> roots_;  // pairs: w^k
};

// ---- Steps: the transforms along one dimension each.

template <typename T>
class FftStep {
 public:
  struct Buffers {
    const T* from;
    T* to;
    T* workspace;
  };

  virtual ~FftStep() = default;
  virtual void Run(const Buffers& buffers, T scale, TileRunner run_tiles) const = 0;

  // Numbers.
  int64_t workspace_size() const { return workspace_size_; }
  int64_t scratch_size() const { return scratch_size_; }

 protected:
  int64_t workspace_size_ = 0;
  int64_t scratch_size_ = 0;
};

// Along the last dimension: `count` lines of `length` numbers, complex ones or real ones, of which the transform has
// another type.
template <typename T>
class LinesStep : public FftStep<T> {
 public:
  LinesStep(FftType type, int64_t count, int64_t length, const FftKernels<T>& kernels)
      : type_(type),
        count_(count),
        length_(length),
        is_halved_(!IsComplexToComplex() && length % 2 == 0),
        line_length_(is_halved_ ? length / 2 : length),
        line_(FftLine<T>::Make(line_length_, count, kernels)),
        real_(is_halved_ ? std::make_unique<RealLine<T>>(length) : nullptr) {
    const bool is_copied = !IsComplexToComplex() && !is_halved_;
    const int64_t scratch = line_->scratch_size() + (is_copied ? 2 * length_ * line_->group() : 0);
    const bool is_large = scratch * static_cast<int64_t>(sizeof(T)) > kMaxLineScratch;
    line_by_line_ = !is_copied && (is_large || (count < 4 && line_length_ > kNumbersPerTile));
    if (line_by_line_) {
      this->workspace_size_ = line_->workspace_size();
      this->scratch_size_ = line_->tile_scratch_size();
    } else {
      this->scratch_size_ = scratch;
    }
  }

  void Run(const typename FftStep<T>::Buffers& buffers, T scale, TileRunner run_tiles) const override {
    if (line_by_line_) {
      for (int64_t i = 0; i < count_; ++i) RunLine(i, buffers, scale, run_tiles);
      return;
    }
    const int64_t groups = CeilDiv(count_, line_->group());
    const int64_t per_tile = std::max<int64_t>(1, kNumbersPerTile / (2 * line_length_ * line_->group()));
    run_tiles(CeilDiv(groups, per_tile), [&](int64_t tile, void* scratch) {
      const int64_t end = std::min(groups, (tile + 1) * per_tile);
      for (int64_t group = tile * per_tile; group < end; ++group) {
        RunGroup(group, buffers, scale, static_cast<T*>(scratch));
      }
    });
  }

 private:
  bool IsComplexToComplex() const { return type_ == FftType::kFft || type_ == FftType::kIfft; }
  bool IsInverse() const { return type_ == FftType::kIfft || type_ == FftType::kIrfft; }
  // Numbers from one line to the next.
  int64_t FromStep() const {
    return type_ == FftType::kRfft ? length_ : type_ == FftType::kIrfft ? 2 * (length_ / 2 + 1) : 2 * length_;
  }
  int64_t ToStep() const {
    return type_ == FftType::kRfft ? 2 * (length_ / 2 + 1) : type_ == FftType::kIrfft ? length_ : 2 * length_;
  }

  // Complex lines where they are. Steps are whole pairs: an odd length is not halved.
  FftLineRun<T> LinesAt(const typename FftStep<T>::Buffers& buffers, int64_t first, int lines, T scale) const {
    const T* const from = buffers.from + first * FromStep();
    T* const to = buffers.to + first * ToStep();
    // Tangled lines are in place of the result already.
    if (type_ == FftType::kIrfft) return {to, to, ToStep() / 2, ToStep() / 2, lines, true, scale};
    return {from, to, FromStep() / 2, ToStep() / 2, lines, IsInverse(), scale};
  }

  void RunLine(int64_t i, const typename FftStep<T>::Buffers& buffers, T scale, TileRunner run_tiles) const {
    const FftLineRun<T> run = LinesAt(buffers, i, 1, scale);
    if (type_ == FftType::kIrfft) {
      run_tiles(real_->piece_count(),
                [&](int64_t piece, void*) { real_->Tangle(piece, buffers.from + i * FromStep(), run.to); });
    }
    line_->RunTiles(run, buffers.workspace, run_tiles);
    if (type_ == FftType::kRfft) {
      run_tiles(real_->piece_count(), [&](int64_t piece, void*) { real_->Untangle(piece, run.to); });
    }
  }

  void RunGroup(int64_t group, const typename FftStep<T>::Buffers& buffers, T scale, T* scratch) const {
    const int64_t first = group * line_->group();
    const int lines = static_cast<int>(std::min<int64_t>(line_->group(), count_ - first));
    if (!IsComplexToComplex() && !is_halved_) return RunCopied(first, lines, buffers, scale, scratch);
    const FftLineRun<T> run = LinesAt(buffers, first, lines, scale);
    for (int i = 0; i < lines && type_ == FftType::kIrfft; ++i) {
      for (int64_t piece = 0; piece < real_->piece_count(); ++piece) {
        real_->Tangle(piece, buffers.from + (first + i) * FromStep(), run.to + i * ToStep());
      }
    }
    line_->Run(run, scratch);
    for (int i = 0; i < lines && type_ == FftType::kRfft; ++i) {
      for (int64_t piece = 0; piece < real_->piece_count(); ++piece) real_->Untangle(piece, run.to + i * ToStep());
    }
  }

  // Real lines of odd length, as complex ones.
  void RunCopied(int64_t first, int lines, const typename FftStep<T>::Buffers& buffers, T scale, T* scratch) const {
    T* const copies = scratch + line_->scratch_size();
    for (int i = 0; i < lines; ++i) {
      const T* const from = buffers.from + (first + i) * FromStep();
      T* const copy = copies + 2 * i * length_;
      type_ == FftType::kRfft ? MakeComplex(from, copy) : MakeWhole(from, copy);
    }
    line_->Run({copies, copies, length_, length_, lines, IsInverse(), scale}, scratch);
    for (int i = 0; i < lines; ++i) {
      const T* const copy = copies + 2 * i * length_;
      T* const to = buffers.to + (first + i) * ToStep();
      if (type_ == FftType::kRfft) {
        std::copy_n(copy, ToStep(), to);
        to[1] = 0;  // a sum of real numbers
      } else {
        for (int64_t j = 0; j < length_; ++j) to[j] = copy[2 * j];
      }
    }
  }

  void MakeComplex(const T* real, T* pairs) const {
    for (int64_t j = 0; j < length_; ++j) {
      pairs[2 * j] = real[j];
      pairs[2 * j + 1] = 0;
    }
  }

  // The second half of the transform of real numbers mirrors the first.
  void MakeWhole(const T* half, T* pairs) const {
    std::copy_n(half, 2 * (length_ / 2 + 1), pairs);
    pairs[1] = 0;
    for (int64_t j = length_ / 2 + 1; j < length_; ++j) {
      pairs[2 * j] = half[2 * (length_ - j)];
      pairs[2 * j + 1] = -half[2 * (length_ - j) + 1];
    }
  }

  const FftType type_;
  const int64_t count_;
  const int64_t length_;
  const bool is_halved_;
  const int64_t line_length_;  // of the complex transform
  const std::unique_ptr<FftLine<T>> line_;
  const std::unique_ptr<RealLine<T>> real_;
  bool line_by_line_ = false;
};

// Along a dimension with others inside it: arrays [count, length, width] of complex numbers.
template <typename T>
class ColumnsStep : public FftStep<T> {
 public:
  ColumnsStep(bool inverse, int64_t count, int64_t length, int64_t width, const FftKernels<T>& kernels)
      : inverse_(inverse), count_(count), length_(length), width_(width), kernels_(kernels) {
    if (FftLanes<T>::CanDo(length) && length <= kMaxRows) {
      lanes_ = std::make_unique<FftLanes<T>>(length, kernels);
      this->scratch_size_ = 2 * lanes_->size();
    } else {
      line_ = FftLine<T>::Make(length, 1, kernels);
      this->scratch_size_ = 2 * length + line_->scratch_size();
    }
  }

  void Run(const typename FftStep<T>::Buffers& buffers, T scale, TileRunner run_tiles) const override {
    const int64_t blocks = CeilDiv(width_, kernels_.lanes);
    const int64_t per_tile = std::max<int64_t>(1, kNumbersPerTile / (2 * length_ * kernels_.lanes));
    run_tiles(CeilDiv(count_ * blocks, per_tile), [&](int64_t tile, void* scratch) {
      const int64_t end = std::min(count_ * blocks, (tile + 1) * per_tile);
      for (int64_t i = tile * per_tile; i < end; ++i) {
        const int64_t column = i % blocks * kernels_.lanes;
        const int64_t offset = 2 * (i / blocks * length_ * width_ + column);
        const int columns = static_cast<int>(std::min<int64_t>(kernels_.lanes, width_ - column));
        const typename FftStep<T>::Buffers at = {buffers.from + offset, buffers.to + offset, nullptr};
        lanes_ != nullptr ? RunInLanes(at, columns, scale, static_cast<T*>(scratch))
                          : RunLines(at, columns, scale, static_cast<T*>(scratch));
      }
    });
  }

 private:
  static constexpr int64_t kMaxRows = 1 << 14;

  void RunInLanes(const typename FftStep<T>::Buffers& at, int columns, T scale, T* scratch) const {
    kernels_.load_columns({const_cast<T*>(at.from), width_, length_, columns, inverse_}, scratch);
    const T* const rows = lanes_->Run(scratch, scratch + lanes_->size());
    kernels_.store_columns({at.to, width_, length_, columns, inverse_}, scale, rows);
  }

  void RunLines(const typename FftStep<T>::Buffers& at, int columns, T scale, T* scratch) const {
    T* const line = scratch + line_->scratch_size();
    for (int column = 0; column < columns; ++column) {
      for (int64_t j = 0; j < length_; ++j) std::copy_n(at.from + 2 * (column + j * width_), 2, line + 2 * j);
      line_->Run({line, line, length_, length_, 1, inverse_, scale}, scratch);
      for (int64_t j = 0; j < length_; ++j) std::copy_n(line + 2 * j, 2, at.to + 2 * (column + j * width_));
    }
  }

  const bool inverse_;
  const int64_t count_;
  const int64_t length_;
  const int64_t width_;
  const FftKernels<T>& kernels_;
  std::unique_ptr<FftLanes<T>> lanes_;
  std::unique_ptr<FftLine<T>> line_;  // if there are no lanes_
};

// ---- The program

template <typename T>
class FftProgramOf : public StepwiseProgram {
 public:
  FftProgramOf(const FftAttributes& attributes, const Shape& operand, const Shape& result,
               const FftKernels<T>& kernels) {
    const FftType type = attributes.fft_type;
    const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
    const bool to_real = type == FftType::kIrfft;
    const Shape& complex_shape = to_real ? operand : result;
    const int rank = complex_shape.rank();
    const int fft_rank = static_cast<int>(attributes.fft_length.size());
    const int64_t length = attributes.fft_length.back();
    const int64_t lines = complex_shape.ElementCount() / complex_shape.dimension(rank - 1);
    auto along_lines = std::make_unique<LinesStep<T>>(type, lines, length, kernels);
    if (!to_real) steps_.push_back(std::move(along_lines));
    int64_t width = complex_shape.dimension(rank - 1);
    for (int i = 2; i <= fft_rank; ++i) {
      const int64_t size = complex_shape.dimension(rank - i);
      const int64_t count = complex_shape.ElementCount() / (size * width);
      steps_.push_back(std::make_unique<ColumnsStep<T>>(inverse, count, size, width, kernels));
      width *= size;
    }
    if (to_real) steps_.push_back(std::move(along_lines));
    for (const int64_t size : attributes.fft_length) scale_ *= inverse ? 1.0 / static_cast<double>(size) : 1.0;
    // Two numbers make one of the shorter, complex line.
    if (to_real && length % 2 == 0) scale_ *= 2;
    if (to_real && fft_rank > 1) copy_bytes_ = Padded(operand.ByteSize());
    for (const auto& step : steps_) {
      workspace_bytes_ = std::max(workspace_bytes_, Padded(step->workspace_size() * static_cast<int64_t>(sizeof(T))));
      scratch_bytes_ = std::max(scratch_bytes_, Padded(step->scratch_size() * static_cast<int64_t>(sizeof(T))));
    }
    workspace_bytes_ += copy_bytes_;
  }

  void Run(absl::Span<const void* const> operands, void* result, void* workspace, TileRunner run_tiles) const override {
    const T* from = static_cast<const T*>(operands[0]);
    for (size_t i = 0; i < steps_.size(); ++i) {
      const bool is_last = i + 1 == steps_.size();
      T* const to = static_cast<T*>(copy_bytes_ == 0 || is_last ? result : workspace);
      T* const own = reinterpret_cast<T*>(static_cast<char*>(workspace) + copy_bytes_);
      steps_[i]->Run({from, to, own}, is_last ? static_cast<T>(scale_) : T{1}, run_tiles);
      from = to;
    }
  }

 private:
  std::vector<std::unique_ptr<FftStep<T>>> steps_;
  double scale_ = 1;
  int64_t copy_bytes_ = 0;  // of the operand, for the steps before the last one
};

class EmptyProgram : public StepwiseProgram {
 public:
  void Run(absl::Span<const void* const>, void*, void*, TileRunner) const override {}
};

}  // namespace

absl::StatusOr<std::unique_ptr<StepwiseProgram>> MakeFftProgram(const HloInstruction& fft,
                                                                const FftKernelSet& kernels) {
  const auto& attributes = fft.attributes<FftAttributes>();
  const Shape& operand = fft.operand(0)->shape();
  const Shape& result = fft.shape();
  if (result.ElementCount() == 0) return std::make_unique<EmptyProgram>();
  for (const int64_t length : attributes.fft_length) {
    if (FftLine<float>::CanDo(length)) continue;
    return absl::UnimplementedError(absl::StrCat("lines of ", length, " elements are too long"));
  }
  if (ByteWidth(operand.element_type()) == (IsComplex(operand.element_type()) ? 8 : 4)) {
    return std::make_unique<FftProgramOf<float>>(attributes, operand, result, kernels.f32);
  }
  return std::make_unique<FftProgramOf<double>>(attributes, operand, result, kernels.f64);
}

}  // namespace xla
