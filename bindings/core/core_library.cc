#include "bindings/core/core_library.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace xla {
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

}  // namespace

const std::string& PathOfThisLibrary() { return kOwnPlace.path; }

CoreFunction FindInCore(const char* name) {
  CoreFunction found;
  found.core_path = FindCore();
  if (found.core_path.empty()) {
    found.error = std::string(kCoreName) + " is not beside " + kOwnPlace.path + "; install Halo again";
    return found;
  }
  const int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | (HasForeignSymbols() ? RTLD_DEEPBIND : 0);
  void* const library = dlopen(found.core_path.c_str(), flags);
  if (library == nullptr) {
    const char* const why = dlerror();
    found.error = "cannot load " + found.core_path + ": " + (why == nullptr ? "unknown reason" : why);
    return found;
  }
  found.address = dlsym(library, name);
  if (found.address == nullptr) found.error = found.core_path + " has no " + name + "; install Halo again";
  return found;
}

}  // namespace xla
