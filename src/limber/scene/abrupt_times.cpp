#include "limber/scene/abrupt_times.hpp"

#include <algorithm>

namespace limber {
namespace {

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::vector<double> abrupt_times(std::vector<double> keys, Interpolation interpolation) {
  if (interpolation == Interpolation::smooth && keys.size() > 2) keys = {keys.front(), keys.back()};
  return keys;
}

std::vector<double> abrupt_times(const TimeFactor& factor) {
  const auto* table = std::get_if<KeyedFactor>(&factor);
  return table ? abrupt_times(table->times, table->interpolation) : std::vector<double>{};
}

std::vector<double> abrupt_times(const std::vector<MotionKey>& keys, Interpolation interpolation) {
  std::vector<double> times;
  for (const MotionKey& key : keys) times.push_back(key.time);
  return abrupt_times(std::move(times), interpolation);
}

std::vector<double> abrupt_times(const Scene& scene) {
  std::vector<double> all;
  for (const BodyChoice& body : scene.bodies) {
    for (const Script& script : body.scripts) append(all, abrupt_times(script.keys, script.interpolation));
    for (const auto& force : body.forces) append(all, force->key_times());
  }
  for (const ObstacleChoice& obstacle : scene.obstacles)
    if (obstacle.motion) append(all, abrupt_times(obstacle.motion->keys, obstacle.motion->interpolation));
  for (const auto& force : scene.forces) append(all, force->key_times());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace limber
