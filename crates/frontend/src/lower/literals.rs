//! Which texts a parameter can be.
//!
//! Programs print through functions of their own, `void report(const char *line) { printf("%s\n", line); }`, and mostly call them with string
//! literals. For memory safety `printf` reads its text up to the end, a loop that every engine would follow at every call, although a
//! literal has an end. So the calls say which literals a parameter can be, through any number of functions that pass it on, and only other texts are read:
//!
//! ```text
//! if (line != "one" && line != "two") read *line up to the end
//! ```
//!
//! # Direction of error
//! A parameter that is assigned to, whose address is taken, or whose function is called through a pointer can be anything.

use super::call::callee_function;
use super::function::Builder;
use super::seeds::each_mention;
use super::summary::Call;
use crate::harness::{Node, walk};
use crate::hir::{self, ExprKind, FunctionId, LocalId, StrId, VarRef};
use program::{BinOp, Expr, Width};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A parameter of a function.
type Parameter = (FunctionId, LocalId);

/// What a pointer can be.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Texts {
    literals: BTreeSet<StrId>,
    /// True if it can be something else, too.
    others: bool,
}

impl Texts {
    fn other() -> Self {
        Self { literals: BTreeSet::new(), others: true }
    }

    fn add(&mut self, more: &Self) {
        self.literals.extend(&more.literals);
        self.others |= more.others;
    }
}

/// What the parameters of all functions can be.
pub(super) type ParameterTexts = FxHashMap<Parameter, Texts>;

/// More comparisons are no shorter than reading.
const MAX_LITERALS: usize = 32;

impl<'m> Builder<'_, 'm> {
    /// Reads an argument that is a text, where that matters; literals have an end.
    pub(super) fn read_given_text(&mut self, call: &Call<'m>, at: usize, width: Width, limit: Option<Expr>) {
        let addr = call.values[at].clone();
        let known = self.reads_matter(&addr) && width == Width::BYTE;
        let texts = if known { self.texts(&call.args[at]) } else { Texts::other() };
        if texts.literals.is_empty() || texts.literals.len() > MAX_LITERALS {
            return self.read_text(addr, width, limit);
        }
        if !texts.others {
            return;
        }
        let addr = self.repeatable(addr);
        let mut is_literal = Expr::truth(false);
        for literal in texts.literals {
            let object = Expr::ObjectAddr(self.ctx.string(literal), self.ctx.model.pointer());
            let here = Expr::binary(BinOp::Eq, addr.clone(), object);
            is_literal = Expr::binary(BinOp::Or, is_literal, here);
        }
        let (other, done) = (self.new_location(), self.new_location());
        self.branch(is_literal, done, other);
        self.open(other);
        self.read_text(addr, width, limit);
        self.goto(done);
        self.open(done);
    }

    fn texts(&mut self, arg: &hir::Expr) -> Texts {
        let known = match &self.ctx.parameter_texts {
            Some(known) => Rc::clone(known),
            None => {
                let found = Rc::new(parameter_texts(self.ctx.module));
                self.ctx.parameter_texts = Some(Rc::clone(&found));
                found
            }
        };
        texts_of(arg, self.id, &known)
    }
}

fn texts_of(arg: &hir::Expr, function: FunctionId, known: &ParameterTexts) -> Texts {
    match &arg.kind {
        ExprKind::Convert(inner) => texts_of(inner, function, known),
        ExprKind::AddrOf(inner) => match inner.kind {
            ExprKind::Str(id) => Texts { literals: [id].into(), others: false },
            _ => Texts::other(),
        },
        ExprKind::Load(inner) => match inner.kind {
            ExprKind::Var(VarRef::Local(local)) => {
                known.get(&(function, local)).cloned().unwrap_or_else(Texts::other)
            }
            _ => Texts::other(),
        },
        ExprKind::Cond(_, yes, no) => {
            let mut texts = texts_of(yes, function, known);
            texts.add(&texts_of(no, function, known));
            texts
        }
        _ => Texts::other(),
    }
}

/// The least solution: what a parameter can be is what some call gives it.
fn parameter_texts(module: &hir::Module) -> ParameterTexts {
    let mut known = fixed_parameters(module);
    loop {
        let mut changed = false;
        for (caller, function) in module.functions.iter_enumerated() {
            let Some(body) = &function.body else { continue };
            walk(body, &mut |node| {
                let Node::Expr(hir::Expr { kind: ExprKind::Call { callee, args }, .. }) = node else {
                    return;
                };
                let ExprKind::Function(id) = callee_function(callee).kind else { return };
                let params = module.functions[id].body.iter().flat_map(|body| &body.params);
                for (n, param) in params.enumerate() {
                    let given = args.get(n).map_or_else(Texts::other, |arg| texts_of(arg, caller, &known));
                    if let Some(texts) = known.get_mut(&(id, *param)) {
                        let before = (texts.literals.len(), texts.others);
                        texts.add(&given);
                        changed |= before != (texts.literals.len(), texts.others);
                    }
                }
            });
        }
        if !changed {
            return known;
        }
    }
}

/// Parameters that keep their value, of functions that only calls by name enter.
fn fixed_parameters(module: &hir::Module) -> ParameterTexts {
    let mut n_uses: FxHashMap<FunctionId, i64> = FxHashMap::default();
    each_mention(module, &mut |id| *n_uses.entry(id).or_default() += 1);
    let mut known = ParameterTexts::default();
    let mut changed: BTreeSet<Parameter> = BTreeSet::new();
    for (id, function) in module.functions.iter_enumerated() {
        let Some(body) = &function.body else { continue };
        // Lowering itself calls models.
        let params = body.params.iter().filter(|_| !function.library);
        known.extend(params.map(|param| ((id, *param), Texts::default())));
        changed.extend(body.captures.iter().map(|capture| (capture.owner, capture.outer)));
        let locals = body.locals.iter_enumerated().filter(|(_, local)| local.address_taken);
        changed.extend(locals.map(|(local, _)| (id, local)));
        walk(body, &mut |node| {
            let Node::Expr(expr) = node else { return };
            let lvalue = match &expr.kind {
                ExprKind::Assign(lvalue, _) => lvalue,
                ExprKind::AssignOp(compound) => &compound.lvalue,
                ExprKind::Call { callee, .. } => {
                    if let ExprKind::Function(called) = callee_function(callee).kind {
                        *n_uses.entry(called).or_default() -= i64::from(!function.library);
                    }
                    return;
                }
                _ => return,
            };
            if let ExprKind::Var(VarRef::Local(local)) = lvalue.kind {
                changed.insert((id, local));
            }
        });
    }
    let from_outside = [Some(module.entry), module.start, module.finish];
    known.retain(|param @ (id, _), _| {
        let by_name = n_uses.get(id).is_none_or(|n| *n == 0);
        by_name && !changed.contains(param) && !from_outside.contains(&Some(*id))
    });
    known
}
