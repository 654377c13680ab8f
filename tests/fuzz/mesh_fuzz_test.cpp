/// Wrong meshes: `merganser sample` fills them, or names the file.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuzz/mesh_files.h"
#include "tests/fuzz/program.h"

namespace merganser {
namespace mesh_fuzz_test {

using fuzz::Case;

/// merganser sample; its exit code.
int sample(Case& c, const fuzz::MeshFile& mesh, const char* spacing) {
  test::write_text(c.folder / mesh.name, mesh.bytes);
  const test::Finished run =
      fuzz::finish(c, "merganser", {"sample", mesh.name, "--spacing", spacing, "-o", "points.csv"});
  fuzz::require_table(c, run, mesh.name);
  return run.exit_code;
}

/// Replaces a word of a text by a number that no mesh has, or by another word of it.
void change_word(fuzz::Draw& draw, std::string& text) {
  const std::vector<std::string> words = {"nan",
                                          "inf",
                                          "-1",
                                          "0",
                                          "1e38",
                                          "1e39",
                                          "1e308",
                                          "1e-45",
                                          "1e999",
                                          "4294967295",
                                          "9999999999999999999",
                                          "2147483648",
                                          "1000000",
                                          "x",
                                          "",
                                          "list",
                                          "float",
                                          "int",
                                          "uchar",
                                          "vertex",
                                          "element",
                                          "f 1 2",
                                          "v 1"};
  const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
  const auto word_at = [&](size_t near) {
    size_t begin = near, end = near;
    while (begin > 0 && !is_space(text[begin - 1])) --begin;
    while (end < text.size() && !is_space(text[end])) ++end;
    return std::pair(begin, end - begin);
  };
  if (text.empty()) return;
  const auto other = word_at(draw.below(text.size()));
  const std::string replacement = draw.one_in(3) ? text.substr(other.first, other.second) : draw.of(words);
  // Half of the words in the first lines, where headers say what follows.
  const auto [at, length] =
      word_at(draw.below(draw.one_in(2) ? std::min<size_t>(text.size(), 220) : text.size()));
  text.replace(at, length, replacement);
}

void change_mesh(Case& c, fuzz::MeshFile& mesh) {
  if (c.draw.one_in(2))
    fuzz::change_bytes(c.draw, mesh.bytes);
  else
    for (size_t k = 0, changes = 1 + c.draw.below(3); k < changes; ++k) change_word(c.draw, mesh.bytes);
  c.note("then " + mesh.name + " " + fuzz::shortened(mesh.bytes));
}

bool one_mesh(Case& c, const std::vector<fuzz::MeshFile>& meshes) {
  fuzz::MeshFile mesh = c.draw.of(meshes);
  c.note(mesh.name + " " + fuzz::shortened(mesh.bytes.substr(0, 40)));
  if (c.draw.one_in(30)) mesh.name = c.draw.of(meshes).name;
  change_mesh(c, mesh);
  return sample(c, mesh, "0.2") == 0;
}

TEST(MeshFuzz, AnyFileIsAMeshOrAMessage) {
  const auto meshes = fuzz::mesh_corpus();
  fuzz::run_cases(
      250, [&](Case& c) { return one_mesh(c, meshes); }, fuzz::program_limits);
}
TEST(MeshFuzzSlow, AnyFileIsAMeshOrAMessage) {
  const auto meshes = fuzz::mesh_corpus();
  fuzz::run_cases_for_long([&](Case& c) { return one_mesh(c, meshes); }, fuzz::program_limits);
}

/// A mesh as a cloth, a body or a wall beside a drop, changed or as it is: `merganser check` takes what a run
/// takes, and both say what is wrong with it.
bool one_use(Case& c, const std::vector<fuzz::MeshFile>& meshes) {
  fuzz::MeshFile mesh = c.draw.of(meshes);
  c.note(mesh.name + " " + fuzz::shortened(mesh.bytes.substr(0, 40)));
  if (!c.draw.one_in(3)) change_mesh(c, mesh);
  test::write_text(c.folder / mesh.name, mesh.bytes);
  const std::string file =
      "\"geometryFile\": \"" + mesh.name + "\"" + (c.draw.one_in(2) ? ", \"fitSize\": 1" : "");
  const std::vector<std::string> uses = {
      R"("systems": [{"name": "cloth", "type": "massSpring", "bodies": [{"name": "sheet", "shape": "clothMesh", "arealDensity": 1, "stretchStiffness": 100, )" +
          file + "}]}]",
      R"("systems": [{"name": "water", "type": "sph", "bodies": [{"name": "drop", "shape": "mesh", )" + file +
          "}]}]",
      R"("systems": [{"name": "water", "type": "sph", "bodies": [{"name": "drop", "shape": "box", "start": [0, 0, 9], "end": [1, 1, 10]}]}], "walls": [{"shape": "mesh", "inside": false, )" +
          file + "}]"};
  const std::string& use = c.draw.of(uses);
  c.note(use);
  test::write_text(c.folder / "scene.json", R"({"simulation": {"particleRadius": 0.1}, )" + use + "}");
  const test::Finished checked = fuzz::finish(c, "merganser", {"check", "scene.json"}),
                       run = fuzz::finish(c, "merganser", {"run", "scene.json", "--steps", "0", "-o", "a"},
                                          fuzz::Ends::by_itself);
  fuzz::require_table(c, checked, "scene.json");
  fuzz::require_table(c, run, "scene.json");
  if ((checked.exit_code == 0) != (run.exit_code == 0))
    c.fail("check ends with " + std::to_string(checked.exit_code) + ", run with " +
           std::to_string(run.exit_code) + ": " + fuzz::shortened(checked.err + run.err));
  return run.exit_code == 0;
}

TEST(MeshUseFuzz, CheckAndRunAgree) {
  const auto meshes = fuzz::mesh_corpus();
  fuzz::run_cases(
      100, [&](Case& c) { return one_use(c, meshes); }, fuzz::program_limits);
}
TEST(MeshUseFuzzSlow, CheckAndRunAgree) {
  const auto meshes = fuzz::mesh_corpus();
  fuzz::run_cases_for_long([&](Case& c) { return one_use(c, meshes); }, fuzz::program_limits);
}

/// The meshes themselves are fine, in every format: what the changes begin with.
TEST(MeshFuzz, TheMeshesAreClosed) {
  fuzz::run_cases(1, [](Case& c) {
    for (const fuzz::MeshFile& mesh : fuzz::ball_in_all_formats(1)) {
      if (sample(c, mesh, "0.2") != 0) c.fail(mesh.name + " is refused");
      const std::string points = test::text_of(c.folder / "points.csv");
      // A ball of 4/3 pi m^3 holds 524, less what its 32 flat triangles cut off.
      if (std::count(points.begin(), points.end(), '\n') < 300) c.fail(mesh.name + " is hardly filled");
    }
    return true;
  });
}

}  // namespace mesh_fuzz_test
}  // namespace merganser
