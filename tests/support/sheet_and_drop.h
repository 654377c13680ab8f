#pragma once
/// A free or pinned square cloth and a drop of SPH fluid above it, built by hand: the smallest closed
/// two-system scene.
#include "host/simulation/simulation.h"
#include "solvers/core/initial_state.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/mass_spring/mass_spring_parameters.h"
#include "solvers/methods/mass_spring/spring_network.h"
#include "solvers/methods/sph/sph_parameters.h"

namespace merganser::test {

struct SheetAndDrop {
  int sheet_side = 21;      ///< vertices along an edge
  int drop_side = 7;        ///< fluid particles along an edge of the cube
  float spacing = 0.02f;    ///< [m] of both
  float speed = 2;          ///< [m/s] of the drop, downwards
  bool pinned = false;      ///< the sheet's border is immobile
  double gravity = 0;       ///< [m/s^2], downwards
  double stretch = 4000;    ///< [N/m]; the sheet stays shut
  double tolerance = 1e-5;  ///< of the sheet's linear solver

  InitialState build() const {
    InitialState state;
    state.gravity = {0, 0, -gravity};
    state.bodies = {{"sheet", 0}, {"drop", 1}};
    state.measures = {{.quantity = "crossings", .column = "crossings", .system = 1, .body = 0}};
    SystemState sheet = new_system("massSpring"), drop = new_system("sph");
    sheet.name = "cloth";
    sheet.self_contact = true;
    sheet.parameters.of<MassSpringParameters>().tolerance = tolerance;
    drop.name = "water";
    const float mass = 1000 * spacing * spacing * spacing;
    auto add = [&](SystemState& s, Float3 x, Float3 v, bool fixed, int body) {
      s.position.push_back(x);
      s.velocity.push_back(v);
      s.mass.push_back(mass);
      s.radius.push_back(0.5f * spacing);
      s.immobile.push_back(fixed);
      s.body.push_back(body);
    };
    const int n = sheet_side;
    const float middle = 0.5f * static_cast<float>(n - 1);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        add(sheet,
            {spacing * (static_cast<float>(i) - middle), spacing * (static_cast<float>(j) - middle), 0},
            {0, 0, 0}, pinned && (i == 0 || j == 0 || i == n - 1 || j == n - 1), 0);
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        const int a = j * n + i;
        sheet.triangles.push_back({a, a + 1, a + n + 1});
        sheet.triangles.push_back({a, a + n + 1, a + n});
      }
    sheet.springs = grid_springs(n, n, spacing, spacing, stretch, 0.5 * stretch, 1e-4);
    drop.fluid.particle_radius = 0.5 * spacing;
    drop.parameters.of<SphParameters>().sound_speed = 10 * speed + 5;
    const float half = 0.5f * static_cast<float>(drop_side - 1);
    for (int k = 0; k < drop_side; ++k)
      for (int j = 0; j < drop_side; ++j)
        for (int i = 0; i < drop_side; ++i)
          add(drop,
              {spacing * (static_cast<float>(i) - half + 0.31f),
               spacing * (static_cast<float>(j) - half + 0.17f), spacing * (static_cast<float>(k) + 1.5f)},
              {0, 0, -speed}, false, 1);
    state.systems = {sheet, drop};
    return state;
  }
};

}  // namespace merganser::test
