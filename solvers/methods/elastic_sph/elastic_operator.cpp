#include "solvers/methods/elastic_sph/elastic_operator.h"

#include "device/sum_of.h"
#include "solvers/methods/elastic_sph/elastic_diagonal.h"
#include "solvers/methods/elastic_sph/elastic_kernels.h"
#include "solvers/methods/elastic_sph/explicit_control.h"
#include "solvers/methods/elastic_sph/known_product.h"
#include "solvers/methods/elastic_sph/pair_forces.h"
#include "solvers/methods/elastic_sph/position_forces.h"

MERGANSER_BEGIN

namespace {
/// use(true or false as a constant).
template <class Use>
void with_flag(bool flag, const Use& use) {
  flag ? use(std::true_type{}) : use(std::false_type{});
}

ElasticParts parts_of(ElasticEnergies energies) {
  return {.stretching = energies == ElasticEnergies::volume ? 0.0f : 1.0f,
          .dilation = energies == ElasticEnergies::constant ? 0.0f : 1.0f};
}
}  // namespace

ElasticOperator::ElasticOperator(const RestShape& shape, ZeroEnergyControl control, ElasticLaw law)
    : shape_(shape, control), law_(law) {
  const int count = shape.count();
  vector_.resize(count, 3);
  rotation_.resize(count, 9);
  rotated_.resize(count, turned::components);
  stress_.resize(count, stress_components);
  if (shape_.controlled()) strain_.resize(count, 9);
  if (MERGANSER_GPU_HALF) {
    sums_.resize(count, shape_.controlled() ? 18 : 9);
    lost_.resize(count);
  }
  quaternion_.assign(std::vector<UnitQuaternion>(size_t(count), UnitQuaternion{0, 0, 0, 1}));
  own_quaternion_.resize(count);
  energy_.resize(count);
  if (neo_hookean()) {
    derivative_.resize(count, derivative_entries);
    precise_energy_.resize(count);
  }
  constant_diagonal_.resize(count);
  launch(lane_items(count), ConstantDiagonal{shape_.view(), constant_diagonal_.view()});
}

StepRotations ElasticOperator::rotations(RotationsOf which) {
  switch (which) {
    case RotationsOf::step:
      return {quaternion_.view(), {}};
    case RotationsOf::new_step:
      return {quaternion_.view(), quaternion_.view()};
    default:
      return {quaternion_.view(), own_quaternion_.view()};
  }
}

void ElasticOperator::find_forces(Positions x, ElasticEnergies energies, RotationsOf which, double factor,
                                  View<Vec3> result) {
  const ElasticParts parts = parts_of(energies);
  const StepRotations rotations = this->rotations(which);
  const auto strain = std::as_const(strain_).view();
  const auto stress = std::as_const(stress_).view();
  const ElasticRows rows{.effective_mass = {}, .u = {}, .factor = float(factor), .result = result};
  if (neo_hookean()) return find_neo_hookean_forces(x, rows);
#if MERGANSER_GPU_HALF
  const int count = result.count;
  const auto sums = std::as_const(sums_).view();
  with_flag(controlled(energies), [&](auto controlled) {
    constexpr bool is = controlled();
    launch(is ? 2 * count : count, SumPositions{shape_.view(), x, sums_.view()});
    launch(count, PairStress<is, false>{shape_.view(), parts, rotations, sums, lost_.view(), rotated_.view(),
                                        stress_.view(), strain_.view()});
    if (!rotations.found.empty())
      launch(count, PairStress<is, true>{shape_.view(), parts, rotations, sums, lost_.view(), rotated_.view(),
                                         stress_.view(), strain_.view()});
    launch(count, PairForce<is>{shape_.view(), x, stress, strain, rows});
  });
#else
  const int items = lane_items<PreciseLanes>(result.count);
  with_flag(controlled(energies), [&](auto controlled) {
    launch(items, PositionStress<controlled()>{shape_.view(), parts, x, rotations, rotated_.view(),
                                               stress_.view(), strain_.view()});
    launch(items, PositionForce<controlled()>{shape_.view(), x, stress, strain, rows});
  });
#endif
}

void ElasticOperator::find_neo_hookean_forces(Positions x, const ElasticRows& rows) {
  const int items = lane_items<PreciseLanes>(rows.result.count);
  with_flag(shape_.controlled(), [&](auto controlled) {
    launch(items, PositionStress<controlled(), true>{.shape = shape_.view(),
                                                     .parts = {},
                                                     .position = x,
                                                     .rotations = rotations(RotationsOf::positions),
                                                     .rotated = {},
                                                     .stress = stress_.view(),
                                                     .strain = strain_.view(),
                                                     .derivative = derivative_.view()});
    launch(items, PositionForce<controlled(), true>{shape_.view(), x, std::as_const(stress_).view(),
                                                    std::as_const(strain_).view(), rows});
  });
}

void ElasticOperator::find_derivative() {
  if (!neo_hookean()) return;
  launch(lane_items(energy_.size()), FindStressDerivative{.shape = shape_.view(),
                                                          .rotations = rotations(RotationsOf::new_step),
                                                          .rotated = rotated_.view(),
                                                          .derivative = derivative_.view()});
}

void ElasticOperator::find_product(ElasticEnergies energies, SolveProgress progress,
                                   View<const float> effective_mass, View<const Vec3> u, StepNumber factor,
                                   View<Vec3> result) {
  launch(u.count, SplitVectors{u, vector_.view()});
  const auto rotated = std::as_const(rotated_).view(), vector = std::as_const(vector_).view(),
             stress = std::as_const(stress_).view();
  const ElasticParts parts = parts_of(energies);
  const ElasticRows rows{.effective_mass = effective_mass, .u = u, .factor = factor, .result = result};
  const int items = lane_items(result.count);
  with_flag(controlled(energies), [&](auto controlled) {
    if (neo_hookean())
      launch(items, ElasticStress<controlled(), true>{progress, shape_.view(), parts, rotated, vector,
                                                      stress_.view(), std::as_const(derivative_).view()});
    else
      launch(items,
             ElasticStress<controlled()>{progress, shape_.view(), parts, rotated, vector, stress_.view()});
    launch(items, ElasticForce<controlled()>{progress, shape_.view(), vector, stress, rows});
  });
}

void ElasticOperator::find_known_product(const KnownMatrix& matrix, View<const Vec3> u,
                                         View<const Vec3> known, View<Vec3> product) {
  const int items = lane_items(product.count);
  launch(u.count, SplitVectors{u, vector_.view()});
  launch(items, VectorDilation{shape_.view(), std::as_const(vector_).view(), rotated_.view()});
  launch(items, KnownProduct{.shape = shape_.view(),
                             .rotated = std::as_const(rotated_).view(),
                             .effective_mass = matrix.effective_mass,
                             .own_mass = matrix.own_mass,
                             .u = u,
                             .known = known,
                             .ratio_squared = matrix.ratio_squared,
                             .dt_squared = matrix.dt_squared,
                             .product = product});
}

void ElasticOperator::find_diagonal(ElasticEnergies energies, double factor, View<SymmetricMatrix3> blocks) {
  const bool all = energies == ElasticEnergies::all;
  launch(lane_items(blocks.count),
         StiffnessBlocks{.shape = shape_.view(),
                         .rotated = std::as_const(rotated_).view(),
                         .constant = all ? constant_diagonal_.const_view() : View<const float>{},
                         .factor = float(factor),
                         .block = blocks});
}

void ElasticOperator::measure_strains(Positions x, const StepRotations& rotations, View<float> energy) {
  launch(lane_items<PreciseLanes>(energy_.size()), MeasureStrain{.shape = shape_.view(),
                                                                 .position = x,
                                                                 .rotations = rotations,
                                                                 .rotation = rotation_.view(),
                                                                 .strain = stress_.view(),
                                                                 .energy = energy});
}

void ElasticOperator::find_neo_hookean_energies(Positions x) {
  launch(lane_items<PreciseLanes>(energy_.size()),
         NeoHookeanEnergy{.shape = shape_.view(),
                          .position = x,
                          .rotations = rotations(RotationsOf::positions),
                          .rotation = rotation_.view(),
                          .strain = stress_.view(),
                          .energy = precise_energy_.view()});
}

void ElasticOperator::sum_step_potential(Positions x, StepPotential terms, Reduction<double>& sum) {
  find_neo_hookean_energies(x);
  terms.energy = precise_energy_.view();
  sum.run(energy_.size(), sum_of(terms));
}

void ElasticOperator::sum_energy(Positions x, Reduction<double>& sum) {
  if (neo_hookean()) {
    find_neo_hookean_energies(x);
    sum.run(energy_.size(), sum_of(SumEnergies<double>{precise_energy_.view()}));
    return;
  }
  measure_strains(x, rotations(RotationsOf::positions), energy_.view());
  sum.run(energy_.size(), sum_of(SumEnergies<float>{energy_.view()}));
}

void ElasticOperator::sum_turning_energy(Positions x, Reduction<double>& sum) {
  launch(lane_items<PreciseLanes>(energy_.size()), TurningEnergy{.shape = shape_.view(),
                                                                 .position = x,
                                                                 .start = quaternion_.view(),
                                                                 .found = own_quaternion_.view(),
                                                                 .energy = energy_.view()});
  sum.run(energy_.size(), sum_of(SumEnergies<float>{energy_.view()}));
}

void ElasticOperator::find_control_impulse(Positions x, double dt, Array<Vec3>& impulse) {
  measure_strains(x, rotations(RotationsOf::step), {});
  impulse.zero();
  launch(lane_items<PreciseLanes>(impulse.size()),
         ExplicitControl{.shape = shape_.view(),
                         .position = x,
                         .rotation = std::as_const(rotation_).view(),
                         .strain = std::as_const(stress_).view(),
                         .dt = dt,
                         .impulse = impulse.view()});
}

void ElasticOperator::find_stress(View<const float> volume, View<const int> body, View<float> stress,
                                  View<float> volume_ratio) {
  with_flag(neo_hookean(), [&](auto neo_hookean) {
    launch(body.count, ElasticOutput<neo_hookean()>{.rest = shape_.view().rest,
                                                    .rotation = std::as_const(rotation_).view(),
                                                    .strain = std::as_const(stress_).view(),
                                                    .volume = volume,
                                                    .body = body,
                                                    .stress = stress,
                                                    .volume_ratio = volume_ratio});
  });
}

void ElasticOperator::save(StateArchive& archive, const std::string& prefix) const {
  const auto quaternion = quaternion_.to_host();
  archive.put(prefix + "/rotation", reinterpret_cast<const double*>(quaternion.data()),
              4 * quaternion.size());
  for (int k = 0; k < 3; ++k)
    archive.put(prefix + "/rest_" + std::string(1, char('x' + k)), shape_.rest_position(k));
}

void ElasticOperator::load(const StateArchive& archive, const std::string& prefix) {
  const auto quaternion = archive.get<double>(prefix + "/rotation");
  if (quaternion.size() != 4 * size_t(quaternion_.size()))
    throw FileError("checkpoint: the elastic bodies under '" + prefix + "' are of another scene");
  for (int k = 0; k < 3; ++k)
    if (archive.get<float>(prefix + "/rest_" + std::string(1, char('x' + k))) != shape_.rest_position(k))
      throw FileError("checkpoint: the rest shape under '" + prefix + "' is that of another scene");
  std::vector<UnitQuaternion> values(size_t(quaternion_.size()));
  std::memcpy(values.data(), quaternion.data(), sizeof(double) * quaternion.size());
  quaternion_.assign(values);
}

MERGANSER_END
