//! Terms as SMT-LIB 2 scripts, for second opinions and bug reports. Every inner node becomes a definition, so the
//! text is linear in the graph.

use super::{Op, Sort, Symbol, Term, Terms};
use std::fmt::Write;

impl Terms {
    /// A script that asserts all `roots` and asks whether they are satisfiable.
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
            let (name, sort) = (self.smtlib_name(t), sort(self.sort(t)));
            let _ = match self.op(t) {
                Op::Var(_) => writeln!(script, "(declare-const {name} {sort})"),
                Op::Bool(_) | Op::Const(_) => Ok(()),
                op => writeln!(script, "(define-fun {name} () {sort} {})", self.smt_node(t, op)),
            };
        }
        script
    }

    fn quoted(&self, symbol: Symbol) -> String {
        format!("|{}|", self.name(symbol))
    }

    /// How a script of [`smtlib_definitions`](Self::smtlib_definitions) calls a term: no variable of C is called like that.
    pub(crate) fn smtlib_name(&self, t: Term) -> String {
        match self.op(t) {
            Op::Var(symbol) => self.quoted(symbol),
            Op::Bool(b) => b.to_string(),
            Op::Const(c) => format!("(_ bv{c} {})", self.width(t)),
            _ => format!("?{t}"),
        }
    }

    fn smt_node(&self, t: Term, op: Op) -> String {
        let kids: Vec<String> = self.kids(t).iter().map(|&k| self.smtlib_name(k)).collect();
        let kids = kids.join(" ");
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
            Op::ConstArray(_) => format!("(as const {})", sort(self.sort(t))),
            Op::Bool(_) | Op::Const(_) | Op::Var(_) => unreachable!("leaves should have no node"),
            _ => format!("bv{}", format!("{op:?}").to_lowercase()),
        };
        format!("({head} {kids})")
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}
