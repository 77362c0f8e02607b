// The sessions of NNEF 1 models, which are those of both versions (nnef_common).
#ifndef BUILDERS_NNEF1_MODEL_SESSION_H_
#define BUILDERS_NNEF1_MODEL_SESSION_H_

#include "builders/nnef1/model/model.h"
#include "builders/nnef_common/session.h"

namespace xla {
namespace nnef1 {

using nnef::Session;

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_MODEL_SESSION_H_
