//! Declarations inside functions.

use super::decl::find_attribute;
use super::declared::Declared;
use super::linkage::{ObjectRef, Rank};
use super::scope::Symbol;
use super::symbols::unsupported_attribute;
use super::{NO_ID, Sema};
use crate::ast::{self, Declaration, Init, InitDeclarator, Specifiers, StorageClass, TypeSpec};
use crate::hir::{self, Expr, ExprKind, Local, LocalId, Stmt, VarRef};
use crate::types::{Ty, Type};
use base::{Idx, Span};

impl<'a> Sema<'a> {
    /// A new automatic local of the function being typed. Objects that are no scalars live in memory from the start.
    pub(super) fn new_local(&mut self, name: &str, ty: Ty, span: Span) -> LocalId {
        let address_taken = !self.is_scalar(ty);
        match &mut self.body {
            Some(body) if self.unevaluated == 0 => {
                body.locals.push(Local { name: name.to_owned(), ty, align: 0, address_taken, span })
            }
            _ => LocalId::new(NO_ID as usize),
        }
    }

    pub(super) fn local_declaration(&mut self, declaration: &'a Declaration<'a>, out: &mut Vec<Stmt>) {
        let specifiers = &declaration.specifiers;
        let base = self.specifiers(specifiers, declaration.declarators.is_empty(), declaration.at);
        self.evaluate_sizes(out);
        for one in &declaration.declarators {
            if matches!(specifiers.ty, Some(TypeSpec::Auto))
                && let Some(Init::Expr(value)) = &one.init
            {
                let value = self.value(value);
                self.auto_typed(one, value, out);
                self.cleanup(specifiers, one, out);
                continue;
            }
            let declared = self.declarator(&base, &one.declarator);
            self.evaluate_sizes(out);
            let is_function = matches!(self.types.get(declared.ty), Type::Function { .. });
            match specifiers.storage {
                // `extern` names the entity with linkage, also if a local hides it.
                Some(StorageClass::Typedef | StorageClass::Extern) => self.declare(specifiers, one, declared),
                _ if is_function => self.declare(specifiers, one, declared),
                Some(StorageClass::Static) => {
                    let unsupported = unsupported_attribute(specifiers, &one.declarator);
                    let object = self.static_local(one, declared, specifiers.thread_local);
                    self.linkage.objects[object].unsupported = unsupported;
                }
                _ => {
                    if let Some(why) = unsupported_attribute(specifiers, &one.declarator) {
                        out.push(Stmt::Unsupported(why, self.span(one.declarator.at)));
                    }
                    self.automatic(one, declared, out);
                    self.cleanup(specifiers, one, out);
                }
            }
        }
    }

    /// The attribute `cleanup`: a function that gets the variable's address when its scope is left.
    fn cleanup(&mut self, specifiers: &'a Specifiers<'a>, one: &'a InitDeclarator<'a>, out: &mut Vec<Stmt>) {
        let Some(attribute) = find_attribute(specifiers, &one.declarator, "cleanup") else { return };
        let at = attribute.at;
        let Some(ast::ExprKind::Ident(function)) = attribute.args.first().map(|arg| &arg.kind) else {
            return self.error(at, "the argument of 'cleanup' should be a function");
        };
        let symbol = one.declarator.name.and_then(|name| self.scopes[self.unit].names.get(name));
        let Some(Symbol::Local { local, ty }) = symbol else {
            let span = self.span(at);
            return out.push(Stmt::Unsupported(
                "the attribute 'cleanup' of an array of variable length".to_owned(),
                span,
            ));
        };
        let Some(Symbol::Function { function, ty: callee_ty, .. }) =
            self.scopes[self.unit].names.get(function)
        else {
            return self.error(at, format!("'{function}' is not declared"));
        };
        let span = self.span(at);
        let callee = self.function_reference(function, callee_ty, at);
        let callee = self.as_callee(callee);
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
        let pointer = self.pointer_to(ty);
        let address = self.address(variable, pointer);
        let call = self.call_value(callee, vec![address], at);
        out.push(Stmt::Cleanup(call));
    }

    /// `__auto_type name = value;`
    fn auto_typed(&mut self, one: &'a InitDeclarator<'a>, value: Expr, out: &mut Vec<Stmt>) {
        let span = self.span(one.declarator.at);
        let ty = self.object_type(value.ty);
        let value = self.convert(value, ty);
        let local = self.name_local(one, ty, span);
        let items = vec![hir::InitItem { offset: 0, bits: None, value }];
        out.push(Stmt::Decl { local, init: Some(hir::Init { zero_fill: false, items }), span });
    }

    fn name_local(&mut self, one: &'a InitDeclarator<'a>, ty: Ty, span: Span) -> LocalId {
        let name = one.declarator.name.unwrap_or_default();
        if matches!(
            self.scopes[self.unit].names.get_here(name),
            Some(Symbol::Local { .. } | Symbol::Vla { .. })
        ) {
            self.error(one.declarator.at, format!("redeclaration of '{name}'"));
        }
        let local = self.new_local(name, ty, span);
        self.scopes[self.unit].names.insert(name, Symbol::Local { local, ty });
        local
    }

    fn automatic(&mut self, one: &'a InitDeclarator<'a>, declared: Declared, out: &mut Vec<Stmt>) {
        let span = self.span(one.declarator.at);
        let name = one.declarator.name.unwrap_or_default();
        if let Type::Vla(_, size) = *self.types.get(declared.ty) {
            return self.variable_length(one, &declared, size, span, out);
        }
        let ty = match &one.init {
            Some(init) => self.completed_by(declared.ty, init),
            None => declared.ty,
        };
        if self.types.size_of(ty).is_none() || self.is_void(ty) {
            if matches!(self.types.get(ty), Type::Array(..)) && one.init.is_none() {
                let symbol = Symbol::Local { local: self.new_local(name, ty, span), ty };
                self.scopes[self.unit].names.insert(name, symbol);
                return out.push(Stmt::Unsupported(format!("the size of '{name}' is not known"), span));
            }
            self.error(one.declarator.at, format!("the size of '{name}' is not known"));
        }
        let local = self.name_local(one, ty, span);
        if let (Some(body), 0) = (&mut self.body, self.unevaluated) {
            body.locals[local].align = declared.object_align();
        }
        // The name is in scope in its own initialiser: `struct node n = { &n };`.
        let init = one.init.as_ref().map(|init| self.local_init(ty, init));
        out.push(Stmt::Decl { local, init, span });
    }

    fn static_local(
        &mut self,
        one: &'a InitDeclarator<'a>,
        declared: Declared,
        thread_local: bool,
    ) -> ObjectRef {
        let name = one.declarator.name.unwrap_or_default();
        let at = one.declarator.at;
        let ty = match &one.init {
            Some(init) => self.completed_by(declared.ty, init),
            None => declared.ty,
        };
        if self.types.size_of(ty).is_none() {
            self.error(at, format!("the size of '{name}' is not known"));
        }
        let function = self.body.as_ref().map_or("", |body| body.name);
        let object = self.new_object(format!("{function}.{name}"), ty, at);
        let entity = &mut self.linkage.objects[object];
        entity.align = declared.object_align();
        entity.thread_local = thread_local;
        entity.rank = Rank::Strong;
        self.scopes[self.unit].names.insert(name, Symbol::Object { object, ty });
        if let (Some(init), 0) = (&one.init, self.unevaluated) {
            self.global_id(object);
            self.initialise_object(object, init);
        }
        object
    }
}
