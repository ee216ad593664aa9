#include "limber/sim/messages.hpp"

#include <fmt/format.h>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

/// The node with the largest entries of a vector of all nodes, by its number in the scene.
struct LargestNode {
  double size;
  int node;
};

LargestNode largest_node(const MechanicalSystem& system, const Vector& x) {
  double most = 0;
  int largest = 0;
  for (int i = 0; i < system.nodes(); ++i)
    if (const double size = block(x, i).norm(); size > most) most = size, largest = i;  // local: a node
  const Space& space = system.space();
  const double of_all = space.max(most);
  const double number = space.min(most == of_all ? system.holders().scene_number(largest) : system.holders().nodes);
  return {of_all, static_cast<int>(number)};
}

}  // namespace

std::string energy_alarm(const MechanicalSystem& system, const MotionState& motion) {
  const LargestNode fastest = largest_node(system, system.full(motion.now()).v);
  return fmt::format(
      "t = {:.6g} s: {:.3g} J have appeared that nobody put in, {:.2g} % of the energy in play, and node {} is the "
      "fastest with {:.3g} m/s; try a smaller time.step, or a method that damps more",
      motion.time(), motion.account.rise(), 100 * motion.account.share(), fastest.node, fastest.size);
}

std::string shortest_step_note(const MechanicalSystem& system, double t, double h, const Vector& error, double ratio) {
  const LargestNode largest = largest_node(system, system.spread(error));
  return fmt::format(
      "t = {:.6g} s: a step of {:.3g} s, the shortest allowed, has an error of {:.3g} m at node {}, {:.3g} times its "
      "share of time.step.accuracy; the run goes on, and summary.json counts such steps",
      t, h, largest.size, largest.node, ratio);
}

}  // namespace limber
