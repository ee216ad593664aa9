#pragma once
/// What a study leaves on disk: its figures and tables, and pages that show them.

#include <filesystem>
#include <string>
#include <vector>

#include "limber/study/study.hpp"

namespace limber {

struct FinishedStudy {
  const StudyInfo* info = nullptr;
  StudyResult result;
  double seconds = 0;  // that it took
};

/// How a report came about: said at its top.
struct ReportOrigin {
  std::string command;
  StudySize size = StudySize::full;
};

/// Files of figures and tables, and study.md, in the study's directory. Throws OutputError.
void write_study(const FinishedStudy& study, const ReportOrigin& origin, const std::filesystem::path& directory);

/// index.html, which holds all figures and movies itself, and README.md, which names them. The directory has one
/// folder for each study, of its name.
void write_report(const std::vector<FinishedStudy>& studies, const ReportOrigin& origin,
                  const std::filesystem::path& directory);

}  // namespace limber
