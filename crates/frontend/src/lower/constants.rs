//! Constants among the variables of functions, for memory safety: writing to one is undefined (C11 6.7.3p6).
//!
//! A variable of a frame is written to when it is initialised. These stores are by its name (an address that begins with `&x`); all other writes are through pointers that are not to constants. Where
//! a pointer to a constant variable loses its `const`, it goes to a register of its own, which no pass replaces by its value, so that what is written through it is not by name. Memory of the program
//! model that is [read-only](program::VarKind::Memory) can be written by name only.
//!
//! A variable of the outermost block of `main` lives as long as the program; if its initialiser is constant, it is a static object in all but its storage, which costs the analyses less.
//!
//! Constant members of structures that are not constant themselves are checked where an assignment names the member (`*(int *)&s.m = 1`), and where one is through a pointer in a program that converts
//! the address of such a member of a variable to a pointer that is not to constants.
//!
//! # Direction of error
//! Misses: constant members of what was allocated, which are constant only once they are set; of variables of other frames, unless named; and what the library writes to constant members.

use super::Lowering;
use super::function::{Builder, LocalPlace, Place};
use crate::harness::{Node, walk};
use crate::hir::{self, ExprKind, Init, LocalId, Stmt, VarRef};
use crate::types::{Ty, Type, TypeTable};
use base::convert::index;
use program::{Action, BinOp, Expr, Object, ObjectId, Op, Undefined, UndefinedKind, VarId, VarKind};

/// Functions by which the frame of `main` may end before the program, and what runs after it.
const ENDS: &[&str] = &["pthread_exit", "thrd_exit", "atexit", "on_exit", "at_quick_exit", "pthread_cancel"];

impl Place {
    /// The address of what is in memory.
    pub(super) fn address(&self) -> Option<&Expr> {
        match self {
            Self::Register(..) => None,
            Self::Memory { addr, .. } | Self::Bits { addr, .. } => Some(addr),
        }
    }
}

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

    /// An assignment to a constant variable, or a constant member of a variable, by its name, as in `*(int *)&x = 1`, is undefined; there are no others, since the language forbids them. The
    /// address is what the assignment is to, if it is in memory.
    pub(super) fn check_constant(&mut self, lvalue: &hir::Expr, addr: Option<&Expr>) {
        if !self.ctx.checks.validity || self.declared.library {
            return;
        }
        let (root, member) = path(&self.ctx.module.types, lvalue);
        let ExprKind::Var(var) = &root.kind else {
            return self.check_stripped(addr);
        };
        let (name, is_constant) = match var {
            VarRef::Local(local) => {
                let decl = &self.body.locals[*local];
                (&decl.name, self.is_constant_variable(decl))
            }
            VarRef::Global(global) => (&self.ctx.module.globals[*global].name, false),
        };
        if is_constant || member.is_some() {
            let part = if is_constant { "" } else { "a member of " };
            let what = format!("assignment to {part}`{name}`, which is constant");
            self.end(Action::Undefined(Undefined::new(UndefinedKind::WriteToConstant, what)));
        }
    }

    /// The same for an assignment through a pointer, where it may be one to a constant member that lost its `const`.
    fn check_stripped(&mut self, addr: Option<&Expr>) {
        let Some(addr) = addr else { return };
        let own = stripped_members(&self.ctx.module.types, self.body).into_iter();
        let others = self.ctx.stripped_members().iter().cloned();
        let members: Vec<Member> = own.filter(|m| matches!(m.var, VarRef::Local(_))).chain(others).collect();
        for member in members {
            let base = match member.var {
                VarRef::Global(global) => {
                    Expr::ObjectAddr(self.ctx.globals[&global], self.ctx.model.pointer())
                }
                VarRef::Local(local) => match self.locals[local] {
                    LocalPlace::Memory(var) => self.local_addr(var),
                    _ => continue,
                },
            };
            let start = self.offset(base, member.offset);
            let distance = Expr::binary(BinOp::Sub, addr.clone(), start);
            let outside = Expr::binary(BinOp::ULe, self.word(member.size), distance);
            self.undefined_unless(outside, UndefinedKind::WriteToConstant, "assignment to a constant member");
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

// ---- constant members -------------------------------------------------------------------------------------------

/// A constant member of a variable that is not constant itself.
#[derive(Clone, Debug)]
pub(super) struct Member {
    var: VarRef,
    offset: u64,
    size: u64,
}

impl Lowering<'_> {
    /// The constant members of static variables whose addresses lose their `const` somewhere in the program.
    fn stripped_members(&mut self) -> &[Member] {
        let module = self.module;
        self.stripped_members.get_or_insert_with(|| {
            let bodies = module.functions.iter().filter(|f| !f.library).filter_map(|f| f.body.as_ref());
            let found = bodies.flat_map(|body| stripped_members(&module.types, body));
            found.filter(|member| matches!(member.var, VarRef::Global(_))).collect()
        })
    }
}

/// The constant members of variables whose addresses lose their `const` in a function.
fn stripped_members(types: &TypeTable, body: &hir::Body) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    walk(body, &mut |node| {
        let Node::Expr(e) = node else { return };
        let address = if let ExprKind::Convert(inner) = &e.kind { inner } else { e };
        let keeps = match types.unatomic(e.ty) {
            Type::Pointer(target) => types.qualifiers(*target).is_const,
            _ => true,
        };
        if let ExprKind::AddrOf(lvalue) = &address.kind
            && !keeps
            && let (hir::Expr { kind: ExprKind::Var(var), .. }, Some((offset, size))) = path(types, lvalue)
            && !found.iter().any(|member| (member.var, member.offset) == (*var, offset))
        {
            found.push(Member { var: *var, offset, size });
        }
    });
    found
}

/// What an lvalue is a part of, and where in it the innermost constant member is that the lvalue names, if any: its offset and size.
fn path<'e>(types: &TypeTable, lvalue: &'e hir::Expr) -> (&'e hir::Expr, Option<(u64, u64)>) {
    let (mut root, mut found) = (lvalue, None);
    while let ExprKind::Member { base, offset, .. } = &root.kind {
        if let Some((at, _)) = &mut found {
            *at += offset;
        } else if let Some(size) = constant_member(types, base.ty, *offset) {
            found = Some((*offset, size));
        }
        root = base;
    }
    (root, found)
}

/// The size of the member at this offset of a record, if it is constant.
fn constant_member(types: &TypeTable, record: Ty, offset: u64) -> Option<u64> {
    let Type::Record(id) = types.unatomic(types.unqualified(record)) else { return None };
    let layout = types.record(*id).layout.as_ref()?;
    let mut members = layout.fields.iter().filter(|field| field.offset == offset);
    let member = members.next().filter(|member| member.bits.is_none() && members.next().is_none())?;
    let qualifiers = types.qualifiers(member.ty);
    (qualifiers.is_const && !types.record(*id).is_union).then(|| types.size_of(member.ty))?
}
