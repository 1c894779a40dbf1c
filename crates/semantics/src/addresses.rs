//! Where a program may notice at which addresses its objects lie.
//!
//! C says little about that: objects do not overlap, and they are aligned for their types. The rest is one choice of ours, the layout of `program::interp`. A program
//! may notice it in three ways:
//!
//! | what the program does | what our choice decides |
//! |---|---|
//! | compares the order of addresses of different objects | which one comes first |
//! | computes with the bits of an address, or compares it with a number | which number it is |
//! | compares the addresses of two heap blocks, and frees blocks | a block never lies where another one was |
//!
//! An answer about such a program says so. A program that does none of this cannot notice whether `realloc` leaves a block in its place, either, so that choice is
//! taken away ([`always_moving`]).
//!
//! # Direction of error
//! Points-to sets are too large, never too small: an assumption may be printed that is not needed, and a choice may stay that makes no difference.

use crate::analysis::{PointsTo, Site};
use program::interp::span_name;
use program::{Action, BinOp, Expr, FuncId, LocId, Op, Program, UndefinedKind};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Numbers up to this one, and those that are as far from the end of memory, are no addresses of objects anywhere.
const NEVER_AN_ADDRESS: u128 = 0xffff;

/// Where the program makes use of addresses.
pub struct Addresses<'p> {
    program: &'p Program,
    points_to: OnceCell<PointsTo>,
    /// Whether uses in the library's models count.
    library: bool,
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
    pub fn of(program: &'p Program) -> Self {
        Self { program, points_to: OnceCell::new(), library: false }
    }

    /// Those of a program and of the library's models in it.
    fn everywhere(program: &'p Program) -> Self {
        Self { library: true, ..Self::of(program) }
    }

    /// Returns true if anything may depend on where objects lie.
    fn matter(&self) -> bool {
        self.reuse().is_some() || self.numbers().is_some() || self.order().is_some()
    }

    /// Says that the order of different objects matters, if it may.
    pub fn order(&self) -> Option<String> {
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
    pub fn numbers(&self) -> Option<String> {
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
    pub fn reuse(&self) -> Option<String> {
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
        let uses = uses(self.program, self.library);
        let found = uses.iter().filter(|at| ops.contains(&at.op)).find(|at| matters(at))?;
        Some(span_name(self.program, found.span))
    }
}

/// In larger programs it is not looked into whether `realloc` may always move its block: what addresses can be takes too long to find out.
const MOST_LOCATIONS: usize = 8_000;

/// Lets every `realloc` move its block where the program cannot notice that: it does not depend on where objects lie. Pointers to the old block are
/// invalid in C even if the block stays, so that a program that uses one has a violation in any case.
pub fn always_moving(program: &mut Program) {
    if program.functions.iter().map(|function| function.locations.len()).sum::<usize>() > MOST_LOCATIONS {
        return;
    }
    let may_stay = |op: &Op| matches!(op, Op::Realloc { stays, .. } if stays.as_const() != Some(0));
    let mut ops =
        program.functions.iter().flat_map(|f| f.locations.iter()).flat_map(|location| location.action.ops());
    if !ops.any(may_stay) || Addresses::everywhere(program).matter() {
        return;
    }
    for location in program.functions.iter_mut().flat_map(|function| function.locations.iter_mut()) {
        for op in location.action.ops_mut() {
            if let Op::Realloc { stays, .. } = op {
                *stays = Expr::truth(false);
            }
        }
    }
}

/// All operations on values that are as wide as pointers, but those of checks that are built in, and those of the library's models if it is not asked for them.
fn uses(program: &Program, library: bool) -> Vec<Use<'_>> {
    let mut found = Vec::new();
    let wanted = program.functions.iter_enumerated().filter(|(_, function)| library || !function.library);
    for (func, function) in wanted {
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
