#pragma once
/// A study: an experiment of the survey, run anew. It gives figures, tables and movies, a paragraph of what is seen,
/// and the survey's claims, each with "agrees" or "differs, because …". One function and one row of the catalog each.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "limber/study/figure.hpp"

namespace limber {

/// quick: smaller bodies and fewer points, so that all studies take minutes; the figures say what they always say.
enum class StudySize { quick, full };

enum class Verdict { agrees, differs };

struct Claim {
  std::string paper;  // what the survey says, and where
  Verdict verdict = Verdict::agrees;
  std::string seen;  // what was measured; where it differs: because …
};

struct StudyTable {
  std::string name, title;  // of its file, name.csv; what it shows
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct StudyMovie {
  std::string file, still, caption;  // .mp4 and .png in the study's directory, which the study has written
};

struct StudyResult {
  std::string text;  // Markdown: what was done, what is seen
  std::vector<Figure> figures;
  std::vector<StudyTable> tables;
  std::vector<StudyMovie> movies;
  std::vector<Claim> claims;
  std::string claimed = "the survey says";  // heads the claims
};

/// What a study is given.
struct StudyContext {
  StudySize size = StudySize::full;
  std::filesystem::path directory;  // for its movies and whatever it keeps
  std::function<void(double part, const std::string& what)> progress =
      {};  // part of the work, 0 to 1; may throw to end it

  bool quick() const { return size == StudySize::quick; }
  void tell(double part, const std::string& what) const {
    if (progress) progress(part, what);
  }
};

struct StudyInfo {
  std::string name, title;
  std::string shows;  // the figure or section of the survey
  StudyResult (*run)(const StudyContext&);
  double share;  // [s] that the whole study took on two cores: for the time left
};

/// In the order of the report.
const std::vector<StudyInfo>& study_catalog();
/// Throws InputError with the names that there are.
const StudyInfo& find_study(const std::string& name);

}  // namespace limber
