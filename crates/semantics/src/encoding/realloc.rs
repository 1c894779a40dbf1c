//! Blocks that get another size: a new block that begins with the elements of the old one, which ends.
//!
//! A block that may stay in its place has no model here: the encoder would have to follow the size of every block that is allocated anywhere. That choice is
//! taken away where a program cannot notice it ([`always_moving`](crate::addresses::always_moving)).
//!
//! # What is copied
//! [`crate::analysis::MemoryPartition`] cuts both blocks in the same way, into one row of words or of bytes. Elements of the new block that the old one does not have are
//! arbitrary, as those of every new block are. The elements of the old one are copied one by one, at most [`MAX_ELEMENTS`] of them: a longer one has no model.
//!
//! # Direction of error
//! None: what happens is what the interpreter does, or it is `Unsupported`.

use crate::analysis::{ArrayRegion, Site};
use crate::encoding::encode::{Encoding, Partial, SuccessorKind, Valued};
use crate::encoding::names::Name;
use crate::encoding::objects::Extent;
use logic::path::Cmd;
use logic::{Symbol, Term};
use program::interp::Identity;
use program::{Expr, Storage, VarId};

/// The number of elements up to which a block is copied.
const MAX_ELEMENTS: u64 = 64;

impl Encoding<'_, '_> {
    /// `var = realloc(ptr, size)`, by operation `op` of the transaction.
    pub(crate) fn realloc(
        &mut self,
        partial: &mut Partial,
        var: VarId,
        (ptr, size, stays): (&Expr, &Expr, &Expr),
        op: u32,
    ) -> Valued<()> {
        if stays.as_const() != Some(0) {
            return Err(unsupported("a block that may stay in its place"));
        }
        let targets = self.encoder.analysis.points_to.targets(self.func, ptr);
        if targets.unknown {
            return Err(unsupported("a pointer that may be anything"));
        }
        let mut sites: Vec<Site> = targets.places.iter().map(|(site, _)| *site).collect();
        sites.dedup();
        let existing = sites.into_iter().flat_map(|site| self.objects_of(partial, site));
        let olds: Vec<Identity> = existing.filter(|old| matches!(old, Identity::Heap { .. })).collect();
        // `var` may be the register that holds the old address.
        let address = self.value(partial, ptr)?;
        let kept = self.symbol(Name::Scratch { thread: self.thread, n: 0, width: self.pointer() });
        partial.block.push(Cmd::Assign(kept, address));
        self.free(partial, ptr)?;
        let new = self.alloc(partial, var, size, Storage::Heap, op)?;
        let Some((to, row)) = self.only_row(new) else {
            return if olds.is_empty() {
                Ok(())
            } else {
                Err(unsupported("a block that is cut in several ways"))
            };
        };
        let mut elements = self.terms.var_of(to);
        let mark = self.mark_of(to);
        let mut marks = mark.map(|mark| self.terms.var_of(mark));
        for old in olds {
            let (from, cut) =
                self.only_row(old).ok_or_else(|| unsupported("a block that is cut in several ways"))?;
            if (cut.start, cut.stride, cut.width) != (row.start, row.stride, row.width) {
                return Err(unsupported("a block that is cut in another way"));
            }
            let (address, base) = (self.current(partial, kept), self.object_address(old)?);
            let here = self.terms.eq(address, base);
            elements = self.copied(partial, elements, (old, from, here), row);
            if let (Some(known), Some(from)) = (marks, self.mark_of(from)) {
                marks = Some(self.copied(partial, known, (old, from, here), row));
            }
        }
        partial.block.push(Cmd::Assign(to, elements));
        partial.block.extend(mark.zip(marks).map(|(mark, marks)| Cmd::Assign(mark, marks)));
        Ok(())
    }

    /// The elements of the new block, if the old one is `old`; otherwise as they are.
    fn copied(
        &mut self,
        partial: &mut Partial,
        mut elements: Term,
        (old, from, here): (Identity, Symbol, Term),
        row: ArrayRegion,
    ) -> Term {
        let pointer = self.pointer().0;
        let from = self.terms.var_of(from);
        let room = self.size_of(old).saturating_sub(row.start) / row.stride;
        for n in 0..room.min(MAX_ELEMENTS) {
            let at = self.terms.constant(u128::from(row.start + n * row.stride), pointer);
            let fits = self.fits_bytes(old, at, row.width.bytes());
            let copies = self.terms.and2(here, fits);
            let (value, other) = (self.terms.select(from, at), self.terms.select(elements, at));
            let value = self.terms.ite(copies, value, other);
            elements = self.terms.store(elements, at, value);
        }
        if room > MAX_ELEMENTS {
            let beyond = self.terms.constant(u128::from(row.start + MAX_ELEMENTS * row.stride), pointer);
            let size = self.size(old);
            let longer = self.terms.ugt(size, beyond);
            let strays = self.terms.and2(here, longer);
            let why = unsupported(&format!("a block of more than {MAX_ELEMENTS} elements"));
            self.stray(partial, strays, why);
            let short = self.terms.not(strays);
            self.assume(partial, short);
        }
        elements
    }

    /// The one row of cells that an object is cut into.
    fn only_row(&mut self, object: Identity) -> Option<(Symbol, ArrayRegion)> {
        match &self.encoder.symbols_of(self.terms, object)[..] {
            [(symbol, Extent::ArrayRegion(row, _))] => Some((*symbol, *row)),
            _ => None,
        }
    }
}

fn unsupported(what: &str) -> SuccessorKind {
    SuccessorKind::Unsupported(format!("realloc of {what}"))
}
