//! The cells that threads contend for, where all accesses to them are to known ones: what [`attacked`](mod@crate::attacked),
//! [`buffered`](crate::buffered) and [`stale`](mod@crate::stale) need.

use base::IdxVec;
use program::{BinOp, Expr, FuncId, LocId, ObjectId, Order, Width};
use semantics::Analysis;
use semantics::analysis::footprint::{Extent, Kind, footprints};
use semantics::analysis::offset::Offset;
use semantics::analysis::{Site, Targets};
use std::collections::BTreeSet;

/// Maximum number of cells that an access may go to.
const MOST_CELLS: u64 = 8;

/// A scalar in static memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub(crate) object: ObjectId,
    pub(crate) offset: u64,
    pub(crate) width: Width,
}

/// An access to contended memory.
#[derive(Clone, Debug)]
pub(crate) struct CellAccess {
    /// The numbers of the cells that it can go to.
    pub(crate) cells: Vec<usize>,
    /// Its address, in terms of the registers when its operation begins.
    pub(crate) addr: Expr,
    pub(crate) write: bool,
    pub(crate) order: Order,
    pub(crate) op: usize,
}

/// The accesses to cells, by location.
pub(crate) type Accesses = IdxVec<FuncId, IdxVec<LocId, Vec<CellAccess>>>;

/// All cells that threads contend for, and those that an access to one of these can go to instead.
#[derive(Default, Debug)]
pub(crate) struct Cells {
    pub(crate) all: Vec<Cell>,
}

impl Cells {
    /// The cells of a program and all accesses that can go to them; `None` if one of these can go elsewhere.
    pub(crate) fn of(analysis: &Analysis<'_>) -> Option<(Self, Accesses)> {
        let watched = watched(analysis);
        let mut cells = Self::default();
        let mut all = Accesses::new();
        for (func, function) in analysis.program.functions.iter_enumerated() {
            let mut accesses = IdxVec::new();
            for loc in function.locations.ids() {
                accesses.push(cells.accesses(analysis, &watched, func, loc)?);
            }
            all.push(accesses);
        }
        Some((cells, all))
    }

    /// The accesses of an action that can be to watched memory; `None` if one of them can go elsewhere.
    fn accesses(
        &mut self,
        analysis: &Analysis<'_>,
        watched: &BTreeSet<Site>,
        func: FuncId,
        loc: LocId,
    ) -> Option<Vec<CellAccess>> {
        let function = &analysis.program.functions[func];
        let mut found = Vec::new();
        for footprint in footprints(function, &function.locations[loc].action) {
            let Targets { places, unknown, .. } = analysis.points_to.targets(func, &footprint.addr);
            if !unknown && !places.iter().any(|(site, _)| watched.contains(site)) {
                continue;
            }
            let Extent::Word(width) = footprint.extent else { return None };
            if unknown || footprint.addr.reads_memory() {
                return None;
            }
            let mut cells = Vec::new();
            for (site, offset) in places {
                for offset in offsets(analysis, site, offset, width)? {
                    let Site::Static(object) = site else { return None };
                    cells.push(self.number(Cell { object, offset, width })?);
                }
            }
            let write = footprint.kind == Kind::Write;
            let (order, op) = (footprint.order, footprint.op);
            found.push(CellAccess { cells, addr: footprint.addr.into_owned(), write, order, op });
        }
        Some(found)
    }

    /// The number of a cell; `None` if it overlaps another one.
    fn number(&mut self, cell: Cell) -> Option<usize> {
        if let Some(known) = self.all.iter().position(|known| *known == cell) {
            return Some(known);
        }
        let end = |c: &Cell| c.offset + c.width.bytes();
        let overlaps = |c: &Cell| c.object == cell.object && c.offset < end(&cell) && cell.offset < end(c);
        if self.all.iter().any(overlaps) {
            return None;
        }
        self.all.push(cell);
        Some(self.all.len() - 1)
    }

    /// The address of a cell.
    pub(crate) fn address(&self, cell: usize, pointer: Width) -> Expr {
        let Cell { object, offset, .. } = self.all[cell];
        let base = Expr::ObjectAddr(object, pointer);
        match offset {
            0 => base,
            _ => Expr::binary(BinOp::Add, base, Expr::constant(u128::from(offset), pointer)),
        }
    }

    /// Whether an access goes to this cell; `None` if it cannot go to another one.
    pub(crate) fn is(&self, access: &CellAccess, cell: usize) -> Option<Expr> {
        let several = access.cells.len() > 1;
        several.then(|| Expr::binary(BinOp::Eq, access.addr.clone(), self.address(cell, access.addr.width())))
    }
}

/// Memory that threads contend for, and what an access to it can go to instead: a delayed store is seen by every later load of its thread, also by one
/// of memory that only this thread accesses.
fn watched(analysis: &Analysis<'_>) -> BTreeSet<Site> {
    let mut targets: Vec<Vec<Site>> = Vec::new();
    for (func, function) in analysis.program.functions.iter_enumerated() {
        for location in function.locations.iter() {
            for footprint in footprints(function, &location.action) {
                let places = analysis.points_to.targets(func, &footprint.addr).places;
                targets.push(places.into_iter().map(|(site, _)| site).collect());
            }
        }
    }
    let contended = targets.iter().flatten().copied().filter(|site| analysis.threads.is_contended(*site));
    let mut watched: BTreeSet<Site> = contended.collect();
    loop {
        let before = watched.len();
        for sites in &targets {
            if sites.iter().any(|site| watched.contains(site)) {
                watched.extend(sites);
            }
        }
        if watched.len() == before {
            return watched;
        }
    }
}

/// The offsets of an object that an access of this width can have, if they are few.
fn offsets(analysis: &Analysis<'_>, site: Site, offset: Offset, width: Width) -> Option<Vec<u64>> {
    let Site::Static(object) = site else { return None };
    let object = &analysis.program.objects[object];
    if object.thread_local {
        return None;
    }
    if let Some(exact) = offset.as_exact() {
        return (exact + width.bytes() <= object.size).then(|| vec![exact]);
    }
    let n_words = object.size / width.bytes();
    let all = (0..n_words).map(|n| n * width.bytes());
    let possible: Vec<u64> = all.filter(|at| offset.contains(at.cast_signed())).collect();
    let aligned =
        [offset.stride(), offset.start().unsigned_abs()].iter().all(|n| n.is_multiple_of(width.bytes()));
    (aligned && n_words <= MOST_CELLS && !possible.is_empty()).then_some(possible)
}
