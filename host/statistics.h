#pragma once
/// statistics.csv: one row a step, written as a whole row with one system call, so that a reader sees whole
/// rows only.
#include <filesystem>
#include <string>
#include <vector>

#include "host/simulation.h"

namespace merganser {

/// The heading: fixed columns, then ms_<stage> per stage.
std::string statistics_heading(const StepStatistics& row);
/// One row without its line end. Numbers are the shortest text that reads back as the same double.
std::string statistics_row(const StepStatistics& row, const std::vector<std::string>& stages);

class StatisticsFile {
 public:
  /// Starts a new file, or continues one after `last_step`: rows of later steps are cut off. Throws
  /// FileError.
  StatisticsFile(std::filesystem::path file, long long last_step);
  ~StatisticsFile();
  StatisticsFile(const StatisticsFile&) = delete;
  StatisticsFile& operator=(const StatisticsFile&) = delete;

  /// Appends a row. Throws FileError; the file then ends with the previous row.
  void append(const StepStatistics& row);
  /// Brings the rows to the disk, before a checkpoint that counts on them.
  void sync();
  /// Not empty where rows that a resumed run counts on are missing.
  const std::string& warning() const { return warning_; }

 private:
  void continue_after(long long last_step);
  void write_line(const std::string& line);
  std::filesystem::path path_;
  std::vector<std::string> stages_;
  std::string warning_;
  int file_ = -1;
  long long length_ = 0;  ///< [bytes] of whole rows
};

}  // namespace merganser
