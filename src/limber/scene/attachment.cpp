#include "limber/scene/attachment.hpp"

#include <fmt/format.h>

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/force/springs.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

const Section<AttachmentChoice>& attachment_table() {
  using A = AttachmentChoice;
  const auto read_rest_length = [](const JsonCursor& c, A& attachment) {
    if (c.json() != "initial") attachment.rest_length = c.non_negative(quantity::length);
  };
  static const Section<A> table{
      "attachment",
      {{"a", form::section("attachment_end"), "one end", required},
       {"b", form::section("attachment_end"), "other end", required},
       {"stiffness", &A::stiffness, form::positive(quantity::stiffness), "of each spring", required},
       {"damping", &A::damping, form::non_negative(quantity::damping), "along each spring"},
       {"rest_length", read_rest_length, form::non_negative(quantity::length).or_also(reference("rest_length")),
        "of each spring{}, or `\"initial\"`: the distance at the start", "`\"initial\"`"},
       {"pairing", &A::pairing, form::word("pairing"),
        "`\"nearest\"`: each node of a with the node of b nearest at the start; `\"order\"`: the i-th with the i-th"}}};
  return table;
}

AttachmentEnd read_end(const JsonCursor& place, const std::vector<std::string>& names) {
  const JsonSection s = place.section("attachment_end");
  return {static_cast<int>(s.at("body").word(names, "body")), read_nodes(s.at("nodes"))};
}

void read_attachments(const JsonCursor& list, const ForceOwner& owner, ForceChoices& forces) {
  for (const JsonCursor& place : list.items()) {
    AttachmentChoice attachment = attachment_table().read(place);
    attachment.where = place.path();
    const JsonSection s = place.section("attachment");
    attachment.a = read_end(s.at("a"), owner.names);
    attachment.b = read_end(s.at("b"), owner.names);
    forces.push_back(std::make_shared<AttachmentChoice>(std::move(attachment)));
  }
}

}  // namespace

std::shared_ptr<Force> AttachmentChoice::make(const ForceNodes& all) const {
  const std::vector<int> from = all.resolve(a.nodes, a.body), others = all.resolve(b.nodes, b.body);
  if (pairing == Pairing::order && from.size() != others.size())
    throw InputError(where, fmt::format("pairing in order needs as many nodes on both sides, got {} and {}",
                                        from.size(), others.size()));
  const auto between = [&](int i, int j) {
    const auto node = [&](int k) { return all.positions.segment<3>(3 * static_cast<Index>(k)); };
    return Vec3(node(j) - node(i));
  };
  std::vector<Spring> springs;
  for (std::size_t i = 0; i < from.size(); ++i) {
    int to = -1;
    if (pairing == Pairing::order) {
      to = others[i];
    } else {
      double least = std::numeric_limits<double>::infinity();
      for (const int j : others)
        if (const double d = between(from[i], j).squaredNorm(); d < least) least = d, to = j;
    }
    springs.push_back({WeightedPoint::node(from[i]), WeightedPoint::node(to), stiffness,
                       rest_length.value_or(between(from[i], to).norm()), damping});
  }
  return std::make_shared<PointSprings>(std::move(springs), static_cast<int>(all.positions.size() / 3),
                                        EnergyKind::elastic, where);
}

ForceKind attachment_kind() {
  return {ForceKind::Of::scene,
          {"attachments", form::list("attachment"), "a list of [springs between bodies](#attachments)", "none"},
          {attachment_table(),
           {"attachment_end",
            {{"body", form::other(R"({"type": "string"})"), "a body's name", required},
             {"nodes", form::section("selection"), "a [selection](#selections) on this body", required}}}},
          read_attachments};
}

}  // namespace limber
