//! Calls: of declared functions, of undeclared functions, through pointers.

use super::Sema;
use super::convert::is_unsupported;
use super::scope::Symbol;
use crate::ast::{self, At};
use crate::hir::{Expr, ExprKind};
use crate::types::{Ty, Type};

impl<'a> Sema<'a> {
    pub(super) fn call(&mut self, callee: &'a ast::Expr<'a>, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        if let ast::ExprKind::Ident(name) = callee.kind {
            let symbol = self.scopes[self.unit].names.get(name);
            let is_defined = match symbol {
                Some(Symbol::Function { function, .. }) => {
                    self.linkage.functions[function].definition.is_some()
                }
                other => other.is_some(),
            };
            let is_local =
                matches!(symbol, Some(Symbol::Local { .. } | Symbol::Vla { .. } | Symbol::Object { .. }));
            if !is_defined && !is_local && !self.errors.functions.iter().any(|error| error == name) {
                let known = self.builtin_call(name, args, at).or_else(|| self.intrinsic_call(name, args, at));
                if let Some(call) = known {
                    return call;
                }
            }
            if symbol.is_none() {
                self.declare_implicitly(name, callee.at);
            }
        }
        let typed = self.expr(callee);
        let typed = self.as_callee(typed);
        let typed = self.before_its_declaration(typed, callee);
        let args: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        self.call_value(typed, args, at)
    }

    /// A function designator, or a pointer to a function.
    pub(super) fn as_callee(&mut self, callee: Expr) -> Expr {
        match self.decay(callee) {
            Expr { kind: ExprKind::AddrOf(function), .. }
                if matches!(function.kind, ExprKind::Function(_)) =>
            {
                *function
            }
            pointer => pointer,
        }
    }

    /// A function that is declared only after the call was, at the call, an implicit `f()`: its parameter types were not known.
    fn before_its_declaration(&mut self, callee: Expr, written: &ast::Expr<'a>) -> Expr {
        let ast::ExprKind::Ident(name) = written.kind else { return callee };
        let Some(Symbol::Function { at, .. }) = self.scopes[self.unit].names.get(name) else { return callee };
        let Type::Function { ret, .. } = *self.types.get(callee.ty) else { return callee };
        if at <= written.at {
            return callee;
        }
        if self.implicit.insert(name) {
            self.warn(written.at, format!("'{name}' is called before it is declared"));
        }
        let ty =
            self.types.intern(Type::Function { ret, params: Vec::new(), variadic: false, prototype: false });
        Expr { ty, ..callee }
    }

    /// C90's `int name();`, or what the library is known to say.
    fn declare_implicitly(&mut self, name: &'a str, at: At) {
        if self.implicit.insert(name) {
            self.warn(at, format!("'{name}' is called but not declared"));
        }
        let known = self.library_type(name);
        let defined = self.library_definition(name);
        let unprototyped =
            Type::Function { ret: self.basic.int, params: Vec::new(), variadic: false, prototype: false };
        let ty = defined.or(known).unwrap_or_else(|| self.types.intern(unprototyped));
        let function = self.external_function(name, ty, at);
        self.scopes[self.unit].names.insert_outermost(name, Symbol::Function { function, ty, at: 0 });
    }

    /// The type that a library model gives a function.
    pub(super) fn library_definition(&self, name: &str) -> Option<Ty> {
        let function = *self.linkage.external_functions.get(name)?;
        let entity = &self.linkage.functions[function];
        let (unit, _) = entity.definition?;
        self.units[unit].unit.library.then_some(entity.ty)
    }

    /// A call of a typed callee with typed arguments.
    pub(super) fn call_value(&mut self, callee: Expr, args: Vec<Expr>, at: At) -> Expr {
        let span = self.span(at);
        if is_unsupported(&callee) {
            return callee;
        }
        let ty = self.pointee(callee.ty).unwrap_or(callee.ty);
        let Type::Function { ret, params, variadic, prototype } = self.types.get(ty).clone() else {
            return self.wrong(at, "what is called is no function");
        };
        if prototype && (args.len() < params.len() || (args.len() > params.len() && !variadic)) {
            let few = if args.len() < params.len() { "few" } else { "many" };
            return self.wrong(at, format!("too {few} arguments in a call"));
        }
        let args = self.arguments(args, if prototype { &params } else { &[] }, at);
        let ret = self.unatomic(ret);
        let kind = ExprKind::Call { callee: Box::new(callee), args };
        Expr { ty: ret, span, kind }
    }

    /// Arguments, converted to the parameters' types as far as these are declared.
    fn arguments(&mut self, args: Vec<Expr>, params: &[Ty], at: At) -> Vec<Expr> {
        let mut converted = Vec::with_capacity(args.len());
        for (n, arg) in args.into_iter().enumerate() {
            converted.push(match params.get(n) {
                Some(&param) => self.argument(arg, param, at),
                None => self.default_promote(arg),
            });
        }
        converted
    }

    fn argument(&mut self, arg: Expr, param: Ty, at: At) -> Expr {
        let span = arg.span;
        let is_record = |ty| matches!(self.types.unatomic(ty), Type::Record(_));
        // Records of different units have different types; a mismatch costs the verdict only where it is reached.
        if is_record(arg.ty) && arg.ty != self.unatomic(param) && !self.is_composite(arg.ty) {
            return self.unsupported(param, span, "an argument of another record type");
        }
        self.assign_convert(arg, param, at)
    }
}
