#include "passes/expanding/expand_batch_norm.h"

#include <vector>

#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

// Builds in the type that is computed in; features are broadcast along the other dimensions.
class Normalizer {
 public:
  // f32 and narrower types compute in f64 unless the option asks for f32: sums then round as the interpreter's do.
  // The sums go over all dimensions but the feature one.
  Normalizer(HloInstruction* root, const RuleContext& context)
      : build_(context.build), attributes_(root->attributes<BatchNormAttributes>()), root_(root) {
    const PrimitiveType own = root->operand(0)->shape().element_type();
    type_ = own == F64 || context.pass.Option("arithmetic") == "f64" ? F64 : F32;
    const Shape& x = root->operand(0)->shape();
    for (int d = 0; d < x.rank(); ++d) {
      if (d == attributes_.feature_index) continue;
      summed_.push_back(d);
      elements_ *= static_cast<double>(x.dimension(d));
    }
  }

  // An operand in the type that is computed in.
  HloInstruction* Operand(int i) { return build_.Convert(root_->operand(i), type_); }
  HloInstruction* Spread(HloInstruction* features) {
    return build_.Broadcast(features, root_->operand(0)->shape().dimensions(), {attributes_.feature_index});
  }
  HloInstruction* Sum(HloInstruction* x) { return build_.Reduce(x, build_.Zero(type_), summed_, HloOpcode::kAdd); }
  // A sum over a feature divided by its number of elements.
  HloInstruction* PerElement(HloInstruction* sum) {
    return build_.Div(sum, build_.SplatFloat(sum->shape(), elements_));
  }
  HloInstruction* PlusEpsilon(HloInstruction* variance) {
    return build_.Add(variance, build_.SplatFloat(variance->shape(), attributes_.epsilon));
  }
  HloInstruction* Round(HloInstruction* x) { return build_.Convert(x, root_->operand(0)->shape().element_type()); }
  // centered * inverse * scale + offset, in that order, rounded.
  HloInstruction* Normalize(HloInstruction* centered, HloInstruction* variance) {
    HloInstruction* const inverse = build_.Unary(HloOpcode::kRsqrt, PlusEpsilon(variance));
    HloInstruction* const scaled = build_.Mul(build_.Mul(centered, Spread(inverse)), Spread(Operand(1)));
    return Round(build_.Add(scaled, Spread(Operand(2))));
  }

 private:
  InstructionBuilder& build_;
  const BatchNormAttributes& attributes_;
  HloInstruction* const root_;
  PrimitiveType type_;
  std::vector<int64_t> summed_;
  double elements_ = 1;
};

HloInstruction* ExpandTraining(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  Normalizer n(root, context);
  HloInstruction* const x = n.Operand(0);
  HloInstruction* const mean = n.PerElement(n.Sum(x));
  HloInstruction* const centered = build.Sub(x, n.Spread(mean));
  HloInstruction* const variance = n.PerElement(n.Sum(build.Mul(centered, centered)));
  return build.Tuple({n.Normalize(centered, variance), n.Round(mean), n.Round(variance)});
}

HloInstruction* ExpandInference(HloInstruction* root, const RuleContext& context) {
  Normalizer n(root, context);
  return n.Normalize(context.build.Sub(n.Operand(0), n.Spread(n.Operand(3))), n.Operand(4));
}

// The gradients by x, scale and offset. With c = x - mean and N elements a feature: dx = scale / sqrt(var + eps) *
// (dy - sum(dy) / N - c * sum(dy * c) / N / (var + eps)), dscale = sum(dy * c) / sqrt(var + eps), doffset = sum(dy).
HloInstruction* ExpandGrad(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  Normalizer n(root, context);
  HloInstruction* const centered = build.Sub(n.Operand(0), n.Spread(n.Operand(2)));
  HloInstruction* const shifted = n.PlusEpsilon(n.Operand(3));
  HloInstruction* const inverse = build.Unary(HloOpcode::kRsqrt, shifted);
  HloInstruction* const dy = n.Operand(4);
  HloInstruction* const sum_dy = n.Sum(dy);
  HloInstruction* const sum_dy_centered = n.Sum(build.Mul(dy, centered));
  HloInstruction* const along_x =
      build.Div(build.Mul(centered, n.Spread(n.PerElement(sum_dy_centered))), n.Spread(shifted));
  HloInstruction* const rest = build.Sub(build.Sub(dy, n.Spread(n.PerElement(sum_dy))), along_x);
  HloInstruction* const dx = build.Mul(n.Spread(build.Mul(n.Operand(1), inverse)), rest);
  return build.Tuple({n.Round(dx), n.Round(build.Mul(sum_dy_centered, inverse)), n.Round(sum_dy)});
}

}  // namespace

absl::StatusOr<bool> ExpandBatchNorm(HloModule& module, PassContext& context) {
  static const RewriteRule kTraining = {
      "expand-batch-norm-training",
      "batch-norm-training(x, s, o) => ((x - mean) * rsqrt(var + eps) * s + o, mean, var)",
      {HloOpcode::kBatchNormTraining},
      &ExpandTraining};
  static const RewriteRule kInference = {"expand-batch-norm-inference",
                                         "batch-norm-inference(x, s, o, m, v) => (x - m) * rsqrt(v + eps) * s + o",
                                         {HloOpcode::kBatchNormInference},
                                         &ExpandInference};
  static const RewriteRule kGrad = {"expand-batch-norm-grad",
                                    "batch-norm-grad(x, s, m, v, dy) => (dx, sum(dy * (x - m)) * rsqrt(v + eps), "
                                    "sum(dy))",
                                    {HloOpcode::kBatchNormGrad},
                                    &ExpandGrad};
  return ApplyRules({&kTraining, &kInference, &kGrad}, module, context);
}

}  // namespace xla
