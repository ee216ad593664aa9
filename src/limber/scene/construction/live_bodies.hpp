#pragma once  // internal
/// The bodies of a scene whose numbers change while its motion goes on. A body is meshed again when something of it is
/// needed first.

#include <map>
#include <memory>
#include <vector>

#include "limber/core/memo.hpp"
#include "limber/scene/construction/placed_body.hpp"

namespace limber {

struct LiveBody {
  std::shared_ptr<const Body> body;
  PlacedBody placed;
};

class LiveBodies {
 public:
  struct Fact {
    int first_node;
    bool solid, rigid, thin;
  };

  LiveBodies(const Scene& scene, const Model& model);

  const std::vector<Fact>& facts() const { return facts_; }
  const Fact& fact(int b) const { return facts_[static_cast<std::size_t>(b)]; }
  /// As it is now. `choice`: what the scene says of it.
  std::shared_ptr<const LiveBody> at(int b, const BodyChoice& choice) const;
  void change(int b, LiveBody now) { changed_[b] = std::make_shared<const LiveBody>(std::move(now)); }
  /// Those that have been changed.
  const std::map<int, std::shared_ptr<const LiveBody>>& changed() const { return changed_; }

 private:
  std::vector<Fact> facts_;
  std::vector<Memo<int, LiveBody>> as_built_;
  std::map<int, std::shared_ptr<const LiveBody>> changed_;
};

}  // namespace limber
