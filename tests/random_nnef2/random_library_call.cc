#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/random_nnef2/call_maker.h"

namespace xla {
namespace nnef2 {
namespace {

// An operator, and what makes its call.
struct CallRow {
  std::string name;
  void (*make)(CallMaker& maker, const std::string& name);
};

const std::vector<CallRow>& CallTable() {
  static const auto* const rows = [] {
    auto* const table = new std::vector<CallRow>;
    const auto add = [table](const char* names, void (*make)(CallMaker&, const std::string&)) {
      for (const absl::string_view name : absl::StrSplit(names, ' ')) table->push_back({std::string(name), make});
    };
    add("math.iden math.neg math.sqr math.sin math.cos math.exp math.sinh math.cosh math.tanh math.atan math.asinh "
        "math.abs math.sign math.floor math.ceil math.round nn.elu nn.selu nn.silu nn.sigmoid nn.softplus nn.erf "
        "nn.thresholded_relu math.lp_reduce",
        [](CallMaker& m, const std::string& name) {
          if (name == "lp_reduce") return m.Attribute("p", "2.0"), m.Reduction(false);
          m.Unary(Domain::kAny);
        });
    add("math.rcp math.sqrt math.rsqr math.rsqrt math.log math.log2",
        [](CallMaker& m, const std::string&) { m.Unary(Domain::kPositive); });
    add("math.asin math.acos math.atanh math.tan", [](CallMaker& m, const std::string&) { m.Unary(Domain::kUnit); });
    add("math.acosh", [](CallMaker& m, const std::string&) { m.Unary(Domain::kAboveOne); });
    add("math.not", [](CallMaker& m, const std::string&) { m.Feed(RandomBools(m.random_, m.Shape(0, 3))); });
    add("math.add math.sub math.mul math.min math.max math.lt math.gt math.le math.ge math.eq math.ne",
        [](CallMaker& m, const std::string&) { m.Binary(Domain::kAny, false); });
    add("math.div", [](CallMaker& m, const std::string&) { m.Binary(Domain::kNonzero, false); });
    add("math.mod", [](CallMaker& m, const std::string&) { m.Binary(Domain::kPositive, false); });
    add("math.pow", [](CallMaker& m, const std::string&) { m.Binary(Domain::kPositive, true); });
    add("math.and math.or math.xor", [](CallMaker& m, const std::string&) { m.Logic(); });
    add("math.sum_n math.prod_n math.min_n math.max_n math.argmin_n math.argmax_n math.any_n math.all_n",
        [](CallMaker& m, const std::string& name) {
          m.Pack(m.Between(1, 3), m.Shape(0, 3), name == "any_n" || name == "all_n");
        });
    add("math.axpb math.clamp", [](CallMaker& m, const std::string&) { m.Ternary(); });
    add("math.min_reduce math.max_reduce math.sum_reduce math.prod_reduce math.mean_reduce",
        [](CallMaker& m, const std::string&) { m.Reduction(false); });
    add("math.any_reduce math.all_reduce", [](CallMaker& m, const std::string&) { m.Reduction(true); });
    add("math.argmin math.argmax", [](CallMaker& m, const std::string&) { m.Argument(false); });
    add("math.argmin_nd math.argmax_nd", [](CallMaker& m, const std::string&) { m.Argument(true); });
    add("layout.cast<int> layout.cast<real> layout.cast<bool>",
        [](CallMaker& m, const std::string&) { m.Any(m.Shape(0, 3)); });
    add("nn.max_pool nn.sum_pool", [](CallMaker& m, const std::string&) { m.Pool(false, false); });
    add("nn.avg_pool nn.rms_pool", [](CallMaker& m, const std::string&) { m.Pool(true, false); });
    add("nn.lp_pool", [](CallMaker& m, const std::string&) { m.Pool(false, true); });
    add("nn.conv", [](CallMaker& m, const std::string&) { m.Convolution(false); });
    add("nn.deconv", [](CallMaker& m, const std::string&) { m.Convolution(true); });
    add("nn.l1_norm nn.l2_norm", [](CallMaker& m, const std::string&) { m.Norm(); });
    add("image.nearest_resize image.linear_resize image.cubic_resize",
        [](CallMaker& m, const std::string&) { m.Resize(false); });
    add("image.resize", [](CallMaker& m, const std::string&) { m.Resize(true); });
    add("image.rescale", [](CallMaker& m, const std::string&) {
      m.Attribute("factor", m.Chance(50) ? "[2.0]" : "[0.5]");
      m.Attribute("axes", "[1]");
      m.Reals({m.Between(1, 3), 4});
    });
    add("algo.nonmax_suppress", [](CallMaker& m, const std::string&) {
      const int64_t batches = m.Between(1, 2), boxes = m.Between(1, 4);
      m.Choice("box_format", {"CORNERS", "CENTER"});
      if (m.Chance(50)) m.Attribute("max_outputs_per_class", m.Between(1, 2));
      if (m.Chance(50)) m.Attribute("score_threshold", "0.5");
      m.Attribute("iou_threshold", "0.3");
      m.Reals({batches, boxes, 4}, Domain::kPositive);
      m.Reals({batches, m.Between(1, 2), boxes});
    });
    add("image.nearest_downsample image.area_downsample", [](CallMaker& m, const std::string&) { m.Sample(true); });
    add("image.nearest_upsample image.linear_upsample", [](CallMaker& m, const std::string&) { m.Sample(false); });
    add("quant.zero_point_linear_quantize", [](CallMaker& m, const std::string&) { m.Quantize(false); });
    add("quant.min_max_linear_quantize", [](CallMaker& m, const std::string&) { m.Quantize(true); });
    add("layout.concat layout.stack layout.unstack layout.split layout.tile layout.slice layout.pad layout.transpose "
        "layout.flatten layout.unflatten layout.reshape layout.squeeze layout.unsqueeze layout.broadcast "
        "layout.space_to_batch layout.batch_to_space layout.shuffle layout.gather layout.gather_nd layout.scatter "
        "layout.scatter_nd layout.constant layout.uniform layout.range layout.shape layout.nonzero",
        [](CallMaker& m, const std::string& name) { m.Layout(name); });
    add("linalg.dot linalg.matvec linalg.matmul linalg.outer nn.linear nn.relu nn.prelu nn.gelu nn.batch_norm "
        "nn.mean_variance_norm nn.local_response_norm nn.softmax nn.lstm algo.top_k math.select math.axpby "
        "math.moments",
        [](CallMaker& m, const std::string& name) { m.Other(name); });
    return table;
  }();
  return *rows;
}

}  // namespace

RandomDocument CallMaker::Make() {
  const CallRow& row = random_.Pick(CallTable());
  const std::vector<std::string> names = absl::StrSplit(row.name, '.');
  row.make(*this, names[1]);
  std::string inputs, arguments;
  for (size_t i = 0; i < document_.inputs.size(); ++i) {
    const DirectTensors& tensors = document_.inputs[i];
    absl::StrAppend(&inputs, "        x", i, ": ", DeclarationOf(tensors[0]),
                    i == 0 && is_pack_ ? absl::StrCat("..(", tensors.size(), ")") : "", ";\n");
    absl::StrAppend(&arguments, i == 0 ? "" : ", ", "x", i);
  }
  std::string results = "y";
  if (outputs_ == "several") results = absl::StrCat("y..(", output_count_, ")");
  const std::string pack = outputs_ == "several" ? absl::StrCat("..(", output_count_, ")") : "";
  if (outputs_ == "two") results = "y, y1";
  if (outputs_ == "three") results = "y, y1, y2";
  const std::string call = absl::StrCat(row.name, attributes_.empty() ? "" : "{", absl::StrJoin(attributes_, ", "),
                                        attributes_.empty() ? "" : "}", "(", arguments, ")");
  document_.text =
      absl::StrCat("import ", names[0], ";\n\ngraph G {\n    @input {\n", inputs, "    }\n    @output {\n        y: $0",
                   pack, ";\n    }\n    @compose {\n        ", results, " = ", call, ";\n    }\n}\n");
  return std::move(document_);
}

RandomDocument RandomLibraryCall(uint64_t seed) { return CallMaker(seed).Make(); }

std::vector<std::string> CalledOperators() {
  std::vector<std::string> names;
  for (const CallRow& row : CallTable()) names.emplace_back(row.name);
  return names;
}

}  // namespace nnef2
}  // namespace xla
