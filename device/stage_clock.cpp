#include "device/stage_clock.h"

MERGANSER_BEGIN

#if !MERGANSER_GPU_HALF
struct StreamInstant::Moment {
  long long nanoseconds = 0;
};
StreamInstant::StreamInstant() : moment_(std::make_unique<Moment>()) {}
StreamInstant::StreamInstant(StreamInstant&& other) noexcept = default;
StreamInstant::~StreamInstant() = default;
void StreamInstant::record() { moment_->nanoseconds = now_nanoseconds(); }
double StreamInstant::milliseconds_since(const StreamInstant& earlier) const {
  return 1e-6 * static_cast<double>(moment_->nanoseconds - earlier.moment_->nanoseconds);
}
#endif

void StageClock::record() {
  if (recorded_ == instants_.size()) instants_.emplace_back();
  instants_[recorded_++].record();
}

void StageClock::start(bool on) {
  on_ = on;
  recorded_ = 0;
  stages_.clear();
  if (on_) record();
}

void StageClock::end_of(const char* stage) {
  if (!on_) return;
  stages_.push_back(stage);
  record();
}

double StageClock::milliseconds(std::string_view stage) const {
  double sum = 0;
  for (size_t k = 0; k < stages_.size(); ++k)
    if (stages_[k] == stage) sum += instants_[k + 1].milliseconds_since(instants_[k]);
  return sum;
}

MERGANSER_END
