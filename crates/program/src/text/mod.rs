//! The textual form of a program: what `threadproof show` prints and what tests are written in.
//!
//! [`print()`] and [`parse()`] are inverse: `parse(&print(p)) == Ok(p)` for every [well-formed](crate::well_formed)
//! program, spans and all. What is written by hand may leave out much more than the printer does:
//!
//! ```
//! let program = program::text::parse("
//!     program lp64
//!     object x: 4 = 0
//!     function main() -> 32 {
//!         reg t, i: 32
//!             i = 0
//!       loop: if i <s 10 then body else done
//!       body: t = [&x]:32                      // no `-> label`: the next one
//!             [&x]:32 = t + 1; i = i + 1 -> loop
//!       done: return 0
//!     }
//! ").unwrap();
//! assert_eq!(program.functions[program.entry].locations.len(), 5);
//! ```
//!
//! # Grammar
//! Quoted words and signs stand for themselves, `[…]` is optional, `…*` repeats, `…,*` repeats with commas. A comment runs
//! from `//` to the end of the line. Everything else may be broken over lines at will.
//!
//! ```text
//! program   = ["program" ("lp64" | "ilp32")] ["strict_decisions"] item*
//! item      = "file" string                                    numbered from 0, in order
//!           | "assumption" string span
//!           | "entry" name                                     default: main, or the first function
//!           | "object" flag* name ":" size ["align" bytes] ["=" init] ["pointers" "{" pointer,* "}"] span
//!           | ["library"] "function" name "(" param,* ")" ["->" width] ["entry" label] ["summary" name] span
//!                 "{" variable* location* "}"
//! flag      = "thread_local" | "read_only" | "arbitrary"
//! init      = number                                           all bytes of the object, which has at most 16
//!           | string                                           these bytes
//!           | "{" number,* "}" ":" width                       words of this width
//! pointer   = offset ":" "&" ["object" | "fn"] name [("+" | "-") number]
//! param     = ["temp"] name ":" width                          declares the variable, too
//!           | name                                             is declared below
//! variable  = ["temp"] "reg" name,* ":" width
//!           | ["temp"] ["read_only"] "memory" name,* ":" size ["align" bytes]
//! location  = [label ":"] action span                          the first is the entry, unless the header says else
//! action    = ["#" kind "(" e ")"] op;* next                   `kind` as in SyncKind: #lock(&m)
//!           | "if" e "then" label ["else" label]               without `else`: the next location
//!           | [name "="] "call" (name | "*" "(" e ")") "(" e,* ")" next
//!           | "return" [e] | "thread_exit" e | "exit"
//!           | "error" property string | "unsupported" string | "undefined" string
//! next      = ["->" label]                                     default: the next location
//! op        = name "=" e | "havoc" name | "forget" name | "end_life" name
//!           | "[" e "]" ":" width ["!" order] "=" e
//!           | "guard" e | "assume" e | "skip"                  `skip` is no operation at all
//!           | "copy" "(" dst, src, len ")" | "fill" "(" dst, byte, len ")"
//!           | name "=" ("alloc" | "alloca" | "library_alloc") "(" size ")" ["align" number]
//!           | name "=" "realloc" "(" e, size, stays ")" | "free" "(" e ")"
//!           | "atomic_begin" | "atomic_end" | "fence" order
//!           | handle "=" "create" "(" function, argument ")"
//!           | result, error "=" "join" "(" e ")" | error "=" "detach" "(" e ")"
//!           | "wait_begin" "(" e ")" | [name "="] "wait_end" ["timed"] | "signal" "(" e ")" | "broadcast" "(" e ")"
//!           | "signed" ("add" | "sub" | "mul" | "div" | "rem" | "shl") "(" e, e span ")"
//! span      = ["@" file ":" line ":" column]                   default: nowhere
//! order     = "rlx" | "acq" | "rel" | "acq_rel" | "sc"         default: plain
//! ```
//!
//! A name is an identifier (letters, digits, `_`, `$` and `.`) or anything at all between back quotes; reserved words
//! are quoted. A string has C's escapes `\n`, `\t`, `\0`, `\\`, `\"`, `\xNN`. Labels are numbered in the order of appearance.
//!
//! # Expressions
//! Operators bind as in C. What is signed ends in `s`, what is unsigned in `u`, what is IEEE in a dot:
//! `* /s /u %s %u *. /.`, `+ - +. -.`, `<< >>s >>u`, `<s <=s <u <=u <. <=.` (and the mirrored `>`), `== != ==. !=.`, `&`, `^`, `|`,
//! `&&`, `||`; before an operand `-`, `-.`, `~`, `!`. On truth values `&&` is the same as `&` (both sides have no
//! effects), `||` the same as `|` and `!` the same as `~`; the printer uses the former.
//!
//! `x` is a register; `&x` the address of what C's scopes make of `x`: a memory variable of the function, else an object, else a
//! function. `&object x` and `&fn x` skip scopes, and the printer uses them only where the plain form means something else.
//! `[e]:32!acq` loads; `zext64(e)` casts to 64 bits; `ite(c, a, b)` chooses; `same_object(a, b)` says whether two addresses are in one object; `self()` is the running thread's handle.
//!
//! # Constants
//! `5:32` has 32 bits, `1.5f64` is a double's 64 bits, `true` and `false` have one. A bare `5` takes the width that
//! its place asks for: that of the other operand (or the other side of `ite`), else that of the register, store, parameter, result or
//! pointer that the whole becomes, else 32 bits. The printer writes a width only where this rule would give another.

mod lex;
mod names;
mod parse;
mod parse_body;
mod parse_expr;
mod print;
mod print_expr;
mod tokens;

pub use print::{print, print_action, print_op};
pub use print_expr::print_expr;

use crate::{BinOp, Cast, Order, Program};
use std::fmt;

/// Why a text is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub col: u32,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.col, self.message)
    }
}

impl std::error::Error for TextError {}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// The program that `text` describes. Names and labels are resolved and constants get their widths; whether the
/// result is sensible in all other respects is for [`crate::well_formed::check`] to say.
pub fn parse(text: &str) -> Result<Program, TextError> {
    parse::Parser::new(text)?.program()
}

/// The width of a bare constant where nothing else is known.
const DEFAULT_WIDTH: crate::Width = crate::Width::INT;

/// How operators are written and how strongly they bind (more is stronger).
const OPERATORS: [(BinOp, &str, u8); 27] = [
    (BinOp::Mul, "*", 10),
    (BinOp::SDiv, "/s", 10),
    (BinOp::UDiv, "/u", 10),
    (BinOp::SRem, "%s", 10),
    (BinOp::URem, "%u", 10),
    (BinOp::FMul, "*.", 10),
    (BinOp::FDiv, "/.", 10),
    (BinOp::Add, "+", 9),
    (BinOp::Sub, "-", 9),
    (BinOp::FAdd, "+.", 9),
    (BinOp::FSub, "-.", 9),
    (BinOp::Shl, "<<", 8),
    (BinOp::AShr, ">>s", 8),
    (BinOp::LShr, ">>u", 8),
    (BinOp::SLt, "<s", 7),
    (BinOp::SLe, "<=s", 7),
    (BinOp::ULt, "<u", 7),
    (BinOp::ULe, "<=u", 7),
    (BinOp::FLt, "<.", 7),
    (BinOp::FLe, "<=.", 7),
    (BinOp::Eq, "==", 6),
    (BinOp::Ne, "!=", 6),
    (BinOp::FEq, "==.", 6),
    (BinOp::FNe, "!=.", 6),
    (BinOp::And, "&", 5),
    (BinOp::Xor, "^", 4),
    (BinOp::Or, "|", 3),
];

/// Other ways to write operators: on truth values, and with the operands swapped.
const SYNONYMS: [(BinOp, &str, u8, bool); 8] = [
    (BinOp::And, "&&", 2, false),
    (BinOp::Or, "||", 1, false),
    (BinOp::SLt, ">s", 7, true),
    (BinOp::SLe, ">=s", 7, true),
    (BinOp::ULt, ">u", 7, true),
    (BinOp::ULe, ">=u", 7, true),
    (BinOp::FLt, ">.", 7, true),
    (BinOp::FLe, ">=.", 7, true),
];

/// How casts are written, before the width.
const CASTS: [(Cast, &str); 8] = [
    (Cast::Zext, "zext"),
    (Cast::Sext, "sext"),
    (Cast::Trunc, "trunc"),
    (Cast::SToF, "stof"),
    (Cast::UToF, "utof"),
    (Cast::FToS, "ftos"),
    (Cast::FToU, "ftou"),
    (Cast::FToF, "ftof"),
];

/// How memory orders are written; plain accesses have no mark.
const ORDERS: [(Order, &str); 6] = [
    (Order::Plain, "plain"),
    (Order::Relaxed, "rlx"),
    (Order::Acquire, "acq"),
    (Order::Release, "rel"),
    (Order::AcqRel, "acq_rel"),
    (Order::SeqCst, "sc"),
];

/// The alignment of an object of so many bytes, unless it says otherwise: that of the widest word that tiles it.
fn default_align(size: u64) -> u64 {
    [8, 4, 2].into_iter().find(|&align| size != 0 && size.is_multiple_of(align)).unwrap_or(1)
}
