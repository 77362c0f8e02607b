#include "examples/helpers/sparkline.h"

#include <algorithm>
#include <vector>

namespace xla {
namespace {

constexpr int kHeights = 8;
constexpr const char* kBlocks[kHeights] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::vector<float> Means(absl::Span<const float> values, size_t count) {
  std::vector<float> means;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * values.size() / count, end = (i + 1) * values.size() / count;
    float sum = 0;
    for (size_t j = begin; j < end; ++j) sum += values[j];
    means.push_back(sum / static_cast<float>(end - begin));
  }
  return means;
}

}  // namespace

std::string Sparkline(absl::Span<const float> values, int width) {
  if (values.empty() || width < 1) return "";
  const std::vector<float> means = Means(values, std::min(values.size(), static_cast<size_t>(width)));
  const auto [least, greatest] = std::minmax_element(means.begin(), means.end());
  const float range = std::max(*greatest - *least, 1e-30f);
  std::string line;
  for (float mean : means) {
    const float share = (mean - *least) / range;
    line += kBlocks[std::clamp(static_cast<int>(share * kHeights), 0, kHeights - 1)];
  }
  return line;
}

}  // namespace xla
