//! What the linker makes of names: `asm` labels, `alias`, `weakref`, `weak`, `ifunc`, `#pragma weak`.
//!
//! An entity with external linkage is found by its *link name*: its `asm` label if it has one, otherwise its name. glibc's headers
//! use such labels to pick a version of one of its own functions (`sscanf` is `__isoc99_sscanf`, `open` is `open64`); these say nothing
//! about C and are ignored, unless the program defines a function of that name.
//!
//! | attribute | what it makes of the entity |
//! |---|---|
//! | `alias("t")` | another name of `t`, which the same unit defines |
//! | `weakref("t")` | another name of `t`, wherever that is defined |
//! | `weak` | a definition that gives way to another one; if there is none, the address is null |
//! | `ifunc("r")` | a pointer that `r` returns before the program starts |
//! | `constructor`, `destructor` | (see [`start`](super::start)) |

use super::decl::find_attribute;
use super::linkage::{FunctionRef, Linkage, ObjectRef, Rank};
use super::literal::string_bytes;
use super::scope::Symbol;
use super::{NO_ID, Sema};
use crate::ast::{
    At, Attribute, Declarator, ExprKind as AstKind, External, InitDeclarator, Specifiers, StorageClass,
};
use crate::attributes::{Treatment, treatment};
use crate::hir::{self, Body, Expr, ExprKind, GlobalId, Local, Stmt, VarRef};
use crate::types::{Ty, Type};
use base::{Idx, IdxVec};

/// A name that is to become another name of something.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    entity: Entity,
    target: String,
    at: At,
    /// True if the target may be defined elsewhere, or nowhere: `weakref`.
    is_reference: bool,
    rank: Rank,
}

#[derive(Clone, Copy, Debug)]
enum Entity {
    Object(ObjectRef),
    Function(FunctionRef),
}

/// The text of an attribute's first argument, which should be a string.
fn string_argument(attribute: &Attribute<'_>) -> Option<String> {
    match attribute.args.first().map(|arg| &arg.kind) {
        Some(AstKind::Str(parts)) => {
            let mut bytes = string_bytes(parts).1;
            while bytes.last() == Some(&0) {
                bytes.pop();
            }
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => None,
    }
}

/// An `asm` label, if it is one literal without escapes.
fn asm_label<'a>(attribute: &Attribute<'a>) -> Option<&'a str> {
    let AstKind::Str(parts) = &attribute.args.first()?.kind else { return None };
    let mut literals = parts.iter().map(|part| part.trim_matches('"')).filter(|part| !part.is_empty());
    let label = literals.next()?;
    literals.next().is_none().then_some(label)
}

impl Linkage<'_> {
    /// The function that a name means in the end.
    pub(super) fn function_behind(&self, mut function: FunctionRef) -> FunctionRef {
        while let Some(next) = self.functions[function].forward {
            function = next;
        }
        function
    }

    /// Returns true if a name is a word of some assembly at file scope.
    fn occurs_in_assembly(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.assembly.iter().any(|text| text.split(|c| !is_word(c)).any(|word| word == name))
    }

    /// The object that a name means in the end.
    pub(super) fn object_behind(&self, mut object: ObjectRef) -> ObjectRef {
        while let Some(next) = self.objects[object].forward {
            object = next;
        }
        object
    }
}

impl<'a> Sema<'a> {
    /// Collects the names that units of the user define.
    pub(super) fn collect_defined_names(&mut self) {
        for parsed in self.units.iter().filter(|parsed| !parsed.unit.library) {
            for item in &parsed.items {
                match item {
                    External::Function(definition) => {
                        self.linkage.defined_names.extend(definition.declarator.name);
                    }
                    External::Decl(declaration) if declaration.specifiers.storage.is_none() => {
                        let is_object = |one: &&InitDeclarator<'_>| {
                            !matches!(
                                one.declarator.derivations.first(),
                                Some(crate::ast::Derivation::Function(_))
                            )
                        };
                        let names = declaration.declarators.iter().filter(is_object);
                        self.linkage.defined_names.extend(names.filter_map(|one| one.declarator.name));
                    }
                    _ => {}
                }
            }
        }
    }

    /// The name by which the linker knows an entity.
    pub(super) fn link_name(
        &self,
        name: &'a str,
        specifiers: &Specifiers<'a>,
        declarator: &Declarator<'a>,
    ) -> &'a str {
        let label = find_attribute(specifiers, declarator, "asm").and_then(asm_label);
        match label {
            Some(label) if self.linkage.defined_names.contains(label) => label,
            Some(label) if label.starts_with("__") || label.strip_suffix("64") == Some(name) => name,
            Some(label) => label,
            None => name,
        }
    }

    /// Notes what attributes say about a function.
    pub(super) fn function_attributes(
        &mut self,
        function: FunctionRef,
        specifiers: &Specifiers<'a>,
        declarator: &Declarator<'a>,
    ) {
        let entity = Entity::Function(function);
        let weak = self.alias_attributes(entity, specifiers, declarator);
        let unsupported = unsupported_attribute(specifiers, declarator);
        let priorities = ["constructor", "destructor"].map(|name| {
            let attribute = find_attribute(specifiers, declarator, name)?;
            Some(self.priority(attribute))
        });
        if let Some(attribute) = find_attribute(specifiers, declarator, "ifunc") {
            let target = string_argument(attribute).unwrap_or_default();
            self.resolvers.push((function, target, attribute.at));
        }
        let unit = self.unit;
        let entity = &mut self.linkage.functions[function];
        if weak {
            entity.weak_in = Some(unit);
        }
        entity.unsupported = entity.unsupported.take().or(unsupported);
        entity.constructor = entity.constructor.or(priorities[0]);
        entity.destructor = entity.destructor.or(priorities[1]);
    }

    /// Notes what attributes say about an object.
    pub(super) fn object_attributes(
        &mut self,
        object: ObjectRef,
        specifiers: &Specifiers<'a>,
        declarator: &Declarator<'a>,
    ) {
        let weak = self.alias_attributes(Entity::Object(object), specifiers, declarator);
        let mut unsupported = unsupported_attribute(specifiers, declarator);
        if specifiers.storage == Some(StorageClass::Register) {
            unsupported = Some("a global register variable".to_owned());
        }
        let unit = self.unit;
        let entity = &mut self.linkage.objects[object];
        if weak {
            entity.weak_in = Some(unit);
        }
        entity.unsupported = entity.unsupported.take().or(unsupported);
    }

    /// Notes `alias` and `weakref`; returns true if the entity is weak.
    fn alias_attributes(
        &mut self,
        entity: Entity,
        specifiers: &Specifiers<'a>,
        declarator: &Declarator<'a>,
    ) -> bool {
        let find = |name| find_attribute(specifiers, declarator, name);
        let (alias, weakref) = (find("alias"), find("weakref"));
        let weak = find("weak").is_some();
        let rank = if weak { Rank::Weak } else { Rank::Strong };
        let named = weakref.filter(|attribute| !attribute.args.is_empty()).or(alias);
        if let Some(attribute) = named {
            let target = string_argument(attribute).unwrap_or_default();
            let is_reference = weakref.is_some();
            self.aliases.push(Alias { entity, target, at: attribute.at, is_reference, rank });
        }
        weak || weakref.is_some()
    }

    /// `#pragma weak name` and `#pragma weak name = target`.
    pub(super) fn weak_pragma(&mut self, name: &'a str, target: Option<&'a str>, at: At) {
        let unit = self.unit;
        let symbol = self.scopes[unit].names.get(name);
        let entity = match symbol {
            Some(Symbol::Function { function, .. }) => {
                let entity = &mut self.linkage.functions[function];
                entity.weak_in = Some(unit);
                if entity.unit == unit {
                    entity.rank = entity.rank.min(Rank::Weak);
                }
                Entity::Function(function)
            }
            Some(Symbol::Object { object, .. }) => {
                let entity = &mut self.linkage.objects[object];
                entity.weak_in = Some(unit);
                if entity.unit == unit {
                    entity.rank = entity.rank.min(Rank::Weak);
                }
                Entity::Object(object)
            }
            // Nothing in this unit refers to it, but another one may.
            _ => match target.and_then(|target| self.scopes[self.unit].names.get(target)) {
                Some(Symbol::Function { ty, .. }) => Entity::Function(self.external_function(name, ty, at)),
                Some(Symbol::Object { ty, .. }) => Entity::Object(self.external_object(name, ty, at)),
                _ => return,
            },
        };
        if let Some(target) = target {
            let (target, rank) = (target.to_owned(), Rank::Weak);
            self.aliases.push(Alias { entity, target, at, is_reference: false, rank });
        }
    }

    /// Makes the names that a unit declares as aliases, or with resolvers, mean their targets.
    pub(super) fn resolve_aliases(&mut self) {
        for alias in std::mem::take(&mut self.aliases) {
            match alias.entity {
                Entity::Function(function) => self.resolve_function_alias(function, &alias),
                Entity::Object(object) => self.resolve_object_alias(object, &alias),
            }
        }
        for (function, target, at) in std::mem::take(&mut self.resolvers) {
            match self.scopes[self.unit].names.get(&target) {
                Some(Symbol::Function { function: resolver, .. })
                    if self.linkage.functions[resolver].definition.is_some() =>
                {
                    let entity = &mut self.linkage.functions[function];
                    (entity.resolver, entity.rank) = (Some(resolver), Rank::Strong);
                }
                _ => self.error(at, format!("the resolver '{target}' is not defined in this file")),
            }
        }
    }

    fn resolve_function_alias(&mut self, function: FunctionRef, alias: &Alias) {
        let found = match self.scopes[self.unit].names.get(&alias.target) {
            Some(Symbol::Function { function, .. }) => Some(function),
            _ => self.linkage.external_functions.get(alias.target.as_str()).copied(),
        };
        let entity = &self.linkage.functions[function];
        let (name, old, ty) = (entity.name, entity.rank, entity.ty);
        let target = match found {
            Some(target) => Some(target),
            None if alias.is_reference => {
                self.target_name(alias).map(|name| self.external_function(name, ty, alias.at))
            }
            None => None,
        };
        let Some(target) = target.filter(|&target| {
            let target = &self.linkage.functions[self.linkage.function_behind(target)];
            alias.is_reference || target.definition.is_some()
        }) else {
            let message =
                format!("'{name}' is an alias of '{}', which is not defined in this file", alias.target);
            return self.error(alias.at, message);
        };
        if self.linkage.function_behind(target) == function {
            return self.error(alias.at, format!("'{name}' is an alias of itself"));
        }
        if old == Rank::Strong && alias.rank == Rank::Strong && !alias.is_reference {
            return self.error(alias.at, format!("redefinition of '{name}'"));
        }
        if alias.is_reference {
            self.linkage.functions[target].weak_in = Some(self.unit);
        }
        if alias.rank > old || alias.is_reference {
            let entity = &mut self.linkage.functions[function];
            (entity.forward, entity.rank) = (Some(target), alias.rank);
        }
    }

    fn resolve_object_alias(&mut self, object: ObjectRef, alias: &Alias) {
        let found = match self.scopes[self.unit].names.get(&alias.target) {
            Some(Symbol::Object { object, .. }) => Some(object),
            _ => self.linkage.external_objects.get(alias.target.as_str()).copied(),
        };
        let entity = &self.linkage.objects[object];
        let (name, old, ty) = (entity.name.clone(), entity.rank, entity.ty);
        let target = match found {
            Some(target) => Some(target),
            None if alias.is_reference => {
                self.target_name(alias).map(|name| self.external_object(name, ty, alias.at))
            }
            None => None,
        };
        let Some(target) = target.filter(|&target| {
            let behind = self.linkage.object_behind(target);
            behind != object && (alias.is_reference || self.linkage.objects[behind].rank != Rank::Declared)
        }) else {
            let message =
                format!("'{name}' is an alias of '{}', which is not defined in this file", alias.target);
            return self.error(alias.at, message);
        };
        if alias.is_reference {
            self.linkage.objects[target].weak_in = Some(self.unit);
        }
        if alias.rank > old || alias.is_reference {
            let entity = &mut self.linkage.objects[object];
            (entity.forward, entity.rank) = (Some(target), alias.rank);
        }
    }

    /// The target of an alias as it is spelled in the unit's text, which outlives the declaration.
    fn target_name(&self, alias: &Alias) -> Option<&'a str> {
        let text = self.units[self.unit].unit.text;
        let start = alias.at as usize + text[alias.at as usize..].find(alias.target.as_str())?;
        Some(&text[start..start + alias.target.len()])
    }

    /// What a function's name designates.
    pub(super) fn function_reference(&mut self, function: FunctionRef, ty: Ty, at: At) -> Expr {
        let behind = self.linkage.function_behind(function);
        let entity = &self.linkage.functions[behind];
        let (name, is_weak, is_defined) =
            (entity.name, entity.weak_in.is_some(), entity.definition.is_some());
        let span = self.span(at);
        if let Some(resolver) = entity.resolver {
            return self.chosen_function(behind, resolver, ty, at);
        }
        if !is_defined && self.unevaluated == 0 && !self.errors.functions.iter().any(|error| error == name) {
            self.check_reserved(name, at);
        }
        if !is_defined && self.linkage.occurs_in_assembly(name) {
            return self.unsupported(ty, span, format!("'{name}', which assembly may define"));
        }
        if is_weak && !is_defined && !self.is_library_function(name) {
            self.warn(at, format!("the weak function '{name}' is defined nowhere: its address is null"));
            let pointer = self.pointer_to(ty);
            let null = self.int_constant(0, pointer, at);
            return Expr { ty, span, kind: ExprKind::Deref(Box::new(null)) };
        }
        let id = self.function_id(behind);
        Expr { ty, span, kind: ExprKind::Function(id) }
    }

    /// The function that a resolver chose: what a pointer points to that is set before the program starts.
    fn chosen_function(&mut self, function: FunctionRef, resolver: FunctionRef, ty: Ty, at: At) -> Expr {
        let span = self.span(at);
        let pointer = self.pointer_to(ty);
        let known = self.linkage.chosen.iter().find(|(chosen, _)| *chosen == function).map(|(_, id)| *id);
        let id = match known {
            Some(id) => id,
            None if self.unevaluated > 0 => GlobalId::new(NO_ID as usize),
            None => {
                self.function_id(resolver);
                let name = format!("{}.ifunc", self.linkage.functions[function].name);
                let id = self.globals.push(hir::Global {
                    name,
                    ty: pointer,
                    align: 0,
                    thread_local: false,
                    defined: true,
                    init: Vec::new(),
                    library: true,
                    span,
                });
                self.linkage.chosen.push((function, id));
                id
            }
        };
        let variable = Expr { ty: pointer, span, kind: ExprKind::Var(VarRef::Global(id)) };
        let value = Expr { ty: pointer, span, kind: ExprKind::Load(Box::new(variable)) };
        Expr { ty, span, kind: ExprKind::Deref(Box::new(value)) }
    }

    /// What an object's name designates.
    pub(super) fn object_reference(&mut self, object: ObjectRef, ty: Ty, at: At) -> Expr {
        let behind = self.linkage.object_behind(object);
        let entity = &self.linkage.objects[behind];
        let span = self.span(at);
        if let Some(why) = &entity.unsupported {
            return self.unsupported(ty, span, why.clone());
        }
        if entity.rank == Rank::Declared {
            let name = entity.name.clone();
            if entity.weak_in.is_some() {
                self.warn(at, format!("the weak object '{name}' is defined nowhere: its address is null"));
                let pointer = self.pointer_to(ty);
                let null = self.int_constant(0, pointer, at);
                return Expr { ty, span, kind: ExprKind::Deref(Box::new(null)) };
            }
            if self.linkage.occurs_in_assembly(&name) {
                return self.unsupported(ty, span, format!("'{name}', which assembly may define"));
            }
            if name.starts_with("__start_") || name.starts_with("__stop_") {
                return self.unsupported(ty, span, format!("'{name}', which the linker defines"));
            }
        }
        let id = self.global_id(behind);
        Expr { ty, span, kind: ExprKind::Var(VarRef::Global(id)) }
    }

    /// The body that stands in for a function's own, if that does not count: it is an error to call the function, or has no model.
    pub(super) fn replaced_body(&mut self, function: FunctionRef) -> Option<Body> {
        let entity = &self.linkage.functions[function];
        let (span, ty) = (entity.span, entity.ty);
        let is_error = self.errors.functions.iter().any(|error| error == entity.name)
            || (self.errors.assertions && matches!(entity.name, "reach_error" | "__VERIFIER_error"));
        let stmt = match &entity.unsupported {
            _ if is_error => Stmt::Error(format!("`{}` is called", entity.name), span),
            Some(why) => Stmt::Unsupported(why.clone(), span),
            None => return None,
        };
        let Type::Function { params, .. } = self.types.get(ty).clone() else { return None };
        let mut locals = IdxVec::new();
        let params = params
            .into_iter()
            .map(|ty| {
                let address_taken = !self.is_scalar(ty);
                locals.push(Local { name: String::new(), ty, align: 0, address_taken, span })
            })
            .collect();
        let (labels, address_labels) = (IdxVec::new(), Vec::new());
        Some(Body {
            locals,
            params,
            labels,
            address_labels,
            captures: Vec::new(),
            stmts: vec![stmt],
            end: span,
        })
    }

    /// Returns true if the library or, in SV-COMP, the verifier defines a function of this name.
    fn is_library_function(&mut self, name: &str) -> bool {
        crate::library::is_known(name) || name.starts_with("__VERIFIER_") || self.library_type(name).is_some()
    }

    fn priority(&mut self, attribute: &Attribute<'a>) -> u32 {
        /// Priorities end at 65535, and functions without one come last.
        const NONE: u32 = 65536;
        let Some(arg) = attribute.args.first() else { return NONE };
        let AstKind::Number(text) = arg.kind else {
            self.error(attribute.at, "a priority should be a number");
            return NONE;
        };
        text.parse().unwrap_or(NONE)
    }
}

/// The attribute of a declaration that has no model.
pub(super) fn unsupported_attribute(
    specifiers: &Specifiers<'_>,
    declarator: &Declarator<'_>,
) -> Option<String> {
    let mut all = specifiers.attributes.iter().chain(&declarator.attributes);
    let found = all.find(|attribute| treatment(attribute.name) == Some(Treatment::Unsupported))?;
    Some(format!("the attribute '{}'", found.name))
}
