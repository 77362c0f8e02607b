// Constructs whose cost is not in their text: n is how large the numbers in a short text are.
#include "tests/scaling/hostile_program.h"

namespace xla {
namespace {

// Each tuple has the one before it twice: 2^n leaves.
void DoublingTuples(ProgramText& program, int64_t n) {
  std::string tuple = program.Parameter(n % 5 == 0 ? "()" : "f32[]");
  for (int64_t i = 0; i < n % 64; ++i) tuple = program.Add("tuple(", tuple, ", ", tuple, ")");
  program.Result(tuple);
}

std::string Array(const char* type, int64_t n) { return absl::StrCat(type, "[", n, "]"); }

// iota, or a broadcast of a parameter.
std::string Values(ProgramText& program, const char* type, int64_t n) {
  if (n % 2 == 0) return program.Add(Array(type, n), " iota(), iota_dimension=0");
  return program.Add(Array(type, n), " broadcast(", program.Parameter(absl::StrCat(type, "[]")), "), dimensions={}");
}

void Sum(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  const std::string sine = program.Add(Array("f32", n), " sine(", Values(program, "f32", n), ")");
  program.Result(program.Add("f32[] reduce(", sine, ", ", zero, "), dimensions={0}, to_apply=", program.Adder()));
}

void LargeResult(ProgramText& program, int64_t n) {
  program.Result(program.Add(Array("f32", n), " exponential(", Values(program, "f32", n), ")"));
}

void LargeParameter(ProgramText& program, int64_t n) {
  program.Result(program.Add(Array("u8", n), " not(", program.Parameter(Array("u8", n)), ")"));
}

void LargeWindow(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1]");
  const std::string zero = program.Add("f32[] constant(0)");
  program.Result(program.Add("f32[1] reduce-window(", x, ", ", zero, "), window={size=", n, " pad=0_", n - 1,
                             "}, to_apply=", program.Adder()));
}

void DilatedWindow(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[2]");
  const std::string zero = program.Add("f32[] constant(0)");
  program.Result(program.Add("f32[1] reduce-window(", x, ", ", zero, "), window={size=2 lhs_dilate=", n,
                             " rhs_dilate=", n, "}, to_apply=", program.Adder()));
}

void SelectAndScatter(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1]");
  const std::string source = program.Parameter("f32[1]");
  const std::string zero = program.Add("f32[] constant(0)");
  program.Result(program.Add("f32[1] select-and-scatter(", x, ", ", source, ", ", zero, "), window={size=", n,
                             " pad=0_", n - 1, "}, select=", program.Less(), ", scatter=", program.Adder()));
}

void LargeConvolution(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1,4,1]");
  const std::string kernel = Values(program, "f32", n);
  const std::string w = program.Add("f32[", n, ",1,1] reshape(", kernel, ")");
  program.Result(program.Add("f32[1,4,1] convolution(", x, ", ", w, "), window={size=", n, " pad=0_", n - 1,
                             "}, dim_labels=b0f_0io->b0f"));
}

void Pad(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[2]");
  const std::string zero = program.Add("f32[] constant(0)");
  const std::string padded = program.Add("f32[", n + 2, "] pad(", x, ", ", zero, "), padding=0_0_", n);
  program.Result(program.Add("f32[1] slice(", padded, "), slice={[", n, ":", n + 1, "]}"));
}

void Product(ProgramText& program, int64_t n) {
  const std::string x = Values(program, "f32", n);
  program.Result(program.Add("f32[] dot(", x, ", ", x, "), lhs_contracting_dims={0}, rhs_contracting_dims={0}"));
}

void OuterProduct(ProgramText& program, int64_t n) {
  const std::string x = Values(program, "f32", n);
  const std::string products =
      program.Add("f32[", n, ",", n, "] dot(", x, ", ", x, "), lhs_contracting_dims={}, rhs_contracting_dims={}");
  program.Result(program.Add("f32[", n, "] reduce(", products, ", ", program.Add("f32[] constant(0)"),
                             "), dimensions={0}, to_apply=", program.Adder()));
}

void Sort(ProgramText& program, int64_t n) {
  program.Result(program.Add(Array("f32", n), " sort(", Values(program, "f32", n),
                             "), dimensions={0}, to_apply=", program.Less()));
}

void TopK(ProgramText& program, int64_t n) {
  program.Result(program.Add("(", Array("f32", n), ", ", Array("s32", n), ") topk(", Values(program, "f32", n),
                             "), k=", n, ", largest=true"));
}

void Transform(ProgramText& program, int64_t n) {
  program.Result(
      program.Add(Array("c64", n), " fft(", Values(program, "c64", n), "), fft_type=FFT, fft_length={", n, "}"));
}

void Factor(ProgramText& program, int64_t n) {
  const std::string one = program.Add("f32[] constant(1)");
  const std::string x = program.Add("f32[", n, ",", n, "] broadcast(", one, "), dimensions={}");
  program.Result(program.Add("f32[", n, ",", n, "] cholesky(", x, "), lower=true"));
}

void RandomBits(ProgramText& program, int64_t n) {
  program.Result(program.Add("(u64[2], ", Array("u32", n), ") rng-bit-generator(", program.Parameter("u64[2]"),
                             "), algorithm=rng_philox"));
}

void GatherOfManyRows(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  const std::string indices = Values(program, "s32", n);
  program.Result(program.Add(Array("f32", n), " gather(", x, ", ", indices,
                             "), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                             "slice_sizes={1}"));
}

void ScatterOfManyRows(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add("f32[4] scatter(", x, ", ", Values(program, "s32", n), ", ", Values(program, "f32", n),
                             "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                             "index_vector_dim=1, to_apply=",
                             program.Adder()));
}

void ManyDimensions(ProgramText& program, int64_t n) {
  const std::string shape = absl::StrCat("f32[", Repeated(n % 1500, "1"), "]");
  program.Result(program.Add(shape, " negate(", program.Parameter(shape), ")"));
}

// While i < n, over a value of this shape; `step` computes y from x and i.
void AddLoop(ProgramText& program, int64_t n, const std::string& shape, const std::string& step) {
  const std::string state = absl::StrCat("(s64[], ", shape, ")");
  const std::string condition = program.Computation(
      absl::StrCat(" s = ", state, " parameter(0)\n i = s64[] get-tuple-element(s), index=0\n k = s64[] constant(", n,
                   ")\n ROOT go = pred[] compare(i, k), direction=LT\n"));
  const std::string body = program.Computation(
      absl::StrCat(" s = ", state, " parameter(0)\n i = s64[] get-tuple-element(s), index=0\n",
                   " one = s64[] constant(1)\n next = s64[] add(i, one)\n x = ", shape,
                   " get-tuple-element(s), index=1\n", step, " ROOT t = ", state, " tuple(next, y)\n"));
  const std::string x = program.Parameter(shape);
  const std::string zero = program.Add("s64[] constant(0)");
  const std::string initial = program.Add(state, " tuple(", zero, ", ", x, ")");
  program.Result(program.Add(state, " while(", initial, "), condition=", condition, ", body=", body));
}

void LongLoop(ProgramText& program, int64_t n) { AddLoop(program, n, "f32[]", " y = f32[] sine(x)\n"); }

void LongLoopOverArrays(ProgramText& program, int64_t n) {
  AddLoop(program, n, "f32[200000]", " y = f32[200000] tanh(x)\n");
}

void LongLoopOfSorts(ProgramText& program, int64_t n) {
  AddLoop(program, n, "f32[50000]",
          absl::StrCat(" y = f32[50000] sort(x), dimensions={0}, to_apply=", program.Less(), "\n"));
}

void LongLoopOfProducts(ProgramText& program, int64_t n) {
  AddLoop(program, n, "f32[300,300]",
          " y = f32[300,300] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
}

void LongLoopOfUpdates(ProgramText& program, int64_t n) {
  AddLoop(program, n, "f32[100000]",
          " p = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}\n q = f32[1] negate(p)\n"
          " y = f32[100000] dynamic-update-slice(x, q, i)\n");
}

// The state is handed back unchanged: it never ends.
void Forever(ProgramText& program, int64_t) {
  const std::string condition = program.Computation(" s = f32[4] parameter(0)\n ROOT go = pred[] constant(true)\n");
  const std::string body = program.Computation(" s = f32[4] parameter(0)\n ROOT t = f32[4] cosine(s)\n");
  program.Result(
      program.Add("f32[4] while(", program.Parameter("f32[4]"), "), condition=", condition, ", body=", body));
}

// A loop in the function that a map, a reduce, a sort runs for each element.
void LoopsInElements(ProgramText& program, int64_t n) {
  const std::string condition = program.Computation(absl::StrCat(" s = f32[] parameter(0)\n k = f32[] constant(", n,
                                                                 ")\n ROOT go = pred[] compare(s, k), direction=LT\n"));
  const std::string body =
      program.Computation(" s = f32[] parameter(0)\n one = f32[] constant(1)\n ROOT t = f32[] add(s, one)\n");
  const std::string loop = absl::StrCat("f32[] while(a), condition=", condition, ", body=", body);
  const std::string unary = program.Computation(absl::StrCat(" a = f32[] parameter(0)\n ROOT w = ", loop, "\n"));
  const std::string binary = program.Computation(
      absl::StrCat(" a = f32[] parameter(0)\n b = f32[] parameter(1)\n w = ", loop, "\n ROOT r = f32[] add(w, b)\n"));
  const std::string x = program.Parameter("f32[1000]");
  const std::string mapped = program.Add("f32[1000] map(", x, "), dimensions={0}, to_apply=", unary);
  program.Result(program.Add("f32[] reduce(", mapped, ", ", program.Add("f32[] constant(0)"),
                             "), dimensions={0}, to_apply=", binary));
}

void ManyReplicas(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("replica_count=", n));
  const std::string id = program.Add("u32[] replica-id()");
  program.Result(program.Add("f32[] all-reduce(", program.Add("f32[] convert(", id, ")"),
                             "), replica_groups={}, to_apply=", program.Adder()));
}

void GatherFromReplicas(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("num_partitions=", n));
  program.Result(program.Add("f32[", n, "] all-gather(", program.Parameter("f32[1]"),
                             "), channel_id=1, replica_groups=[1,", n, "]<=[", n,
                             "], dimensions={0}, use_global_device_ids=true"));
}

void Sharded(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1000]");
  program.Result(program.Add("f32[1000] sine(", x, "), sharding={devices=[", n, "]<=[", n, "]}"));
}

void ShardedAlongMesh(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[1000]");
  program.Result(program.Add("f32[1000] sine(", x, "), sharding={mesh['x'=", n, ",'y'=", n, "], [{'y','x'}]}"));
}

void DynamicSize(ProgramText& program, int64_t n) {
  const std::string size = program.Parameter("s32[]");
  const std::string x = Values(program, "f32", n);
  const std::string shorter = program.Add("f32[<=", n, "] set-dimension-size(", x, ", ", size, "), dimensions={0}");
  program.Result(program.Add("f32[] reduce(", shorter, ", ", program.Add("f32[] constant(0)"),
                             "), dimensions={0}, to_apply=", program.Adder()));
}

void WideBits(ProgramText& program, int64_t n) {
  program.Result(program.Add("u8[", n, ",4] bitcast-convert(", Values(program, "u32", n), ")"));
}

void Recursion(ProgramText& program, int64_t) {
  const std::string x = program.Parameter("f32[]");
  program.Table("self {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=self\n}");
  program.Result(program.Add("f32[] call(", x, "), to_apply=self"));
}

void Spread(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[2,3]");
  program.Result(program.Add("f32[2,3] reverse(", x, "), dimensions={", n, "}"));
  program.Result(program.Add("f32[2] slice(", program.Parameter("f32[8]"), "), slice={[0:", n, ":", n, "]}"));
}

void CumulativeSum(ProgramText& program, int64_t n) {
  const std::string zero = program.Add("f32[] constant(0)");
  program.Result(program.Add(Array("f32", n), " reduce-window(", Values(program, "f32", n), ", ", zero,
                             "), window={size=", n, " pad=", n - 1, "_0}, to_apply=", program.Adder()));
}

}  // namespace

absl::Span<const Construct> HostileConstructs() {
  static constexpr Construct kConstructs[] = {
      {"doubling-tuples", "tuples with 2^n leaves", 1, DoublingTuples},
      {"sum", "a sum of n sines", 1, Sum},
      {"large-result", "n exponentials", 1, LargeResult},
      {"large-parameter", "n bytes", 1, LargeParameter},
      {"window", "a window of n elements", 1, LargeWindow},
      {"dilated-window", "a window that dilates by n", 1, DilatedWindow},
      {"select-and-scatter", "select-and-scatter with a window of n", 1, SelectAndScatter},
      {"convolution", "a convolution with n weights", 1, LargeConvolution},
      {"pad", "interior padding of n", 1, Pad},
      {"product", "a dot over n elements", 1, Product},
      {"outer-product", "a dot with n^2 results", 1, OuterProduct},
      {"sort", "a sort of n elements", 1, Sort},
      {"topk", "the n largest", 1, TopK},
      {"transform", "a Fourier transform of n elements", 1, Transform},
      {"factor", "a Cholesky factor of n rows", 1, Factor},
      {"random-bits", "n random numbers", 1, RandomBits},
      {"gather-of-many-rows", "a gather of n rows", 1, GatherOfManyRows},
      {"scatter-of-many-rows", "a scatter of n rows", 1, ScatterOfManyRows},
      {"many-dimensions", "an array of n dimensions", 1, ManyDimensions},
      {"long-loop", "a loop of n iterations", 1, LongLoop},
      {"long-loop-over-arrays", "... over arrays", 1, LongLoopOverArrays},
      {"long-loop-of-sorts", "... of sorts", 1, LongLoopOfSorts},
      {"long-loop-of-products", "... of products", 1, LongLoopOfProducts},
      {"long-loop-of-updates", "... of updates", 1, LongLoopOfUpdates},
      {"forever", "a loop without an end", 1, Forever},
      {"loops-in-elements", "loops of n iterations in a map and a reduce", 1, LoopsInElements},
      {"many-replicas", "n replicas", 1, ManyReplicas},
      {"gather-from-replicas", "an all-gather of n partitions", 1, GatherFromReplicas},
      {"sharded", "a sharding over n devices", 1, Sharded},
      {"sharded-along-mesh", "a sharding over n^2 devices", 1, ShardedAlongMesh},
      {"dynamic-size", "a dynamic dimension of n", 1, DynamicSize},
      {"wide-bits", "bits of n numbers", 1, WideBits},
      {"recursion", "a computation that calls itself", 1, Recursion},
      {"spread", "attributes out of range", 1, Spread},
      {"cumulative-sum", "a cumulative sum of n elements", 1, CumulativeSum},
  };
  return kConstructs;
}

}  // namespace xla
