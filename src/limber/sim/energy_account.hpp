#pragma once
/// Energy balance of a motion: its energy compared with the external work done on it,
///
///     balance(t) = total(t) − work put in until t.
///
/// Dissipation lowers the balance. Nothing physical raises it: an increase is a *gain*, an error of the integration.
/// With contact, the driver rejects steps that gain more than a small share of the largest kinetic energy.

#include <vector>

#include "limber/model/mechanical_system.hpp"

namespace limber {

class EnergyAccount {
 public:
  EnergyAccount() = default;
  /// rounding: additional rounding error of these energies, beyond that expected from their size [J].
  EnergyAccount(const Energies& start, double t, double rounding = 0);

  /// Books an accepted step that ends with the energies e at time t. doubt: how much more than `work` may have been put
  /// in.
  void book(const Energies& e, double work, double t, double doubt = 0);
  /// From now on energies may be rounded by so much beyond what their size explains [J].
  void expect_rounding(double by);
  /// Whether the share has passed 1 % or 10 % since this was asked last.
  bool alarms();
  /// Books the energy `by` [J] gained by an accepted step in contact. A loss (by < 0) offsets earlier gains.
  void charge(double by);
  /// Whether a step in contact that gains `by` and ends with the energies e may be accepted. `share`: the limit
  /// relative to the largest kinetic energy.
  bool affords(double by, const Energies& e, double share) const;

  /// The excess of the energies e, after a step that puts in `work`, over the start energy plus all work put in,
  /// relative to the energy in play. `noise`: possible rounding error [J].
  double excess(const Energies& e, const WorkPutIn& work, double noise) const;
  /// Like excess, but over the lowest balance so far instead of the start energy.
  double regained(const Energies& e, const WorkPutIn& work, double noise) const;

  /// All work put in since the start [J].
  double put_in() const { return supply_.work; }
  /// By how much more it may be [J]: the sum of the steps' doubts.
  double doubt() const { return supply_.doubt; }
  /// The largest total energy above all that was put in [J], at least 0.
  double gain() const { return gain_; }
  /// The largest rise of the balance above an earlier value [J], and the time at which it was reached [s].
  double rise() const { return rise_; }
  double risen_at() const { return risen_at_; }
  /// Reference energy for gains [J]: the largest kinetic, elastic and contact energy so far, or all the energy put into
  /// these from outside, if that is larger.
  double in_play() const { return in_play_; }
  /// rise()/in_play(), or 0 if the rise is within rounding.
  double share() const { return rise_ > noise_ ? rise_ / in_play_ : 0; }

  /// The account's data as numbers, for checkpoints.
  std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);

 private:
  /// What came from outside since the start [J].
  struct Supply {
    double work = 0, doubt = 0;
    double given = 0;  // to the energies in play: work, and what external potentials gave
    double other = 0;  // present energy of external potentials
  };

  double share_above(double balance, const Energies& e, const WorkPutIn& work, double noise) const;

  Supply supply_;
  double start_ = 0, lowest_ = 0, gain_ = 0, rise_ = 0, risen_at_ = 0;
  double in_play_ = 0, most_kinetic_ = 0, alarmed_ = 0, noise_ = 0;
  double charged_ = 0;  // [J] gained by steps in contact and not lost again since
};

}  // namespace limber
