//! `cargo xtask table impara`: Table II of the paper, with its figures beside ours.
//!
//! B. Wachter, D. Kroening, J. Ouaknine, *Verifying multi-threaded software with Impact*, FMCAD 2013, Table II: nine programs in four
//! configurations. |V| is the number of nodes of the tree, "impl" of the implications that needed a solver, C the share of
//! nodes that cover expansions made; `>n` is how many nodes a run had when its time was over. Their seconds are those of a
//! machine of 2013; the other figures do not depend on one.
//!
//! The programs are public (SV-COMP: `pthread-atomic`, `pthread`). Among the tasks below a folder, this table picks its own by file
//! name and expected verdict; `threadproof bench` runs them, and all that it gets to see is the program.

use crate::workspace::{binary, target};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The paper's configurations, in its order, with the values of `--por` and `--force-cover`.
const CONFIGURATIONS: [(&str, &str, &str); 4] =
    [("sPOR", "spor", "off"), ("sPOR+FC", "spor", "on"), ("dPOR", "dpor", "off"), ("dPOR+FC", "dpor", "on")];

/// A cell of the table.
#[derive(Clone, Copy, Debug)]
struct Figures {
    seconds: f64,
    nodes: u64,
    implications: u64,
    /// The share of cover expansions in percent; 0 where the paper's rule makes none.
    cover_expansions: u64,
}

const fn cell(seconds: f64, nodes: u64, implications: u64, cover_expansions: u64) -> Option<Figures> {
    Some(Figures { seconds, nodes, implications, cover_expansions })
}

/// A line of the table.
struct Line {
    /// The paper's name.
    name: &'static str,
    /// The task's file, without a number at its end.
    file: &'static str,
    safe: bool,
    /// In the order of [`CONFIGURATIONS`]; nothing where the paper's run timed out.
    figures: [Option<Figures>; 4],
}

const fn line(name: &'static str, file: &'static str, safe: bool, figures: [Option<Figures>; 4]) -> Line {
    Line { name, file, safe, figures }
}

#[rustfmt::skip] // a table
const LINES: [Line; 9] = [
    line("dekker", "dekker", true, [cell(1.3, 7407, 9, 0), cell(0.2, 504, 8, 0), cell(0.1, 433, 3, 0), cell(0.1, 331, 2, 0)]),
    line("lamport", "lamport", true, [cell(9.6, 36624, 223, 0), cell(1.0, 4740, 226, 0), cell(1.0, 7418, 149, 54), cell(0.3, 1700, 205, 13)]),
    line("peterson", "peterson", true, [cell(0.7, 3155, 55, 0), cell(0.1, 419, 89, 0), cell(0.3, 1081, 43, 0), cell(0.1, 199, 16, 0)]),
    line("szymanski", "szymanski", true, [cell(2.3, 13332, 14, 0), cell(0.3, 1059, 5, 0), cell(0.2, 1264, 5, 0), cell(0.2, 673, 2, 0)]),
    line("read_write_u", "read_write_lock", false, [cell(5.4, 31786, 23, 0), cell(1.0, 7628, 119, 0), cell(1.6, 18261, 59, 0), cell(0.6, 4899, 53, 0)]),
    line("read_write_s", "read_write_lock", true, [cell(75.2, 109_096, 148, 0), cell(7.0, 12932, 1457, 0), cell(5.0, 36777, 129, 14), cell(0.9, 7065, 223, 15)]),
    line("time_var_mutex", "time_var_mutex", true, [cell(0.2, 867, 4, 0), cell(0.2, 867, 6, 0), cell(0.2, 435, 3, 0), cell(0.1, 252, 1, 0)]),
    line("stack_u", "stack", false, [None, None, cell(3.1, 2589, 717, 0), cell(0.5, 424, 81, 0)]),
    line("stack_s", "stack", true, [None, None, None, cell(38.8, 2037, 4420, 0)]),
];

/// What `threadproof bench` says about a task in a configuration.
#[derive(Clone, Debug)]
struct Row {
    configuration: &'static str,
    /// The number of its line in the table.
    line: usize,
    verdict: String,
    status: String,
    seconds: f64,
    stats: Value,
}

impl Row {
    /// Reads a row; `None` if it is not of this table.
    fn read(configuration: &'static str, row: &Value) -> Option<Row> {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let file = file_of(Path::new(row["task"].as_str()?))?;
        let known = |line: &Line| line.file == file && row["expected"].as_bool() == Some(line.safe);
        Some(Row {
            configuration,
            line: LINES.iter().position(known).filter(|_| row["property"] == "unreach-call")?,
            verdict: text("verdict"),
            status: text("status"),
            seconds: row["seconds"].as_f64().unwrap_or(0.0),
            stats: row["stats"].clone(),
        })
    }

    fn is_right(&self) -> bool {
        self.status == "right"
    }
}

/// A task's name without a number at its end.
fn file_of(task: &Path) -> Option<&str> {
    let stem = task.file_stem()?.to_str()?;
    let numbered = stem.rsplit_once('-').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    Some(numbered.map_or(stem, |(file, _)| file))
}

/// Runs the table's tasks among those below `folder`, `seconds` for each, and prints the table.
pub fn table(folder: &Path, seconds: u32) -> Result<(), String> {
    let mut tasks = testkit::corpus::files_below(folder, &["yml"]);
    tasks.retain(|task| file_of(task).is_some_and(|file| LINES.iter().any(|line| line.file == file)));
    if tasks.is_empty() {
        return Err(format!("there are no tasks of the table below {}", folder.display()));
    }
    let mut rows = Vec::new();
    for configuration in CONFIGURATIONS {
        let mut found = run(&tasks, configuration, seconds)?;
        // The same program may be a task of several categories.
        found.sort_by_key(|row| row.line);
        found.dedup_by_key(|row| row.line);
        rows.extend(found);
    }
    print!("{}", render(&rows));
    Ok(())
}

fn run(
    tasks: &[PathBuf],
    (name, por, force_cover): (&'static str, &str, &str),
    seconds: u32,
) -> Result<Vec<Row>, String> {
    let json = target().join(format!("impara-{name}.json"));
    let status = Command::new(binary())
        .args(["bench", "--engine", "impact", "--property", "unreach-call", "--por", por])
        .args(["--force-cover", force_cover, "--timeout", &format!("{seconds}s"), "--json"])
        .arg(&json)
        .args(tasks)
        .stdout(std::process::Stdio::null())
        .status();
    // Exit code 1 is a wrong answer, which the table shows.
    match status.map_err(|e| format!("{}: {e}", binary().display()))?.code() {
        Some(0 | 1) => {}
        code => return Err(format!("`threadproof bench` ends with {code:?}")),
    }
    let text = std::fs::read_to_string(&json).map_err(|e| format!("{}: {e}", json.display()))?;
    let rows: Vec<Value> = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", json.display()))?;
    Ok(rows.iter().filter_map(|row| Row::read(name, row)).collect())
}

const HEADINGS: [&str; 13] = [
    "program",
    "safe",
    "configuration",
    "verdict",
    "|V|",
    "paper",
    "ratio",
    "impl",
    "paper",
    "C",
    "paper",
    "s",
    "paper",
];

/// The table, and how it compares.
fn render(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![HEADINGS.map(str::to_owned).to_vec()];
    for (n, line) in LINES.iter().enumerate() {
        for (at, (configuration, _, _)) in CONFIGURATIONS.iter().enumerate() {
            let row = rows.iter().find(|r| r.configuration == *configuration && r.line == n);
            lines.extend(row.map(|row| shown(line, at, row)));
        }
    }
    format!("{}\n{}", aligned(&lines), compared(rows))
}

fn count(row: &Row, name: &str) -> Option<u64> {
    row.stats[name].as_u64()
}

/// The nodes of a run that came to its end.
fn nodes(row: &Row) -> Option<u64> {
    count(row, "nodes").filter(|_| row.is_right())
}

/// How far a run came that did not end.
fn at_least(row: &Row) -> String {
    count(row, "nodes").filter(|n| *n > 0).map_or_else(|| "–".to_owned(), |n| format!(">{n}"))
}

fn shown(line: &Line, at: usize, row: &Row) -> Vec<String> {
    let paper = line.figures[at];
    let dash = || "–".to_owned();
    let text = |n: Option<u64>| n.map_or_else(dash, |n| n.to_string());
    let ratio = nodes(row).zip(paper).map(|(ours, paper)| format!("{:.2}", ours as f64 / paper.nodes as f64));
    let share = count(row, "cover_expansion_nodes").zip(nodes(row));
    let share = share.map(|(n, all)| format!("{}%", 100 * n / all.max(1)));
    let verdict = if row.is_right() { &row.verdict } else { &row.status };
    vec![
        line.name.to_owned(),
        if line.safe { "yes" } else { "no" }.to_owned(),
        row.configuration.to_owned(),
        verdict.split('(').next().unwrap_or_default().to_owned(),
        nodes(row).map_or_else(|| at_least(row), |n| n.to_string()),
        paper.map_or_else(|| "timeout".to_owned(), |p| p.nodes.to_string()),
        ratio.unwrap_or_else(dash),
        text(count(row, "solver_implications").filter(|_| nodes(row).is_some())),
        text(paper.map(|p| p.implications)),
        share.unwrap_or_else(dash),
        paper.map_or_else(dash, |p| format!("{}%", p.cover_expansions)),
        format!("{:.2}", row.seconds),
        paper.map_or_else(dash, |p| p.seconds.to_string()),
    ]
}

/// What the paper's table shows, asked of ours.
fn compared(rows: &[Row]) -> String {
    let row =
        |n: usize, configuration: &str| rows.iter().find(|r| r.configuration == configuration && r.line == n);
    let of = |n: usize, configuration: &str| row(n, configuration).and_then(nodes);
    let mut text = String::new();
    for (at, (configuration, _, _)) in CONFIGURATIONS.iter().enumerate() {
        let asked = rows.iter().filter(|r| r.configuration == *configuration).count();
        let solved = (0..LINES.len()).filter(|n| of(*n, configuration).is_some()).count();
        let small = (0..LINES.len())
            .filter(|n| of(*n, configuration).zip(LINES[*n].figures[at]).is_some_and(|(v, p)| v <= p.nodes));
        let both = (0..LINES.len())
            .filter(|n| of(*n, configuration).is_some() && LINES[*n].figures[at].is_some())
            .count();
        text.push_str(&format!(
            "{configuration}: {solved} of {asked} solved; |V| at or below the paper's in {} of {both}\n",
            small.count()
        ));
    }
    for (less, more) in [("sPOR+FC", "sPOR"), ("dPOR+FC", "dPOR"), ("dPOR", "sPOR"), ("dPOR+FC", "sPOR+FC")] {
        // A run that was stopped has at least so many nodes as it had then: that may be enough to decide.
        let known: Vec<bool> = (0..LINES.len())
            .filter_map(|n| {
                let small = of(n, less)?;
                let bound = row(n, more).and_then(|r| count(r, "nodes"))?;
                let decided = of(n, more).is_some() || bound >= small;
                decided.then_some(small <= bound)
            })
            .collect();
        let kept = known.iter().filter(|kept| **kept).count();
        text.push_str(&format!("{less} ≤ {more} in {kept} of {} programs\n", known.len()));
    }
    text
}

/// Lines of cells as columns: the first to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let show = |line: &Vec<String>| {
        let mut text = format!("{:<1$}", line[0], width(0));
        for (column, cell) in line.iter().enumerate().skip(1) {
            text.push_str(&format!("  {cell:>0$}", width(column)));
        }
        text.trim_end().to_owned() + "\n"
    };
    lines.iter().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn json_row(task: &str, expected: bool, status: &str, nodes: u64) -> Value {
        json!({
            "task": task,
            "property": "unreach-call",
            "expected": expected,
            "verdict": if expected { "true" } else { "false(unreach-call)" },
            "status": status,
            "seconds": 0.5,
            "stats": { "nodes": nodes, "solver_implications": 4 },
        })
    }

    fn row(task: &str, expected: bool, configuration: &'static str, nodes: u64) -> Row {
        Row::read(configuration, &json_row(task, expected, "right", nodes))
            .expect("it should be of the table")
    }

    #[test]
    fn tasks_are_found_by_name_and_verdict() {
        for (task, expected, name) in [
            ("a/dekker.yml", true, Some("dekker")),
            ("a/dekker.yml", false, None),
            ("stack-1.yml", true, Some("stack_s")),
            ("stack-2.yml", false, Some("stack_u")),
            ("stack_longer-1.yml", true, None),
            ("read_write_lock-2.yml", true, Some("read_write_s")),
            ("gcd-2.yml", true, None),
        ] {
            let row = Row::read("dPOR", &json_row(task, expected, "right", 1));
            assert_eq!(row.map(|row| LINES[row.line].name), name, "{task}");
        }
    }

    /// Sums over the columns of the paper's table, so that a slip of the pen does not stay unnoticed.
    #[test]
    fn the_figures_are_the_papers() {
        let sum = |at: usize, what: fn(&Figures) -> u64| -> u64 {
            LINES.iter().filter_map(|line| line.figures[at].as_ref()).map(what).sum()
        };
        let nodes: Vec<u64> = (0..4).map(|at| sum(at, |f| f.nodes)).collect();
        assert_eq!(nodes, [202_267, 28_149, 68_258, 17_580]);
        let implications: Vec<u64> = (0..4).map(|at| sum(at, |f| f.implications)).collect();
        assert_eq!(implications, [476, 1_910, 1_108, 5_003]);
        let expansions: Vec<u64> = (0..4).map(|at| sum(at, |f| f.cover_expansions)).collect();
        assert_eq!(expansions, [0, 0, 68, 28]);
    }

    #[test]
    fn ours_stand_beside_the_papers() {
        let rows = [
            row("dekker.yml", true, "sPOR", 500),
            row("dekker.yml", true, "dPOR+FC", 331),
            row("stack-2.yml", false, "dPOR+FC", 848),
        ];
        let text = render(&rows);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(
            lines[1],
            ["dekker", "yes", "sPOR", "true", "500", "7407", "0.07", "4", "9", "–", "0%", "0.50", "1.3"]
        );
        assert_eq!(lines[3][..7], ["stack_u", "no", "dPOR+FC", "false", "848", "424", "2.00"]);
        assert!(text.contains("dPOR+FC: 2 of 2 solved; |V| at or below the paper's in 1 of 2"), "{text}");
        assert!(text.contains("dPOR+FC ≤ dPOR in 0 of 0 programs"), "{text}");
        let stopped = Row::read("dPOR", &json_row("dekker.yml", true, "timeout", 900));
        let text = render(&[rows[1].clone(), stopped.expect("it should be of the table")]);
        assert!(text.contains(">900") && text.contains("dPOR+FC ≤ dPOR in 1 of 1 programs"), "{text}");
    }
}
