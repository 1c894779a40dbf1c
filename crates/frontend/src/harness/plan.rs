//! Which functions make, initialise and end objects, and which are called by clients.

use super::Client;
use super::roles::{Role, roles};
use super::spell::Speller;
use crate::hir::FunctionId;
use crate::sema::Exports;
use crate::types::{Ty, Type};
use base::IdxVec;

/// How often an exported function is called, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// By `main`, once, before there are clients.
    Before,
    /// To make an object, by its result or through this parameter; by `main` and by clients.
    Makes { record: usize, through: Option<usize> },
    /// To initialise an object in place, which is this parameter.
    Initialises { record: usize, param: usize },
    /// To end an object, which is this parameter.
    Ends { record: usize, param: usize },
    /// By clients.
    Called,
    /// Not at all, and why.
    Skipped(&'static str),
}

/// A type of records that functions take pointers to.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) ty: Ty,
    /// Its name as part of identifiers.
    pub(super) name: String,
    pub(super) makers: Vec<FunctionId>,
    pub(super) initialisers: Vec<FunctionId>,
    pub(super) destructors: Vec<FunctionId>,
    /// True if clients share objects of this type; otherwise each call gets one of its own.
    pub(super) shared: bool,
    /// How many objects they share.
    pub(super) n_objects: usize,
}

impl Kind {
    /// Returns true if there is a way to get an object.
    pub(super) fn can_be_made(&self, speller: &Speller<'_>) -> bool {
        !self.makers.is_empty() || speller.types.size_of(self.ty).is_some()
    }
}

/// Everything that is decided before the text is written.
pub(super) struct Plan<'e> {
    pub(super) exports: &'e Exports,
    pub(super) client: &'e Client,
    pub(super) speller: Speller<'e>,
    pub(super) roles: IdxVec<FunctionId, Vec<Role>>,
    pub(super) kinds: Vec<Kind>,
    pub(super) parts: Vec<(FunctionId, Part)>,
}

impl<'e> Plan<'e> {
    pub(super) fn new(exports: &'e Exports, client: &'e Client) -> Self {
        let mut plan = Self {
            exports,
            client,
            speller: Speller { types: &exports.module.types, names: &exports.type_names },
            roles: roles(&exports.module),
            kinds: Vec::new(),
            parts: Vec::new(),
        };
        plan.find_kinds();
        plan.parts = exports.functions.iter().map(|&function| (function, plan.part(function))).collect();
        plan.sort_into_kinds();
        plan.decide_sharing();
        plan.skip_impossible();
        plan
    }

    pub(super) fn name(&self, function: FunctionId) -> &'e str {
        &self.exports.module.functions[function].name
    }

    /// The result and the parameters of a function.
    pub(super) fn signature(&self, function: FunctionId) -> (Ty, &'e [Ty], bool) {
        let types = &self.exports.module.types;
        match types.get(self.exports.module.functions[function].ty) {
            Type::Function { ret, params, variadic, .. } => (*ret, params, *variadic),
            _ => unreachable!("a function should have a function type"),
        }
    }

    pub(super) fn role(&self, function: FunctionId, param: usize) -> Role {
        self.roles[function].get(param).copied().unwrap_or_default()
    }

    /// The kind of records that a type is a pointer to.
    pub(super) fn kind_of(&self, ty: Ty) -> Option<usize> {
        let types = self.speller.types;
        let Type::Pointer(target) = *types.get(ty) else { return None };
        let record = types.unqualified(target);
        self.kinds.iter().position(|kind| kind.ty == record)
    }

    /// The kind of records that a type is a pointer to a pointer to.
    fn kind_behind(&self, ty: Ty) -> Option<usize> {
        match *self.speller.types.get(ty) {
            Type::Pointer(target) => self.kind_of(target),
            _ => None,
        }
    }

    fn find_kinds(&mut self) {
        let types = self.speller.types;
        for &function in &self.exports.functions {
            let (ret, params, _) = self.signature(function);
            for ty in params.iter().copied().chain([ret]) {
                let mut target = ty;
                while let Type::Pointer(next) = *types.get(target) {
                    target = types.unqualified(next);
                }
                let is_record = matches!(types.get(target), Type::Record(_)) && target != ty;
                if !is_record || self.kinds.iter().any(|kind| kind.ty == target) {
                    continue;
                }
                let Some(name) = self.speller.identifier(target) else { continue };
                let (makers, initialisers, destructors) = Default::default();
                self.kinds.push(Kind {
                    ty: target,
                    name,
                    makers,
                    initialisers,
                    destructors,
                    shared: false,
                    n_objects: 1,
                });
            }
        }
    }

    fn part(&self, function: FunctionId) -> Part {
        let (ret, params, variadic) = self.signature(function);
        let name = self.name(function);
        let takes = |record: usize| params.iter().any(|&ty| self.kind_of(ty) == Some(record));
        if variadic {
            return Part::Skipped("it has any number of arguments");
        }
        let with_role = |has: fn(Role) -> bool| {
            params.iter().enumerate().find_map(|(n, &ty)| {
                let record = self.kind_of(ty).or_else(|| self.kind_behind(ty))?;
                has(self.role(function, n)).then_some((record, n))
            })
        };
        if self.client.init.iter().any(|init| init == name) {
            let object = params.iter().enumerate().find_map(|(n, &ty)| Some((self.kind_of(ty)?, n)));
            return object.map_or(Part::Before, |(record, param)| Part::Initialises { record, param });
        }
        let gives = with_role(|role| role.given).filter(|&(record, n)| {
            self.kind_behind(params[n]) == Some(record) && !takes(record) && !self.role(function, n).consumed
        });
        if let Some((record, n)) = gives {
            return Part::Makes { record, through: Some(n) };
        }
        // An initialiser that fails may destroy what it has made.
        if let Some((record, param)) = with_role(|role| role.initialised) {
            return Part::Initialises { record, param };
        }
        if let Some((record, param)) = with_role(|role| role.consumed)
            && params
                .iter()
                .enumerate()
                .all(|(n, &ty)| self.kind_of(ty).is_none() || self.role(function, n).consumed)
        {
            return Part::Ends { record, param };
        }
        match self.kind_of(ret) {
            Some(record) if !takes(record) => Part::Makes { record, through: None },
            _ => Part::Called,
        }
    }

    fn sort_into_kinds(&mut self) {
        for &(function, part) in &self.parts {
            match part {
                Part::Makes { record, .. } => self.kinds[record].makers.push(function),
                Part::Initialises { record, .. } => self.kinds[record].initialisers.push(function),
                Part::Ends { record, .. } => self.kinds[record].destructors.push(function),
                Part::Before | Part::Called | Part::Skipped(_) => {}
            }
        }
    }

    fn decide_sharing(&mut self) {
        for record in 0..self.kinds.len() {
            let kind = &self.kinds[record];
            let has_life =
                !(kind.makers.is_empty() && kind.initialisers.is_empty() && kind.destructors.is_empty());
            let shared = has_life || self.has_synchronisation(kind.ty, 4);
            let pairs = self.exports.functions.iter().any(|&function| {
                let (_, params, _) = self.signature(function);
                params.iter().filter(|&&ty| self.kind_of(ty) == Some(record)).count() > 1
            });
            self.kinds[record].shared = shared;
            self.kinds[record].n_objects = if pairs { 2 } else { 1 };
        }
    }

    /// Returns true if a type contains a lock, a semaphore or an atomic.
    fn has_synchronisation(&self, ty: Ty, depth: usize) -> bool {
        let types = self.speller.types;
        match *types.get(ty) {
            _ if depth == 0 => false,
            Type::Atomic(_) => true,
            Type::Array(element, _) => self.has_synchronisation(element, depth),
            Type::Record(id) => {
                let fields = types.record(id).layout.as_ref().map(|layout| layout.fields.as_slice());
                self.synchroniser(ty).is_some()
                    || fields
                        .unwrap_or_default()
                        .iter()
                        .any(|field| self.has_synchronisation(field.ty, depth - 1))
            }
            _ => false,
        }
    }

    /// The function of POSIX that initialises an object of this type, and its further arguments.
    pub(super) fn synchroniser(&self, ty: Ty) -> Option<(&'static str, &'static str)> {
        let name = self.speller.names.get(&self.speller.types.unqualified(ty))?;
        Some(match name.as_str() {
            "pthread_mutex_t" => ("pthread_mutex_init", "0"),
            "pthread_cond_t" => ("pthread_cond_init", "0"),
            "pthread_rwlock_t" => ("pthread_rwlock_init", "0"),
            "sem_t" => ("sem_init", "0, 1"),
            _ => return None,
        })
    }

    /// The kinds of objects that clients share, those first that others are made with.
    pub(super) fn kinds_in_order(&self) -> Vec<&Kind> {
        let is_shared =
            |record: usize| self.kinds[record].shared && self.kinds[record].can_be_made(&self.speller);
        let mut waiting: Vec<usize> = (0..self.kinds.len()).filter(|&record| is_shared(record)).collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let is_ready = |&record: &usize| self.needs(record).iter().all(|need| !waiting.contains(need));
            let next = waiting.iter().position(is_ready).unwrap_or(0);
            order.push(&self.kinds[waiting.remove(next)]);
        }
        order
    }

    /// The other kinds of objects that one is made with.
    fn needs(&self, record: usize) -> Vec<usize> {
        let kind = &self.kinds[record];
        let makers = kind.makers.iter().chain(&kind.initialisers);
        let params = makers.flat_map(|&function| self.signature(function).1);
        params.filter_map(|&ty| self.kind_of(ty).filter(|&need| need != record)).collect()
    }

    /// Functions that need an object which cannot be made, or are not among those the user wants, are not called.
    fn skip_impossible(&mut self) {
        for n in 0..self.parts.len() {
            let (function, part) = self.parts[n];
            let (_, params, _) = self.signature(function);
            let wanted = self.client.functions.is_empty()
                || self.client.functions.iter().any(|name| name == self.name(function));
            let impossible = params.iter().any(|&ty| {
                self.kind_of(ty).is_some_and(|record| !self.kinds[record].can_be_made(&self.speller))
            });
            if part == Part::Called && !wanted {
                self.parts[n].1 = Part::Skipped("it is not among those that were asked for");
            } else if part == Part::Called && impossible {
                self.parts[n].1 = Part::Skipped("no function makes the object that it needs");
            }
        }
    }
}
