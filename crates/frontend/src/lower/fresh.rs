//! Locks, condition variables, barriers and semaphores in frames and on the heap: where their declaration is reached, or memory for them is allocated, they become what was never initialised, for
//! `undefined-behaviour`.
//!
//! Memory is for them where the result of `malloc` is converted to a pointer to what they are a part of, and the size is a constant. That is what [`misuse`](super::misuse) tells from what a call initialised: all zeros, but for a flag of 1 in what has a flag that is 0 if it is initialised statically. Other variables
//! are indeterminate there.
//!
//! # Direction of error
//! Where a type is not looked into, [`Lowering::sets_locks`] says no, and initialising twice is told for static objects only.

use super::Lowering;
use super::call::callee_function;
use super::function::Builder;
use super::misuse::{ALLOCATION, COND_FLAG, MUTEX_FLAG, RWLOCK_FLAG};
use super::mutex::has_record;
use crate::harness::{Node, walk};
use crate::hir::{self, ExprKind, Stmt};
use crate::types::{Record, Ty, Type, TypeTable};
use program::{Expr, Op, Order, VarId, Width};

/// More locks in one variable are not looked into.
const MAX_LOCKS: usize = 64;
/// The flag of what was never initialised.
const NEVER_INITIALISED: u128 = 1;

/// A lock or the like inside of a variable.
struct Lock {
    offset: u64,
    size: u64,
    /// Where its flag is, if that is not 0.
    flag: Option<u64>,
}

impl Builder<'_, '_> {
    /// What is in this variable was never initialised.
    pub(super) fn begin_locks(&mut self, var: VarId, ty: Ty) {
        let mut locks = Vec::new();
        if self.ctx.checks.undefined
            && !self.declared.library
            && find(&self.ctx.module.types, ty, 0, &mut locks)
        {
            let base = self.local_addr(var);
            self.write_locks(&base, locks);
        }
    }

    /// The same for what was just allocated: the value of an expression that is converted to a pointer type.
    pub(super) fn begin_allocated_locks(&mut self, address: Expr, call: &hir::Expr, to: Ty) -> Expr {
        if !self.ctx.checks.undefined || self.declared.library {
            return address;
        }
        let Some(locks) = allocated_locks(self.ctx.module, call, to).filter(|locks| !locks.is_empty()) else {
            return address;
        };
        let address = self.repeatable(address);
        let (on, done) = (self.new_location(), self.new_location());
        let is_null = self.equals(address.clone(), 0);
        self.branch(is_null, done, on);
        self.open(on);
        self.write_locks(&address, locks);
        self.goto(done);
        self.open(done);
        address
    }

    fn write_locks(&mut self, base: &Expr, locks: Vec<Lock>) {
        let unit = Width::INT.bytes();
        for Lock { offset, size, flag } in locks {
            for at in (0..size / unit).map(|n| n * unit) {
                let is_flag = flag == Some(at);
                let value = Expr::constant(if is_flag { NEVER_INITIALISED } else { 0 }, Width::INT);
                let addr = self.offset(base.clone(), offset + at);
                self.push_private(Op::Store { addr, value, order: Order::Plain });
            }
        }
        self.flush();
    }
}

impl Lowering<'_> {
    /// Whether each lock and the like in a frame or on the heap is set when its life begins.
    pub(super) fn sets_locks(&mut self) -> bool {
        let module = self.module;
        *self.sets_locks.get_or_insert_with(|| {
            let mut bodies = module.functions.iter().filter(|f| !f.library).filter_map(|f| f.body.as_ref());
            !module.functions.iter().any(|f| matches!(f.name.as_str(), "mtx_init" | "cnd_init"))
                && bodies.all(|body| are_set(&module.types, body) && allocations_are_set(module, body))
        })
    }
}

/// The locks in what a call of `malloc` allocates whose result becomes a pointer of this type; `None` if they are not known.
fn allocated_locks(module: &hir::Module, call: &hir::Expr, to: Ty) -> Option<Vec<Lock>> {
    let ExprKind::Call { callee, args } = &call.kind else { return None };
    let ExprKind::Function(id) = callee_function(callee).kind else { return None };
    let (Type::Pointer(target), "malloc", [bytes]) =
        (module.types.unatomic(to), module.functions[id].name.as_str(), &args[..])
    else {
        return None;
    };
    let mut locks = Vec::new();
    let size = module.types.size_of(*target).filter(|_| *module.types.get(*target) != Type::Void);
    if !find(&module.types, *target, 0, &mut locks) || locks.is_empty() {
        return (size.is_some() && locks.is_empty()).then_some(locks);
    }
    let n = constant(bytes)?.checked_div(size?)?;
    let all = (0..n).all(|n| n == 0 || find(&module.types, *target, n * size.unwrap_or(0), &mut locks));
    (n > 0 && all).then_some(locks)
}

/// A size that is a constant.
fn constant(size: &hir::Expr) -> Option<u64> {
    match &size.kind {
        ExprKind::Int(value) => u64::try_from(*value).ok(),
        ExprKind::Convert(inner) => constant(inner),
        ExprKind::Binary(hir::BinaryOp::Mul, left, right) => constant(left)?.checked_mul(constant(right)?),
        _ => None,
    }
}

/// Whether all memory that a function allocates is converted to a pointer that says what locks there are in it.
fn allocations_are_set(module: &hir::Module, body: &hir::Body) -> bool {
    let (mut n_names, mut n_known) = (0, 0);
    walk(body, &mut |node| {
        let Node::Expr(e) = node else { return };
        match &e.kind {
            ExprKind::Function(id) if ALLOCATION.contains(&module.functions[*id].name.as_str()) => {
                n_names += 1;
            }
            ExprKind::Convert(call) if allocated_locks(module, call, e.ty).is_some() => n_known += 1,
            _ => {}
        }
    });
    n_names == n_known
}

fn are_set(types: &TypeTable, body: &hir::Body) -> bool {
    let mut may_skip = !body.labels.is_empty();
    walk(body, &mut |node| may_skip |= matches!(node, Node::Stmt(Stmt::Switch { .. })));
    body.locals.iter_enumerated().all(|(local, decl)| {
        let mut locks = Vec::new();
        find(types, decl.ty, 0, &mut locks)
            && (locks.is_empty() || !may_skip && !body.params.contains(&local))
    })
}

/// Collects the locks and the like of a type at an offset. False if there may be some that are not found.
fn find(types: &TypeTable, ty: Ty, at: u64, locks: &mut Vec<Lock>) -> bool {
    match types.get(ty) {
        Type::Record(id) => {
            let record = types.record(*id);
            let Some(layout) = &record.layout else { return true };
            if is_opaque(record) {
                let tagged = |tag: &str| has_record(types, ty, tag);
                let flag = match () {
                    () if tagged("pthread_mutex") => Some(MUTEX_FLAG),
                    () if tagged("pthread_rwlock") => Some(RWLOCK_FLAG),
                    () if tagged("pthread_cond") => Some(COND_FLAG),
                    () => None,
                };
                locks.push(Lock { offset: at, size: layout.size, flag });
                return locks.len() <= MAX_LOCKS;
            }
            if record.is_union {
                let mut inside = Vec::new();
                return layout.fields.iter().all(|field| find(types, field.ty, 0, &mut inside))
                    && inside.is_empty();
            }
            layout.fields.iter().all(|field| find(types, field.ty, at + field.offset, locks))
        }
        Type::Array(element, count) => {
            let before = locks.len();
            let Some(size) = types.size_of(*element) else { return true };
            if !find(types, *element, at, locks) {
                return false;
            }
            let has_locks = locks.len() > before;
            !has_locks
                || count.is_some_and(|n| n > 0)
                    && (1..count.unwrap_or(1)).all(|n| find(types, *element, at + n * size, locks))
        }
        Type::Vla(element, _) => {
            let mut inside = Vec::new();
            find(types, *element, 0, &mut inside) && inside.is_empty()
        }
        Type::Atomic(element) => find(types, *element, at, locks),
        _ => true,
    }
}

/// Whether a record is one of those that only the library looks into: a union with bytes of this reserved name. Attributes are smaller, or have a tag that says what they are.
fn is_opaque(record: &Record) -> bool {
    let fields = record.layout.as_ref().map_or(&[][..], |layout| &layout.fields);
    let is_large = record.layout.as_ref().is_some_and(|layout| layout.size >= 16);
    record.is_union
        && is_large
        && !record.tag.contains("attr")
        && fields.iter().any(|field| field.name == "__size")
}
