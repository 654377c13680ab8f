#pragma once
/// statistics.csv: one row a step, or every simulation.statisticsInterval steps; probes.csv: one row a step
/// at which a probe is due. Each is written as a whole row with one system call, so that a reader sees whole
/// rows only.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "host/simulation/simulation.h"

namespace merganser {

/// Those of statistics.csv; or step, time and those of probes, empty where there is no probe.
Columns columns_of(Column::File file, const Columns& all);
/// The heading: the columns, then ms_<stage> per stage.
std::string table_heading(const Columns& columns, const std::vector<std::string>& stages);
/// The columns of one row without its line end. Numbers are the shortest text that reads back as the same
/// double; what the row does not know is empty.
std::string table_row(const StepStatistics& row, const Columns& columns,
                      const std::vector<std::string>& stages);

class TableFile {
 public:
  /// Starts a new file with its columns, the first two of which are step and time, or continues one after
  /// `last_step`, before which there were `rows`. Of the file stay the first row of each step up to that one,
  /// in their order; rows of later steps, doubled and torn ones go. Throws FileError, also where the name is
  /// not one of a regular file, and InputError where it is another table.
  TableFile(std::filesystem::path file, Column::File which, const Columns& all, long long last_step,
            long long rows);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  /// Appends a row. Throws FileError; the file then ends with the previous row. Once a second it looks
  /// whether the file is still there.
  void append(const StepStatistics& row);
  /// True where the row knows a value of the columns beyond step and time.
  bool has_values(const StepStatistics& row) const;
  /// Brings the rows to the disk, before a checkpoint that counts on them.
  void sync();
  /// Throws FileError where the file was removed, replaced or shortened by someone else: its rows are lost.
  void require_in_place();
  /// Not empty where rows that a resumed run counts on are missing; says how many are there.
  const std::string& warning() const { return warning_; }

 private:
  void continue_after(long long last_step, long long expected_rows);
  void read_heading(std::string_view text);
  void require_rows();
  [[noreturn]] void throw_lost(const char* fate) const;
  void write_line(const std::string& line) { write_text(line + '\n'); }
  void write_text(const std::string& text);
  std::filesystem::path path_;
  Columns columns_;
  bool with_stages_;
  std::vector<std::string> stages_;
  std::string warning_;
  int file_ = -1;
  long long length_ = 0;  ///< [bytes] of whole rows
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

}  // namespace merganser
