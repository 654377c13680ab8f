#pragma once
/// All energies of elastic bodies in one implicit system, with the rotations of the step's first stage.
#include "solvers/coupling/implicit/implicit_system.h"
#include "solvers/methods/elastic_sph/elastic_model.h"

MERGANSER_BEGIN

/// (h + dt^2 K) u = dt (f(x + dt v) + m g) + p with the impulse p of the explicit zero-energy control; the
/// factored A0, where there is one, is the preconditioner.
class ElasticBackwardEuler : public ImplicitSystem, public NonlinearPart {
 public:
  ElasticBackwardEuler(ElasticModel& model, const ParticleStore& particles);
  /// The next right side is the first of a step: it finds the step's rotations.
  void begin_step(const ParticleStore& particles);

  int system_index() const override { return model_.system_index; }
  double tolerance() const override { return model_.parameters.tolerance; }
  int max_iterations() const override { return model_.parameters.max_iterations; }
  double least_reference(const StepContext& step) const override {
    return model_.least_reference(step, step.dt);
  }
  void right_side(const StepContext& step, const PartRows& rows, View<Vec3> b) override;
  void diagonal(double dt, View<SymmetricMatrix3> blocks) override;
  void multiply(SolveProgress progress, double dt, const PartRows& rows, View<const Vec3> u,
                View<Vec3> y) override;
  bool preconditions() const override {
    return model_.choice ? model_.choice->by_factor() : model_.factored != nullptr;
  }
  int most_iterations_by_blocks() const override;
  bool take_over(const StepContext& step) override;
  void precondition(const PartRows& rows, View<const Vec3> r, View<Vec3> z) override {
    model_.factored->solve(r, rows.effective_mass, z);
  }
  void multiply_known(double dt, const PartRows& rows, View<const Vec3> u, View<const Vec3> known,
                      View<Vec3> y) override;
  NonlinearPart* nonlinear() override { return model_.elastic.neo_hookean() ? this : nullptr; }
  double potential(const StepContext& step, const PartRows& rows, View<const Vec3> u) override;
  void gradient(const StepContext& step, const PartRows& rows, View<const Vec3> u,
                View<Vec3> residual) override;
  void take_derivative() override;
  bool warm_start() const override { return true; }
  View<Vec3> wall_impulse() override { return model_.contact_walls.impulse(); }
  void contact_walls(const StepContext& step) override {
    model_.contact_walls.sum_loads(step, step.particles.range(model_.system_index));
  }
  BodyBalance* balance(bool) override { return &model_.balance; }
  /// Numbers of the step are kept on the device.
  void add_to_key(double, LaunchKey&) const override {}
  void solve_went(bool preconditioned, const LinearSolveResult& result) override {
    if (model_.choice) model_.choice->count(preconditioned, result);
  }
  void solved(int stage, const LinearSolveResult& result) override { model_.record_solve(stage, result); }

 private:
  /// Those of velocities v + u; adds impulses of all that is not elastic.
  void set_positions(const StepContext& step, const PartRows& rows, View<const Vec3> u);
  void add_impulses(const StepContext& step, const PartRows& rows, View<Vec3> b);

  ElasticModel& model_;
  bool rotations_found_ = false;  ///< since the step began
  Array<float> numbers_;          ///< -dt^2, dt^2 [s^2], (dt/dt_el)^2
  Array<float> own_mass_;         ///< [kg]
  Reduction<double> potential_;   ///< [J]
};

MERGANSER_END
