// Device meshes, iota device lists and replica groups, both ways.
#ifndef XLA_CORE_TEXT_MESH_TEXT_H_
#define XLA_CORE_TEXT_MESH_TEXT_H_

#include <string>
#include <vector>

#include "xla_core/ir/mesh.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// With the current token `<=`: <=[2,4]T(1,0). Devices are not expanded; *devices is their number.
bool ParseIotaTransform(TokenReader& reader, IotaTransform* iota, int64_t* devices);
void AppendIotaTransform(const IotaTransform& iota, std::string* out);

// True at `mesh[` and `maximal_mesh[`.
bool AtMesh(const TokenReader& reader);
// mesh['x'=2,'y'=4], device_ids=([2,4]T(1,0)); maximal_mesh[device_id=3]
bool ParseMesh(TokenReader& reader, Mesh* mesh);
void AppendMesh(const Mesh& mesh, std::string* out);

// 'x', or a part of it: 'y':(2)2. An axis may also be given by its index.
bool ParseAxisRef(TokenReader& reader, const Mesh& mesh, AxisRef* axis);
// {'x', 'y'}, separated as XLA prints lists of axes.
bool ParseAxisRefs(TokenReader& reader, const Mesh& mesh, std::vector<AxisRef>* axes);
// Whether two of the axes, or parts of axes, share a piece.
bool AxesOverlap(const std::vector<AxisRef>& axes);
void AppendAxisRef(const AxisRef& axis, const Mesh& mesh, std::string* out);
void AppendAxisRefs(const std::vector<AxisRef>& axes, const Mesh& mesh, const char* separator, std::string* out);

// Each of the four forms of replica_groups.
bool ParseReplicaGroups(TokenReader& reader, ReplicaGroups* groups);
// With `full` every form is written out as lists, as far as it can be expanded.
void AppendReplicaGroups(const ReplicaGroups& groups, bool full, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_MESH_TEXT_H_
