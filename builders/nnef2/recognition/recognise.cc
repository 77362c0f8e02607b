#include "builders/nnef2/recognition/recognise.h"

#include <algorithm>
#include <utility>

#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

XlaOp RecogniseOne(NestLowering& lowering, const StatementNest& nest, const StartValue& start) {
  if (nest.reads_output) return XlaOp();
  for (const auto recognise : {RecogniseAssignment, RecogniseBlock, RecogniseConvolution, RecogniseDot,
                               RecogniseWindowReduction, RecogniseResampling, RecogniseReduction, RecogniseScatter}) {
    const XlaOp result = recognise(lowering, nest, start);
    if (result.valid() || !lowering.builder().ok()) return result;
  }
  return XlaOp();
}

// The statement for one of several targets, each of which has a value of its own.
StatementNest ForTarget(const StatementNest& nest, size_t i) {
  StatementNest one = nest;
  one.targets = {nest.targets[i]};
  one.values = {nest.values[i]};
  return one;
}

// A pack that is assigned as a whole: each target by itself, or none.
bool RecogniseAll(NestLowering& lowering, const StatementNest& nest, const std::vector<XlaOp>& initial,
                  std::vector<XlaOp>* results) {
  for (size_t i = 0; i < nest.targets.size(); ++i) {
    results->push_back(RecogniseOne(lowering, ForTarget(nest, i), StartValue(initial[i])));
    if (!results->back().valid()) return false;
  }
  return !results->empty();
}

// An update whose targets all start as 0, as `initialization` says.
bool RecogniseFromZero(NestLowering& lowering, const StatementNest& initialization, const StatementNest& update,
                       std::vector<XlaOp>* results) {
  for (size_t i = 0; i < initialization.targets.size(); ++i) {
    const StatementNest one = ForTarget(initialization, i);
    const absl::optional<StartValue> start = StartValue::Of(&lowering, one);
    if (!start.has_value() || !start->IsAll(0)) return false;
  }
  return RecogniseArgument(lowering, update, results);
}

}  // namespace

int RecogniseStatements(NestLowering& lowering, const std::vector<StatementNest>& nests, int first,
                        const std::vector<XlaOp>& initial, std::vector<XlaOp>* results) {
  const StatementNest& nest = nests[first];
  if (nest.reads_output || nest.target_item != nullptr) return 0;
  // An initialization is lowered together with the update that follows it.
  const bool has_update = nest.op == Operator::kEqual && static_cast<size_t>(first) + 1 < nests.size() &&
                          nests[first + 1].targets == nest.targets && nests[first + 1].target_item == nullptr;
  if (has_update && nests[first + 1].reads_output) {
    if (RecogniseFromZero(lowering, nest, nests[first + 1], results)) return 2;
    int count = 0;
    results->assign(1, RecogniseBestOfPack(lowering, nests, first, &count));
    return count;
  }
  if (nest.targets.size() != 1) {
    if (RecogniseAll(lowering, nest, initial, results)) return 1;
    results->clear();
    return 0;
  }
  int count = 0;
  const XlaOp joined = RecogniseConcatenation(lowering, nests, first, &count);
  if (joined.valid()) {
    results->push_back(joined);
    return count;
  }
  const absl::optional<StartValue> start = has_update ? StartValue::Of(&lowering, nest) : absl::nullopt;
  if (start.has_value()) {
    const XlaOp updated = RecogniseOne(lowering, nests[first + 1], *start);
    if (updated.valid()) {
      results->push_back(updated);
      return 2;
    }
  }
  const XlaOp result = RecogniseOne(lowering, nest, StartValue(initial[0]));
  if (!result.valid()) return 0;
  results->push_back(result);
  return 1;
}

}  // namespace nnef2
}  // namespace xla
