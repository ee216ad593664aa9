#pragma once
/// Rows as a table for people, or as JSON or CSV for programs.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measurement.hpp"

namespace limber::bench {

/// One table. All rows have the same references and counts.
std::string table(const std::string& title, const std::vector<Row>& rows);

nlohmann::json json_of(const std::vector<Row>& rows);
/// A line for each row and reference.
std::string csv_of(const std::vector<Row>& rows);

}  // namespace limber::bench
