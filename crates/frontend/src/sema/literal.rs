//! Literals: the values that spellings stand for.

use super::Sema;
use crate::ast::At;
use crate::hir::{Expr, ExprKind};
use crate::types::{FloatKind, IntKind, Type};
use base::convert::low8;

/// The units of a string or character literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Narrow,
    Utf16,
    Utf32,
    Wide,
}

impl Encoding {
    fn of(spelling: &str) -> (Self, &str) {
        if let Some(rest) = spelling.strip_prefix("u8") {
            (Encoding::Narrow, rest)
        } else if let Some(rest) = spelling.strip_prefix('L') {
            (Encoding::Wide, rest)
        } else if let Some(rest) = spelling.strip_prefix('u') {
            (Encoding::Utf16, rest)
        } else if let Some(rest) = spelling.strip_prefix('U') {
            (Encoding::Utf32, rest)
        } else {
            (Encoding::Narrow, spelling)
        }
    }

    /// Bytes per unit.
    fn unit(self) -> usize {
        match self {
            Encoding::Narrow => 1,
            Encoding::Utf16 => 2,
            Encoding::Utf32 | Encoding::Wide => 4,
        }
    }
}

/// One element of a literal: a character of the source, or a unit given by an escape.
enum Element {
    Char(char),
    Unit(u32),
}

/// The elements between the quotes of a literal without prefix.
fn elements(quoted: &str) -> Vec<Element> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let mut chars = inner.chars().peekable();
    let mut found = Vec::with_capacity(inner.len());
    while let Some(c) = chars.next() {
        found.push(if c == '\\' { escape(&mut chars) } else { Element::Char(c) });
    }
    found
}

fn escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Element {
    let Some(c) = chars.next() else { return Element::Char('\\') };
    let simple = match c {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        '0'..='7' => {
            let first = c.to_digit(8).unwrap_or(0);
            return Element::Unit(digits(chars, 8, 2, first));
        }
        'x' => return Element::Unit(digits(chars, 16, usize::MAX, 0)),
        'u' | 'U' => {
            let code = digits(chars, 16, if c == 'u' { 4 } else { 8 }, 0);
            return Element::Char(char::from_u32(code).unwrap_or('\u{fffd}'));
        }
        _ => return Element::Char(c),
    };
    Element::Unit(simple)
}

fn digits(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, radix: u32, most: usize, first: u32) -> u32 {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        chars.next();
    }
    value
}

/// The bytes of adjacent string literals, without the terminating zero.
pub(super) fn string_bytes(literals: &[&str]) -> (Encoding, Vec<u8>) {
    let mut encoding = Encoding::Narrow;
    for literal in literals {
        let (own, _) = Encoding::of(literal);
        if own != Encoding::Narrow {
            encoding = own;
        }
    }
    let mut bytes = Vec::new();
    for literal in literals {
        for element in elements(Encoding::of(literal).1) {
            append(&mut bytes, encoding, element);
        }
    }
    (encoding, bytes)
}

fn append(bytes: &mut Vec<u8>, encoding: Encoding, element: Element) {
    match (encoding, element) {
        (Encoding::Narrow, Element::Char(c)) => {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes())
        }
        (Encoding::Narrow, Element::Unit(unit)) => bytes.push(low8(unit)),
        (Encoding::Utf16, Element::Char(c)) => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                bytes.extend_from_slice(&unit.to_le_bytes());
            }
        }
        (Encoding::Utf16, Element::Unit(unit)) => bytes.extend_from_slice(&unit.to_le_bytes()[..2]),
        (_, Element::Char(c)) => bytes.extend_from_slice(&u32::from(c).to_le_bytes()),
        (_, Element::Unit(unit)) => bytes.extend_from_slice(&unit.to_le_bytes()),
    }
}

impl<'a> Sema<'a> {
    /// The integer type of a literal's units.
    pub(super) fn unit_kind(&self, encoding: Encoding) -> IntKind {
        match encoding {
            Encoding::Narrow => IntKind::Char,
            Encoding::Utf16 => IntKind::UShort,
            Encoding::Utf32 => IntKind::UInt,
            Encoding::Wide if self.is_ilp32() => IntKind::Long,
            Encoding::Wide => IntKind::Int,
        }
    }

    /// A string literal as an lvalue of array type.
    pub(super) fn string_literal(&mut self, literals: &[&str], at: At) -> Expr {
        let (encoding, mut bytes) = string_bytes(literals);
        bytes.resize(bytes.len() + encoding.unit(), 0);
        let kind = self.unit_kind(encoding);
        self.string_object(bytes, kind, at)
    }

    /// An lvalue for bytes, as an array of units of an integer kind.
    pub(super) fn string_object(&mut self, bytes: Vec<u8>, kind: IntKind, at: At) -> Expr {
        let unit = self.int_type(kind);
        let count = bytes.len() as u64 / self.types.int_bytes(kind);
        let ty = self.types.intern(Type::Array(unit, Some(count)));
        let id = self.string_id(bytes);
        Expr { ty, span: self.span(at), kind: ExprKind::Str(id) }
    }

    /// A character constant; several characters make an `int` as in gcc.
    pub(super) fn char_literal(&mut self, spelling: &str, at: At) -> Expr {
        let (encoding, quoted) = Encoding::of(spelling);
        let mut bytes = Vec::new();
        for element in elements(quoted) {
            append(&mut bytes, encoding, element);
        }
        let span = self.span(at);
        if encoding == Encoding::Narrow {
            let value = match bytes[..] {
                [one] => i32::from(one.cast_signed()),
                _ => bytes.iter().fold(0i32, |value, &byte| (value << 8) | i32::from(byte)),
            };
            return Expr { ty: self.basic.int, span, kind: ExprKind::Int(u128::from(value.cast_unsigned())) };
        }
        let mut value = 0u128;
        for (n, byte) in bytes.iter().take(encoding.unit()).enumerate() {
            value |= u128::from(*byte) << (8 * n);
        }
        let kind = self.unit_kind(encoding);
        Expr { ty: self.int_type(kind), span, kind: ExprKind::Int(value) }
    }

    /// A number.
    pub(super) fn number(&mut self, spelling: &str, at: At) -> Expr {
        let is_hex = spelling.starts_with("0x") || spelling.starts_with("0X");
        let is_float = if is_hex {
            spelling.contains(['.', 'p', 'P'])
        } else {
            spelling.contains(['.', 'e', 'E']) && !spelling.starts_with("0b") && !spelling.starts_with("0B")
        };
        let parsed = if is_float { self.float(spelling) } else { self.integer(spelling) };
        let span = self.span(at);
        match parsed {
            Some((ty, kind)) => Expr { ty: self.types.intern(ty), span, kind },
            None if spelling.contains(['i', 'j', 'I', 'J']) => self.imaginary(spelling, at),
            None if spelling.ends_with("f16") || spelling.ends_with("F16") => {
                let half = self.types.intern(Type::Opaque { what: "half precision", size: 2, align: 2 });
                self.unsupported(half, span, "a value of half precision")
            }
            None => self.wrong(at, format!("'{spelling}' is no number")),
        }
    }

    fn integer(&self, spelling: &str) -> Option<(Type, ExprKind)> {
        let (radix, rest) = match spelling.as_bytes() {
            [b'0', b'x' | b'X', ..] => (16, &spelling[2..]),
            [b'0', b'b' | b'B', ..] => (2, &spelling[2..]),
            [b'0', ..] => (8, spelling),
            _ => (10, spelling),
        };
        let end = rest.find(|c: char| c != '\'' && !c.is_digit(radix)).unwrap_or(rest.len());
        let (digits, suffix) = rest.split_at(end);
        let mut value = 0u128;
        for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
            value = value.checked_mul(u128::from(radix))?.checked_add(u128::from(digit))?;
        }
        let suffix = suffix.to_ascii_lowercase();
        let is_unsigned = suffix.contains('u');
        let longs = match suffix.replace('u', "").as_str() {
            "" => 0,
            "l" => 1,
            "ll" => 2,
            _ => return None,
        };
        let kind = self.integer_kind(value, longs, is_unsigned, radix == 10)?;
        Some((Type::Int(kind), ExprKind::Int(value)))
    }

    /// The first type of C's list that holds the value.
    fn integer_kind(&self, value: u128, longs: usize, is_unsigned: bool, decimal: bool) -> Option<IntKind> {
        use IntKind::*;
        let list = [(Int, UInt), (Long, ULong), (LongLong, ULongLong), (Int128, UInt128)];
        let fits = |kind: IntKind| {
            let bits = self.types.int_bits(kind) - u32::from(kind.is_signed());
            bits >= 128 || value >> bits == 0
        };
        list[longs..].iter().find_map(|&(signed, unsigned)| {
            if !is_unsigned && fits(signed) {
                Some(signed)
            } else if (is_unsigned || !decimal) && fits(unsigned) {
                Some(unsigned)
            } else {
                None
            }
        })
    }

    fn float(&self, spelling: &str) -> Option<(Type, ExprKind)> {
        let lower = spelling.to_ascii_lowercase();
        // GNU's `f64`, `f128`, … suffixes, then the standard ones. In hexadecimal, digits end at the exponent.
        let suffixes: [(&str, FloatKind); 10] = [
            ("f128", FloatKind::Quad),
            ("f64x", FloatKind::LongDouble),
            ("f32x", FloatKind::Double),
            ("f64", FloatKind::Double),
            ("f32", FloatKind::Float),
            ("q", FloatKind::Quad),
            ("w", FloatKind::LongDouble),
            ("l", FloatKind::LongDouble),
            ("f", FloatKind::Float),
            ("", FloatKind::Double),
        ];
        let (digits, kind) = suffixes
            .iter()
            .find_map(|(suffix, kind)| lower.strip_suffix(suffix).map(|digits| (digits, *kind)))?;
        let bits = program::float::parse(&digits.replace('\'', ""), kind.width())?;
        Some((Type::Float(kind), ExprKind::Float(bits)))
    }
}
