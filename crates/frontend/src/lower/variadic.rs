//! Surplus arguments of variadic functions: the block that they lie in, `va_start`, `va_arg`.
//!
//! A slot of the block is as many words as its value needs. Reading a value of another type than that of the argument, or one more than there are, is undefined (C11 7.16.1.1p2). The latter leaves the block.
//! For the former, where `undefined-behaviour` is checked and the program's own functions use `va_arg`, a slot begins with a word more, its *tag*, which says what kind of value follows.
//!
//! # Direction of error
//! Misses: signed and unsigned types of one size (C allows them where both have the value), pointers and integers of their size, records of one size, and what the library reads (formats have checks of
//! their own, [`format`](super::format)).

use super::Lowering;
use super::function::{Builder, Place};
use super::scalar::{self, Class};
use crate::harness::{Node, walk};
use crate::hir::{self, ExprKind};
use crate::types::Ty;
use program::{BinOp, Expr, Op, Order, UndefinedKind, Width};

impl<'m> Builder<'_, 'm> {
    /// How many bytes a value takes in a block of surplus arguments, with its [tag](Self::tag_of).
    pub(super) fn slot(&mut self, ty: Ty) -> u64 {
        let word = self.ctx.model.pointer().bytes();
        self.tag_size() + self.ctx.module.types.size_of(ty).unwrap_or(0).next_multiple_of(word)
    }

    pub(super) fn surplus_block(&mut self, args: &'m [hir::Expr], of_library: bool) -> Expr {
        if args.is_empty() {
            return self.word(0);
        }
        let size = args.iter().map(|a| self.slot(a.ty)).sum();
        let memory = self.temporary_memory(size, 16);
        let block = self.local_addr(memory);
        let mut at = 0;
        for arg in args {
            let slot = self.offset(block.clone(), at);
            let addr = self.tagged(slot, arg.ty);
            if self.ctx.is_record(arg.ty) {
                let source = self.record(arg);
                let size = self.ctx.module.types.size_of(arg.ty).unwrap_or(0);
                self.copy_into_private(addr, source, size, arg.ty);
            } else {
                let value = self.rvalue(arg);
                let value = if of_library { self.decided_argument(value, arg.ty) } else { value };
                let value = self.bounded(value);
                self.push_private(Op::Store { addr, value, order: Order::Plain });
            }
            at += self.slot(arg.ty);
        }
        block
    }

    /// `va_arg`: the value of the next surplus argument (for records, its address).
    pub(super) fn next_argument(&mut self, list: &'m hir::Expr, ty: Ty) -> Expr {
        let place = self.list_place(list);
        let at = self.list_value(&place);
        let at = self.in_temporary(at);
        let slot = self.slot(ty);
        let next = self.offset(at.clone(), slot);
        self.store(&place, next);
        let at = self.check_tag(at, ty);
        if self.ctx.is_record(ty) {
            return at;
        }
        match self.ctx.width(ty) {
            Some(width) => self.load_memory(at, width, Order::Plain),
            None => self.no_value("variadic argument of a type without a model"),
        }
    }

    /// The variable that walks through surplus arguments, given by its address.
    fn list_place(&mut self, list: &'m hir::Expr) -> Place {
        match &list.kind {
            ExprKind::AddrOf(lvalue) => self.place(lvalue),
            _ => Place::Memory { addr: self.rvalue(list), order: Order::Plain },
        }
    }

    fn list_value(&mut self, place: &Place) -> Expr {
        match place {
            Place::Register(var, width) => Expr::Reg(*var, *width),
            Place::Memory { addr, .. } | Place::Bits { addr, .. } => {
                let word = self.ctx.model.pointer();
                self.load_memory(addr.clone(), word, Order::Plain)
            }
        }
    }

    /// `va_start` and `va_copy`.
    pub(super) fn start_list(&mut self, list: &'m hir::Expr, from: Option<&'m hir::Expr>) -> Expr {
        let value = match (from, self.surplus) {
            (Some(from), _) => {
                let from = self.list_place(from);
                self.list_value(&from)
            }
            (None, Some(surplus)) => Expr::Reg(surplus, self.ctx.model.pointer()),
            (None, None) => return self.no_value("va_start in a function that is not variadic"),
        };
        let place = self.list_place(list);
        let value = scalar::resize(value, false, self.ctx.model.pointer());
        self.store(&place, value);
        Expr::constant(0, Width::INT)
    }

    // ---- tags -----------------------------------------------------------------------------------------------

    /// The size of the tag of a slot.
    pub(super) fn tag_size(&mut self) -> u64 {
        if self.ctx.tags_arguments() { self.ctx.model.pointer().bytes() } else { 0 }
    }

    /// What kind of value a type has.
    fn tag_of(&self, ty: Ty) -> u64 {
        let size = self.ctx.module.types.size_of(ty).unwrap_or(0);
        let kind = match () {
            () if self.ctx.is_record(ty) => 3,
            () if self.class(ty) == Class::Float => 2,
            () => 1,
        };
        size * 4 + kind
    }

    /// Writes the tag of a slot, if it has one; gives where its value is.
    fn tagged(&mut self, slot: Expr, ty: Ty) -> Expr {
        let size = self.tag_size();
        if size != 0 {
            let value = self.word(self.tag_of(ty));
            self.push_private(Op::Store { addr: slot.clone(), value, order: Order::Plain });
        }
        self.offset(slot, size)
    }

    /// Checks the tag of a slot, if it has one; gives where its value is.
    fn check_tag(&mut self, slot: Expr, ty: Ty) -> Expr {
        let size = self.tag_size();
        if size != 0 && !self.declared.library {
            let word = self.ctx.model.pointer();
            let tag = self.load_memory(slot.clone(), word, Order::Plain);
            let fits = Expr::binary(BinOp::Eq, tag, self.word(self.tag_of(ty)));
            let what = "`va_arg` with another type than that of the argument";
            self.undefined_unless(fits, UndefinedKind::IncompatibleCall, what);
        }
        self.offset(slot, size)
    }

    // ---- values that the library uses -----------------------------------------------------------------------

    /// The argument of a function of the library, which is undefined if it was never set (DR 451): a choice between equals, which depends on it.
    pub(super) fn decided_argument(&mut self, value: Expr, ty: Ty) -> Expr {
        let is_number = !self.ctx.is_record(ty) && !self.has_pointer_type(ty);
        if !self.ctx.checks.undefined || !is_number || value.as_const().is_some() {
            return value;
        }
        let value = if value.reads_memory() { self.in_temporary(value) } else { self.repeatable(value) };
        let zero = Expr::constant(0, value.width());
        Expr::ite(Expr::binary(BinOp::SLt, value.clone(), zero), value.clone(), value)
    }
}

impl Lowering<'_> {
    /// Whether surplus arguments carry tags.
    fn tags_arguments(&mut self) -> bool {
        let module = self.module;
        let is_checked = self.checks.undefined;
        *self.tags_arguments.get_or_insert_with(|| is_checked && takes_arguments(module))
    }
}

/// Whether the program's own functions use `va_arg`.
fn takes_arguments(module: &hir::Module) -> bool {
    let mut found = false;
    for body in module.functions.iter().filter(|f| !f.library).filter_map(|f| f.body.as_ref()) {
        walk(body, &mut |node| {
            found |= matches!(node, Node::Expr(hir::Expr { kind: ExprKind::VaArg(_), .. }));
        });
    }
    found
}
