//! What a value was computed from: the dependencies that weak memory models speak of.
//!
//! A processor may reorder two accesses of a thread unless one *depends* on the other: its address or its value was computed from what
//! the other read, or a branch was. [`Flow`] says it for one expression: which registers and which bytes of memory its value, and
//! which its choices ([`Expr::Ite`]) were computed from. An observer of a thread's steps chains these together.

use super::eval::Eval;
use super::{Interp, Place, State, ThreadId};
use crate::Expr;
use base::convert::low64;

/// What the value of an expression was computed from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// What the value itself comes from.
    pub data: Vec<Place>,
    /// What decided between the sides of choices.
    pub control: Vec<Place>,
    /// The reads of memory, in order.
    pub loads: Vec<Load>,
}

/// One read of memory inside an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Load {
    /// What was read.
    pub place: Place,
    /// What its address was computed from.
    pub address: Vec<Place>,
}

impl Interp<'_> {
    /// What the value of `expr`, which has one in `state`, is computed from.
    pub(super) fn flow(&self, state: &State, thread: ThreadId, expr: &Expr) -> Flow {
        let mut flow = Flow::default();
        let mut data = Vec::new();
        self.trace_flow(state, thread, expr, &mut data, &mut flow);
        flow.data = data;
        flow
    }

    fn trace_flow(
        &self,
        state: &State,
        thread: ThreadId,
        expr: &Expr,
        data: &mut Vec<Place>,
        flow: &mut Flow,
    ) {
        match expr {
            Expr::Const(..)
            | Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_) => {}
            Expr::Reg(var, _) => {
                let frame =
                    state.thread(thread).and_then(|t| t.top()).expect("a running thread should have a frame");
                data.push(Place::Register { func: frame.func, var: *var });
            }
            Expr::Load { addr, .. } => {
                let mut address = Vec::new();
                self.trace_flow(state, thread, addr, &mut address, flow);
                let at = self.value_of(state, thread, addr);
                if let Some(place) = at.and_then(|at| self.place_at(state, low64(at))) {
                    data.push(place);
                    flow.loads.push(Load { place, address });
                }
            }
            Expr::Unary(_, e) | Expr::Cast(_, _, e) => self.trace_flow(state, thread, e, data, flow),
            Expr::Binary(_, l, r) | Expr::SameObject(l, r) => {
                self.trace_flow(state, thread, l, data, flow);
                self.trace_flow(state, thread, r, data, flow);
            }
            Expr::Ite(cond, yes, no) => {
                let mut control = Vec::new();
                self.trace_flow(state, thread, cond, &mut control, flow);
                flow.control.append(&mut control);
                let taken = if self.value_of(state, thread, cond) == Some(0) { no } else { yes };
                self.trace_flow(state, thread, taken, data, flow);
            }
        }
    }

    /// The value of `expr` for a thread that has not finished; `None` if it has none, or it is indeterminate.
    pub fn value_of(&self, state: &State, thread: ThreadId, expr: &Expr) -> Option<u128> {
        Eval::new(self, state, thread, None).value(expr).ok()
    }
}
