// Custom calls: C++ functions of your own inside of a computation.
//
// A noisy signal is smoothed in two ways. The moving average is HLO. The moving median has no short form in HLO, so it
// is a C++ function that the program registers under a name and calls by it. Unlike the average, the median removes the
// spikes and keeps the step in the middle sharp.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"
#include "examples/helpers/random_numbers.h"
#include "examples/helpers/sparkline.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kLength = 60;
constexpr int kWindow = 5;

// The function of the custom call, in the form of 2017: pointers to the result and to the operands, which are dense and
// row-major. out[i] is the median of the elements around in[i]; beyond the ends the signal stays as it is there.
void MovingMedian(void* out, void** in) {
  const float* signal = static_cast<const float*>(in[0]);
  float* smooth = static_cast<float*>(out);
  for (int i = 0; i < kLength; ++i) {
    float window[kWindow];
    for (int j = 0; j < kWindow; ++j) window[j] = signal[std::clamp(i + j - kWindow / 2, 0, kLength - 1)];
    std::nth_element(window, window + kWindow / 2, window + kWindow);
    smooth[i] = window[kWindow / 2];
  }
}

// The same interface with everything: `call` has the operands with their shapes and the instruction with its
// backend_config, and errors are a status. This one refuses signals with a NaN.
absl::StatusOr<Literal> CheckedMedian(const CustomCall& call) {
  const Literal& signal = call.operands[0];
  for (float value : signal.span<float>()) {
    if (std::isnan(value)) return absl::InvalidArgumentError("the signal has a NaN");
  }
  ASSIGN_OR_RETURN(Literal smooth, call.context.Allocate(call.instruction.shape()));
  void* in[] = {const_cast<void*>(signal.untyped_data())};
  MovingMedian(smooth.untyped_mutable_data(), in);
  return smooth;
}

// signal -> (its moving average, its moving median)
absl::StatusOr<std::unique_ptr<HloModule>> SmoothingProgram() {
  const Shape shape = Shape::Array(F32, {kLength});
  ComputationBuilder b("smoothing");
  const XlaOp signal = b.Parameter(0, shape, "signal");
  const XlaOp sums =
      b.ReduceWindow(signal, b.ConstantR0<float>(0), CreateScalarAddComputation(F32), {kWindow}, {1}, Padding::kSame);
  return b.BuildModule(b.Tuple({sums / kWindow, b.CustomCall("moving_median", {signal}, shape)}));
}

// signal -> its moving median, by the function that checks
absl::StatusOr<std::unique_ptr<HloModule>> CheckedProgram() {
  const Shape shape = Shape::Array(F32, {kLength});
  ComputationBuilder b("checked");
  return b.BuildModule(b.CustomCall("checked_median", {b.Parameter(0, shape, "signal")}, shape));
}

// A wave with a step in the middle, some noise, and now and then a spike.
std::vector<float> MakeSignal() {
  RandomNumbers random(7);
  std::vector<float> signal;
  for (int i = 0; i < kLength; ++i) {
    float value = std::sin(0.16f * static_cast<float>(i)) + (i < kLength / 2 ? 0.0f : 1.5f);
    value += random.Uniform(-0.15f, 0.15f);
    if (i % 13 == 6) value += 3;
    signal.push_back(value);
  }
  return signal;
}

absl::Status Run() {
  // Before the first run; a name can be given once in a process.
  RETURN_IF_ERROR(CustomCallRegistry::Global().RegisterOriginal("moving_median", &MovingMedian));
  RETURN_IF_ERROR(CustomCallRegistry::Global().Register("checked_median", &CheckedMedian));

  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, SmoothingProgram());
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("interpreter"));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> smooth, client->Compile(std::move(module)));
  std::vector<float> signal = MakeSignal();
  ASSIGN_OR_RETURN(const Literal result, ExecuteOnLiterals(*smooth, {Literal::FromValues<float>({kLength}, signal)}));
  std::printf("signal   %s\n", Sparkline(signal, kLength).c_str());
  std::printf("average  %s  reduce-window\n", Sparkline(result.element(0).span<float>(), kLength).c_str());
  std::printf("median   %s  custom-call\n\n", Sparkline(result.element(1).span<float>(), kLength).c_str());

  // An error of the function is an error of the execution, and tells which instruction and which function it was.
  ASSIGN_OR_RETURN(module, CheckedProgram());
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> checked, client->Compile(std::move(module)));
  signal[20] = std::nanf("");
  const absl::Status refused = ExecuteOnLiterals(*checked, {Literal::FromValues<float>({kLength}, signal)}).status();
  std::cout << "with a NaN in the signal: " << refused.message() << "\n";
  return refused.code() == absl::StatusCode::kInvalidArgument ? absl::OkStatus()
                                                              : absl::InternalError("the NaN was not refused");
}

}  // namespace
}  // namespace xla

int main() {
  const absl::Status status = xla::Run();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
