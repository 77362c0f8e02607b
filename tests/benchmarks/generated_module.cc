#include "tests/benchmarks/generated_module.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace {

constexpr int kBlocksPerComputation = 10;

constexpr char kHeader[] =
    "HloModule jit_train_step, entry_computation_layout={(f32[8,64]{1,0}, f32[64,64]{1,0})->f32[8,64]{1,0}}\n\n"
    "region_0.1 {\n"
    "  Arg_0.2 = f32[] parameter(0)\n"
    "  Arg_1.3 = f32[] parameter(1)\n"
    "  ROOT add.4 = f32[] add(Arg_0.2, Arg_1.3)\n"
    "}\n\n"
    "while_cond.8 {\n"
    "  arg_tuple.9 = (s32[], f32[8,64]{1,0}) parameter(0)\n"
    "  get-tuple-element.10 = s32[] get-tuple-element(arg_tuple.9), index=0\n"
    "  constant.11 = s32[] constant(4)\n"
    "  ROOT lt.12 = pred[] compare(get-tuple-element.10, constant.11), direction=LT\n"
    "}\n\n"
    "while_body.13 {\n"
    "  arg_tuple.14 = (s32[], f32[8,64]{1,0}) parameter(0)\n"
    "  get-tuple-element.15 = s32[] get-tuple-element(arg_tuple.14), index=0\n"
    "  constant.16 = s32[] constant(1)\n"
    "  add.17 = s32[] add(get-tuple-element.15, constant.16)\n"
    "  get-tuple-element.18 = f32[8,64]{1,0} get-tuple-element(arg_tuple.14), index=1\n"
    "  sine.19 = f32[8,64]{1,0} sine(get-tuple-element.18)\n"
    "  ROOT tuple.20 = (s32[], f32[8,64]{1,0}) tuple(add.17, sine.19)\n"
    "}\n\n";
constexpr int64_t kHeaderInstructions = 14;

constexpr char kMatrix[] = "f32[8,64]{1,0}";

// Collects the instructions of a computation, and the computations that it calls, and numbers them.
class InstructionWriter {
 public:
  explicit InstructionWriter(int64_t first_number) : next_(first_number) {}

  // Returns the instruction's name: the opcode and a number, with underscores as JAX writes them.
  std::string Add(absl::string_view opcode, absl::string_view shape, absl::string_view operands,
                  absl::string_view attributes = "") {
    const int64_t number = next_++;
    const std::string name = absl::StrCat(opcode, ".", number);
    absl::StrAppend(&text_, root_ ? "  ROOT " : "  ", name, " = ", shape, " ", opcode, "(", operands, ")", attributes);
    absl::StrAppend(&text_, ", metadata={op_type=\"", opcode, "\" op_name=\"jit(train_step)/jit(main)/transpose(jvp(",
                    "layer_", number / 40, "))/", opcode, "\" source_file=\"models/transformer.py\" source_line=");
    absl::StrAppend(&text_, number % 977 + 1, "}\n");
    return name;
  }
  std::string AddRoot(absl::string_view opcode, absl::string_view shape, absl::string_view operands,
                      absl::string_view attributes = "") {
    root_ = true;
    std::string name = Add(opcode, shape, operands, attributes);
    root_ = false;
    return name;
  }
  // A fusion has its computation to itself.
  std::string AddFusion(const std::string& x) {
    const std::string name = absl::StrCat("fused_computation.", next_);
    InstructionWriter fused(next_);
    const std::string parameter = fused.Add("parameter", kMatrix, "0");
    const std::string negated = fused.Add("negate", kMatrix, parameter);
    fused.AddRoot("maximum", kMatrix, absl::StrCat(parameter, ", ", negated));
    absl::StrAppend(&callees_, name, " {\n", fused.text_, "}\n\n");
    next_ = fused.next_;
    return Add("fusion", kMatrix, x, absl::StrCat(", kind=kLoop, calls=", name));
  }

  int64_t next() const { return next_; }
  const std::string& text() const { return text_; }
  const std::string& callees() const { return callees_; }

 private:
  std::string text_;
  std::string callees_;
  int64_t next_;
  bool root_ = false;
};

std::string Pair(const std::string& a, const std::string& b) { return absl::StrCat(a, ", ", b); }

// dot, gelu-like chain, softmax-like reduction
std::string AddAttention(InstructionWriter& w, const std::string& x, const std::string& weights) {
  const std::string dot =
      w.Add("dot", kMatrix, Pair(x, weights), ", lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  const std::string factor = w.Add("constant", "f32[]", absl::StrCat("0.0", w.next() % 89 + 10));
  const std::string factors = w.Add("broadcast", kMatrix, factor, ", dimensions={}");
  const std::string scaled = w.Add("multiply", kMatrix, Pair(dot, factors));
  const std::string bent = w.Add("tanh", kMatrix, scaled);
  const std::string fused = w.AddFusion(bent);
  const std::string zero = w.Add("constant", "f32[]", "0");
  const std::string sums = w.Add("reduce", "f32[8]{0}", Pair(fused, zero), ", dimensions={1}, to_apply=region_0.1");
  const std::string means = w.Add("broadcast", kMatrix, sums, ", dimensions={0}");
  const std::string centred = w.Add("subtract", kMatrix, Pair(fused, means));
  return w.Add("exponential", kMatrix, centred);
}

// constants, comparison, conversions
std::string AddMasking(InstructionWriter& w, const std::string& x) {
  const std::string bias = w.Add("constant", "f32[8]{0}", "{1, 0.5, 0.25, -0.125, 3.14159274, 1e-06, 2.71828175, -42}");
  const std::string biases = w.Add("broadcast", kMatrix, bias, ", dimensions={0}");
  const std::string quotient = w.Add("divide", kMatrix, Pair(x, biases));
  const std::string mask = w.Add("compare", "pred[8,64]{1,0}", Pair(quotient, biases), ", direction=GT");
  const std::string chosen = w.Add("select", kMatrix, absl::StrCat(mask, ", ", quotient, ", ", x));
  const std::string narrow = w.Add("convert", "bf16[8,64]{1,0}", chosen);
  return w.Add("convert", kMatrix, narrow);
}

// data movement and a loop
std::string AddRotation(InstructionWriter& w, const std::string& x) {
  const std::string turned = w.Add("transpose", "f32[64,8]{0,1}", x, ", dimensions={1,0}");
  const std::string back = w.Add("reshape", kMatrix, turned);
  const std::string left = w.Add("slice", "f32[8,32]{1,0}", back, ", slice={[0:8], [0:32]}");
  const std::string right = w.Add("slice", "f32[8,32]{1,0}", back, ", slice={[0:8], [32:64]}");
  const std::string negated = w.Add("negate", "f32[8,32]{1,0}", right);
  const std::string joined = w.Add("concatenate", kMatrix, Pair(negated, left), ", dimensions={1}");
  const std::string start = w.Add("constant", "s32[]", absl::StrCat(w.next() % 8));
  const std::string written =
      w.Add("dynamic-update-slice", kMatrix, absl::StrCat(joined, ", ", left, ", ", start, ", ", start));
  const std::string padding = w.Add("constant", "f32[]", "-inf");
  const std::string padded = w.Add("pad", kMatrix, Pair(left, padding), ", padding=0_0x16_16");
  const std::string larger = w.Add("maximum", kMatrix, Pair(written, padded));
  const std::string state = w.Add("tuple", "(s32[], f32[8,64]{1,0})", Pair(start, larger));
  const std::string loop =
      w.Add("while", "(s32[], f32[8,64]{1,0})", state, ", condition=while_cond.8, body=while_body.13");
  return w.Add("get-tuple-element", kMatrix, loop, ", index=1");
}

// One computation f32[8,64], f32[64,64] -> f32[8,64]; returns its name.
std::string AddLayer(std::string* out, int64_t* number, int64_t limit) {
  const std::string name = absl::StrCat("layer.", *number);
  InstructionWriter w(*number);
  std::string x = w.Add("parameter", kMatrix, "0");
  const std::string input = x;
  const std::string weights = w.Add("parameter", "f32[64,64]{1,0}", "1");
  for (int block = 0; block < kBlocksPerComputation && w.next() < limit; ++block) {
    x = AddRotation(w, AddMasking(w, AddAttention(w, x, weights)));
  }
  w.AddRoot("add", kMatrix, Pair(x, input));
  absl::StrAppend(out, w.callees(), name, " {\n", w.text(), "}\n\n");
  *number = w.next();
  return name;
}

}  // namespace

std::string GenerateNetworkText(int64_t instructions) {
  std::string text = kHeader;
  std::vector<std::string> layers;
  int64_t number = kHeaderInstructions + 10;  // those of the header are below
  while (number < instructions) layers.push_back(AddLayer(&text, &number, instructions));
  InstructionWriter w(number);
  std::string x = w.Add("parameter", kMatrix, "0");
  const std::string weights = w.Add("parameter", "f32[64,64]{1,0}", "1");
  for (const std::string& layer : layers) {
    x = w.Add("call", kMatrix, Pair(x, weights), absl::StrCat(", to_apply=", layer));
  }
  w.AddRoot("tanh", kMatrix, x);
  absl::StrAppend(&text, "ENTRY main {\n", w.text(), "}\n");
  return text;
}

ConstantModule GenerateConstantText(int64_t text_bytes) {
  constexpr absl::string_view kNumbers[] = {"0.123456789, ", "-1.5, ", "3.14159274, ", "1e-06, "};
  constexpr int64_t kCycleBytes = 37;
  ConstantModule module;
  module.elements = text_bytes / kCycleBytes * 4;
  std::string& text = module.text;
  text.reserve(text_bytes + 200);
  absl::StrAppend(&text, "HloModule constant, entry_computation_layout={()->f32[", module.elements, "]{0}}\n\n");
  absl::StrAppend(&text, "ENTRY main {\n  ROOT constant.1 = f32[", module.elements, "]{0} constant({");
  for (int64_t i = 0; i < module.elements; ++i) absl::StrAppend(&text, kNumbers[i % 4]);
  text.resize(text.size() - 2);
  text += "})\n}\n";
  return module;
}

namespace {

// `data` is the shape of what the ten operations work on.
std::string LoopText(int64_t iterations, absl::string_view data) {
  return absl::StrReplaceAll(R"(HloModule loop

cond {
  state = (s32[], F, F) parameter(0)
  turn = s32[] get-tuple-element(state), index=0
  n = s32[] constant(TURNS)
  ROOT less = pred[] compare(turn, n), direction=LT
}

body {
  s = (s32[], F, F) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = F get-tuple-element(s), index=1
  y = F get-tuple-element(s), index=2
  one = s32[] constant(1)
  a = F multiply(x, y)
  b = F add(a, y)
  c = F subtract(b, x)
  d = F maximum(c, y)
  e = F negate(d)
  f = F abs(e)
  g = F minimum(f, x)
  h = F add(g, y)
  k = F multiply(h, y)
  next = s32[] add(i, one)
  ROOT out = (s32[], F, F) tuple(next, h, k)
}

ENTRY main {
  zero = s32[] constant(0)
  x0 = F parameter(0)
  y0 = F parameter(1)
  init = (s32[], F, F) tuple(zero, x0, y0)
  ROOT loop = (s32[], F, F) while(init), condition=cond, body=body
}
)",
                             {{"F", data}, {"TURNS", absl::StrCat(iterations)}});
}

}  // namespace

std::string GenerateScalarLoopText(int64_t iterations) { return LoopText(iterations, "f32[]"); }

std::string GenerateVectorLoopText(int64_t iterations) { return LoopText(iterations, "f32[4]"); }

std::string GenerateConvolutionStackText(int layers) {
  std::string text =
      "HloModule convolutions\n\nENTRY main {\n  x.0 = f32[1,56,56,64] parameter(0)\n"
      "  kernel = f32[3,3,64,64] parameter(1)\n  zero = f32[] constant(0)\n"
      "  zeros = f32[1,56,56,64] broadcast(zero), dimensions={}\n";
  for (int i = 0; i < layers; ++i) {
    absl::StrAppend(&text, "  conv.", i, " = f32[1,56,56,64] convolution(x.", i,
                    ", kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n");
    absl::StrAppend(&text, i + 1 == layers ? "  ROOT x." : "  x.", i + 1, " = f32[1,56,56,64] maximum(conv.", i,
                    ", zeros)\n");
  }
  text += "}\n";
  return text;
}

}  // namespace xla
