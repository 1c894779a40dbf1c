//! Why a program is safe, for people: what holds at which place.
//!
//! A proof by labels says something about every combination of the threads' positions. Read from the position of one thread, that
//! is: *always* these facts; and beside them, one of several *cases*, each for some positions of the other threads. A place where
//! nothing need hold is not shown.
//!
//! ```text
//! counter.c:20  increment#1  counter = tmp + 1;
//!     always  m == 1
//!     case    counter == 0  while increment#2 is at 18
//! ```

use crate::terminal::shorten;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Why a property holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Explanation {
    /// All states were looked at.
    Explored {
        /// How many there are.
        #[serde(rename = "states")]
        n_states: usize,
    },
    /// One sentence says it.
    Stated {
        /// The sentence.
        reason: String,
    },
    /// Labels prove it.
    Invariants {
        /// How many nodes the proof has.
        #[serde(rename = "nodes")]
        n_nodes: usize,
        /// What holds where; places without a fact are left out.
        places: Vec<ProgramPoint>,
        /// At how many places nothing need hold.
        #[serde(rename = "silent_places")]
        n_silent: usize,
    },
}

/// A thread at a line of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramPoint {
    /// The thread's name.
    pub thread: String,
    /// The source file.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Facts that hold whenever the thread is here, simplest first.
    pub always: Vec<String>,
    /// What holds beside them, simplest first.
    pub cases: Vec<Case>,
    /// For how many positions of the others nothing more need hold.
    #[serde(rename = "silent_cases")]
    pub n_silent: usize,
}

/// What holds for some positions of the other threads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Case {
    /// The fact.
    pub holds: String,
    /// Where the others are: one text for each combination.
    pub others: Vec<String>,
}

/// Maximum number of cases of a program point that are shown.
const MAX_CASES: usize = 6;
/// Maximum number of combinations of positions that are named for a case.
const MAX_OTHERS: usize = 1;
/// Longer facts are cut off.
const MAX_CHARACTERS: usize = 200;

/// The explanation as text; `property` is what holds.
pub fn render(explanation: &Explanation, property: &str) -> String {
    match explanation {
        Explanation::Stated { reason } => format!("{property} holds: {reason}\n"),
        Explanation::Explored { n_states } => format!(
            "{property} holds because all {n_states} states that the program can reach were looked at:\n\
             the initial state is one of them, every step of every thread from one of them leads to another one,\n\
             and none of them violates the property.\n"
        ),
        Explanation::Invariants { n_nodes, places, n_silent } => {
            let mut text = format!(
                "{property} holds because of what is true where the threads are (a proof of {n_nodes} nodes).\n\
                 Whenever a thread is at a line, what is said there holds before the line is executed: all that\n\
                 is `always` so, and one of the cases. Places of threads where nothing need hold: {n_silent}.\n"
            );
            places.iter().for_each(|place| write_place(place, &mut text));
            text
        }
    }
}

fn write_place(place: &ProgramPoint, text: &mut String) {
    let ProgramPoint { thread, file, line, text: source, always, cases, n_silent } = place;
    let _ = writeln!(text, "\n{file}:{line}  {thread}  {source}");
    for fact in always {
        let _ = writeln!(text, "    always  {}", shorten(fact, MAX_CHARACTERS));
    }
    for case in cases.iter().take(MAX_CASES) {
        let n_more = case.others.len().saturating_sub(MAX_OTHERS);
        let mut others = case.others.iter().take(MAX_OTHERS).cloned().collect::<Vec<_>>().join("; ");
        if n_more > 0 {
            others = format!("{others}; or {n_more} more");
        }
        let beside = if others.is_empty() { String::new() } else { format!("  while {others}") };
        let _ = writeln!(text, "    case    {}{beside}", shorten(&case.holds, MAX_CHARACTERS));
    }
    if cases.len() > MAX_CASES {
        let _ = writeln!(text, "    case    … {} more (--format json has all)", cases.len() - MAX_CASES);
    }
    if *n_silent > 0 && !cases.is_empty() {
        let _ = writeln!(text, "    case    nothing more (positions of the other threads: {n_silent})");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(always: &[&str], cases: &[(&str, &[&str])], n_silent: usize) -> ProgramPoint {
        let case = |(holds, others): &(&str, &[&str])| Case {
            holds: (*holds).to_owned(),
            others: others.iter().map(|o| (*o).to_owned()).collect(),
        };
        ProgramPoint {
            thread: "increment#1".to_owned(),
            file: "counter.c".to_owned(),
            line: 20,
            text: "counter++;".to_owned(),
            always: always.iter().map(|a| (*a).to_owned()).collect(),
            cases: cases.iter().map(case).collect(),
            n_silent,
        }
    }

    fn shown(place: ProgramPoint) -> String {
        let explanation = Explanation::Invariants { n_nodes: 7, places: vec![place], n_silent: 3 };
        let text = render(&explanation, "unreach-call");
        text.split_once("\n\n").expect("a place should follow an empty line").1.to_owned()
    }

    #[test]
    fn places_have_facts_and_cases() {
        let cases: [(&str, &[&str]); 2] =
            [("counter == 0", &["main is at 29", "main is at 30"]), ("counter == 1", &[])];
        let expected = "\
counter.c:20  increment#1  counter++;
    always  m == 1
    case    counter == 0  while main is at 29; or 1 more
    case    counter == 1
    case    nothing more (positions of the other threads: 2)
";
        assert_eq!(shown(place(&["m == 1"], &cases, 2)), expected);
    }

    #[test]
    fn long_lists_are_cut() {
        let texts: Vec<String> = (0..9).map(|n| format!("x == {n}")).collect();
        let cases: Vec<(&str, &[&str])> = texts.iter().map(|t| (t.as_str(), &[][..])).collect();
        let text = shown(place(&[], &cases, 0));
        assert!(text.contains("x == 5") && !text.contains("x == 6"), "{text}");
        assert!(text.contains("… 3 more"), "{text}");
    }

    #[test]
    fn exploration_says_how_many_states() {
        assert!(render(&Explanation::Explored { n_states: 42 }, "no-deadlock").contains("all 42 states"));
    }
}
