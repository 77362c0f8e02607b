#include "xla_core/support/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

constexpr double kFirstDrawSeconds = 1.0;
constexpr double kSecondsBetweenDraws = 0.1;

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void WriteToStandardError(absl::string_view text) {
  // A progress line that cannot be written is no loss.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

ProgressLine::Terminal StandardError() {
  if (isatty(STDERR_FILENO) == 0) return {SteadySeconds, nullptr};
  return {SteadySeconds, WriteToStandardError};
}

}  // namespace

ProgressLine::ProgressLine(std::string label, int64_t total) : ProgressLine(std::move(label), total, StandardError()) {}

ProgressLine::ProgressLine(std::string label, int64_t total, Terminal terminal)
    : label_(std::move(label)),
      total_(total),
      terminal_(std::move(terminal)),
      start_(terminal_.seconds()),
      next_draw_(start_ + kFirstDrawSeconds) {}

ProgressLine::~ProgressLine() { Wipe(); }

void ProgressLine::Update(int64_t done) {
  if (terminal_.write == nullptr) return;
  const double now = terminal_.seconds();
  if (now < next_draw_.load(std::memory_order_relaxed)) return;
  std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // another thread is drawing
  next_draw_.store(now + kSecondsBetweenDraws, std::memory_order_relaxed);
  visible_ = true;
  SetProgressLineVisible(true);
  terminal_.write(absl::StrCat("\r", Text(done, now - start_), "\033[K"));
}

void ProgressLine::Wipe() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!visible_) return;
  visible_ = false;
  terminal_.write("\r\033[K");
  SetProgressLineVisible(false);
}

std::string ProgressLine::Text(int64_t done, double elapsed_seconds) const {
  if (total_ <= 0 || done <= 0) return absl::StrCat(label_, ": ", done, " done, ", FormatDuration(elapsed_seconds));
  done = std::min(done, total_);
  const double fraction = static_cast<double>(done) / static_cast<double>(total_);
  const double seconds_left = elapsed_seconds * (1 - fraction) / fraction;
  return absl::StrCat(label_, ": ", static_cast<int>(100 * fraction), " % (", done, " of ", total_, "), ",
                      FormatDuration(seconds_left), " left");
}

std::string FormatDuration(double seconds) {
  constexpr double kLongestShown = 1e15;
  const int64_t whole = static_cast<int64_t>(std::clamp(seconds, 0.0, kLongestShown));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

}  // namespace xla
