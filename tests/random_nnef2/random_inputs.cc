#include "tests/random_nnef2/random_inputs.h"

#include <utility>

namespace xla {
namespace nnef2 {

std::string TypeText(BaseType base, const std::vector<ExtentText>& extents, bool has_bounds) {
  std::vector<std::string> texts;
  for (const ExtentText& extent : extents) texts.push_back(has_bounds ? extent.declaration() : extent.text());
  return absl::StrCat(BaseTypeName(base), "[", absl::StrJoin(texts, ","), "]");
}

DirectTensor RandomInputs::TensorOf(BaseType base, const std::vector<ExtentText>& texts) {
  std::vector<int64_t> extents;
  for (const ExtentText& text : texts) extents.push_back(text.extent);
  return base == BaseType::kReal  ? RandomReals(random_, std::move(extents))
         : base == BaseType::kInt ? RandomInts(random_, std::move(extents), -3, 3)
                                  : RandomBools(random_, std::move(extents));
}

std::string RandomInputs::Name(Input input) {
  inputs_.push_back(std::move(input));
  return absl::StrCat("x", inputs_.size() - 1);
}

std::string RandomInputs::Add(BaseType base, const std::vector<ExtentText>& extents) {
  return Name({base, extents, /*is_pack=*/false, {TensorOf(base, extents)}});
}

std::string RandomInputs::AddPack(BaseType base, const std::vector<ExtentText>& extents, int64_t count) {
  DirectTensors tensors;
  for (int64_t i = 0; i < count; ++i) tensors.push_back(TensorOf(base, extents));
  return Name({base, extents, /*is_pack=*/true, std::move(tensors)});
}

std::string RandomInputs::AddPlaces(const IndexText& loop, int64_t least, int64_t greatest) {
  const ExtentText count = ExtentText::Of(loop.greatest + 1);
  return Name({BaseType::kInt, {count}, /*is_pack=*/false, {RandomInts(random_, {count.extent}, least, greatest)}});
}

ExtentText RandomInputs::AddName() {
  ExtentText name{random_.Between(1, 4), names_.empty() ? "n" : "m", 0};
  name.bound = name.extent + random_.Between(0, 2);
  names_.push_back(name);
  Add(BaseType::kReal, {name});
  return name;
}

std::string RandomInputs::DeclarationsText(bool of_graph) const {
  std::string text;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    absl::StrAppend(&text, "        x", i, ": ", TypeText(inputs_[i].base, inputs_[i].extents, of_graph),
                    inputs_[i].is_pack ? absl::StrCat("..(", inputs_[i].tensors.size(), ")") : "", ";\n");
  }
  return text;
}

RandomDocument RandomInputs::Document(const std::string& outputs, const std::string& results,
                                      const std::string& statements) {
  if (!names_.empty() && random_.Chance(5)) {
    inputs_[0].tensors = {RandomReals(random_, {names_[0].extent + random_.Between(1, 2)})};
  }
  std::vector<std::string> arguments;
  for (size_t i = 0; i < inputs_.size(); ++i) arguments.push_back(absl::StrCat("x", i));
  const std::string output = absl::StrCat("    @output {\n        ", outputs, ";\n    }\n");
  RandomDocument document;
  document.text = absl::StrCat("operator op {\n    @input {\n", DeclarationsText(/*of_graph=*/false), "    }\n", output,
                               "    @lower {\n", statements, "    }\n}\n\ngraph G {\n    @input {\n",
                               DeclarationsText(/*of_graph=*/true), "    }\n", output, "    @compose {\n        ",
                               results, " = op(", absl::StrJoin(arguments, ", "), ");\n    }\n}\n");
  for (Input& input : inputs_) document.inputs.push_back(std::move(input.tensors));
  return document;
}

}  // namespace nnef2
}  // namespace xla
