#include "host/output/frame_writer.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "host/files/own_files.h"
#include "host/files/sealed_image.h"
#include "host/output/exporters.h"
#include "host/output/vtkhdf_cells.h"

namespace merganser {
std::vector<char> encode_frame(const FrameData& frame) {
  return find_exporter(particle_exporters(), "vtkhdf")->encode(frame);
}

FrameWriter::FrameWriter(const std::filesystem::path& run_folder, std::vector<double> times, InPlace in_place)
    : folder_(run_folder / "frames"),
      in_place_(std::move(in_place)),
      handed_over_(static_cast<int>(times.size())),
      times_(std::move(times)) {
  create_folder(folder_);
  remove_temporary_files(folder_, is_frame_file);
  for (int k = 0; k < handed_over_; ++k)
    if (!has_whole_length(folder_ / frame_name(k))) missing_.push_back(k);
  write_series();
}

FrameWriter::~FrameWriter() {
  {
    const Lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FrameWriter::write(double time, std::function<FrameData()> frame) {
  hand_over({time, [frame = std::move(frame)] { return encode_frame(frame()); }});
}

void FrameWriter::write(double time, std::vector<char> bytes) {
  hand_over({time, [bytes = std::move(bytes)] { return bytes; }});
}

void FrameWriter::hand_over(Frame frame) {
  {
    const Lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    waiting_.push_back(std::move(frame));
    ++handed_over_;
  }
  changed_.notify_all();
  if (thread_.joinable()) return;
  sigset_t all, before;  // signals are for the thread of the run
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void FrameWriter::wait_for_room() { wait(most_waiting - 1); }
void FrameWriter::finish() { wait(0); }

void FrameWriter::wait(size_t most_left) {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || waiting_.size() <= most_left; });
  if (error_) std::rethrow_exception(error_);
}

int FrameWriter::written() const {
  const Lock lock(mutex_);
  return static_cast<int>(times_.size());
}

bool FrameWriter::failed() const {
  const Lock lock(mutex_);
  return error_ != nullptr;
}

bool FrameWriter::has_room() const {
  constexpr double frames = 8;
  const Lock lock(mutex_);
  const double wanted = frames * static_cast<double>(bytes_);
  struct rlimit file {};
  struct statvfs disk {};
  if (bytes_ == 0 || ::getrlimit(RLIMIT_FSIZE, &file) != 0 || ::statvfs(folder_.c_str(), &disk) != 0)
    return false;
  return static_cast<double>(file.rlim_cur) > wanted &&
         static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) > wanted;
}

double FrameWriter::seconds_left() const {
  const Lock lock(mutex_);
  return seconds_ * static_cast<double>(waiting_.size());
}

std::vector<std::vector<char>> FrameWriter::unwritten() {
  const Lock lock(mutex_);  // nobody holds it for long after an error
  std::vector<std::vector<char>> all;
  for (const Frame& frame : waiting_) all.push_back(frame.bytes());
  return all;
}

/// The thread. Others may add frames while it writes the first one.
void FrameWriter::work() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Frame& frame = waiting_.front();
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    std::exception_ptr error;
    try {
      write_file(frame);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    if (!error) waiting_.pop_front();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    changed_.notify_all();
    if (error) return;
  }
}

void FrameWriter::write_file(const Frame& frame) {
  const std::vector<char> bytes = frame.bytes();
  const int number = written();
  write_file_atomically(folder_ / frame_name(number), {{bytes.data(), bytes.size()}}, in_place_);
  const auto set_count = [&](int count) {
    const Lock lock(mutex_);
    times_.resize(static_cast<size_t>(count), frame.time);
    bytes_ = bytes.size();
  };
  set_count(number + 1);
  try {
    write_series();
  } catch (...) {
    set_count(number);
    throw;
  }
}

void FrameWriter::write_series() const {
  std::vector<std::pair<std::string, double>> files;
  for (int k = 0; k < static_cast<int>(times_.size()); ++k)
    if (!std::binary_search(missing_.begin(), missing_.end(), k))
      files.emplace_back(frame_name(k), times_[size_t(k)]);
  write_file_atomically(folder_ / frame_series_name, {series_text(files)}, in_place_);
}

}  // namespace merganser
