#include "solvers/geometry/level_set/openvdb_module.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "device/errors.h"

namespace merganser {

namespace {
constexpr const char* library_name = "libmerganser_openvdb.so";

[[noreturn]] void refuse(const std::string& reason) {
  throw FileError(std::string("cannot load ") + library_name +
                  ", which fills closed meshes and makes level sets: " + reason +
                  "; it belongs into the folder lib beside the executable's folder bin: build or unpack the "
                  "whole program");
}

/// ../lib from the executable's folder, else what dlopen finds by itself. The executable's run path says the
/// same, but does not count where another library calls dlopen in our place, as the address sanitizer does.
std::string library_file() {
  std::error_code unknown;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const auto file = executable.parent_path().parent_path() / "lib" / library_name;
  return std::filesystem::exists(file, unknown) ? file.string() : library_name;
}

/// Never unloaded.
const OpenVdbModule& load() {
  void* library = dlopen(library_file().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse(dlerror());
  const auto* module = static_cast<const OpenVdbModule*>(dlsym(library, openvdb_module_symbol));
  if (!module) refuse("it is another library of that name");
  if (std::strcmp(module->version, MERGANSER_VERSION) != 0)
    refuse(std::string("it is that of version ") + module->version + ", this is " + MERGANSER_VERSION);
  return *module;
}
const OpenVdbModule& module() {
  static const OpenVdbModule& loaded = load();
  return loaded;
}

/// Errors of the library, with the task added: they say neither what was asked for nor what to change.
auto told(const std::string& task, const auto& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::length_error&) {  // of memory
    throw;
  } catch (const std::exception& error) {
    const size_t remedy = task.find(';');
    throw InputError("OpenVDB cannot " + task.substr(0, remedy) + " (" + error.what() + ")" +
                     task.substr(remedy));
  }
}
}  // namespace

std::vector<Float3> sample_mesh(const TriangleMesh& mesh, const Sampling& sampling) {
  return told("fill the mesh; clean it, or choose another particle spacing",
              [&] { return module().sample_mesh(mesh, sampling); });
}

TriangleMesh united_mesh(const TriangleMesh& mesh, double cell) {
  return told("unite the mesh's parts; unite them in the file, or choose another particle spacing",
              [&] { return module().united_mesh(mesh, cell); });
}

LevelSetSurface level_set_surface(const FluidPoints& points, const SurfaceParameters& parameters,
                                  int threads) {
  return told("make the level set; choose another --cell-size, or --method sum",
              [&] { return module().level_set_surface(points, parameters, threads); });
}

}  // namespace merganser
