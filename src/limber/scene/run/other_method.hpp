#pragma once
/// The same scene under another method.

#include <string>

#include "limber/scene/document.hpp"

namespace limber {

/// `scene`: as its file has it. Of what its method is given, the parameters that the other one takes too stay: a
/// number of modes only goes to hybrids. Throws InputError("method.name", …) if there is no such method.
Document with_method(const Document& scene, const std::string& name);

}  // namespace limber
