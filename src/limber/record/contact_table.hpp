#pragma once
/// contacts.csv: for each frame one row for each pair of bodies and obstacles that touch. Forces [N] act on the first
/// of the pair; numbers have the fewest digits that give back the same double.

#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/record/files.hpp"

namespace limber {

struct ContactRow {
  double time = 0;  // [s]
  std::string body_a, body_b;
  int collisions = 0;
  double smallest_gap = 0;  // [m]
  Vec3 normal_force, friction_force;
};

class ContactTable {
 public:
  /// Replaces the file.
  static ContactTable create(const std::string& path);
  /// Goes on after the rows up to time t [s] and drops what follows, a torn last line too. Throws InputError.
  static ContactTable resume(const std::string& path, double t);

  void add(const ContactRow& row);

 private:
  explicit ContactTable(File file) : file_(std::move(file)) {}
  File file_;
};

}  // namespace limber
