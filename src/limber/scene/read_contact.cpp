#include <fmt/format.h>

#include <map>
#include <set>

#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

FrictionPair read_friction_pair(const JsonCursor& place) {
  const JsonSection s = place.section("friction_pair");
  const JsonCursor between = s.at("between");
  if (!between.is_list() || between.json().size() != 2) between.fail_type("two names of bodies or obstacles");
  return {
      place.path(), {between.item(0).text(), between.item(1).text()}, s.at("friction").non_negative(quantity::ratio)};
}

/// A pair may be named twice, in any order, with one and the same μ only.
void refuse_contradictions(const std::vector<FrictionPair>& pairs) {
  std::map<std::set<std::string>, const FrictionPair*> known;
  for (const FrictionPair& p : pairs) {
    const auto [it, fresh] = known.emplace(std::set<std::string>(p.between.begin(), p.between.end()), &p);
    if (!fresh && it->second->mu != p.mu)
      throw InputError(p.where + ".friction",
                       fmt::format("{} contradicts {}, which gives '{}' and '{}' {}; leave one of them out", p.mu,
                                   it->second->where, p.between[0], p.between[1], it->second->mu));
  }
}

void read_friction(const JsonCursor& place, ContactChoice& contact) {
  if (!place.is_object()) {
    contact.friction = place.non_negative(quantity::ratio);
    return;
  }
  const JsonSection s = place.section("friction_table");
  if (const auto c = s.find("default")) contact.friction = c->non_negative(quantity::ratio);
  contact.friction_pairs = read_list(s, "pairs", read_friction_pair);
  refuse_contradictions(contact.friction_pairs);
}

const Section<ContactChoice>& contact_table() {
  using C = ContactChoice;
  static const Section<C> table{
      "contact",
      {{"formulation", &C::formulation, form::word("formulation"),
        "`\"barrier\"`: a force that keeps gaps open. `\"nonpenetration\"`, `\"velocity\"`: linearised inequalities on "
        "gaps, or on their rates too, for comparison; [which promise less](contact.md#the-other-two-formulations)"},
       {"delta", &C::delta, form::positive(quantity::length), "δ{}: things closer than this push each other apart",
        "10⁻³ × the diagonal of the box around all bodies at the start, and at most a quarter of the mean surface edge "
        "of any body"},
       {"stiffness", &C::stiffness, form::positive(quantity::stiffness),
        "κ{}: the barrier's factor, the same for all pairs", "adaptive, below"},
       {"friction", read_friction, form::non_negative(quantity::ratio).or_also(reference("friction_table")),
        "μ of all pairs{}; or a [table](#friction-by-pairs)", "`0`"},
       {"friction_form", &C::friction_form, form::word("friction_form"),
        "`\"coupled\"`: normal force and sliding direction are those of the end of the step. `\"lagged\"`: they follow "
        "in "
        "an outer iteration"},
       {"epsilon", &C::epsilon, form::positive(quantity::velocity),
        "ε{}: sliding speed from which friction is fully developed"},
       {"surface", &C::surface, form::word("contact_surface"),
        "what the points of bodies meet: the `\"triangles\"` of other surfaces, or a "
        "[`\"smooth\"`](contact.md#smooth-surfaces) implicit function through them"},
       {"self", &C::self, form::flag(), "whether a body collides with itself"},
       {"start", &C::start, form::word("contact_start"),
        "bodies that cross or touch something at the start: `\"refuse\"` the scene with the pair, the place and the "
        "depth, "
        "or `\"push_apart\"`"}}};
  return table;
}

}  // namespace

std::vector<SectionTable> contact_sections() {
  return {contact_table(),
          {"friction_table",
           {{"default", form::non_negative(quantity::ratio), "μ of all pairs that are not named", "`0`"},
            {"pairs", form::list("friction_pair"), "a list of pairs", "none"}}},
          {"friction_pair",
           {{"between", form::other(R"({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2})"),
             "the names of two bodies or obstacles, in any order; the same name twice: a body with itself", required},
            {"friction", form::non_negative(quantity::ratio),
             "μ{}; a pair that is named twice with different numbers is an error", required}}}};
}

ContactChoice read_contact(const JsonCursor& place) { return contact_table().read(place); }

}  // namespace limber
