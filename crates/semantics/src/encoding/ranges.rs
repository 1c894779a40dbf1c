//! Blocks of memory: copies and fills as loads and stores of the words that [`crate::analysis::MemoryPartition`] names.
//!
//! A fill of a length that is not constant has a meaning here only if it covers a whole object (`calloc`).

use crate::analysis::{Offset, Targets};
use crate::encoding::encode::{Encoding, Partial, SuccessorKind, Valued, assigned};
use crate::encoding::names::Name;
use crate::encoding::objects::Extent;
use base::convert::low64;
use logic::Term;
use logic::path::Cmd;
use program::interp::Identity;
use program::{Expr, Width};

impl Encoding<'_, '_> {
    pub(crate) fn copy(&mut self, partial: &mut Partial, dst: &Expr, src: &Expr, len: &Expr) -> Valued<()> {
        let unknown = |what: &str| SuccessorKind::Unsupported(format!("copy of {what}"));
        let len = len.as_const().ok_or_else(|| unknown("a length that is not constant"))?;
        let len = low64(len);
        let (to, from) = (
            self.encoder.analysis.points_to.targets(self.func, dst),
            self.encoder.analysis.points_to.targets(self.func, src),
        );
        self.demand_range(partial, src, len, false)?;
        self.demand_range(partial, dst, len, true)?;
        let mut words: Option<Vec<(u64, Width)>> = None;
        for &target in &to.places {
            for &source in &from.places {
                let these = self.encoder.analysis.layout.copy_words(target, source, len);
                let these = these.ok_or_else(|| unknown("memory that is cut in different ways"))?;
                if words.as_ref().is_some_and(|known| *known != these) {
                    return Err(unknown("memory that is cut in different ways"));
                }
                words = Some(these);
            }
        }
        let words = words.ok_or_else(|| self.nothing("copy"))?;
        // All is read before anything is written: the two may be the same object.
        let mut values = Vec::new();
        for (n, (distance, width)) in (0..).zip(&words) {
            let (value, set) = self.load_at(partial, src, *distance, *width, None)?;
            let kept = self.symbol(Name::Scratch { thread: self.thread, n, width: *width });
            partial.block.push(Cmd::Assign(kept, value));
            let mark = set.map(|set| self.keep_mark(partial, n, set));
            values.push((*distance, self.terms.var_of(kept), mark));
        }
        let mut values = values.into_iter();
        values.try_for_each(|(distance, value, mark)| self.store_at(partial, dst, distance, value, mark))
    }

    pub(crate) fn fill(&mut self, partial: &mut Partial, dst: &Expr, byte: &Expr, len: &Expr) -> Valued<()> {
        let unknown = |what: &str| SuccessorKind::Unsupported(format!("fill of {what}"));
        let byte = self.value(partial, byte)?;
        let targets = self.encoder.analysis.points_to.targets(self.func, dst);
        let Some(len) = len.as_const() else { return self.fill_whole(partial, &targets, dst, byte, len) };
        let len = low64(len);
        self.demand_range(partial, dst, len, true)?;
        let mut words: Option<Vec<(u64, Width)>> = None;
        for &(site, offset) in &targets.places {
            let these = self.encoder.analysis.layout.fill_words(site, offset, len);
            let these = these.ok_or_else(|| unknown("memory that is cut in different ways"))?;
            if words.as_ref().is_some_and(|known| *known != these) {
                return Err(unknown("memory that is cut in different ways"));
            }
            words = Some(these);
        }
        let words = words.ok_or_else(|| self.nothing("fill"))?;
        for (distance, width) in words {
            let value = self.repeated(byte, width);
            self.store_at(partial, dst, distance, value, None)?;
        }
        Ok(())
    }
    /// A fill that covers all of the one object that the address is known to be.
    fn fill_whole(
        &mut self,
        partial: &mut Partial,
        targets: &Targets,
        dst: &Expr,
        byte: Term,
        len: &Expr,
    ) -> Valued<()> {
        let unknown = || SuccessorKind::Unsupported("fill of a length that is not constant".to_owned());
        let (address, len) = (self.value(partial, dst)?, self.value(partial, len)?);
        let object = self.object_at(partial, targets, address)?.ok_or_else(unknown)?;
        let symbol = self.symbol(Name::Size(object));
        // The size was set in this very block, after whose start none of the size's variables has changed.
        if !self.size_varies(object) || assigned(partial, symbol) != Some(len) {
            return Err(unknown());
        }
        let pointer = self.pointer().0;
        for (symbol, extent) in self.encoder.symbols_of(self.terms, object) {
            let value = match extent {
                Extent::ScalarCell(scalar) => self.repeated(byte, scalar.width),
                Extent::ArrayRegion(row, _) => {
                    let element = self.repeated(byte, row.width);
                    self.terms.const_array(pointer, element)
                }
            };
            partial.block.push(Cmd::Assign(symbol, value));
        }
        self.mark_object(partial, object, true);
        Ok(())
    }

    /// The object that begins at an address, if that is constant.
    fn object_at(&mut self, partial: &Partial, targets: &Targets, address: Term) -> Valued<Option<Identity>> {
        for &(site, offset) in &targets.places {
            for object in self.objects_of(partial, site) {
                if offset == Offset::Exactly(0) && self.object_address(object)? == address {
                    return Ok(Some(object));
                }
            }
        }
        Ok(None)
    }

    /// A word all of whose bytes are the same.
    fn repeated(&mut self, byte: Term, width: Width) -> Term {
        (1..width.bytes()).fold(byte, |value, _| self.terms.concat(byte, value))
    }
}
