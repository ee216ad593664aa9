#include "limber/record/summary.hpp"

#include <nlohmann/json.hpp>

#include "limber/record/files.hpp"

namespace limber {

void write_summary(const std::string& path, const nlohmann::json& summary) {
  write_atomically(path, summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace limber
