// Linear regression: finds the line through a cloud of points by gradient descent.
//
// All 200 steps are one program: a While loop whose state, a tuple, goes round on the device. The host hands the points
// in and gets slope, intercept and the loss of every step back. At the end the line is compared with the formula for
// it.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"
#include "examples/helpers/random_numbers.h"
#include "examples/helpers/sparkline.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kPoints = 64;
constexpr int kSteps = 200;
constexpr float kLearningRate = 0.1f;

// ---- The program

// The state of the loop, a tuple of these.
enum StateElement { kStep, kSlope, kIntercept, kLosses, kX, kY };

Shape StateShape() {
  const Shape points = Shape::Array(F32, {kPoints});
  return Shape::Tuple(
      {Shape::Scalar(S32), Shape::Scalar(F32), Shape::Scalar(F32), Shape::Array(F32, {kSteps}), points, points});
}

// The mean over all points.
XlaOp Mean(ComputationBuilder& b, XlaOp values) {
  return b.ReduceAll(values, b.ConstantR0<float>(0), CreateScalarAddComputation(F32)) / kPoints;
}

// state -> whether to go on. (An error that the builder met is reported by the operation that gets the computation.)
XlaComputation Condition() {
  ComputationBuilder b("condition");
  const XlaOp state = b.Parameter(0, StateShape(), "state");
  return b.BuildOrError(b.Lt(b.GetTupleElement(state, kStep), b.ConstantR0<int32_t>(kSteps)));
}

// state -> state after one step against the gradient of mean((slope x + intercept - y)^2).
XlaComputation Body() {
  ComputationBuilder b("body");
  const XlaOp state = b.Parameter(0, StateShape(), "state");
  const XlaOp step = b.GetTupleElement(state, kStep);
  const XlaOp slope = b.GetTupleElement(state, kSlope), intercept = b.GetTupleElement(state, kIntercept);
  const XlaOp x = b.GetTupleElement(state, kX), y = b.GetTupleElement(state, kY);

  const XlaOp error = slope * x + intercept - y;
  const XlaOp loss = Mean(b, error * error);
  const XlaOp slope_gradient = 2 * Mean(b, error * x), intercept_gradient = 2 * Mean(b, error);

  const XlaOp losses =
      b.DynamicUpdateSlice(b.GetTupleElement(state, kLosses), b.Reshape(loss, {1}), b.Reshape(step, {1}));
  return b.BuildOrError(b.Tuple({step + 1, slope - kLearningRate * slope_gradient,
                                 intercept - kLearningRate * intercept_gradient, losses, x, y}));
}

// (x, y) -> (slope, intercept, losses)
absl::StatusOr<std::unique_ptr<HloModule>> Program() {
  ComputationBuilder b("linear_regression");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {kPoints}), "x");
  const XlaOp y = b.Parameter(1, Shape::Array(F32, {kPoints}), "y");
  const XlaOp zero = b.ConstantR0<float>(0);
  const XlaOp end =
      b.While(Condition(), Body(), b.Tuple({b.ConstantR0<int32_t>(0), zero, zero, b.Broadcast(zero, {kSteps}), x, y}));
  return b.BuildModule(
      b.Tuple({b.GetTupleElement(end, kSlope), b.GetTupleElement(end, kIntercept), b.GetTupleElement(end, kLosses)}));
}

// ---- Data and images

struct Points {
  std::vector<float> x, y;
};

// Points near the line y = 2.5 x - 0.75.
Points MakePoints() {
  RandomNumbers random(42);
  Points points;
  for (int i = 0; i < kPoints; ++i) {
    const float x = random.Uniform(-1, 1);
    const float noise = random.Uniform(-0.6f, 0.6f) + random.Uniform(-0.6f, 0.6f);
    points.x.push_back(x);
    points.y.push_back(2.5f * x - 0.75f + noise);
  }
  return points;
}

// The line of least squares by its formula.
struct Line {
  double slope, intercept;
};
Line LeastSquares(const Points& points) {
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (int i = 0; i < kPoints; ++i) {
    sum_x += points.x[i];
    sum_y += points.y[i];
    sum_xx += points.x[i] * points.x[i];
    sum_xy += points.x[i] * points.y[i];
  }
  const double slope = (kPoints * sum_xy - sum_x * sum_y) / (kPoints * sum_xx - sum_x * sum_x);
  return {slope, (sum_y - slope * sum_x) / kPoints};
}

void PlotPointsAndLine(const Points& points, float slope, float intercept) {
  constexpr int kWidth = 64, kHeight = 15;
  constexpr float kTop = 3, kBottom = -4;  // two rows for each unit
  std::vector<std::string> rows(kHeight, std::string(kWidth, ' '));
  const auto plot = [&](float x, float y, char mark) {
    const int column = static_cast<int>(std::lround((x + 1) / 2 * (kWidth - 1)));
    const int row = static_cast<int>(std::lround((kTop - y) / (kTop - kBottom) * (kHeight - 1)));
    if (row >= 0 && row < kHeight && column >= 0 && column < kWidth) rows[row][column] = mark;
  };
  for (int i = 0; i < kWidth; ++i) {
    const float x = -1 + 2.0f * i / (kWidth - 1);
    plot(x, slope * x + intercept, '-');
  }
  for (int i = 0; i < kPoints; ++i) plot(points.x[i], points.y[i], 'o');
  for (int row = 0; row < kHeight; ++row) {
    const std::string label = row % 4 == 0 ? std::to_string(3 - row / 2) : "";
    std::printf("%3s |%s\n", label.c_str(), rows[row].c_str());
  }
  std::printf("    +%s\n    -1%*s\n\n", std::string(kWidth, '-').c_str(), kWidth - 1, "x = 1");
}

absl::Status Run() {
  const Points points = MakePoints();
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, Program());
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("interpreter"));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> train, client->Compile(std::move(module)));
  ASSIGN_OR_RETURN(const Literal result, ExecuteOnLiterals(*train, {Literal::FromValues<float>({kPoints}, points.x),
                                                                    Literal::FromValues<float>({kPoints}, points.y)}));
  const float slope = *result.element(0).data<float>(), intercept = *result.element(1).data<float>();
  const absl::Span<const float> losses = result.element(2).span<float>();

  std::printf("%d points near y = 2.5 x - 0.75, and the line found in %d steps:\n\n", kPoints, kSteps);
  PlotPointsAndLine(points, slope, intercept);
  std::printf("loss  %s\n\n", Sparkline(losses.subspan(0, 120)).c_str());
  std::printf("  step      loss\n");
  for (int step : {0, 1, 5, 10, 20, 50, 100, kSteps - 1}) std::printf("%6d  %8.5f\n", step, losses[step]);

  const Line best = LeastSquares(points);
  std::printf("\n                     slope  intercept\n");
  std::printf("gradient descent  %8.5f   %8.5f\n", slope, intercept);
  std::printf("least squares     %8.5f   %8.5f\n", best.slope, best.intercept);
  if (std::abs(slope - best.slope) + std::abs(intercept - best.intercept) > 1e-3) {
    return absl::InternalError("gradient descent has not arrived at the line of least squares");
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

int main() {
  const absl::Status status = xla::Run();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
