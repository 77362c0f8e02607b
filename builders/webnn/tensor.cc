#include "builders/webnn/tensor.h"

namespace xla {
namespace webnn {

void MLTensor::destroy() {
  std::shared_ptr<Buffer> value;  // goes when the lock is not held any more
  Literal constant;
  std::lock_guard<std::mutex> lock(mutex_);
  destroyed_ = true;
  value = std::move(value_);
  constant = std::move(constant_);
}

bool MLTensor::is_destroyed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return destroyed_;
}

std::shared_ptr<Buffer> MLTensor::value() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return value_;
}

void MLTensor::SetValue(std::shared_ptr<Buffer> value) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!destroyed_) value_.swap(value);
}

Literal MLTensor::constant_value() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return constant_;
}

}  // namespace webnn
}  // namespace xla
