#pragma once  // internal
/// The bars that meet a wall again and again, by every method: what the page of validation says of them.

#include "limber/study/study.hpp"

namespace limber {

/// The rows of the table of cases.
std::vector<std::vector<std::string>> impact_case_rows();

/// Adds figures, tables, claims and a paragraph.
void add_impacts(const StudyContext& context, StudyResult& result);

}  // namespace limber
