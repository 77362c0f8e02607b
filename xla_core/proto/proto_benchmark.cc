// Speed of reading and writing a module of 40,000 instructions as binary protobuf, in bytes of the file per second:
//   bazel run -c opt //xla_core/proto:proto_benchmark
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

HloInstruction* Add(HloComputation& computation, HloOpcode opcode, Shape shape, std::vector<HloInstruction*> operands) {
  shape.SetMissingLayoutsToDefault();
  const int64_t number = computation.instruction_count();
  auto instruction =
      std::make_unique<HloInstruction>(opcode, absl::StrCat(HloOpcodeName(opcode), ".", number), std::move(shape));
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  if (GetOp(opcode).make_attributes != nullptr) instruction->set_attributes(GetOp(opcode).make_attributes());
  OpMetadata& metadata = instruction->mutable_annotations().metadata;
  metadata.op_name = absl::StrCat("jit(train_step)/jvp(Model)/layers_", number % 48, "/attention/", number);
  metadata.stack_frame_id = static_cast<int32_t>(number % 500 + 1);
  return computation.AddInstruction(std::move(instruction));
}

// The mix of a transformer: products, broadcasts, elementwise operations, tuples.
std::unique_ptr<HloModule> MakeModule(int64_t instructions) {
  auto module = std::make_unique<HloModule>("benchmark");
  HloComputation& computation = *module->AddComputation(std::make_unique<HloComputation>("main"));
  const Shape matrix = Shape::Array(F32, {64, 64});
  HloInstruction* value = Add(computation, HloOpcode::kParameter, matrix, {});
  while (computation.instruction_count() < instructions) {
    HloInstruction* product = Add(computation, HloOpcode::kDot, matrix, {value, value});
    auto& dot = product->mutable_attributes<DotAttributes>();
    dot.lhs_contracting_dims = {1};
    dot.rhs_contracting_dims = {0};
    HloInstruction* scalar = Add(computation, HloOpcode::kConstant, Shape::Scalar(F32), {});
    scalar->mutable_attributes<ConstantAttributes>().literal = std::make_shared<const Literal>(Literal::Scalar(2.0f));
    HloInstruction* broadcast = Add(computation, HloOpcode::kBroadcast, matrix, {scalar});
    HloInstruction* scaled = Add(computation, HloOpcode::kMultiply, matrix, {product, broadcast});
    HloInstruction* transposed = Add(computation, HloOpcode::kTranspose, matrix, {scaled});
    transposed->mutable_attributes<DimensionsAttributes>().dimensions = {1, 0};
    HloInstruction* tuple = Add(computation, HloOpcode::kTuple, Shape::Tuple({matrix, matrix}), {scaled, transposed});
    HloInstruction* element = Add(computation, HloOpcode::kGetTupleElement, matrix, {tuple});
    value = Add(computation, HloOpcode::kAdd, matrix, {element, Add(computation, HloOpcode::kTanh, matrix, {scaled})});
  }
  computation.set_root(value);
  module->set_entry(&computation);
  return module;
}

std::string MakeFile(int64_t instructions) {
  absl::StatusOr<std::string> file = WriteHloProto(*MakeModule(instructions), ProtoEncoding::kBinary);
  CHECK(file.ok());
  return *std::move(file);
}

void BM_ReadBinary(benchmark::State& state) {
  const std::string file = MakeFile(state.range(0));
  for (auto _ : state) {
    absl::StatusOr<HloProtoContents> contents = ReadHloProto(file);
    CHECK(contents.ok());
    state.PauseTiming();
    contents->module.reset();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<int64_t>(file.size()) * state.iterations());
}
BENCHMARK(BM_ReadBinary)
    ->Arg(10000)
    ->Arg(40000)
    ->Arg(160000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void BM_WriteBinary(benchmark::State& state) {
  const std::unique_ptr<HloModule> module = MakeModule(state.range(0));
  int64_t bytes = 0;
  for (auto _ : state) {
    absl::StatusOr<std::string> file = WriteHloProto(*module, ProtoEncoding::kBinary);
    CHECK(file.ok());
    bytes += static_cast<int64_t>(file->size());
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_WriteBinary)->Arg(40000)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace xla

BENCHMARK_MAIN();
