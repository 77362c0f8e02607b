#include "backends/kernel_ir/row_access.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/kernel_ir/index_form.h"

namespace xla {
namespace {

class RowChecker {
 public:
  RowChecker(const Kernel& kernel, int buffer, int64_t row_elements)
      : kernel_(kernel), buffer_(buffer), row_elements_(row_elements) {}

  // Goes through all accesses; false as soon as one may leave the row of its tile.
  bool Check() {
    tile_ = kernel_.phases[0].body.arguments[0];
    std::vector<const KernelRegion*> pending = {&kernel_.phases[0].body};
    // Values are defined before the regions within which they are used are looked at.
    while (!pending.empty()) {
      const KernelRegion* const region = pending.back();
      pending.pop_back();
      for (const KernelInstruction& instruction : region->instructions) {
        Define(instruction);
        if (IsAccess(instruction) && !IsWithinRow(instruction.operands[0])) return false;
        for (const KernelRegion& nested : instruction.regions) pending.push_back(&nested);
      }
    }
    return true;
  }

 private:
  bool IsAccess(const KernelInstruction& instruction) const {
    return (instruction.op == KernelOp::kLoad || instruction.op == KernelOp::kStore) && instruction.buffer == buffer_;
  }

  // Notes what is known of the instruction's results, as far as it concerns indices: sums, constants, and ranges of
  // loop indices and remainders.
  void Define(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kConstant:
        if (kernel_.TypeOf(instruction.results[0]) == S64) {
          forms_[instruction.results[0]] = IndexForm::Constant(*instruction.literal.data<int64_t>());
        }
        break;
      case KernelOp::kAffine: {
        IndexForm form = IndexForm::Constant(instruction.constant);
        bool fits = true;
        for (size_t i = 0; i < instruction.operands.size(); ++i) {
          fits = fits && form.Add(instruction.coefficients[i], FormOf(instruction.operands[i]));
        }
        if (fits) forms_[instruction.results[0]] = std::move(form);
        break;
      }
      case KernelOp::kRemainder:
        ranges_[instruction.results[0]] = {0, instruction.constant - 1};
        break;
      case KernelOp::kFor: {
        const IndexForm extent = FormOf(instruction.operands[0]);
        if (extent.terms.empty()) ranges_[instruction.regions[0].arguments[0]] = {0, extent.constant - 1};
        break;
      }
      case KernelOp::kReduce:
        for (size_t i = 0; i < instruction.extents.size(); ++i) {
          ranges_[instruction.regions[0].arguments[i]] = {0, instruction.extents[i] - 1};
        }
        break;
      default:
        break;
    }
  }

  IndexForm FormOf(KernelValue value) const {
    const auto known = forms_.find(value);
    return known == forms_.end() ? IndexForm::Of(value) : known->second;
  }

  // Whether the element lies in the row of the tile: tile * row length plus something between 0 and row length - 1,
  // by the known ranges.
  bool IsWithinRow(KernelValue element) const {
    const IndexForm form = FormOf(element);
    IndexRange range = IndexRange::Point(form.constant);
    bool has_tile = false;
    for (const auto& [value, coefficient] : form.terms) {
      if (value == tile_) {
        if (coefficient != row_elements_) return false;
        has_tile = true;
        continue;
      }
      const auto known = ranges_.find(value);
      if (known == ranges_.end()) return false;
      range = range + coefficient * known->second;
    }
    const bool is_first_row = kernel_.phases[0].tile_count == 1;
    return (has_tile || is_first_row) && range.low >= 0 && range.high < row_elements_;
  }

  const Kernel& kernel_;
  const int buffer_;
  const int64_t row_elements_;
  KernelValue tile_ = kNoValue;
  absl::flat_hash_map<KernelValue, IndexForm> forms_;
  absl::flat_hash_map<KernelValue, IndexRange> ranges_;  // of values that have no form
};

}  // namespace

bool TouchesOwnRowOnly(const Kernel& kernel, int buffer, int64_t row_elements) {
  return kernel.phases.size() == 1 && RowChecker(kernel, buffer, row_elements).Check();
}

}  // namespace xla
