#include "bullet_beam.hpp"

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

namespace limber::peers {
namespace {

/// Shows what Bullet keeps to itself.
class OpenSolver : public btDeformableBodySolver {
 public:
  BulletSettings settings() const {
    BulletSettings s;
    s.newton_iterations = m_maxNewtonIterations;
    s.newton_tolerance = m_newtonTolerance;
    s.linear_iterations = m_cg.m_maxIterations;
    s.linear_tolerance = m_cg.m_tolerance;
    s.scalar_bytes = sizeof(btScalar);
    return s;
  }
};

class CountedForce : public btDeformableNeoHookeanForce {
 public:
  using btDeformableNeoHookeanForce::btDeformableNeoHookeanForce;
  void addScaledForces(btScalar scale, TVStack& force) override {
    ++counts.forces;
    btDeformableNeoHookeanForce::addScaledForces(scale, force);
  }
  void addScaledElasticForceDifferential(btScalar scale, const TVStack& dx, TVStack& df) override {
    ++counts.products;
    btDeformableNeoHookeanForce::addScaledElasticForceDifferential(scale, dx, df);
  }
  BulletCounts counts;
};

btScalar scalar(double x) { return static_cast<btScalar>(x); }

std::unique_ptr<btSoftBody> soft_body(const BulletBody& b, btSoftBodyWorldInfo& info) {
  std::vector<btVector3> nodes;
  std::vector<btScalar> mass;
  for (const auto& x : b.nodes) nodes.emplace_back(scalar(x[0]), scalar(x[1]), scalar(x[2]));
  for (const double m : b.mass) mass.push_back(scalar(m));
  auto body = std::make_unique<btSoftBody>(&info, static_cast<int>(nodes.size()), nodes.data(), mass.data());
  for (const auto& t : b.tets) body->appendTetra(t[0], t[1], t[2], t[3]);
  btSoftBodyHelpers::generateBoundaryFaces(body.get());
  body->initializeDmInverse();
  body->m_tetraScratches.resize(body->m_tetras.size());
  body->m_tetraScratchesTn.resize(body->m_tetras.size());
  body->m_cfg.kDP = 0;
  body->m_cfg.drag = 0;
  body->m_cfg.collisions = 0;
  body->setSelfCollision(false);
  body->m_sleepingThreshold = 0;
  body->setActivationState(DISABLE_DEACTIVATION);
  return body;
}

}  // namespace

/// In the order in which Bullet wants them; destroyed in the opposite one.
struct BulletBeam::Parts {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  OpenSolver solver;
  btDeformableMultiBodyConstraintSolver constraints;
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
  std::unique_ptr<btSoftBody> body;
  std::unique_ptr<btDeformableGravityForce> gravity;
  std::unique_ptr<CountedForce> elastic;

  explicit Parts(const BulletBody& b) {
    constraints.setDeformableSolver(&solver);
    world = std::make_unique<btDeformableMultiBodyDynamicsWorld>(&dispatcher, &broadphase, &constraints, &configuration,
                                                                 &solver);
    const btVector3 g(0, scalar(b.gravity), 0);
    world->setGravity(g);
    world->getWorldInfo().m_gravity = g;
    world->getWorldInfo().air_density = 0;
    world->setImplicit(true);
    world->setUseProjection(true);
    body = soft_body(b, world->getWorldInfo());
    world->addSoftBody(body.get());
    gravity = std::make_unique<btDeformableGravityForce>(g);
    elastic = std::make_unique<CountedForce>(scalar(b.mu), scalar(b.lambda), scalar(0));
    world->addForce(body.get(), gravity.get());
    world->addForce(body.get(), elastic.get());
  }
  ~Parts() { world->removeSoftBody(body.get()); }
};

BulletBeam::BulletBeam(const BulletBody& body) : parts_(std::make_unique<Parts>(body)) {}
BulletBeam::~BulletBeam() = default;

void BulletBeam::step(double h) { parts_->world->stepSimulation(scalar(h), 0); }

std::array<double, 3> BulletBeam::node(int i) const {
  const btVector3& x = parts_->body->m_nodes[i].m_x;
  return {x[0], x[1], x[2]};
}

BulletSettings BulletBeam::settings() const { return parts_->solver.settings(); }

BulletCounts BulletBeam::counts() const { return parts_->elastic->counts; }

}  // namespace limber::peers
