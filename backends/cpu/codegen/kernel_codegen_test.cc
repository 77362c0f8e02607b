// Loops, loads and stores, reductions and branches: compiled for each processor that this one can stand for, against
// the interpreter of kernels.
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using Values = KernelBuilder::Values;
using Use = KernelBuffer::Use;

// Small whole numbers, which all types hold and sums of which are exact.
std::vector<char> SmallNumbers(PrimitiveType type, int64_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  const PrimitiveType component = ComplexComponentType(type);
  const int64_t count = IsComplex(type) ? 2 * n : n;
  std::vector<char> bytes(count * ByteWidth(component) + 64, 77);
  for (int64_t i = 0; i < count; ++i) {
    const double number = static_cast<double>(random() % 7) - (IsUnsignedInt(type) || type == PRED ? 0 : 3);
    ConvertElements(F64, component, 1, &number, bytes.data() + i * ByteWidth(component));
  }
  return bytes;
}

using Buffers = std::vector<std::vector<char>>;

// Memory that begins this many bytes after a cache line.
class LentMemory {
 public:
  LentMemory(const std::vector<char>& bytes, int64_t behind) : bytes_(bytes.size() + 128), size_(bytes.size()) {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    begin_ = (address + 63) / 64 * 64 - address + behind;
    std::copy(bytes.begin(), bytes.end(), data());
  }
  char* data() { return bytes_.data() + begin_; }
  std::vector<char> Contents() { return {data(), data() + size_}; }

 private:
  std::vector<char> bytes_;
  size_t size_;
  size_t begin_;
};

// What the buffers hold after running all phases, each in two ranges of tiles, in memory `behind` a cache line.
void RunCompiled(const CompiledKernels& compiled, const Kernel& kernel, Buffers& buffers, int64_t behind = 16) {
  std::vector<LentMemory> memory;
  for (const std::vector<char>& buffer : buffers) memory.emplace_back(buffer, behind);
  std::vector<void*> addresses;
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    const int same = kernel.buffers[i].same_memory_as;
    addresses.push_back(same >= 0 ? addresses[same] : memory[i].data());
  }
  std::vector<char> scratch(kernel.ScratchBytes() + 64);
  void* const aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  for (size_t phase = 0; phase < kernel.phases.size(); ++phase) {
    const int64_t tiles = kernel.phases[phase].tile_count;
    compiled.Function(0, static_cast<int>(phase))(addresses.data(), aligned, 0, tiles / 2, &kNeverStop);
    compiled.Function(0, static_cast<int>(phase))(addresses.data(), aligned, tiles / 2, tiles, &kNeverStop);
  }
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i] = memory[i].Contents();
}

void RunInterpreted(const Kernel& kernel, Buffers& buffers) {
  std::vector<void*> addresses;
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    const int same = kernel.buffers[i].same_memory_as;
    addresses.push_back(same >= 0 ? addresses[same] : buffers[i].data());
  }
  auto interpreter = KernelInterpreter::Create(kernel);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status() << KernelToString(kernel);
  const absl::Status status = (*interpreter)->Run(addresses);
  ASSERT_TRUE(status.ok()) << status << KernelToString(kernel);
}

// Other processors compile it, whose code cannot run here.
void CheckThatAarch64Compiles(const Kernel& kernel) {
  const Kernel* const kernels[] = {&kernel};
  const auto compiler = KernelCompiler::Create(Aarch64Target(), {});
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  const auto image = (*compiler)->CompileImage(kernels, RunInOrder);
  ASSERT_TRUE(image.ok()) << image.status() << KernelToString(kernel);
}

void Check(const Kernel& kernel) {
  CheckThatAarch64Compiles(kernel);
  Buffers initial;
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    initial.push_back(SmallNumbers(kernel.buffers[i].type, kernel.buffers[i].element_count, i));
  }
  Buffers want = initial;
  RunInterpreted(kernel, want);
  const std::pair<const char*, CodegenTarget> targets[] = {
      {"host", HostTarget()}, {"avx2", Avx2Target()}, {"baseline", BaselineTarget()}};
  for (const auto& [name, target] : targets) {
    if (!HostRuns(target)) continue;
    for (const int level : {0, 1, 2}) {
      if (level != 1 && std::string(name) != "host") continue;
      CodegenOptions options;
      options.optimization_level = level;
      auto compiler = KernelCompiler::Create(target, options);
      ASSERT_TRUE(compiler.ok()) << compiler.status();
      const Kernel* const kernels[] = {&kernel};
      auto compiled = (*compiler)->Compile(kernels, RunInOrder);
      ASSERT_TRUE(compiled.ok()) << compiled.status() << KernelToString(kernel);
      for (const int64_t behind : {0, 16}) {
        Buffers got = initial;
        RunCompiled(*compiled, kernel, got, behind);
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i], want[i]) << "buffer " << i << " on " << name << " -O" << level << ", " << behind
                                     << " bytes after a cache line\n"
                                     << KernelToString(kernel);
        }
      }
    }
  }
}

using Body = std::function<void(KernelBuilder&, int x, int y, int z)>;

// One tile over buffers x, y to be read and z to be written, all of `type` and `count` elements.
Kernel OneTile(PrimitiveType type, int64_t count, const Body& body, PrimitiveType result = PRIMITIVE_TYPE_INVALID) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", type, count, Use::kRead);
  const int y = b.AddBuffer("y", type, count, Use::kRead);
  const int z = b.AddBuffer("z", result == PRIMITIVE_TYPE_INVALID ? type : result, count, Use::kReadWrite);
  b.Phase(1, [&](KernelValue) { body(b, x, y, z); });
  return std::move(b).Finish();
}

constexpr PrimitiveType kSomeTypes[] = {F32, F64, BF16, F16, S8, U16, S32, S64, PRED, C64, C128, F8E4M3FN, S4};

TEST(KernelCodegen, LoopsOfAnyLengthAndType) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const int64_t count : {1, 2, 3, 16, 37, 130}) {
      Check(OneTile(type, count, [&](KernelBuilder& b, int x, int y, int z) {
        b.For(b.Index(count), LoopSchedule::kVector, true,
              [&](KernelValue i) { b.Store(z, i, b.Binary(HloOpcode::kAdd, b.Load(x, i), b.Load(y, i))); });
      }));
    }
  }
}

TEST(KernelCodegen, StridesAndReversal) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const int64_t stride : {-2, -1, 0, 1, 2, 3}) {
      Check(OneTile(type, 150, [&](KernelBuilder& b, int x, int y, int z) {
        b.For(b.Index(50), LoopSchedule::kVector, true, [&](KernelValue i) {
          const KernelValue from = b.Affine({{stride, i}}, stride < 0 ? -stride * 49 : 0);
          const KernelValue to = b.Affine({{stride == 0 ? -1 : stride, i}}, stride <= 0 ? 149 : 2);
          const KernelValue value = b.Load(x, from);
          if (stride != 3) b.Store(z, to, value);
          if (stride == 3) b.Store(z, from, b.Load(y, i));
        });
      }));
    }
  }
}

TEST(KernelCodegen, LoadsWithWhatIsInBetween) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const int64_t stride : {2, 3, 4}) {
      Check(OneTile(type, 79 * stride - stride + 1, [&](KernelBuilder& b, int x, int, int z) {
        b.For(b.Index(79), LoopSchedule::kVector, true, [&](KernelValue i) {
          b.Store(z, i, b.Load(x, b.Affine({{stride, i}})));
        });
      }));
    }
  }
}

// Rows whose elements are turned round, except for one that is left out if that is asked for.
Kernel TurnedRows(PrimitiveType type, int64_t columns, int64_t left_out = -1) {
  constexpr int64_t kRows = 79;
  return OneTile(type, kRows * columns + 3, [&](KernelBuilder& b, int x, int y, int z) {
    b.For(b.Index(kRows), LoopSchedule::kVector, true, [&](KernelValue i) {
      Values values;
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t from = columns - 1 - c;
        values.push_back(from == left_out ? b.Load(y, i) : b.Load(x, b.Affine({{columns, i}}, from + 2)));
      }
      for (int64_t c = 0; c < columns; ++c) b.Store(z, b.Affine({{columns, i}}, c + 1), values[c]);
    });
  });
}

TEST(KernelCodegen, ShortRowsInLanes) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const int64_t columns : {3, 10}) Check(TurnedRows(type, columns));
  }
  for (const int64_t columns : {2, 4, 5, 6, 7, 8, 9, 16, 18}) Check(TurnedRows(F32, columns));
  // The last element of the last row may be the end of memory.
  for (const int64_t left_out : {0, 2, 4}) Check(TurnedRows(F32, 5, left_out));
}

TEST(KernelCodegen, ShortRowsThatAreReadAsTheyAreWritten) {
  for (const int64_t order : {0, 1, 2}) {
    Check(OneTile(F32, 200, [&](KernelBuilder& b, int x, int, int z) {
      b.For(b.Index(50), LoopSchedule::kVector, true, [&](KernelValue i) {
        const auto place = [&](int64_t column) { return b.Affine({{2, i}}, column); };
        const KernelValue first = b.Load(order == 2 ? x : z, place(1));
        b.Store(z, place(0), first);
        const KernelValue second = b.Load(order == 0 ? x : z, place(0));
        b.Store(z, place(1), b.Binary(HloOpcode::kAdd, first, second));
      });
    }));
  }
}

TEST(KernelCodegen, BlocksWhoseRowsBecomeColumns) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const int64_t rows : {3, 16, 37}) {
      constexpr int64_t kColumns = 41;
      Check(OneTile(type, 2 * rows * kColumns, [&](KernelBuilder& b, int x, int, int z) {
        b.For(b.Index(rows), LoopSchedule::kPlain, true, [&](KernelValue i) {
          b.For(b.Index(kColumns), LoopSchedule::kVector, true, [&](KernelValue k) {
            b.Store(z, b.Affine({{1, i}, {2 * rows, k}}, rows), b.Load(x, b.Affine({{kColumns, i}, {1, k}}, 7)));
          });
        });
      }));
    }
  }
}

TEST(KernelCodegen, ValuesThatRepeat) {
  constexpr int64_t kCount = 550;
  for (const auto& [type, period] : {std::pair<PrimitiveType, int64_t>{F32, 3}, {F64, 64}, {BF16, 5}, {C64, 3}}) {
    Check(OneTile(type, 2 * kCount + 3, [&, period = period](KernelBuilder& b, int x, int y, int z) {
      b.For(b.Index(2), LoopSchedule::kPlain, true, [&](KernelValue row) {
        b.For(b.Index(kCount), LoopSchedule::kVector, true, [&](KernelValue i) {
          const KernelValue at = b.Affine({{kCount, row}, {1, i}}, 3);
          const KernelValue repeating = b.Remainder(at, period);
          // From another place in each row, in steps of two; and backwards.
          const KernelValue other = b.Load(y, b.Affine({{period, row}, {2, repeating}}, 5));
          const KernelValue last = b.Load(y, b.Affine({{-1, repeating}}, period));
          b.Store(
              z, at,
              b.Select(b.InRange(i, 10, 299), other, b.Select(b.InRange(i, 300, kCount), last, b.Load(x, repeating))));
        });
      });
    }));
  }
}

TEST(KernelCodegen, ValuesThatWouldRepeatInLongerLoops) {
  constexpr int64_t kRows = 4;
  KernelBuilder b("k");
  const int lengths = b.AddBuffer("lengths", S64, kRows, Use::kRead);
  const int x = b.AddBuffer("x", F32, 16, Use::kRead);
  const int z = b.AddBuffer("z", F32, kRows * 16, Use::kReadWrite);
  b.Phase(kRows, [&](KernelValue tile) {
    // 8 to 14 iterations, so that less is read than would repeat.
    const KernelValue extent = b.Binary(HloOpcode::kAdd, b.Load(lengths, tile), b.Index(11));
    b.For(extent, LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue at = b.AsIndex(i, 0, 1000);
      b.Store(z, b.Affine({{16, tile}, {1, i}}), b.Load(x, b.Affine({{1, b.Remainder(at, 60)}}, 2)));
    });
  });
  Check(std::move(b).Finish());
}

TEST(KernelCodegen, QuotientsOfIndices) {
  for (const int64_t stride : {-3, 1, 5}) {
    for (const int64_t divisor : {3, 16}) {
      Check(OneTile(S32, 1200, [&](KernelBuilder& b, int x, int, int z) {
        b.For(b.Index(3), LoopSchedule::kPlain, true, [&](KernelValue row) {
          b.For(b.Index(75), LoopSchedule::kVector, true, [&](KernelValue i) {
            const KernelValue at = b.Affine({{stride, i}, {41, row}}, stride < 0 ? -stride * 75 : 1);
            const KernelValue value =
                b.Load(x, b.Affine({{1, b.Quotient(at, divisor)}, {2, b.Remainder(at, divisor)}}));
            // Negative in lanes that do not come here.
            const KernelValue later = b.Affine({{1, i}, {1, row}}, -30);
            const auto of_later = [&] {
              const KernelValue place = b.AsIndex(later, 0, 100);
              return Values{b.Load(x, b.Affine({{3, b.Quotient(place, divisor)}, {1, b.Remainder(place, divisor)}}))};
            };
            const auto zero = [&] { return Values{b.Constant(Literal::Scalar<int32_t>(0))}; };
            const KernelValue masked = b.If(b.InRange(later, 0, 1000), of_later, zero)[0];
            b.Store(z, b.Affine({{75, row}, {1, i}}), b.Binary(HloOpcode::kSubtract, value, masked));
          });
        });
      }));
    }
  }
}

// A kernel that writes a little of an array which is too large for caches.
Kernel WritesToLargeArray(PrimitiveType type) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", type, 1024, Use::kRead);
  const int z = b.AddBuffer("z", type, (13 << 20) / ByteWidth(type), Use::kWrite);
  b.Phase(4, [&](KernelValue tile) {
    b.For(b.Index(250), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue at = b.Affine({{256, tile}, {1, i}});
      b.Store(z, at, b.Load(x, at));
    });
  });
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(500), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(z, b.Affine({{1, i}}, 320), b.Load(x, b.Affine({{1, i}}, 100)));
      b.Store(z, b.Affine({{1, i}}, 2001), b.Load(x, i));
    });
    for (const int64_t columns : {3, 5, 8}) {
      b.For(b.Index(100), LoopSchedule::kVector, true, [&](KernelValue i) {
        for (int64_t c = 0; c < columns; ++c) {
          b.Store(z, b.Affine({{columns, i}}, 1024 * columns + c), b.Load(x, b.Affine({{1, i}}, c)));
        }
      });
    }
  });
  return std::move(b).Finish();
}

TEST(KernelCodegen, StreamsToLargeArrays) {
  for (const PrimitiveType type : {F32, S8}) Check(WritesToLargeArray(type));
}

// Rows of a large array, of a length that is known and of one that is not: long enough to be cut into runs, with a
// rest.
Kernel RunsOfLargeArray(int64_t length, bool is_known) {
  constexpr int64_t kRows = 3;
  KernelBuilder b("k");
  const int lengths = b.AddBuffer("lengths", S64, kRows, Use::kRead);
  const int x = b.AddBuffer("x", F32, kRows * length, Use::kRead);
  const int z = b.AddBuffer("z", F32, (int64_t{4} << 18) + kRows * length, Use::kWrite);
  b.Phase(kRows, [&](KernelValue tile) {
    // `length` or up to 6 less.
    const KernelValue extent = b.Binary(HloOpcode::kAdd, b.Load(lengths, tile), b.Index(length - 3));
    b.For(is_known ? b.Index(length) : extent, LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue value = b.Load(x, b.Affine({{length - 3, tile}, {1, i}}));
      b.Store(z, b.Affine({{length + 3, tile}, {1, i}}), b.Binary(HloOpcode::kMultiply, value, value));
    });
  });
  return std::move(b).Finish();
}

TEST(KernelCodegen, LongLoopsInRuns) {
  Check(RunsOfLargeArray(8192, true));
  Check(RunsOfLargeArray(5003, true));
  Check(RunsOfLargeArray(5003, false));
  Check(RunsOfLargeArray(40, false));
}

TEST(KernelCodegen, PredicatesOfLoadsAndStores) {
  for (const PrimitiveType type : kSomeTypes) {
    for (const LoopSchedule schedule : {LoopSchedule::kVector, LoopSchedule::kPlain}) {
      Check(OneTile(type, 70, [&](KernelBuilder& b, int x, int y, int z) {
        const KernelValue first = b.Load(y, b.Index(0));
        b.For(b.Index(70), schedule, true, [&](KernelValue i) {
          const KernelValue shifted = b.Affine({{1, i}}, -5);
          const KernelValue value = b.Load(x, shifted, b.InRange(shifted, 0, 59), first);
          b.Store(z, i, value, b.InRange(b.Remainder(i, 3), 1, 2));
        });
      }));
    }
  }
}

TEST(KernelCodegen, QuotientsGathersAndScatters) {
  for (const PrimitiveType type : kSomeTypes) {
    Check(OneTile(type, 210, [&](KernelBuilder& b, int x, int, int z) {
      b.For(b.Index(210), LoopSchedule::kVector, true, [&](KernelValue i) {
        // A transpose of 14 x 15.
        const KernelValue from = b.Affine({{15, b.Remainder(i, 14)}, {1, b.Quotient(i, 14)}});
        const KernelValue to = b.Affine({{1, b.Remainder(i, 7)}, {7, b.Quotient(i, 7)}});
        b.Store(z, to, b.Load(x, from), b.InRange(from, 3, 200));
      });
    }));
  }
}

TEST(KernelCodegen, LoopsWhoseLengthIsKnownAtRunTime) {
  KernelBuilder b("k");
  const int lengths = b.AddBuffer("lengths", S64, 8, Use::kRead);
  const int x = b.AddBuffer("x", F32, 800, Use::kRead);
  const int z = b.AddBuffer("z", F32, 800, Use::kReadWrite);
  b.Phase(8, [&](KernelValue tile) {
    const KernelValue length = b.Binary(HloOpcode::kMultiply, b.Load(lengths, tile), b.Load(lengths, tile));
    b.For(length, LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue at = b.Affine({{100, tile}, {1, i}});
      b.Store(z, at, b.Unary(HloOpcode::kNegate, b.Load(x, at)));
    });
  });
  Check(std::move(b).Finish());
}

// Sums and, beside them, maxima with their places.
KernelBuilder::Values SumRow(KernelBuilder& b, int x, KernelValue row, absl::Span<const int64_t> extents,
                             int64_t lanes) {
  const PrimitiveType type = b.BufferType(x);
  const KernelValue zero = b.Convert(b.Constant(Literal::Scalar<int32_t>(0)), type);
  const KernelValue two = b.Convert(b.Constant(Literal::Scalar<int32_t>(2)), type);
  Values neutral;
  if (lanes > 1) neutral = {zero};
  return b.Reduce(
      extents, lanes, {two}, neutral,
      [&](absl::Span<const KernelValue> at) {
        std::vector<std::pair<int64_t, KernelValue>> terms = {{60, row}};
        int64_t stride = 1;
        for (int d = static_cast<int>(at.size()) - 1; d >= 0; --d) {
          terms.push_back({stride, at[d]});
          stride *= extents[d];
        }
        return Values{b.Load(x, b.Affine(terms))};
      },
      [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
        return Values{b.Binary(HloOpcode::kAdd, left[0], right[0])};
      });
}

TEST(KernelCodegen, ReductionsOfRows) {
  for (const PrimitiveType type : {F32, F64, BF16, S8, S32, PRED, C64, F16, F8E5M2}) {
    for (const int64_t lanes : {1, 2, 64, 512}) {
      for (const std::vector<int64_t>& extents : {std::vector<int64_t>{60}, {5, 12}, {60, 1}}) {
        Check(OneTile(type, 300, [&](KernelBuilder& b, int x, int, int z) {
          b.For(b.Index(5), LoopSchedule::kPlain, true,
                [&](KernelValue i) { b.Store(z, i, SumRow(b, x, i, extents, lanes)[0]); });
        }));
      }
    }
  }
}

TEST(KernelCodegen, ReductionsInsideVectorLoops) {
  for (const PrimitiveType type : {F32, BF16, S8, PRED, C64}) {
    for (const int64_t lanes : {1, 4}) {
      Check(OneTile(type, 300, [&](KernelBuilder& b, int x, int, int z) {
        b.For(b.Index(5), LoopSchedule::kVector, true, [&](KernelValue i) {
          b.Store(z, i, SumRow(b, x, i, {10, 6}, lanes)[0]);
        });
      }));
    }
  }
}

TEST(KernelCodegen, ArgMaxKeepsTheFirst) {
  for (const int64_t lanes : {1, 8}) {
    Check(OneTile(
        F32, 100,
        [&](KernelBuilder& b, int x, int, int z) {
          const KernelValue low = b.Constant(Literal::Scalar<float>(-100));
          const KernelValue none = b.Constant(Literal::Scalar<int32_t>(1000));
          const Values neutral = {low, none};
          const auto result = b.Reduce(
              {100}, lanes, neutral, lanes == 1 ? Values() : neutral,
              [&](absl::Span<const KernelValue> at) {
                return Values{b.Load(x, at[0]), b.Convert(at[0], S32)};
              },
              [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
                const KernelValue equal = b.Compare(ComparisonDirection::kEq, l[0], r[0]);
                const KernelValue greater = b.Compare(ComparisonDirection::kGt, l[0], r[0]);
                const KernelValue lower = b.Binary(HloOpcode::kMinimum, l[1], r[1]);
                return Values{b.Select(greater, l[0], r[0]), b.Select(equal, lower, b.Select(greater, l[1], r[1]))};
              });
          b.Store(z, b.Index(0), result[1]);
        },
        S32));
  }
}

TEST(KernelCodegen, ScansCarryState) {
  for (const PrimitiveType type : kSomeTypes) {
    Check(OneTile(type, 60, [&](KernelBuilder& b, int x, int, int z) {
      // Down the columns of 6 x 10, and along one.
      b.For(b.Index(10), LoopSchedule::kVector, true, [&](KernelValue column) {
        b.ForWithState(b.Index(6), {b.Load(x, column)}, [&](KernelValue row, absl::Span<const KernelValue> sum) {
          const KernelValue at = b.Affine({{10, row}, {1, column}});
          const KernelValue next = b.Binary(HloOpcode::kAdd, sum[0], b.Load(x, at));
          b.Store(z, at, next);
          return Values{next};
        });
      });
    }));
  }
}

TEST(KernelCodegen, BranchesAndLoopsThatLanesLeaveOneByOne) {
  for (const LoopSchedule schedule : {LoopSchedule::kVector, LoopSchedule::kPlain}) {
    Check(OneTile(S32, 75, [&](KernelBuilder& b, int x, int y, int z) {
      const KernelValue zero = b.Constant(Literal::Scalar<int32_t>(0));
      const KernelValue one = b.Constant(Literal::Scalar<int32_t>(1));
      b.For(b.Index(75), schedule, true, [&](KernelValue i) {
        const KernelValue value = b.Load(x, i);
        const KernelValue is_positive = b.Compare(ComparisonDirection::kGt, value, zero);
        const Values chosen = b.If(
            is_positive, [&] { return Values{b.Load(y, i)}; },
            [&] {
              b.Store(z, i, one);
              return Values{b.Load(y, b.Index(3))};
            });
        const Values counted = b.While(
            {value, zero},
            [&](absl::Span<const KernelValue> s) { return b.Compare(ComparisonDirection::kGt, s[0], zero); },
            [&](absl::Span<const KernelValue> s) {
              return Values{b.Binary(HloOpcode::kSubtract, s[0], one), b.Binary(HloOpcode::kAdd, s[1], b.Load(x, i))};
            });
        const KernelValue sum = b.Binary(HloOpcode::kAdd, chosen[0], counted[1]);
        b.Store(z, i, sum, is_positive);
      });
    }));
  }
}

TEST(KernelCodegen, ScratchPhasesAndSharedMemory) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", F32, 120, Use::kReadWrite);
  const int z = b.AddBuffer("z", F32, 120, Use::kReadWrite, x);
  const int row = b.AddScratch("row", F64, 30);
  const int other = b.AddScratch("other", F32, 30);
  b.Phase(4, [&](KernelValue tile) {
    b.For(b.Index(30), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue value = b.Load(x, b.Affine({{30, tile}, {1, i}}));
      b.Store(row, i, b.Convert(value, F64));
      b.Store(other, i, value);
    });
    b.For(b.Index(30), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue reversed = b.Convert(b.Load(row, b.Affine({{-1, i}}, 29)), F32);
      b.Store(z, b.Affine({{30, tile}, {1, i}}), b.Binary(HloOpcode::kAdd, reversed, b.Load(other, i)));
    });
  });
  b.Phase(3, [&](KernelValue tile) {
    b.For(b.Index(40), LoopSchedule::kUnroll, true, [&](KernelValue i) {
      const KernelValue at = b.Affine({{40, tile}, {1, i}});
      b.Store(z, at, b.Unary(HloOpcode::kNegate, b.Load(z, at)));
    });
  });
  Check(std::move(b).Finish());
}

Kernel AddOne(const std::string& name, int64_t count) {
  KernelBuilder b(name);
  const int x = b.AddBuffer("x_of_" + name, F32, count, Use::kRead);
  const int z = b.AddBuffer("z", F32, count, Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(count), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(z, i, b.Binary(HloOpcode::kAdd, b.Load(x, i), b.Constant(Literal::Scalar<float>(1))));
    });
  });
  return std::move(b).Finish();
}

// More buffers than there are scopes to tell them apart, and a block that is too long to be optimized.
TEST(KernelCodegen, ThousandsOfAccessesToManyBuffers) {
  constexpr int kBuffers = 150;
  constexpr int kTimes = 5;
  KernelBuilder b("many");
  for (int i = 0; i < kBuffers; ++i) b.AddBuffer(absl::StrCat("x", i), F32, 20, Use::kReadWrite);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(20), LoopSchedule::kVector, true, [&](KernelValue i) {
      for (int access = 0; access < kTimes * kBuffers; ++access) {
        const int to = access % kBuffers;
        b.Store(to, i, b.Binary(HloOpcode::kAdd, b.Load(to, i), b.Load((to + 1) % kBuffers, i)));
      }
    });
  });
  Check(std::move(b).Finish());
}

TEST(KernelCompiler, CompilesEqualKernelsOnce) {
  const Kernel a = AddOne("a", 100);
  const Kernel b = AddOne("b", 100);
  const Kernel c = AddOne("c", 101);
  const Kernel* const kernels[] = {&a, &b, &c};
  auto compiler = KernelCompiler::Create(HostTarget(), {});
  ASSERT_TRUE(compiler.ok());
  auto compiled = (*compiler)->Compile(kernels, RunInOrder);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->Function(0, 0), compiled->Function(1, 0));
  EXPECT_NE(compiled->Function(0, 0), compiled->Function(2, 0));
  // What was made can be loaded again, by itself.
  auto again = KernelCompiler::Load(compiled->image());
  ASSERT_TRUE(again.ok()) << again.status();
  std::vector<float> x(101, 2.5f);
  std::vector<float> z(101);
  void* buffers[] = {x.data(), z.data()};
  again->Function(2, 0)(buffers, nullptr, 0, 1, &kNeverStop);
  EXPECT_THAT(z, testing::Each(3.5f));
}

// How often a kernel asked, and when it was told to stop.
struct Questions {
  int asked = 0;
  int stop_at = 0;  // 0: never
};

int32_t CountQuestion(const void* run) {
  auto* const questions = static_cast<Questions*>(const_cast<void*>(run));
  return ++questions->asked == questions->stop_at;
}

// Adds up x over `count` numbers, in a loop of each kind, and writes how far it came.
Kernel LongLoops(int64_t count, LoopSchedule schedule, bool reduces) {
  KernelBuilder b("long");
  const int x = b.AddBuffer("x", S64, 1, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", S64, reduces ? 1 : count, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const KernelValue zero = b.Index(0);
    if (reduces) {
      const std::vector<KernelValue> sums = b.Reduce(
          {count / 64, 64}, schedule == LoopSchedule::kVector ? 32 : 1, {zero},
          schedule == LoopSchedule::kVector ? std::vector<KernelValue>{zero} : std::vector<KernelValue>(),
          [&](absl::Span<const KernelValue> i) {
            return std::vector<KernelValue>{
                b.Binary(HloOpcode::kXor, b.Load(x, zero), b.Affine({{64, i[0]}, {1, i[1]}}))};
          },
          [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
            return std::vector<KernelValue>{b.Binary(HloOpcode::kAdd, left[0], right[0])};
          });
      return b.Store(z, zero, sums[0]);
    }
    b.For(b.Index(count), schedule, /*independent=*/true,
          [&](KernelValue i) { b.Store(z, i, b.Binary(HloOpcode::kAdd, b.Load(x, zero), i)); });
  });
  return std::move(b).Finish();
}

TEST(KernelStop, EndsLongLoops) {
  auto compiler = KernelCompiler::Create(HostTarget(), {});
  ASSERT_TRUE(compiler.ok());
  for (const LoopSchedule schedule : {LoopSchedule::kVector, LoopSchedule::kPlain}) {
    for (const bool reduces : {false, true}) {
      constexpr int64_t kCount = int64_t{1} << 22;
      const Kernel kernel = LongLoops(kCount, schedule, reduces);
      ASSERT_EQ(VerifyKernel(kernel), absl::OkStatus());
      const Kernel* const kernels[] = {&kernel};
      auto compiled = (*compiler)->Compile(kernels, RunInOrder);
      ASSERT_TRUE(compiled.ok()) << compiled.status();
      const int64_t x = 0;
      const auto run = [&](Questions& questions) {
        std::vector<int64_t> z(reduces ? 1 : kCount, -1);
        const void* buffers[] = {&x, z.data()};
        const KernelStop stop = {&CountQuestion, &questions};
        compiled->Function(0, 0)(const_cast<void* const*>(buffers), nullptr, 0, 1, &stop);
        return z.back();
      };
      Questions never;
      EXPECT_EQ(run(never), reduces ? kCount / 2 * (kCount - 1) : kCount - 1);
      EXPECT_GT(never.asked, 3);
      EXPECT_LT(never.asked, 100);
      Questions twice;
      twice.stop_at = 2;
      EXPECT_EQ(run(twice), -1);
      EXPECT_EQ(twice.asked, 2);
    }
  }
}

TEST(KernelStop, IsNotAskedForByShortLoops) {
  auto compiler = KernelCompiler::Create(HostTarget(), {});
  ASSERT_TRUE(compiler.ok());
  const Kernel kernel = LongLoops(int64_t{1} << 16, LoopSchedule::kVector, /*reduces=*/false);
  const Kernel* const kernels[] = {&kernel};
  auto compiled = (*compiler)->Compile(kernels, RunInOrder);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const int64_t x = 0;
  std::vector<int64_t> z(int64_t{1} << 16);
  const void* buffers[] = {&x, z.data()};
  Questions questions;
  const KernelStop stop = {&CountQuestion, &questions};
  compiled->Function(0, 0)(const_cast<void* const*>(buffers), nullptr, 0, 1, &stop);
  EXPECT_EQ(questions.asked, 0);
}

TEST(KernelCompiler, RejectsWhatIsNoCode) {
  CompiledKernels::Image image;
  image.objects = {"not an object"};
  EXPECT_EQ(KernelCompiler::Load(image).status().code(), absl::StatusCode::kInvalidArgument);
  image.objects = {};
  image.symbols = {"kernel0"};
  image.phase_counts = {1};
  EXPECT_EQ(KernelCompiler::Load(image).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(KernelCompiler, MakesObjectsForOtherProcessors) {
  const Kernel kernel = AddOne("a", 100);
  const Kernel* const kernels[] = {&kernel};
  auto compiler = KernelCompiler::Create(Aarch64Target(), {});
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  auto image = (*compiler)->CompileImage(kernels, RunInOrder);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->objects[0].substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_FALSE(KernelCompiler::Load(*image).ok());
  CheckThatAarch64Compiles(WritesToLargeArray(F32));
}

TEST(KernelCompiler, ShowsIrAndAssembly) {
  const Kernel kernel = AddOne("a", 100);
  const Kernel* const kernels[] = {&kernel};
  CodegenOptions options;
  std::string dumped;
  options.dump = [&](const std::string& name, const std::string& ir, const std::string& assembly) {
    dumped = name + ir + assembly;
  };
  auto compiler = KernelCompiler::Create(Avx2Target(), options);
  ASSERT_TRUE(compiler.ok());
  ASSERT_TRUE((*compiler)->CompileImage(kernels, RunInOrder).ok());
  EXPECT_THAT(dumped, testing::HasSubstr("define void @kernel0.0("));
  EXPECT_THAT(dumped, testing::HasSubstr("vaddps"));
  EXPECT_THAT(dumped, testing::Not(testing::HasSubstr("vmovntps")));

  const Kernel large = WritesToLargeArray(F32);
  const Kernel* const others[] = {&large};
  ASSERT_TRUE((*compiler)->CompileImage(others, RunInOrder).ok());
  EXPECT_THAT(dumped, testing::HasSubstr("vmovntps"));
  EXPECT_THAT(dumped, testing::HasSubstr("sfence"));
}

}  // namespace
}  // namespace xla
