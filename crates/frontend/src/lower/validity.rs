//! Checks of what C leaves undefined although the machine gives it a meaning.
//!
//! | check | where | built in for |
//! |---|---|---|
//! | a variable is used while its block is running | its life ends where the block is left ([`Op::Forget`]) | memory safety |
//! | an index is inside of its array | `s.a[i]` and `a[i][j]`: arrays that are part of an object, whose size the machine knows only as a whole | memory safety |
//! | a pointer is aligned for its type | conversions to a pointer to a type of greater alignment (C11 6.3.2.3p7); addresses of members of packed structures | `undefined-behaviour` |
//! | a floating-point number fits into an integer type | conversions (6.3.1.4p1) | `undefined-behaviour` |
//! | a record that is read for nothing is there | `*p;`, `p->record;` | memory safety |
//! | what is copied does not overlap | `memcpy` (7.24.2.1) | `undefined-behaviour` |
//!
//! # Blocks
//! Only variables whose address may travel ([`escape`](super::escape)) are followed: others are accessed by their names, and so while their block is running. A
//! block that a jump may enter other than by its beginning (it has labels, or cases of a `switch` around it) has no ends: its variables live as long as the
//! frame; the block of a `switch` itself is entered with the `switch`. Arrays of variable length have no ends, either.
//!
//! # Arrays at the end
//! The last member of a structure that a pointer leads to may be larger than it says, as in compilers: `p->a[i]` is then bounded by the object only.
//!
//! # Direction of error
//! Misses: pointers that travel as `void *` or as numbers are not checked for alignment, nor is an index that is computed by pointer arithmetic.

use super::function::{Builder, LocalPlace, Place};
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind, Stmt};
use crate::types::{Ty, Type};
use program::{BinOp, Expr, Op, Order, UndefinedKind, VarId, Width};

/// Whether an address is used to access something, or only computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// The element is accessed.
    Access,
    /// Its address is taken, which may be the one after the last element.
    Address,
}

// ---- blocks -----------------------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    /// A block is entered: the variables that live as long as it does, which begin to live.
    pub(super) fn enter_block(&mut self, stmts: &'m [Stmt]) {
        if !stmts.iter().any(|s| has_side_entry(s, false)) {
            self.begin_lives(stmts);
        }
    }

    /// The same for the declarations of a `for`, which live as long as the loop.
    pub(super) fn enter_for(&mut self, init: &'m Stmt, body: &'m Stmt) {
        let declarations = if let Stmt::Block(several) = init { several } else { std::slice::from_ref(init) };
        if !has_side_entry(body, false) {
            self.begin_lives(declarations);
        }
    }

    /// The same for the block of a `switch`, which is entered by its cases only.
    pub(super) fn enter_switch(&mut self, body: &'m Stmt) {
        let Stmt::Block(stmts) = body else { return };
        if stmts.iter().any(|s| has_side_entry(s, false)) && !has_side_entry(body, true) {
            self.begin_lives(stmts);
        }
    }

    fn begin_lives(&mut self, stmts: &'m [Stmt]) {
        if !self.ctx.checks.validity || self.declared.library {
            return;
        }
        let again = !self.enclosing.is_empty() || !self.body.labels.is_empty();
        for stmt in stmts {
            let mut declared = Vec::new();
            match stmt {
                Stmt::Decl { local, init, .. } => {
                    declared.push(*local);
                    init.iter()
                        .flat_map(|init| &init.items)
                        .for_each(|item| literals(&item.value, &mut declared));
                }
                Stmt::Expr(e) => literals(e, &mut declared),
                _ => {}
            }
            let memory = declared.into_iter().filter_map(|local| match self.locals[local] {
                LocalPlace::Memory(var) => Some(var),
                _ => None,
            });
            let travelling: Vec<VarId> =
                memory.filter(|var| !self.is_private(&self.local_addr(*var))).collect();
            for var in travelling {
                self.scoped.push(var);
                if again {
                    self.push_private(Op::Forget { var, alive: true });
                }
            }
        }
        self.flush();
    }

    /// The variables of all blocks but those that were entered before cease to live: control leaves these blocks.
    pub(super) fn leave_blocks(&mut self, outside: usize) {
        let ending: Vec<VarId> = self.scoped[outside..].iter().rev().copied().collect();
        for var in ending {
            self.push_private(Op::Forget { var, alive: false });
        }
        self.flush();
    }
}

/// The compound literals of an expression, which live as long as the block around it.
fn literals(e: &hir::Expr, found: &mut Vec<hir::LocalId>) {
    let mut all = |parts: &[&hir::Expr]| parts.iter().for_each(|part| literals(part, found));
    match &e.kind {
        ExprKind::CompoundLiteral(local, init) => {
            found.push(*local);
            init.items.iter().for_each(|item| literals(&item.value, found));
        }
        ExprKind::AddrOf(inner)
        | ExprKind::Load(inner)
        | ExprKind::Convert(inner)
        | ExprKind::Deref(inner)
        | ExprKind::Member { base: inner, .. } => all(&[inner]),
        ExprKind::Assign(l, r)
        | ExprKind::Comma(l, r)
        | ExprKind::LogAnd(l, r)
        | ExprKind::LogOr(l, r)
        | ExprKind::PtrAdd { ptr: l, index: r, .. } => all(&[l, r]),
        ExprKind::Cond(c, y, n) => all(&[c, y, n]),
        ExprKind::Call { callee, args } => {
            all(&[callee]);
            args.iter().for_each(|arg| literals(arg, found));
        }
        _ => {}
    }
}

/// Whether control may get into a statement other than by its beginning: by a label, or by a case of a `switch` around it.
fn has_side_entry(stmt: &Stmt, in_switch: bool) -> bool {
    match stmt {
        Stmt::Label(_) => true,
        Stmt::Case { .. } | Stmt::Default => !in_switch,
        Stmt::Block(stmts) => stmts.iter().any(|s| has_side_entry(s, in_switch)),
        Stmt::If { yes, no, .. } => {
            has_side_entry(yes, in_switch) || no.as_deref().is_some_and(|no| has_side_entry(no, in_switch))
        }
        Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::For { body, .. } => {
            has_side_entry(body, in_switch)
        }
        Stmt::Switch { body, .. } => has_side_entry(body, true),
        Stmt::Expr(_)
        | Stmt::Decl { .. }
        | Stmt::DeclVla { .. }
        | Stmt::Goto(..)
        | Stmt::GotoComputed(_)
        | Stmt::Break(_)
        | Stmt::Continue(_)
        | Stmt::Return(..)
        | Stmt::Fence(..)
        | Stmt::Cleanup(_)
        | Stmt::Error(..)
        | Stmt::Unsupported(..) => false,
    }
}

// ---- arrays -----------------------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    /// The address that `*pointer` designates.
    pub(super) fn dereferenced(&mut self, pointer: &'m hir::Expr, used: Use) -> Expr {
        let address = self.checked_address(pointer, used);
        self.without_name(address, pointer.ty)
    }

    fn checked_address(&mut self, pointer: &'m hir::Expr, used: Use) -> Expr {
        if let ExprKind::PtrAdd { ptr, index, scale, negative: false } = &pointer.kind
            && let ExprKind::AddrOf(array) = &ptr.kind
            && let Some(count) = self.checked_length(array)
        {
            self.span = pointer.span;
            let base = match self.place(array) {
                Place::Memory { addr, .. } | Place::Bits { addr, .. } => addr,
                Place::Register(..) => return self.rvalue(pointer),
            };
            let index = self.rvalue(index);
            let index = scalar::resize(index, true, self.ctx.model.pointer());
            let index = self.repeatable(index);
            let in_range = if used == Use::Access { BinOp::ULt } else { BinOp::ULe };
            let in_range = Expr::binary(in_range, index.clone(), self.word(count));
            self.span = pointer.span;
            let what = format!("index outside of an array of {count} elements");
            self.undefined_unless(in_range, UndefinedKind::IndexOutOfBounds, &what);
            return self.pointer_sum(base, index, *scale, false);
        }
        match &pointer.kind {
            ExprKind::PtrAdd { ptr, index, scale, negative } => {
                self.span = pointer.span;
                self.pointer_added(ptr, index, (*scale, *negative), used)
            }
            ExprKind::Convert(inner)
                if self.has_pointer_type(inner.ty) && self.has_pointer_type(pointer.ty) =>
            {
                let address = self.dereferenced(inner, used);
                self.checked_conversion(address, inner.ty, pointer.ty)
            }
            _ => self.rvalue(pointer),
        }
    }

    /// The number of elements of an array that is part of an object, if indices into it are to be checked.
    fn checked_length(&self, array: &hir::Expr) -> Option<u64> {
        let types = &self.ctx.module.types;
        let is_part = match &array.kind {
            ExprKind::Member { .. } => !self.may_be_larger(array),
            ExprKind::Deref(_) => true,
            _ => false,
        };
        match types.get(array.ty) {
            Type::Array(_, Some(count)) if is_part && self.ctx.checks.validity && !self.declared.library => {
                Some(*count)
            }
            _ => None,
        }
    }

    /// Whether a member is the last one of a structure that a pointer leads to.
    fn may_be_larger(&self, member: &hir::Expr) -> bool {
        let ExprKind::Member { base, offset, .. } = &member.kind else { return false };
        let types = &self.ctx.module.types;
        let Type::Record(id) = types.unatomic(base.ty) else { return true };
        let fields = types.record(*id).layout.as_ref().map_or(&[][..], |layout| &layout.fields);
        let is_last = fields.iter().all(|field| field.offset <= *offset);
        is_last
            && match &base.kind {
                ExprKind::Deref(pointer) => !is_element(pointer),
                ExprKind::Member { .. } => self.may_be_larger(base),
                _ => false,
            }
    }
}

/// Whether a pointer is the address of an element of an array, which is named, or of another object.
fn is_element(pointer: &hir::Expr) -> bool {
    match &pointer.kind {
        ExprKind::PtrAdd { ptr, .. } => matches!(ptr.kind, ExprKind::AddrOf(_)),
        kind => matches!(kind, ExprKind::AddrOf(_)),
    }
}

// ---- values that are not used -----------------------------------------------------------------------------------

impl Builder<'_, '_> {
    /// A record that an expression reads for nothing (`*p;`): compilers leave the read out, but its place has to be there.
    pub(super) fn discarded_record(&mut self, place: &Place, size: Option<u64>) {
        let (Place::Memory { addr, .. }, Some(size)) = (place, size) else { return };
        if !self.ctx.checks.validity || self.declared.library || size == 0 {
            return;
        }
        let addr = self.repeatable(addr.clone());
        for at in [0, size - 1] {
            let (var, addr) = (self.temporary(Width::BYTE), self.offset(addr.clone(), at));
            let value = Expr::Load { addr: Box::new(addr), width: Width::BYTE, order: Order::Plain };
            self.push(Op::Set { var, value });
        }
    }
}

// ---- conversions ------------------------------------------------------------------------------------------------

impl Builder<'_, '_> {
    /// Checks a conversion of a scalar; gives its value.
    pub(super) fn checked_conversion(&mut self, value: Expr, from: Ty, to: Ty) -> Expr {
        if !self.ctx.checks.undefined || self.declared.library {
            return value;
        }
        match (self.class(from), self.class(to)) {
            (Class::Float, Class::Signed | Class::Unsigned) => {
                let Some(width) = self.ctx.width(to) else { return value };
                let value = self.repeatable(value);
                let fits = fits_integer(&value, width, self.class(to) == Class::Signed);
                let what = "conversion of a floating-point number to an integer type that does not have it";
                self.undefined_unless(fits, UndefinedKind::FloatConversion, what);
                value
            }
            _ => match self.required_alignment(from, to) {
                Some(align) => {
                    let value = self.repeatable(value);
                    let low = Expr::binary(BinOp::And, value.clone(), self.word(align - 1));
                    let what = format!("conversion to a pointer to a type of alignment {align}");
                    // MAP_FAILED and its like are no pointers to anything.
                    let failed = self.equals(value.clone(), self.ctx.model.pointer().mask());
                    let aligned = Expr::binary(BinOp::Or, self.equals(low, 0), failed);
                    self.undefined_unless(aligned, UndefinedKind::Misaligned, &what);
                    value
                }
                None => value,
            },
        }
    }

    /// Checks the address of a member whose place in its structure does not give it the alignment of its type (`packed`), which a pointer to that type must have.
    pub(super) fn checked_alignment(&mut self, addr: Expr, lvalue: &hir::Expr) -> Expr {
        let types = &self.ctx.module.types;
        let align = types.align_of(lvalue.ty).unwrap_or(1);
        let is_array = matches!(types.unatomic(lvalue.ty), Type::Array(..) | Type::Vla(..));
        if !self.ctx.checks.undefined
            || self.declared.library
            || is_array
            || self.known_alignment(lvalue) >= align
        {
            return addr;
        }
        let addr = self.repeatable(addr);
        let low = Expr::binary(BinOp::And, addr.clone(), self.word(align - 1));
        let what =
            format!("address of a member that is not aligned for its type, whose alignment is {align}");
        let aligned = self.equals(low, 0);
        self.undefined_unless(aligned, UndefinedKind::Misaligned, &what);
        addr
    }

    /// The alignment that an lvalue certainly has.
    fn known_alignment(&self, lvalue: &hir::Expr) -> u64 {
        match &lvalue.kind {
            ExprKind::Member { base, offset, .. } => {
                let around = self.known_alignment(base);
                if *offset == 0 { around } else { around.min(1 << offset.trailing_zeros().min(16)) }
            }
            _ => self.ctx.module.types.align_of(lvalue.ty).unwrap_or(1),
        }
    }

    /// Whether a type that a pointer is converted to is one that needs no checked alignment of a member whose address it is.
    pub(super) fn needs_less(&self, lvalue: &hir::Expr, to: Ty) -> bool {
        let types = &self.ctx.module.types;
        let Type::Pointer(target) = types.unatomic(to) else { return false };
        matches!(lvalue.kind, ExprKind::Member { .. })
            && types.align_of(*target).unwrap_or(1) <= self.known_alignment(lvalue)
    }

    /// Two ranges of bytes that may not overlap, unless they are the same.
    pub(super) fn apart(&mut self, target: Expr, source: Expr, len: Expr) -> (Expr, Expr, Expr) {
        if !self.ctx.checks.undefined || self.declared.library {
            return (target, source, len);
        }
        let [target, source, len] = [target, source, len].map(|e| self.repeatable(e));
        let distance = |from: &Expr, to: &Expr| Expr::binary(BinOp::Sub, to.clone(), from.clone());
        let is_far = |from: &Expr, to: &Expr| Expr::binary(BinOp::ULe, len.clone(), distance(from, to));
        let both = Expr::binary(BinOp::And, is_far(&target, &source), is_far(&source, &target));
        let same = Expr::binary(BinOp::Eq, target.clone(), source.clone());
        let what = "memcpy between ranges that overlap";
        self.undefined_unless(Expr::binary(BinOp::Or, same, both), UndefinedKind::OverlappingCopy, what);
        (target, source, len)
    }

    /// The alignment of what the new pointer points to, if it is greater than that of what the old one points to.
    fn required_alignment(&self, from: Ty, to: Ty) -> Option<u64> {
        let types = &self.ctx.module.types;
        let (Type::Pointer(from), Type::Pointer(to)) = (types.unatomic(from), types.unatomic(to)) else {
            return None;
        };
        let (from, to) = (types.align_of(*from)?, types.align_of(*to)?);
        (from < to).then_some(to)
    }
}

/// Whether the integral part of a floating-point number is one of an integer type.
fn fits_integer(value: &Expr, width: Width, signed: bool) -> Expr {
    let float = value.width();
    let constant = |number: f64| Expr::constant(program::float::from_f64(number, float), float);
    let bits = width.bits() - u32::from(signed);
    let power = f64::from(2u8).powi(bits.cast_signed());
    let above = Expr::binary(BinOp::FLt, value.clone(), constant(power));
    let below = match signed {
        false => Expr::binary(BinOp::FLt, constant(-1.0), value.clone()),
        true if bits <= program::float::fraction_bits(float) => {
            let below = program::float::binary(
                BinOp::FSub,
                program::float::from_f64(-power, float),
                program::float::from_f64(1.0, float),
                float,
            );
            Expr::binary(BinOp::FLt, Expr::constant(below, float), value.clone())
        }
        true => Expr::binary(BinOp::FLe, constant(-power), value.clone()),
    };
    Expr::binary(BinOp::And, below, above)
}
