/// Wrong command lines and damaged checkpoints, through the executable on fake scenes: its exit code is one
/// of the table's, and one line says what was wrong.
#include <gtest/gtest.h>

#include "tests/fuzz/json_changes.h"
#include "tests/fuzz/made_runs.h"
#include "tests/fuzz/program.h"

namespace merganser {
namespace command_line_fuzz_test {

using fuzz::Case;
using fuzz::finish;
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

bool one_command_line(Case& c, const std::filesystem::path& made_run) {
  test::write_text(c.folder / "scene.json", fuzz::made_scene);
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

class CommandLineFuzz : public fuzz::MadeRuns {};
TEST_F(CommandLineFuzz, EveryExitCodeIsInTheTable) {
  fuzz::run_cases(
      500, [&](Case& c) { return one_command_line(c, folder_ / "a"); }, fuzz::program_limits);
}
class CommandLineFuzzSlow : public fuzz::MadeRuns {};
TEST_F(CommandLineFuzzSlow, EveryExitCodeIsInTheTable) {
  fuzz::run_cases_for_long([&](Case& c) { return one_command_line(c, folder_ / "a"); }, fuzz::program_limits);
}

}  // namespace command_line_fuzz_test
}  // namespace merganser
