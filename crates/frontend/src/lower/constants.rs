//! Constants among the variables of functions, for memory safety: writing to one is undefined (C11 6.7.3p6).
//!
//! A variable of a frame is written to when it is initialised. These stores are by its name (an address that begins with `&x`); all other writes are through pointers that are not to constants. Where
//! a pointer to a constant variable loses its `const`, it goes to a register of its own, which no pass replaces by its value, so that what is written through it is not by name. Memory of the program
//! model that is [read-only](program::VarKind::Memory) can be written by name only.
//!
//! A variable of the outermost block of `main` lives as long as the program; if its initialiser is constant, it is a static object in all but its storage, which costs the analyses less.
//!
//! # Direction of error
//! Misses: constant parameters, and constant members of structures that are not constant themselves.

use super::function::Builder;
use crate::hir::{self, ExprKind, Init, LocalId, Stmt, VarRef};
use crate::types::{Ty, Type};
use base::convert::index;
use program::{Action, Expr, Object, ObjectId, Op, Undefined, UndefinedKind, VarId, VarKind};

/// Functions by which the frame of `main` may end before the program, and what runs after it.
const ENDS: &[&str] = &["pthread_exit", "thrd_exit", "atexit", "on_exit", "at_quick_exit", "pthread_cancel"];

impl Builder<'_, '_> {
    /// Whether only the initialisation of a variable may write to it.
    pub(super) fn is_constant_variable(&self, decl: &hir::Local) -> bool {
        self.ctx.checks.validity
            && !self.declared.library
            && self.ctx.module.types.qualifiers(decl.ty).is_const
    }

    /// An address of this type, which is not by the name of a constant variable unless what it leads to is constant for the type, too.
    pub(super) fn without_name(&mut self, address: Expr, ty: Ty) -> Expr {
        let types = &self.ctx.module.types;
        let is_constant = |var: VarId| matches!(self.vars[var].kind, VarKind::Memory { read_only: true, .. });
        let keeps = matches!(types.unatomic(ty), Type::Pointer(target) if types.qualifiers(*target).is_const);
        if keeps || !address.local_base().is_some_and(is_constant) {
            return address;
        }
        let width = address.width();
        let pointer = self.register("pointer", width);
        self.push(Op::Set { var: pointer, value: address });
        Expr::Reg(pointer, width)
    }

    /// An assignment to a constant variable by its name, as in `*(int *)&x = 1`, is undefined; there are no others, since the language forbids them.
    pub(super) fn check_constant(&mut self, lvalue: &hir::Expr) {
        let mut root = lvalue;
        while let ExprKind::Member { base, .. } = &root.kind {
            root = base;
        }
        let ExprKind::Var(VarRef::Local(local)) = root.kind else { return };
        let decl = &self.body.locals[local];
        if self.is_constant_variable(decl) {
            let what = format!("assignment to `{}`, which is constant", decl.name);
            self.end(Action::Undefined(Undefined::new(UndefinedKind::WriteToConstant, what)));
        }
    }

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
