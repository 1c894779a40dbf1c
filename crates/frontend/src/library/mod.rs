//! The library as a table: what each function of C, POSIX, glibc and the compiler does to a program.
//!
//! A call of a function that the program does not define is given a meaning by the first of these that knows its name:
//!
//! | | who | where |
//! |---|---|---|
//! | 1 | an exact model in C | `models/*.c`, found through the index of [`models`] |
//! | 2 | an exact model as operations (threads, locks, atomics, allocation) | `lower` |
//! | 3 | a *summary* | a row of a `--models` file, then of `models/library.tbl` |
//! | 4 | the policy for undefined functions | [`Undefined`], `--undefined-functions` |
//!
//! A summary ([`row`]) says what a function reads and writes through its arguments, what it returns, and which hidden state it
//! has; lowering turns it into operations at the call (`lower::summary`). It allows everything that the function may do and more:
//! the direction of error is towards *unknown* and, where the values matter, towards executions that a real system may not have.
//! docs/MODELS.md describes the format.
//!
//! Nothing here is read before a program mentions it: the table is text, sorted, and searched by halving.

pub(crate) mod mentions;
pub(crate) mod models;
pub mod row;

use report::{Diagnostic, Level};
use row::Row;
use std::sync::Arc;

/// Our own table.
const TABLE: &str = include_str!("../../models/library.tbl");

/// What a function does that neither the program, a model nor a table defines.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// It returns any value and changes nothing.
    Pure,
    /// It also may write whatever its arguments lead to.
    #[default]
    WritesArguments,
    /// It may do anything: calling it makes the verdict unknown.
    Anything,
}

/// The tables that a program's functions are looked up in.
#[derive(Clone, Default, Debug)]
pub struct Library {
    /// The user's rows, sorted; they win over ours.
    user: Arc<Vec<String>>,
}

impl Library {
    /// Reads tables in the format of ours; their rows may stand in any order.
    pub fn with_tables(texts: &[(String, String)]) -> Result<Self, Vec<Diagnostic>> {
        let mut lines: Vec<String> = Vec::new();
        let mut wrong = Vec::new();
        for (file, text) in texts {
            for (n, line) in text.lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                match row::parse(line) {
                    Ok(_) => lines.push(line.to_owned()),
                    Err(why) => wrong.push(wrong_row(file, n, line, &why)),
                }
            }
        }
        // The first of equal names counts: sorting is stable.
        lines.sort_by(|left, right| row::name_of(left).cmp(row::name_of(right)));
        lines.dedup_by(|later, first| row::name_of(later) == row::name_of(first));
        if wrong.is_empty() { Ok(Self { user: Arc::new(lines) }) } else { Err(wrong) }
    }

    /// What the tables say about a function.
    pub fn look_up(&self, name: &str) -> Option<Row<'_>> {
        let line = self.line(name)?;
        match row::parse(line).expect("a row of a checked table should parse") {
            row::Line::Row(found) => Some(found),
            row::Line::Alias(other) => match row::parse(self.line(other)?) {
                Ok(row::Line::Row(found)) => Some(found),
                _ => None,
            },
        }
    }

    fn line(&self, name: &str) -> Option<&str> {
        let user = self.user.binary_search_by(|line| row::name_of(line).cmp(name)).ok();
        user.map(|at| self.user[at].as_str()).or_else(|| find_line(TABLE, name))
    }
}

fn wrong_row(file: &str, line_idx: usize, line: &str, why: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::about_file(Level::Error, file, format!("line {}: {why}", line_idx + 1));
    diagnostic.line_text = line.to_owned();
    diagnostic.help = Some("docs/MODELS.md describes the format".to_owned());
    diagnostic
}

/// Finds the line of a name in sorted lines, by halving the text.
fn find_line<'t>(table: &'t str, name: &str) -> Option<&'t str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = table[..middle].rfind('\n').map_or(0, |newline| newline + 1).max(low);
        let end = table[middle..].find('\n').map_or(table.len(), |newline| middle + newline);
        let line = &table[start..end];
        match row::name_of(line).cmp(name) {
            std::cmp::Ordering::Equal => return Some(line),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

/// Returns true if a model defines a function of this name, or our table describes one without doubts.
pub(crate) fn is_known(name: &str) -> bool {
    models::defining(name).is_some()
        || Library::default().look_up(name).is_some_and(|row| !row.flags.doubtful)
}

/// Returns true if a model in C defines a function of this name, for tests.
pub fn has_model(name: &str) -> bool {
    models::defining(name).is_some()
}

/// All rows of our table, for tests.
pub fn rows() -> impl Iterator<Item = (&'static str, Row<'static>)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| match row::parse(line) {
        Ok(row::Line::Row(found)) => Some((row::name_of(line), found)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_parses() {
        let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        for pair in lines.windows(2) {
            assert!(row::name_of(pair[0]) < row::name_of(pair[1]), "{} before {}", pair[0], pair[1]);
        }
        for line in &lines {
            if let Err(why) = row::parse(line) {
                panic!("{line}: {why}");
            }
            assert_eq!(find_line(TABLE, row::name_of(line)), Some(*line));
        }
        assert!(lines.len() > 4_000);
        assert_eq!(find_line(TABLE, "no_such_function"), None);
        assert_eq!(find_line(TABLE, "zzz"), None);
        assert_eq!(find_line(TABLE, "A"), None);
    }

    #[test]
    fn aliases_lead_to_rows() {
        let library = Library::default();
        for line in TABLE.lines().filter(|line| line.split(' ').nth(1) == Some("=")) {
            assert!(library.look_up(row::name_of(line)).is_some(), "{line}");
        }
    }

    #[test]
    fn users_rows_win() {
        let text = "# ours\nread: int read(void); -; 7; -\nfrob: int frob(int *); w1[4]; any; -\n".to_owned();
        let library = Library::with_tables(&[("a.tbl".to_owned(), text)]).expect("the rows should parse");
        assert_eq!(library.look_up("read").expect("there is a row").returns.len(), 1);
        assert!(library.look_up("frob").is_some() && library.look_up("write").is_some());
        let wrong = Library::with_tables(&[("a.tbl".to_owned(), "frob: x; w1[; any; -".to_owned())]);
        assert!(wrong.expect_err("the row is wrong")[0].message.starts_with("line 1"));
    }
}
