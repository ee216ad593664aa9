#include "limber/study/report.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/files.hpp"

namespace limber {

namespace {

namespace fs = std::filesystem;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

/// `code` → <code>code</code>, the rest escaped.
std::string inline_html(const std::string& text) {
  std::string out;
  bool code = false;
  std::string part;
  for (const char c : text + '`') {
    if (c != '`') {
      part += c;
      continue;
    }
    out += code ? "<code>" + escaped(part) + "</code>" : escaped(part);
    part.clear();
    code = !code;
  }
  return out;
}

/// Paragraphs with empty lines between them.
std::string paragraphs_html(const std::string& text) {
  std::string out, line, paragraph;
  std::istringstream lines(text + "\n\n");
  while (std::getline(lines, line)) {
    if (!line.empty()) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    } else if (!paragraph.empty()) {
      out += "<p>" + inline_html(paragraph) + "</p>\n";
      paragraph.clear();
    }
  }
  return out;
}

std::string csv_row(std::vector<std::string> cells) {
  for (std::string& c : cells) c = csv_cell(c);
  return join(cells, ",") + "\n";
}

std::string table_csv(const StudyTable& table) {
  std::string text = csv_row(table.columns);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

/// The first column and those with long texts begin at the left, numbers end at the right.
std::string table_markdown(const StudyTable& table) {
  constexpr std::size_t longest_number = 32;
  std::string text = "| " + join(table.columns, " | ") + " |\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool words = std::any_of(table.rows.begin(), table.rows.end(),
                                   [&](const auto& row) { return row[i].size() > longest_number; });
    text += i == 0 || words ? "---|" : "---:|";
  }
  text += "\n";
  for (const auto& row : table.rows) text += "| " + join(row, " | ") + " |\n";
  return text;
}

std::string table_html(const StudyTable& table) {
  std::string text = "<figure><table><thead><tr>";
  for (const auto& c : table.columns) text += "<th>" + escaped(c) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const auto& cell : row) text += "<td>" + inline_html(cell) + "</td>";
    text += "</tr>\n";
  }
  return text + "</tbody></table><figcaption>" + inline_html(table.title) + "</figcaption></figure>\n";
}

const char* word(Verdict verdict) { return verdict == Verdict::agrees ? "agrees" : "differs"; }

std::string facts_text(const FinishedStudy& study) {
  return fmt::format("{}. {:.0f} s, {} threads.", study.info->shows, std::ceil(study.seconds), threads());
}

/// The section of one study; its files are named from `folder`.
std::string study_markdown(const FinishedStudy& study, const std::string& folder, const std::string& heading) {
  std::string text = fmt::format("{} {}\n\n`limber study {}`: {}\n\n{}\n", heading, study.info->title, study.info->name,
                                 facts_text(study), study.result.text);
  for (const Figure& f : study.result.figures) text += fmt::format("\n![{}]({}{}.png)\n", f.title, folder, f.name);
  for (const StudyMovie& m : study.result.movies)
    text +=
        fmt::format("\n![{}]({}{})\n\n{} (Movie: `{}{}`.)\n", m.caption, folder, m.still, m.caption, folder, m.file);
  for (const StudyTable& t : study.result.tables) text += fmt::format("\n{}:\n\n{}", t.title, table_markdown(t));
  if (!study.result.claims.empty())
    text += fmt::format("\n| {} | | seen here |\n|---|---|---|\n", study.result.claimed);
  for (const Claim& c : study.result.claims)
    text += fmt::format("| {} | **{}** | {} |\n", c.paper, word(c.verdict), c.seen);
  return text;
}

std::string study_html(const FinishedStudy& study, const fs::path& folder) {
  std::string text =
      fmt::format("<section id=\"{0}\">\n<h2>{1}</h2>\n<p class=\"facts\"><code>limber study {0}</code> {2}</p>\n",
                  study.info->name, escaped(study.info->title), escaped(facts_text(study)));
  text += paragraphs_html(study.result.text);
  for (const Figure& f : study.result.figures)
    text += fmt::format("<figure><img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"></figure>\n", escaped(f.title),
                        base64_encoded(read_file((folder / (f.name + ".svg")).string())));
  for (const StudyMovie& m : study.result.movies)
    text += fmt::format(
        "<figure><video controls loop muted playsinline poster=\"data:image/png;base64,{}\" "
        "src=\"data:video/mp4;base64,{}\"></video><figcaption>{}</figcaption></figure>\n",
        base64_encoded(read_file((folder / m.still).string())), base64_encoded(read_file((folder / m.file).string())),
        inline_html(m.caption));
  for (const StudyTable& t : study.result.tables) text += table_html(t);
  if (!study.result.claims.empty())
    text +=
        fmt::format("<table class=\"claims\"><thead><tr><th>{}</th><th></th><th>seen here</th></tr></thead><tbody>\n",
                    escaped(study.result.claimed));
  for (const Claim& c : study.result.claims)
    text += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n", inline_html(c.paper),
                        word(c.verdict), word(c.verdict), inline_html(c.seen));
  if (!study.result.claims.empty()) text += "</tbody></table>\n";
  return text + "</section>\n";
}

constexpr const char* page_head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Limber: studies</title>
<style>
body { font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; color: #222; background: #fff; max-width: 58rem; margin: 0 auto;
       padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; margin: 1.5rem 0 .3rem; } h2 { font-size: 1.35rem; margin: 3rem 0 .2rem; border-top: 1px solid #ddd;
     padding-top: 1.6rem; }
.facts { color: #666; margin-top: 0; } code { background: #f3f3f1; padding: .05em .3em; border-radius: 3px; }
figure { margin: 1.4rem 0; overflow-x: auto; } img { width: 100%; height: auto; } video { width: 100%; }
figcaption { color: #555; font-size: .92rem; margin-top: .3rem; }
table { border-collapse: collapse; font-size: .93rem; } th { text-align: left; font-weight: 600; }
td, th { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #e5e5e5; vertical-align: top; }
.agrees { color: #00664c; font-weight: 600; } .differs { color: #b34700; font-weight: 600; }
nav ul { columns: 2; padding-left: 1.2rem; } nav a { color: #005a8c; }
</style></head><body>
)";

std::string origin_text(const ReportOrigin& origin) {
  return fmt::format(
      "Made by `{}`{}.", origin.command,
      origin.size == StudySize::quick ? ", which takes smaller bodies and fewer points than a full run" : "");
}

/// With the time that all of them took, and the kind of machine.
std::string whole_text(const std::vector<FinishedStudy>& studies, const ReportOrigin& origin) {
  double seconds = 0;
  for (const FinishedStudy& s : studies) seconds += s.seconds;
  const long whole = std::lround(seconds);
  utsname machine{};
  ::uname(&machine);
  return fmt::format("{} Together the studies took {} min {} s with {} threads ({}).", origin_text(origin), whole / 60,
                     whole % 60, threads(), machine.machine);
}

constexpr const char* opening =
    "The experiments of \"Simulating deformable objects for computer animation: a numerical perspective\" (Ascher, "
    "Larionov, Sheen, Pai), run anew, with what the survey claims beside what is seen; and Limber beside published "
    "numbers "
    "and closed forms. Times are of the machine that made this page.";

/// Figures and tables of one name would share a file.
void check_names(const FinishedStudy& study) {
  std::set<std::string> names;
  const auto take = [&](const std::string& name) {
    if (!names.insert(name).second) throw InputError(study.info->name, "two figures or tables are called " + name);
  };
  for (const Figure& f : study.result.figures) take(f.name);
  for (const StudyTable& t : study.result.tables) take(t.name);
}

}  // namespace

void write_study(const FinishedStudy& study, const ReportOrigin& origin, const fs::path& directory) {
  check_names(study);
  for (const Figure& f : study.result.figures) write_figure(f, directory);
  for (const StudyTable& t : study.result.tables)
    write_atomically((directory / (t.name + ".csv")).string(), table_csv(t));
  write_atomically((directory / "study.md").string(),
                   study_markdown(study, "", "#") + "\n" + origin_text(origin) + "\n");
}

void write_report(const std::vector<FinishedStudy>& studies, const ReportOrigin& origin, const fs::path& directory) {
  std::string html = std::string(page_head) + "<h1>Studies</h1>\n" + paragraphs_html(opening) +
                     paragraphs_html(whole_text(studies, origin)) + "<nav><ul>\n";
  std::string markdown = fmt::format("# Studies\n\n{}\n\n{}\n", opening, whole_text(studies, origin));
  for (const FinishedStudy& s : studies)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", s.info->name, escaped(s.info->title));
  html += "</ul></nav>\n";
  for (const FinishedStudy& s : studies) {
    html += study_html(s, directory / s.info->name);
    markdown += '\n';
    markdown += study_markdown(s, s.info->name + "/", "##");
  }
  write_atomically((directory / "index.html").string(), html + "</body></html>\n");
  write_atomically((directory / "README.md").string(), markdown);
}

}  // namespace limber
