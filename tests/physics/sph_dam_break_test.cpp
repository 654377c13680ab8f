/// Collapse of a water column against Martin & Moyce (1952).
#include <gtest/gtest.h>

#include "tests/support/martin_moyce.h"

MERGANSER_BEGIN
namespace sph_dam_break_test {

using namespace sph_test;

TEST(SphDamBreak, MartinMoyceCoarse) { expect_martin_moyce(martin_moyce_column("sph", 16), 16); }
TEST(SphDamBreakSlow, MartinMoyceFine) { expect_martin_moyce(martin_moyce_column("sph", 40), 40); }

}  // namespace sph_dam_break_test
MERGANSER_END
