//! Registers whose value follows from control alone.
//!
//! A parameter that its function never assigns has the value of the argument of the call under way, and the call stack says which call that is.
//! If the argument is a constant — above all the address of a variable, as in `lock(&m)` — so is the parameter, in every state with this
//! control. The same goes for a thread's argument, as its identity says where it was created.
//!
//! Reading such a register gives the constant itself. So `*m` in `lock` is `m` at once, not a choice among all mutexes, and no
//! label has to carry the fact `m == &the_mutex` along.

use crate::encoding::control::Frame;
use crate::encoding::encode::{Encoding, Partial};
use logic::Term;
use program::interp::{Identity, ThreadId};
use program::{Action, Expr, Function, Op, VarId, VarKind};

/// Longer chains of parameters that are passed on are not followed.
const MAX_CHAIN: u32 = 32;

impl<'p> Encoding<'_, 'p> {
    /// The value of a register of the innermost frame, if control determines it.
    pub(crate) fn known_by_control(&mut self, partial: &Partial, var: VarId) -> Option<Term> {
        let frames = partial.control.thread(self.thread)?.frames.clone();
        let top = frames.len().checked_sub(1)?;
        (frames[top].func == self.func).then(|| self.parameter(&frames, top, var, MAX_CHAIN))?
    }

    fn parameter(&mut self, frames: &[Frame], depth: usize, var: VarId, chain: u32) -> Option<Term> {
        let program = self.encoder.program;
        let function = &program.functions[frames[depth].func];
        let position = function.params.iter().position(|p| *p == var)?;
        let VarKind::Register(width) = function.vars[var].kind else { return None };
        if chain == 0 || self.encoder.assigned[frames[depth].func].contains(&var) {
            return None;
        }
        let (arg, below) = match depth.checked_sub(1) {
            Some(below) => {
                let at = frames[below];
                let Action::Call { args, .. } = &program.functions[at.func].locations[at.loc].action else {
                    return None;
                };
                (args.get(position)?, Some(below))
            }
            None => (self.thread_argument(position)?, None),
        };
        (arg.width() == width).then(|| self.constant(frames, below, arg, chain - 1))?
    }

    /// What the running thread's start routine was handed, as its creator wrote it.
    fn thread_argument(&self, position: usize) -> Option<&'p Expr> {
        if self.thread == ThreadId::MAIN || position != 0 {
            return None;
        }
        let site = self.encoder.interp.origin(self.thread)?.site;
        let program = self.encoder.program;
        let Action::Ops { ops, .. } = &program.functions[site.func].locations[site.loc].action else {
            return None;
        };
        match ops.get(site.op as usize)? {
            Op::Create { arg, .. } => Some(arg),
            _ => None,
        }
    }

    /// The value of an expression of a frame, if it is the same in all states; outside frames, of an expression that needs none.
    fn constant(&mut self, frames: &[Frame], depth: Option<usize>, expr: &Expr, chain: u32) -> Option<Term> {
        match expr {
            Expr::Reg(var, _) => self.parameter(frames, depth?, *var, chain),
            Expr::LocalAddr(var, _) => {
                let depth = depth?;
                let func = frames[depth].func;
                let depth = u32::try_from(depth).ok()?;
                self.object_address(Identity::Local { thread: self.thread, depth, func, var: *var }).ok()
            }
            Expr::ObjectAddr(id, _) if !self.encoder.program.objects[*id].thread_local => {
                self.object_address(Identity::Static(*id)).ok()
            }
            Expr::FuncAddr(func, _) => Some(self.function_address(*func)),
            Expr::Const(value, width) if width.0 > 1 => Some(self.terms.constant(*value, width.0)),
            Expr::Binary(op, l, r) => {
                let (l, r) =
                    (self.constant(frames, depth, l, chain)?, self.constant(frames, depth, r, chain)?);
                self.binary(*op, l, r).ok()
            }
            _ => None,
        }
    }
}

/// The registers that a function assigns: its parameters among them do not keep their arguments.
pub(crate) fn assigned(function: &Function) -> Vec<VarId> {
    let mut all = Vec::new();
    for location in function.locations.iter() {
        match &location.action {
            Action::Ops { ops, .. } => all.extend(ops.iter().flat_map(Op::results)),
            Action::Call { ret: Some(var), .. } => all.push(*var),
            _ => {}
        }
    }
    all.sort();
    all.dedup();
    all
}
