#include "xla_core/ops/scalar_function.h"

#include <cstring>
#include <vector>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Runs the computation itself for every element.
class CalledFunction : public ScalarFunction {
 public:
  explicit CalledFunction(const HloComputation& computation) : computation_(computation) {
    for (const HloInstruction* parameter : computation.parameters())
      types_.push_back(parameter->shape().element_type());
    parameter_count_ = static_cast<int>(types_.size());
    const Shape& result = computation.root()->shape();
    result_count_ = result.IsTuple() ? result.tuple_size() : 1;
  }

  absl::Status Apply(int64_t n, absl::Span<const LaneInput> inputs, absl::Span<void* const> results,
                     EvalContext& context) const override {
    for (int64_t i = 0; i < n; ++i) {
      std::vector<Literal> arguments;
      arguments.reserve(types_.size());
      for (size_t k = 0; k < types_.size(); ++k) {
        arguments.push_back(
            Literal::ScalarOf(types_[k], static_cast<const char*>(inputs[k].data) + i * inputs[k].stride));
      }
      ASSIGN_OR_RETURN(Literal result, context.Call(computation_, std::move(arguments)));
      for (size_t k = 0; k < results.size(); ++k) {
        const Literal& element = result.IsTuple() ? result.element(static_cast<int>(k)) : result;
        const int64_t width = element.size_bytes();
        std::memcpy(static_cast<char*>(results[k]) + i * width, element.untyped_data(), width);
      }
    }
    return absl::OkStatus();
  }

 private:
  const HloComputation& computation_;
  std::vector<PrimitiveType> types_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ScalarFunction>> ScalarFunction::Compile(const HloComputation& computation) {
  return std::unique_ptr<ScalarFunction>(std::make_unique<CalledFunction>(computation));
}

}  // namespace xla
