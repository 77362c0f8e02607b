// libhalo-core.so.0 as the thin libraries beside it find it: libhalo.so, the C interface, and the PJRT plugin.
//
// The core needs Debian's libprotobuf.so.32, whose symbols have no versions, and which cannot be linked statically into
// a shared library (Debian's archive is not position-independent). A process knows of each such symbol only one: with
// TensorFlow's Protobuf in the global scope (importing TensorFlow puts it there) the core would call into that one and
// crash, and with ours in the global scope TensorFlow would. The same holds for libdnnl.so.2: TensorFlow and PyTorch
// have a oneDNN of another version in them. Hence a small library between programs and the core:
//
//   - Programs link or load the thin library, which needs nothing but the C and C++ runtime, in whatever scope they
//     like.
//   - The core is loaded into a scope of its own (RTLD_LOCAL), so that nothing else finds what it needs.
//   - All its references are resolved at once (RTLD_NOW), before anything else is loaded in between.
//   - If another Protobuf or oneDNN is in the global scope already, the core looks into its own libraries first
//     (RTLD_DEEPBIND). Not otherwise: that flag does not go with sanitizers, and passes by a malloc that the program
//     has replaced.
//
// What the core defines itself is local to it (core_exports.lds). Abseil needs no such care: Debian's has a namespace
// of its own. Nor does LLVM: the symbols of Debian's have versions.
#ifndef BINDINGS_CORE_CORE_LIBRARY_H_
#define BINDINGS_CORE_CORE_LIBRARY_H_

#include <string>

namespace xla {

// A function of the core, or why there is none.
struct CoreFunction {
  void* address = nullptr;
  std::string core_path;  // the core's file, once it was found
  std::string error;
};

// Finds the core beside the library that this is linked into, loads it, for good, and looks up `name`.
CoreFunction FindInCore(const char* name);
// Where the library that this is linked into was loaded from.
const std::string& PathOfThisLibrary();

}  // namespace xla

#endif  // BINDINGS_CORE_CORE_LIBRARY_H_
