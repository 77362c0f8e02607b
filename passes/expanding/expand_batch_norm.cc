#include "passes/expanding/expand_batch_norm.h"

#include <vector>

#include "passes/base/rewrite_rule.h"
#include "passes/expanding/wide_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Builds in the form that is computed in, so that sums round as the interpreter's do unless the option asks for less;
// features are broadcast along the other dimensions.
class Normalizer {
 public:
  // The sums go over all dimensions but the feature one.
  Normalizer(HloInstruction* root, const RuleContext& context)
      : math_(context.build, FormFor(*root, context.pass)),
        attributes_(root->attributes<BatchNormAttributes>()),
        root_(root) {
    const Shape& x = root->operand(0)->shape();
    for (int d = 0; d < x.rank(); ++d) {
      if (d == attributes_.feature_index) continue;
      summed_.push_back(d);
      elements_ *= static_cast<double>(x.dimension(d));
    }
  }

  const WideMath& math() const { return math_; }
  WideArray Operand(int i) { return math_.From(root_->operand(i)); }
  WideArray Spread(const WideArray& features) {
    return WideMath::Each(features, [&](HloInstruction* part) {
      return math_.build().Broadcast(part, root_->operand(0)->shape().dimensions(), {attributes_.feature_index});
    });
  }
  WideArray Sum(const WideArray& x) { return math_.Sum(x, summed_); }
  // A sum over a feature divided by its number of elements.
  WideArray PerElement(const WideArray& sum) { return math_.Div(sum, math_.SplatLike(sum, elements_)); }
  WideArray PlusEpsilon(const WideArray& variance) {
    return math_.Add(variance, math_.SplatLike(variance, attributes_.epsilon));
  }
  HloInstruction* Round(const WideArray& x) { return math_.Round(x, root_->operand(0)->shape().element_type()); }
  // centered * inverse * scale + offset, in that order, rounded.
  HloInstruction* Normalize(const WideArray& centered, const WideArray& variance) {
    const WideArray inverse = math_.Rsqrt(PlusEpsilon(variance));
    const WideArray scaled = math_.Mul(math_.Mul(centered, Spread(inverse)), Spread(Operand(1)));
    return Round(math_.Add(scaled, Spread(Operand(2))));
  }

 private:
  static WideForm FormFor(const HloInstruction& root, const PassContext& pass) {
    const WideForm form = WideFormOf(pass);
    return HoldsType(form, root.operand(0)->shape().element_type()) ? form : WideForm::kDoubles;
  }

  const WideMath math_;
  const BatchNormAttributes& attributes_;
  HloInstruction* const root_;
  std::vector<int64_t> summed_;
  double elements_ = 1;
};

HloInstruction* ExpandTraining(HloInstruction* root, const RuleContext& context) {
  Normalizer n(root, context);
  const WideMath& math = n.math();
  const WideArray x = n.Operand(0);
  const WideArray mean = n.PerElement(n.Sum(x));
  const WideArray centered = math.Sub(x, n.Spread(mean));
  const WideArray variance = n.PerElement(n.Sum(math.Mul(centered, centered)));
  return context.build.Tuple({n.Normalize(centered, variance), n.Round(mean), n.Round(variance)});
}

HloInstruction* ExpandInference(HloInstruction* root, const RuleContext& context) {
  Normalizer n(root, context);
  return n.Normalize(n.math().Sub(n.Operand(0), n.Spread(n.Operand(3))), n.Operand(4));
}

// The gradients by x, scale and offset. With c = x - mean and N elements a feature: dx = scale / sqrt(var + eps) *
// (dy - sum(dy) / N - c * sum(dy * c) / N / (var + eps)), dscale = sum(dy * c) / sqrt(var + eps), doffset = sum(dy).
HloInstruction* ExpandGrad(HloInstruction* root, const RuleContext& context) {
  Normalizer n(root, context);
  const WideMath& math = n.math();
  const WideArray centered = math.Sub(n.Operand(0), n.Spread(n.Operand(2)));
  const WideArray shifted = n.PlusEpsilon(n.Operand(3));
  const WideArray inverse = math.Rsqrt(shifted);
  const WideArray dy = n.Operand(4);
  const WideArray sum_dy = n.Sum(dy);
  const WideArray sum_dy_centered = n.Sum(math.Mul(dy, centered));
  const WideArray along_x = math.Div(math.Mul(centered, n.Spread(n.PerElement(sum_dy_centered))), n.Spread(shifted));
  const WideArray rest = math.Sub(math.Sub(dy, n.Spread(n.PerElement(sum_dy))), along_x);
  const WideArray dx = math.Mul(n.Spread(math.Mul(n.Operand(1), inverse)), rest);
  return context.build.Tuple({n.Round(dx), n.Round(math.Mul(sum_dy_centered, inverse)), n.Round(sum_dy)});
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
  RETURN_IF_ERROR(CheckWideForm(context));
  return ApplyRules({&kTraining, &kInference, &kGrad}, module, context);
}

}  // namespace xla
