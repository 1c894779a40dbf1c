//! Inline assembly: fences are recognised by their template, everything else makes its outputs arbitrary.

use super::Sema;
use super::literal::string_bytes;
use crate::ast::{Asm, At};
use crate::hir::{Expr, ExprKind, Stmt};
use program::Order;

/// What a template does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Template {
    Empty,
    /// `pause`, `nop`: no effect.
    Nothing,
    Fence(Order),
    Other,
}

/// Classifies a template by its instructions.
pub(super) fn classify(template: &str) -> Template {
    let mut found = Template::Empty;
    let lower = template.to_ascii_lowercase();
    let words = lower.split([';', '\n', '\t', ' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    // `lock; addl $0,0(%%esp)`: an idle read-modify-write of the stack is x86's old full fence.
    if let ["lock", operation, zero, ..] = words[..]
        && (operation.starts_with("add") || operation.starts_with("or"))
        && zero.starts_with("$0")
    {
        return Template::Fence(Order::SeqCst);
    }
    for word in words {
        let next = match word {
            "mfence" | "sync" | "hwsync" | "dmb" | "dsb" => Template::Fence(Order::SeqCst),
            "lwsync" | "lfence" | "sfence" | "eieio" => Template::Fence(Order::AcqRel),
            "pause" | "nop" | "rep" | "yield" => Template::Nothing,
            // Operands of the barriers above.
            "ish" | "ishst" | "ishld" | "sy" | "st" | "ld" if matches!(found, Template::Fence(_)) => found,
            _ => return Template::Other,
        };
        found = match (found, next) {
            (Template::Fence(a), Template::Fence(b)) => Template::Fence(a.max(b)),
            (Template::Fence(order), _) => Template::Fence(order),
            (_, next) => next,
        };
    }
    found
}

impl<'a> Sema<'a> {
    pub(super) fn assembly(&mut self, asm: &'a Asm<'a>, at: At, out: &mut Vec<Stmt>) {
        let span = self.span(at);
        if !asm.labels.is_empty() {
            return out.push(Stmt::Unsupported("asm goto".to_owned(), span));
        }
        let text = String::from_utf8_lossy(&string_bytes(&asm.template).1).into_owned();
        let template = classify(&text);
        let clobbers_memory = asm.clobbers.iter().any(|clobber| clobber.contains("memory"));
        // `asm("" : "=r"(x) : "0"(y))` hides a value from the optimiser: it is an assignment.
        if let ([output], [input], Template::Empty) = (&asm.outputs[..], &asm.inputs[..], template) {
            let assignment = self.assign(&output.value, &input.value, at);
            out.push(Stmt::Expr(assignment));
        } else {
            let mut effects: Vec<Expr> = asm.inputs.iter().map(|input| self.value(&input.value)).collect();
            effects.retain(has_effect);
            out.extend(effects.into_iter().map(Stmt::Expr));
            let outputs: Vec<Expr> = asm.outputs.iter().map(|output| self.expr(&output.value)).collect();
            if !outputs.is_empty() || template == Template::Other {
                out.push(Stmt::AsmHavoc(outputs, span));
            }
        }
        match template {
            Template::Fence(order) => out.push(Stmt::Fence(order, span)),
            Template::Empty if clobbers_memory => out.push(Stmt::Fence(Order::SeqCst, span)),
            Template::Empty | Template::Nothing | Template::Other => {}
        }
    }
}

impl<'a> Sema<'a> {
    /// `asm` at file scope: names that occur in it may be defined by it, in ways that have no model.
    pub(super) fn file_scope_assembly(&mut self, asm: &'a Asm<'a>, at: At) {
        let text = String::from_utf8_lossy(&string_bytes(&asm.template).1).into_owned();
        if text.trim_matches(|c: char| c.is_whitespace() || c == '\0').is_empty() {
            return;
        }
        self.warn(at, "assembly at file scope is ignored; using what it names has no model");
        self.linkage.assembly.push(text);
    }
}

/// Whether evaluating an input may do something.
fn has_effect(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Var(_)
        | ExprKind::Str(_)
        | ExprKind::Function(_) => false,
        ExprKind::LabelAddr(_) => false,
        ExprKind::Convert(inner) | ExprKind::AddrOf(inner) | ExprKind::Load(inner) => has_effect(inner),
        ExprKind::Member { base, .. } => has_effect(base),
        _ => true,
    }
}
