//! Declarations at file scope, and declarations of entities with linkage anywhere.

use super::Sema;
use super::declared::Declared;
use super::linkage::{Function, FunctionRef, Object, ObjectRef, Rank};
use super::scope::Symbol;
use crate::ast::{
    At, Attribute, Declaration, Declarator, Expr, External, FunctionDef, Init, InitDeclarator, Specifiers,
    StorageClass, TypeSpec,
};
use crate::types::{Ty, Type};

/// Returns true if an attribute of this name is among those of a declaration.
pub(super) fn has_attribute(specifiers: &Specifiers<'_>, declarator: &Declarator<'_>, name: &str) -> bool {
    find_attribute(specifiers, declarator, name).is_some()
}

/// The attribute of this name of a declaration.
pub(super) fn find_attribute<'s, 'a>(
    specifiers: &'s Specifiers<'a>,
    declarator: &'s Declarator<'a>,
    name: &str,
) -> Option<&'s Attribute<'a>> {
    specifiers.attributes.iter().chain(&declarator.attributes).find(|attribute| attribute.name == name)
}

fn is_noreturn(specifiers: &Specifiers<'_>, declarator: &Declarator<'_>) -> bool {
    specifiers.noreturn
        || has_attribute(specifiers, declarator, "noreturn")
        || has_attribute(specifiers, declarator, "Noreturn")
}

impl<'a> Sema<'a> {
    /// Declares all file-scope names of the current unit.
    pub(super) fn declare_unit(&mut self) {
        let va_list = Symbol::Typedef { ty: self.basic.va_list, align: 0 };
        self.scopes[self.unit].names.insert("__builtin_va_list", va_list);
        let units = self.units;
        for item in &units[self.unit].items {
            match item {
                External::Decl(declaration) => self.file_scope_declaration(declaration),
                External::Function(definition) => self.declare_definition(definition),
                External::StaticAssert(condition) => self.static_assert(condition),
                External::Asm(at, asm) => self.file_scope_assembly(asm, *at),
                External::Weak(..) => {}
            }
        }
        for item in &units[self.unit].items {
            if let External::Weak(at, name, target) = item {
                self.weak_pragma(name, *target, *at);
            }
        }
        self.resolve_aliases();
    }

    /// Checks a `_Static_assert`.
    pub(super) fn static_assert(&mut self, condition: &'a Expr<'a>) {
        match self.constant_integer(condition) {
            Some(0) => self.error(condition.at, "static assertion failed"),
            Some(_) => {}
            None => self.error(condition.at, "the condition of a static assertion should be constant"),
        }
    }

    fn file_scope_declaration(&mut self, declaration: &'a Declaration<'a>) {
        let base =
            self.specifiers(&declaration.specifiers, declaration.declarators.is_empty(), declaration.at);
        for one in &declaration.declarators {
            let mut declared = self.declarator(&base, &one.declarator);
            if matches!(declaration.specifiers.ty, Some(TypeSpec::Auto))
                && let Some(Init::Expr(value)) = &one.init
            {
                declared.ty = self.quietly(|sema| sema.value(value)).ty;
            }
            if declared.has_variable_size {
                self.error(one.declarator.at, "the size of an array at file scope should be constant");
            }
            self.declare(&declaration.specifiers, one, declared);
        }
    }

    /// Declares a typedef, a function, or an object with linkage.
    pub(super) fn declare(
        &mut self,
        specifiers: &'a Specifiers<'a>,
        one: &'a InitDeclarator<'a>,
        declared: Declared,
    ) {
        let Some(name) = one.declarator.name else { return };
        if specifiers.storage == Some(StorageClass::Typedef) {
            self.refuse_unsupported(&specifiers.attributes);
            self.refuse_unsupported(&one.declarator.attributes);
            let align = if declared.align > 0 { declared.align } else { declared.type_align };
            let symbol = Symbol::Typedef { ty: declared.ty, align };
            self.scopes[self.unit].names.insert(name, symbol);
        } else if matches!(self.types.get(declared.ty), Type::Function { .. }) {
            self.declare_function(specifiers, &one.declarator, declared.ty, None);
        } else {
            self.declare_object(specifiers, one, declared);
        }
    }

    fn declare_definition(&mut self, definition: &'a FunctionDef<'a>) {
        let base = self.specifiers(&definition.specifiers, false, definition.at);
        let mut ty = self.declarator(&base, &definition.declarator).ty;
        if !definition.knr.is_empty() || !self.parameter_names(definition).is_empty() {
            ty = self.old_style_type(definition, ty);
        }
        self.declare_function(&definition.specifiers, &definition.declarator, ty, Some(definition));
    }

    fn declare_function(
        &mut self,
        specifiers: &'a Specifiers<'a>,
        declarator: &'a Declarator<'a>,
        ty: Ty,
        definition: Option<&'a FunctionDef<'a>>,
    ) {
        let Some(name) = declarator.name else { return };
        let seen = self.scopes[self.unit].names.get(name);
        let is_static = specifiers.storage == Some(StorageClass::Static);
        let link_name = self.link_name(name, specifiers, declarator);
        let function = match seen {
            Some(Symbol::Function { function, .. }) => function,
            _ if is_static => self.new_function(name, ty, declarator.at),
            _ => self.external_function(link_name, ty, declarator.at),
        };
        if self.linkage.external_functions.get(link_name) == Some(&function) {
            self.check_agreement(link_name, ty, false, declarator.at);
        }
        let (at, visible) = match seen {
            Some(Symbol::Function { ty: old, at, .. }) => {
                (at, self.better_function_type(old, ty, definition.is_some()))
            }
            _ => (declarator.at, ty),
        };
        self.scopes[self.unit].names.insert(name, Symbol::Function { function, ty: visible, at });
        self.linkage.functions[function].noreturn |= is_noreturn(specifiers, declarator);
        self.function_attributes(function, specifiers, declarator);
        if let Some(definition) = definition {
            let rank = self.function_rank(function, specifiers, declarator);
            self.define_function(function, definition, ty, rank);
        }
    }

    fn function_rank(
        &self,
        function: FunctionRef,
        specifiers: &Specifiers<'_>,
        declarator: &Declarator<'_>,
    ) -> Rank {
        let is_weak = self.linkage.functions[function].weak_in == Some(self.unit);
        let gnu_inline = has_attribute(specifiers, declarator, "gnu_inline");
        if specifiers.inline && gnu_inline && specifiers.storage == Some(StorageClass::Extern) {
            Rank::InlineOnly
        } else if self.units[self.unit].unit.library {
            Rank::Library
        } else if specifiers.inline || is_weak {
            Rank::Weak
        } else {
            Rank::Strong
        }
    }

    fn define_function(
        &mut self,
        function: FunctionRef,
        definition: &'a FunctionDef<'a>,
        ty: Ty,
        rank: Rank,
    ) {
        let entity = &self.linkage.functions[function];
        let name = entity.name;
        if (entity.definition.is_some() || entity.forward.is_some()) && entity.rank >= rank {
            if rank == Rank::Strong && entity.rank == Rank::Strong {
                let place = self.place(entity.span);
                let message = format!("redefinition of '{name}', which is defined at {place}");
                self.error(definition.declarator.at, message);
            }
            return;
        }
        let span = self.span(definition.declarator.at);
        let unit = self.unit;
        let entity = &mut self.linkage.functions[function];
        (entity.rank, entity.ty, entity.unit, entity.span) = (rank, ty, unit, span);
        entity.definition = Some((unit, definition));
        (entity.forward, entity.resolver) = (None, None);
    }

    /// Which of two declared types of a function calls are checked against.
    fn better_function_type(&self, old: Ty, new: Ty, is_definition: bool) -> Ty {
        let has_prototype = |ty| matches!(self.types.get(ty), Type::Function { prototype: true, .. });
        if has_prototype(new) || (is_definition && !has_prototype(old)) { new } else { old }
    }

    pub(super) fn external_function(&mut self, name: &'a str, ty: Ty, at: At) -> FunctionRef {
        if let Some(&function) = self.linkage.external_functions.get(name) {
            return function;
        }
        let function = self.new_function(name, ty, at);
        self.linkage.external_functions.insert(name, function);
        function
    }

    pub(super) fn new_function(&mut self, name: &'a str, ty: Ty, at: At) -> FunctionRef {
        let (unit, span) = (self.unit, self.span(at));
        self.linkage.functions.push(Function {
            name,
            ty,
            rank: Rank::Declared,
            forward: None,
            resolver: None,
            weak_in: None,
            unsupported: None,
            constructor: None,
            destructor: None,
            definition: None,
            noreturn: false,
            unit,
            span,
            id: None,
        })
    }

    /// Declares an object with static storage: at file scope, or `extern` in a block.
    fn declare_object(
        &mut self,
        specifiers: &'a Specifiers<'a>,
        one: &'a InitDeclarator<'a>,
        mut declared: Declared,
    ) {
        let declarator = &one.declarator;
        let Some(name) = declarator.name else { return };
        if let (Some(init), Type::Array(_, None)) = (&one.init, self.types.get(declared.ty)) {
            declared.ty = self.quietly(|sema| sema.completed_by(declared.ty, init));
        }
        let seen = self.scopes[self.unit].names.get(name);
        let link_name = self.link_name(name, specifiers, declarator);
        let object = match seen {
            Some(Symbol::Object { object, .. }) => object,
            _ if specifiers.storage == Some(StorageClass::Static) => {
                self.new_object(name.to_owned(), declared.ty, declarator.at)
            }
            _ => self.external_object(link_name, declared.ty, declarator.at),
        };
        if self.linkage.external_objects.get(link_name) == Some(&object) {
            self.check_agreement(link_name, declared.ty, specifiers.thread_local, declarator.at);
        }
        let ty = match seen {
            Some(Symbol::Object { ty, .. }) if self.types.size_of(declared.ty).is_none() => ty,
            _ => declared.ty,
        };
        self.scopes[self.unit].names.insert(name, Symbol::Object { object, ty });
        self.object_attributes(object, specifiers, declarator);
        let is_library = self.units[self.unit].unit.library;
        let rank = match (&one.init, specifiers.storage) {
            (None, Some(StorageClass::Extern)) => Rank::Declared,
            _ if is_library => Rank::Library,
            (None, _) => Rank::Tentative,
            _ if self.linkage.objects[object].weak_in == Some(self.unit) => Rank::Weak,
            (Some(_), _) => Rank::Strong,
        };
        let (align, thread_local) = (declared.object_align(), specifiers.thread_local);
        self.merge_object(object, ty, align, thread_local, rank, one);
    }

    /// Adds what a declaration says to its object.
    fn merge_object(
        &mut self,
        object: ObjectRef,
        ty: Ty,
        align: u64,
        thread_local: bool,
        rank: Rank,
        one: &'a InitDeclarator<'a>,
    ) {
        let unit = self.unit;
        let span = self.span(one.declarator.at);
        let is_complete = self.types.size_of(ty).is_some();
        let was_complete = self.types.size_of(self.linkage.objects[object].ty).is_some();
        let place = self.place(self.linkage.objects[object].span);
        let entity = &mut self.linkage.objects[object];
        entity.align = entity.align.max(align);
        entity.thread_local |= thread_local;
        let is_redefined = rank == Rank::Strong && entity.rank == Rank::Strong;
        let wins =
            rank > entity.rank || (rank == Rank::Library && entity.rank == rank && entity.init.is_none());
        if (is_complete && !was_complete) || (wins && (is_complete || !was_complete)) {
            entity.ty = ty;
        }
        if wins {
            (entity.rank, entity.unit, entity.span) = (rank, unit, span);
            entity.init = one.init.as_ref().map(|init| (unit, init));
        }
        if is_redefined {
            let name = one.declarator.name.unwrap_or_default();
            let message = format!("redefinition of '{name}', which is defined at {place}");
            self.error(one.declarator.at, message);
        }
    }

    pub(super) fn external_object(&mut self, name: &'a str, ty: Ty, at: At) -> ObjectRef {
        if let Some(&object) = self.linkage.external_objects.get(name) {
            return object;
        }
        let object = self.new_object(name.to_owned(), ty, at);
        self.linkage.external_objects.insert(name, object);
        object
    }

    pub(super) fn new_object(&mut self, name: String, ty: Ty, at: At) -> ObjectRef {
        let (unit, span) = (self.unit, self.span(at));
        self.linkage.objects.push(Object {
            name,
            ty,
            align: 0,
            thread_local: false,
            rank: Rank::Declared,
            forward: None,
            weak_in: None,
            unsupported: None,
            init: None,
            unit,
            span,
            id: None,
        })
    }
}
