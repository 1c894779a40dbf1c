//! The accesses to memory that an action makes, as they stand in the program: which addresses, how many bytes.
//!
//! Loads count wherever they stand, also in the side of a choice that is not always taken, and in an address. What the beginning
//! and the end of an object's life touch besides (calls, returns) is for [`access`](super::access) to say.

use program::{Action, Callee, Expr, Function, Op, Order, VarKind, Width};
use std::borrow::Cow;

/// How far an access reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent<'p> {
    /// One value.
    Word(Width),
    /// So many bytes.
    Bytes(&'p Expr),
    /// The whole object that the address is in.
    Whole,
}

impl Extent<'_> {
    /// How many bytes, if that is known.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Extent::Word(width) => Some(width.bytes()),
            Extent::Bytes(len) => len.as_const().and_then(|len| u64::try_from(len).ok()),
            Extent::Whole => None,
        }
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// One access to memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Footprint<'p> {
    /// Where, in terms of the registers as they are when the operation begins.
    pub addr: Cow<'p, Expr>,
    /// How far.
    pub extent: Extent<'p>,
    /// What it does there.
    pub kind: Kind,
    /// How it is ordered.
    pub order: Order,
    /// Which operation of the transaction makes it; 0 for other actions.
    pub op: usize,
}

/// All accesses of an action of `function`, in the order of the operations.
pub fn footprints<'p>(function: &'p Function, action: &'p Action) -> Vec<Footprint<'p>> {
    let mut found = Collector { function, op: 0, found: Vec::new() };
    match action {
        Action::Ops { ops, .. } => {
            for (n, op) in ops.iter().enumerate() {
                found.op = n;
                found.operation(op);
            }
        }
        _ => expressions(action).into_iter().for_each(|e| found.loads(e)),
    }
    found.found
}

/// The expressions that an action other than a transaction evaluates.
pub(crate) fn expressions(action: &Action) -> Vec<&Expr> {
    match action {
        Action::Branch { cond, .. } => vec![cond],
        Action::Call { callee, args, .. } => {
            let callee = if let Callee::Indirect(addr) = callee { Some(addr) } else { None };
            args.iter().chain(callee).collect()
        }
        Action::Return(result) => result.iter().collect(),
        Action::ThreadExit(result) => vec![result],
        Action::Ops { .. }
        | Action::Exit
        | Action::Error { .. }
        | Action::Unsupported(_)
        | Action::Undefined(_) => Vec::new(),
    }
}

/// The expressions that an operation evaluates.
pub fn operands(op: &Op) -> Vec<&Expr> {
    let mut found = Vec::new();
    if !matches!(op, Op::Signed { .. }) {
        op.each_expr(&mut |e| found.push(e));
    }
    found
}

struct Collector<'p> {
    function: &'p Function,
    op: usize,
    found: Vec<Footprint<'p>>,
}

impl<'p> Collector<'p> {
    fn operation(&mut self, op: &'p Op) {
        operands(op).into_iter().for_each(|e| self.loads(e));
        match op {
            Op::Store { addr, value, order } => {
                self.add(Cow::Borrowed(addr), Extent::Word(value.width()), Kind::Write, *order);
            }
            Op::Copy { dst, src, len } => {
                self.add(Cow::Borrowed(src), Extent::Bytes(len), Kind::Read, Order::Plain);
                self.add(Cow::Borrowed(dst), Extent::Bytes(len), Kind::Write, Order::Plain);
            }
            Op::Fill { dst, len, .. } => {
                self.add(Cow::Borrowed(dst), Extent::Bytes(len), Kind::Write, Order::Plain);
            }
            Op::Realloc { ptr, .. } => {
                self.add(Cow::Borrowed(ptr), Extent::Whole, Kind::Read, Order::Plain);
                self.add(Cow::Borrowed(ptr), Extent::Whole, Kind::Write, Order::Plain);
            }
            Op::Free(addr) => self.add(Cow::Borrowed(addr), Extent::Whole, Kind::Write, Order::Plain),
            Op::Forget { var, .. } if matches!(self.function.vars[*var].kind, VarKind::Memory { .. }) => {
                let addr = Cow::Owned(Expr::LocalAddr(*var, Width(64)));
                self.add(addr, Extent::Whole, Kind::Write, Order::Plain);
            }
            _ => {}
        }
    }

    fn loads(&mut self, e: &'p Expr) {
        e.walk(&mut |part| {
            if let Expr::Load { addr, width, order } = part {
                self.add(Cow::Borrowed(&**addr), Extent::Word(*width), Kind::Read, *order);
            }
        });
    }

    fn add(&mut self, addr: Cow<'p, Expr>, extent: Extent<'p>, kind: Kind, order: Order) {
        self.found.push(Footprint { addr, extent, kind, order, op: self.op });
    }
}
