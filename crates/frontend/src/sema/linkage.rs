//! Entities with linkage: which declarations, in which units, are about the same object or function.
//!
//! External names are one entity across all units; internal ones belong to their unit. Several units may define the same
//! name: the [`Rank`] of a definition says which one counts. An entity gets its id in the module when it is first referred to
//! by evaluated code, and is then put on the work list.

use super::agreement::FirstDeclaration;
use super::{NO_ID, Sema};
use crate::ast::{FunctionDef, Init};
use crate::hir::{self, FunctionId, GlobalId};
use crate::types::{Ty, Type};
use base::{Idx, IdxVec, Span, id_type};
use rustc_hash::{FxHashMap, FxHashSet};

id_type!(
    /// An object with linkage, or a static local.
    ObjectRef,
    "object"
);
id_type!(
    /// A function with linkage.
    FunctionRef,
    "function"
);

/// How strongly a unit defines a name; the strongest definition counts, the first among equals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rank {
    /// Only declared.
    Declared,
    /// GNU's `extern inline`: a body for inlining, the real one is elsewhere.
    InlineOnly,
    /// By the library models.
    Library,
    /// Tentatively: an object without initialiser.
    Tentative,
    /// By a weak or inline definition of the user.
    Weak,
    /// By the user.
    Strong,
}

/// An object.
#[derive(Debug)]
pub(super) struct Object<'a> {
    pub(super) name: String,
    /// The type of the strongest declaration, completed by others.
    pub(super) ty: Ty,
    pub(super) align: u64,
    pub(super) thread_local: bool,
    pub(super) rank: Rank,
    /// The object that this is another name of.
    pub(super) forward: Option<ObjectRef>,
    /// The last unit that declared it weak.
    pub(super) weak_in: Option<usize>,
    /// Why it has no model, if that is so.
    pub(super) unsupported: Option<String>,
    /// The initialiser and the unit it stands in.
    pub(super) init: Option<(usize, &'a Init<'a>)>,
    pub(super) unit: usize,
    pub(super) span: Span,
    pub(super) id: Option<GlobalId>,
}

/// A function.
#[derive(Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// The definition's type, or that of some declaration.
    pub(super) ty: Ty,
    pub(super) rank: Rank,
    /// The function that this is another name of.
    pub(super) forward: Option<FunctionRef>,
    /// The function that chooses, when the program starts, which function this is: the attribute `ifunc`.
    pub(super) resolver: Option<FunctionRef>,
    /// The last unit that declared it weak.
    pub(super) weak_in: Option<usize>,
    /// Why it has no model, if that is so.
    pub(super) unsupported: Option<String>,
    /// The priorities with which it runs before and after the entry function.
    pub(super) constructor: Option<u32>,
    pub(super) destructor: Option<u32>,
    /// The definition and the unit it stands in.
    pub(super) definition: Option<(usize, &'a FunctionDef<'a>)>,
    pub(super) noreturn: bool,
    pub(super) unit: usize,
    pub(super) span: Span,
    pub(super) id: Option<FunctionId>,
}

/// All entities.
#[derive(Debug, Default)]
pub(super) struct Linkage<'a> {
    pub(super) objects: IdxVec<ObjectRef, Object<'a>>,
    pub(super) functions: IdxVec<FunctionRef, Function<'a>>,
    pub(super) external_objects: FxHashMap<&'a str, ObjectRef>,
    pub(super) external_functions: FxHashMap<&'a str, FunctionRef>,
    /// What was first declared under each external name.
    pub(super) first_declarations: FxHashMap<&'a str, FirstDeclaration>,
    /// Names that a unit of the user defines.
    pub(super) defined_names: FxHashSet<&'a str>,
    /// Texts of `asm` at file scope.
    pub(super) assembly: Vec<String>,
    /// The pointers to the functions that resolvers have chosen, in the order of reference.
    pub(super) chosen: Vec<(FunctionRef, GlobalId)>,
}

/// What is left to type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// A function's body.
    Body(FunctionRef),
    /// An object's initialiser.
    Initialiser(ObjectRef),
}

impl<'a> Sema<'a> {
    /// The entry function's id, or a message that it is missing.
    pub(super) fn entry(&mut self, name: &str) -> Option<FunctionId> {
        let found = self
            .linkage
            .functions
            .iter_enumerated()
            .find(|(_, function)| function.name == name && function.definition.is_some())
            .map(|(id, _)| id);
        if let Some(function) = found {
            return Some(self.function_id(function));
        }
        self.diagnostics.push(report::Diagnostic::about_file(
            report::Level::Error,
            "",
            format!("the entry function '{name}' is not defined"),
        ));
        None
    }

    /// Types a body or an initialiser in its own unit.
    pub(super) fn perform(&mut self, work: Work) {
        match work {
            Work::Body(function) => {
                let entity = &self.linkage.functions[function];
                let (unit, definition) =
                    entity.definition.expect("a function on the work list should be defined");
                let (id, ty) = (self.function_id(function), self.linkage.functions[function].ty);
                self.unit = unit;
                let body = match self.replaced_body(function) {
                    Some(body) => body,
                    None => self.function_body(id, definition, ty),
                };
                self.functions[id].body = Some(body);
            }
            Work::Initialiser(object) => {
                let entity = &self.linkage.objects[object];
                let (unit, init) =
                    entity.init.expect("an object on the work list should have an initialiser");
                self.unit = unit;
                self.initialise_object(object, init);
            }
        }
    }

    /// The id of a function that is referred to.
    pub(super) fn function_id(&mut self, function: FunctionRef) -> FunctionId {
        let function = self.linkage.function_behind(function);
        let entity = &self.linkage.functions[function];
        if let Some(id) = entity.id {
            return id;
        }
        if self.unevaluated > 0 {
            return FunctionId::new(NO_ID as usize);
        }
        let is_defined = entity.definition.is_some();
        let body = if is_defined { None } else { self.replaced_body(function) };
        let entity = &self.linkage.functions[function];
        let id = self.functions.push(hir::Function {
            name: entity.name.to_owned(),
            ty: entity.ty,
            body,
            noreturn: entity.noreturn,
            library: self.units[entity.unit].unit.library,
            span: entity.span,
        });
        if is_defined {
            self.queue.push_back(Work::Body(function));
        }
        self.linkage.functions[function].id = Some(id);
        id
    }

    /// The id of an object that is referred to.
    pub(super) fn global_id(&mut self, object: ObjectRef) -> GlobalId {
        let object = self.linkage.object_behind(object);
        if let Some(id) = self.linkage.objects[object].id {
            return id;
        }
        if self.unevaluated > 0 {
            return GlobalId::new(NO_ID as usize);
        }
        let name = self.unique_global_name(self.linkage.objects[object].name.clone());
        let entity = &mut self.linkage.objects[object];
        let id = self.globals.push(hir::Global {
            name,
            ty: entity.ty,
            align: entity.align,
            thread_local: entity.thread_local,
            defined: entity.rank != Rank::Declared,
            init: Vec::new(),
            library: self.units[entity.unit].unit.library,
            span: entity.span,
        });
        entity.id = Some(id);
        if entity.init.is_some() {
            self.queue.push_back(Work::Initialiser(object));
        }
        id
    }

    fn unique_global_name(&mut self, name: String) -> String {
        let count = self.global_names.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}.{}", *count - 1) }
    }

    /// Gives every global that is referred to the type all its declarations together say.
    pub(super) fn complete_globals(&mut self) {
        for object in self.linkage.objects.ids() {
            let entity = &self.linkage.objects[object];
            let Some(id) = entity.id else { continue };
            if self.types.size_of(self.globals[id].ty).is_some() {
                continue;
            }
            let (ty, name, defined) = (entity.ty, entity.name.clone(), entity.rank != Rank::Declared);
            let complete = match self.types.get(ty) {
                _ if self.types.size_of(ty).is_some() => ty,
                // C completes a tentative `int a[];` with one element.
                Type::Array(element, None) if self.types.size_of(*element).is_some() => {
                    let whole = Type::Array(*element, Some(u64::from(defined)));
                    self.types.intern(whole)
                }
                _ if defined => {
                    self.n_errors += 1;
                    let message = format!("the type of '{name}' is never completed");
                    self.diagnostics.push(report::Diagnostic::about_file(report::Level::Error, "", message));
                    ty
                }
                _ => self.types.intern(Type::Opaque {
                    what: "a type that is never completed",
                    size: 0,
                    align: 1,
                }),
            };
            self.globals[id].ty = complete;
        }
    }
}
