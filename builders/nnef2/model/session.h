// The sessions of NNEF 2 models, which are those of both versions (nnef_common).
#ifndef BUILDERS_NNEF2_MODEL_SESSION_H_
#define BUILDERS_NNEF2_MODEL_SESSION_H_

#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/session.h"

namespace xla {
namespace nnef2 {

using nnef::Session;

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_MODEL_SESSION_H_
