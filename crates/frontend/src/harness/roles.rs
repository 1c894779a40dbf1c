//! What functions do with the objects that they are given, as far as a client has to know.
//!
//! A client may not hand an object over that was freed, nor use one that was never initialised, nor put one node into two lists. A
//! header says nothing of that; the bodies do. For each parameter that is a pointer:
//!
//! | role | found by |
//! |---|---|
//! | *initialised* | a function of C or POSIX that initialises (`pthread_mutex_init`, `sem_init`, …) is called for a part of the object; or it is assigned as a whole, or every scalar member of it, and no part of it is used otherwise |
//! | *consumed* | it is freed, or a part of it is destroyed (`pthread_mutex_destroy`, …) |
//! | *kept* | its address is stored into memory |
//! | *given* | (a pointer to a pointer) an address is stored there: the result is handed over so |
//!
//! A parameter that is handed on has the roles of the other function's parameter; so this is a least fixpoint over the call graph.
//! No role depends on the name of a function of the library.
//!
//! **Direction of error.** This only chooses what the driver does, and the driver is shown to the user. A role that is overlooked makes the
//! client too general (an alarm that is no fault of the library), a role that is wrongly seen makes it too narrow. The report names each
//! initialiser and destructor that was found as an assumption.

use super::walk::{Node, walk};
use crate::hir::{Body, Expr, ExprKind, FunctionId, LocalId, Module, Stmt, VarRef};
use crate::types::{Ty, Type};
use base::IdxVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function does with a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Role {
    pub(super) initialised: bool,
    pub(super) consumed: bool,
    pub(super) kept: bool,
    pub(super) given: bool,
}

impl Role {
    fn join(&mut self, other: Role) -> bool {
        let old = *self;
        self.initialised |= other.initialised;
        self.consumed |= other.consumed;
        self.kept |= other.kept;
        self.given |= other.given;
        *self != old
    }
}

/// The functions of C and POSIX that make an object of the library, that end one, and those whose argument is freed.
const INITIALISE: [&str; 9] = [
    "pthread_mutex_init",
    "pthread_cond_init",
    "pthread_rwlock_init",
    "pthread_spin_init",
    "pthread_barrier_init",
    "sem_init",
    "mtx_init",
    "cnd_init",
    "__c11_atomic_init",
];
const DESTROY: [&str; 9] = [
    "pthread_mutex_destroy",
    "pthread_cond_destroy",
    "pthread_rwlock_destroy",
    "pthread_spin_destroy",
    "pthread_barrier_destroy",
    "sem_destroy",
    "mtx_destroy",
    "cnd_destroy",
    "free",
];

/// The roles of all parameters of all functions.
pub(super) fn roles(module: &Module) -> IdxVec<FunctionId, Vec<Role>> {
    let bodies: Vec<(FunctionId, Facts)> = module
        .functions
        .iter_enumerated()
        .filter_map(|(id, function)| Some((id, Facts::of(module, function.body.as_ref()?))))
        .collect();
    let mut roles: IdxVec<FunctionId, Vec<Role>> = module
        .functions
        .iter()
        .map(|function| vec![Role::default(); function.body.as_ref().map_or(0, |body| body.params.len())])
        .collect();
    for (id, facts) in &bodies {
        roles[*id] = facts.own.clone();
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (id, facts) in &bodies {
            for &(param, callee, arg) in &facts.handed_on {
                let role = roles[callee].get(arg).copied().unwrap_or_default();
                changed |= roles[*id][param].join(role);
            }
        }
    }
    roles
}

/// The value that a success of a function is told by, if its body says so: `Some(false)` is 0, `Some(true)` anything else.
pub(super) fn success(module: &Module, function: FunctionId) -> Option<bool> {
    let function = &module.functions[function];
    let Type::Function { ret, .. } = *module.types.get(function.ty) else { return None };
    match module.types.get(ret) {
        Type::Bool => return Some(true),
        Type::Int(_) => {}
        _ => return None,
    }
    let (mut zero, mut other) = (false, false);
    walk(function.body.as_ref()?, &mut |node| {
        if let Node::Stmt(Stmt::Return(Some(value), _)) = node {
            let is_zero = matches!(without_conversions(value).kind, ExprKind::Int(0));
            zero |= is_zero;
            other |= !is_zero;
        }
    });
    (zero && other).then_some(false)
}

fn without_conversions(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => without_conversions(inner),
        _ => e,
    }
}

/// What one body says.
struct Facts {
    own: Vec<Role>,
    /// A parameter, the function that it is handed on to, and as which argument.
    handed_on: Vec<(usize, FunctionId, usize)>,
}

impl Facts {
    fn of(module: &Module, body: &Body) -> Self {
        let mut reader = Reader::new(module, body);
        walk(body, &mut |node| reader.alias(node));
        walk(body, &mut |node| reader.node(node));
        reader.finish()
    }
}

struct Reader<'h> {
    module: &'h Module,
    body: &'h Body,
    /// Locals that hold the value of a parameter.
    params: FxHashMap<LocalId, usize>,
    own: Vec<Role>,
    /// The offsets of the members that are assigned, for each parameter.
    assigned: Vec<FxHashSet<u64>>,
    /// Parameters of which a part is given to a function that does not initialise it (a lock is taken, say).
    used: FxHashSet<usize>,
    handed_on: Vec<(usize, FunctionId, usize)>,
}

impl<'h> Reader<'h> {
    fn new(module: &'h Module, body: &'h Body) -> Self {
        let n = body.params.len();
        Self {
            module,
            body,
            params: body.params.iter().enumerate().map(|(n, &local)| (local, n)).collect(),
            own: vec![Role::default(); n],
            assigned: vec![FxHashSet::default(); n],
            used: FxHashSet::default(),
            handed_on: Vec::new(),
        }
    }

    /// Notes that a local has the value of a parameter (`struct queue *q = arg;`).
    fn alias(&mut self, node: Node<'h>) {
        let (local, value) = match node {
            Node::Stmt(Stmt::Decl { local, init: Some(init), .. }) => match init.items.as_slice() {
                [item] if item.offset == 0 => (*local, &item.value),
                _ => return,
            },
            Node::Expr(Expr { kind: ExprKind::Assign(to, value), .. }) => match to.kind {
                ExprKind::Var(VarRef::Local(local)) => (local, &**value),
                _ => return,
            },
            _ => return,
        };
        if let Some(Root { param, loads: 0, at_start: true }) = self.root(value) {
            self.params.entry(local).or_insert(param);
        }
    }

    fn node(&mut self, node: Node<'h>) {
        match node {
            Node::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) => {
                if let ExprKind::Function(function) = callee.kind {
                    self.call(function, args);
                }
            }
            Node::Expr(Expr { kind: ExprKind::Assign(to, value), .. }) => self.assign(to, value),
            _ => {}
        }
    }

    fn call(&mut self, callee: FunctionId, args: &'h [Expr]) {
        let name = self.module.functions[callee].name.as_str();
        let is_known = self.module.functions[callee].body.is_none() || self.module.functions[callee].library;
        for (n, arg) in args.iter().enumerate() {
            let Some(root) = self.root(arg) else { continue };
            let role = &mut self.own[root.param];
            let reached = usize::from(is_pointer_to_pointer(self.module, self.body, root.param));
            if is_known && n == 0 && root.loads == reached {
                role.initialised |= INITIALISE.contains(&name);
                role.consumed |= DESTROY.contains(&name);
            }
            if !INITIALISE.contains(&name) {
                self.used.insert(root.param);
            }
            if root.loads == 0 && root.at_start && !is_known {
                self.handed_on.push((root.param, callee, n));
            }
        }
    }

    fn assign(&mut self, to: &'h Expr, value: &'h Expr) {
        let is_local = matches!(to.kind, ExprKind::Var(VarRef::Local(_)));
        if !is_local
            && let Some(Root { param, loads: 0, .. }) = self.root(value)
            && matches!(self.module.types.get(value.ty), Type::Pointer(_))
        {
            self.own[param].kept = true;
        }
        match &to.kind {
            ExprKind::Deref(pointer) => {
                if let Some(Root { param, loads: 0, at_start: true }) = self.root(pointer) {
                    match self.module.types.get(to.ty) {
                        Type::Pointer(_) => {
                            self.own[param].given |=
                                !matches!(without_conversions(value).kind, ExprKind::Int(0));
                        }
                        Type::Record(_) => self.own[param].initialised = true,
                        _ => {}
                    }
                }
            }
            ExprKind::Member { base, offset, .. } => {
                if let ExprKind::Deref(pointer) = &base.kind
                    && let Some(Root { param, loads: 0, at_start: true }) = self.root(pointer)
                {
                    self.assigned[param].insert(*offset);
                }
            }
            _ => {}
        }
    }

    /// The parameter that an address is computed from.
    fn root(&self, e: &Expr) -> Option<Root> {
        match &e.kind {
            ExprKind::Convert(inner) => self.root(inner),
            ExprKind::PtrAdd { ptr, .. } => Some(Root { at_start: false, ..self.root(ptr)? }),
            ExprKind::AddrOf(lvalue) => self.root_of_lvalue(lvalue),
            ExprKind::Load(lvalue) => match &lvalue.kind {
                ExprKind::Var(VarRef::Local(local)) => {
                    let param = *self.params.get(local)?;
                    Some(Root { param, loads: 0, at_start: true })
                }
                _ => {
                    let root = self.root_of_lvalue(lvalue)?;
                    Some(Root { loads: root.loads + 1, at_start: true, ..root })
                }
            },
            _ => None,
        }
    }

    fn root_of_lvalue(&self, lvalue: &Expr) -> Option<Root> {
        match &lvalue.kind {
            ExprKind::Deref(pointer) => self.root(pointer),
            ExprKind::Member { base, .. } => Some(Root { at_start: false, ..self.root_of_lvalue(base)? }),
            _ => None,
        }
    }

    fn finish(mut self) -> Facts {
        for (n, assigned) in self.assigned.iter().enumerate() {
            self.own[n].initialised |=
                !self.used.contains(&n) && self.covers(self.body.locals[self.body.params[n]].ty, assigned);
        }
        Facts { own: self.own, handed_on: self.handed_on }
    }

    /// Returns true if these members are all scalar ones of what a pointer points to, and there are some.
    fn covers(&self, pointer: Ty, assigned: &FxHashSet<u64>) -> bool {
        let Type::Pointer(target) = *self.module.types.get(pointer) else { return false };
        let Type::Record(record) = *self.module.types.get(target) else { return false };
        let Some(layout) = &self.module.types.record(record).layout else { return false };
        let mut scalars = layout
            .fields
            .iter()
            .filter(|field| {
                !matches!(self.module.types.unatomic(field.ty), Type::Record(_) | Type::Array(..))
            })
            .peekable();
        scalars.peek().is_some() && scalars.all(|field| assigned.contains(&field.offset))
    }
}

fn is_pointer_to_pointer(module: &Module, body: &Body, param: usize) -> bool {
    let ty = body.locals[body.params[param]].ty;
    let Type::Pointer(target) = *module.types.get(ty) else { return false };
    matches!(module.types.get(target), Type::Pointer(_))
}

/// Where an address comes from.
struct Root {
    param: usize,
    /// How many pointers were followed.
    loads: usize,
    /// True if nothing was added to the pointer.
    at_start: bool,
}
