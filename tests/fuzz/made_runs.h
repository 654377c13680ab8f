#pragma once
/// Runs on fake scenes whose files the cases damage.
#include "tests/support/fake_run.h"

namespace merganser::fuzz {

inline const char* const made_scene = R"({"endTime": 0.1, "checks": [{"type": "maxSpeed", "limit": 100}]})";

/// In the folder: `a` to resume, 30 steps with two checkpoints; `whole`, the same to its end.
class MadeRuns : public test::FakeRuns {
 protected:
  void SetUp() override {
    test::write_text(folder_ / "scene.json", made_scene);
    const auto a = merganser({"run", "scene.json", "-o", "a", "--steps", "30", "--checkpoint-every", "1e-9"});
    ASSERT_EQ(a.exit_code, 0) << a.err;
    ASSERT_EQ(merganser({"run", "scene.json", "-o", "whole"}).exit_code, 0);
  }
};

}  // namespace merganser::fuzz
