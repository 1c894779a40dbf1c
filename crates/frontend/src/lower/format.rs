//! `printf` and `scanf` formats: which arguments are read or written, and how much of them.
//!
//! Only a literal tells. `%s` reads a string up to its precision, `%n` writes a number; everything else that `printf` is given is a
//! value. `scanf` writes a scalar, or a string of the width that the conversion has; without a width nothing bounds it, and there is
//! no model. Where the format is no literal, or the arguments are a `va_list`, the verdict says what it assumes.

use super::function::Builder;
use super::scalar::Class;
use super::summary::Call;
use crate::hir;
use crate::library::row::Effect;
use crate::types::{Ty, Type};
use program::{Expr, Op, Order, UndefinedKind, Width};

/// One conversion that takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    /// The letter, `*` for a width or precision that is an argument, `[` for a set of characters.
    pub(super) letter: u8,
    /// The size of the scalar that `%n` or `scanf` writes, by the length modifier; 0 for a pointer's.
    pub(super) bytes: u64,
    /// The precision of `%s` (for `scanf`: the width), if given as a number. For `%n` of `printf`: how many characters come before, if
    /// that is known.
    pub(super) limit: Option<u64>,
    /// True if the precision is the argument before.
    pub(super) limit_before: bool,
}

impl<'m> Builder<'_, 'm> {
    /// The effects of a format and what follows it.
    pub(super) fn formatted(&mut self, call: &Call<'m>, arg: usize, scans: bool, wide: bool) {
        let Some(format) = call.args.get(arg - 1) else { return };
        // Arguments by position (`%1$s`) are rare.
        let text =
            if wide { self.wide_literal(format).filter(|_| !scans) } else { self.literal_bytes(format) };
        let text = text.filter(|text| !text.contains(&b'$'));
        let first = Self::first_converted(call, arg);
        match text {
            _ if first.is_none() => self.unknown_format(call, scans, "takes its arguments from a list"),
            None if wide => self.unknown_format(call, scans, "has a format of wide characters"),
            None if !scans && self.literal_bytes(format).is_none() => {
                self.read_text(call.values[arg - 1].clone(), Width::BYTE, None);
                self.unknown_format(call, scans, "has a format that is no literal");
            }
            None => self.unknown_format(call, scans, "has a format that is no plain literal"),
            Some(text) => {
                let conversions = parse(&text, scans, self.ctx.model.pointer().bytes());
                self.conversions(call, first.unwrap_or(arg), &conversions, scans);
            }
        }
    }

    /// The number of the first converted argument, counted from 0; `None` if the arguments are a list.
    fn first_converted(call: &Call<'m>, arg: usize) -> Option<usize> {
        (!takes_list(call.name)).then_some(arg)
    }

    fn unknown_format(&mut self, call: &Call<'m>, scans: bool, why: &str) {
        if scans {
            self.opaque(format!("call of `{}`, which {why}", call.name), &call.values);
            return;
        }
        let text = format!(
            "`{}`, which {why}, converts no `%n`, and the strings that it reads are not written meanwhile",
            call.name
        );
        self.ctx.assume(self.span, text);
    }

    fn conversions(&mut self, call: &Call<'m>, first: usize, conversions: &[Conversion], scans: bool) {
        self.check_conversions(call.name, call.args.get(first..).unwrap_or_default(), conversions, scans);
        for (n, conversion) in conversions.iter().enumerate() {
            let at = first + n;
            let Some(value) = call.values.get(at).cloned() else { return };
            let is_pointer = self.is_address(call.args[at].ty);
            match conversion.letter {
                b's' if !is_pointer && !scans && self.class(call.args[at].ty) != Class::Float => {
                    self.read_text(value, Width::BYTE, None);
                }
                _ if !is_pointer => {}
                b'n' => match conversion.limit.filter(|_| !scans) {
                    Some(printed) => {
                        let value_of = Expr::constant(printed.into(), Width::of_bytes(conversion.bytes));
                        self.push(Op::Store { addr: value, value: value_of, order: Order::Plain });
                    }
                    None => self.any_scalar(value, conversion.bytes),
                },
                b's' if !scans => self.printed_text(call, at, *conversion, Width::BYTE),
                b'S' if !scans => self.printed_text(call, at, *conversion, Width(32)),
                b's' | b'[' => self.scanned_text(call, value, conversion.limit, 1),
                b'c' if scans => {
                    let len = self.word(conversion.limit.unwrap_or(1));
                    self.havoc_bytes(value, len);
                }
                b'S' | b'C' if scans => {
                    self.unmodelled(call, "with wide characters or strings that it allocates");
                }
                _ if scans => self.any_scalar(value, conversion.bytes),
                _ => {}
            }
        }
    }

    /// A text is read, up to its end or the precision.
    fn printed_text(&mut self, call: &Call<'m>, at: usize, conversion: Conversion, width: Width) {
        if self.literal_bytes(&call.args[at]).is_some() {
            return;
        }
        let limit = match conversion.limit {
            Some(limit) => Some(self.word(limit)),
            None if conversion.limit_before => at.checked_sub(1).and_then(|n| call.values.get(n).cloned()),
            None => None,
        };
        self.read_given_text(call, at, width, limit);
    }

    /// Checks the arguments of a call that has a model, if its format is a literal.
    pub(super) fn check_format(&mut self, name: &str, args: &'m [hir::Expr]) {
        let library = self.ctx.library.clone();
        let Some(row) = library.look_up(name).filter(|_| self.ctx.checks.undefined) else { return };
        for effect in &row.effects {
            let Effect::Format { arg, scans, wide: false } = *effect else { continue };
            let text = args.get(arg - 1).and_then(|format| self.literal_bytes(format));
            if let Some(text) = text.filter(|text| !text.contains(&b'$') && !takes_list(name)) {
                let conversions = parse(&text, scans, self.ctx.model.pointer().bytes());
                self.check_conversions(name, args.get(arg..).unwrap_or_default(), &conversions, scans);
            }
        }
    }

    /// C leaves undefined what a format does with arguments that do not suit it.
    fn check_conversions(
        &mut self,
        name: &str,
        args: &'m [hir::Expr],
        conversions: &[Conversion],
        scans: bool,
    ) {
        if !self.ctx.checks.undefined {
            return;
        }
        let suits =
            args.iter().zip(conversions).all(|(arg, &conversion)| self.suits(conversion, arg.ty, scans));
        if args.len() < conversions.len() {
            let what = format!("`{name}` has fewer arguments than its format converts");
            self.undefined_unless(Expr::truth(false), UndefinedKind::Other, &what);
        } else if !suits {
            let what = format!("an argument of `{name}` does not suit its format");
            self.undefined_unless(Expr::truth(false), UndefinedKind::Other, &what);
        }
    }

    fn is_address(&self, ty: Ty) -> bool {
        matches!(self.ctx.module.types.unatomic(ty), Type::Pointer(_))
    }

    /// Returns true if an argument is what a conversion takes. Signedness does not count, nor what a pointer leads to, nor which of two integer types of one
    /// size it is: no implementation tells them apart.
    fn suits(&self, conversion: Conversion, ty: Ty, scans: bool) -> bool {
        let (is_pointer, width) = (self.is_address(ty), self.ctx.width(ty));
        let is_float = !is_pointer && width.is_some() && self.class(ty) == Class::Float;
        let bytes = u64::from(width.map_or(0, |w| w.bits().div_ceil(8)));
        match conversion.letter {
            b's' | b'S' | b'p' | b'n' | b'[' => is_pointer,
            _ if scans => is_pointer,
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                is_float && (conversion.bytes == 16) == (bytes > 8)
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                !is_pointer && !is_float && conversion.bytes.max(4) == bytes
            }
            b'c' | b'*' => !is_pointer && !is_float && bytes == 4,
            _ => true,
        }
    }

    fn scanned_text(&mut self, call: &Call<'m>, addr: Expr, limit: Option<u64>, zero: u64) {
        match limit {
            Some(limit) => {
                let len = self.word(limit + zero);
                self.havoc_bytes(addr.clone(), len);
                let end = self.offset(addr, limit);
                self.push(Op::Store {
                    addr: end,
                    value: Expr::constant(0, Width::BYTE),
                    order: Order::Plain,
                });
            }
            None => self.unmodelled(call, "with a string of any length"),
        }
    }

    fn any_scalar(&mut self, addr: Expr, bytes: u64) {
        let len = self.word(bytes);
        self.havoc_bytes(addr, len);
    }
}

/// Returns true if the converted arguments of a function are a `va_list`.
pub(super) fn takes_list(name: &str) -> bool {
    let plain = name.trim_start_matches("__builtin_").trim_start_matches('_');
    let base = plain.trim_start_matches("isoc99_").trim_start_matches("isoc23_");
    base.starts_with('v') || base.starts_with("obstack_v")
}

/// The conversions of a format that take an argument, in order.
pub(super) fn parse(format: &[u8], scans: bool, word: u64) -> Vec<Conversion> {
    let mut found: Vec<Conversion> = Vec::new();
    let mut rest = format;
    // How many characters are printed before, as long as that is known.
    let mut printed = Some(0);
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        printed = printed.map(|n| n + at as u64);
        rest = &rest[at + 1..];
        if rest.first() == Some(&b'%') {
            printed = printed.map(|n| n + 1);
            rest = &rest[1..];
            continue;
        }
        let before = found.len();
        rest = conversion(rest, scans, word, &mut found);
        match found.get_mut(before..) {
            Some([only]) if only.letter == b'n' && !scans => only.limit = printed,
            _ => printed = None,
        }
    }
    found
}

/// Reads a conversion after its `%`; gives what follows it.
fn conversion<'f>(mut rest: &'f [u8], scans: bool, word: u64, found: &mut Vec<Conversion>) -> &'f [u8] {
    let (mut limit, mut limit_before, mut suppressed, mut precision) = (None, false, false, false);
    let mut number: Option<u64> = None;
    let (mut longs, mut shorts, mut wordy, mut allocates) = (0, 0, false, false);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'*' if scans => suppressed = true,
            b'*' => {
                found.push(Conversion { letter: b'*', bytes: 0, limit: None, limit_before: false });
                limit_before = precision;
            }
            b'.' => (precision, number) = (true, Some(0)),
            b'0'..=b'9' => {
                number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(byte - b'0')))
            }
            b'l' => longs += 1,
            b'q' | b'L' => longs += 2,
            b'h' => shorts += 1,
            b'z' | b't' => wordy = true,
            b'j' => longs = 2,
            b'm' if scans => allocates = true,
            b'-' | b'+' | b' ' | b'#' | b'\'' | b'I' => {}
            letter => {
                if (scans || precision) && number.is_some() && !limit_before {
                    limit = number;
                }
                if letter == b'[' {
                    rest = after_set(rest);
                }
                let bytes = scalar_bytes(letter, longs, shorts, wordy, word);
                let wide = longs > 0 && matches!(letter, b's' | b'c' | b'[');
                let letter = if wide || allocates { b'S' } else { letter };
                if !suppressed && letter != b'm' {
                    found.push(Conversion { letter, bytes, limit, limit_before });
                }
                return rest;
            }
        }
    }
    rest
}

/// What follows the `]` of a set; one directly after the `[` (or `[^`) belongs to the set.
fn after_set(set: &[u8]) -> &[u8] {
    let start = usize::from(set.first() == Some(&b'^'));
    let inside = set.get(start + 1..).unwrap_or_default();
    inside.iter().position(|&b| b == b']').map_or(&[], |at| &inside[at + 1..])
}

fn scalar_bytes(letter: u8, longs: u32, shorts: u32, wordy: bool, word: u64) -> u64 {
    let is_float = matches!(letter, b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G');
    match (longs, shorts) {
        _ if letter == b'p' || wordy => word,
        (0, 0) => 4,
        (1, _) if is_float => 8,
        (2.., _) if is_float => 16,
        (1, _) => word,
        (2.., _) => 8,
        (_, 1) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, scans: bool, expected: &str) {
        let conversions = parse(format.as_bytes(), scans, 8);
        let shown: Vec<String> = conversions
            .iter()
            .map(|c| {
                let limit = c.limit.map_or(String::new(), |n| n.to_string());
                format!("{}{}{limit}{}", c.letter as char, c.bytes, if c.limit_before { "*" } else { "" })
            })
            .collect();
        assert_eq!(shown.join(" "), expected, "{format}");
    }

    #[test]
    fn formats() {
        check("%d %% %5s|%.3s|%-*.*s|%lln", false, "d4 s4 s43 *0 *0 s4* n8");
        check("%d%*d%10s%lf%hhx%5[^]x]%n%zu", true, "d4 s410 f8 x1 [45 n4 u8");
        check("%ls %m", false, "S8");
        check("%ms", true, "S4");
        check("%", false, "");
        check("ab%%c%n%d%n", false, "n44 d4 n4");
    }
}
