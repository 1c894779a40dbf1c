//! Operands of `asm` statements: which are registers, which are memory, and what happens to them before and after.
//!
//! | constraint | operand |
//! |---|---|
//! | `"r"`, `"q"`, `"i"`, `"a"`, …, alone or with `m` | a register: a variable that is set before |
//! | `"=r"`, `"=a"`, … | a register that is stored afterwards; arbitrary at first, unless an input is tied to it (`"0"`, `"a"`) |
//! | `"+r"`, … | both |
//! | `"m"`, `"=m"`, `"+m"` and nothing else | memory: its address is computed before |
//! | `"=@ccz"` | a flag that is stored afterwards |

use super::template::Reference;
use crate::ast::{self, Asm, AsmOperand, At};
use crate::hir::{Expr, ExprKind, Init, InitItem, LocalId, Stmt, VarRef};
use crate::sema::Sema;
use crate::sema::convert::is_unsupported;
use crate::sema::literal::string_bytes;
use crate::types::{IntKind, Ty, Type};

/// Where an operand is while the instructions run.
#[derive(Clone, Copy, Debug)]
pub(super) enum OperandLocation {
    /// In a variable of an unsigned type.
    Register { local: LocalId, ty: Ty },
    /// At the address in a variable, so many bytes.
    Memory { pointer: LocalId, bytes: u64 },
    /// It is a flag, of this condition.
    Flag,
}

/// An output that is stored when the instructions have run.
#[derive(Debug)]
pub(super) struct Output<'a> {
    pub(super) value: &'a ast::Expr<'a>,
    /// The variable that has its address, unless it is a plain variable.
    pub(super) pointer: Option<LocalId>,
    pub(super) place: OperandLocation,
    /// For flags, the condition: `z`, `nc`, ….
    pub(super) condition: String,
}

/// All operands of a statement.
#[derive(Debug)]
pub(super) struct Operands<'a> {
    /// By number: the outputs, then the inputs.
    pub(super) places: Vec<OperandLocation>,
    names: Vec<Option<&'a str>>,
    /// Registers that a constraint names by a letter, and whether the operand is an output only.
    pub(super) fixed: Vec<(char, LocalId, Ty)>,
    pub(super) outputs: Vec<Output<'a>>,
}

impl Operands<'_> {
    /// The place of an operand.
    pub(super) fn get(&self, reference: &Reference) -> Option<OperandLocation> {
        let n = match reference {
            Reference::Number(n) => *n,
            Reference::Name(name) => self.names.iter().position(|known| *known == Some(name.as_str()))?,
        };
        self.places.get(n).copied()
    }
}

/// What a constraint says.
struct Constraint {
    is_read: bool,
    is_memory: bool,
    /// The register's letter, if there is only one.
    fixed: Option<char>,
    /// The number or name of the output that an input shares its register with.
    tied: Option<Reference>,
    flag: Option<String>,
}

fn constraint(operand: &AsmOperand<'_>, is_exclusive: bool) -> Option<Constraint> {
    let text = String::from_utf8_lossy(&string_bytes(&operand.constraint).1).into_owned();
    let text = text.trim_end_matches('\0');
    if let Some(condition) = text.strip_prefix("=@cc") {
        let flag = Some(condition.to_owned());
        return Some(Constraint { is_read: false, is_memory: false, fixed: None, tied: None, flag });
    }
    let is_read = !text.starts_with('=');
    let letters: String =
        text.chars().filter(|c| !matches!(c, '=' | '+' | '&' | '%' | ' ' | ',' | '*' | '#')).collect();
    let tied = match letters.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => Some(Reference::Name(name.to_owned())),
        None => letters.parse().ok().map(Reference::Number),
    };
    const REGISTERS: &str = "rqRlQgXinINJKLMOeZabcdSD";
    // On the machines that have exclusive accesses, these letters are memory that a register points to.
    let is_pointed = |c| is_exclusive && matches!(c, 'Q' | 'Z' | 'A');
    let is_place = |c| matches!(c, 'm' | 'o' | 'V') || is_pointed(c);
    let is_memory = !letters.is_empty() && letters.chars().all(is_place);
    let is_known = letters.chars().all(|c| REGISTERS.contains(c) || is_place(c));
    if tied.is_none() && !is_known {
        return None;
    }
    let fixed = Some(letters.as_str())
        .filter(|letters| letters.len() == 1)
        .and_then(|letters| letters.chars().next().filter(|c| "abcdSD".contains(*c)));
    Some(Constraint { is_read, is_memory, fixed, tied, flag: None })
}

impl<'a> Sema<'a> {
    /// Reads the operands of a statement.
    pub(super) fn asm_operands(
        &mut self,
        asm: &'a Asm<'a>,
        is_exclusive: bool,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<Operands<'a>> {
        let all = asm.outputs.iter().chain(&asm.inputs);
        let names = all.map(|operand| operand.name).collect();
        let mut operands = Operands { places: Vec::new(), names, fixed: Vec::new(), outputs: Vec::new() };
        for output in &asm.outputs {
            self.asm_output(output, is_exclusive, &mut operands, at, out)?;
        }
        for input in &asm.inputs {
            self.asm_input(input, is_exclusive, &mut operands, at, out)?;
        }
        Some(operands)
    }

    fn asm_output(
        &mut self,
        operand: &'a AsmOperand<'a>,
        is_exclusive: bool,
        operands: &mut Operands<'a>,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let constraint = constraint(operand, is_exclusive)?;
        let lvalue = self.expr(&operand.value);
        if is_unsupported(&lvalue) {
            return None;
        }
        if constraint.is_memory {
            let place = self.memory_operand(lvalue, at, out)?;
            operands.places.push(place);
            return Some(());
        }
        let lvalue_ty = lvalue.ty;
        let is_plain = matches!(operand.value.kind, ast::ExprKind::Ident(_));
        let pointer = if is_plain { None } else { Some(self.pointer_variable(lvalue, at, out)?) };
        if let Some(condition) = constraint.flag {
            let place = OperandLocation::Flag;
            operands.outputs.push(Output { value: &operand.value, pointer, place, condition });
            operands.places.push(place);
            return Some(());
        }
        let ty = self.register_type(lvalue_ty)?;
        let value = match (constraint.is_read, pointer) {
            (true, Some(pointer)) => self.pointee_value(pointer, lvalue_ty, at),
            (true, None) => self.value(&operand.value),
            (false, _) => self.any_value(ty, at),
        };
        let local = self.set_variable(ty, value, at, out);
        let place = OperandLocation::Register { local, ty };
        operands.fixed.extend(constraint.fixed.map(|letter| (letter, local, ty)));
        let condition = String::new();
        operands.outputs.push(Output { value: &operand.value, pointer, place, condition });
        operands.places.push(place);
        Some(())
    }

    fn asm_input(
        &mut self,
        operand: &'a AsmOperand<'a>,
        is_exclusive: bool,
        operands: &mut Operands<'a>,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let constraint = constraint(operand, is_exclusive)?;
        if constraint.is_memory {
            let lvalue = self.expr(&operand.value);
            let place = self.memory_operand(lvalue, at, out)?;
            operands.places.push(place);
            return Some(());
        }
        let value = self.value(&operand.value);
        if is_unsupported(&value) {
            return None;
        }
        let shared = match (&constraint.tied, constraint.fixed) {
            (Some(tied), _) => Some(operands.get(tied)?),
            (None, Some(letter)) => {
                let known = operands.fixed.iter().find(|(known, ..)| *known == letter);
                known.map(|&(_, local, ty)| OperandLocation::Register { local, ty })
            }
            (None, None) => None,
        };
        let place = match shared {
            Some(OperandLocation::Register { local, ty }) => {
                let assignment = self.assign_variable(local, ty, value, at)?;
                out.push(Stmt::Expr(assignment));
                OperandLocation::Register { local, ty }
            }
            // An input that is tied to memory is that memory.
            Some(memory @ OperandLocation::Memory { .. }) => memory,
            Some(OperandLocation::Flag) => return None,
            None => {
                let ty = self.register_type(value.ty)?;
                let local = self.set_variable(ty, value, at, out);
                operands.fixed.extend(constraint.fixed.map(|letter| (letter, local, ty)));
                OperandLocation::Register { local, ty }
            }
        };
        operands.places.push(place);
        Some(())
    }

    /// Stores the outputs that are in registers.
    pub(super) fn write_outputs(
        &mut self,
        operands: &Operands<'a>,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        for output in &operands.outputs {
            let OperandLocation::Register { local, ty } = output.place else { return None };
            let value = self.variable_value(local, ty, at);
            self.write_output(output, value, at, out);
        }
        Some(())
    }

    /// Stores an output.
    pub(super) fn write_output(&mut self, output: &Output<'a>, value: Expr, at: At, out: &mut Vec<Stmt>) {
        let span = self.span(at);
        let lvalue = match output.pointer {
            None => self.expr(output.value),
            Some(pointer) => {
                let ty = self.unevaluated(|sema| sema.expr(output.value)).ty;
                let pointer = self.pointer_value(pointer, ty, at);
                Expr { ty, span, kind: ExprKind::Deref(Box::new(pointer)) }
            }
        };
        let ty = self.unatomic(lvalue.ty);
        let value = self.convert(value, ty);
        out.push(Stmt::Expr(Expr { ty, span, kind: ExprKind::Assign(Box::new(lvalue), Box::new(value)) }));
    }

    fn memory_operand(&mut self, lvalue: Expr, at: At, out: &mut Vec<Stmt>) -> Option<OperandLocation> {
        let bytes = self.types.size_of(lvalue.ty)?;
        let pointer = self.pointer_variable(lvalue, at, out)?;
        Some(OperandLocation::Memory { pointer, bytes })
    }

    /// A variable with the address of an lvalue.
    fn pointer_variable(&mut self, lvalue: Expr, at: At, out: &mut Vec<Stmt>) -> Option<LocalId> {
        let is_bit_field = matches!(lvalue.kind, ExprKind::Member { bits: Some(_), .. });
        if is_bit_field || is_unsupported(&lvalue) || !crate::sema::convert::is_lvalue(&lvalue) {
            return None;
        }
        let ty = self.pointer_to(lvalue.ty);
        let address = self.address(lvalue, ty);
        Some(self.set_variable(self.basic.void_ptr, address, at, out))
    }

    /// The address that a variable holds, as a pointer to this type.
    pub(super) fn pointer_value(&mut self, pointer: LocalId, ty: Ty, at: At) -> Expr {
        let address = self.variable_value(pointer, self.basic.void_ptr, at);
        let pointer_ty = self.pointer_to(ty);
        self.convert(address, pointer_ty)
    }

    fn pointee_value(&mut self, pointer: LocalId, ty: Ty, at: At) -> Expr {
        let span = self.span(at);
        let pointer = self.pointer_value(pointer, ty, at);
        let lvalue = Expr { ty, span, kind: ExprKind::Deref(Box::new(pointer)) };
        self.decay(lvalue)
    }

    /// The unsigned type of the register that holds a value of this type.
    fn register_type(&mut self, ty: Ty) -> Option<Ty> {
        match self.types.unatomic(ty) {
            Type::Int(_) | Type::Bool | Type::Pointer(_) => {}
            _ => return None,
        }
        let bytes = self.types.size_of(ty)?;
        self.unsigned_type(bytes)
    }

    /// The unsigned type of so many bytes.
    pub(super) fn unsigned_type(&mut self, bytes: u64) -> Option<Ty> {
        let kind = match bytes {
            1 => IntKind::UChar,
            2 => IntKind::UShort,
            4 => IntKind::UInt,
            8 => IntKind::ULongLong,
            _ => return None,
        };
        Some(self.int_type(kind))
    }

    /// Any value of a type.
    pub(super) fn any_value(&mut self, ty: Ty, at: At) -> Expr {
        self.builtin_call_with("__VERIFIER_nondet_any", ty, Vec::new(), at)
    }

    /// A new variable with this value.
    pub(super) fn set_variable(&mut self, ty: Ty, value: Expr, at: At, out: &mut Vec<Stmt>) -> LocalId {
        let span = self.span(at);
        let value = self.convert(value, ty);
        let local = self.new_local("", ty, span);
        let items = vec![InitItem { offset: 0, bits: None, value }];
        out.push(Stmt::Decl { local, init: Some(Init { zero_fill: false, items }), span });
        local
    }

    /// The value of a variable.
    pub(super) fn variable_value(&mut self, local: LocalId, ty: Ty, at: At) -> Expr {
        let span = self.span(at);
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
        Expr { ty, span, kind: ExprKind::Load(Box::new(variable)) }
    }

    /// `variable = value`
    pub(super) fn assign_variable(&mut self, local: LocalId, ty: Ty, value: Expr, at: At) -> Option<Expr> {
        let span = self.span(at);
        let value = self.convert(value, ty);
        if is_unsupported(&value) {
            return None;
        }
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
        Some(Expr { ty, span, kind: ExprKind::Assign(Box::new(variable), Box::new(value)) })
    }
}
