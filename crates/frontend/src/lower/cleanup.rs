//! The attribute `cleanup`: which calls are due at a label.
//!
//! A scope that asks for a call when it is left ([`Stmt::Cleanup`]) covers what follows in its block. A jump makes the calls of the scopes
//! around it that are not also around its target. Scopes nest, so that the calls due at two places have a common
//! beginning, and what a jump leaves is the rest.

use crate::hir::{Expr, LabelId, Stmt};

/// The calls that are due where a label stands, the outermost first; `None` if it stands in a statement expression.
pub(super) fn cleanups_at(stmts: &[Stmt], label: LabelId) -> Option<Vec<&Expr>> {
    let mut due = Vec::new();
    find(stmts, label, &mut due).then_some(due)
}

/// Looks for the label; if it is there, leaves in `due` the calls that are due at it.
fn find<'m>(stmts: &'m [Stmt], label: LabelId, due: &mut Vec<&'m Expr>) -> bool {
    for stmt in stmts {
        let found = match stmt {
            Stmt::Label(here) => *here == label,
            Stmt::Cleanup(call) => {
                due.push(call);
                false
            }
            Stmt::Block(inner) => {
                let outside = due.len();
                let found = find(inner, label, due);
                if !found {
                    due.truncate(outside);
                }
                found
            }
            Stmt::If { yes, no, .. } => {
                find_one(yes, label, due) || no.as_deref().is_some_and(|no| find_one(no, label, due))
            }
            Stmt::While { body, .. }
            | Stmt::DoWhile { body, .. }
            | Stmt::For { body, .. }
            | Stmt::Switch { body, .. } => find_one(body, label, due),
            Stmt::Expr(_)
            | Stmt::Decl { .. }
            | Stmt::DeclVla { .. }
            | Stmt::Case { .. }
            | Stmt::Default
            | Stmt::Goto(..)
            | Stmt::GotoComputed(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Return(..)
            | Stmt::Fence(..)
            | Stmt::Error(..)
            | Stmt::Unsupported(..) => false,
        };
        if found {
            return true;
        }
    }
    false
}

fn find_one<'m>(stmt: &'m Stmt, label: LabelId, due: &mut Vec<&'m Expr>) -> bool {
    find(std::slice::from_ref(stmt), label, due)
}
