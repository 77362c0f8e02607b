#include "tests/nnef_pairs/networks.h"

#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"

namespace xla {
namespace {

// A flat document, line by line. Each method adds the lines of an operation and returns the name of its result.
class DocumentWriter {
 public:
  DocumentWriter(std::string graph, std::initializer_list<int64_t> input) : graph_(std::move(graph)) {
    absl::StrAppend(&body_, "    x = external<scalar>(shape = [", absl::StrJoin(input, ","), "]);\n");
  }

  std::string Add(const std::string& operation) {
    const std::string name = absl::StrCat("t", ++count_);
    absl::StrAppend(&body_, "    ", name, " = ", operation, ";\n");
    return name;
  }

  std::string Variable(const std::string& label, std::initializer_list<int64_t> extents) {
    return Add(absl::Substitute("variable<scalar>(label = 'main.$0.$1', shape = [$2])", graph_, label,
                                absl::StrJoin(extents, ",")));
  }

  // A variable of one dimension as one of channels, which is the second dimension.
  std::string Channels(const std::string& label, int64_t channels) {
    return Add(absl::Substitute("unsqueeze($0, axes = [0])", Variable(label, {channels})));
  }

  std::string ConvNorm(const std::string& x, const std::string& label, int64_t from, int64_t to, int64_t size,
                       int64_t stride, int64_t groups) {
    const std::string filter = Variable(absl::StrCat(label, ".filter"), {to, from / groups, size, size});
    const std::string z =
        Add(absl::Substitute("conv($0, $1, stride = [$2,$2], padding = [($3,$3),($3,$3)], groups = $4)", x, filter,
                             stride, size / 2, groups));
    const std::string mean = Channels(absl::StrCat(label, ".mean"), to);
    const std::string variance = Channels(absl::StrCat(label, ".variance"), to);
    const std::string offset = Channels(absl::StrCat(label, ".offset"), to);
    const std::string scale = Channels(absl::StrCat(label, ".scale"), to);
    return Add(
        absl::Substitute("batch_normalization($0, mean = $1, variance = $2, offset = $3, scale = $4, epsilon = 1e-5)",
                         z, mean, variance, offset, scale));
  }

  // The classes of features.
  std::string Classify(const std::string& x, int64_t from, int64_t classes) {
    const std::string features = Add(absl::Substitute("squeeze(mean_reduce($0, axes = [2,3]), axes = [2,3])", x));
    const std::string filter = Variable("classifier.filter", {classes, from});
    const std::string bias = Channels("classifier.bias", classes);
    return Add(absl::Substitute("softmax(linear($0, $1, $2))", features, filter, bias));
  }

  std::string Document(const std::string& result) const {
    return absl::StrCat("version 1.0;\nextension KHR_enable_operator_expressions;\n\ngraph ", graph_, "( x ) -> ( ",
                        result, " )\n{\n", body_, "}\n");
  }

 private:
  std::string graph_;
  std::string body_;
  int count_ = 0;
};

std::string Bottleneck(DocumentWriter* out, const std::string& x, const std::string& label, int64_t from, int64_t width,
                       int64_t stride, bool project) {
  const auto relu = [&](const std::string& y) { return out->Add(absl::Substitute("relu($0)", y)); };
  const std::string narrow = relu(out->ConvNorm(x, absl::StrCat(label, ".reduce"), from, width, 1, 1, 1));
  const std::string spatial = relu(out->ConvNorm(narrow, absl::StrCat(label, ".spatial"), width, width, 3, stride, 1));
  const std::string wide = out->ConvNorm(spatial, absl::StrCat(label, ".expand"), width, 4 * width, 1, 1, 1);
  const std::string shortcut =
      project ? out->ConvNorm(x, absl::StrCat(label, ".shortcut"), from, 4 * width, 1, stride, 1) : x;
  return relu(out->Add(absl::Substitute("add($0, $1)", wide, shortcut)));
}

std::string InvertedResidual(DocumentWriter* out, const std::string& x, const std::string& label, int64_t from,
                             int64_t to, int64_t expansion, int64_t stride) {
  const auto relu6 = [&](const std::string& y) { return out->Add(absl::Substitute("clamp($0, 0.0, 6.0)", y)); };
  const int64_t middle = expansion * from;
  std::string wide = x;
  if (expansion > 1) wide = relu6(out->ConvNorm(x, absl::StrCat(label, ".wide.expand"), from, middle, 1, 1, 1));
  const std::string filtered =
      relu6(out->ConvNorm(wide, absl::StrCat(label, ".depthwise"), middle, middle, 3, stride, middle));
  const std::string narrow = out->ConvNorm(filtered, absl::StrCat(label, ".project"), middle, to, 1, 1, 1);
  return stride == 1 && from == to ? out->Add(absl::Substitute("add($0, $1)", narrow, x)) : narrow;
}

std::string Dense(DocumentWriter* out, const std::string& x, const std::string& label, int64_t from, int64_t to) {
  const std::string filter = out->Variable(absl::StrCat(label, ".filter"), {to, from});
  const std::string bias = out->Variable(absl::StrCat(label, ".bias"), {to});
  return out->Add(absl::Substitute(
      "add(matmul($0, unsqueeze($1, axes = [0]), transposeB = true), unsqueeze($2, axes = [0,1]))", x, filter, bias));
}

std::string LayerNorm(DocumentWriter* out, const std::string& x, const std::string& label, int64_t channels) {
  const std::string offset = out->Variable(absl::StrCat(label, ".offset"), {channels});
  const std::string scale = out->Variable(absl::StrCat(label, ".scale"), {channels});
  const std::string centered = out->Add(absl::Substitute("sub($0, mean_reduce($0, axes = [2]))", x));
  const std::string normal =
      out->Add(absl::Substitute("div($0, sqrt(add(mean_reduce(sqr($0), axes = [2]), 1e-5)))", centered));
  return out->Add(absl::Substitute("add(mul($0, unsqueeze($1, axes = [0,1])), unsqueeze($2, axes = [0,1]))", normal,
                                   scale, offset));
}

}  // namespace

std::string ResNet50Document(int64_t size, int64_t width, int64_t classes) {
  DocumentWriter out("ResNet50", {1, 3, size, size});
  std::string x = out.Add(absl::Substitute("relu($0)", out.ConvNorm("x", "stem", 3, width, 7, 2, 1)));
  x =
      out.Add(absl::Substitute("max_pool($0, size = [1,1,3,3], border = 'ignore', stride = [1,1,2,2], "
                               "padding = [(0,0),(0,0),(1,1),(1,1)])",
                               x));
  int64_t from = width;
  const std::initializer_list<int> blocks = {3, 4, 6, 3};
  int stage = 0;
  for (const int count : blocks) {
    ++stage;
    for (int block = 1; block <= count; ++block) {
      x = Bottleneck(&out, x, absl::StrCat("stage", stage, ".block", block), from, width,
                     stage > 1 && block == 1 ? 2 : 1, block == 1);
      from = 4 * width;
    }
    width *= 2;
  }
  return out.Document(out.Classify(x, from, classes));
}

std::string MobileNetV2Document(int64_t size, int64_t unit, int64_t classes) {
  DocumentWriter out("MobileNetV2", {1, 3, size, size});
  std::string x = out.Add(absl::Substitute("clamp($0, 0.0, 6.0)", out.ConvNorm("x", "stem", 3, 4 * unit, 3, 2, 1)));
  struct Group {
    int64_t units;
    int blocks;
    int64_t stride;
  };
  const std::initializer_list<Group> groups = {{2, 1, 1},  {3, 2, 2},  {4, 3, 2}, {8, 4, 2},
                                               {12, 3, 1}, {20, 3, 2}, {40, 1, 1}};
  int64_t from = 4 * unit;
  int block = 0;
  for (const Group& group : groups) {
    for (int i = 0; i < group.blocks; ++i) {
      ++block;
      x = InvertedResidual(&out, x, absl::StrCat("block", block), from, group.units * unit, block == 1 ? 1 : 6,
                           i == 0 ? group.stride : 1);
      from = group.units * unit;
    }
  }
  x = out.ConvNorm(x, "head", from, 160 * unit, 1, 1, 1);
  return out.Document(out.Classify(out.Add(absl::Substitute("clamp($0, 0.0, 6.0)", x)), 160 * unit, classes));
}

std::string TransformerDocument(int64_t length, int64_t heads, int64_t head_size) {
  const int64_t channels = heads * head_size;
  DocumentWriter out("Transformer", {1, length, channels});
  const std::string normal = LayerNorm(&out, "x", "attention_norm", channels);
  const auto split = [&](const std::string& name) {
    return out.Add(absl::Substitute("transpose(reshape($0, shape = [1,$1,$2,$3]), axes = [0,2,1,3])",
                                    Dense(&out, normal, absl::StrCat("attention.", name), channels, channels), length,
                                    heads, head_size));
  };
  const std::string q = split("query"), k = split("key"), v = split("value");
  const std::string products = out.Add(absl::Substitute("matmul($0, $1, transposeB = true)", q, k));
  const std::string scaled = out.Add(absl::Substitute("mul($0, rsqrt($1.0))", products, head_size));
  const std::string mixed = out.Add(absl::Substitute("matmul(softmax($0, axes = [3]), $1)", scaled, v));
  const std::string joined =
      out.Add(absl::Substitute("reshape(transpose($0, axes = [0,2,1,3]), shape = [1,$1,$2])", mixed, length, channels));
  const std::string attended = Dense(&out, joined, "attention.output", channels, channels);
  const std::string sum = out.Add(absl::Substitute("add(x, $0)", attended));
  const std::string wide = Dense(&out, LayerNorm(&out, sum, "layers_norm", channels), "expand", channels, 4 * channels);
  const std::string active = out.Add(absl::Substitute("gelu($0)", wide));
  return out.Document(
      out.Add(absl::Substitute("add($0, $1)", sum, Dense(&out, active, "project", 4 * channels, channels))));
}

std::string LstmModule(int64_t length, int64_t batch, int64_t inputs, int64_t cells) {
  return absl::Substitute(R"(HloModule lstm

step {
  s = (s32[], f32[$1,$3], f32[$1,$3], f32[$0,$1,$3], f32[$0,$1,$2], f32[$4,$2], f32[$4,$3], f32[$4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[$1,$3] get-tuple-element(s), index=1
  c = f32[$1,$3] get-tuple-element(s), index=2
  ys = f32[$0,$1,$3] get-tuple-element(s), index=3
  xs = f32[$0,$1,$2] get-tuple-element(s), index=4
  w = f32[$4,$2] get-tuple-element(s), index=5
  r = f32[$4,$3] get-tuple-element(s), index=6
  b = f32[$4] get-tuple-element(s), index=7
  zero = s32[] constant(0)
  one = s32[] constant(1)
  cut = f32[1,$1,$2] dynamic-slice(xs, i, zero, zero), dynamic_slice_sizes={1,$1,$2}
  x = f32[$1,$2] reshape(cut)
  from_x = f32[$1,$4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  from_h = f32[$1,$4] dot(h, r), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  wide_b = f32[$1,$4] broadcast(b), dimensions={1}
  sum = f32[$1,$4] add(from_x, from_h)
  gates = f32[$1,$4] add(sum, wide_b)
  gi = f32[$1,$3] slice(gates), slice={[0:$1], [0:$3]}
  gf = f32[$1,$3] slice(gates), slice={[0:$1], [$3:$5]}
  gg = f32[$1,$3] slice(gates), slice={[0:$1], [$5:$6]}
  go = f32[$1,$3] slice(gates), slice={[0:$1], [$6:$4]}
  input = f32[$1,$3] logistic(gi)
  forget = f32[$1,$3] logistic(gf)
  candidate = f32[$1,$3] tanh(gg)
  output = f32[$1,$3] logistic(go)
  kept = f32[$1,$3] multiply(forget, c)
  added = f32[$1,$3] multiply(input, candidate)
  c1 = f32[$1,$3] add(kept, added)
  limited = f32[$1,$3] tanh(c1)
  h1 = f32[$1,$3] multiply(output, limited)
  row = f32[1,$1,$3] reshape(h1)
  ys1 = f32[$0,$1,$3] dynamic-update-slice(ys, row, i, zero, zero)
  i1 = s32[] add(i, one)
  ROOT next = (s32[], f32[$1,$3], f32[$1,$3], f32[$0,$1,$3], f32[$0,$1,$2], f32[$4,$2], f32[$4,$3], f32[$4])
    tuple(i1, h1, c1, ys1, xs, w, r, b)
}

goes_on {
  s = (s32[], f32[$1,$3], f32[$1,$3], f32[$0,$1,$3], f32[$0,$1,$2], f32[$4,$2], f32[$4,$3], f32[$4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant($0)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  xs = f32[$0,$1,$2] parameter(0)
  w = f32[$4,$2] parameter(1)
  r = f32[$4,$3] parameter(2)
  b = f32[$4] parameter(3)
  zero = s32[] constant(0)
  nothing = f32[] constant(0)
  start = f32[$1,$3] broadcast(nothing), dimensions={}
  rows = f32[$0,$1,$3] broadcast(nothing), dimensions={}
  first = (s32[], f32[$1,$3], f32[$1,$3], f32[$0,$1,$3], f32[$0,$1,$2], f32[$4,$2], f32[$4,$3], f32[$4])
    tuple(zero, start, start, rows, xs, w, r, b)
  loop = (s32[], f32[$1,$3], f32[$1,$3], f32[$0,$1,$3], f32[$0,$1,$2], f32[$4,$2], f32[$4,$3], f32[$4])
    while(first), condition=goes_on, body=step
  ys = f32[$0,$1,$3] get-tuple-element(loop), index=3
  last = f32[$1,$3] get-tuple-element(loop), index=1
  ROOT results = (f32[$0,$1,$3], f32[$1,$3]) tuple(ys, last)
}
)",
                          length, batch, inputs, cells, 4 * cells, 2 * cells, 3 * cells);
}

}  // namespace xla
