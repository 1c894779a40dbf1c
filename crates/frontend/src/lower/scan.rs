//! `scanf` and `fscanf` with a literal format of numbers and single characters: any input, without a loop over the format.
//!
//! The general model (`scan_any` of `models/stdio.c`) reads the format character by character, which every engine would have to follow
//! at every call. Where the text is known, a call is what is left of that loop: for each conversion the input may end or not match, and
//! otherwise any value is stored.
//!
//! | format | what happens |
//! |---|---|
//! | `%d`, `%hx`, `%lf`, `%c`, `%p`, … | result `-1` or the number of values so far, or: any value is stored |
//! | `%*d`, `%n`, `%5c`, `%s`, `%[a]`, `%ls`, `%ms`, `%Lf`, `%1$d`, no conversion | the general model |
//!
//! Streams whose ends the program looks at have the general model, too.

use super::format;
use super::function::Builder;
use crate::hir;
use crate::library::row::Effect;
use crate::types::Type;
use program::{Expr, Op, Order, Width};

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of a function that scans a stream; `None` if it needs the general model.
    pub(super) fn scan_call(&mut self, function: &'m hir::Function, args: &'m [hir::Expr]) -> Option<Expr> {
        let name = function.name.as_str();
        let library = self.ctx.library.clone();
        let row = library.look_up(name)?;
        let format_arg = row.effects.iter().find_map(|effect| match effect {
            Effect::Format { arg, scans: true, wide: false } => Some(*arg),
            _ => None,
        })?;
        let plain = name.trim_start_matches('_').trim_start_matches("isoc99_").trim_start_matches("isoc23_");
        if !matches!(plain, "scanf" | "fscanf") || self.declared.library || self.looks_at_streams() {
            return None;
        }
        let conversions = self.plain_conversions(args.get(format_arg - 1)?)?;
        let targets = args.get(format_arg..)?;
        let is_pointer = |arg: &hir::Expr| matches!(self.ctx.module.types.unatomic(arg.ty), Type::Pointer(_));
        if conversions.len() > targets.len() || !targets.iter().all(is_pointer) {
            return None;
        }
        self.note_order(args);
        self.check_unsequenced(args);
        for stream in &args[..format_arg - 1] {
            self.effects(stream);
        }
        let targets: Vec<Expr> = targets.iter().map(|arg| self.word_argument(arg)).collect();
        self.hidden_state(&row);
        self.remark_on_model(name);
        self.remarks(name, &row);
        Some(self.scanned(&conversions, targets))
    }

    /// The sizes of what a literal format stores, if it has only conversions that store one number or character.
    fn plain_conversions(&self, format: &hir::Expr) -> Option<Vec<u64>> {
        let text = self.literal_bytes(format)?;
        if text.iter().any(|byte| b"*$".contains(byte)) {
            return None;
        }
        let conversions = format::parse(&text, true, self.ctx.model.pointer().bytes());
        let size = |conversion: &format::Conversion| match conversion.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => Some(conversion.bytes),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                Some(conversion.bytes).filter(|bytes| *bytes <= 8)
            }
            b'c' if conversion.limit.is_none_or(|n| n == 1) => Some(1),
            _ => None,
        };
        conversions.iter().map(size).collect::<Option<Vec<u64>>>().filter(|sizes| !sizes.is_empty())
    }

    fn scanned(&mut self, sizes: &[u64], targets: Vec<Expr>) -> Expr {
        let result = self.temporary(Width::INT);
        let done = self.new_location();
        for (n_stored, (bytes, target)) in (0..).zip(sizes.iter().zip(targets)) {
            self.unless_input_ends(result, n_stored, done);
            let width = Width::of_bytes(*bytes);
            let value = self.temporary(width);
            self.push(Op::Havoc { var: value });
            self.push(Op::Store { addr: target, value: Expr::Reg(value, width), order: Order::Plain });
        }
        self.push(Op::Set { var: result, value: self.int(sizes.len() as u128) });
        self.join(done);
        Expr::Reg(result, Width::INT)
    }

    /// Goes to `done` with the result of a call that has stored so many values, or goes on.
    fn unless_input_ends(&mut self, result: program::VarId, n_stored: u128, done: program::LocId) {
        let (stops, matches) = (self.new_location(), self.new_location());
        let stop = self.any_truth();
        self.branch(stop, stops, matches);
        self.open(stops);
        let mut value = self.int(n_stored);
        if n_stored == 0 {
            let at_end = self.any_truth();
            let end = Expr::constant(u128::MAX, Width::INT);
            value = Expr::ite(at_end, end, value);
        }
        self.push(Op::Set { var: result, value });
        self.goto(done);
        self.open(matches);
    }

    fn any_truth(&mut self) -> Expr {
        let var = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var });
        Expr::Reg(var, Width::BOOL)
    }
}
