#include "backends/vulkan/control_kernels.h"

#include "absl/functional/function_ref.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr uint32_t kLanes = 64;  // of a group: every device has as many

// A kernel of two arrays of words, being written.
class WordKernel {
 public:
  explicit WordKernel(int constants) {
    const Id array = b.RuntimeArrayType(word, sizeof(uint32_t));
    from_ = b.StorageBuffer(array, 0, 0, SpirvBuilder::BufferUse::kRead, /*is_aliased=*/true);
    to_ = b.StorageBuffer(array, 0, 1, SpirvBuilder::BufferUse::kWrite, /*is_aliased=*/true);
    constants_ = b.PushConstants(constants);
    b.BeginMain({kLanes, 1, 1});
  }

  Id PushConstant(uint32_t i) {
    return b.Load(word, b.AccessChain(spv::StorageClass::PushConstant, word, constants_, {b.Word(i)}));
  }
  Id Read(Id place) { return b.Load(word, Place(from_, place)); }
  Id ReadOwn(Id place) { return b.Load(word, Place(to_, place)); }
  void Write(Id place, Id value) { b.Store(Place(to_, place), value); }
  Id Sum(Id x, Id y) { return b.Op(spv::Op::OpIAdd, word, {x, y}); }
  Id IsLess(Id x, Id y) { return b.Op(spv::Op::OpULessThan, b.BoolType(), {x, y}); }
  Id IsEqual(Id x, Id y) { return b.Op(spv::Op::OpIEqual, b.BoolType(), {x, y}); }
  Id Select(Id condition, Id x, Id y) { return b.Op(spv::Op::OpSelect, word, {condition, x, y}); }

  // for (i = begin; i < end; i += step)
  void For(Id begin, Id end, Id step, absl::FunctionRef<void(Id i)> body) {
    const SpirvBuilder::Loop loop = b.BeginLoop();
    const Id i = b.Phi(word, {begin, loop.before});
    b.LoopTest(loop);
    b.LoopBody(loop, IsLess(i, end));
    body(i);
    b.LoopNext(loop);
    b.AddIncoming(i, Sum(i, step), loop.next);
    b.EndLoop(loop);
  }

  SpirvBuilder b;
  const Id word = b.IntType(32);

 private:
  Id Place(Id buffer, Id place) {
    return b.AccessChain(spv::StorageClass::StorageBuffer, word, buffer, {b.Word(0), place});
  }

  Id from_ = 0;
  Id to_ = 0;
  Id constants_ = 0;
};

}  // namespace

std::vector<uint32_t> GateCode() {
  WordKernel k(static_cast<int>(GateConstants().Words().size()));
  SpirvBuilder& b = k.b;
  const Id lane = b.Op(spv::Op::OpCompositeExtract, k.word, {b.BuiltIn3(spv::BuiltIn::LocalInvocationId), 0});
  const Id masked = b.Op(spv::Op::OpBitwiseAnd, k.word, {k.Read(k.PushConstant(0)), k.PushConstant(1)});
  const Id last = k.PushConstant(2);
  const Id is_chosen = k.IsEqual(k.Select(k.IsLess(masked, last), masked, last), k.PushConstant(3));
  const SpirvBuilder::If counts =
      b.BeginIf(b.Op(spv::Op::OpLogicalAnd, b.BoolType(), {is_chosen, k.IsEqual(lane, b.Word(0))}));
  const Id counter = k.PushConstant(4);
  k.Write(counter, k.Sum(k.ReadOwn(counter), b.Word(1)));
  b.BeginElse(counts);
  b.EndIf(counts);
  const Id begin = k.PushConstant(5);
  const Id distance = k.PushConstant(7);
  k.For(lane, k.PushConstant(6), b.Word(kLanes), [&](Id i) {
    const Id place = k.Sum(begin, i);
    k.Write(place, k.Select(is_chosen, k.ReadOwn(k.Sum(place, distance)), b.Word(0)));
  });
  return b.Finish();
}

std::vector<uint32_t> CopyCode() {
  WordKernel k(static_cast<int>(CopyConstants().Words().size()));
  SpirvBuilder& b = k.b;
  const auto x_of = [&](spv::BuiltIn what) { return b.Op(spv::Op::OpCompositeExtract, k.word, {b.BuiltIn3(what), 0}); };
  const Id from = k.PushConstant(0);
  const Id to = k.PushConstant(1);
  const Id invocations = b.Op(spv::Op::OpIMul, k.word, {x_of(spv::BuiltIn::NumWorkgroups), b.Word(kLanes)});
  k.For(x_of(spv::BuiltIn::GlobalInvocationId), k.PushConstant(2), invocations,
        [&](Id i) { k.Write(k.Sum(to, i), k.Read(k.Sum(from, i))); });
  return b.Finish();
}

absl::Status ControlKernels::Prepare(const std::shared_ptr<VulkanDevice>& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (copy_ != nullptr) return absl::OkStatus();
  const auto make = [&](const std::vector<uint32_t>& code, size_t constants) {
    return Pipeline::Create(device, code, /*buffer_count=*/2, static_cast<uint32_t>(constants * sizeof(uint32_t)));
  };
  ASSIGN_OR_RETURN(gate_, make(GateCode(), GateConstants().Words().size()));
  ASSIGN_OR_RETURN(copy_, make(CopyCode(), CopyConstants().Words().size()));
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
