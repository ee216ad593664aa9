#include "limber/sim/energy_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Relative rounding error of sums and differences of energies, compared with the largest of them.
constexpr double rounding = 1e-12;
constexpr double samples = 30;            // safety factor: the rounding error is estimated from a few samples
constexpr double noted = .01, loud = .1;  // of the energy in play

double largest(const Energies& e) {
  return std::max(
      {std::abs(e.kinetic), std::abs(e.elastic), std::abs(e.gravitational), std::abs(e.contact), std::abs(e.other)});
}

}  // namespace

EnergyAccount::EnergyAccount(const Energies& start, double t, double rounding)
    : start_(start.total()), lowest_(start.total()), risen_at_(t), noise_(samples * rounding) {
  supply_.other = start.other;
  in_play_ = start.kinetic + start.elastic + start.contact;
  most_kinetic_ = start.kinetic;
}

void EnergyAccount::book(const Energies& e, double work, double t, double doubt) {
  supply_.work += work;
  supply_.doubt += doubt;
  supply_.given += work + supply_.other - e.other;
  supply_.other = e.other;
  const double balance = e.total() - supply_.work - supply_.doubt;
  gain_ = std::max(gain_, balance - start_);
  lowest_ = std::min(lowest_, balance);
  if (balance - lowest_ > rise_) {
    rise_ = balance - lowest_;
    risen_at_ = t;
  }
  noise_ = std::max(noise_, rounding * largest(e));
  in_play_ = std::max({in_play_, e.kinetic + e.elastic + e.contact, supply_.given});
  most_kinetic_ = std::max(most_kinetic_, e.kinetic);
}

void EnergyAccount::expect_rounding(double by) { noise_ = std::max(noise_, samples * by); }

bool EnergyAccount::alarms() {
  const double level = share() >= loud ? loud : share() >= noted ? noted : 0;
  return std::exchange(alarmed_, std::max(alarmed_, level)) < level;
}

void EnergyAccount::charge(double by) { charged_ = std::max(0.0, charged_ + by); }

bool EnergyAccount::affords(double by, const Energies& e, double share) const {
  return charged_ + by <= share * most_kinetic_ + rounding * largest(e);
}

double EnergyAccount::excess(const Energies& e, const WorkPutIn& work, double noise) const {
  return share_above(start_, e, work, noise);
}

double EnergyAccount::regained(const Energies& e, const WorkPutIn& work, double noise) const {
  return share_above(lowest_, e, work, noise);
}

double EnergyAccount::share_above(double balance, const Energies& e, const WorkPutIn& work, double noise) const {
  const double allowed = balance + supply_.work + supply_.doubt + work.work + work.doubt;
  const double above = e.total() - allowed - std::max({noise, noise_, rounding * largest(e)});
  if (!(above > 0)) return 0;
  const double now = e.kinetic + e.elastic + e.contact - above;  // without the unexplained gain
  return above / std::max(in_play_ + std::abs(work.work), now);
}

std::vector<double> EnergyAccount::memory() const {
  return {start_,        supply_.work, lowest_,  gain_,  rise_,         risen_at_,     in_play_,
          most_kinetic_, alarmed_,     charged_, noise_, supply_.doubt, supply_.other, supply_.given};
}

void EnergyAccount::restore(const std::vector<double>& m) {
  if (m.size() != memory().size())
    throw InputError("account", fmt::format("has {} numbers, expected {}", m.size(), memory().size()));
  start_ = m.at(0);
  supply_.work = m.at(1);
  lowest_ = m.at(2);
  gain_ = m.at(3);
  rise_ = m.at(4);
  risen_at_ = m.at(5);
  in_play_ = m.at(6);
  most_kinetic_ = m.at(7);
  alarmed_ = m.at(8);
  charged_ = m.at(9);
  noise_ = m.at(10);
  supply_.doubt = m.at(11);
  supply_.other = m.at(12);
  supply_.given = m.at(13);
}

}  // namespace limber
