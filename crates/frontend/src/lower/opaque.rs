//! What has no model, but goes on: opaque calls.
//!
//! Something without a model ends an execution without a verdict ([`Action::Unsupported`]). A search that follows executions has nothing to do
//! behind it. An analysis of the whole program does: in a real program hardly anything would be left to analyse otherwise. So
//! where it matters who accesses what (property `no-data-race`), the construct is a *call* of a function that consists of
//! nothing but that action. Executions are what they were: they enter the function and end there. But the call also says which
//! values are handed over, and where the caller would go on if the construct had a model. An analysis that knows what to assume
//! of such a function can take both for granted.
//!
//! For other properties nothing is different: the path ends.

use super::function::Builder;
use super::{Lowering, empty_function};
use crate::hir;
use base::Span;
use program::{
    Action, Callee, Expr, FuncId, Op, UNDEFINED_FUNCTION, UNDEFINED_RESULT, Var, VarId, VarKind, Width,
};

impl<'m> Builder<'_, 'm> {
    /// Something without a model that gets these values and has a result.
    pub(super) fn opaque(&mut self, what: impl Into<String>, args: &[Expr]) -> Expr {
        let what = what.into();
        self.ctx.gaps.push((self.span, what.clone()));
        if !self.ctx.checks.foreign_accesses {
            self.end(Action::Unsupported(what));
            return Expr::constant(0, Width::INT);
        }
        let width = self.ctx.model.pointer();
        let result = self.temporary(width);
        self.call_opaque(what, args, (result, width));
        Expr::Reg(result, width)
    }

    /// A function without a definition that may, or may not, do what has no model. Its result is any value of `width`.
    pub(super) fn opaque_or_any(&mut self, name: &str, args: &[Expr], width: Width) -> Expr {
        let what = gets_pointer(name);
        self.ctx.gaps.push((self.span, what.clone()));
        let result = self.named_temporary(&format!("{name}{UNDEFINED_RESULT}"), width);
        let happens = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var: happens });
        let (does, does_not, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(Expr::Reg(happens, Width::BOOL), does, does_not);
        self.open(does);
        self.call_opaque(what, args, (result, width));
        self.goto(done);
        self.open(does_not);
        self.push(Op::Havoc { var: result });
        self.goto(done);
        self.open(done);
        Expr::Reg(result, width)
    }

    /// A function without a definition that gets a pointer, and its result, if one of some width is wanted. What it does is written out later.
    pub(super) fn call_undefined(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        width: Option<Width>,
    ) -> Option<Expr> {
        let what = gets_pointer(name);
        self.ctx.gaps.push((self.span, what.clone()));
        let function = format!("{UNDEFINED_FUNCTION}{name}");
        let func = self.ctx.function_without_model(function, what, &args, width, self.span);
        let result = width.map(|width| (self.temporary(width), width));
        let ret = result.map(|(var, _)| var);
        self.step(|next| Action::Call { callee: Callee::Direct(func), args, ret, next });
        result.map(|(var, width)| Expr::Reg(var, width))
    }

    fn call_opaque(&mut self, what: String, args: &[Expr], (result, width): (VarId, Width)) {
        let func = self.ctx.function_without_model("opaque".to_owned(), what, args, Some(width), self.span);
        let callee = Callee::Direct(func);
        let args = args.to_vec();
        self.step(|next| Action::Call { callee, args, ret: Some(result), next });
    }

    /// The values of arguments of a function that is defined nowhere, those of records being their addresses.
    pub(super) fn opaque_arguments(&mut self, args: &'m [hir::Expr]) -> Vec<Expr> {
        let value = |builder: &mut Self, arg: &'m hir::Expr| match builder.ctx.is_record(arg.ty) {
            true => builder.record(arg),
            false => builder.summary_argument(arg),
        };
        args.iter().map(|arg| value(self, arg)).collect()
    }
}

/// What an undefined function with a pointer is to those who have no model of it.
fn gets_pointer(name: &str) -> String {
    format!("`{name}`, which is not defined and gets a pointer")
}

impl Lowering<'_> {
    /// A function that has no model, gets these arguments, has a result of this width and is called here. A number is added to its name.
    fn function_without_model(
        &mut self,
        name: String,
        what: String,
        args: &[Expr],
        result: Option<Width>,
        span: Span,
    ) -> FuncId {
        let widths: Vec<Option<Width>> = args.iter().map(|arg| Some(arg.width())).chain([result]).collect();
        let n = self.opaque.len();
        let key = (what, widths, span);
        if let Some(known) = self.opaque.get(&key) {
            return *known;
        }
        let mut function = empty_function(format!("{name}.{n}"), span);
        for (n, arg) in args.iter().enumerate() {
            let kind = VarKind::Register(arg.width());
            function.params.push(function.vars.push(Var { name: format!("arg.{n}"), kind, temporary: true }));
        }
        function.ret = result;
        function.library = true;
        function.locations[function.entry].action = Action::Unsupported(key.0.clone());
        let func = self.functions.push(function);
        self.opaque.insert(key, func);
        func
    }
}
