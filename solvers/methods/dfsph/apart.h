#pragma once
/// Particles that meet walls otherwise than the rest of a fluid does.
#include "device/array.h"

MERGANSER_BEGIN

/// What is on its way out of an emitter has no images and sees none: the disc may lie on a wall, where
/// particle and image are in one place, and pressure does not move it away from there. What lies behind a
/// wall takes no part in the solves: the wall's share or the images of what stands before it are there.
enum class Apart : int { no, from_images, behind_wall };

/// Of each particle an Apart; empty: no.
struct ApartView {
  View<const int> of;
  bool any_behind = false;  ///< whether some may be behind walls
  MERGANSER_METHOD bool from_images(int i) const {
    return !of.empty() && of[i] != static_cast<int>(Apart::no);
  }
  MERGANSER_METHOD bool behind_wall(int i) const {
    return any_behind && of[i] == static_cast<int>(Apart::behind_wall);
  }
};

MERGANSER_END
