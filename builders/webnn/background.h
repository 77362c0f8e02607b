// Work that a promise stands for.
#ifndef BUILDERS_WEBNN_BACKGROUND_H_
#define BUILDERS_WEBNN_BACKGROUND_H_

#include <functional>

namespace xla {
namespace webnn {

// Runs `work` on a thread of its own, or, if the system refuses one, before it returns. Nothing waits for the thread:
// `work` shares what it touches.
void RunInBackground(std::function<void()> work);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_BACKGROUND_H_
