#pragma once
/// summary.json: what a run did, for people and programs. Replaced as a whole, so it is never half a file.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace limber {

/// Numbers that are not finite become null.
void write_summary(const std::string& path, const nlohmann::json& summary);

}  // namespace limber
