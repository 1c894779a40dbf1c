//! The table of a benchmark run: a line per category, a total, and the answers that need attention.

use super::rows::{Row, Status};
use std::collections::BTreeMap;

const HEADINGS: [&str; 10] = [
    "category",
    "tasks",
    "right true",
    "right false",
    "wrong",
    "unknown",
    "timeout",
    "error",
    "total s",
    "median s",
];

/// Shows all rows as a table, with wrong answers and errors listed below it.
pub fn render(rows: &[Row]) -> String {
    let mut categories: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        categories.entry(&row.task.category).or_default().push(row);
    }
    let mut lines: Vec<[String; 10]> = vec![HEADINGS.map(str::to_owned)];
    lines.extend(categories.iter().map(|(name, rows)| line(name, rows)));
    if categories.len() != 1 {
        lines.push(line("all", &rows.iter().collect::<Vec<_>>()));
    }
    let mut text = aligned(&lines);
    text.push_str(&listed("wrong answers", rows, Status::Wrong));
    text.push_str(&listed("errors", rows, Status::Error));
    text
}

fn line(name: &str, rows: &[&Row]) -> [String; 10] {
    let count = |status: Status| rows.iter().filter(|r| r.status == status).count();
    let right = |answer: bool| {
        rows.iter().filter(|r| r.status == Status::Right && r.task.expected == Some(answer)).count()
    };
    let total: f64 = rows.iter().map(|r| r.seconds).sum();
    [
        name.to_owned(),
        rows.len().to_string(),
        right(true).to_string(),
        right(false).to_string(),
        count(Status::Wrong).to_string(),
        count(Status::Unknown).to_string(),
        count(Status::Timeout).to_string(),
        count(Status::Error).to_string(),
        format!("{total:.1}"),
        format!("{:.3}", median(rows)),
    ]
}

fn median(rows: &[&Row]) -> f64 {
    let mut seconds: Vec<f64> = rows.iter().map(|r| r.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    match seconds.len() {
        0 => 0.0,
        n if n % 2 == 1 => seconds[n / 2],
        n => (seconds[n / 2 - 1] + seconds[n / 2]) / 2.0,
    }
}

/// Lines of cells in columns: the first one to the left, all others to the right.
fn aligned(lines: &[[String; 10]]) -> String {
    let lines: Vec<&[String]> = lines.iter().map(AsRef::as_ref).collect();
    let width = |column: usize| lines.iter().map(|l| l[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines.first().map_or(0, |l| l.len())).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(
                |(n, (cell, width))| {
                    if n == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn listed(title: &str, rows: &[Row], status: Status) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|r| r.status == status) {
        if text.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
        }
        let expected = row.task.expected.map_or("?".into(), |e| e.to_string());
        let path = row.task.path.display();
        text.push_str(&format!("  {path}  {}: expected {expected}, got {}", row.task.property, row.verdict));
        if !row.message.is_empty() {
            text.push_str(&format!(" ({})", row.message));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::task::Task;
    use program::Property;

    fn row(category: &str, verdict: &str, expected: bool, seconds: f64) -> Row {
        let task = Task {
            path: format!("{category}/a.yml").into(),
            category: category.into(),
            input_files: Vec::new(),
            property: Property::UnreachCall,
            property_file: None,
            expected: Some(expected),
            data_model: None,
        };
        Row { seconds, ..Row::from_output(&task, &format!("verdict: {verdict}\n"), None) }
    }

    #[test]
    fn rows_are_counted() {
        let rows = [
            row("locks", "true", true, 1.0),
            row("locks", "false(unreach-call)", false, 2.0),
            row("atomic", "true", false, 4.0),
            row("atomic", "unknown(timeout)", true, 30.0),
        ];
        let expected = "\
category  tasks  right true  right false  wrong  unknown  timeout  error  total s  median s
atomic        2           0            0      1        0        1      0     34.0    17.000
locks         2           1            1      0        0        0      0      3.0     1.500
all           4           1            1      1        0        1      0     37.0     3.000

wrong answers:
  atomic/a.yml  unreach-call: expected false, got true
";
        assert_eq!(render(&rows), expected);
    }
}
