// Recognises statements of @lower for which HLO has operations.
#ifndef BUILDERS_NNEF2_RECOGNITION_RECOGNISE_H_
#define BUILDERS_NNEF2_RECOGNITION_RECOGNISE_H_

#include <vector>

#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// A Recogniser (nest_lowering.h): tries the families of recognisers.h, the most special one first.
int RecogniseStatements(NestLowering& lowering, const std::vector<StatementNest>& nests, int first,
                        const std::vector<XlaOp>& initial, std::vector<XlaOp>* results);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_RECOGNISE_H_
