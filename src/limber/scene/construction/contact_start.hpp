#pragma once  // internal
/// Nothing touches or crosses anything else at the start: what does is moved apart, or refused.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "limber/contact/geometry/collisions.hpp"
#include "limber/contact/geometry/crossings.hpp"
#include "limber/contact/smooth/smooth_contacts.hpp"
#include "limber/scene/construction/build_contact.hpp"

namespace limber {

/// Of the box around all nodes [m]; 1 where it is a point.
double diagonal_of(const Vector& positions);

class ContactStart {
 public:
  /// `smooth`: of smooth surfaces; null: there are none. All must outlive it.
  ContactStart(const Scene& scene, const std::vector<ContactBody>& bodies, const Collisions& collisions,
               const SmoothContacts* smooth, Vector& positions, std::vector<std::string>& notes);
  /// Moves bodies where the scene asks for it, or their gaps are tiny. Throws InputError where that does not help.
  void clear();

 private:
  std::optional<SmoothContact> deepest() const;
  void part_smooth();
  void refuse_between() const;
  std::string describe(const Crossing& c) const;
  void refuse_crossings() const;
  std::string way_out(const std::array<int, 2>& objects) const;
  bool movable(int object) const;
  std::vector<char> may_move() const;
  void shift(int object, const Vec3& by);
  void push_apart();
  void part_close_starts();

  const Scene& scene_;
  const std::vector<ContactBody>& bodies_;
  const Collisions& collisions_;
  const SmoothContacts* smooth_;
  const ContactScene& c_;
  Vector& positions_;
  std::vector<std::string>& notes_;
  std::vector<Vec3> moved_;  // per object
};

}  // namespace limber
