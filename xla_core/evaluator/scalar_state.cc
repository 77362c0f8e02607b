#include "xla_core/evaluator/scalar_state.h"

#include <cstring>

namespace xla {
namespace {

void AppendLeaves(Literal* value, std::vector<Literal*>* leaves) {
  if (!value->IsTuple()) {
    leaves->push_back(value);
    return;
  }
  for (int i = 0; i < value->tuple_size(); ++i) AppendLeaves(&value->mutable_element(i), leaves);
}

}  // namespace

ScalarState::ScalarState(Literal* state) {
  AppendLeaves(state, &leaves_);
  for (int set = 0; set < 2; ++set) {
    cells_[set].resize(leaves_.size());
    for (size_t i = 0; i < leaves_.size(); ++i) {
      inputs_[set].push_back({cells_[set][i].bytes, leaves_[i]->size_bytes()});
      results_[set].push_back(cells_[set][i].bytes);
    }
  }
  for (size_t i = 0; i < leaves_.size(); ++i) {
    std::memcpy(cells_[0][i].bytes, leaves_[i]->untyped_data(), leaves_[i]->size_bytes());
  }
}

void ScalarState::Store() const {
  for (size_t i = 0; i < leaves_.size(); ++i) {
    std::memcpy(leaves_[i]->untyped_mutable_data(), cells_[current_][i].bytes, leaves_[i]->size_bytes());
  }
}

}  // namespace xla
