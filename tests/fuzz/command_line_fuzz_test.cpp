/// Wrong command lines and damaged checkpoints, through the executable on fake scenes: its exit code is one
/// of the table's, and one line says what was wrong.
#include <gtest/gtest.h>

#include "tests/fuzz/json_changes.h"
#include "tests/fuzz/program.h"
#include "tests/support/fake_run.h"

namespace merganser {
namespace {

using fuzz::Case;
using fuzz::finish;
using fuzz::require_error_line;
using test::Finished;

const std::vector<std::string>& odd_values() {
  static const std::vector<std::string> values = {"",
                                                  " ",
                                                  "0",
                                                  "-0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "1e-9",
                                                  "1e308",
                                                  "1e999",
                                                  "-1e999",
                                                  "nan",
                                                  "NaN",
                                                  "-nan",
                                                  "inf",
                                                  "-inf",
                                                  "0x10",
                                                  "1,5",
                                                  "1e",
                                                  "0.5",
                                                  "00:00:01",
                                                  "1-00:00:00",
                                                  "::",
                                                  "-",
                                                  "--",
                                                  "=",
                                                  "4294967296",
                                                  "9223372036854775808",
                                                  "18446744073709551616",
                                                  "999999999999999999999999999",
                                                  "cpu",
                                                  "cuda",
                                                  "cuda:-1",
                                                  "cuda:99999999999",
                                                  "auto",
                                                  ".",
                                                  "..",
                                                  "/",
                                                  "/dev/null",
                                                  "/proc/self/mem",
                                                  "scene.json",
                                                  "run",
                                                  "a",
                                                  "a/frames",
                                                  "missing/er",
                                                  "\xff\xfe",
                                                  "\n",
                                                  "\x1b[31m",
                                                  "\xc3\xa4\xe2\x82\xac",
                                                  "ply",
                                                  "sum",
                                                  "1:2",
                                                  ":",
                                                  "3:1",
                                                  "points.csv",
                                                  "points.vtkhdf",
                                                  "ball.obj"};
  return values;
}

std::string value_of(fuzz::Draw& draw) {
  if (draw.one_in(25)) return std::string(50000, draw.one_in(2) ? '9' : 'x');
  return draw.of(odd_values());
}

/// A command that would work, in parts that belong together.
std::vector<std::vector<std::string>> a_command(fuzz::Draw& draw) {
  using Parts = std::vector<std::vector<std::string>>;
  const std::vector<Parts> commands = {{{"run"}, {"scene.json"}, {"-o", "new"}},
                                       {{"run"}, {"scene.json"}, {"-o", "a"}, {"--resume"}},
                                       {{"run"}, {"scene.json"}, {"-o", "a"}, {"--overwrite"}},
                                       {{"run"}, {"a"}, {"--resume"}},
                                       {{"check"}, {"scene.json"}},
                                       {{"sample"}, {"ball.obj"}, {"--spacing", "0.1"}, {"-o", "points.csv"}},
                                       {{"surface"}, {"a"}},
                                       {{"schema"}},
                                       {{"devices"}},
                                       {{"--version"}},
                                       {{"--help"}},
                                       {{"benchmark"}}};
  return draw.of(commands);
}

std::vector<std::string> an_option(fuzz::Draw& draw) {
  static const std::vector<std::string> with_value = {
      "--resolution",       "--seed",          "--frames",  "--end-time",      "--steps",
      "--checkpoint-every", "--max-wall-time", "--threads", "--device",        "-o",
      "--output",           "--method",        "--format",  "--system",        "--cell-size",
      "--smooth",           "--refine",        "--spacing", "--no-such-option"};
  static const std::vector<std::string> flags = {"--resume",   "--overwrite", "-q", "--quiet", "--json",
                                                 "--per-body", "--help",      "-h", "--list",  "--version"};
  static const std::vector<std::string> keys = {"endTime",      "frameRate", "particles", "seed",
                                                "timeStepSize", "title",     "divergeAt", "checks",
                                                "colour",       "",          "a.b.c"};
  switch (draw.below(4)) {
    case 0:
      return {draw.of(flags)};
    case 1:
      return {"--set", draw.of(keys) + (draw.one_in(20) ? "" : "=") + fuzz::any_value(draw)};
    default:
      if (draw.one_in(5)) return {draw.of(with_value) + "=" + value_of(draw)};
      return {draw.of(with_value), value_of(draw)};
  }
}

/// Something on the command line is dropped, doubled, moved, or replaced by an odd value; options are added.
std::vector<std::string> a_command_line(fuzz::Draw& draw) {
  auto parts = a_command(draw);
  for (size_t more = draw.below(4); more > 0; --more) parts.push_back(an_option(draw));
  const size_t at = draw.below(parts.size());
  switch (draw.below(8)) {
    case 0:
      parts.erase(parts.begin() + static_cast<long>(at));
      break;
    case 1:
      parts.push_back(parts[at]);
      break;
    case 2:
      std::swap(parts[at], parts[draw.below(parts.size())]);
      break;
    case 3:
      parts[at].back() = value_of(draw);
      break;
    default:
      break;
  }
  std::vector<std::string> arguments;
  for (const auto& part : parts) arguments.insert(arguments.end(), part.begin(), part.end());
  for (std::string& argument : arguments)
    argument = argument.substr(0, argument.find('\0')).substr(0, 100000);
  return arguments;
}

const char* const scene_text = R"({"endTime": 0.1, "checks": [{"type": "maxSpeed", "limit": 100}]})";

bool one_command_line(Case& c, const std::filesystem::path& made_run) {
  test::write_text(c.folder / "scene.json", scene_text);
  test::write_text(c.folder / "ball.obj", "v 0 0 0\n");
  std::filesystem::copy(made_run, c.folder / "a", std::filesystem::copy_options::recursive);
  const auto arguments = a_command_line(c.draw);
  std::string line;
  for (const std::string& argument : arguments) line += " '" + fuzz::shortened(argument) + "'";
  c.note(line);
  const Finished run = finish(c, "merganser_fake", arguments);
  fuzz::require_table(c, run);
  return run.exit_code == 0;
}

/// A run to resume: 30 steps with two checkpoints; and the same to its end.
class MadeRuns : public test::FakeRuns {
 protected:
  void SetUp() override {
    test::write_text(folder_ / "scene.json", scene_text);
    ASSERT_EQ(
        merganser({"run", "scene.json", "-o", "a", "--steps", "30", "--checkpoint-every", "1e-9"}).exit_code,
        0);
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  }
};

class CommandLineFuzz : public MadeRuns {};
TEST_F(CommandLineFuzz, EveryExitCodeIsInTheTable) {
  fuzz::run_cases(
      500, [&](Case& c) { return one_command_line(c, folder_ / "a"); }, fuzz::program_limits);
}
class CommandLineFuzzSlow : public MadeRuns {};
TEST_F(CommandLineFuzzSlow, EveryExitCodeIsInTheTable) {
  fuzz::run_cases_for_long([&](Case& c) { return one_command_line(c, folder_ / "a"); }, fuzz::program_limits);
}

/// Bytes of the last two checkpoints change. The run goes on to the same end from what is whole, or stops.
bool one_damaged_checkpoint(Case& c, const std::filesystem::path& runs) {
  std::filesystem::copy(runs / "a", c.folder / "a", std::filesystem::copy_options::recursive);
  const auto files = list_checkpoints(c.folder / "a/checkpoint");
  for (size_t k = 0; k < files.size(); ++k) {
    if (k > 0 && c.draw.one_in(2)) continue;
    std::string bytes = test::text_of(files[k]);
    const std::string before = bytes;
    fuzz::change_bytes(c.draw, bytes);
    if (c.draw.one_in(10)) bytes.clear();
    c.note(files[k].filename().string() + (bytes == before ? " as it is" : " changed") + ", " +
           std::to_string(bytes.size()) + " of " + std::to_string(before.size()) + " bytes");
    test::write_text(files[k], bytes);
  }
  const Finished run = finish(c, "merganser_fake", {"run", "a", "--resume", "--end-time", "0.1"});
  if (run.exit_code != 0) {
    if (run.exit_code != 2 && run.exit_code != 5)
      c.fail("exit code " + std::to_string(run.exit_code) + ": " + fuzz::shortened(run.err));
    require_error_line(c, run, "checkpoint");
    return false;
  }
  for (const auto& entry : std::filesystem::directory_iterator(runs / "whole/frames"))
    if (test::text_of(entry.path()) != test::text_of(c.folder / "a/frames" / entry.path().filename()))
      c.fail("another " + entry.path().filename().string());
  return true;
}

class CheckpointFuzz : public MadeRuns {};
TEST_F(CheckpointFuzz, NoDamagedOneIsContinued) {
  fuzz::run_cases(
      250, [&](Case& c) { return one_damaged_checkpoint(c, folder_.path()); }, fuzz::program_limits);
}
class CheckpointFuzzSlow : public MadeRuns {};
TEST_F(CheckpointFuzzSlow, NoDamagedOneIsContinued) {
  fuzz::run_cases_for_long([&](Case& c) { return one_damaged_checkpoint(c, folder_.path()); },
                           fuzz::program_limits);
}

}  // namespace
}  // namespace merganser
