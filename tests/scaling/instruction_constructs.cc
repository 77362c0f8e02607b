// Many instructions of one kind, mostly chains.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

// x, step(x), step(step(x)) ...; the last one is a result.
void Chain(ProgramText& program, int64_t n, std::string x,
           absl::FunctionRef<std::string(const std::string& x, int64_t i)> step) {
  for (int64_t i = 0; i < n; ++i) x = program.Add(step(x, i));
  program.Result(x);
}

void Elementwise(ProgramText& program, int64_t n) {
  const std::string y = program.Parameter("f32[4]");
  Chain(program, n, program.Parameter("f32[4]"), [&](const std::string& x, int64_t i) {
    return i % 2 == 0 ? absl::StrCat("f32[4] multiply(", x, ", ", y, ")") : absl::StrCat("f32[4] sine(", x, ")");
  });
}

void Diamonds(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[4]"),
        [](const std::string& x, int64_t) { return absl::StrCat("f32[4] add(", x, ", ", x, ")"); });
}

// Two equal instructions in each of n steps.
void EqualInstructions(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string left = program.Add("f32[4] sine(", x, ")");
    const std::string right = program.Add("f32[4] sine(", x, ")");
    x = program.Add("f32[4] subtract(", left, ", ", right, ")");
  }
  program.Result(x);
}

void DeadInstructions(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  std::string dead = x;
  for (int64_t i = 0; i < n; ++i) dead = program.Add("f32[4] sine(", dead, ")");
  program.Result(program.Add("f32[4] negate(", x, ")"));
}

// All numbers, so that constants fold.
void ConstantExpressions(ProgramText& program, int64_t n) {
  Chain(program, n, program.Add("f32[] constant(1)"),
        [](const std::string& x, int64_t) { return absl::StrCat("f32[] add(", x, ", ", x, ")"); });
}

void Reshapes(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[12]"), [](const std::string& x, int64_t i) {
    return absl::StrCat(i % 2 == 0 ? "f32[3,4] reshape(" : "f32[12] reshape(", x, ")");
  });
}

void Transposes(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[3,4]"), [](const std::string& x, int64_t i) {
    return absl::StrCat(i % 2 == 0 ? "f32[4,3]" : "f32[3,4]", " transpose(", x, "), dimensions={1,0}");
  });
}

void Broadcasts(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string rows = program.Add("f32[3,4] broadcast(", x, "), dimensions={1}");
    x = program.Add("f32[4] reduce(", rows, ", ", program.Add("f32[] constant(0)"),
                    "), dimensions={0}, to_apply=", program.Adder());
  }
  program.Result(x);
}

void SlicesAndPads(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t i) {
    return i % 2 == 0 ? absl::StrCat("f32[6] slice(", x, "), slice={[1:7]}")
                      : absl::StrCat("f32[8] pad(", x, ", ", zero, "), padding=1_1");
  });
}

void SlicesOfOneArray(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter(absl::StrCat("f32[", n, "]"));
  const std::string slices =
      Listed(n, [&](int64_t i) { return program.Add("f32[1] slice(", x, "), slice={[", n - 1 - i, ":", n - i, "]}"); });
  program.Result(program.Add("f32[", n, "] concatenate(", slices, "), dimensions={0}"));
}

void DynamicUpdates(ProgramText& program, int64_t n) {
  const std::string index = program.Parameter("s32[]");
  std::string x = program.Parameter("f32[8]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string piece = program.Add("f32[2] dynamic-slice(", x, ", ", index, "), dynamic_slice_sizes={2}");
    x = program.Add("f32[8] dynamic-update-slice(", x, ", ", program.Add("f32[2] sine(", piece, ")"), ", ", index, ")");
  }
  program.Result(x);
}

void Gathers(ProgramText& program, int64_t n) {
  const std::string indices = program.Parameter("s32[8,1]");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] gather(", x, ", ", indices,
                        "), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                        "slice_sizes={1}");
  });
}

void Scatters(ProgramText& program, int64_t n) {
  const std::string indices = program.Parameter("s32[3,1]");
  const std::string updates = program.Parameter("f32[3]");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] scatter(", x, ", ", indices, ", ", updates,
                        "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                        "index_vector_dim=1, to_apply=",
                        program.Adder());
  });
}

void Dots(ProgramText& program, int64_t n) {
  const std::string w = program.Parameter("f32[4,4]");
  Chain(program, n, program.Parameter("f32[4,4]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[4,4] dot(", x, ", ", w, "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  });
}

void Convolutions(ProgramText& program, int64_t n) {
  const std::string w = program.Parameter("f32[3,3,2,2]");
  Chain(program, n, program.Parameter("f32[1,5,5,2]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[1,5,5,2] convolution(", x, ", ", w,
                        "), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f");
  });
}

void Reduces(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4,8]");
  const std::string zero = program.Add("f32[] constant(0)");
  std::string y = program.Add("f32[4] broadcast(", zero, "), dimensions={}");
  for (int64_t i = 0; i < n; ++i) {
    const std::string rows = program.Add("f32[4,8] broadcast(", y, "), dimensions={0}");
    const std::string product = program.Add("f32[4,8] multiply(", rows, ", ", x, ")");
    y = program.Add("f32[4] reduce(", product, ", ", zero, "), dimensions={1}, to_apply=", program.Adder());
  }
  program.Result(y);
}

void ReducesWithOwnSums(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  std::string y = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string sum =
        program.Computation(" a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n");
    const std::string largest = program.Add("f32[] reduce(", y, ", ", zero, "), dimensions={0}, to_apply=", sum);
    y = program.Add("f32[4] broadcast(", largest, "), dimensions={}");
  }
  program.Result(y);
}

void ReduceWindows(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] reduce-window(", x, ", ", zero,
                        "), window={size=3 pad=1_1}, to_apply=", program.Adder());
  });
}

void SelectAndScatters(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  const std::string source = program.Parameter("f32[4]");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] select-and-scatter(", x, ", ", source, ", ", zero,
                        "), window={size=2 stride=2}, select=", program.Less(), ", scatter=", program.Adder());
  });
}

void Sorts(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] sort(", x, "), dimensions={0}, to_apply=", program.Less());
  });
}

void Maps(ProgramText& program, int64_t n) {
  const std::string function =
      program.Computation(" a = f32[] parameter(0)\n b = f32[] sine(a)\n ROOT c = f32[] multiply(a, b)\n");
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] map(", x, "), dimensions={0}, to_apply=", function);
  });
}

void Conversions(ProgramText& program, int64_t n) {
  static constexpr const char* kTypes[] = {"bf16", "f64", "s8", "f16", "u32", "f32", "pred", "s64"};
  Chain(program, n, program.Parameter("f32[8]"),
        [](const std::string& x, int64_t i) { return absl::StrCat(kTypes[i % 8], "[8] convert(", x, ")"); });
}

void Selects(ProgramText& program, int64_t n) {
  const std::string y = program.Parameter("f32[8]");
  std::string x = program.Parameter("f32[8]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string less = program.Add("pred[8] compare(", x, ", ", y, "), direction=LT");
    x = program.Add("f32[8] select(", less, ", ", program.Add("f32[8] exponential(", x, ")"), ", ", y, ")");
  }
  program.Result(x);
}

void RandomNumbers(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("u64[2]"), [&](const std::string& x, int64_t) {
    const std::string both = program.Add("(u64[2], u32[4]) rng-bit-generator(", x, "), algorithm=rng_three_fry");
    return absl::StrCat("u64[2] get-tuple-element(", both, "), index=0");
  });
}

void BatchNorms(ProgramText& program, int64_t n) {
  const std::string scale = program.Parameter("f32[4]");
  Chain(program, n, program.Parameter("f32[8,4]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8,4] batch-norm-inference(", x, ", ", scale, ", ", scale, ", ", scale, ", ", scale,
                        "), epsilon=0.001, feature_index=1");
  });
}

void TriangularSolves(ProgramText& program, int64_t n) {
  const std::string a = program.Parameter("f32[4,4]");
  Chain(program, n, program.Parameter("f32[4,4]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[4,4] triangular-solve(", a, ", ", x,
                        "), left_side=true, lower=true, transpose_a=NO_TRANSPOSE");
  });
}

void Ffts(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("c64[8]"), [](const std::string& x, int64_t i) {
    return absl::StrCat("c64[8] fft(", x, "), fft_type=", i % 2 == 0 ? "FFT" : "IFFT", ", fft_length={8}");
  });
}

void CustomCalls(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] custom-call(", x, "), custom_call_target=\"Sharding\"");
  });
}

void AllReduces(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] all-reduce(", x, "), to_apply=", program.Adder());
  });
}

void Permutes(ProgramText& program, int64_t n) {
  program.Attribute("replica_count=2");
  Chain(program, n, program.Parameter("f32[8]"), [](const std::string& x, int64_t) {
    return absl::StrCat("f32[8] collective-permute(", x, "), source_target_pairs={{0,1},{1,0}}");
  });
}

void AsyncCopies(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    const std::string start = program.Add("(f32[8], f32[8], u32[]) copy-start(", x, ")");
    return absl::StrCat("f32[8] copy-done(", start, ")");
  });
}

void AsyncAllReduces(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    const std::string start = program.Add("f32[8] all-reduce-start(", x, "), to_apply=", program.Adder());
    return absl::StrCat("f32[8] all-reduce-done(", start, ")");
  });
}

// A computation of its own for each, and an update between start and done.
void AsyncCalls(ProgramText& program, int64_t n) {
  Chain(program, n, program.Parameter("f32[8]"), [&](const std::string& x, int64_t) {
    const std::string callee = program.Computation(" p = f32[8] parameter(0)\n ROOT r = f32[8] sine(p)\n");
    const std::string start = program.Add("((f32[8]), f32[8], s32[]) async-start(", x, "), calls=", callee);
    const std::string update = program.Add("((f32[8]), f32[8], s32[]) async-update(", start, ")");
    return absl::StrCat("f32[8] async-done(", update, ")");
  });
}

// One async-start, then n updates.
void AsyncUpdates(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[8]");
  const std::string callee = program.Computation(" p = f32[8] parameter(0)\n ROOT r = f32[8] sine(p)\n");
  std::string update = program.Add("((f32[8]), f32[8], s32[]) async-start(", x, "), calls=", callee);
  for (int64_t i = 0; i < n; ++i) update = program.Add("((f32[8]), f32[8], s32[]) async-update(", update, ")");
  program.Result(program.Add("f32[8] async-done(", update, ")"));
}

void Outfeeds(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[8]");
  Chain(program, n, program.Add("token[] after-all()"), [&](const std::string& token, int64_t) {
    return absl::StrCat("token[] outfeed(", x, ", ", token, "), outfeed_shape=f32[8]{0}");
  });
}

void Infeeds(ProgramText& program, int64_t n) {
  Chain(program, n, program.Add("token[] after-all()"), [&](const std::string& token, int64_t) {
    const std::string both = program.Add("(f32[8], token[]) infeed(", token, ")");
    return absl::StrCat("token[] get-tuple-element(", both, "), index=1");
  });
}

void Transfers(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[8]");
  std::string token = program.Add("token[] after-all()");
  for (int64_t i = 0; i < n; ++i) {
    const std::string send = program.Add("(f32[8], u32[], token[]) send(", x, ", ", token, "), channel_id=", i + 1,
                                         ", is_host_transfer=true");
    token = program.Add("token[] send-done(", send, "), channel_id=", i + 1, ", is_host_transfer=true");
  }
  program.Result(token);
}

void ReducesOfDynamicSizes(ProgramText& program, int64_t n) {
  const std::string size = program.Parameter("s32[]");
  const std::string fixed = program.Parameter("f32[8]");
  std::string x = program.Add("f32[<=8] set-dimension-size(", fixed, ", ", size, "), dimensions={0}");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[<=8] sine(", x, ")");
  program.Result(program.Add("f32[] reduce(", x, ", ", program.Add("f32[] constant(0)"),
                             "), dimensions={0}, to_apply=", program.Adder()));
}

void DimensionSizes(ProgramText& program, int64_t n) {
  const std::string size = program.Parameter("s32[]");
  std::string x = program.Parameter("f32[8]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string shorter = program.Add("f32[<=8] set-dimension-size(", x, ", ", size, "), dimensions={0}");
    x = program.Add("f32[8] pad(", program.Add("f32[<=8] negate(", shorter, ")"), ", ",
                    program.Add("f32[] constant(0)"), "), padding=0_0");
  }
  program.Result(x);
}

void Scheduled(ProgramText& program, int64_t n) {
  program.Attribute("is_scheduled=true");
  Elementwise(program, n);
}

}  // namespace

absl::Span<const Construct> InstructionConstructs() {
  static constexpr Construct kConstructs[] = {
      {"elementwise", "a chain of n elementwise operations", 1000, Elementwise},
      {"diamonds", "n sums of a value with itself", 1000, Diamonds},
      {"equal-instructions", "n pairs of equal instructions", 500, EqualInstructions},
      {"dead-instructions", "n instructions without a use", 2000, DeadInstructions},
      {"constant-expressions", "n operations on numbers", 1000, ConstantExpressions},
      {"reshapes", "a chain of n reshapes", 1000, Reshapes},
      {"transposes", "a chain of n transposes", 1000, Transposes},
      {"broadcasts", "n broadcasts and sums", 300, Broadcasts},
      {"slices-and-pads", "a chain of n slices and pads", 500, SlicesAndPads},
      {"slices-of-one-array", "n slices of an array, concatenated", 500, SlicesOfOneArray},
      {"dynamic-updates", "a chain of n dynamic slices and updates", 200, DynamicUpdates},
      {"gathers", "a chain of n gathers", 300, Gathers},
      {"scatters", "a chain of n scatters", 200, Scatters},
      {"dots", "a chain of n dots", 300, Dots},
      {"convolutions", "a chain of n convolutions", 100, Convolutions},
      {"reduces", "a chain of n reduces", 200, Reduces},
      {"reduces-with-own-sums", "n reduces, each with a computation of its own", 200, ReducesWithOwnSums},
      {"reduce-windows", "a chain of n windows", 200, ReduceWindows},
      {"select-and-scatters", "a chain of n select-and-scatters", 100, SelectAndScatters},
      {"sorts", "a chain of n sorts", 200, Sorts},
      {"maps", "a chain of n maps of one function", 300, Maps},
      {"conversions", "a chain of n conversions", 500, Conversions},
      {"selects", "a chain of n comparisons and selects", 300, Selects},
      {"random-numbers", "a chain of n generators of random bits", 50, RandomNumbers},
      {"batch-norms", "a chain of n batch norms", 100, BatchNorms},
      {"triangular-solves", "a chain of n triangular solves", 100, TriangularSolves},
      {"ffts", "a chain of n Fourier transforms", 300, Ffts},
      {"custom-calls", "a chain of n custom calls", 1000, CustomCalls},
      {"all-reduces", "a chain of n all-reduces", 500, AllReduces},
      {"permutes", "a chain of n collective permutes", 500, Permutes},
      {"async-copies", "a chain of n asynchronous copies", 500, AsyncCopies},
      {"async-all-reduces", "a chain of n asynchronous all-reduces", 500, AsyncAllReduces},
      {"async-calls", "n asynchronous calls, each of a computation of its own", 300, AsyncCalls},
      {"async-updates", "an asynchronous call with n updates", 1000, AsyncUpdates},
      {"outfeeds", "a chain of n outfeeds", 500, Outfeeds},
      {"infeeds", "a chain of n infeeds", 500, Infeeds},
      {"transfers", "n transfers to the host, each with a channel", 500, Transfers},
      {"values-of-dynamic-size", "a chain of n operations on a dynamic dimension", 300, ReducesOfDynamicSizes},
      {"dimension-sizes", "n settings of the size of a dimension", 200, DimensionSizes},
      {"scheduled", "a scheduled chain of n operations", 1000, Scheduled},
  };
  return kConstructs;
}

}  // namespace xla
