// The editions of the WebNN specification that are implemented side by side.
#ifndef BUILDERS_WEBNN_EDITION_H_
#define BUILDERS_WEBNN_EDITION_H_

namespace xla {
namespace webnn {

// Chosen for a context (MLContextOptions::edition). Every operator, option and spelling of both is accepted under
// either; the edition decides only where they contradict each other: which element types an operator admits, whether
// a builder builds more than once, how numbers are converted, the default type of argMin.
enum class MLEdition : int {
  kDraft,  // the editor's draft of 27 June 2024: 78 operators, compute()
  kLater,  // what came after it: 17 more operators, MLTensor, dispatch()
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_EDITION_H_
