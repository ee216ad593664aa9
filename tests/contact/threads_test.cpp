/// Several threads that ask the same forces at once get the bits that one alone gets from forces of its own.

#include <gtest/gtest.h>

#include <cstring>

#include "contact_scenes.hpp"
#include "support/several_threads.hpp"

namespace limber::test {
namespace {

/// Barrier and friction of one case; the friction has begun its step at c.u.
struct ContactForces {
  ContactForces(const ContactCase& c, const std::shared_ptr<Collisions>& among)
      : collisions(among), barrier(among, c.stiffness), friction(among, c.stiffness, FrictionForm::coupled, .01) {
    friction.begin_step(c.u);
  }

  std::shared_ptr<Collisions> collisions;
  BarrierForce barrier;
  FrictionForce friction;
};

/// All that is asked, as one row of numbers.
std::vector<double> ask(const ContactForces& from, const State& u, const Vector& dq) {
  std::vector<double> all;
  const auto add = [&](const auto& numbers) { all.insert(all.end(), numbers.begin(), numbers.end()); };
  add(force_at(from.barrier, u));
  add(force_at(from.friction, u));
  const Matrix K = declared_tangent({&from.barrier, &from.friction}, u).K;
  add(K.reshaped());
  const State later{u.q, u.v, u.t + .1};
  add(std::array{from.barrier.potentials(u)->stored, from.barrier.smallest_gap(u), from.friction.friction_power(u),
                 from.barrier.driving_work({u, later, dq}, u), from.barrier.max_step(u.q, dq, u.t, later.t)});
  if (const auto c = from.collisions->nearest(u.q, u.t)) all.push_back(c->gap);
  for (const Collision& c : from.collisions->near(u.q, u.t, .3)) all.push_back(c.gap);
  Couplings couplings;
  from.barrier.add_couplings_at(u, couplings);
  from.barrier.add_couplings_soon(u, couplings);
  for (const auto& [a, b] : couplings) add(std::array{1. * a, 1. * b});
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class ContactThreads : public ::testing::TestWithParam<ContactCase> {};

TEST_P(ContactThreads, GetTheBitsOfOneAlone) {
  const ContactCase& c = GetParam();
  struct Question {
    State u;
    Vector dq;
    std::vector<double> answer;
  };
  std::vector<Question> questions;
  for (unsigned k = 0; k < 6; ++k) {
    const State u{c.u.q + random_vector(c.u.q.size(),
                                        k == 0  ? 0
                                        : k < 4 ? .01
                                                : .4,
                                        30 + k),
                  c.u.v, c.u.t + .01 * (k % 2)};
    const Vector dq = random_vector(c.u.q.size(), k % 2 == 0 ? .1 : 3, 40 + k);
    questions.push_back({u, dq, ask(ContactForces(c, std::make_shared<Collisions>(c.collisions->scene())), u, dq)});
  }
  EXPECT_FALSE(same_bits(questions[0].answer, questions[1].answer));
  const ContactForces shared(c, std::make_shared<Collisions>(c.collisions->scene()));
  on_several_threads([&](int thread) {
    for (int i = 0; i < 24; ++i) {
      const Question& q = questions[static_cast<std::size_t>(5 * i + thread) % questions.size()];
      EXPECT_TRUE(same_bits(ask(shared, q.u, q.dq), q.answer)) << "thread " << thread << ", question " << i;
    }
  });
}

/// All ask for the same: some find what others have just found.
TEST_P(ContactThreads, MayAskForTheSame) {
  const ContactCase& c = GetParam();
  const Vector expected = force_at(BarrierForce(std::make_shared<Collisions>(c.collisions->scene()), c.stiffness), c.u);
  EXPECT_GT(expected.norm(), 0);
  for (int round = 0; round < 10; ++round) {
    const BarrierForce shared(std::make_shared<Collisions>(c.collisions->scene()), c.stiffness);
    on_several_threads([&](int) {
      for (int i = 0; i < 5; ++i) EXPECT_EQ(force_at(shared, c.u), expected);
    });
  }
}

/// What one holds stays as it is while others ask on.
TEST_P(ContactThreads, KeepTheCollisionsThatTheyHold) {
  const ContactCase& c = GetParam();
  const auto held = c.collisions->at(c.u.q, c.u.t);
  std::vector<double> before;
  for (const Collision& one : held) before.push_back(one.gap);
  on_several_threads([&](int thread) {
    for (unsigned i = 0; i < 10; ++i)
      static_cast<void>(
          c.collisions->at(c.u.q + random_vector(c.u.q.size(), .02, 10 * static_cast<unsigned>(thread) + i), c.u.t));
  });
  std::vector<double> after;
  for (const Collision& one : held) after.push_back(one.gap);
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(Cases, ContactThreads, ::testing::ValuesIn(contact_cases(.3)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace limber::test
