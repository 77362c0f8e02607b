#include <functional>
#include <string>

#include "absl/status/status.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;
using Body = std::function<void(KernelBuilder&, KernelValue tile)>;

constexpr int kX = 0, kN = 1, kZ = 2, kS = 3;

// x: f32[64] read, n: s64[1] read, z: f32[64] write, s: f32[8] scratch, and a phase of four tiles.
Kernel Make(const Body& body) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 64, Use::kRead);
  b.AddBuffer("n", S64, 1, Use::kRead);
  b.AddBuffer("z", F32, 64, Use::kWrite);
  b.AddScratch("s", F32, 8);
  b.Phase(4, [&](KernelValue tile) { body(b, tile); });
  return std::move(b).Finish();
}

// z[16*tile + i] = -x[16*tile + i]
Kernel MakeNegation() {
  return Make([](KernelBuilder& b, KernelValue tile) {
    b.For(b.Index(16), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue e = b.Affine({{16, tile}, {1, i}});
      b.Store(kZ, e, b.Unary(HloOpcode::kNegate, b.Load(kX, e)));
    });
  });
}

void ExpectWrong(const Kernel& kernel, const std::string& message) {
  const absl::Status status = VerifyKernel(kernel);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(std::string(status.message()), "kernel k: " + message);
}

// The negation, with one thing changed.
void ExpectWrongAfter(const std::function<void(Kernel&, KernelInstruction& loop)>& change, const std::string& message) {
  Kernel kernel = MakeNegation();
  change(kernel, kernel.phases[0].body.instructions[1]);
  ExpectWrong(kernel, message);
}

TEST(KernelVerifier, FindsNothingWrongWithGoodKernels) { EXPECT_EQ(VerifyKernel(MakeNegation()), absl::OkStatus()); }

TEST(KernelVerifier, LooksAtBuffers) {
  const auto expect = [](const std::function<void(std::vector<KernelBuffer>&)>& change, const std::string& message) {
    ExpectWrongAfter([&](Kernel& kernel, KernelInstruction&) { change(kernel.buffers); }, message);
  };
  expect([](auto& b) { std::swap(b[2], b[3]); }, "buffer 3 (z): the caller's buffers must come before scratch");
  expect([](auto& b) { b[0].same_memory_as = 0; }, "buffer 0 (x): it must share memory with an earlier buffer");
  expect([](auto& b) { b[3].same_memory_as = 0; }, "buffer 3 (s): scratch shares no memory");
  expect([](auto& b) { b[1].element_count = -1; }, "buffer 1 (n): it has -1 elements");
  expect([](auto& b) { b[1].element_count = int64_t{1} << 62; }, "buffer 1 (n): it is too large");
  expect([](auto& b) { b[1].type = TUPLE; }, "buffer 1 (n): its type has no elements");
}

TEST(KernelVerifier, LooksAtValues) {
  const std::string in_loop = "phase 0, instruction 1 (for), instruction ";
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions[2].operands[0] = 99; },
                   in_loop + "2 (negate): there is no value 99");
  ExpectWrongAfter(
      [](Kernel&, KernelInstruction& loop) {
        std::swap(loop.regions[0].instructions[1], loop.regions[0].instructions[2]);
      },
      in_loop + "1 (negate): value 4 cannot be seen from here: it is defined later or nowhere");
  ExpectWrongAfter(
      [](Kernel& kernel, KernelInstruction& loop) {
        kernel.phases[0].body.instructions.push_back(loop.regions[0].instructions[3]);
      },
      "phase 0, instruction 2 (store): value 3 cannot be seen from here: it is defined in a region that has ended");
  ExpectWrongAfter(
      [](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions.push_back(loop.regions[0].instructions[2]); },
      in_loop + "4 (negate): value 5 is defined twice");
}

TEST(KernelVerifier, LooksAtTypes) {
  const std::string in_loop = "phase 0, instruction 1 (for), instruction ";
  ExpectWrongAfter([](Kernel& kernel, KernelInstruction&) { kernel.value_types[5] = F64; },
                   in_loop + "2 (negate): expected a result of type f32, got f64");
  ExpectWrongAfter(
      [](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions[2].opcode = HloOpcode::kPopulationCount; },
      in_loop + "2 (popcnt): operand 0 must be an array of integer elements, got f32[]");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions[2].opcode = HloOpcode::kDot; },
                   in_loop + "2 (dot): expected an elementwise operation or bitcast-convert");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions[2].opcode = HloOpcode::kAdd; },
                   in_loop + "2 (add): expected 2 operands, got 1");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions[0].instructions[1].buffer = 1; },
                   in_loop + "1 (load): expected a result of type s64, got f32");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions[0].results = {2}; },
                   "phase 0, instruction 1 (for): expected a region with results (), got (s64)");
}

TEST(KernelVerifier, LooksAtTypesOfAMultiplyAdd) {
  const std::string where = "phase 0, instruction 1 (for), instruction 2 (multiply-add): ";
  const auto make = [](KernelInstruction& loop, KernelValue last) {
    KernelInstruction& negate = loop.regions[0].instructions[2];
    negate.op = KernelOp::kMultiplyAdd;
    negate.operands = {negate.operands[0], negate.operands[0], last == kNoValue ? negate.operands[0] : last};
  };
  Kernel kernel = MakeNegation();
  make(kernel.phases[0].body.instructions[1], kNoValue);
  EXPECT_EQ(VerifyKernel(kernel), absl::OkStatus());
  ExpectWrongAfter([&](Kernel&, KernelInstruction& loop) { make(loop, loop.regions[0].arguments[0]); },
                   where + "expected an operand of type f32, got s64");
  ExpectWrongAfter(
      [&](Kernel&, KernelInstruction& loop) {
        make(loop, kNoValue);
        loop.regions[0].instructions[2].operands.pop_back();
      },
      where + "expected 3 operands, got 2");
  ExpectWrongAfter(
      [&](Kernel& kernel, KernelInstruction& loop) {
        make(loop, kNoValue);
        kernel.value_types[loop.regions[0].instructions[2].results[0]] = F16;
      },
      where + "expected a result of type f32 or f64, got f16");
}

TEST(KernelVerifier, KnowsHowWideBitcastsAre) {
  const auto bitcast = [](PrimitiveType type) {
    Kernel kernel = MakeNegation();
    kernel.phases[0].body.instructions[1].regions[0].instructions[2].opcode = HloOpcode::kBitcastConvert;
    kernel.value_types[5] = type;
    kernel.buffers[kZ].type = type;
    return VerifyKernel(kernel);
  };
  EXPECT_EQ(bitcast(S32), absl::OkStatus());
  EXPECT_EQ(bitcast(F64).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(bitcast(U16).code(), absl::StatusCode::kInternal);
}

TEST(KernelVerifier, LooksAtLoops) {
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.independent = false; },
                   "phase 0, instruction 1 (for): only an independent loop can run in vectors");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.regions.clear(); },
                   "phase 0, instruction 1 (for): expected 1 regions, got 0");
  ExpectWrongAfter([](Kernel& kernel, KernelInstruction&) { kernel.phases[0].tile_count = 0; },
                   "phase 0: expected one tile or more, got 0");
  Kernel sum = Make([](KernelBuilder& b, KernelValue tile) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    b.Store(kZ, tile,
            b.Reduce(
                {16}, 4, {zero}, {zero},
                [&](absl::Span<const KernelValue> i) {
                  return Values{b.Load(kX, b.Affine({{16, tile}, {1, i[0]}}))};
                },
                [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
                  return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
                })[0]);
  });
  EXPECT_EQ(VerifyKernel(sum), absl::OkStatus());
  sum.phases[0].body.instructions[1].lanes = 3;
  ExpectWrong(sum, "phase 0, instruction 1 (reduce): expected a power of two, got 3 lanes");
  sum.phases[0].body.instructions[1].lanes = 1;
  ExpectWrong(sum, "phase 0, instruction 1 (reduce): expected 1 operands, got 2");
}

TEST(KernelVerifier, FindsElementsOutsideOfBuffers) {
  const auto copy = [](int64_t offset, bool in_branch) {
    return Make([&](KernelBuilder& b, KernelValue tile) {
      const auto body = [&] {
        b.For(b.Index(16), LoopSchedule::kPlain, true, [&](KernelValue i) {
          const KernelValue e = b.Affine({{16, tile}, {1, i}});
          b.Store(kZ, e, b.Load(kX, b.Affine({{1, e}}, offset)));
        });
        return Values();
      };
      if (!in_branch) body();
      if (in_branch) b.If(b.InRange(tile, 1, 2), body, [] { return Values(); });
    });
  };
  const std::string load = "phase 0, instruction 1 (for), instruction 2 (load): the element number ";
  ExpectWrong(copy(1, false), load + "reaches 64, but x has 64 elements");
  ExpectWrong(copy(-1, false), load + "begins at -1, but x has 64 elements");
  EXPECT_EQ(VerifyKernel(copy(1, true)), absl::OkStatus());
}

TEST(KernelVerifier, FindsStoresThatConflict) {
  const auto store = [](int buffer, const std::function<KernelValue(KernelBuilder&, KernelValue, KernelValue)>& element,
                        bool conditional = false) {
    return Make([&](KernelBuilder& b, KernelValue tile) {
      b.For(b.Index(8), LoopSchedule::kPlain, true, [&](KernelValue i) {
        const KernelValue predicate = conditional ? b.InRange(i, 2, 2) : kNoValue;
        b.Store(buffer, element(b, tile, i), b.Constant(Literal::Scalar<float>(0)), predicate);
      });
    });
  };
  const auto tile = [](KernelBuilder&, KernelValue t, KernelValue) { return t; };
  const auto index = [](KernelBuilder&, KernelValue, KernelValue i) { return i; };
  const auto message = [](const Kernel& kernel) { return std::string(VerifyKernel(kernel).message()); };
  EXPECT_THAT(message(store(kZ, tile)), testing::HasSubstr("all iterations of an independent loop write the same"));
  EXPECT_THAT(message(store(kZ, index)), testing::HasSubstr("all tiles write the same element of z"));
  EXPECT_EQ(VerifyKernel(store(kS, index)), absl::OkStatus());
  EXPECT_EQ(VerifyKernel(store(kZ, tile, true)), absl::OkStatus());
  EXPECT_EQ(VerifyKernel(store(kZ,
                               [](KernelBuilder& b, KernelValue t, KernelValue i) {
                                 return b.Affine({{8, t}, {1, i}});
                               })),
            absl::OkStatus());
}

TEST(KernelVerifier, FindsStoresWhereNoneMayBe) {
  ExpectWrong(Make([](KernelBuilder& b, KernelValue tile) { b.Store(kX, tile, b.Load(kX, tile)); }),
              "phase 0, instruction 1 (store): buffer x is only read");
  ExpectWrong(
      Make([](KernelBuilder& b, KernelValue tile) {
        const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
        const Values sum = b.Reduce(
            {4}, 1, {zero}, {},
            [&](absl::Span<const KernelValue> i) {
              b.Store(kS, i[0], zero);
              return Values{zero};
            },
            [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue>) { return Values(l.begin(), l.end()); });
        b.Store(kZ, tile, sum[0]);
      }),
      "phase 0, instruction 1 (reduce), instruction 0 (store): the regions of a reduce must not store");
}

TEST(KernelVerifier, LooksAtWorkgroups) {
  const auto share = [](Kernel& kernel, KernelInstruction& loop) {
    kernel.phases[0].invocations = 16;
    loop.schedule = LoopSchedule::kInvocations;
  };
  Kernel shared = MakeNegation();
  share(shared, shared.phases[0].body.instructions[1]);
  EXPECT_EQ(VerifyKernel(shared), absl::OkStatus());
  const std::string loop_at = "phase 0, instruction 1 (for)";
  ExpectWrongAfter([](Kernel& kernel, KernelInstruction&) { kernel.phases[0].invocations = 0; },
                   "phase 0: expected one invocation or more, got 0");
  ExpectWrongAfter([](Kernel&, KernelInstruction& loop) { loop.schedule = LoopSchedule::kInvocations; },
                   loop_at + ": a tile of the phase has one invocation only");
  ExpectWrongAfter(
      [&](Kernel& kernel, KernelInstruction& loop) {
        share(kernel, loop);
        loop.independent = false;
      },
      loop_at + ": only an independent loop can be shared by invocations");
  ExpectWrongAfter(
      [&](Kernel& kernel, KernelInstruction& loop) {
        share(kernel, loop);
        loop.regions[0].instructions.emplace_back().op = KernelOp::kBarrier;
      },
      loop_at + ", instruction 4 (barrier): it is run by one invocation alone");
}

TEST(KernelVerifier, LooksAtSharedReduces) {
  const auto make = [](int64_t lanes) {
    Kernel kernel = Make([&](KernelBuilder& b, KernelValue tile) {
      const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
      const Values sum = b.Reduce(
          {16}, lanes, {zero}, lanes > 1 ? Values{zero} : Values(),
          [&](absl::Span<const KernelValue> i) { return Values{b.Load(kX, i[0])}; },
          [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
            return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
          });
      b.Store(kZ, tile, sum[0]);
    });
    kernel.phases[0].invocations = 16;
    kernel.phases[0].body.instructions[1].schedule = LoopSchedule::kInvocations;
    return kernel;
  };
  const std::string where = "phase 0, instruction 1 (reduce)";
  EXPECT_EQ(VerifyKernel(make(8)), absl::OkStatus());
  ExpectWrong(make(1), where + ": expected lanes for the invocations");
  Kernel vector = make(8);
  vector.phases[0].body.instructions[1].schedule = LoopSchedule::kVector;
  ExpectWrong(vector, where + ": it is neither plain nor shared");
  Kernel waiting = make(8);
  waiting.phases[0].body.instructions[1].schedule = LoopSchedule::kPlain;
  waiting.phases[0].body.instructions[1].regions[0].instructions.emplace_back().op = KernelOp::kBarrier;
  ExpectWrong(waiting, where + ", instruction 1 (barrier): the regions of a reduce must not wait");
}

TEST(KernelVerifier, LooksAtNarrowValues) {
  const auto mark = [](Kernel& kernel, size_t value) {
    kernel.narrow.assign(value + 1, false);
    kernel.narrow[value] = true;
  };
  ExpectWrongAfter([&](Kernel& kernel, KernelInstruction&) { mark(kernel, 99); },
                   "expected at most 6 values that may be narrow, got 100");
  ExpectWrongAfter([&](Kernel& kernel, KernelInstruction&) { mark(kernel, 5); },
                   "value 5 is said to be narrow, but it is not an s64");
  ExpectWrongAfter(
      [&](Kernel& kernel, KernelInstruction&) {
        mark(kernel, 0);
        kernel.phases[0].tile_count = int64_t{1} << 32;
      },
      "phase 0: value 0 is said to be narrow, but is any number from 0 to 4294967295");
}

}  // namespace
}  // namespace xla
