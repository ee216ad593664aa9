#pragma once  // internal
/// Derivatives by Young's modulus of each element of a solid body, all of them for the price of two force evaluations:
/// an element's force depends on its own modulus alone, so that the elements are taken apart.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "limber/gradient/variation.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

/// The body in "bodies[2" + after, such as "].element.young"; nothing for another name.
std::optional<int> body_before(const std::string& name, std::string_view after);
/// Throws InputError(name, …) if there is no such body.
const BodyChoice& choice_of_body(const Scene& scene, int body, const std::string& name);

/// The body in "bodies[2].element.young"; nothing for another name.
std::optional<int> body_of_elements(const std::string& name);

/// Other moduli [Pa] of a body's elements than those of the scene; null: the scene's.
using OtherModuli = const std::vector<double>*;

/// Throws InputError(name, …) if an element's force depends on other elements' moduli, or damping on them.
std::unique_ptr<SystemVariation> make_element_variation(const Scene& scene, const Model& model, int body,
                                                        const std::string& name, OtherModuli other = nullptr);

/// [Pa] of each element.
std::vector<double> element_moduli(const Scene& scene, const Model& model, int body);
/// Gives the model other ones, as long as nothing simulates it. Throws InputError.
void set_element_moduli(const Scene& scene, Model& model, int body, const std::vector<double>& moduli);

}  // namespace limber
