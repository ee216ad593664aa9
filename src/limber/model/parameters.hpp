#pragma once
/// Numbers of a system that may be changed between two steps, by the names that the scene gives them, such as
/// "bodies[0].material.young".

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/model/nodal_mass.hpp"

namespace limber {

struct Parameter {
  std::string name;
  std::vector<double> values;  // in SI units
  bool is_list = false;        // a vector, a list, or one number for each element; else it is one number
};

/// What other values make of a system.
struct SystemChange {
  struct Entry {
    std::shared_ptr<Force> force;
    std::shared_ptr<Force> former;  // whose place it takes, and with whose memory it goes on; itself: it stays
    bool bound = false;             // it shares its places in the matrices with the former one
  };
  std::vector<Entry> forces;      // all of them, in their order
  std::vector<NodalMass> masses;  // all of them; empty: as they are
  bool same_couplings = true;     // of nodes, by forces
};

class ParameterSource {
 public:
  virtual ~ParameterSource() = default;
  /// All of them, with their present values.
  virtual std::vector<Parameter> parameters() const = 0;
  /// Throws InputError(name, …) where there is none.
  virtual Parameter parameter(const std::string& name) const = 0;
  /// Those that have been changed, with their present values and with those of the start.
  virtual std::vector<Parameter> changed() const = 0;
  virtual std::vector<Parameter> before_changes() const = 0;
  /// What the system becomes with these values. Throws InputError(name, …) for a name that there is not or a value
  /// that the scene could not have.
  virtual SystemChange prepare(std::span<const Parameter> values) = 0;
  /// What was prepared last has happened.
  virtual void commit() = 0;
};

}  // namespace limber
