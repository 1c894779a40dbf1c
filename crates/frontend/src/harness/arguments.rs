//! Valid arguments for the types of parameters, as lines of C.

use super::plan::{Kind, Plan};
use super::roles::Role;
use super::spell::any_value;
use crate::hir::FunctionId;
use crate::types::{IntKind, Ty, Type};

/// A call with its arguments.
pub(super) struct Call {
    /// Declarations of the arguments.
    pub(super) before: Vec<String>,
    /// The arguments.
    pub(super) arguments: Vec<String>,
    /// What is freed after the call.
    pub(super) after: Vec<String>,
}

/// What a call is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose<'a> {
    /// To make an object: integers are sizes.
    Making,
    /// For the object that this expression is, which is this parameter, and to make it.
    Initialising(usize, &'a str),
    /// For the object that this expression is, which is this parameter.
    About(usize, &'a str),
    /// For its own sake.
    Plain,
}

impl Purpose<'_> {
    fn given(self, n: usize) -> Option<String> {
        match self {
            Purpose::Initialising(param, what) | Purpose::About(param, what) if param == n => {
                Some(what.to_owned())
            }
            _ => None,
        }
    }

    fn makes(self) -> bool {
        matches!(self, Purpose::Making | Purpose::Initialising(..))
    }
}

impl Plan<'_> {
    /// The arguments of a call; `None` if some parameter has a type that nothing is known about.
    pub(super) fn call(&self, function: FunctionId, purpose: Purpose<'_>) -> Option<Call> {
        let (_, params, _) = self.signature(function);
        let mut call = Call { before: Vec::new(), arguments: Vec::new(), after: Vec::new() };
        for (n, &ty) in params.iter().enumerate() {
            if let Some(what) = purpose.given(n) {
                call.arguments.push(what);
                continue;
            }
            let name = self.parameter_name(function, n);
            let is_size = n > 0 && self.is_buffer(params, n - 1) && purpose.given(n - 1).is_none();
            if !is_size {
                self.argument(function, n, &name, purpose, &mut call)?;
            }
            if self.client.may_be_null && matches!(self.speller.types.get(ty), Type::Pointer(_)) {
                call.before.push(format!("if (__VERIFIER_nondet_bool()) {name} = 0;"));
            }
            call.arguments.push(name);
        }
        Some(call)
    }

    fn parameter_name(&self, function: FunctionId, n: usize) -> String {
        let body = self.exports.module.functions[function].body.as_ref();
        let name = body.and_then(|body| Some(body.locals[*body.params.get(n)?].name.as_str()));
        match name {
            Some(name) if !name.is_empty() && name != "made" && name != "object" => name.to_owned(),
            _ => format!("arg{n}"),
        }
    }

    /// Returns true if a parameter is a buffer whose number of elements is the next one.
    fn is_buffer(&self, params: &[Ty], n: usize) -> bool {
        let types = self.speller.types;
        let is_integer = |ty: Ty| matches!(types.get(ty), Type::Int(_));
        let Type::Pointer(target) = *types.get(params[n]) else { return false };
        let is_text = self.is_char(target) && types.qualifiers(target).is_const;
        let is_plain = matches!(types.get(target), Type::Void | Type::Int(_) | Type::Float(_));
        is_plain && !is_text && params.get(n + 1).is_some_and(|&next| is_integer(next))
    }

    fn is_char(&self, ty: Ty) -> bool {
        matches!(self.speller.types.get(ty), Type::Int(IntKind::Char))
    }

    fn argument(
        &self,
        function: FunctionId,
        n: usize,
        name: &str,
        purpose: Purpose<'_>,
        call: &mut Call,
    ) -> Option<()> {
        let (_, params, _) = self.signature(function);
        let (ty, role) = (params[n], self.role(function, n));
        let types = self.speller.types;
        let declared = self.speller.declare(ty, name)?;
        match *types.get(ty) {
            Type::Int(_) if purpose.makes() => call.before.push(format!("{declared} = client_size();")),
            Type::Bool | Type::Int(_) | Type::Float(_) => {
                call.before.push(format!("{declared} = __VERIFIER_nondet_{}();", any_value(types, ty)?));
            }
            Type::Pointer(target) if matches!(types.get(target), Type::Function { .. }) => {
                call.before.push(format!("{declared} = client_callback_{};", self.callback(target)?));
            }
            Type::Pointer(_) if self.is_buffer(params, n) => {
                let size = self.parameter_name(function, n + 1);
                let size_declared = self.speller.declare(params[n + 1], &size)?;
                call.before.push(format!("{size_declared} = client_size();"));
                call.before.push(format!("{declared} = calloc({size}, {});", self.element_size(ty)));
                if !role.kept && !role.consumed {
                    call.after.push(format!("free((void *){name});"));
                }
            }
            Type::Pointer(target) => self.pointer(ty, target, role, name, &declared, call)?,
            Type::Record(_) => call.before.push(format!("{declared} = {{0}};")),
            _ => return None,
        }
        Some(())
    }

    fn pointer(
        &self,
        ty: Ty,
        target: Ty,
        role: Role,
        name: &str,
        declared: &str,
        call: &mut Call,
    ) -> Option<()> {
        let types = self.speller.types;
        let is_own = role.kept || role.consumed;
        if let Some(record) = self.kind_of(ty) {
            let kind = &self.kinds[record];
            let how = if kind.shared && !is_own { "any" } else { "make" };
            call.before.push(format!("{declared} = client_{how}_{}();", kind.name));
            return Some(());
        }
        match types.get(target) {
            Type::Int(IntKind::Char) => call.before.push(format!("{declared} = client_string();")),
            Type::Void if !role.consumed => call.before.push(format!("{declared} = &client_item;")),
            Type::Void => call.before.push(format!("{declared} = calloc(1, sizeof client_item);")),
            Type::Pointer(_) if self.kind_of(target).is_some() => {
                let kind: &Kind = &self.kinds[self.kind_of(target)?];
                let object = format!("{name}_object");
                let value = match (role.given, kind.shared && !is_own) {
                    (true, _) => "0".to_owned(),
                    (_, true) => format!("client_any_{}()", kind.name),
                    (_, false) => format!("client_make_{}()", kind.name),
                };
                call.before.push(format!("{} = {value};", self.speller.declare(target, &object)?));
                call.before.push(format!("{declared} = &{object};"));
            }
            Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Pointer(_)
            | Type::Record(_)
            | Type::Atomic(_) => {
                types.size_of(target)?;
                call.before.push(format!("{declared} = calloc(1, {});", self.element_size(ty)));
                if !is_own {
                    call.after.push(format!("free((void *){name});"));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The size of what a pointer points to; a buffer of `void` has bytes.
    fn element_size(&self, pointer: Ty) -> String {
        let Type::Pointer(target) = *self.speller.types.get(pointer) else { return "1".to_owned() };
        match self.speller.types.get(target) {
            Type::Void => "1".to_owned(),
            _ => self
                .speller
                .declare(target, "")
                .map_or_else(|| "1".to_owned(), |spelt| format!("sizeof({spelt})")),
        }
    }

    /// All types of functions that are handed over.
    pub(super) fn callbacks(&self) -> Vec<Ty> {
        let types = self.speller.types;
        let mut found = Vec::new();
        for &function in &self.exports.functions {
            for &ty in self.signature(function).1 {
                if let Type::Pointer(target) = *types.get(ty)
                    && matches!(types.get(target), Type::Function { .. })
                    && !found.contains(&target)
                {
                    found.push(target);
                }
            }
        }
        found
    }

    fn callback(&self, ty: Ty) -> Option<usize> {
        self.callbacks().iter().position(|&known| known == ty)
    }
}
