// What all work on one input of a fuzzer may take, and how it must end if it is cancelled when it begins.
#ifndef TESTS_FUZZ_INPUT_LIMITS_H_
#define TESTS_FUZZ_INPUT_LIMITS_H_

#include <memory>

#include "absl/status/status.h"
#include "xla_core/support/cancellation.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Far more than honest work on an input of a fuzzer's size takes.
class InputLimits {
 public:
  InputLimits() : cancellation_(std::make_shared<Cancellation>()) { cancellation_->Cancel(); }

  const ResourceContext* resources() const { return &resources_; }
  const ResourceContext* cancelled() const { return &cancelled_; }

 private:
  static ResourceLimits Limits(std::shared_ptr<const Cancellation> cancellation);

  const std::shared_ptr<Cancellation> cancellation_;
  const ResourceContext resources_{Limits(nullptr), "fuzzing"};
  const ResourceContext cancelled_{Limits(cancellation_), "fuzzing"};
};

// Whether `status`, of work within cancelled(), is Cancelled with a message, or what the work gives otherwise if it is
// done before it looks.
bool EndsEarlyOrAs(const absl::Status& status, const absl::Status& otherwise);

}  // namespace xla

#endif  // TESTS_FUZZ_INPUT_LIMITS_H_
