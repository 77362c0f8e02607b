// MLTensor of later editions: an array in the memory of a context's device.
#ifndef BUILDERS_WEBNN_TENSOR_H_
#define BUILDERS_WEBNN_TENSOR_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/value.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

class MLContext;

// readTensor needs `readable`, writeTensor `writable`; dispatch needs neither.
struct MLTensorDescriptor : MLOperandDescriptor {
  MLTensorDescriptor() = default;
  explicit MLTensorDescriptor(MLOperandDescriptor descriptor, bool is_readable = false, bool is_writable = false)
      : MLOperandDescriptor(std::move(descriptor)), readable(is_readable), writable(is_writable) {}
  bool readable = false;
  bool writable = false;
};

// A tensor is a place that holds a value. Values never change: to write is to put another one in the place, and to run
// is to put results there that become ready later. That is what keeps writing, dispatching and reading in order.
class MLTensor {
 public:
  // Made by MLContext. `context` is compared, not used.
  MLTensor(const MLContext* context, MLTensorDescriptor descriptor, std::shared_ptr<Buffer> value)
      : context_(context), descriptor_(std::move(descriptor)), value_(std::move(value)) {}
  // A constant tensor.
  MLTensor(const MLContext* context, MLOperandDescriptor descriptor, Literal constant)
      : context_(context), descriptor_(std::move(descriptor)), constant_(std::move(constant)), is_constant_(true) {}

  MLOperandDataType dataType() const { return descriptor_.dataType; }
  const std::vector<uint32_t>& shape() const { return descriptor_.dimensions; }
  bool readable() const { return descriptor_.readable; }
  bool writable() const { return descriptor_.writable; }
  bool constant() const { return is_constant_; }
  const MLTensorDescriptor& descriptor() const { return descriptor_; }

  // The value goes as soon as nothing needs it any more. May be called again.
  void destroy();
  bool is_destroyed() const;

  // ---- For the context and the builder
  const MLContext* context() const { return context_; }
  std::shared_ptr<Buffer> value() const;
  void SetValue(std::shared_ptr<Buffer> value);
  // Of a constant tensor that is not destroyed; else invalid.
  Literal constant_value() const;

 private:
  const MLContext* const context_;
  const MLTensorDescriptor descriptor_;
  mutable std::mutex mutex_;
  std::shared_ptr<Buffer> value_;
  Literal constant_;
  const bool is_constant_ = false;
  bool destroyed_ = false;
};

using MLNamedTensors = Named<std::shared_ptr<MLTensor>>;

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_TENSOR_H_
