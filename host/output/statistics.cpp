#include "host/output/statistics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "device/errors.h"
#include "host/files/atomic_file.h"

namespace merganser {
namespace {

constexpr const char* stage_prefix = "ms_";
constexpr std::chrono::seconds look_interval{1};  // a look may be a message to a file server

/// Shortest text that reads back as the same number; no locale.
template <class Number>
void append_number(std::string& line, Number value) {
  char text[32];
  line.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

Columns columns_of(Column::File file, const Columns& all) {
  Columns columns;
  for (const Column& column : all)
    if (column.file == file) columns.push_back(column);
  if (file == Column::probes && !columns.empty())
    columns.insert(columns.begin(), {{"step", Column::count}, {"time"}});
  return columns;
}

std::string table_heading(const Columns& columns, const std::vector<std::string>& stages) {
  std::string line;
  for (const Column& column : columns) line += (line.empty() ? "" : ",") + column.name;
  for (const std::string& stage : stages) line += fmt::format(",{}{}", stage_prefix, stage);
  return line;
}

std::string table_row(const StepStatistics& row, const Columns& columns,
                      const std::vector<std::string>& stages) {
  std::string line;
  for (const Column& column : columns) {
    if (!line.empty()) line += ',';
    if (!row.has(column.name)) continue;
    const double value = row[column.name];
    if (column.kind == Column::count)
      append_number(line, static_cast<long long>(value));
    else
      append_number(line, value);
  }
  for (const std::string& stage : stages) {
    const auto found = std::find_if(row.stage_milliseconds.begin(), row.stage_milliseconds.end(),
                                    [&](const auto& entry) { return entry.first == stage; });
    line += found == row.stage_milliseconds.end() ? ",0" : fmt::format(",{:.4g}", found->second);
  }
  return line;
}

TableFile::TableFile(std::filesystem::path file, Column::File which, const Columns& all, long long last_step,
                     long long rows)
    : path_(std::move(file)), columns_(columns_of(which, all)), with_stages_(which == Column::statistics) {
  // A FIFO would hold up a plain open, a link lead to a file that is not the run's.
  // Rows are appended: where someone shortens the file while one is written, no zeros fill the gap and hide
  // that.
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  if (const std::string other = other_than_file(path_); !other.empty())
    throw FileError(
        fmt::format("cannot write '{}': it is {}, not a regular file; move it away", path_.string(), other));
  file_ = ::open(path_.c_str(), flags, 0666);
  if (file_ < 0) throw_file_error("write", path_, errno);
  try {
    continue_after(last_step, rows);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

TableFile::~TableFile() { ::close(file_); }

void TableFile::continue_after(long long last_step, long long expected_rows) {
  const std::vector<char> content = read_file(path_);
  const std::string_view text(content.data(), content.size());
  read_heading(text);
  std::string kept;
  long long rows = 0, last_row = 0;
  size_t columns = 0;
  for (size_t begin = 0, end; last_step > 0 && (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
    const std::string_view line = text.substr(begin, end - begin);
    const auto commas = static_cast<size_t>(std::count(line.begin(), line.end(), ','));
    if (begin == 0) {
      columns = commas;
    } else {
      long long step = 0;
      std::from_chars(line.data(), line.data() + line.size(), step);
      if (commas != columns || step <= last_row || step > last_step) continue;
      ++rows;
      last_row = step;
    }
    kept += text.substr(begin, end + 1 - begin);
  }
  if (kept.empty()) stages_.clear();  // the heading comes with the first row
  if (rows != expected_rows)
    warning_ = fmt::format(
        "'{}' holds {} of the {} rows before the checkpoint; the others are lost{}; a run from the beginning "
        "with --overwrite makes them anew",
        path_.string(), rows, expected_rows, with_stages_ ? ", but summary.json counts them" : "");
  const auto same = std::mismatch(kept.begin(), kept.end(), text.begin(), text.end());
  length_ = same.first - kept.begin();
  if (::ftruncate(file_, length_) != 0) throw_file_error("shorten", path_, errno);
  if (same.first != kept.end()) write_text(std::string(same.first, kept.end()));
}

/// Stages of the table. A file that begins otherwise is not one to cut or to continue.
void TableFile::read_heading(std::string_view text) {
  const std::string fixed = table_heading(columns_, {});
  const bool whole = text.find('\n') != text.npos;
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool cut_off = !whole && std::string_view(fixed).starts_with(line);  // by a crash of the machine
  if (!cut_off && line != fixed && !line.starts_with(fixed + ','))
    throw InputError(
        fmt::format("'{}' has other columns than this run's table: it is another one or was begun by "
                    "another version; continue with that version, or move the file away",
                    path_.string()));
  std::istringstream columns{std::string(line)};
  for (std::string column; std::getline(columns, column, ',');)
    if (column.starts_with(stage_prefix)) stages_.push_back(column.substr(3));
}

bool TableFile::has_values(const StepStatistics& row) const {
  return std::any_of(columns_.begin() + 2, columns_.end(),
                     [&](const Column& column) { return row.has(column.name); });
}

void TableFile::append(const StepStatistics& row) {
  require_rows();
  if (std::chrono::steady_clock::now() - last_look_ >= look_interval) require_in_place();
  if (length_ == 0) {
    for (const auto& stage : row.stage_milliseconds)
      if (with_stages_) stages_.push_back(stage.first);
    write_line(table_heading(columns_, stages_));
  }
  write_line(table_row(row, columns_, stages_));
}

void TableFile::write_text(const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      if (done > 0 && ::ftruncate(file_, length_) != 0) {
      }  // the row in part goes; if not now, then on resume
      throw_file_error("write", path_, error);
    }
    done += static_cast<size_t>(written);
  }
  length_ += static_cast<long long>(text.size());
}

/// Asks the open file only, which costs nothing.
void TableFile::require_rows() {
  struct stat opened {};
  if (::fstat(file_, &opened) != 0) throw_file_error("look at", path_, errno);
  if (opened.st_size < length_) throw_lost("shortened");
}

void TableFile::require_in_place() {
  last_look_ = std::chrono::steady_clock::now();
  require_rows();
  struct stat opened {};
  struct stat named {};
  if (::lstat(path_.c_str(), &named) != 0) throw_lost("removed");
  if (::fstat(file_, &opened) != 0 || opened.st_ino != named.st_ino || opened.st_dev != named.st_dev)
    throw_lost("replaced");
}

void TableFile::throw_lost(const char* fate) const {
  throw FileError(fmt::format("'{}' was {} by someone else while it was written; its rows are lost",
                              path_.string(), fate));
}

void TableFile::sync() {
  require_in_place();
  if (::fsync(file_) != 0) throw_file_error("write", path_, errno);
}

}  // namespace merganser
