//! Constants among the variables of `main`, for memory safety: writing to one is undefined (C11 6.7.3p6).
//!
//! A variable of a frame is written to when it is initialised, so that its memory cannot be read-only. A variable of the outermost block of `main` lives as long as the program,
//! though; if its initialiser is constant, it is a static object in all but its storage, and those have memory that is read-only.
//!
//! # Direction of error
//! Misses: writes to constant variables of other functions and blocks, or with other initialisers, and in programs in which `main` may end before the program does.

use super::function::Builder;
use crate::hir::{self, ExprKind, Init, LocalId, Stmt};
use base::convert::index;
use program::{Object, ObjectId};

/// Functions by which the frame of `main` may end before the program, and what runs after it.
const ENDS: &[&str] = &["pthread_exit", "thrd_exit", "atexit", "on_exit", "at_quick_exit", "pthread_cancel"];

impl Builder<'_, '_> {
    /// The static object that stands for a constant variable of `main`.
    pub(super) fn constant_variable(&mut self, id: LocalId, decl: &hir::Local) -> Option<ObjectId> {
        let types = &self.ctx.module.types;
        let qualifiers = types.qualifiers(decl.ty);
        let is_constant = qualifiers.is_const && !qualifiers.is_volatile && decl.address_taken;
        let ends = || self.ctx.module.functions.iter().any(|f| ENDS.contains(&f.name.as_str()));
        if !self.ctx.checks.validity
            || !is_constant
            || !self.is_main()
            || !self.body.labels.is_empty()
            || ends()
        {
            return None;
        }
        let init = self.body.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Decl { local, init, .. } if *local == id => init.as_ref(),
            _ => None,
        });
        let (size, align) = types.size_align(decl.ty)?;
        let bytes = self.constant_bytes(init?, size)?;
        Some(self.ctx.objects.push(Object {
            name: format!("main.{}.{}", decl.name, id.0),
            size,
            align: align.max(decl.align).max(1),
            thread_local: false,
            read_only: true,
            arbitrary: false,
            bytes,
            relocs: Vec::new(),
            span: decl.span,
        }))
    }

    /// The bytes that an initialiser of numbers and strings gives.
    fn constant_bytes(&self, init: &Init, size: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; index(size)];
        for item in &init.items {
            let part = match &item.value.kind {
                ExprKind::Int(bits) | ExprKind::Float(bits) if item.bits.is_none() => {
                    let len = self.ctx.module.types.size_of(item.value.ty)?;
                    bits.to_le_bytes().get(..index(len))?.to_vec()
                }
                ExprKind::Str(id) => self.ctx.module.strings[*id].clone(),
                _ => return None,
            };
            let at = index(item.offset);
            let len = part.len().min(bytes.len().checked_sub(at)?);
            bytes[at..at + len].copy_from_slice(&part[..len]);
        }
        Some(bytes)
    }
}
