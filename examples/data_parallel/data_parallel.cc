// Data-parallel training: four replicas learn from a quarter of the points each, and add up their gradients with
// CrossReplicaSum after every step.
//
// A network with one hidden layer learns to tell two half moons apart. Each replica has its own copy of the weights. As
// all start with the same weights and apply the same sum of gradients, the copies stay equal to the last bit, without
// ever being sent. Trained by a single device on all points, the weights come out the same except for rounding.
//
//   data_parallel [--backend interpreter|cpu] [--processes 1|2|4]
//
// The replicas may be in several processes, evenly divided. The weights have the same bits, however they are divided.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"
#include "examples/helpers/random_numbers.h"
#include "examples/helpers/run_processes.h"
#include "examples/helpers/sparkline.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kReplicas = 4;
constexpr int kPoints = 128;  // on all replicas together
constexpr int kHidden = 16;
constexpr int kSteps = 300;
constexpr float kLearningRate = 1.0f;

// ---- The network: score(x) = tanh(x w1 + b1) w2 + b2; a point belongs to the upper moon if its score is positive.

Shape Matrix(int64_t rows, int64_t columns) { return Shape::Array(F32, {rows, columns}); }

struct Weights {
  XlaOp w1, b1, w2, b2;
};
constexpr int kWeightCount = 4;

// The first four parameters of the programs below.
Weights WeightParameters(ComputationBuilder& b) {
  return {b.Parameter(0, Matrix(2, kHidden), "w1"), b.Parameter(1, Shape::Array(F32, {kHidden}), "b1"),
          b.Parameter(2, Matrix(kHidden, 1), "w2"), b.Parameter(3, Shape::Array(F32, {1}), "b2")};
}

XlaOp Hidden(ComputationBuilder& b, const Weights& w, XlaOp points) {
  return b.Tanh(b.Add(b.Dot(points, w.w1), w.b1, {1}));
}
XlaOp Scores(ComputationBuilder& b, const Weights& w, XlaOp hidden) { return b.Add(b.Dot(hidden, w.w2), w.b2, {1}); }

XlaOp Sum(ComputationBuilder& b, XlaOp values, ArraySlice<int64_t> dimensions) {
  return b.Reduce(values, b.ConstantR0<float>(0), CreateScalarAddComputation(F32), dimensions);
}

// (weights.., points, labels) -> (next weights.., loss), for `replicas` replicas that have kPoints / replicas each.
absl::StatusOr<std::unique_ptr<HloModule>> TrainingStep(int replicas) {
  const int points_here = kPoints / replicas;
  ComputationBuilder b("training_step");
  b.SetDeviceCounts(replicas);
  const Weights w = WeightParameters(b);
  const XlaOp points = b.Parameter(4, Matrix(points_here, 2), "points");
  const XlaOp labels = b.Parameter(5, Matrix(points_here, 1), "labels");  // 1: upper moon, 0: lower

  const XlaOp hidden = Hidden(b, w, points);
  const XlaOp scores = Scores(b, w, hidden);
  // Cross entropy of logistic(score), written so that nothing overflows.
  const XlaOp losses = b.Max(scores, b.ConstantR0<float>(0)) - scores * labels + b.Log1p(b.Exp(-b.Abs(scores)));

  // The chain rule, backwards through the network. Losses are means over all points, wherever they are.
  const XlaOp scores_gradient = (b.Logistic(scores) - labels) / kPoints;
  const XlaOp sums_gradient = b.Dot(scores_gradient, b.Transpose(w.w2, {1, 0})) * (1 - hidden * hidden);
  const Weights gradients = {b.Dot(b.Transpose(points, {1, 0}), sums_gradient), Sum(b, sums_gradient, {0}),
                             b.Dot(b.Transpose(hidden, {1, 0}), scores_gradient), Sum(b, scores_gradient, {0})};

  // The one place where replicas meet.
  const auto next = [&b](XlaOp weight, XlaOp gradient) { return weight - kLearningRate * b.CrossReplicaSum(gradient); };
  return b.BuildModule(b.Tuple({next(w.w1, gradients.w1), next(w.b1, gradients.b1), next(w.w2, gradients.w2),
                                next(w.b2, gradients.b2), b.CrossReplicaSum(Sum(b, losses, {0, 1})) / kPoints}));
}

// (weights..) -> the weights of all replicas, one after the other along a new first dimension
absl::StatusOr<std::unique_ptr<HloModule>> Gathering() {
  ComputationBuilder b("gathering");
  b.SetDeviceCounts(kReplicas);
  const Weights w = WeightParameters(b);
  const auto gather = [&b](XlaOp weight, std::vector<int64_t> dimensions) {
    dimensions.insert(dimensions.begin(), 1);
    return b.AllGather(b.Reshape(weight, dimensions), /*all_gather_dimension=*/0, /*shard_count=*/kReplicas);
  };
  return b.BuildModule(
      b.Tuple({gather(w.w1, {2, kHidden}), gather(w.b1, {kHidden}), gather(w.w2, {kHidden, 1}), gather(w.b2, {1})}));
}

// (weights.., points) -> scores
absl::StatusOr<std::unique_ptr<HloModule>> Scoring(int points) {
  ComputationBuilder b("scoring");
  const Weights w = WeightParameters(b);
  return b.BuildModule(Scores(b, w, Hidden(b, w, b.Parameter(4, Matrix(points, 2), "points"))));
}

// ---- Data

struct Moons {
  std::vector<float> points;  // x, y, x, y ...
  std::vector<float> labels;
};

// Points on two half circles that reach into each other, a little blurred.
Moons MakeMoons() {
  RandomNumbers random(11);
  Moons moons;
  for (int i = 0; i < kPoints; ++i) {
    const bool upper = i % 2 == 0;
    const float angle = random.Uniform(0, 3.14159265f);
    const float x = upper ? std::cos(angle) : 1 - std::cos(angle), y = upper ? std::sin(angle) : 0.5f - std::sin(angle);
    moons.points.push_back(x + random.Uniform(-0.15f, 0.15f));
    moons.points.push_back(y + random.Uniform(-0.15f, 0.15f));
    moons.labels.push_back(upper ? 1.0f : 0.0f);
  }
  return moons;
}

std::vector<Literal> InitialWeights() {
  RandomNumbers random(3);
  const auto uniform = [&random](std::vector<int64_t> dimensions, int64_t count, float limit) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(random.Uniform(-limit, limit));
    return Literal::FromValues<float>(dimensions, values);
  };
  return {uniform({2, kHidden}, 2 * kHidden, 1), uniform({kHidden}, kHidden, 1), uniform({kHidden, 1}, kHidden, 0.5f),
          uniform({1}, 1, 0.5f)};
}

// ---- Training

struct Trained {
  // By replica of this process: its weights, points, labels.
  std::vector<BufferList> state;
  std::vector<float> losses;  // by step
};

// Sends the replica's share of the points, and the weights, to its device.
absl::StatusOr<BufferList> SendArguments(Client& client, Device& device, const Moons& moons, int replica,
                                         int replicas) {
  std::vector<Literal> arguments = InitialWeights();
  const int64_t here = kPoints / replicas;
  const auto points = absl::MakeConstSpan(moons.points).subspan(replica * here * 2, here * 2);
  const auto labels = absl::MakeConstSpan(moons.labels).subspan(replica * here, here);
  arguments.push_back(Literal::FromValues<float>({here, 2}, points));
  arguments.push_back(Literal::FromValues<float>({here, 1}, labels));
  BufferList buffers;
  for (Literal& argument : arguments) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client.BufferFromLiteral(std::move(argument), device));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::vector<std::vector<Buffer*>> FirstOf(const std::vector<BufferList>& state, size_t count) {
  std::vector<std::vector<Buffer*>> buffers;
  for (const BufferList& list : state) {
    buffers.emplace_back();
    for (size_t k = 0; k < count; ++k) buffers.back().push_back(list[k].get());
  }
  return buffers;
}

// The weights stay on the devices from step to step: what one step returns is an argument of the next. devices() are
// those of this process, and a device's id is the number of its replica.
absl::StatusOr<Trained> Train(Client& client, const Moons& moons, int replicas) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, TrainingStep(replicas));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> step, client.Compile(std::move(module)));
  Trained trained;
  for (Device* const device : step->devices()) {
    ASSIGN_OR_RETURN(BufferList arguments,
                     SendArguments(client, *device, moons, static_cast<int>(device->id()), replicas));
    trained.state.push_back(std::move(arguments));
  }
  for (int i = 0; i < kSteps; ++i) {
    ASSIGN_OR_RETURN(std::vector<BufferList> results, step->ExecuteSharded(FirstOf(trained.state, kWeightCount + 2)));
    ASSIGN_OR_RETURN(const Literal loss, results[0][kWeightCount]->ToLiteral());
    trained.losses.push_back(*loss.data<float>());
    for (size_t r = 0; r < results.size(); ++r) {
      std::move(results[r].begin(), results[r].begin() + kWeightCount, trained.state[r].begin());
    }
  }
  return trained;
}

absl::StatusOr<std::vector<Literal>> WeightsOf(const BufferList& state) {
  std::vector<Literal> weights;
  for (int k = 0; k < kWeightCount; ++k) {
    ASSIGN_OR_RETURN(Literal weight, state[k]->ToLiteral());
    weights.push_back(std::move(weight));
  }
  return weights;
}

// ---- What came out

// The weights of all replicas, those in other processes too: their bits, by replica.
absl::StatusOr<std::vector<std::vector<uint32_t>>> BitsOfAllReplicas(Client& client, const Trained& trained) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, Gathering());
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> gathering, client.Compile(std::move(module)));
  ASSIGN_OR_RETURN(const std::vector<BufferList> results,
                   gathering->ExecuteSharded(FirstOf(trained.state, kWeightCount)));
  ASSIGN_OR_RETURN(const std::vector<Literal> gathered, WeightsOf(results[0]));
  std::vector<std::vector<uint32_t>> bits(kReplicas);
  for (const Literal& weights : gathered) {
    const int64_t count = weights.element_count() / kReplicas;
    for (int r = 0; r < kReplicas; ++r) {
      std::vector<uint32_t> part(count);
      std::memcpy(part.data(), weights.data<float>() + r * count, count * sizeof(uint32_t));
      bits[r].insert(bits[r].end(), part.begin(), part.end());
    }
  }
  return bits;
}

// FNV-1a, to see in two runs at a glance whether they agree.
uint32_t Checksum(const std::vector<uint32_t>& values) {
  uint32_t sum = 2166136261u;
  for (const uint32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) sum = (sum ^ ((value >> shift) & 0xff)) * 16777619u;
  }
  return sum;
}

float LargestDifference(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  float largest = 0;
  for (int k = 0; k < kWeightCount; ++k) {
    for (int64_t i = 0; i < a[k].element_count(); ++i) {
      largest = std::max(largest, std::abs(a[k].data<float>()[i] - b[k].data<float>()[i]));
    }
  }
  return largest;
}

absl::StatusOr<std::vector<float>> ScoresOf(Client& client, const std::vector<Literal>& weights,
                                            const std::vector<float>& points) {
  const int64_t count = static_cast<int64_t>(points.size()) / 2;
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, Scoring(static_cast<int>(count)));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> scoring, client.Compile(std::move(module)));
  BufferList buffers;
  std::vector<Buffer*> arguments;
  std::vector<Literal> values = weights;
  values.push_back(Literal::FromValues<float>({count, 2}, points));
  for (Literal& value : values) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client.BufferFromLiteral(std::move(value)));
    arguments.push_back(buffer.get());
    buffers.push_back(std::move(buffer));
  }
  ASSIGN_OR_RETURN(BufferList results, scoring->Execute(arguments));
  ASSIGN_OR_RETURN(const Literal scores, results[0]->ToLiteral());
  return std::vector<float>(scores.span<float>().begin(), scores.span<float>().end());
}

// The plane: what the network takes for the upper moon is shaded; the points as they really are, o above and x below.
absl::Status PlotPlane(Client& client, const std::vector<Literal>& weights, const Moons& moons) {
  constexpr int kWidth = 72, kHeight = 22;
  constexpr float kLeft = -1.3f, kRight = 2.3f, kTop = 1.3f, kBottom = -0.9f;
  std::vector<float> grid;
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      grid.push_back(kLeft + (kRight - kLeft) * column / (kWidth - 1));
      grid.push_back(kTop + (kBottom - kTop) * row / (kHeight - 1));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<float> scores, ScoresOf(client, weights, grid));
  std::vector<std::string> rows(kHeight, std::string(kWidth, ' '));
  for (int i = 0; i < kWidth * kHeight; ++i) {
    if (scores[i] > 0) rows[i / kWidth][i % kWidth] = '.';
  }
  for (int i = 0; i < kPoints; ++i) {
    const float x = moons.points[2 * i], y = moons.points[2 * i + 1];
    const int column = static_cast<int>(std::lround((x - kLeft) / (kRight - kLeft) * (kWidth - 1)));
    const int row = static_cast<int>(std::lround((y - kTop) / (kBottom - kTop) * (kHeight - 1)));
    rows[row][column] = moons.labels[i] > 0 ? 'o' : 'x';
  }
  for (const std::string& row : rows) std::printf("  %s\n", row.c_str());
  return absl::OkStatus();
}

absl::Status Show(Client& client, const Moons& moons, const Trained& together,
                  const std::vector<std::vector<uint32_t>>& bits) {
  ASSIGN_OR_RETURN(const std::vector<Literal> weights, WeightsOf(together.state[0]));
  ASSIGN_OR_RETURN(const Trained alone, Train(client, moons, 1));
  ASSIGN_OR_RETURN(const std::vector<Literal> weights_alone, WeightsOf(alone.state[0]));

  std::printf("Two moons, separated by %d replicas that have seen %d points each:\n\n", kReplicas, kPoints / kReplicas);
  RETURN_IF_ERROR(PlotPlane(client, weights, moons));
  std::printf("\nloss  %s\n\n", Sparkline(together.losses).c_str());
  std::printf("  step  4 replicas    1 device\n");
  for (int step : {0, 50, 100, 200, kSteps - 1}) {
    std::printf("%6d  %10.6f  %10.6f\n", step, together.losses[step], alone.losses[step]);
  }

  ASSIGN_OR_RETURN(const std::vector<float> scores, ScoresOf(client, weights, moons.points));
  int right = 0;
  for (int i = 0; i < kPoints; ++i) right += (scores[i] > 0) == (moons.labels[i] > 0);
  const bool replicas_are_equal = std::equal(bits.begin() + 1, bits.end(), bits.begin());
  const float difference = LargestDifference(weights, weights_alone);
  std::printf("\npoints on the right side                       %d of %d\n", right, kPoints);
  std::printf("weights of all replicas equal, bit by bit      %s\n", replicas_are_equal ? "yes" : "NO");
  std::printf("checksum of these bits                         %08x\n", Checksum(bits[0]));
  std::printf("difference from the single device, at most     %.1e (below 1e-3: %s)\n", difference,
              difference < 1e-3f ? "yes" : "NO");
  if (!replicas_are_equal || !(difference < 1e-3f)) return absl::InternalError("replicas and single device disagree");
  return absl::OkStatus();
}

// ---- The processes

// What one process does. They meet in `folder`, which is not needed if there is only one.
absl::Status Run(const std::string& backend, int rank, int processes, const std::string& folder) {
  ClientOptions options;
  options.device_count = kReplicas;  // of all processes
  options.process_index = rank;
  options.process_count = processes;
  options.settings["backend"] = backend;
  if (processes > 1) options.settings["rendezvous"] = "file:" + folder;
  ASSIGN_OR_RETURN(std::shared_ptr<Client> replicas, GetClient("replicated", options));

  const Moons moons = MakeMoons();
  ASSIGN_OR_RETURN(const Trained together, Train(*replicas, moons, kReplicas));
  ASSIGN_OR_RETURN(const std::vector<std::vector<uint32_t>> bits, BitsOfAllReplicas(*replicas, together));
  if (rank != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::shared_ptr<Client> single, GetClient(backend));
  return Show(*single, moons, together, bits);
}

int Main(int argc, char** argv) {
  std::string backend = "interpreter";
  int processes = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::string flag = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--backend" && !value.empty()) {
      backend = value;
    } else if (flag == "--processes" && (value == "1" || value == "2" || value == "4")) {
      processes = std::atoi(value.c_str());
    } else {
      std::cerr << "usage: data_parallel [--backend interpreter|cpu] [--processes 1|2|4]\n";
      return 2;
    }
  }
  const auto run = [&](int rank, const std::string& folder) {
    const absl::Status status = Run(backend, rank, processes, folder);
    if (!status.ok()) std::cerr << status << "\n";
    return status.ok() ? 0 : 1;
  };
  return processes == 1 ? run(0, "") : RunProcesses(processes, run);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
