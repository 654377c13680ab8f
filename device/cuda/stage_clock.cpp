/// Moments in the GPU's stream are events.
#include "device/stage_clock.h"

#include "device/launch.h"

MERGANSER_BEGIN

struct StreamInstant::Moment {
  cudaEvent_t event = nullptr;
};
StreamInstant::StreamInstant() : moment_(std::make_unique<Moment>()) {
  check_cuda(cudaEventCreate(&moment_->event), "cudaEventCreate");
}
StreamInstant::StreamInstant(StreamInstant&& other) noexcept = default;
StreamInstant::~StreamInstant() {
  if (moment_) (void)cudaEventDestroy(moment_->event);  // fails harmlessly where the driver is gone already
}
void StreamInstant::record() { check_cuda(cudaEventRecord(moment_->event, stream()), "cudaEventRecord"); }
double StreamInstant::milliseconds_since(const StreamInstant& earlier) const {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, earlier.moment_->event, moment_->event),
             "cudaEventElapsedTime");
  return static_cast<double>(milliseconds);
}

MERGANSER_END
