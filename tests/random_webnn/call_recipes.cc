#include "tests/random_webnn/call_recipes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/descriptor.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

using webnn::MLOperand;
using webnn::MLOperandDataType;
using webnn::MLValue;
using webnn::MLValueList;
using webnn::OperandRule;
using webnn::OperatorDefinition;
using webnn::Parameter;
using webnn::ParameterKind;
using webnn::UnsignedList;

constexpr int kMostRank = 5;
constexpr uint32_t kMostSize = 4;

std::string TextOf(const MLValue& value) {
  if (const auto* operand = value.As<MLOperand>()) {
    return operand->valid() ? operand->descriptor().ToString() : "no operand";
  }
  if (const auto* text = value.As<std::string>()) return absl::StrCat("\"", *text, "\"");
  if (const auto* boolean = value.As<bool>()) return *boolean ? "true" : "false";
  if (const auto* real = value.As<double>()) return absl::StrCat(*real);
  if (const auto* integer = value.As<int64_t>()) return absl::StrCat(*integer);
  if (const auto* natural = value.As<uint64_t>()) return absl::StrCat(*natural);
  if (const auto* activation = value.As<webnn::MLActivation>()) return std::string(activation->name());
  const auto* list = value.As<MLValueList>();
  if (list == nullptr) return "undefined";
  std::string text = "[";
  for (const MLValue& element : *list) absl::StrAppend(&text, text.size() > 1 ? ", " : "", TextOf(element));
  return text + "]";
}

MLValue ListOf(const UnsignedList& values) {
  MLValueList list;
  for (const uint32_t value : values) list.emplace_back(static_cast<int64_t>(value));
  return list;
}

MLValue ValueOf(uint32_t value) { return MLValue(static_cast<int64_t>(value)); }

class Recipe {
 public:
  Recipe(const OperatorDefinition& definition, webnn::MLEdition edition, OperandSource& operands, RandomSource& random)
      : definition_(definition), edition_(edition), operands_(operands), random_(random) {
    call_.op = std::string(definition.name);
  }

  RandomGraphCall Make() {
    using Method = void (Recipe::*)();
    static const auto* const recipes = new std::map<absl::string_view, Method>{
        {"argMax", &Recipe::Reduction},
        {"argMin", &Recipe::Reduction},
        {"averagePool2d", &Recipe::Pool},
        {"batchNormalization", &Recipe::BatchNormalization},
        {"cast", &Recipe::Cast},
        {"concat", &Recipe::Concat},
        {"conv2d", &Recipe::Convolution},
        {"convTranspose2d", &Recipe::TransposedConvolution},
        {"cumulativeSum", &Recipe::WithAxis},
        {"dequantizeLinear", &Recipe::Quantization},
        {"expand", &Recipe::Expand},
        {"gather", &Recipe::Gather},
        {"gatherElements", &Recipe::GatherElements},
        {"gatherND", &Recipe::GatherNd},
        {"gemm", &Recipe::Gemm},
        {"gru", &Recipe::Recurrent},
        {"gruCell", &Recipe::RecurrentCell},
        {"instanceNormalization", &Recipe::InstanceNormalization},
        {"l2Pool2d", &Recipe::Pool},
        {"layerNormalization", &Recipe::LayerNormalization},
        {"lstm", &Recipe::Recurrent},
        {"lstmCell", &Recipe::RecurrentCell},
        {"matmul", &Recipe::Matmul},
        {"maxPool2d", &Recipe::Pool},
        {"pad", &Recipe::Pad},
        {"prelu", &Recipe::Prelu},
        {"quantizeLinear", &Recipe::Quantization},
        {"resample2d", &Recipe::Resample},
        {"reshape", &Recipe::Reshape},
        {"reverse", &Recipe::Reduction},
        {"scatterElements", &Recipe::ScatterElements},
        {"scatterND", &Recipe::ScatterNd},
        {"slice", &Recipe::Slice},
        {"softmax", &Recipe::WithAxis},
        {"split", &Recipe::Split},
        {"tile", &Recipe::Tile},
        {"transpose", &Recipe::Transpose},
        {"triangular", &Recipe::Triangular},
        {"where", &Recipe::Where},
    };
    const auto it = recipes->find(definition_.name);
    if (it != recipes->end()) {
      (this->*it->second)();
    } else if (absl::StartsWith(definition_.name, "reduce")) {
      Reduction();
    } else if (definition_.operands.size() == 2) {
      Binary();
    } else {
      First();
    }
    SimpleOptions();
    return std::move(call_);
  }

 private:
  // ---- Parts

  UnsignedList Shape(int min_rank, int max_rank) {
    UnsignedList shape(random_.Between(min_rank, std::max(min_rank, std::min(max_rank, kMostRank))));
    for (uint32_t& size : shape) size = static_cast<uint32_t>(random_.Between(1, kMostSize));
    return shape;
  }
  uint32_t Size(int64_t most = kMostSize) { return static_cast<uint32_t>(random_.Between(1, most)); }
  uint32_t Axis(const MLOperand& operand) { return static_cast<uint32_t>(random_.Below(operand.rank())); }

  MLOperand Like(MLOperandDataType type, UnsignedList shape) {
    return operands_.Like(webnn::MLOperandDescriptor(type, std::move(shape)));
  }
  MLOperandDataType Type(int operand) { return random_.Pick(definition_.operands[operand].TypesIn(edition_).types()); }

  void Argument(absl::string_view name, MLValue value) { call_.args.emplace_back(name, std::move(value)); }
  void Option(absl::string_view name, MLValue value) { call_.options.emplace_back(name, std::move(value)); }
  void Operand(int i, const MLOperand& operand) { Argument(definition_.operands[i].name, MLValue(operand)); }
  bool Often() { return random_.Chance(60); }

  // The first operand, of any shape of these ranks.
  MLOperand First(int min_rank = 0, int max_rank = kMostRank) {
    const OperandRule& rule = definition_.operands[0];
    min_rank = std::max(min_rank, rule.min_rank);
    max_rank = std::min(max_rank, rule.max_rank);
    MLOperand operand;
    if (Often()) operand = operands_.Any(rule.TypesIn(edition_), min_rank, max_rank);
    if (!operand.valid()) operand = Like(Type(0), Shape(min_rank, max_rank));
    Operand(0, operand);
    return operand;
  }

  // Options that fit whatever the operands are.
  void SimpleOptions() {
    for (const Parameter& parameter : definition_.parameters) {
      const bool is_said = std::any_of(call_.options.begin(), call_.options.end(),
                                       [&](const auto& option) { return option.first == parameter.name; });
      if (parameter.is_argument || is_said || random_.Chance(50)) continue;
      switch (parameter.kind) {
        case ParameterKind::kBoolean:
          Option(parameter.name, MLValue(random_.Chance(50)));
          break;
        case ParameterKind::kFloat:
          Option(parameter.name, MLValue(0.25 + random_.Unit()));
          break;
        case ParameterKind::kEnum:
          // Of argMin and argMax, which give indices.
          Option(parameter.name, parameter.name == "outputDataType"
                                     ? MLValue(random_.Chance(50) ? "int32" : "int64")
                                     : MLValue(std::string(random_.Pick(parameter.enum_names->values))));
          break;
        case ParameterKind::kNumber:
          // Of clamp, whose limits have to be in order.
          Option(parameter.name, MLValue(parameter.name == "maxValue" ? 2.5 : 0.5));
          break;
        case ParameterKind::kString:
          Option(parameter.name, MLValue("label"));
          break;
        default:
          break;
      }
    }
  }

  // Shapes that broadcast to `shape`.
  UnsignedList NarrowerShape(UnsignedList shape) {
    if (random_.Chance(30)) shape.erase(shape.begin(), shape.begin() + random_.Between(0, shape.size()));
    for (uint32_t& size : shape) {
      if (random_.Chance(25)) size = 1;
    }
    return shape;
  }

  UnsignedList SomeAxes(int rank) {
    UnsignedList axes;
    for (int i = 0; i < rank; ++i) {
      if (random_.Chance(50)) axes.insert(axes.begin() + random_.Between(0, axes.size()), i);
    }
    return axes;
  }

  MLOperand Indices(UnsignedList shape) { return Like(Type(1), std::move(shape)); }

  // [n, c, h, w] in a layout that is chosen and said as option `name`.
  UnsignedList InLayout(absl::string_view name, const UnsignedList& nchw) {
    const bool nhwc = random_.Chance(40);
    Option(name, MLValue(nhwc ? "nhwc" : "nchw"));
    return nhwc ? UnsignedList{nchw[0], nchw[2], nchw[3], nchw[1]} : nchw;
  }

  // A filter whose dimensions are named by letters.
  UnsignedList FilterInLayout(const std::map<char, uint32_t>& sizes, std::vector<std::string> layouts) {
    const std::string layout = random_.Pick(layouts);
    Option("filterLayout", MLValue(layout));
    UnsignedList shape;
    for (const char letter : layout) shape.push_back(sizes.at(letter));
    return shape;
  }

  // ---- Operators

  void Binary() {
    const UnsignedList shape = Shape(0, 4);
    const MLOperandDataType type = Type(0);
    Operand(0, Like(type, NarrowerShape(shape)));
    Operand(1, Like(type, NarrowerShape(shape)));
  }

  void Prelu() {
    const MLOperand input = First();
    Operand(1, Like(input.dataType(), NarrowerShape(input.shape())));
  }

  void Where() {
    const UnsignedList shape = Shape(0, 4);
    const MLOperandDataType type = Type(1);
    Operand(0, Like(Type(0), NarrowerShape(shape)));
    Operand(1, Like(type, NarrowerShape(shape)));
    Operand(2, Like(type, NarrowerShape(shape)));
  }

  // Reductions and reverse.
  void Reduction() {
    const MLOperand input = First();
    if (Often()) Option("axes", ListOf(SomeAxes(input.rank())));
  }

  void WithAxis() { Argument("axis", ValueOf(Axis(First(1)))); }

  void Cast() {
    First();
    const auto& names = webnn::EnumNamesOf<MLOperandDataType>().values;
    Argument("type", MLValue(std::string(names[random_.Below(8)])));
  }

  void Concat() {
    const MLOperandDataType type = Type(0);
    UnsignedList shape = Shape(1, 4);
    const size_t axis = random_.Below(shape.size());
    MLValueList inputs;
    for (int64_t i = random_.Between(1, 3); i > 0; --i) {
      shape[axis] = Size();
      inputs.emplace_back(Like(type, shape));
    }
    Argument("inputs", std::move(inputs));
    Argument("axis", ValueOf(axis));
  }

  void Expand() {
    const UnsignedList shape = Shape(0, 4);
    Operand(0, Like(Type(0), NarrowerShape(shape)));
    Argument("newShape", ListOf(shape));
  }

  void Reshape() {
    const MLOperand input = First();
    UnsignedList shape = input.shape();
    for (size_t i = shape.size(); i > 1; --i) std::swap(shape[i - 1], shape[random_.Below(i)]);
    if (shape.size() > 1 && random_.Chance(50)) {
      shape[0] *= shape.back();
      shape.pop_back();
    }
    if (random_.Chance(30)) shape.insert(shape.begin() + random_.Between(0, shape.size()), 1);
    Argument("newShape", ListOf(shape));
  }

  void Transpose() {
    const MLOperand input = First();
    UnsignedList permutation(input.rank());
    for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = i;
    for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[random_.Below(i)]);
    if (Often()) Option("permutation", ListOf(permutation));
  }

  void Triangular() {
    First(2);
    if (Often()) Option("diagonal", MLValue(random_.Between(-4, 4)));
  }

  void Slice() {
    const MLOperand input = First();
    UnsignedList starts, sizes, strides;
    for (const uint32_t size : input.shape()) {
      starts.push_back(random_.Below(size));
      sizes.push_back(Size(size - starts.back()));
      strides.push_back(Size(3));
    }
    Argument("starts", ListOf(starts));
    Argument("sizes", ListOf(sizes));
    if (random_.Chance(30)) Option("strides", ListOf(strides));
  }

  void Split() {
    const MLOperand input = First(1);
    const uint32_t axis = Axis(input), size = input.shape()[axis];
    if (axis != 0 || Often()) Option("axis", ValueOf(axis));
    if (random_.Chance(50)) {
      uint32_t count = Size(size);
      while (size % count != 0) --count;
      Argument("splits", ValueOf(count));
      return;
    }
    UnsignedList parts;
    for (uint32_t left = size; left > 0; left -= parts.back()) parts.push_back(Size(left));
    Argument("splits", ListOf(parts));
  }

  void Tile() {
    UnsignedList repetitions = Shape(0, 4);
    Operand(0, Like(Type(0), UnsignedList(Shape(repetitions.size(), repetitions.size()))));
    for (uint32_t& count : repetitions) count = Size(2);
    Argument("repetitions", ListOf(repetitions));
  }

  void Pad() {
    const MLOperand input = First(1);
    UnsignedList beginning, ending;
    for (const uint32_t size : input.shape()) {
      beginning.push_back(random_.Below(std::min(size, 3u)));
      ending.push_back(random_.Below(std::min(size, 3u)));
    }
    Argument("beginningPadding", ListOf(beginning));
    Argument("endingPadding", ListOf(ending));
  }

  void Gather() {
    const MLOperand input = First(1);
    Operand(1, Indices(Shape(0, 3)));
    const uint32_t axis = Axis(input);
    if (axis != 0) Option("axis", ValueOf(axis));
  }

  // Indices have another size along the axis.
  void GatherElements() {
    const MLOperand input = First(1);
    const uint32_t axis = Axis(input);
    UnsignedList shape = input.shape();
    shape[axis] = Size();
    if (axis != 0) Option("axis", ValueOf(axis));
    Operand(1, Indices(std::move(shape)));
  }
  void ScatterElements() {
    const MLOperand input = First(1);
    const uint32_t axis = Axis(input), size = input.shape()[axis];
    UnsignedList shape = input.shape();
    shape[axis] = operands_.MayWriteTwice() ? Size() : Size(size);
    if (axis != 0) Option("axis", ValueOf(axis));
    Operand(1, operands_.MayWriteTwice() ? Indices(shape) : DifferentElements(shape, axis, size));
    Operand(2, Like(input.dataType(), shape));
  }

  // Some shape of indices of points, where the last dimension lists the first `depth` coordinates, ...
  UnsignedList PointsShape(uint32_t depth) {
    UnsignedList shape = Shape(0, 2);
    shape.push_back(depth);
    return shape;
  }
  // ... and the shape of what stands at them.
  static UnsignedList ShapeAt(UnsignedList points, const MLOperand& input) {
    const uint32_t depth = points.back();
    points.pop_back();
    points.insert(points.end(), input.shape().begin() + depth, input.shape().end());
    return points;
  }
  void GatherNd() {
    const MLOperand input = First(1);
    Operand(1, Indices(PointsShape(Size(input.rank()))));
  }
  void ScatterNd() {
    const MLOperand input = First(1);
    UnsignedList points = PointsShape(Size(input.rank()));
    if (operands_.MayWriteTwice()) {
      Operand(1, Indices(points));
    } else {
      const UnsignedList sizes(input.shape().begin(), input.shape().begin() + points.back());
      // No more points than there are places.
      while (CountOf(points) / points.back() > CountOf(sizes)) points.erase(points.begin());
      Operand(1, DifferentPoints(points, sizes));
    }
    Operand(2, Like(input.dataType(), ShapeAt(points, input)));
  }

  static int64_t CountOf(const UnsignedList& shape) { return webnn::ElementCountOf(shape).value(); }

  std::vector<int64_t> Shuffled(int64_t count) {
    std::vector<int64_t> numbers(count);
    for (int64_t i = 0; i < count; ++i) numbers[i] = i;
    for (int64_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[random_.Below(i)]);
    return numbers;
  }

  // Constant indices in row-major order, some of which count from the end where the type has a sign.
  MLOperand ConstantIndices(const UnsignedList& shape, absl::Span<const int64_t> places,
                            const std::function<int64_t(int64_t)>& size_for) {
    const MLOperandDataType type = Type(1);
    absl::StatusOr<Literal> indices = Literal::Zeros(webnn::HloShapeOf({type, shape}));
    if (!indices.ok()) return MLOperand();
    DispatchInt(indices->shape().element_type(), [&](auto tag) {
      using T = TagType<decltype(tag)>;
      for (size_t i = 0; i < places.size(); ++i) {
        const bool from_end = type != MLOperandDataType::kUint32 && random_.Chance(30);
        indices->mutable_data<T>()[i] = static_cast<T>(places[i] - (from_end ? size_for(i) : 0));
      }
    });
    return operands_.Constant(*std::move(indices));
  }

  // Indices into an axis of `size` elements, of which none is the same as another one along it.
  MLOperand DifferentElements(const UnsignedList& shape, uint32_t axis, int64_t size) {
    const std::vector<int64_t> order = Shuffled(size);
    int64_t below = 1;
    for (size_t d = axis + 1; d < shape.size(); ++d) below *= shape[d];
    std::vector<int64_t> places(CountOf(shape));
    for (int64_t i = 0; i < static_cast<int64_t>(places.size()); ++i) {
      const int64_t line = i / (below * shape[axis]) + i % below;
      places[i] = order[(i / below % shape[axis] + line) % size];
    }
    return ConstantIndices(shape, places, [size](int64_t) { return size; });
  }

  // Points of an array of these sizes, all different.
  MLOperand DifferentPoints(const UnsignedList& shape, const UnsignedList& sizes) {
    const std::vector<int64_t> order = Shuffled(CountOf(sizes));
    std::vector<int64_t> places(CountOf(shape));
    const int64_t depth = static_cast<int64_t>(sizes.size());
    for (int64_t point = 0; point < CountOf(shape) / depth; ++point) {
      int64_t rest = order[point];
      for (int64_t d = depth - 1; d >= 0; rest /= sizes[d--]) places[point * depth + d] = rest % sizes[d];
    }
    return ConstantIndices(shape, places, [&](int64_t i) { return sizes[i % depth]; });
  }

  void Quantization() {
    const bool quantizes = definition_.name == "quantizeLinear";
    const MLOperand input = First(1, 4);
    UnsignedList shape = input.shape();
    for (uint32_t& size : shape) {
      if (random_.Chance(50)) size = 1;
      if (size % 2 == 0 && random_.Chance(30)) size /= 2;
    }
    Operand(1, Like(quantizes ? input.dataType() : Type(1), shape));
    Operand(2, Like(quantizes ? Type(2) : input.dataType(), shape));
  }

  void Matmul() {
    const MLOperandDataType type = Type(0);
    const UnsignedList batch = Shape(0, 2);
    const uint32_t inner = Size();
    UnsignedList a = NarrowerShape(batch), b = NarrowerShape(batch);
    a.insert(a.end(), {Size(), inner});
    b.insert(b.end(), {inner, Size()});
    Operand(0, Like(type, a));
    Operand(1, Like(type, b));
  }

  void Gemm() {
    const MLOperandDataType type = Type(0);
    const uint32_t m = Size(), k = Size(), n = Size();
    const bool a_transpose = random_.Chance(40), b_transpose = random_.Chance(40);
    Operand(0, Like(type, a_transpose ? UnsignedList{k, m} : UnsignedList{m, k}));
    Operand(1, Like(type, b_transpose ? UnsignedList{n, k} : UnsignedList{k, n}));
    Option("aTranspose", MLValue(a_transpose));
    Option("bTranspose", MLValue(b_transpose));
    if (Often()) Option("c", MLValue(Like(type, NarrowerShape({m, n}))));
  }

  void BatchNormalization() {
    const MLOperand input = First(1, 4);
    const uint32_t axis = Axis(input);
    const UnsignedList shape = {input.shape()[axis]};
    Operand(1, Like(input.dataType(), shape));
    Operand(2, Like(input.dataType(), shape));
    if (Often()) Option("scale", MLValue(Like(input.dataType(), shape)));
    if (Often()) Option("bias", MLValue(Like(input.dataType(), shape)));
    Option("axis", ValueOf(axis));
  }

  void InstanceNormalization() {
    const MLOperandDataType type = Type(0);
    const UnsignedList nchw = Shape(4, 4);
    Operand(0, Like(type, InLayout("layout", nchw)));
    if (Often()) Option("scale", MLValue(Like(type, {nchw[1]})));
    if (Often()) Option("bias", MLValue(Like(type, {nchw[1]})));
  }

  void LayerNormalization() {
    const MLOperand input = First(1, 4);
    const UnsignedList axes = SomeAxes(input.rank());
    UnsignedList shape;
    for (const uint32_t axis : axes) shape.push_back(input.shape()[axis]);
    Option("axes", ListOf(axes));
    if (Often()) Option("scale", MLValue(Like(input.dataType(), shape)));
    if (Often()) Option("bias", MLValue(Like(input.dataType(), shape)));
  }

  // Padding, strides and dilations for a window of `window` over `image`, both of height and width.
  struct Window {
    UnsignedList padding = {0, 0, 0, 0}, strides = {1, 1}, dilations = {1, 1};
  };
  Window WindowOver(const UnsignedList& image, const UnsignedList& window) {
    Window result;
    for (int i = 0; i < 2; ++i) {
      result.strides[i] = Size(2);
      if (random_.Chance(30) && (window[i] - 1) * 2 + 1 <= image[i]) result.dilations[i] = 2;
      // Less than the window, so that each covers some of the image.
      result.padding[2 * i] = random_.Below(std::min(window[i], 3u));
      result.padding[2 * i + 1] = random_.Below(std::min(window[i], 3u));
    }
    return result;
  }
  void WindowOptions(const Window& window) {
    if (Often() || window.padding != UnsignedList{0, 0, 0, 0}) Option("padding", ListOf(window.padding));
    if (Often() || window.strides != UnsignedList{1, 1}) Option("strides", ListOf(window.strides));
    if (Often() || window.dilations != UnsignedList{1, 1}) Option("dilations", ListOf(window.dilations));
  }

  void Pool() {
    const UnsignedList nchw = {Size(2), Size(3), Size(6), Size(6)};
    const UnsignedList window = {Size(std::min(nchw[2], 3u)), Size(std::min(nchw[3], 3u))};
    Operand(0, Like(Type(0), InLayout("layout", nchw)));
    if (random_.Chance(20)) return;
    Option("windowDimensions", ListOf(window));
    WindowOptions(WindowOver({nchw[2], nchw[3]}, window));
  }

  void Convolution() {
    const MLOperandDataType type = Type(0);
    const uint32_t groups = Size(2), channels = groups * Size(2), outputs = groups * Size(2);
    const UnsignedList image = {Size(6), Size(6)};
    const UnsignedList window = {Size(std::min(image[0], 3u)), Size(std::min(image[1], 3u))};
    Operand(0, Like(type, InLayout("inputLayout", {Size(2), channels, image[0], image[1]})));
    Operand(1, Like(type, FilterInLayout({{'o', outputs}, {'i', channels / groups}, {'h', window[0]}, {'w', window[1]}},
                                         {"oihw", "hwio", "ohwi", "ihwo"})));
    Option("groups", ValueOf(groups));
    WindowOptions(WindowOver(image, window));
    if (Often()) Option("bias", MLValue(Like(type, {outputs})));
  }

  void TransposedConvolution() {
    const MLOperandDataType type = Type(0);
    const uint32_t groups = Size(2), channels = groups * Size(2), per_group = Size(2);
    const UnsignedList image = {Size(4), Size(4)};
    const UnsignedList window = {Size(3), Size(3)};
    Operand(0, Like(type, InLayout("inputLayout", {Size(2), channels, image[0], image[1]})));
    Operand(1, Like(type, FilterInLayout({{'i', channels}, {'o', per_group}, {'h', window[0]}, {'w', window[1]}},
                                         {"iohw", "hwoi", "ohwi"})));
    Option("groups", ValueOf(groups));
    UnsignedList strides = {Size(3), Size(3)};
    Option("strides", ListOf(strides));
    if (Often()) {
      Option("outputPadding", ListOf({static_cast<uint32_t>(random_.Below(strides[0])),
                                      static_cast<uint32_t>(random_.Below(strides[1]))}));
    }
    if (image[0] > 1 && window[0] > 1 && Often()) Option("padding", ListOf({1, 0, 0, 0}));
    if (Often()) Option("bias", MLValue(Like(type, {per_group * groups})));
  }

  void Resample() {
    const MLOperand input = Like(Type(0), Shape(4, 4));
    Operand(0, input);
    const uint32_t first = static_cast<uint32_t>(random_.Below(3));
    Option("axes", ListOf({first, first + 1}));
    if (random_.Chance(60)) {
      Option("sizes", ListOf({Size(6), Size(6)}));
    } else if (Often()) {
      Option("scales", MLValueList{MLValue(1.0 + random_.Below(3)), MLValue(1.0 + 0.5 * random_.Below(3))});
    }
  }

  void Activations(int count) {
    if (!random_.Chance(30)) return;
    static constexpr absl::string_view kNames[] = {"relu", "sigmoid", "tanh", "linear", "softsign"};
    MLValueList list;
    for (int i = 0; i < count; ++i) list.emplace_back(operands_.Activation(std::string(random_.Pick(kNames))));
    Option("activations", std::move(list));
  }

  // Of lstm, nothing cancels.
  MLOperand Weights(MLOperandDataType type, UnsignedList shape) {
    if (is_lstm()) return Like(type, std::move(shape));
    return operands_.Weights(webnn::MLOperandDescriptor(type, std::move(shape)));
  }
  bool is_lstm() const { return absl::StartsWith(definition_.name, "lstm"); }
  uint32_t gates() const { return is_lstm() ? 4 : 3; }

  void Recurrent() {
    const MLOperandDataType type = Type(0);
    const uint32_t steps = Size(3), batch = Size(2), width = Size(3), hidden = Size(3);
    const std::string direction = random_.Pick(std::vector<std::string>{"forward", "backward", "both"});
    const uint32_t directions = direction == "both" ? 2 : 1;
    Option("direction", MLValue(direction));
    Operand(0, Like(type, {steps, batch, width}));
    Operand(1, Weights(type, {directions, gates() * hidden, width}));
    Operand(2, Weights(type, {directions, gates() * hidden, hidden}));
    Argument("steps", ValueOf(steps));
    Argument("hiddenSize", ValueOf(hidden));
    for (const char* name : {"bias", "recurrentBias"}) {
      if (Often()) Option(name, MLValue(Weights(type, {directions, gates() * hidden})));
    }
    if (Often()) Option("initialHiddenState", MLValue(Like(type, {directions, batch, hidden})));
    if (is_lstm() && Often()) Option("initialCellState", MLValue(Like(type, {directions, batch, hidden})));
    if (is_lstm() && Often()) Option("peepholeWeight", MLValue(Like(type, {directions, 3 * hidden})));
    Activations(is_lstm() ? 3 : 2);
  }

  void RecurrentCell() {
    const MLOperandDataType type = Type(0);
    const uint32_t batch = Size(2), width = Size(3), hidden = Size(3);
    Operand(0, Like(type, {batch, width}));
    Operand(1, Weights(type, {gates() * hidden, width}));
    Operand(2, Weights(type, {gates() * hidden, hidden}));
    Operand(3, Like(type, {batch, hidden}));
    if (is_lstm()) Operand(4, Like(type, {batch, hidden}));
    Argument("hiddenSize", ValueOf(hidden));
    for (const char* name : {"bias", "recurrentBias"}) {
      if (Often()) Option(name, MLValue(Weights(type, {gates() * hidden})));
    }
    if (is_lstm() && Often()) Option("peepholeWeight", MLValue(Like(type, {3 * hidden})));
    Activations(is_lstm() ? 3 : 2);
  }

  const OperatorDefinition& definition_;
  const webnn::MLEdition edition_;
  OperandSource& operands_;
  RandomSource& random_;
  RandomGraphCall call_;
};

}  // namespace

std::string RandomGraphCall::ToString() const {
  std::string text = absl::StrCat(op, "(");
  for (const auto& [name, value] : args) absl::StrAppend(&text, name, ": ", TextOf(value), ", ");
  absl::StrAppend(&text, "; ");
  for (const auto& [name, value] : options) absl::StrAppend(&text, name, ": ", TextOf(value), ", ");
  return text + ")";
}

RandomGraphCall FittingCallOf(const webnn::OperatorDefinition& definition, webnn::MLEdition edition,
                              OperandSource& operands, RandomSource& random) {
  return Recipe(definition, edition, operands, random).Make();
}

}  // namespace xla
