//! Terms in SMT-LIB 2: the only printer of that format.
//!
//! | form | for | size |
//! |---|---|---|
//! | [`Terms::smtlib`] | scripts for second opinions and bug reports: every inner node becomes a definition | linear in the graph |
//! | [`Terms::smtlib_tree`] | formulas of Horn clauses, which people read: shared parts are repeated | linear in the tree |

use super::{Op, Sort, Term, Terms};
use std::fmt::Write;

impl Terms {
    /// A script that asserts all `roots` and checks whether they are satisfiable.
    pub fn smtlib(&self, roots: &[Term]) -> String {
        let mut script = format!("(set-logic QF_ABV)\n{}", self.smtlib_definitions(roots));
        for &root in roots {
            // Writing to a String cannot fail.
            let _ = writeln!(script, "(assert {})", self.smtlib_name(root));
        }
        script.push_str("(check-sat)\n");
        script
    }

    /// Declarations of the variables and definitions of the inner nodes of `roots`.
    pub(crate) fn smtlib_definitions(&self, roots: &[Term]) -> String {
        let mut script = String::new();
        for t in self.subterms(roots) {
            let (name, sort) = (self.smtlib_name(t), smtlib_sort(self.sort(t)));
            let _ = match self.op(t) {
                Op::Var(_) => writeln!(script, "(declare-const {name} {sort})"),
                Op::Bool(_) | Op::Const(_) => Ok(()),
                _ => writeln!(
                    script,
                    "(define-fun {name} () {sort} {})",
                    self.smtlib_node(t, Self::smtlib_name)
                ),
            };
        }
        script
    }

    /// A term, written out as a tree.
    pub fn smtlib_tree(&self, t: Term) -> String {
        match self.op(t) {
            Op::Var(_) | Op::Bool(_) | Op::Const(_) => self.smtlib_name(t),
            _ => self.smtlib_node(t, Self::smtlib_tree),
        }
    }

    /// How a script of [`smtlib_definitions`](Self::smtlib_definitions) calls a term: no variable of C is called like that.
    pub(crate) fn smtlib_name(&self, t: Term) -> String {
        match self.op(t) {
            Op::Var(symbol) => quoted(self.name(symbol)),
            Op::Bool(b) => b.to_string(),
            Op::Const(c) => format!("(_ bv{c} {})", self.width(t)),
            _ => format!("?{t}"),
        }
    }

    /// An inner node; `show` writes its operands.
    fn smtlib_node(&self, t: Term, show: impl Fn(&Self, Term) -> String) -> String {
        let kids: Vec<String> = self.kids(t).iter().map(|&k| show(self, k)).collect();
        let kids = kids.join(" ");
        let op = self.op(t);
        let head = match op {
            Op::Not => "not".to_owned(),
            Op::And => "and".to_owned(),
            Op::Eq => "=".to_owned(),
            Op::Ite => "ite".to_owned(),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => format!("bv{}", format!("{op:?}").to_lowercase()),
            Op::BitNot => "bvnot".to_owned(),
            Op::BitAnd => "bvand".to_owned(),
            Op::BitOr => "bvor".to_owned(),
            Op::BitXor => "bvxor".to_owned(),
            Op::Concat | Op::Select | Op::Store => format!("{op:?}").to_lowercase(),
            Op::Extract { hi, lo } => format!("(_ extract {hi} {lo})"),
            Op::Zext(to) => format!("(_ zero_extend {})", to - self.width(self.kid(t, 0))),
            Op::Sext(to) => format!("(_ sign_extend {})", to - self.width(self.kid(t, 0))),
            Op::ConstArray(_) => format!("(as const {})", smtlib_sort(self.sort(t))),
            Op::Bool(_) | Op::Const(_) | Op::Var(_) => unreachable!("leaves should have no node"),
            _ => format!("bv{}", format!("{op:?}").to_lowercase()),
        };
        format!("({head} {kids})")
    }
}

/// A symbol, between bars where SMT-LIB wants them.
pub(crate) fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "_.!@$%^&*-+=<>?/~".contains(c);
    let starts_well = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if starts_well && name.chars().all(simple) { name.to_owned() } else { format!("|{name}|") }
}

/// A sort.
pub(crate) fn smtlib_sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}
