//! Inline assembly: the idioms of x86 that locks are made of, exclusive accesses and barriers of other machines, and nothing else.
//!
//! A statement whose template is understood becomes statements of the typed tree, so that lowering knows nothing of assembly: operands in
//! registers are local variables that are read before and written after ([`operands`]), each instruction is an assignment or an atomic
//! builtin ([`x86`]); a loop of exclusive accesses is one atomic builtin ([`exclusive`]). A single access to memory is atomic, as on the machine; an instruction that reads and writes memory is one
//! step only with the prefix `lock` (`xchg` has it always). Flags are variables, too. `rdtsc`, `cpuid` and the like
//! give any value. Everything else has no model: reaching it costs the verdict.

mod exclusive;
mod operands;
mod template;
mod x86;

use super::Sema;
use super::literal::string_bytes;
use crate::ast::{Asm, At};
use crate::hir::Stmt;
use program::Barrier;
use template::{Instruction, Line, Operand};

/// The kind of a barrier instruction of any machine, with its operands as one word; `None` for other instructions, `Some(None)` for a barrier
/// that is of none of our kinds.
fn barrier(instruction: &str, operands: &str) -> Option<Option<Barrier>> {
    let kind = match instruction {
        "mfence" | "sync" | "hwsync" | "msync" | "mf" | "mb" => Barrier::Full,
        "lwsync" | "fence.tso" => Barrier::AcqRel,
        "lfence" => Barrier::Acquire,
        "sfence" | "eieio" | "wmb" => Barrier::Store,
        "isync" | "isb" => Barrier::Instruction,
        "dmb" | "dsb" => match operands.trim_start_matches('#') {
            "" | "sy" | "ish" | "nsh" | "osh" => Barrier::Full,
            "st" | "ishst" | "nshst" | "oshst" => Barrier::Store,
            "ld" | "ishld" | "nshld" | "oshld" => Barrier::Acquire,
            _ => return Some(None),
        },
        "fence" => match operands {
            "" | "rwrw" | "iorwiorw" => Barrier::Full,
            "rrw" | "iriorw" => Barrier::Acquire,
            "rww" | "iorwow" => Barrier::Release,
            "ww" | "owow" => Barrier::Store,
            _ => return Some(None),
        },
        _ => return None,
    };
    Some(Some(kind))
}

/// Returns true if an instruction of any machine does nothing that a verdict speaks of.
fn is_idle(instruction: &str) -> bool {
    matches!(instruction, "pause" | "nop" | "yield" | "wfe" | "sev" | "wfi" | "serialize" | "cld" | "clflush")
}

/// The barriers of a template, if it holds only barriers and idle instructions. (An empty template is a barrier for the compiler, not for the
/// machine.)
fn barriers(template: &str) -> Option<Vec<Option<Barrier>>> {
    let mut found = Vec::new();
    for line in template.trim_end_matches('\0').split([';', '\n']) {
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { continue };
        let first = first.to_ascii_lowercase();
        let is_prefix = first == "rep";
        let operands: Vec<String> = words.map(str::to_ascii_lowercase).collect();
        // Operands of the barriers above, and the instruction behind a prefix.
        let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '#');
        if !operands.iter().all(|word| plain(word) && (!is_prefix || is_idle(word))) {
            return None;
        }
        match barrier(&first, &operands.concat()) {
            Some(kind) => found.push(kind),
            None if is_idle(&first) || is_prefix => {}
            None => return None,
        }
    }
    Some(found)
}

/// The idle read-modify-write of the stack that is x86's old full fence: `lock; addl $0,0(%%esp)`.
fn is_stack_fence(instruction: &Instruction) -> bool {
    instruction.lock
        && (instruction.mnemonic.starts_with("add") || instruction.mnemonic.starts_with("or"))
        && instruction.operands[..] == [Operand::Immediate(0), Operand::Stack]
}

impl<'a> Sema<'a> {
    pub(super) fn assembly(&mut self, asm: &'a Asm<'a>, at: At, out: &mut Vec<Stmt>) {
        let span = self.span(at);
        let text = String::from_utf8_lossy(&string_bytes(&asm.template).1).into_owned();
        if !asm.labels.is_empty() {
            return out.push(Stmt::Unsupported("asm goto".to_owned(), span));
        }
        match self.assembled(asm, &text, at) {
            Some(stmts) => out.push(Stmt::Block(stmts)),
            None => {
                let shown = text.trim_end_matches('\0').replace(['\n', '\t'], " ");
                out.push(Stmt::Unsupported(format!("the assembly `{}`", shown.trim()), span));
            }
        }
    }

    /// What a statement does; `None` if that is not known.
    fn assembled(&mut self, asm: &'a Asm<'a>, text: &str, at: At) -> Option<Vec<Stmt>> {
        let span = self.span(at);
        let mut stmts = Vec::new();
        let is_exclusive = exclusive::is_exclusive(text);
        let operands = self.asm_operands(asm, is_exclusive, at, &mut stmts)?;
        if is_exclusive {
            self.execute_exclusive(&operands, text, at, &mut stmts)?;
            return Some(stmts);
        }
        match barriers(text) {
            Some(kinds) => {
                stmts.extend(kinds.into_iter().map(|kind| Stmt::Fence(kind, span)));
                self.write_outputs(&operands, at, &mut stmts)?;
            }
            None => {
                let lines = template::parse(text)?;
                if let [Line::Instruction(only)] = &lines[..]
                    && is_stack_fence(only)
                {
                    stmts.push(Stmt::Fence(Some(Barrier::Full), span));
                } else {
                    self.execute(&operands, &lines, at, &mut stmts)?;
                }
            }
        }
        Some(stmts)
    }

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
