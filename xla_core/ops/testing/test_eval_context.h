// For the tests of op evaluators that are not cases of HLO text: an EvalContext of one device that runs on the calling
// thread, and a builder of small computations, so that such a test needs neither the parser nor the evaluator.
//
//   TestComputation c;
//   auto* x = c.Parameter(0, Shape::Array(F32, {2}));
//   c.Add(HloOpcode::kNegate, x->shape(), {x});
//   TestEvalContext context;
//   absl::StatusOr<Literal> result = context.Call(c.computation(), {Literal::Vector<float>({1, 2})});
#ifndef XLA_CORE_OPS_TESTING_TEST_EVAL_CONTEXT_H_
#define XLA_CORE_OPS_TESTING_TEST_EVAL_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// Collectives and channels are Unimplemented.
class TestEvalContext : public EvalContext {
 public:
  absl::StatusOr<Literal> Allocate(const Shape& shape) override { return Literal::Allocate(shape, memory_budget()); }
  absl::StatusOr<Literal> AllocateZeros(const Shape& shape) override { return Literal::Zeros(shape, memory_budget()); }
  // Unlimited, and never destroyed, so that results may outlive the context.
  MemoryBudget* memory_budget() override;
  // In blocks of `grain`, so that a test sees more than one block.
  absl::Status ParallelFor(int64_t count, int64_t grain,
                           const std::function<void(int64_t begin, int64_t end)>& body) override;
  absl::Status CheckDeadline() override { return absl::OkStatus(); }
  // Evaluates every instruction in order through the op table; operands that are not used again are owned.
  absl::StatusOr<Literal> Call(const HloComputation& computation, std::vector<Literal> arguments) override;
  absl::StatusOr<const ScalarFunction*> GetScalarFunction(const HloComputation& computation) override;
  std::pair<uint64_t, uint64_t> AdvanceRngState(uint64_t delta) override;
  uint64_t seed() override { return 42; }
  DeviceInfo device() override { return DeviceInfo(); }
  absl::StatusOr<Contributions> Exchange(const HloInstruction& instruction, absl::Span<const int64_t> group,
                                         std::vector<Literal> mine) override;
  absl::Status Send(int64_t channel, int64_t peer, Literal value) override;
  absl::StatusOr<Literal> Receive(int64_t channel, int64_t peer, const HloInstruction& instruction) override;
  absl::StatusOr<Literal> Infeed(const HloInstruction& instruction, const Shape& shape) override;
  absl::Status Outfeed(const HloInstruction& instruction, Literal value) override;

 private:
  std::map<const HloComputation*, std::unique_ptr<ScalarFunction>> scalar_functions_;
  std::pair<uint64_t, uint64_t> rng_state_ = {0, 0};
};

// A computation under construction. The instruction added last is the root.
class TestComputation {
 public:
  explicit TestComputation(std::string name = "test") : computation_(std::move(name)) {}

  HloInstruction* Parameter(int64_t number, const Shape& shape);
  HloInstruction* Constant(Literal value);
  template <typename T>
  HloInstruction* ConstantScalar(T value) {
    return Constant(Literal::Scalar<T>(value));
  }
  // With default attributes if the opcode has any: set them through mutable_attributes<T>().
  HloInstruction* Add(HloOpcode opcode, const Shape& shape, std::vector<HloInstruction*> operands,
                      std::vector<HloComputation*> called = {});
  // With the shape that the op table infers, which must succeed.
  HloInstruction* AddInferred(HloOpcode opcode, std::vector<HloInstruction*> operands,
                              std::vector<HloComputation*> called = {});
  HloComputation& computation() { return computation_; }

 private:
  HloInstruction* AddNamed(HloOpcode opcode, const Shape& shape);

  HloComputation computation_;
};

using SetAttributes = std::function<void(HloInstruction& instruction)>;

// The value of one operation, given the values of its operands.
absl::StatusOr<Literal> EvaluateOp(HloOpcode opcode, const Shape& shape, std::vector<Literal> operands,
                                   const SetAttributes& set_attributes = nullptr,
                                   std::vector<HloComputation*> called = {});

// For an operation over parameters of these shapes, the messages of infer_shape, verify and the comparison of both
// shapes, joined by newlines, and then "warning: " and what is odd; "" if there are none.
std::string ViolationsOf(HloOpcode opcode, const Shape& shape, const std::vector<Shape>& operands,
                         const SetAttributes& set_attributes = nullptr, std::vector<HloComputation*> called = {});

// The shape that the op table infers for an operation over parameters of these shapes.
absl::StatusOr<Shape> InferredShapeOf(HloOpcode opcode, const std::vector<Shape>& operands,
                                      const SetAttributes& set_attributes = nullptr,
                                      std::vector<HloComputation*> called = {});

}  // namespace xla

#endif  // XLA_CORE_OPS_TESTING_TEST_EVAL_CONTEXT_H_
