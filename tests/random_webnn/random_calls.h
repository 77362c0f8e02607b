// Random calls of an MLGraphBuilder: such that it is to accept them, and such that it may not.
#ifndef TESTS_RANDOM_WEBNN_RANDOM_CALLS_H_
#define TESTS_RANDOM_WEBNN_RANDOM_CALLS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "builders/webnn/graph_builder.h"
#include "tests/random_webnn/call_recipes.h"
#include "xla_core/support/random_source.h"
#include "xla_core/types/literal.h"

namespace xla {

// What has to hold of a graph.
enum class ValueCare {
  kNone,
  // Results of two backends, of which each rounds in its own way, can be compared: nothing discrete is made of what was
  // rounded, and no operator magnifies a difference. Float inputs have to be from 1/4 to 2.
  kComparable,
};

class RandomGraphCalls : public OperandSource {
 public:
  // The builder outlives the object. What is made depends on the seed and on what the builder accepts, nothing else.
  RandomGraphCalls(webnn::MLGraphBuilder& builder, uint64_t seed, ValueCare care)
      : builder_(builder), random_(seed), care_(care) {}

  // A call of any operator whose operands and options fit; inputs and constants are added as they are needed.
  RandomGraphCall FittingCall();
  // The same with something changed, left out or added.
  RandomGraphCall OddCall();
  // Makes the call. If the builder accepts it, its results are operands of later calls.
  absl::StatusOr<std::vector<webnn::MLOperand>> Make(const RandomGraphCall& call);

  // An operand of another builder, for odd calls to use.
  void AddStranger(webnn::MLOperand stranger) { strangers_.push_back(std::move(stranger)); }

  // The results of the calls so far.
  const std::vector<webnn::MLOperand>& results() const { return results_; }
  RandomSource& random() { return random_; }

  webnn::MLOperand Like(const webnn::MLOperandDescriptor& descriptor) override;
  webnn::MLOperand Any(webnn::DataTypeSet types, int min_rank, int max_rank) override;
  webnn::MLActivation Activation(const std::string& name) override;
  webnn::MLOperand Weights(const webnn::MLOperandDescriptor& descriptor) override;
  bool MayWriteTwice() const override { return care_ == ValueCare::kNone; }
  webnn::MLOperand Constant(Literal value) override;

  // Elements for an input: floats from 1/4 to 2, integers from 0 to 3.
  static Literal ElementsFor(const webnn::MLOperandDescriptor& descriptor, uint64_t seed);

 private:
  // What is known of an operand of float type.
  struct Facts {
    int roundings = 0;     // operators on the way to it that backends may round differently
    bool positive = true;  // so that sums do not cancel
  };

  Facts FactsOf(const RandomGraphCall& call) const;
  void Collect(const webnn::MLValue& value, Facts* facts) const;
  webnn::MLValue OddValue(const webnn::MLValue& value);

  webnn::MLGraphBuilder& builder_;
  RandomSource random_;
  const ValueCare care_;
  int64_t input_count_ = 0;
  std::vector<webnn::MLOperand> operands_;
  std::vector<webnn::MLOperand> results_;
  std::vector<webnn::MLOperand> strangers_;
  absl::flat_hash_map<const webnn::OperandNode*, Facts> facts_;
};

}  // namespace xla

#endif  // TESTS_RANDOM_WEBNN_RANDOM_CALLS_H_
