// Random statements that find the places of least or greatest elements.
#include <utility>

#include "tests/random_nnef2/random_inputs.h"

namespace xla {
namespace nnef2 {
namespace {

class ArgumentMaker {
 public:
  explicit ArgumentMaker(uint64_t seed) : random_(seed) {}

  RandomDocument Make() {
    if (random_.Chance(20)) inputs_.AddName();
    base_ = random_.Chance(75) ? BaseType::kReal : BaseType::kInt;
    for (int64_t rank = random_.Between(0, 3); rank > 0; --rank) AddLoop();
    return random_.Chance(35) ? OfPack() : OfTensor();
  }

 private:
  LoopText AddLoop() {
    const ExtentText extent =
        !inputs_.names().empty() && random_.Chance(50) ? inputs_.names()[0] : ExtentText::Of(random_.Between(1, 4));
    loops_.push_back({std::string(1, static_cast<char>('i' + loops_.size())), extent});
    bounds_.push_back(BoundText(loops_.back()));
    return loops_.back();
  }

  static std::string BoundText(const LoopText& loop) { return absl::StrCat(loop.index, " < ", loop.extent.text()); }

  // Mostly what finds the first best element; else nearly that.
  std::string Comparison() {
    static constexpr const char* kOthers[] = {"<=", ">=", "!="};
    return random_.Chance(80) ? random_.Chance(50) ? "<" : ">" : random_.Pick(kOthers);
  }

  std::string StartText(const std::string& target) {
    return absl::StrCat("        ", target, " = ", random_.Chance(90) ? "0" : "1", bounds_.empty() ? "" : ", ",
                        absl::StrJoin(bounds_, ", "), ";\n");
  }

  std::vector<std::string> Indices() const {
    std::vector<std::string> indices;
    for (const LoopText& loop : loops_) indices.push_back(loop.index);
    return indices;
  }

  std::vector<ExtentText> Extents() const {
    std::vector<ExtentText> extents;
    for (const LoopText& loop : loops_) extents.push_back(loop.extent);
    return extents;
  }

  RandomDocument DocumentOf(const std::string& statements, const std::vector<ExtentText>& extents) {
    return inputs_.Document(absl::StrCat("y: ", TypeText(BaseType::kInt, extents, /*has_bounds=*/false)), "y",
                            statements);
  }

  // y[i,] := k, k < 3, i < 4 | xs[k][i,] < xs[y[i,]][i,]
  RandomDocument OfPack() {
    const int64_t count = random_.Between(2, 4);
    const std::string pack = inputs_.AddPack(base_, Extents(), count);
    const std::string target = AccessText("y", Indices());
    std::string statements = StartText(target);
    std::vector<std::string> bounds = bounds_;
    bounds.insert(random_.Chance(70) ? bounds.begin() : bounds.end(), absl::StrCat("c < ", count));
    absl::StrAppend(&statements, "        ", target, " := c, ", absl::StrJoin(bounds, ", "), " | ",
                    AccessText(pack + "[c]", Indices()), " ", Comparison(), " ",
                    AccessText(absl::StrCat(pack, "[", target, "]"), Indices()), ";\n");
    return DocumentOf(statements, Extents());
  }

  // y[i,k] := j, i < 2, j < 3, k < 4 | x[i,j,k] < x[i,y[i,k],k]
  RandomDocument OfTensor() {
    const std::vector<ExtentText> kept = Extents();
    const std::string target = AccessText("y", Indices());
    std::string statements = StartText(target);
    std::vector<std::string> indices = Indices(), best = indices;
    std::vector<ExtentText> extents = kept;
    const int64_t place = random_.Below(static_cast<int64_t>(indices.size()) + 1);
    const LoopText reduced{"r", random_.Chance(25) ? AnyExtent() : ExtentText::Of(random_.Between(1, 4))};
    const IndexText index = IndexOf(reduced);
    const bool is_reversed = !reduced.extent.is_dynamic() && random_.Chance(15);
    indices.insert(indices.begin() + place, is_reversed ? Reversed(index, index.greatest).text : index.text);
    best.insert(best.begin() + place, target);
    extents.insert(extents.begin() + place, reduced.extent);
    std::vector<std::string> bounds = bounds_;
    bounds.insert(bounds.begin() + random_.Below(static_cast<int64_t>(bounds.size()) + 1), BoundText(reduced));
    const std::string x = inputs_.Add(base_, extents);
    absl::StrAppend(&statements, "        ", target, " := r, ", absl::StrJoin(bounds, ", "), " | ",
                    AccessText(x, indices), " ", Comparison(), " ", AccessText(x, best), ";\n");
    return DocumentOf(statements, kept);
  }

  ExtentText AnyExtent() {
    return inputs_.names().empty() ? ExtentText::Of(random_.Between(1, 4)) : inputs_.names()[0];
  }

  RandomSource random_;
  BaseType base_ = BaseType::kReal;
  RandomInputs inputs_{&random_};
  std::vector<LoopText> loops_;  // of the target
  std::vector<std::string> bounds_;
};

}  // namespace

RandomDocument RandomArgument(uint64_t seed) { return ArgumentMaker(seed).Make(); }

}  // namespace nnef2
}  // namespace xla
