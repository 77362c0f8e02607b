#include <vector>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

using RecurrentTest = OperatorTest;

// All gates are linear, so that states can be worked out by hand.
TEST_F(RecurrentTest, GoesThroughLongAndShortSequencesInBothDirections) {
  const std::vector<MLActivation> linear = {builder.relu().value(), builder.relu().value(), builder.relu().value()};
  for (const uint32_t steps : {3u, 12u}) {  // without and with a loop
    SCOPED_TRACE(steps);
    // i = o = f = g = 1, whatever comes in: the cell state counts the steps, and is the hidden state too.
    const MLOperand input = Counting({steps, 1, 1});
    const MLOperand weight = Constant<float>({2, 4, 1}, std::vector<float>(8, 0));
    MLLstmOptions options;
    options.bias = Constant<float>({2, 4}, std::vector<float>(8, 1));
    options.activations = linear;
    options.returnSequence = true;
    options.direction = MLRecurrentNetworkDirection::kBoth;
    const auto results = builder.lstm(input, weight, weight, steps, 1, options);
    ASSERT_TRUE(results.ok()) << results.status();
    std::vector<float> sequence;
    for (uint32_t t = 0; t < steps; ++t) {
      sequence.push_back(static_cast<float>(t + 1));
      sequence.push_back(static_cast<float>(steps - t));
    }
    EXPECT_THAT(Floats((*results)[0]), ElementsAre(steps, steps));
    EXPECT_THAT(Floats((*results)[1]), ElementsAre(steps, steps));
    EXPECT_THAT(Floats((*results)[2]), ElementsAreArray(sequence));
  }
}

TEST_F(RecurrentTest, ResetsBeforeOrAfterTheProduct) {
  MLGruCellOptions options;
  options.activations = {builder.relu().value(), builder.relu().value()};
  options.bias = Constant<float>({3}, {0, 2, 0});            // z = 0, r = 2
  options.recurrentBias = Constant<float>({3}, {0, 0, 10});  // of the new gate
  const MLOperand weight = Constant<float>({3, 1}, {0, 0, 1});
  const MLOperand recurrent = Constant<float>({3, 1}, {0, 0, 3});
  const MLOperand input = Constant<float>({1, 1}, {1}), hidden = Constant<float>({1, 1}, {5});
  // n = x + r * (3 h + 10), then n = x + 10 + 3 (r h).
  EXPECT_THAT(Floats(builder.gruCell(input, weight, recurrent, hidden, 1, options)), ElementsAre(1 + 2 * 25));
  options.resetAfter = false;
  EXPECT_THAT(Floats(builder.gruCell(input, weight, recurrent, hidden, 1, options)), ElementsAre(1 + 10 + 30));
}

TEST_F(RecurrentTest, NamesTheRuleThatIsBroken) {
  MLGruOptions options;
  const MLOperand input = Input({2, 3, 4}), weight = Input({1, 15, 4}), recurrent = Input({1, 15, 5});
  EXPECT_EQ(BrokenRule(builder.gru(input, weight, recurrent, 3, 5)), "steps");
  EXPECT_EQ(BrokenRule(builder.gru(input, weight, recurrent, 2, 4)), "weight: shape");
  options.bias = Input({15});
  EXPECT_EQ(BrokenRule(builder.gru(input, weight, recurrent, 2, 5, options)), "bias: shape");
  options.bias = absl::nullopt;
  options.activations = {builder.relu().value()};
  EXPECT_EQ(BrokenRule(builder.gru(input, weight, recurrent, 2, 5, options)), "activations: size");
  options.activations = absl::nullopt;
  options.returnSequence = true;
  const auto results = builder.gru(input, weight, recurrent, 2, 5, options);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 2);
  EXPECT_THAT((*results)[1].shape(), ElementsAre(2, 1, 3, 5));
}

TEST_F(RecurrentTest, ReadsGatesInTheOrderOfTheLayout) {
  MLGruCellOptions gru;
  gru.activations = {builder.relu().value(), builder.relu().value()};
  gru.recurrentBias = Constant<float>({3}, {0, 0, 10});
  const MLOperand zeros = Constant<float>({3, 1}, {0, 0, 0});
  const MLOperand one = Constant<float>({1, 1}, {1});
  // z = 0, r = 2, n = r * 10.
  gru.bias = Constant<float>({3}, {0, 2, 0});
  EXPECT_THAT(Floats(builder.gruCell(one, zeros, zeros, one, 1, gru)), ElementsAre(20));
  gru.bias = Constant<float>({3}, {2, 0, 0});
  gru.layout = MLGruWeightLayout::kRzn;
  EXPECT_THAT(Floats(builder.gruCell(one, zeros, zeros, one, 1, gru)), ElementsAre(20));

  MLLstmCellOptions lstm;
  lstm.activations = {builder.relu().value(), builder.relu().value(), builder.relu().value()};
  const MLOperand weight = Constant<float>({4, 1}, {0, 0, 0, 0}), cell = Constant<float>({1, 1}, {7});
  const auto states = [&](const std::vector<float>& bias) {
    lstm.bias = Constant<float>({4}, bias);
    const auto results = builder.lstmCell(one, weight, weight, one, cell, 1, lstm).value();
    return std::vector<float>{Floats(results[0])[0], Floats(results[1])[0]};
  };
  // i = 1, o = 2, f = 3, g = 5: the cell is f * 7 + i * g, the hidden state o times that.
  EXPECT_THAT(states({1, 2, 3, 5}), ElementsAre(52, 26));
  lstm.layout = MLLstmWeightLayout::kIfgo;
  EXPECT_THAT(states({1, 3, 5, 2}), ElementsAre(52, 26));
}

TEST_F(RecurrentTest, NamesTheRuleOfLstmThatIsBroken) {
  const MLOperand input = Input({2, 3, 4}), weight = Input({1, 20, 4}), recurrent = Input({1, 20, 5});
  MLLstmOptions options;
  const auto rule = [&] { return BrokenRule(builder.lstm(input, weight, recurrent, 2, 5, options)); };
  options.peepholeWeight = Input({1, 15});
  options.initialCellState = Input({1, 3, 5});
  EXPECT_EQ(rule(), "");
  options.peepholeWeight = Input({1, 20});
  EXPECT_EQ(rule(), "peepholeWeight: shape");
  options.peepholeWeight = absl::nullopt;
  options.initialCellState = Input({1, 5, 3});
  EXPECT_EQ(rule(), "initialCellState: shape");
  options = {};
  options.activations = {builder.relu().value(), builder.relu().value()};
  EXPECT_EQ(rule(), "activations: size");
  options = {};
  options.direction = MLRecurrentNetworkDirection::kBoth;
  EXPECT_EQ(rule(), "weight: shape") << "weights of two directions";
  options = {};
  options.returnSequence = true;
  const auto results = builder.lstm(input, weight, recurrent, 2, 5, options);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 3u);
  EXPECT_THAT((*results)[1].shape(), ElementsAre(1, 3, 5));
  EXPECT_THAT((*results)[2].shape(), ElementsAre(2, 1, 3, 5));
}

TEST_F(RecurrentTest, CellsCheckTheirStates) {
  const MLOperand input = Input({3, 4}), weight = Input({20, 4}), recurrent = Input({20, 5}), state = Input({3, 5});
  EXPECT_EQ(BrokenRule(builder.lstmCell(input, weight, recurrent, state, state, 5)), "");
  EXPECT_EQ(BrokenRule(builder.lstmCell(input, weight, recurrent, Input({5, 3}), state, 5)), "hiddenState: shape");
  EXPECT_EQ(BrokenRule(builder.lstmCell(input, weight, recurrent, state, Input({3, 4}), 5)), "cellState: shape");
  const MLOperand half = Input({3, 5}, MLOperandDataType::kFloat16);
  EXPECT_EQ(BrokenRule(builder.lstmCell(input, weight, recurrent, state, half, 5)), "cellState: dtype");
  EXPECT_EQ(BrokenRule(builder.gruCell(input, Input({15, 4}), Input({15, 5}), Input({3, 4}), 5)), "hiddenState: shape");
  EXPECT_EQ(BrokenRule(builder.gruCell(input, Input({15, 4}), recurrent, state, 5)), "recurrentWeight: shape");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
