#pragma once
/// Surfaces without a field: a tetrahedron a particle; skins that move with the first particle. For tests of
/// the command line.
#include <memory>

#include "host/services.h"

namespace merganser::fake {

class Tetrahedra : public SurfaceBuilder {
 public:
  SurfaceMesh build(const FluidPoints& points, const TopologyLinks* links,
                    const SurfaceParameters& p) override {
    if ((p.method == SurfaceMethod::topological) != (links != nullptr))
      throw InputError("fake surface: links and method do not fit");
    if (links && links->first.size() != points.position.size() + 1)
      throw InputError("fake surface: links and particles do not fit");
    SurfaceMesh mesh;
    const float size = float(p.h * p.cell_factor);
    for (size_t i = 0; i < points.position.size(); ++i) {
      const Float3 x = points.position[i];
      const int first = static_cast<int>(mesh.position.size());
      for (int corner = 0; corner < 4; ++corner) {
        Float3 at = x;
        if (corner > 0) at[size_t(corner - 1)] += size;
        mesh.position.push_back(at);
        mesh.normal.push_back({0, 0, 1});
        mesh.velocity.push_back(points.velocity[i]);
      }
      for (const Triangle& t : {Triangle{0, 2, 1}, Triangle{0, 1, 3}, Triangle{0, 3, 2}, Triangle{1, 2, 3}})
        mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    return mesh;
  }
  void complete(SurfaceMesh& mesh, const FluidPoints&, const SurfaceParameters&) override {
    mesh.normal.resize(mesh.position.size());
    mesh.velocity.resize(mesh.position.size());
  }
  SurfaceReport report() const override { return {}; }
};

/// Links nothing; wants to see every frame.
class NoLinks : public TopologyTracker {
 public:
  TopologyLinks next_frame(const FluidPoints& points, const std::vector<int>&, const std::vector<int>&,
                           double, double elapsed, double) override {
    if (seen_ > 0 && !(elapsed > 0.019 && elapsed < 0.021))
      throw InputError("fake tracker: a frame was left out");
    ++seen_;
    return {std::vector<int>(points.position.size() + 1, 0), {}, {}};
  }

  double update_milliseconds() const override { return 0; }

 private:
  int seen_ = 0;
};

/// Has one vertex that follows its nearest particle alone.
class MovedSurface : public BodySkin {
 public:
  explicit MovedSurface(const SkinBody& body) : body_(body) {}
  SurfaceMesh follow(const SkinParticles& now) override {
    SurfaceMesh mesh;
    for (Float3 x : body_.surface.vertices) {
      for (size_t k = 0; k < 3; ++k) x[k] += now.position[0][k] - body_.rest[0][k];
      mesh.position.push_back(x);
      mesh.normal.push_back({0, 0, 1});
      mesh.velocity.push_back(now.velocity[0]);
    }
    mesh.triangles = body_.surface.triangles;
    return mesh;
  }
  int lone_vertices() const override { return 1; }

 private:
  const SkinBody& body_;
};

inline void add_surface_services(Services& services) {
  services.make_surface_builder = [](const Device&) { return std::make_unique<Tetrahedra>(); };
  services.make_topology_tracker = [](const Device&) { return std::make_unique<NoLinks>(); };
  services.skin_record = [](const Scene&, const InitialState&) { return SkinRecord{1, {}}; };
  services.make_body_skin = [](const Device&, const SkinBody& body, double) {
    return std::make_unique<MovedSurface>(body);
  };
  services.make_level_set = [](const FluidPoints& points, const SurfaceParameters& parameters, int) {
    SurfaceParameters sum = parameters;
    sum.method = SurfaceMethod::sum;
    return LevelSetSurface{Tetrahedra().build(points, nullptr, sum), {'v', 'd', 'b'}};
  };
}

}  // namespace merganser::fake
