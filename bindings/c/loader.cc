// libhalo.so: the C interface, which passes every call on to libhalo-core.so.0 beside it.
//
// The core needs Debian's libprotobuf.so.32, whose symbols have no versions, and which cannot be linked statically into
// a shared library (Debian's archive is not position-independent). A process knows of each such symbol only one: with
// TensorFlow's Protobuf in the global scope (importing TensorFlow puts it there) the core would call into that one and
// crash, and with ours in the global scope TensorFlow would. The same holds for libdnnl.so.2: TensorFlow and PyTorch
// have a oneDNN of another version in them. Hence this small library between programs and the core:
//
//   - Programs link or load libhalo.so, which needs nothing but the C and C++ runtime, in whatever scope they like.
//   - The core is loaded into a scope of its own (RTLD_LOCAL), so that nothing else finds what it needs.
//   - All its references are resolved at once (RTLD_NOW), before anything else is loaded in between.
//   - If another Protobuf or oneDNN is in the global scope already, the core looks into its own libraries first
//     (RTLD_DEEPBIND). Not otherwise: that flag does not go with sanitizers, and passes by a malloc that the program
//     has replaced.
//
// What the core defines itself is local to it (core_exports.lds). Abseil needs no such care: Debian's has a namespace
// of its own. Nor does LLVM: the symbols of Debian's have versions.
#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include "bindings/c/entry_table.h"
#include "bindings/c/halo.h"

// The one error that the core does not make: that it could not be loaded. Belongs to this library for ever.
struct halo_status {
  std::string message;
};

namespace {

constexpr char kCoreName[] = "libhalo-core.so.0";

// A function that the core takes from the library, and that others of the same project have under the same name.
struct SharedSymbol {
  const char* name;
  const char* library;
};
constexpr SharedSymbol kSharedSymbols[] = {
    // Functions that every Protobuf of the last fifteen years has: Message::CopyFrom(const Message&) and
    // MessageLite::ParseFromArray(const void*, int).
    {"_ZN6google8protobuf7Message8CopyFromERKS1_", "libprotobuf.so.32"},
    {"_ZN6google8protobuf11MessageLite14ParseFromArrayEPKvi", "libprotobuf.so.32"},
    // Functions of every oneDNN, whose structs change from one version to the next.
    {"dnnl_primitive_create", "libdnnl.so.2"},
    {"dnnl_memory_create", "libdnnl.so.2"},
};

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Without links and relative parts; empty if there is no such file or folder.
std::string Resolved(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? std::string() : std::string(resolved);
}

// Where this library was loaded from: its path, and the folders in which the core may be, that of the name it was
// loaded by and that of the file behind links.
struct OwnPlace {
  std::string path;
  std::string folders[2];
};

OwnPlace FindOwnPlace() {
  OwnPlace place;
  Dl_info info;
  if (dladdr(kCoreName, &info) == 0 || info.dli_fname == nullptr) return place;
  place.path = info.dli_fname;
  place.folders[0] = Resolved(FolderOf(place.path) + ".");
  place.folders[1] = FolderOf(Resolved(place.path));
  return place;
}

// Looked up while the library is loaded: the path may be relative, and the current folder another one later.
const OwnPlace& kOwnPlace = *new OwnPlace(FindOwnPlace());

// Empty if it is not there.
std::string FindCore() {
  for (const std::string& folder : kOwnPlace.folders) {
    const std::string path = Resolved(folder + "/" + kCoreName);
    if (!folder.empty() && !path.empty()) return path;
  }
  return "";
}

// Whether symbols that the core needs would be found in other libraries than those it was built for.
bool HasForeignSymbols() {
  void* const global_scope = dlopen(nullptr, RTLD_LAZY);
  if (global_scope == nullptr) return false;
  bool is_foreign = false;
  for (const SharedSymbol& symbol : kSharedSymbols) {
    Dl_info info;
    const void* const found = dlsym(global_scope, symbol.name);
    if (found == nullptr || dladdr(found, &info) == 0 || info.dli_fname == nullptr) continue;
    is_foreign |= NameOf(info.dli_fname).compare(0, std::strlen(symbol.library), symbol.library) != 0;
  }
  dlclose(global_scope);
  return is_foreign;
}

struct Core {
  const HaloEntryTable* table = nullptr;
  halo_status failure;  // of loading, if there is no table
};

// Finds the core library beside this one and checks that it has the same version. It stays loaded for good. Deep
// binding keeps it from using symbols of the same names in the program, such as those of another protobuf.
Core LoadCore() {
  Core core;
  const std::string& own_path = kOwnPlace.path;
  const std::string path = FindCore();
  if (path.empty()) {
    core.failure.message = std::string(kCoreName) + " is not beside " + own_path + "; install Halo again";
    return core;
  }
  const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | (HasForeignSymbols() ? RTLD_DEEPBIND : 0);
  void* const library = dlopen(path.c_str(), flags);
  if (library == nullptr) {
    const char* const why = dlerror();
    core.failure.message = std::string("cannot load ") + path + ": " + (why == nullptr ? "unknown reason" : why);
    return core;
  }
  const auto entry_table = reinterpret_cast<decltype(&halo_core_entry_table)>(dlsym(library, "halo_core_entry_table"));
  if (entry_table != nullptr) core.table = entry_table(halo_version());
  if (core.table == nullptr) {
    core.failure.message =
        path + " is not of the version of " + own_path + ", " + halo_version() + "; install Halo again";
  }
  return core;
}

// Never destroyed: the last calls come while the process ends.
Core& TheCore() {
  static Core& core = *new Core(LoadCore());
  return core;
}

// What a function gives if there is no core.
template <typename Result>
Result WithoutCore() {
  if constexpr (std::is_same_v<Result, halo_status*>) {
    return &TheCore().failure;
  } else if constexpr (std::is_same_v<Result, const char*>) {
    return "";
  } else if constexpr (!std::is_void_v<Result>) {
    return Result();
  }
}

}  // namespace

#define HALO_ENTRY(Result, name, parameters, arguments)                      \
  Result name parameters {                                                   \
    const HaloEntryTable* const table = TheCore().table;                     \
    return table != nullptr ? table->name arguments : WithoutCore<Result>(); \
  }
#include "bindings/c/entry_points.inc"
#undef HALO_ENTRY

halo_code halo_status_code(const halo_status* status) {
  if (status == nullptr) return HALO_OK;
  const Core& core = TheCore();
  return core.table == nullptr ? HALO_UNAVAILABLE : core.table->status_code(status);
}

const char* halo_status_message(const halo_status* status) {
  if (status == nullptr) return "";
  const Core& core = TheCore();
  return core.table == nullptr ? core.failure.message.c_str() : core.table->status_message(status);
}

void halo_status_free(halo_status* status) {
  const Core& core = TheCore();
  if (core.table != nullptr) core.table->status_free(status);
}
