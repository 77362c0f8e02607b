// Sparkline: a curve in one line of text.
#ifndef EXAMPLES_HELPERS_SPARKLINE_H_
#define EXAMPLES_HELPERS_SPARKLINE_H_

#include <string>

#include "absl/types/span.h"

namespace xla {

// "█▆▄▃▂▁▁▁": at most `width` blocks, each as high as the mean of its share of the values; the least value is the
// lowest block and the greatest the highest.
std::string Sparkline(absl::Span<const float> values, int width = 60);

}  // namespace xla

#endif  // EXAMPLES_HELPERS_SPARKLINE_H_
