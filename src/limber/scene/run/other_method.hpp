#pragma once
/// The same scene under another method.

#include <nlohmann/json.hpp>
#include <string>

namespace limber {

/// `json`: a scene as its file has it. Of what its method is given, the parameters that the other one takes too stay: a
/// number of modes only goes to hybrids. Throws InputError("method.name", …) if there is no such method.
nlohmann::json with_method(nlohmann::json json, const std::string& name);

}  // namespace limber
