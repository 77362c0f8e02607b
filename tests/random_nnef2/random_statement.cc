#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random_nnef2/random_document.h"
#include "tests/random_nnef2/random_inputs.h"

namespace xla {
namespace nnef2 {
namespace {

class StatementMaker {
 public:
  StatementMaker(uint64_t seed, int size) : random_(seed), size_(size) {}

  RandomDocument Make() {
    base_ = random_.Chance(70) ? BaseType::kReal : random_.Chance(70) ? BaseType::kInt : BaseType::kBool;
    if (size_ >= 2 && random_.Chance(25)) {
      for (int64_t count = random_.Between(1, 2); count > 0; --count) inputs_.AddName();
    }
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
    return inputs_.Document(absl::StrCat("y: ", TypeText(base_, extents_, /*has_bounds=*/false)), "y", statements);
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
        loops_.push_back({absl::StrCat("p[", i, "]"), ExtentText::Of(bound)});
        pack.push_back(bound);
      } else {
        const bool is_dynamic = !inputs_.names().empty() && random_.Chance(60);
        loops_.push_back({std::string(1, static_cast<char>('i' + i)),
                          is_dynamic ? random_.Pick(inputs_.names()) : ExtentText::Of(bound)});
        bounds_.push_back(absl::StrCat(loops_.back().index, " < ", loops_.back().extent.text()));
      }
    }
    if (has_pack) bounds_.insert(bounds_.begin(), absl::StrCat("p < ", ListText(pack)));
  }

  IndexText RandomLoop() {
    if (loops_.empty()) return {"0"};
    return IndexOf(random_.Pick(loops_));
  }

  IndexText RandomIndex() {
    const IndexText x = RandomLoop();
    if (!inputs_.names().empty() && random_.Chance(15)) {
      const ExtentText& name = random_.Pick(inputs_.names());
      return {absl::StrCat(name.name, " + ", x.text), x.least, name.bound + x.greatest};
    }
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

  // An extent for indices that may lie outside.
  ExtentText AnyExtent() {
    if (!inputs_.names().empty() && random_.Chance(30)) return random_.Pick(inputs_.names());
    return ExtentText::Of(Less(4));
  }

  // An index of a dimension whose extent is chosen to fit: *extent.
  std::string IndexInto(ExtentText* extent, bool may_be_data) {
    const int64_t kind = random_.Below(may_be_data ? 13 : 11);
    if (kind >= 11) {
      *extent = ExtentText::Of(Less(4));
      const IndexText place = RandomLoop();
      const bool stays_inside = random_.Chance(70);
      const std::string data = AccessText(
          inputs_.AddPlaces(place, stays_inside ? 0 : -1, stays_inside ? extent->extent - 1 : extent->extent),
          {place.text});
      return random_.Chance(20) ? absl::StrCat("|", data, "|") : data;
    }
    const IndexText index = RandomIndex();
    if (kind < 7) {
      if (index.loop.is_dynamic() && random_.Chance(70)) {
        *extent = index.loop;
      } else {
        *extent = ExtentText::Of(index.greatest + 1 + (random_.Chance(25) ? 1 : 0));
      }
      return index.text;
    }
    if (kind == 10) return MirroredIndex(extent);
    *extent = AnyExtent();
    const IndexText moved = Shifted(index, -random_.Between(0, 2));
    if (kind < 9) return absl::StrCat("|", moved.text, "|");
    const int64_t least = std::min(extent->extent, extent->most());
    return absl::StrCat("|", moved.text, " <> ", random_.Below(least), " : ", random_.Below(least), "|");
  }

  // What is beyond the edges is mirrored at them or between their elements, or the outermost elements are repeated.
  std::string MirroredIndex(ExtentText* extent) {
    const IndexText loop = RandomLoop();
    const int64_t before = random_.Between(0, 2);
    const std::string p = absl::StrCat("(", Shifted(loop, -before).text, ")");
    const int64_t beyond = loop.greatest - before;
    *extent = AnyExtent();
    const std::string n = extent->text();
    const int64_t count = extent->extent;
    const bool is_dynamic = extent->is_dynamic();
    if (!is_dynamic && before < count && beyond <= 2 * (count - 1) && random_.Chance(40)) {
      return absl::StrCat("|", p, " <> -", p, " : 2 * (", n, " - 1) - ", p, "|");
    }
    if (!is_dynamic && before <= count && beyond <= 2 * count - 1 && random_.Chance(60)) {
      return absl::StrCat("|", p, " <> -", p, " - 1 : 2 * ", n, " - 1 - ", p, "|");
    }
    return absl::StrCat("|", p, " <> 0 : ", n, " - 1|");
  }

  std::string Load(BaseType base) {
    const int64_t rank = random_.Between(0, std::min<int64_t>(size_, 3));
    std::vector<ExtentText> extents(static_cast<size_t>(rank));
    std::vector<std::string> indices;
    for (ExtentText& extent : extents) indices.push_back(IndexInto(&extent, /*may_be_data=*/true));
    std::string name;
    if (!loops_.empty() && random_.Chance(8)) {
      // A pack, an index of which chooses the item.
      const IndexText item = RandomLoop();
      name = absl::StrCat(inputs_.AddPack(base, extents, item.greatest + 1), "[", item.text, "]");
    } else {
      name = inputs_.Add(base, extents);
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
    while (extents_.size() < 3 && !loops.empty() && random_.Chance(75)) {
      ExtentText extent;
      indices.push_back(TargetIndex(&loops, &extent));
      extents_.push_back(extent);
    }
    return AccessText("y", indices);
  }

  // One of the loops, which is not among them any more.
  IndexText Take(std::vector<LoopText>* loops) {
    const int64_t place = random_.Below(static_cast<int64_t>(loops->size()));
    const LoopText loop = (*loops)[static_cast<size_t>(place)];
    loops->erase(loops->begin() + place);
    return IndexOf(loop);
  }

  std::string TargetIndex(std::vector<LoopText>* loops, ExtentText* extent) {
    const IndexText x = Take(loops);
    const int64_t kind = random_.Below(24);
    *extent = ExtentText::Of(x.greatest + 1);
    if (kind < 10 || (kind >= 13 && kind < 16 && loops->empty())) {
      if (x.loop.is_dynamic() && random_.Chance(70)) *extent = x.loop;
      return x.text;
    }
    if (kind == 10) {
      extent->extent += random_.Between(1, 2);
      return Shifted(x, 1).text;
    }
    if (kind == 11) return Reversed(x, x.greatest).text;
    if (kind == 12) {
      extent->extent = 2 * x.greatest + Less(2);
      return Scaled(2, x).text;
    }
    if (kind < 15) {
      const IndexText y = Take(loops);
      extent->extent *= y.greatest + 1;
      return Sum(Scaled(y.greatest + 1, x), y).text;
    }
    if (kind == 15) {
      *extent = AnyExtent();
      return absl::StrCat("|", Shifted(Sum(Scaled(Less(2), x), Take(loops)), -1).text, "|");
    }
    if (kind < 20) return ScatteredIndex(x, extent);
    if (kind == 20) {
      extent->extent = Less(2);
      return "0";
    }
    if (kind == 21 && !inputs_.names().empty()) {
      const ExtentText& name = random_.Pick(inputs_.names());
      extent->extent += name.bound;
      return absl::StrCat(name.name, " + ", x.text);
    }
    return absl::StrCat("|", Shifted(x, random_.Between(-1, 1)).text, "|");
  }

  // A place that is data: inside, or left out where it is not.
  std::string ScatteredIndex(const IndexText& loop, ExtentText* extent) {
    *extent = ExtentText::Of(Less(4));
    const bool is_guarded = random_.Chance(30);
    const std::string places = inputs_.AddPlaces(loop, is_guarded ? -1 : 0, extent->extent - (is_guarded ? 0 : 1));
    const std::string index = AccessText(places, {loop.text});
    return is_guarded ? absl::StrCat("|", index, "|") : index;
  }

  std::string PickAssignment() {
    static constexpr const char* kNumbers[] = {"=", ":=", "+=", "+=", "*=", "<=", ">="};
    static constexpr const char* kBools[] = {"=", ":=", "&=", "|="};
    return base_ == BaseType::kBool ? random_.Pick(kBools) : random_.Pick(kNumbers);
  }

  // y[u,v] = x[v,], u < 2, v < 3;
  std::string StartText() {
    std::vector<std::string> indices, bounds, read;
    std::vector<ExtentText> read_extents;
    for (size_t d = 0; d < extents_.size(); ++d) {
      indices.push_back(std::string(1, static_cast<char>('u' + d)));
      bounds.push_back(absl::StrCat(indices.back(), " < ", extents_[d].text()));
      if (random_.Chance(50)) continue;
      read.push_back(indices.back());
      read_extents.push_back(extents_[d]);
    }
    const std::string value = base_ == BaseType::kReal && random_.Chance(30) ? "0.0"
                              : base_ == BaseType::kInt && random_.Chance(30)
                                  ? "0"
                                  : AccessText(inputs_.Add(base_, read_extents), read);
    return absl::StrCat("        ", AccessText("y", indices), " = ", value, bounds.empty() ? "" : ", ",
                        absl::StrJoin(bounds, ", "), ";\n");
  }

  RandomSource random_;
  const int size_;
  BaseType base_ = BaseType::kReal;
  std::vector<LoopText> loops_;
  std::vector<std::string> bounds_;
  std::vector<std::string> locals_;
  std::vector<ExtentText> extents_;  // of the output
  RandomInputs inputs_{&random_};
};

}  // namespace

RandomDocument RandomStatement(uint64_t seed, int size) { return StatementMaker(seed, size).Make(); }

}  // namespace nnef2
}  // namespace xla
