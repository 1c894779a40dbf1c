//! SMT-LIB HORN: reading systems of clauses, writing systems and solutions.
//!
//! # What is read
//! `set-logic`, `set-info`, `set-option`, `declare-fun` of predicates (`declare-rel` is not), `define-fun` of abbreviations, `assert` of (universally
//! quantified) implications, facts and queries, `check-sat`, `get-model`, `exit`. Terms are over `Bool`, bit-vectors of up to 128 bits and
//! arrays between them, with `let`. Quantifiers stand in front of clauses only.
//!
//! # What is not
//! `Int` and `Real`: the solver's numbers are bit-vectors, and an unbounded integer is none of them. Such a file is refused with that
//! reason, rather than solved over some width, where overflow would make both answers wrong.

mod expr;
mod read;
mod solution;
mod write;

pub use read::read;
pub use solution::read_solution;
pub use write::{show_derivation, show_solution, show_system};

/// An S-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sexp {
    /// A symbol, numeral or literal; quotes of symbols are taken off.
    Word(String),
    /// A list.
    List(Vec<Sexp>),
}

impl Sexp {
    fn word(&self) -> Option<&str> {
        if let Sexp::Word(word) = self { Some(word) } else { None }
    }
    fn list(&self) -> Option<&[Sexp]> {
        if let Sexp::List(list) = self { Some(list) } else { None }
    }
    fn text(&self) -> String {
        match self {
            Sexp::Word(word) => word.clone(),
            Sexp::List(list) => format!("({})", list.iter().map(Sexp::text).collect::<Vec<_>>().join(" ")),
        }
    }
}

/// Deeper nesting than this is refused: terms are read by recursion.
const MAX_DEPTH: usize = 2000;

fn push(stack: &mut [Vec<Sexp>], item: Sexp) {
    stack.last_mut().expect("the outermost list should stay").push(item);
}

/// All S-expressions of a text.
pub(super) fn parse(text: &str) -> Result<Vec<Sexp>, String> {
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            _ if c.is_whitespace() => {}
            ';' => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '(' if stack.len() > MAX_DEPTH => return Err("nested too deeply".to_owned()),
            '(' => stack.push(Vec::new()),
            ')' => {
                let list = stack.pop().unwrap_or_default();
                let outer = stack.last_mut().ok_or("a `)` too many")?;
                outer.push(Sexp::List(list));
            }
            '|' | '"' => {
                let mut word = String::new();
                loop {
                    match rest.next() {
                        Some((_, end)) if end == c => break,
                        Some((_, other)) => word.push(other),
                        None => return Err(format!("a `{c}` is never closed")),
                    }
                }
                push(&mut stack, Sexp::Word(word));
            }
            _ => {
                let mut end = at + c.len_utf8();
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|' | '"');
                while let Some((next, c)) = rest.next_if(|(_, c)| !ends(*c)) {
                    end = next + c.len_utf8();
                }
                push(&mut stack, Sexp::Word(text[at..end].to_owned()));
            }
        }
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(all), true) => Ok(all),
        _ => Err("a `(` is never closed".to_owned()),
    }
}
