#include "solvers/geometry/skinning/body_skin.h"

#include "device/launch.h"
#include "device/particle_store.h"
#include "solvers/geometry/skinning/follow_particles.h"
#include "solvers/geometry/skinning/rigid_pose_fit.h"
#include "solvers/geometry/skinning/sheet_skin.h"
#include "solvers/geometry/surface/host_vectors.h"
#include "solvers/geometry/surface/smooth_mesh.h"

MERGANSER_BEGIN

namespace {

/// h / spacing: with a support of two spacings a vertex on a flat surface follows some 15 particles.
constexpr double smoothing_length_factor = 1;

/// Common part of skins: the surface at rest, and the surface that is returned.
class DeviceSkin : public BodySkin {
 protected:
  explicit DeviceSkin(const SkinBody& body)
      : rest_(device_vectors(body.rest)), rest_vertex_(device_vectors(body.surface.vertices)) {
    std::vector<MeshTriangle> triangles;
    for (const Triangle& t : body.surface.triangles) triangles.push_back({t[0], t[1], t[2]});
    triangle_.assign(triangles);
  }
  void take(const SkinParticles& now) {
    particle_position_.assign(device_vectors(now.position));
    particle_velocity_.assign(device_vectors(now.velocity));
  }
  void make_room(int vertices) {
    position_.resize(vertices);
    velocity_.resize(vertices);
    normal_.resize(vertices);
  }
  SurfaceMesh finished(View<const MeshTriangle> triangle) {
    normals_.run(0, triangle, position_.view(), normal_.view());
    SurfaceMesh mesh{host_vectors(position_), host_vectors(normal_), host_vectors(velocity_), {}};
    for (const MeshTriangle& t : to_host(triangle)) mesh.triangles.push_back({t.a, t.b, t.c});
    return mesh;
  }
  Array<Vec3> rest_, rest_vertex_;
  Array<MeshTriangle> triangle_;
  Array<Vec3> particle_position_, particle_velocity_;  ///< now
  Array<Vec3> position_, velocity_, normal_;           ///< of vertices

 private:
  MeshSmoother normals_;
};

class RigidSkin final : public DeviceSkin {
 public:
  explicit RigidSkin(const SkinBody& body) : DeviceSkin(body) {}
  SurfaceMesh follow(const SkinParticles& now) override {
    take(now);
    make_room(rest_vertex_.size());
    const View<const Vec3> rest = rest_.const_view(), position = particle_position_.const_view(),
                           velocity = particle_velocity_.const_view();
    centres_.run(rest.count, SumPoseCentres{rest, position, velocity});
    moments_.run(rest.count, SumPoseMoments{rest, position, velocity, centres_.result()});
    pose_.resize(1);
    launch(1, FindSkinPose{centres_.result(), moments_.result(), rest.count, pose_.view()});
    launch(rest_vertex_.size(),
           FollowSkinPose{pose_.const_view(), rest_vertex_.const_view(), position_.view(), velocity_.view()});
    return finished(triangle_.const_view());
  }
  int lone_vertices() const override { return 0; }

 private:
  Reduction<PoseCentreSum> centres_;
  Reduction<OffsetMoments> moments_;
  Array<SkinPose> pose_;
};

class FollowingSkin final : public DeviceSkin {
 public:
  FollowingSkin(const SkinBody& body, double spacing)
      : DeviceSkin(body), support_(static_cast<float>(2 * smoothing_length_factor * spacing)) {
    const float most_ratio = (1 + body.binding.most_stretch) * 1.001f;  // positions are rounded
    most_ratio2_ = most_ratio * most_ratio;
    grid_.build(rest_.const_view(), support_);
    supports_.find(rest_vertex_.const_view(), rest_.const_view(), grid_.view(), support_);
  }
  SurfaceMesh follow(const SkinParticles& now) override {
    take(now);
    permute_array(particle_position_, grid_.order(), spare_);
    permute_array(particle_velocity_, grid_.order(), spare_);
    fragment_.assign(now.fragment.empty() ? std::vector<int>(now.position.size(), 0) : now.fragment);
    permute_array(fragment_, grid_.order(), spare_int_);
    const Ties tied{grid_.view().position, particle_position_.const_view(), fragment_.const_view(),
                    most_ratio2_};
    motion_.resize(particle_position_.size());
    launch(motion_.size(), DeformationGradients{grid_.view(), CubicSpline<float>(support_ / 2), support_,
                                                particle_velocity_.const_view(), tied, motion_.view()});
    pieces_.split(triangle_.const_view(), supports_.view(), tied);
    make_room(pieces_.vertex().count);
    launch(position_.size(), FollowParticles{pieces_.vertex(), rest_vertex_.const_view(), supports_.view(),
                                             motion_.const_view(), tied, position_.view(), velocity_.view()});
    return finished(pieces_.triangle());
  }
  int lone_vertices() const override { return supports_.lone(); }

 private:
  float support_;      ///< [m]
  float most_ratio2_;  ///< see Ties
  UniformGrid grid_;
  VertexSupports supports_;
  SurfacePieces pieces_;
  Array<ParticleMotion> motion_;
  Array<int> fragment_, spare_int_;
  Array<Vec3> spare_;
};

}  // namespace

std::unique_ptr<BodySkin> make_body_skin(const SkinBody& body, double spacing) {
  if (body.binding.motion == SkinMotion::sheet) return make_sheet_skin(body);
  if (body.binding.motion == SkinMotion::rigid) return std::make_unique<RigidSkin>(body);
  return std::make_unique<FollowingSkin>(body, spacing);
}

MERGANSER_END
