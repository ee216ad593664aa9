#pragma once
/// Functions of time y(t), scalar or Vec3: a constant, a table of keys, or a sine
///
///     y(t) = offset + amplitude · sin(2π · frequency · t + phase).
///
/// A table is linear between its keys or a clamped cubic spline (C², y′ = 0 at its ends, so that it starts and stops
/// gently), and constant outside its range. Where a derivative jumps (keys of a linear table, ends of any table), the
/// one from the right is used.

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

enum class Interpolation { linear, smooth };

/// "linear" or "smooth". Throws InputError(where, …) for another word.
Interpolation interpolation_named(const std::string& word, const std::string& where);

/// y, y′ and y″ at one time.
template <class T>
struct TimeJet {
  T value, rate, acceleration;
};

/// Interpolation at one time as weights: y = w₀ y_left + w₁ y_right + w₂ y″_left + w₃ y″_right, likewise y′ and y″.
struct KeyWeights {
  std::size_t left = 0, right = 0;
  std::array<double, 4> value{1, 0, 0, 0}, rate{}, acceleration{};
};

/// The keys' times, independent of the values interpolated over them.
class KeyTimes {
 public:
  /// Times [s], strictly ascending, at least one. Throws InputError(where, …).
  KeyTimes(std::vector<double> times, Interpolation interpolation, const std::string& where);

  std::size_t size() const { return times_.size(); }
  KeyWeights at(double t) const;

  /// y″ at the keys of the clamped spline through y (zero for a linear table). T: double, Vec3 or Vector.
  template <class T>
  std::vector<T> curvatures(const std::vector<T>& y) const;

 private:
  std::vector<double> times_;
  Interpolation interpolation_;
};

/// T: double or Vec3.
template <class T>
class TimeFunction {
 public:
  /// The zero function.
  TimeFunction();

  static TimeFunction constant(const T& value);
  /// `values` at `times` [s]. Throws InputError(where, …).
  static TimeFunction table(std::vector<double> times, std::vector<T> values, Interpolation interpolation,
                            const std::string& where);
  /// Frequency [Hz], phase [rad].
  static TimeFunction sine(const T& amplitude, double frequency, double phase, const T& offset);

  TimeJet<T> at(double t) const;
  T operator()(double t) const { return at(t).value; }
  bool is_constant() const { return std::holds_alternative<Constant>(form_); }

 private:
  struct Constant {
    T value;
  };
  struct Table {
    KeyTimes keys;
    std::vector<T> values, curvatures;  // #keys
  };
  struct Sine {
    T amplitude, offset;
    double frequency, phase;
  };
  using Form = std::variant<Constant, Table, Sine>;
  explicit TimeFunction(Form form) : form_(std::move(form)) {}

  Form form_;
};

extern template class TimeFunction<double>;
extern template class TimeFunction<Vec3>;

}  // namespace limber
