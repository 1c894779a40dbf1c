//! `bench --table impara`: Table II of the paper, with its figures beside ours.
//!
//! B. Wachter, D. Kroening, J. Ouaknine, *Verifying multi-threaded software with Impact*, FMCAD 2013, Table II: nine programs in four
//! configurations. |V| is the number of nodes of the tree, "impl" of the implications that needed a solver, C the share of
//! nodes that cover expansions made; `>n` is how many nodes a run had when its time was over. Their seconds are those of a machine of 2013; the other figures do not depend on one.
//!
//! The programs are public (SV-COMP: `pthread-atomic`, `pthread`). Among the tasks that it is given, this table picks its own by file
//! name and expected verdict; that is for the print-out alone, and all that a run gets to see is the program.

use super::rows::{Row, Status};
use super::table::aligned;
use super::task::Task;
use crate::args::{BenchArgs, EngineName, PorName, SearchOptions, Switch};
use program::Property;

/// The paper's configurations, in its order.
pub const CONFIGURATIONS: [(&str, PorName, Switch); 4] = [
    ("sPOR", PorName::Spor, Switch::Off),
    ("sPOR+FC", PorName::Spor, Switch::On),
    ("dPOR", PorName::Dpor, Switch::Off),
    ("dPOR+FC", PorName::Dpor, Switch::On),
];

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

const LINES: [Line; 9] = [
    Line {
        name: "dekker",
        file: "dekker",
        safe: true,
        figures: [cell(1.3, 7407, 9, 0), cell(0.2, 504, 8, 0), cell(0.1, 433, 3, 0), cell(0.1, 331, 2, 0)],
    },
    Line {
        name: "lamport",
        file: "lamport",
        safe: true,
        figures: [
            cell(9.6, 36624, 223, 0),
            cell(1.0, 4740, 226, 0),
            cell(1.0, 7418, 149, 54),
            cell(0.3, 1700, 205, 13),
        ],
    },
    Line {
        name: "peterson",
        file: "peterson",
        safe: true,
        figures: [
            cell(0.7, 3155, 55, 0),
            cell(0.1, 419, 89, 0),
            cell(0.3, 1081, 43, 0),
            cell(0.1, 199, 16, 0),
        ],
    },
    Line {
        name: "szymanski",
        file: "szymanski",
        safe: true,
        figures: [
            cell(2.3, 13332, 14, 0),
            cell(0.3, 1059, 5, 0),
            cell(0.2, 1264, 5, 0),
            cell(0.2, 673, 2, 0),
        ],
    },
    Line {
        name: "read_write_u",
        file: "read_write_lock",
        safe: false,
        figures: [
            cell(5.4, 31786, 23, 0),
            cell(1.0, 7628, 119, 0),
            cell(1.6, 18261, 59, 0),
            cell(0.6, 4899, 53, 0),
        ],
    },
    Line {
        name: "read_write_s",
        file: "read_write_lock",
        safe: true,
        figures: [
            cell(75.2, 109_096, 148, 0),
            cell(7.0, 12932, 1457, 0),
            cell(5.0, 36777, 129, 14),
            cell(0.9, 7065, 223, 15),
        ],
    },
    Line {
        name: "time_var_mutex",
        file: "time_var_mutex",
        safe: true,
        figures: [cell(0.2, 867, 4, 0), cell(0.2, 867, 6, 0), cell(0.2, 435, 3, 0), cell(0.1, 252, 1, 0)],
    },
    Line {
        name: "stack_u",
        file: "stack",
        safe: false,
        figures: [None, None, cell(3.1, 2589, 717, 0), cell(0.5, 424, 81, 0)],
    },
    Line {
        name: "stack_s",
        file: "stack",
        safe: true,
        figures: [None, None, None, cell(38.8, 2037, 4420, 0)],
    },
];

/// The line of a task, if it has one.
fn line_of(task: &Task) -> Option<usize> {
    let stem = task.path.file_stem()?.to_str()?;
    let numbered = stem.rsplit_once('-').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    let file = numbered.map_or(stem, |(file, _)| file);
    let known = LINES.iter().position(|line| line.file == file && task.expected == Some(line.safe));
    known.filter(|_| task.property == Property::UnreachCall)
}

/// The tasks of the table, in its order.
pub fn tasks_of_the_table(tasks: Vec<Task>) -> Vec<Task> {
    let mut known: Vec<(usize, Task)> = tasks.into_iter().filter_map(|t| Some((line_of(&t)?, t))).collect();
    known.sort_by_key(|(line, _)| *line);
    known.dedup_by_key(|(line, _)| *line);
    known.into_iter().map(|(_, task)| task).collect()
}

/// What is asked of each task: a name and the arguments for it.
pub fn configured(args: &BenchArgs) -> Vec<(&'static str, BenchArgs)> {
    let with = |(name, por, force_cover)| {
        let search = SearchOptions { engine: EngineName::Impact, por, force_cover, ..args.search.clone() };
        (name, BenchArgs { search, ..args.clone() })
    };
    CONFIGURATIONS.into_iter().map(with).collect()
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
pub fn render(rows: &[Row]) -> String {
    let mut lines: Vec<Vec<String>> = vec![HEADINGS.map(str::to_owned).to_vec()];
    for (n, line) in LINES.iter().enumerate() {
        for (at, (configuration, _, _)) in CONFIGURATIONS.iter().enumerate() {
            let row = rows.iter().find(|r| r.configuration == *configuration && line_of(&r.task) == Some(n));
            lines.extend(row.map(|row| shown(line, at, row)));
        }
    }
    format!("{}\n{}", aligned(&lines), compared(rows))
}

fn count(row: &Row, name: &str) -> Option<u64> {
    row.stats.get(name).and_then(serde_json::Value::as_u64)
}

/// The nodes of a run that came to its end.
fn nodes(row: &Row) -> Option<u64> {
    count(row, "nodes").filter(|_| row.status == Status::Right)
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
    let verdict =
        if row.status == Status::Right { row.verdict.clone() } else { row.status.name().to_owned() };
    vec![
        line.name.to_owned(),
        if line.safe { "yes" } else { "no" }.to_owned(),
        row.configuration.clone(),
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
    let row = |n: usize, configuration: &str| {
        rows.iter().find(|r| r.configuration == configuration && line_of(&r.task) == Some(n))
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn task(path: &str, expected: bool) -> Task {
        Task {
            path: path.into(),
            category: "c".into(),
            input_files: Vec::new(),
            property: Property::UnreachCall,
            property_file: None,
            expected: Some(expected),
            data_model: None,
        }
    }

    fn row(path: &str, expected: bool, configuration: &str, nodes: u64) -> Row {
        let verdict = if expected { "true" } else { "false(unreach-call)" };
        let output = format!("stats: {{\"nodes\":{nodes},\"solver_implications\":4}}\nverdict: {verdict}\n");
        let row = Row::from_output(&task(path, expected), &output, None);
        Row { configuration: configuration.to_owned(), seconds: 0.5, ..row }
    }

    #[test]
    fn tasks_are_found_by_name_and_verdict() {
        for (path, expected, name) in [
            ("a/dekker.yml", true, Some("dekker")),
            ("a/dekker.yml", false, None),
            ("stack-1.yml", true, Some("stack_s")),
            ("stack-2.yml", false, Some("stack_u")),
            ("stack_longer-1.yml", true, None),
            ("read_write_lock-2.yml", true, Some("read_write_s")),
            ("gcd-2.yml", true, None),
        ] {
            assert_eq!(line_of(&task(path, expected)).map(|n| LINES[n].name), name, "{path}");
        }
        let tasks = vec![task("stack-2.yml", false), task("scull.yml", true), task("dekker.yml", true)];
        let paths: Vec<_> = tasks_of_the_table(tasks).into_iter().map(|t| t.path).collect();
        assert_eq!(paths, [std::path::PathBuf::from("dekker.yml"), "stack-2.yml".into()]);
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
        let output = "stats: {\"nodes\":900}\nverdict: unknown(timeout)\n";
        let stopped = Row::from_output(&task("dekker.yml", true), output, None);
        let stopped = Row { configuration: "dPOR".to_owned(), ..stopped };
        let text = render(&[rows[1].clone(), stopped]);
        assert!(text.contains(">900") && text.contains("dPOR+FC ≤ dPOR in 1 of 1 programs"), "{text}");
    }
}
