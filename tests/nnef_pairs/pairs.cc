#include "tests/nnef_pairs/pairs.h"

namespace xla {
namespace {

constexpr char kX[] = "x: 2,3,4";
constexpr char kTwo[] = "x: 2,3,4; y: 2,3,4";
constexpr char kGroups[] = "x: 2,4,9,9; w: 6,2,3,3";

}  // namespace

const std::vector<OperationPair>& OperationPairs() {
  static const auto* const pairs = new std::vector<OperationPair>{
      // --- convolutions; padding is (before, after) of each dimension there, and all befores, then all afters here ---
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w)", "nn.conv(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, padding = [(0,0),(0,0)])", "nn.conv{padding=0}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, padding = [(1,1),(1,1)])", "nn.conv{padding=1}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, stride = [2,2])", "nn.conv{stride=2, ceil_mode=true}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, stride = [2,1], padding = [(1,0),(0,2)])",
       "nn.conv{stride=[2,1], padding=[1,0,0,2]}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, dilation = [2,2], padding = [(2,2),(2,2)])",
       "nn.conv{dilation=2, padding=2}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3; b: 1,6", "conv(x, w, b, padding = [(1,1),(1,1)])",
       "nn.conv{padding=1}(x, w, layout.squeeze(b))"},
      {kGroups, "conv(x, w, groups = 2, padding = [(1,1),(1,1)])", "nn.conv{groups=2, padding=1}(x, w)"},
      {"x: 2,4,9,9; w: 4,1,3,3", "conv(x, w, groups = 0, padding = [(1,1),(1,1)])",
       "nn.conv{groups=0, padding=1}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,1,1", "conv(x, w, padding = [(0,0),(0,0)])", "nn.conv{padding=0}(x, w)"},
      {"x: 2,4,9; w: 6,4,3", "conv(x, w, padding = [(1,1)])", "nn.conv{padding=1}(x, w)"},
      {"x: 2,4,9,9; w: 6,4,3,3", "conv(x, w, stride = [2,2], padding = [(1,1),(1,1)])",
       "nn.conv{stride=2, padding=1}(x, w)"},
      {"x: 1,2,5,5,5; w: 3,2,3,3,3", "conv(x, w, padding = [(1,1),(1,1),(1,1)])", "nn.conv{padding=1}(x, w)"},
      {"x: 1,4,9,9; w: 6,4,3,3", "conv(x, w, padding = [(1,1),(1,1)])", "nn.conv{padding=1}(x, w)"},
      // --- transposed convolutions ---
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(0,0),(0,0)])", "nn.deconv{padding=0}(x, w)"},
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(1,1),(1,1)])", "nn.deconv{padding=1}(x, w)"},
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(1,1),(1,1)], stride = [2,2])",
       "nn.deconv{padding=1, stride=2}(x, w)"},
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(1,0),(0,1)], stride = [2,2])",
       "nn.deconv{padding=[1,0,0,1], stride=2}(x, w)"},
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(0,0),(0,0)], dilation = [2,2])",
       "nn.deconv{padding=0, dilation=2}(x, w)"},
      {"x: 2,4,5,5; w: 4,3,3,3", "deconv(x, w, padding = [(0,0),(0,0)], groups = 2)",
       "nn.deconv{padding=0, groups=2}(x, w)"},
      {"x: 2,4,5; w: 4,3,4", "deconv(x, w, padding = [(1,1)], stride = [2])", "nn.deconv{padding=1, stride=2}(x, w)"},
      // --- pools ---
      {"x: 2,4,9,9", "max_pool(x, size = [1,1,2,2], border = 'ignore', padding = [(0,0),(0,0),(0,0),(0,0)])",
       "nn.max_pool{size=2, padding=0}(x)"},
      {"x: 2,4,9,9",
       "max_pool(x, size = [1,1,3,3], border = 'ignore', padding = [(0,0),(0,0),(1,1),(1,1)], stride = [1,1,2,2])",
       "nn.max_pool{size=3, padding=1, stride=2}(x)"},
      {"x: 2,4,9,9",
       "max_pool(x, size = [1,1,2,2], border = 'ignore', padding = [(0,0),(0,0),(1,0),(0,1)], dilation = [1,1,2,2])",
       "nn.max_pool{size=2, padding=[1,0,0,1], dilation=2}(x)"},
      {"x: 2,4,9", "max_pool(x, size = [1,1,3], border = 'ignore', padding = [(0,0),(0,0),(1,1)])",
       "nn.max_pool{size=3, padding=1}(x)"},
      {"x: 2,4,9,9", "box(x, size = [1,1,2,2], border = 'constant', padding = [(0,0),(0,0),(0,0),(0,0)])",
       "nn.sum_pool{size=2, padding=0}(x)"},
      {"x: 2,4,9,9",
       "box(x, size = [1,1,3,3], border = 'constant', padding = [(0,0),(0,0),(1,1),(1,1)], stride = [1,1,2,2])",
       "nn.sum_pool{size=3, padding=1, stride=2}(x)"},
      {"x: 2,4,9,9",
       "avg_pool(x, size = [1,1,2,2], border = 'constant', padding = [(0,0),(0,0),(1,1),(1,1)], stride = [1,1,2,2])",
       "nn.avg_pool{size=2, padding=1, stride=2, ignore_border=false}(x)"},
      // --- products ---
      {"x: 5,3; w: 4,3", "matmul(x, w, transposeB = true)", "linalg.matmul{transB=true}(x, w)"},
      {"x: 5,3; w: 3,4", "matmul(x, w)", "linalg.matmul(x, w)"},
      {"x: 3,5; w: 3,4", "matmul(x, w, transposeA = true)", "linalg.matmul{transA=true}(x, w)"},
      {"x: 2,5,3; w: 2,3,4", "matmul(x, w)", "linalg.matmul(x, w)"},
      {"x: 5,3; w: 4,3", "linear(x, w)", "nn.linear(x, w)"},
      // --- reductions ---
      {kX, "sum_reduce(x, axes = [1])", "math.sum_reduce{axes=[1]}(x)"},
      {kX, "sum_reduce(x, axes = [0,2])", "math.sum_reduce{axes=[0,2]}(x)"},
      {kX, "max_reduce(x, axes = [2])", "math.max_reduce{axes=[2]}(x)"},
      {kX, "min_reduce(x, axes = [0])", "math.min_reduce{axes=[0]}(x)"},
      {kX, "mean_reduce(x, axes = [1,2])", "math.mean_reduce{axes=[1,2]}(x)"},
      {"x: bool 2,3,4", "all_reduce(x, axes = [1])", "math.all_reduce{axes=[1]}(x)"},
      {"x: bool 2,3,4", "any_reduce(x, axes = [1])", "math.any_reduce{axes=[1]}(x)"},
      // --- activations ---
      {kX, "relu(x)", "nn.relu(x)"},
      {kX, "elu(x)", "nn.elu(x)"},
      {kX, "elu(x, alpha = 0.5)", "nn.elu{alpha=0.5}(x)"},
      {kX, "selu(x)", "nn.selu(x)"},
      {kX, "gelu(x)", "nn.gelu{approximate='SIGMOID'}(x)"},
      {kX, "silu(x)", "nn.silu(x)"},
      {kX, "sigmoid(x)", "nn.sigmoid(x)"},
      {kX, "softplus(x)", "nn.softplus(x)"},
      {kX, "softmax(x, axes = [1])", "nn.softmax{axes=[1]}(x)"},
      {kX, "softmax(x, axes = [2])", "nn.softmax{axes=[2]}(x)"},
      {"x: 2,3,4; a: 1,3", "prelu(x, a)", "nn.prelu(x, layout.squeeze(a))"},
      // --- functions ---
      {kX, "tanh(x)", "math.tanh(x)"},
      {kX, "exp(x)", "math.exp(x)"},
      {kX, "log(x)", "math.log(x)"},
      {kX, "sin(x)", "math.sin(x)"},
      {kX, "cos(x)", "math.cos(x)"},
      {kX, "abs(x)", "math.abs(x)"},
      {kX, "sign(x)", "math.sign(x)"},
      {kX, "rcp(x)", "math.rcp(x)"},
      {kX, "-x", "math.neg(x)"},
      {kX, "floor(x)", "math.floor(x)"},
      {kX, "ceil(x)", "math.ceil(x)"},
      {kX, "sqr(x)", "math.sqr(x)"},
      {kX, "sqrt(x)", "math.sqrt(x)"},
      {kX, "rsqrt(x)", "math.rsqrt(x)"},
      {kTwo, "x + y", "math.add(x, y)"},
      {kTwo, "x - y", "math.sub(x, y)"},
      {kTwo, "x * y", "math.mul(x, y)"},
      {kTwo, "x / y", "math.div(x, y)"},
      {kTwo, "x ^ y", "math.pow(x, y)"},
      {kTwo, "min(x, y)", "math.min(x, y)"},
      {kTwo, "max(x, y)", "math.max(x, y)"},
      {kTwo, "x < y", "math.lt(x, y)"},
      {kTwo, "x >= y", "math.ge(x, y)"},
      {"c: bool 2,3; x: 2,3; y: 2,3", "select(c, x, y)", "math.select(c, x, y)"},
      {kTwo, "clamp(x, 0.0, 1.0)", "math.clamp(x, 0.0, 1.0)"},
      // --- shapes ---
      {kX, "transpose(x, axes = [2,0,1])", "layout.transpose{perm=[2,0,1]}(x)"},
      {kX, "reshape(x, shape = [6,4])", "layout.reshape{shape=[6,4]}(x)"},
      {kX, "unsqueeze(x, axes = [1])", "layout.unsqueeze{axes=[1]}(x)"},
      {"x: 2,1,4", "squeeze(x, axes = [1])", "layout.squeeze{axes=[1]}(x)"},
      {kTwo, "concat([x, y], axis = 1)", "layout.concat{axis=1}([x, y])"},
      {kTwo, "stack([x, y], axis = 1)", "layout.stack{axis=1}([x, y])"},
      {kX, "slice(x, axes = [1,2], begin = [1,0], end = [3,2])", "layout.slice{axes=[1,2], begin=[1,0], end=[3,2]}(x)"},
      {kX, "slice(x, axes = [2], begin = [0], end = [4], stride = [2])",
       "layout.slice{axes=[2], begin=[0], end=[4], stride=[2]}(x)"},
      {kX, "pad(x, padding = [(0,0),(1,2),(0,1)])", "layout.pad{padding=[0,1,0,0,2,1]}(x)"},
      {kX, "tile(x, repeats = [2,2,3])", "layout.tile{repeats=[2,2,3]}(x)"},
      // --- images ---
      {"x: 2,2,4,4", "nearest_upsample(x, factor = [2,2])", "image.nearest_upsample{axes=[2,3], factor=2}(x)"},
      {"x: 1,2,4,4", "area_downsample(x, factor = [2,2])", "image.area_downsample{axes=[2,3], factor=2}(x)"},
  };
  return *pairs;
}

}  // namespace xla
