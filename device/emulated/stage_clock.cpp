/// Moments in the emulated GPU's stream: entries that look at the clock when they are reached.
#include "device/stage_clock.h"

#include "device/errors.h"
#include "device/launch.h"

MERGANSER_BEGIN

struct StreamInstant::Moment {
  std::shared_ptr<long long> nanoseconds;  ///< 0 until the stream reaches it; the stream's entry shares it
};
StreamInstant::StreamInstant() : moment_(std::make_unique<Moment>()) {}
StreamInstant::StreamInstant(StreamInstant&& other) noexcept = default;
StreamInstant::~StreamInstant() = default;
void StreamInstant::record() {
  moment_->nanoseconds = std::make_shared<long long>(0);
  enqueue({"stage clock", [at = moment_->nanoseconds] { *at = now_nanoseconds(); }});
}
double StreamInstant::milliseconds_since(const StreamInstant& earlier) const {
  const long long now = *moment_->nanoseconds, then = *earlier.moment_->nanoseconds;
  if (now == 0 || then == 0)
    throw DeviceError("emulated GPU: the time between two moments was requested before they had passed");
  return 1e-6 * static_cast<double>(now - then);
}

MERGANSER_END
