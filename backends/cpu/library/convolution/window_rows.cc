#include "backends/cpu/library/convolution/window_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace xla {
namespace {

// A tile's share of time, in cycles for 16 columns: measured with an 8-bit matrix unit, whose few rows take long.
constexpr double kTileCycles = 8, kRowCycles = 0.64;
constexpr double kCopiedBytesOfCycle = 8;

int64_t CeilOf(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Where element k of the kernel, as it lies in memory, is in a window.
int64_t PositionOf(const ConvolutionAxis& axis, int64_t k) {
  return (axis.reversed ? axis.kernel - 1 - k : k) * axis.window_dilation;
}

// What the position has of the input, in bytes from its first element, or -1.
int64_t SourceAt(const ConvolutionAxis& axis, int64_t position) {
  const int64_t at = position - axis.low;
  if (at < 0 || at % axis.base_dilation != 0 || at / axis.base_dilation >= axis.input) return -1;
  return at / axis.base_dilation * axis.strides.lhs;
}

// Positions from the first window to the last. A single window takes no steps.
int64_t Span(const ConvolutionAxis& axis) {
  return (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.window_dilation + 1;
}

bool LiesInTheInput(const ConvolutionAxis& axis) {
  return axis.base_dilation == 1 && axis.low <= 0 && Span(axis) - axis.low <= axis.input;
}

// An axis of the copy.
struct AxisPlaces {
  std::vector<int64_t> sources;    // by place: see WindowRows::places
  std::vector<int64_t> positions;  // by element of the kernel: places from those of element 0 at position 0
  int64_t output_places;           // from one output to the next
  bool together = false;           // elements of the kernel follow each other
};

// Outputs follow each other: what windows meet with the same remainder of their step is together, or, where they miss
// most positions, with the same element of the kernel.
AxisPlaces OuterPlaces(const ConvolutionAxis& axis) {
  AxisPlaces places;
  places.output_places = 1;
  const int64_t stride = axis.output == 1 ? 1 : axis.stride;
  const int64_t per_remainder = CeilOf(Span(axis), stride);
  if (stride > axis.kernel || per_remainder > axis.output * axis.kernel / stride) {
    for (int64_t k = 0; k < axis.kernel; ++k) {
      places.positions.push_back(k * axis.output);
      for (int64_t x = 0; x < axis.output; ++x) {
        places.sources.push_back(SourceAt(axis, x * axis.stride + PositionOf(axis, k)));
      }
    }
    return places;
  }
  const auto place_of = [&](int64_t position) { return position % stride * per_remainder + position / stride; };
  places.sources.assign(stride * per_remainder, -1);
  for (int64_t p = 0; p < Span(axis); ++p) places.sources[place_of(p)] = SourceAt(axis, p);
  for (int64_t k = 0; k < axis.kernel; ++k) places.positions.push_back(place_of(PositionOf(axis, k)));
  return places;
}

// Each position once.
AxisPlaces SpreadPlaces(const ConvolutionAxis& axis) {
  AxisPlaces places;
  places.output_places = axis.stride;
  for (int64_t p = 0; p < Span(axis); ++p) places.sources.push_back(SourceAt(axis, p));
  for (int64_t k = 0; k < axis.kernel; ++k) places.positions.push_back(PositionOf(axis, k));
  places.together = axis.kernel == 1 || (axis.window_dilation == 1 && !axis.reversed);
  return places;
}

// Window after window.
AxisPlaces UnrolledPlaces(const ConvolutionAxis& axis) {
  AxisPlaces places;
  places.output_places = axis.kernel;
  places.together = true;
  for (int64_t x = 0; x < axis.output; ++x) {
    for (int64_t k = 0; k < axis.kernel; ++k) {
      places.sources.push_back(SourceAt(axis, x * axis.stride + PositionOf(axis, k)));
    }
  }
  for (int64_t k = 0; k < axis.kernel; ++k) places.positions.push_back(k);
  return places;
}

// How the elements of an axis lie, in bytes.
struct AxisBytes {
  std::vector<int64_t> positions;  // by element of the kernel
  int64_t output;                  // from one output to the next
};

// Puts parts and runs together. `together`: the elements of the last axis are one part.
void SetRows(const DirectConvolution& c, const std::vector<AxisBytes>& axes, int64_t batch_bytes, bool together,
             WindowRows& rows) {
  rows.parts = {0};
  for (size_t i = 0; i < axes.size(); ++i) {
    if (together && i + 1 == axes.size()) break;
    std::vector<int64_t> parts;
    for (const int64_t part : rows.parts) {
      for (const int64_t position : axes[i].positions) parts.push_back(part + position);
    }
    rows.parts = std::move(parts);
  }
  rows.part_bytes = c.inputs * (together ? c.axes.back().kernel : 1);
  rows.run_rows = c.axes.back().output;
  rows.row_bytes = axes.back().output;
  rows.run_axes.push_back({c.batch, batch_bytes});
  for (size_t i = 0; i + 1 < axes.size(); ++i) rows.run_axes.push_back({c.axes[i].output, axes[i].output});
  while (!rows.run_axes.empty()) {
    const WindowRows::RunAxis last = rows.run_axes.back();
    if (rows.run_rows == 1) {
      rows.row_bytes = last.bytes;
    } else if (last.count != 1 && last.bytes != rows.run_rows * rows.row_bytes) {
      break;
    }
    rows.run_rows *= last.count;
    rows.run_axes.pop_back();
  }
}

// From where the input lies; false: it does not lie so.
bool ReadInPlace(const DirectConvolution& c, int64_t step, WindowRows& rows) {
  if (!std::all_of(c.axes.begin(), c.axes.end(), LiesInTheInput)) return false;
  const ConvolutionAxis& last = c.axes.back();
  const bool together =
      last.kernel == 1 || (last.window_dilation == 1 && !last.reversed && last.strides.lhs == c.inputs);
  // Whole steps are read, of which nothing may be outside of the array.
  if (c.inputs * (together ? last.kernel : 1) % step != 0) return false;
  std::vector<AxisBytes> axes;
  rows.first = 0;
  for (const ConvolutionAxis& axis : c.axes) {
    AxisBytes bytes;
    for (int64_t k = 0; k < axis.kernel; ++k) bytes.positions.push_back(PositionOf(axis, k) * axis.strides.lhs);
    bytes.output = axis.stride * axis.strides.lhs;
    rows.first -= axis.low * axis.strides.lhs;
    axes.push_back(std::move(bytes));
  }
  SetRows(c, axes, c.batch_strides.lhs, together, rows);
  return true;
}

WindowRows ReadACopy(const DirectConvolution& c, bool unrolled) {
  WindowRows rows;
  rows.is_copied = true;
  rows.first = 0;
  std::vector<AxisBytes> axes(c.axes.size());
  rows.places.resize(c.axes.size());
  int64_t place_bytes = c.inputs;
  bool together = false;
  for (size_t i = c.axes.size(); i-- > 0;) {
    AxisPlaces places = i + 1 < c.axes.size() ? OuterPlaces(c.axes[i])
                        : unrolled            ? UnrolledPlaces(c.axes[i])
                                              : SpreadPlaces(c.axes[i]);
    if (i + 1 == c.axes.size()) together = places.together;
    for (const int64_t position : places.positions) axes[i].positions.push_back(position * place_bytes);
    axes[i].output = places.output_places * place_bytes;
    place_bytes *= static_cast<int64_t>(places.sources.size());
    rows.places[i] = std::move(places.sources);
  }
  SetRows(c, axes, place_bytes, together, rows);
  return rows;
}

double CyclesOf(const WindowRows& rows, const DirectConvolution& c, int64_t step, int64_t tile_rows) {
  const auto runs = static_cast<double>(rows.RunCount());
  const auto steps = static_cast<double>(rows.parts.size()) * static_cast<double>(CeilOf(rows.part_bytes, step));
  const double tiles = runs * static_cast<double>(CeilOf(rows.run_rows, tile_rows));
  const double cycles = tiles * kTileCycles + runs * static_cast<double>(rows.run_rows) * kRowCycles;
  const double copied = rows.is_copied ? static_cast<double>(rows.LineCount(c) * rows.LineBytes(c)) : 0;
  return cycles * steps * static_cast<double>(CeilOf(c.outputs, 16)) + copied / kCopiedBytesOfCycle;
}

}  // namespace

int64_t WindowRows::RunCount() const {
  int64_t count = 1;
  for (const RunAxis& axis : run_axes) count *= axis.count;
  return count;
}

int64_t WindowRows::RunStart(int64_t run) const {
  int64_t start = first;
  for (size_t i = run_axes.size(); i-- > 0;) {
    start += run % run_axes[i].count * run_axes[i].bytes;
    run /= run_axes[i].count;
  }
  return start;
}

int64_t WindowRows::LineBytes(const DirectConvolution& c) const {
  return static_cast<int64_t>(places.back().size()) * c.inputs;
}

int64_t WindowRows::LineCount(const DirectConvolution& c) const {
  int64_t count = c.batch;
  for (size_t i = 0; i + 1 < places.size(); ++i) count *= static_cast<int64_t>(places[i].size());
  return count;
}

void WindowRows::CopyLines(const DirectConvolution& c, const char* input, int64_t begin, int64_t end,
                           char* copy) const {
  const std::vector<int64_t>& last = places.back();
  for (int64_t line = begin; line < end; ++line) {
    char* out = copy + line * LineBytes(c);
    int64_t rest = line;
    const char* from = input;
    for (size_t i = places.size() - 1; i-- > 0 && from != nullptr;) {
      const auto count = static_cast<int64_t>(places[i].size());
      const int64_t source = places[i][rest % count];
      rest /= count;
      from = source < 0 ? nullptr : from + source;
    }
    if (from == nullptr) {
      std::memset(out, 0, LineBytes(c));
      continue;
    }
    from += rest * c.batch_strides.lhs;
    // What lies together, at once.
    for (size_t p = 0; p < last.size();) {
      const int64_t source = last[p];
      size_t count = 1;
      const int64_t next = source < 0 ? 0 : c.inputs;
      while (p + count < last.size() && last[p + count] == source + static_cast<int64_t>(count) * next) ++count;
      const int64_t bytes = static_cast<int64_t>(count) * c.inputs;
      if (source < 0) {
        std::memset(out, 0, bytes);
      } else {
        std::memcpy(out, from + source, bytes);
      }
      out += bytes;
      p += count;
    }
  }
}

WindowRows WindowRowsOf(const DirectConvolution& c, int64_t step, int64_t tile_rows) {
  WindowRows best = ReadACopy(c, true);
  const auto take_if_faster = [&](WindowRows rows) {
    if (CyclesOf(rows, c, step, tile_rows) < CyclesOf(best, c, step, tile_rows)) best = std::move(rows);
  };
  const ConvolutionAxis& last = c.axes.back();
  if (Span(last) <= 2 * last.output * last.kernel) take_if_faster(ReadACopy(c, false));
  WindowRows in_place;
  if (ReadInPlace(c, step, in_place)) take_if_faster(std::move(in_place));
  return best;
}

}  // namespace xla
