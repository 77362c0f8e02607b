// Work that a promise stands for.
#ifndef BUILDERS_WEBNN_BACKGROUND_H_
#define BUILDERS_WEBNN_BACKGROUND_H_

#include <functional>

namespace xla {
namespace webnn {

// Runs `work` on a thread of its own, or, if the system refuses one, before it returns. `work` shares what it touches.
// A process that ends with exit(), or returns from main(), waits for all that is under way: what is static must not
// go while a compiler still uses it.
void RunInBackground(std::function<void()> work);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_BACKGROUND_H_
