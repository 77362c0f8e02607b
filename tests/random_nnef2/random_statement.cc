#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {
namespace {

// An int expression of loop indices, and between which numbers it lies.
struct IndexText {
  std::string text;
  int64_t least = 0;
  int64_t greatest = 0;
};

struct LoopText {
  std::string index;  // "i", "p[1]"
  int64_t bound = 1;
};

// "x[i,j]", "x[i,]", "x[]".
std::string AccessText(const std::string& name, const std::vector<std::string>& indices) {
  return absl::StrCat(name, "[", absl::StrJoin(indices, ","), indices.size() == 1 ? "," : "", "]");
}

class StatementMaker {
 public:
  StatementMaker(uint64_t seed, int size) : random_(seed), size_(size) {}

  RandomDocument Make() {
    base_ = random_.Chance(70) ? BaseType::kReal : random_.Chance(70) ? BaseType::kInt : BaseType::kBool;
    MakeLoops();
    const std::string target = MakeTarget();
    const std::string op = PickAssignment();
    const bool has_start = op == ":=" || (op != "=" && random_.Chance(40));
    std::string condition;
    const std::string value = Value(base_, size_);
    if (random_.Chance(20)) condition = absl::StrCat(" | ", Condition(op == ":=" ? target : ""));
    std::string statements = has_start ? StartText() : "";
    std::string body = absl::StrCat(target, " ", op, " ", value);
    for (size_t i = locals_.size(); i > 0; --i) body = absl::StrCat(locals_[i - 1], ",\n        ", body);
    absl::StrAppend(&statements, "        ", body, bounds_.empty() ? "" : ",\n            ",
                    absl::StrJoin(bounds_, ", "), condition, ";\n");
    return Document(statements);
  }

 private:
  int64_t Less(int64_t most) { return random_.Between(1, most); }

  // --- loops ---

  void MakeLoops() {
    const int64_t count = random_.Between(0, std::min(size_ + 1, 4));
    const bool has_pack = count >= 2 && random_.Chance(30);
    std::vector<int64_t> pack;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t bound = random_.Chance(2) ? 0 : random_.Chance(15) ? 1 : random_.Between(2, 4);
      if (has_pack && i < 2) {
        loops_.push_back({absl::StrCat("p[", i, "]"), bound});
        pack.push_back(bound);
      } else {
        loops_.push_back({std::string(1, static_cast<char>('i' + i)), bound});
        bounds_.push_back(absl::StrCat(loops_.back().index, " < ", bound));
      }
    }
    if (has_pack) bounds_.insert(bounds_.begin(), absl::StrCat("p < ", ListText(pack)));
  }

  static IndexText Of(const LoopText& loop) { return {loop.index, 0, std::max<int64_t>(loop.bound, 1) - 1}; }

  IndexText RandomLoop() {
    if (loops_.empty()) return {"0", 0, 0};
    return Of(random_.Pick(loops_));
  }

  static IndexText Scaled(int64_t scale, const IndexText& x) {
    if (scale == 1) return x;
    return {absl::StrCat(scale, " * ", x.text), scale * x.least, scale * x.greatest};
  }
  static IndexText Sum(const IndexText& x, const IndexText& y) {
    return {absl::StrCat(x.text, " + ", y.text), x.least + y.least, x.greatest + y.greatest};
  }
  static IndexText Shifted(const IndexText& x, int64_t by) {
    if (by == 0) return x;
    return {absl::StrCat(x.text, by < 0 ? " - " : " + ", std::abs(by)), x.least + by, x.greatest + by};
  }
  static IndexText Reversed(const IndexText& x, int64_t from) {
    return {absl::StrCat(from, " - ", x.text), from - x.greatest, from - x.least};
  }

  IndexText RandomIndex() {
    const IndexText x = RandomLoop();
    switch (random_.Below(12)) {
      case 0:
        return {absl::StrCat(random_.Between(0, 2)), 0, 2};
      case 1:
        return Shifted(Scaled(Less(3), x), random_.Between(0, 2));
      case 2:
        return Reversed(x, x.greatest + random_.Between(0, 1));
      case 3: {
        const int64_t scale = Less(2);
        return Reversed(Scaled(scale, x), scale * x.greatest);
      }
      case 4: {
        const IndexText y = RandomLoop();
        return Sum(Scaled(random_.Chance(70) ? y.greatest + 1 : Less(3), x), y);
      }
      case 5:
        return Sum(Scaled(Less(2), x), Scaled(Less(2), RandomLoop()));
      case 6:
        return {absl::StrCat("(", x.text, ") % 2"), 0, 1};
      case 7:
        return {absl::StrCat("(", x.text, ") / 2"), x.least / 2, x.greatest / 2};
      default:
        return x;
    }
  }

  // --- inputs ---

  std::string AddInput(DirectTensor tensor) {
    const std::string name = absl::StrCat("x", inputs_.size());
    inputs_.push_back({std::move(tensor)});
    return name;
  }

  DirectTensor TensorOf(BaseType base, std::vector<int64_t> extents) {
    return base == BaseType::kReal  ? RandomReals(random_, std::move(extents))
           : base == BaseType::kInt ? RandomInts(random_, std::move(extents), -3, 3)
                                    : RandomBools(random_, std::move(extents));
  }

  // An index of a dimension whose extent is chosen to fit: *extent.
  std::string IndexInto(int64_t* extent, bool may_be_data) {
    const int64_t kind = random_.Below(may_be_data ? 12 : 10);
    if (kind >= 10) {
      *extent = Less(4);
      const IndexText place = RandomLoop();
      const bool stays_inside = random_.Chance(70);
      DirectTensor places =
          RandomInts(random_, {place.greatest + 1}, stays_inside ? 0 : -1, stays_inside ? *extent - 1 : *extent);
      const std::string data = AccessText(AddInput(std::move(places)), {place.text});
      return random_.Chance(20) ? absl::StrCat("|", data, "|") : data;
    }
    const IndexText index = RandomIndex();
    if (kind < 7) {
      *extent = index.greatest + 1 + (random_.Chance(25) ? 1 : 0);
      return index.text;
    }
    *extent = Less(4);
    const IndexText moved = Shifted(index, -random_.Between(0, 2));
    if (kind < 9) return absl::StrCat("|", moved.text, "|");
    return absl::StrCat("|", moved.text, " <> ", random_.Below(*extent), " : ", random_.Below(*extent), "|");
  }

  std::string Load(BaseType base) {
    const int64_t rank = random_.Between(0, std::min<int64_t>(size_, 3));
    std::vector<int64_t> extents(static_cast<size_t>(rank));
    std::vector<std::string> indices;
    for (int64_t& extent : extents) indices.push_back(IndexInto(&extent, /*may_be_data=*/true));
    std::string name;
    if (!loops_.empty() && random_.Chance(8)) {
      // A pack, an index of which chooses the item.
      const IndexText item = RandomLoop();
      DirectTensors pack;
      for (int64_t i = 0; i <= item.greatest; ++i) pack.push_back(TensorOf(base, extents));
      name = absl::StrCat("x", inputs_.size(), "[", item.text, "]");
      inputs_.push_back(std::move(pack));
      packs_.insert(packs_.end(), inputs_.size() - 1);
    } else {
      name = AddInput(TensorOf(base, extents));
    }
    if (rank > 0 && random_.Chance(10)) {
      const std::string list = absl::StrCat("l", locals_.size());
      locals_.push_back(absl::StrCat(list, " = [", absl::StrJoin(indices, ","), "]"));
      return absl::StrCat(name, "[", list, "..]");
    }
    return AccessText(name, indices);
  }

  // --- values ---

  std::string Leaf(BaseType base) {
    if (base == BaseType::kBool || random_.Chance(80)) return Load(base);
    if (base == BaseType::kInt) return random_.Chance(50) ? RandomLoop().text : absl::StrCat(random_.Between(0, 3));
    return random_.Chance(50) ? absl::StrCat("real(", RandomLoop().text, ")") : "0.5";
  }

  std::string Value(BaseType base, int depth) {
    if (depth <= 1 || random_.Chance(35)) return Leaf(base);
    const std::string x = Value(base, depth - 1);
    if (base == BaseType::kBool) {
      if (random_.Chance(30)) return absl::StrCat("(!", x, ")");
      static constexpr const char* kLogic[] = {"&&", "||", "^", "=>"};
      return absl::StrCat("(", x, " ", random_.Pick(kLogic), " ", Value(base, depth - 1), ")");
    }
    switch (random_.Below(8)) {
      case 0:
        return absl::StrCat("(-", x, ")");
      case 1:
        return absl::StrCat("`abs`(", x, ")");
      case 2:
        // Of a choice by an index, a side may be left out with its guards where the index is unrolled.
        return absl::StrCat("(", DataCondition(), " ? ", x, " : ", Value(base, depth - 1), ")");
      case 3: {
        const std::string local = absl::StrCat("t", locals_.size());
        locals_.push_back(absl::StrCat(local, " = ", x));
        return absl::StrCat("(", local, " + ", Value(base, depth - 1), ")");
      }
      default: {
        static constexpr const char* kArithmetic[] = {"+", "-", "*", "*", "<<", ">>"};
        return absl::StrCat("(", x, " ", random_.Pick(kArithmetic), " ", Value(base, depth - 1), ")");
      }
    }
  }

  // `target`: an access that may be read, too.
  std::string Condition(const std::string& target) {
    if (!target.empty() && base_ != BaseType::kBool && random_.Chance(60)) {
      return absl::StrCat(Leaf(base_), random_.Chance(50) ? " < " : " > ", target);
    }
    if (random_.Chance(40)) return absl::StrCat("(", RandomLoop().text, ") % 2 == 0");
    return DataCondition();
  }

  std::string DataCondition() {
    if (random_.Chance(20)) return Load(BaseType::kBool);
    return absl::StrCat(Load(BaseType::kReal), random_.Chance(50) ? " < 0.0" : " >= 0.5");
  }

  // --- targets ---

  std::string MakeTarget() {
    std::vector<LoopText> loops = loops_;
    std::vector<std::string> indices;
    const auto take = [&] {
      const size_t place = static_cast<size_t>(random_.Below(static_cast<int64_t>(loops.size())));
      const LoopText loop = loops[place];
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(place));
      return Of(loop);
    };
    while (extents_.size() < 3 && !loops.empty() && random_.Chance(75)) {
      const IndexText x = take();
      const int64_t kind = random_.Below(20);
      int64_t extent = x.greatest + 1;
      if (kind < 10 || (kind >= 13 && kind < 16 && loops.empty())) {
        indices.push_back(x.text);
      } else if (kind == 10) {
        indices.push_back(Shifted(x, 1).text);
        extent += random_.Between(1, 2);
      } else if (kind == 11) {
        indices.push_back(Reversed(x, x.greatest).text);
      } else if (kind == 12) {
        indices.push_back(Scaled(2, x).text);
        extent = 2 * x.greatest + Less(2);
      } else if (kind < 15) {
        const IndexText y = take();
        indices.push_back(Sum(Scaled(y.greatest + 1, x), y).text);
        extent *= y.greatest + 1;
      } else if (kind == 15) {
        indices.push_back(absl::StrCat("|", Shifted(Sum(Scaled(Less(2), x), take()), -1).text, "|"));
        extent = Less(4);
      } else if (kind == 16) {
        extent = Less(4);
        DirectTensor places = RandomInts(random_, {x.greatest + 1}, 0, extent - 1);
        indices.push_back(AccessText(AddInput(std::move(places)), {x.text}));
      } else if (kind == 17) {
        indices.push_back("0");
        extent = Less(2);
      } else {
        indices.push_back(absl::StrCat("|", Shifted(x, random_.Between(-1, 1)).text, "|"));
      }
      extents_.push_back(extent);
    }
    return AccessText("y", indices);
  }

  std::string PickAssignment() {
    static constexpr const char* kNumbers[] = {"=", ":=", "+=", "+=", "*=", "<=", ">="};
    static constexpr const char* kBools[] = {"=", ":=", "&=", "|="};
    return base_ == BaseType::kBool ? random_.Pick(kBools) : random_.Pick(kNumbers);
  }

  // y[u,v] = x[v,], u < 2, v < 3;
  std::string StartText() {
    std::vector<std::string> indices, bounds, read;
    std::vector<int64_t> read_extents;
    for (size_t d = 0; d < extents_.size(); ++d) {
      indices.push_back(std::string(1, static_cast<char>('u' + d)));
      bounds.push_back(absl::StrCat(indices.back(), " < ", extents_[d]));
      if (random_.Chance(50)) continue;
      read.push_back(indices.back());
      read_extents.push_back(extents_[d]);
    }
    const std::string value = base_ == BaseType::kReal && random_.Chance(30) ? "0.0"
                              : base_ == BaseType::kInt && random_.Chance(30)
                                  ? "0"
                                  : AccessText(AddInput(TensorOf(base_, read_extents)), read);
    return absl::StrCat("        ", AccessText("y", indices), " = ", value, bounds.empty() ? "" : ", ",
                        absl::StrJoin(bounds, ", "), ";\n");
  }

  RandomDocument Document(const std::string& statements) {
    std::string inputs, arguments;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_pack = std::find(packs_.begin(), packs_.end(), i) != packs_.end();
      absl::StrAppend(&inputs, "        x", i, ": ", DeclarationOf(inputs_[i][0]),
                      is_pack ? absl::StrCat("..(", inputs_[i].size(), ")") : "", ";\n");
      absl::StrAppend(&arguments, i == 0 ? "" : ", ", "x", i);
    }
    const std::string output = absl::StrCat("        y: ", BaseTypeName(base_), ListText(extents_), ";\n");
    RandomDocument document;
    const std::string blocks = absl::StrCat("    @input {\n", inputs, "    }\n    @output {\n", output, "    }\n");
    document.text = absl::StrCat("operator op {\n", blocks, "    @lower {\n", statements, "    }\n}\n\ngraph G {\n",
                                 blocks, "    @compose {\n        y = op(", arguments, ");\n    }\n}\n");
    document.inputs = std::move(inputs_);
    return document;
  }

  RandomSource random_;
  const int size_;
  BaseType base_ = BaseType::kReal;
  std::vector<LoopText> loops_;
  std::vector<std::string> bounds_;
  std::vector<std::string> locals_;
  std::vector<int64_t> extents_;  // of the output
  std::vector<DirectTensors> inputs_;
  std::vector<size_t> packs_;  // which inputs are packs
};

}  // namespace

RandomDocument RandomStatement(uint64_t seed, int size) { return StatementMaker(seed, size).Make(); }

}  // namespace nnef2
}  // namespace xla
