// The same on the compiling backend: finds the nearest neighbor of each of 1024 points among all others.
//
// The products of all pairs of points go to oneDNN, what becomes of them is a loop that LLVM compiles: the program
// lists who computes which step.
#include <cstdio>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/lib/reductions.h"
#include "xla_core/support/status_macros.h"

namespace {

constexpr int kPoints = 1024;
constexpr int kCoordinates = 64;

// f32[points, coordinates] -> s32[points]: the number of the point that is nearest to each.
absl::StatusOr<std::unique_ptr<xla::HloModule>> NearestNeighbors() {
  xla::ComputationBuilder b("nearest_neighbors");
  const xla::XlaOp points = b.Parameter(0, xla::Shape::Array(xla::F32, {kPoints, kCoordinates}), "points");
  const xla::Shape pairs = xla::Shape::Array(xla::S32, {kPoints, kPoints});
  // |x - y|^2 is |x|^2 + |y|^2 - 2 x y, and |x|^2 does not matter for the choice of y. No point is its own neighbor.
  const xla::XlaOp products = b.Dot(points, b.Transpose(points, {1, 0}));
  const xla::XlaOp squares = xla::ReduceSum(points * points, {1});
  const xla::XlaOp distances = b.Add(-2 * products, squares, {1});
  const xla::XlaOp is_same = b.Eq(b.Iota(pairs, 0), b.Iota(pairs, 1));
  const xla::XlaOp far = b.Broadcast(b.ConstantR0<float>(1e30f), {kPoints, kPoints});
  return b.BuildModule(xla::ArgMin(b.Select(is_same, far, distances), xla::S32, 1));
}

// Random points, each of the second half very close to one of the first half.
xla::Literal PointsInPairs() {
  std::mt19937 random(1);
  std::vector<float> coordinates(kPoints * kCoordinates);
  const size_t half = coordinates.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    coordinates[i] = static_cast<float>(random() % 1000) / 1000;
    coordinates[half + i] = coordinates[i] + static_cast<float>(random() % 100) / 10000;
  }
  return xla::Literal::FromValues<float>({kPoints, kCoordinates}, coordinates);
}

absl::Status FindNeighbors() {
  ASSIGN_OR_RETURN(std::unique_ptr<xla::HloModule> module, NearestNeighbors());
  ASSIGN_OR_RETURN(std::shared_ptr<xla::Client> client, xla::GetClient("cpu"));
  xla::CompileOptions options;
  options.optimization_level = 2;
  ASSIGN_OR_RETURN(std::unique_ptr<xla::Executable> program, client->Compile(std::move(module), options));
  for (const xla::PlannedStep& step : program->planned_steps()) {
    std::printf("%-7s computes %s\n", step.kind.c_str(), step.instruction->shape().ToString().c_str());
  }

  ASSIGN_OR_RETURN(const xla::Literal nearest, xla::ExecuteOnLiterals(*program, {PointsInPairs()}));
  int found = 0;
  for (int i = 0; i < kPoints; ++i) found += nearest.data<int32_t>()[i] == (i + kPoints / 2) % kPoints;
  std::printf("%d of %d points have found the one beside them\n", found, kPoints);
  return found == kPoints ? absl::OkStatus() : absl::InternalError("wrong neighbors");
}

}  // namespace

int main() {
  const absl::Status status = FindNeighbors();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
