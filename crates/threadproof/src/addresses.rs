//! What an answer takes for granted about the addresses of objects.
//!
//! C says little about them: that objects do not overlap, and how they are aligned. The rest is one choice of ours, the layout of `program::interp`, and this module says
//! where a program may notice it:
//!
//! | what the program does | what is said |
//! |---|---|
//! | compares the order of addresses of different objects | which one comes first is our choice |
//! | computes with the bits of an address, or compares it with a number | which number it is, is our choice |
//! | compares the addresses of two heap blocks, and frees blocks | a block never lies where another one was ([`crate::reuse`] looks for executions in which it does) |
//!
//! # Direction of error
//! Points-to sets are too large, never too small, so an assumption may be printed that is not needed.

use program::interp::span_name;
use program::{Action, BinOp, Expr, FuncId, LocId, Op, Program, UndefinedKind};
use semantics::analysis::{PointsTo, Site};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Numbers up to this one, and those that are as far from the end of memory, are no addresses of objects anywhere.
const NEVER_AN_ADDRESS: u128 = 0xffff;

/// Where the program makes use of addresses.
pub(crate) struct Addresses<'p> {
    program: &'p Program,
    points_to: OnceCell<PointsTo>,
}

/// An operation on values that are as wide as pointers, outside of the library's models.
struct Use<'p> {
    func: FuncId,
    op: BinOp,
    left: &'p Expr,
    right: &'p Expr,
    span: base::Span,
}

impl<'p> Addresses<'p> {
    /// Those of a program.
    pub(crate) fn of(program: &'p Program) -> Self {
        Self { program, points_to: OnceCell::new() }
    }

    /// Says that the order of different objects matters, if it may.
    pub(crate) fn order(&self) -> Option<String> {
        use BinOp::{SLe, SLt, ULe, ULt};
        self.first(&[ULt, ULe, SLt, SLe], |at| {
            let (left, right) = (self.sites(at.func, at.left), self.sites(at.func, at.right));
            !left.is_empty() && !right.is_empty() && left.union(&right).count() > 1
        })
        .map(|place| {
            format!("{place}: objects whose addresses are compared lie in memory in the order in which threadproof puts them")
        })
    }

    /// Says that it matters which number an address is, if it may.
    pub(crate) fn numbers(&self) -> Option<String> {
        use BinOp::{And, Eq, LShr, Ne, Or, UDiv, URem, Xor};
        // Not what scales the difference of two pointers, which is the same wherever they lie.
        let computed = &[And, Or, Xor, LShr, UDiv, URem];
        let place = self
            .first(computed, |at| self.is_address(at.func, at.left) || self.is_address(at.func, at.right));
        let compared = || {
            self.first(&[Eq, Ne], |at| {
                is_far_number(at.left) && self.is_address(at.func, at.right)
                    || is_far_number(at.right) && self.is_address(at.func, at.left)
            })
        };
        place.or_else(compared).map(|place| {
            format!("{place}: an address whose bits matter is the number that threadproof chooses; it is a multiple of at least 16")
        })
    }

    /// The place where the addresses of two heap blocks are compared, of which one may have been freed, if there is one.
    pub(crate) fn reuse(&self) -> Option<String> {
        let freed = self.freed()?;
        self.first(&[BinOp::Eq, BinOp::Ne], |at| {
            let (left, right) = (self.sites(at.func, at.left), self.sites(at.func, at.right));
            let is_heap = |sites: &BTreeSet<Site>| sites.iter().any(|site| matches!(site, Site::Heap(..)));
            let may_be_stale = |sites: &BTreeSet<Site>| sites.iter().any(|site| freed.contains(site));
            may_be_stale(&left) && is_heap(&right) || may_be_stale(&right) && is_heap(&left)
        })
    }

    /// The blocks that the program may free; `None` if there are none.
    fn freed(&self) -> Option<BTreeSet<Site>> {
        let mut freed = BTreeSet::new();
        for (func, function) in self.program.functions.iter_enumerated() {
            for op in function.locations.iter().flat_map(|location| location.action.ops()) {
                if let Op::Free(ptr) | Op::Realloc { ptr, .. } = op {
                    freed.extend(self.sites(func, ptr));
                }
            }
        }
        Some(freed).filter(|freed| !freed.is_empty())
    }

    fn sites(&self, func: FuncId, e: &Expr) -> BTreeSet<Site> {
        let points_to = self.points_to.get_or_init(|| PointsTo::of(self.program));
        points_to.targets(func, e).places.into_iter().map(|(site, _)| site).collect()
    }

    fn is_address(&self, func: FuncId, e: &Expr) -> bool {
        !matches!(e, Expr::Const(..)) && !self.sites(func, e).is_empty()
    }

    /// The place of the first operation of these kinds for which `matters` is true.
    fn first(&self, ops: &[BinOp], matters: impl Fn(&Use<'p>) -> bool) -> Option<String> {
        let uses = uses(self.program);
        let found = uses.iter().filter(|at| ops.contains(&at.op)).find(|at| matters(at))?;
        Some(span_name(self.program, found.span))
    }
}

/// All operations on values that are as wide as pointers, outside of the library's models and of checks that are built in.
fn uses(program: &Program) -> Vec<Use<'_>> {
    let mut found = Vec::new();
    for (func, function) in program.functions.iter_enumerated().filter(|(_, function)| !function.library) {
        for location in
            function.locations.iter().filter(|location| !checks_alignment(program, func, &location.action))
        {
            location.action.each_expr(&mut |e| {
                e.walk(&mut |part| {
                    if let Expr::Binary(op, left, right) = part
                        && left.width() == program.data_model.pointer()
                    {
                        found.push(Use { func, op: *op, left, right, span: location.span });
                    }
                });
            });
        }
    }
    found
}

/// Returns true if a branch is one of our own checks of how a pointer is aligned, which holds in every layout.
fn checks_alignment(program: &Program, func: FuncId, action: &Action) -> bool {
    let leads_there = |to: LocId| {
        matches!(&program.functions[func].locations[to].action,
            Action::Undefined(undefined) if undefined.kind == UndefinedKind::Misaligned)
    };
    matches!(action, Action::Branch { yes, no, .. } if leads_there(*yes) || leads_there(*no))
}

/// Returns true for a constant that could be the address of an object.
fn is_far_number(e: &Expr) -> bool {
    matches!(e, Expr::Const(value, width)
        if *value > NEVER_AN_ADDRESS && width.truncate(value.wrapping_neg()) > NEVER_AN_ADDRESS)
}
