#include "solvers/geometry/surface/surface_builder.h"

#include "device/timers.h"
#include "solvers/geometry/surface/host_vectors.h"
#include "solvers/geometry/surface/smooth_mesh.h"
#include "solvers/geometry/surface/surface_search.h"
#include "solvers/geometry/surface/surface_vertices.h"

MERGANSER_BEGIN

namespace {

class DeviceSurfaceBuilder : public SurfaceBuilder {
 public:
  SurfaceMesh build(const FluidPoints& points, const TopologyLinks* links,
                    const SurfaceParameters& parameters) override {
    SurfaceMesh mesh;
    if (points.position.empty()) return mesh;
    sort(points, links, parameters);
    {
      const StageTimer timer(report_.stage_milliseconds, "field");
      search_.run(particles_, parameters);
      finish_stage();
    }
    {
      const StageTimer timer(report_.stage_milliseconds, "marching cubes");
      cubes_.run(search_.bricks(), search_.value(), search_.inside(),
                 static_cast<float>(parameters.h * parameters.cell_factor));
      finish_stage();
    }
    {
      const StageTimer timer(report_.stage_milliseconds, "vertices");
      vertex_.assign(View<const Vec3>(cubes_.vertex()));
      normal_.resize(vertex_.size());
      velocity_.resize(vertex_.size());
      if (parameters.refinements > 0) refine_vertices(particles_, parameters, cubes_.edge(), vertex_.view());
      const bool smooth = parameters.smoothing > 0;
      sample_vertices(particles_, vertex_.const_view(), smooth ? View<Vec3>() : normal_.view(),
                      velocity_.view());
      if (smooth) smoother_.run(parameters.smoothing, cubes_.triangle(), vertex_.view(), normal_.view());
      finish_stage();
    }
    report_.bricks = search_.bricks().count();
    report_.topological_bricks = search_.topological_bricks();
    report_.rounds = search_.rounds();
    report_.device_bytes = allocated_bytes();
    const StageTimer timer(report_.stage_milliseconds, "copy");
    mesh.position = host_vectors(vertex_);
    mesh.normal = host_vectors(normal_);
    mesh.velocity = host_vectors(velocity_);
    for (const MeshTriangle& t : to_host(cubes_.triangle())) mesh.triangles.push_back({t.a, t.b, t.c});
    return mesh;
  }

  void complete(SurfaceMesh& mesh, const FluidPoints& points, const SurfaceParameters& parameters) override {
    if (mesh.position.empty() || points.position.empty()) return;
    sort(points, nullptr, parameters);
    vertex_.assign(device_vectors(mesh.position));
    std::vector<MeshTriangle> triangles;
    for (const Triangle& t : mesh.triangles) triangles.push_back({t[0], t[1], t[2]});
    const Array<MeshTriangle> triangle(triangles);
    normal_.resize(vertex_.size());
    velocity_.resize(vertex_.size());
    smoother_.run(parameters.smoothing, triangle.view(), vertex_.view(), normal_.view());
    sample_vertices(particles_, vertex_.const_view(), {}, velocity_.view());
    mesh.position = host_vectors(vertex_);
    mesh.normal = host_vectors(normal_);
    mesh.velocity = host_vectors(velocity_);
  }

  SurfaceReport report() const override { return report_; }

 private:
  void sort(const FluidPoints& points, const TopologyLinks* links, const SurfaceParameters& parameters) {
    position_.assign(device_vectors(points.position));
    point_velocity_.assign(device_vectors(points.velocity));
    mass_.assign(points.mass);
    NeighborGraphView graph;
    if (parameters.method == SurfaceMethod::topological && links) {
      first_.assign(links->first);
      neighbor_.assign(links->neighbor);
      age_.assign(links->age);
      linked_.assign(std::vector<unsigned char>(links->neighbor.size(), 1));
      graph = {first_.view(), neighbor_.view(), linked_.view(), age_.view()};
    }
    const StageTimer timer(report_.stage_milliseconds, "densities");
    particles_.build(position_.const_view(), point_velocity_.const_view(), mass_.const_view(), graph,
                     parameters);
    finish_stage();
  }
  /// Stage times are those of the stage, not of its launches.
  static void finish_stage() { synchronize(); }

  SurfaceReport report_;
  Array<Vec3> position_, point_velocity_, vertex_, normal_, velocity_;
  Array<float> mass_, age_;
  Array<int> first_, neighbor_;
  Array<unsigned char> linked_;
  FieldParticles particles_;
  SurfaceSearch search_;
  MarchingCubes cubes_;
  MeshSmoother smoother_;
};

}  // namespace

std::unique_ptr<SurfaceBuilder> make_surface_builder() { return std::make_unique<DeviceSurfaceBuilder>(); }

MERGANSER_END
