// KeptThunk: a thunk whose results are kept from run to run.
#ifndef BACKENDS_RUNTIME_KEPT_THUNK_H_
#define BACKENDS_RUNTIME_KEPT_THUNK_H_

#include <memory>
#include <utility>

#include "backends/runtime/thunk.h"

namespace xla {

// Does nothing in runs that find the results where they belong (ExecuteContext::has_kept_values).
class KeptThunk : public Thunk {
 public:
  explicit KeptThunk(std::unique_ptr<Thunk> thunk) : Thunk(thunk->info()), thunk_(std::move(thunk)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    return context.has_kept_values ? absl::OkStatus() : thunk_->Execute(context);
  }

 private:
  const std::unique_ptr<Thunk> thunk_;
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_KEPT_THUNK_H_
