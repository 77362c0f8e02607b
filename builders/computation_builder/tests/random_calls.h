// Random calls of a ComputationBuilder: any method, with operands, shapes and numbers that mostly make sense and
// sometimes none at all.
#ifndef BUILDERS_COMPUTATION_BUILDER_TESTS_RANDOM_CALLS_H_
#define BUILDERS_COMPUTATION_BUILDER_TESTS_RANDOM_CALLS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// A program under construction, and the chances that decide about it. Equal seeds make equal calls.
class RandomCalls {
 public:
  RandomCalls(ComputationBuilder* b, uint64_t seed) : b_(b), state_(seed * 2 + 1) {}

  ComputationBuilder& b() { return *b_; }
  // Makes the chances of what follows depend on `seed` and on nothing before.
  void Reseed(uint64_t seed) { state_ = seed * 2 + 1; }
  // What later calls may take as operands.
  void Keep(XlaOp op) { values_.push_back(op); }
  absl::Span<const XlaOp> values() const { return values_; }

  // 0 <= result < limit
  int Below(int limit);
  bool Once(int in) { return Below(in) == 0; }
  // Mostly 0 to 3; now and then negative or huge.
  int64_t Number();
  std::vector<int64_t> Numbers(size_t count);
  // One for each dimension of the operand, or a few more or less.
  size_t Count(XlaOp operand);
  int64_t Dimension(XlaOp operand);
  std::vector<int64_t> Dimensions(XlaOp operand);
  std::vector<int64_t> Permutation(XlaOp operand);
  std::vector<std::pair<int64_t, int64_t>> Pairs(size_t count);
  PrimitiveType Type();
  xla::Shape Shape();

  XlaOp Value();
  // Any value at all, or one whose shape is the same as that of `like`, if there is one.
  XlaOp ValueLike(XlaOp like);
  // A value of the type, if there is one; of rank 0 for scalars.
  XlaOp ValueOf(PrimitiveType type);
  XlaOp ScalarOf(PrimitiveType type);
  std::vector<XlaOp> Values();
  std::vector<XlaOp> ValuesLike(XlaOp like);
  PrimitiveType TypeOf(XlaOp op) { return b_->ShapeOrInvalid(op).element_type(); }

  // Of two scalars of the type to one, or to a pred; or of something else.
  XlaComputation Binary(PrimitiveType type);
  XlaComputation Predicate(PrimitiveType type);
  // Of one argument of the shape of `argument`.
  XlaComputation Body(XlaOp argument);
  XlaComputation Condition(XlaOp argument);

 private:
  ComputationBuilder* b_;
  uint64_t state_;
  std::vector<XlaOp> values_;
};

struct RandomCall {
  const char* name;
  XlaOp (*make)(RandomCalls& r);
};
// One for each method, or a few for a method of several forms.
absl::Span<const RandomCall> AllRandomCalls();

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_TESTS_RANDOM_CALLS_H_
