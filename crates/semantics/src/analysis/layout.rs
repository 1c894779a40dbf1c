//! How to cut objects into cells, so that an engine can have a variable for a cell and an array for a row of cells.
//!
//! The cut follows from the accesses. If all accesses to the objects of a site are at exact offsets, do not
//! overlap, and always use one width at one offset, the cells are [scalars](SitePartition::Scalars). Strided accesses make
//! rows of cells: `int a[N]` is one row of 32-bit words, an array of structures one row for each member. What does not fit
//! together is left as [bytes](SitePartition::Bytes).
//!
//! # What an engine has to do
//! - An access at an address that is no cell of the layout is outside the object (undefined), or it breaks the
//!   guess behind a [`guarded`](SitePartition::Rows) layout: that rows with members around them are indexed from their start on
//!   and not beyond their end. C demands this of an array inside a structure, but the program does not say where such an
//!   array begins. An engine that meets such an address has to answer *unknown*.
//! - [`Op::Copy`] and [`Op::Fill`] of a known length are the same as loads and stores of the words that
//!   [`MemoryPartition::copy_words`] and [`MemoryPartition::fill_words`] name: "copy 24 bytes" becomes three words moved at
//!   distances 0, 8, 16 from both addresses. Bytes that are never read or written as a word (padding) are left out. Cells are
//!   carried over from one side of a copy to the other, so that both sides always agree, or are bytes. For a length that is not
//!   known, both sides are rows of words of the same width and the copy moves a whole number of them, or both are bytes. A fill
//!   of unknown length right after the allocation of an object of that size covers all of its cells.
//! - The accesses in [`MemoryPartition::unknown_accesses`] can go anywhere; if one can be reached, the answer is *unknown*.
//!
//! Words of mutexes and the like are ordinary accesses. The initial bytes of a static object play no part: a cell
//! starts with whatever bytes are under it.

use crate::analysis::footprint::{Extent, footprints};
use crate::analysis::offset::{Offset, WHOLE};
use crate::analysis::points_to::PointsTo;
use crate::analysis::rows::{self, Shape};
use crate::analysis::threads::sites;
use crate::analysis::value::Site;
use base::convert::{count32, index};
use program::{Action, Expr, FuncId, LocId, Op, Program, VarKind, Width};
use std::collections::BTreeMap;

/// A cell that stands alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ScalarCell {
    /// Where in the object.
    pub offset: u64,
    /// How wide.
    pub width: Width,
}

/// A row of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ArrayRegion {
    /// Where in the object the first one is.
    pub start: u64,
    /// From one to the next.
    pub stride: u64,
    /// How wide each of them is.
    pub width: Width,
    /// How many there are, if the object's size is known.
    pub count: Option<u64>,
}

/// How the objects of a site are cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SitePartition {
    /// All accesses are at exact offsets: these cells, sorted, which do not overlap.
    Scalars(Vec<ScalarCell>),
    /// Some are at varying offsets.
    Rows {
        /// The rows, sorted; their cells do not overlap.
        rows: Vec<ArrayRegion>,
        /// The cells beside them, sorted.
        scalars: Vec<ScalarCell>,
        /// True if it is only a guess that an index stays within its row.
        guarded: bool,
    },
    /// Accesses overlap in other ways.
    Bytes,
}

/// The layouts of all sites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryPartition {
    sites: BTreeMap<Site, SitePartition>,
    unknown: Vec<(FuncId, LocId)>,
}

/// The most words that a copy or fill is taken apart into.
const MAX_WORDS: u64 = 1 << 16;

impl MemoryPartition {
    /// Cuts all objects of a program.
    pub fn of(program: &Program, points_to: &PointsTo) -> MemoryPartition {
        let mut gathered = Gathered::of(program, points_to);
        gathered.carry_over();
        let cut = |(site, shape): (&Site, &Shape)| (*site, rows::cut(shape));
        let sites = gathered.shapes.iter().map(cut).collect();
        let mut layout = MemoryPartition { sites, unknown: gathered.unknown };
        while let Some(misfit) = gathered.ranges.iter().find_map(|range| layout.misfit(range)) {
            for site in misfit {
                layout.sites.insert(site, SitePartition::Bytes);
            }
        }
        layout
    }

    /// How objects of `site` are cut.
    pub fn site(&self, site: Site) -> &SitePartition {
        self.sites.get(&site).unwrap_or(&SitePartition::Bytes)
    }

    /// All sites with their layouts, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (Site, &SitePartition)> {
        self.sites.iter().map(|(site, layout)| (*site, layout))
    }

    /// The locations of accesses that can go anywhere.
    pub fn unknown_accesses(&self) -> &[(FuncId, LocId)] {
        &self.unknown
    }

    /// The words that a fill of `len` bytes at `offset` stores: distances from the address, and widths. `None` if they
    /// depend on where exactly it is, or are too many.
    pub fn fill_words(&self, site: Site, offset: Offset, len: u64) -> Option<Vec<(u64, Width)>> {
        self.words(site, offset, len).unwrap_or_else(|| bytes(len))
    }

    /// The words that a copy of `len` bytes from `src` to `dst` moves, as for [`fill_words`](Self::fill_words).
    pub fn copy_words(
        &self,
        dst: (Site, Offset),
        src: (Site, Offset),
        len: u64,
    ) -> Option<Vec<(u64, Width)>> {
        match (self.words(dst.0, dst.1, len), self.words(src.0, src.1, len)) {
            (None, None) => bytes(len),
            // Where objects are bytes, each of them may be read: none can be left out.
            (Some(words), None) | (None, Some(words)) => words.filter(|words| cover(words, len)),
            (Some(dst), Some(src)) => dst.filter(|dst| src.as_ref() == Some(dst)),
        }
    }

    /// As [`fill_words`](Self::fill_words); nothing at all where objects are bytes, which any words fit.
    fn words(&self, site: Site, offset: Offset, len: u64) -> Option<Option<Vec<(u64, Width)>>> {
        match self.site(site) {
            SitePartition::Bytes => None,
            SitePartition::Scalars(scalars) => Some(rows::words(&[], scalars, offset, len)),
            SitePartition::Rows { rows, scalars, .. } => Some(rows::words(rows, scalars, offset, len)),
        }
    }

    /// The sites that have to become bytes because of a copy or fill that cuts cells, if any.
    fn misfit(&self, range: &Range) -> Option<Vec<Site>> {
        let not_bytes = |site: &Site| *self.site(*site) != SitePartition::Bytes;
        let len = range.len.and_then(Offset::as_exact).filter(|len| *len <= MAX_WORDS);
        for dst in &range.dst {
            let (mut involved, fits) = match (&range.src, len) {
                (None, Some(len)) => (vec![dst.0], self.fill_words(dst.0, dst.1, len).is_some()),
                (None, None) => (vec![dst.0], self.is_row(*dst, range.len).is_some()),
                (Some(srcs), _) => {
                    let misfit = srcs.iter().find(|src| !self.copy_fits(*dst, **src, range.len, len));
                    (misfit.map_or(vec![], |src| vec![dst.0, src.0]), misfit.is_none())
                }
            };
            involved.retain(not_bytes);
            if !fits && !involved.is_empty() {
                return Some(involved);
            }
        }
        None
    }

    fn copy_fits(&self, dst: SiteOffset, src: SiteOffset, length: Option<Offset>, len: Option<u64>) -> bool {
        match len {
            Some(len) => self.copy_words(dst, src, len).is_some(),
            None => {
                let (dst, src) = (self.is_row(dst, length), self.is_row(src, length));
                dst.is_some() && dst == src
            }
        }
    }

    /// The width of the words of which a site is one contiguous row, if a range of that length cuts none of them.
    fn is_row(&self, (site, offset): SiteOffset, len: Option<Offset>) -> Option<Width> {
        let SitePartition::Rows { rows, scalars, .. } = self.site(site) else { return None };
        let [ArrayRegion { start, stride, width, .. }] = rows[..] else { return None };
        let aligned = |number: Offset, to: u64| {
            number.stride().is_multiple_of(stride)
                && number.start().abs_diff(to.cast_signed()).is_multiple_of(stride)
        };
        let whole_words = len.is_none_or(|len| aligned(len, 0));
        let fits = stride == width.bytes() && scalars.is_empty() && aligned(offset, start) && whole_words;
        fits.then_some(width)
    }
}

/// Returns true if words, sorted by distance, leave no gap in `len` bytes.
fn cover(words: &[(u64, Width)], len: u64) -> bool {
    let end = words.iter().try_fold(0, |end, (at, width)| (*at == end).then(|| end + width.bytes()));
    end == Some(len)
}

/// Single bytes.
fn bytes(len: u64) -> Option<Vec<(u64, Width)>> {
    (len <= MAX_WORDS).then(|| (0..len).map(|at| (at, Width::BYTE)).collect())
}

type SiteOffset = (Site, Offset);

/// A copy or fill.
struct Range {
    dst: Vec<SiteOffset>,
    /// Nothing for a fill.
    src: Option<Vec<SiteOffset>>,
    /// How many bytes; nothing for a whole object.
    len: Option<Offset>,
}

/// All accesses of a program, by site.
struct Gathered {
    shapes: BTreeMap<Site, Shape>,
    ranges: Vec<Range>,
    unknown: Vec<(FuncId, LocId)>,
}

impl Gathered {
    fn of(program: &Program, points_to: &PointsTo) -> Gathered {
        let sites = sites(program).into_iter();
        let shapes = sites.map(|(site, _)| (site, Shape::new(size(program, site))));
        let mut gathered = Gathered { shapes: shapes.collect(), ranges: Vec::new(), unknown: Vec::new() };
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                let mut unknown = false;
                for footprint in footprints(function, &location.action) {
                    let targets = points_to.targets(func, &footprint.addr);
                    unknown |= targets.unknown;
                    if let Extent::Word(width) = footprint.extent {
                        gathered.add_words(&targets.places, width.bytes());
                    }
                }
                if unknown {
                    gathered.unknown.push((func, loc));
                }
                if let Action::Ops { ops, .. } = &location.action {
                    let cutting = ops.iter().enumerate().filter(|(n, _)| !fills_new(ops, *n));
                    cutting.for_each(|(n, op)| gathered.add_range(points_to, (func, loc, count32(n)), op));
                }
            }
        }
        gathered
    }

    fn add_words(&mut self, places: &[SiteOffset], bytes: u64) {
        for (site, offset) in places {
            if let Some(shape) = self.shapes.get_mut(site) {
                shape.add(*offset, bytes);
            }
        }
    }

    fn add_range(&mut self, points_to: &PointsTo, (func, loc, n): (FuncId, LocId, u32), op: &Op) {
        let places = |addr: &Expr| points_to.targets(func, addr).places;
        let number = |len: &Expr| points_to.number(func, len);
        let range = match op {
            Op::Copy { dst, src, len } => {
                Range { dst: places(dst), src: Some(places(src)), len: Some(number(len)) }
            }
            Op::Fill { dst, len, .. } => Range { dst: places(dst), src: None, len: Some(number(len)) },
            Op::Realloc { ptr, .. } => {
                let dst = vec![(Site::Heap(func, loc, n), Offset::Exactly(0))];
                Range { dst, src: Some(places(ptr)), len: None }
            }
            _ => return,
        };
        self.ranges.push(range);
    }

    /// Lets both sides of every copy have the other side's cells.
    fn carry_over(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for range in &self.ranges {
                let len = range.len.and_then(Offset::as_exact);
                for src in range.src.iter().flatten() {
                    for dst in &range.dst {
                        changed |= carry(&mut self.shapes, *src, *dst, len);
                        changed |= carry(&mut self.shapes, *dst, *src, len);
                    }
                }
            }
        }
    }
}

/// Returns true if operation `n` fills all of an object of unknown size that the operation before it has made (`calloc`): that cuts no
/// cell, however the object is cut.
fn fills_new(ops: &[Op], n: usize) -> bool {
    let before = n.checked_sub(1).map(|n| &ops[n]);
    match (before, &ops[n]) {
        (Some(Op::Alloc { var, size, .. }), Op::Fill { dst: Expr::Reg(to, _), len, .. }) => {
            var == to && len == size && len.as_const().is_none()
        }
        _ => false,
    }
}

/// Adds the cells that lie in `len` bytes from `from` on to the shape of `to`.
fn carry(shapes: &mut BTreeMap<Site, Shape>, from: SiteOffset, to: SiteOffset, len: Option<u64>) -> bool {
    /// Maximum number of cells of an array region that are carried over one by one.
    const MAX_SINGLE: u64 = 16;
    let Some(source) = shapes.get(&from.0) else { return false };
    let mut carried: Vec<(Offset, u64)> = Vec::new();
    for (offset, bytes) in source.words() {
        let distance = offset.minus(from.1);
        let (start, stride) = (distance.start(), distance.stride());
        match (stride, len) {
            (0, _) => {
                let inside = u64::try_from(start).is_ok_and(|start| start < len.unwrap_or(WHOLE));
                carried.extend(inside.then(|| (to.1.plus(distance), bytes)));
            }
            (_, Some(len)) if len / stride <= MAX_SINGLE => {
                let first = start.rem_euclid(stride.cast_signed());
                let inside = (first..).step_by(index(stride)).take_while(|at| at.unsigned_abs() < len);
                carried.extend(inside.map(|at| (to.1.plus(Offset::Exactly(at)), bytes)));
            }
            _ => carried.push((to.1.plus(distance), bytes)),
        }
    }
    let Some(target) = shapes.get_mut(&to.0) else { return false };
    let mut changed = false;
    for (offset, bytes) in carried {
        changed |= target.add(offset, bytes);
    }
    changed
}

/// The size of a site's objects, if they all have the same.
fn size(program: &Program, site: Site) -> Option<u64> {
    match site {
        Site::Static(object) => Some(program.objects[object].size),
        Site::Frame(func, var) => match program.functions[func].vars[var].kind {
            VarKind::Memory { size, .. } => Some(size),
            VarKind::Register(_) => None,
        },
        Site::Heap(func, loc, n) => {
            let Action::Ops { ops, .. } = &program.functions[func].locations[loc].action else { return None };
            match ops.get(n as usize) {
                Some(Op::Alloc { size, .. } | Op::Realloc { size, .. }) => {
                    size.as_const().and_then(|size| u64::try_from(size).ok())
                }
                _ => None,
            }
        }
    }
}
