//! Functions that the compiler knows without a declaration.
//!
//! Most become ordinary calls of a function of that name without a body; lowering gives them their meaning. Types come from
//! small tables: a signature is a string, the result first, one letter for each type (see [`Sema::letter`]).
//! The atomic builtins are generic: their result type is what their first argument points to, and there is one function for each
//! name and result type.

use super::constant::Constant;
use super::{NO_ID, Sema};
use crate::ast::{self, At};
use crate::hir::{self, Expr, ExprKind, FunctionId};
use crate::types::{FloatKind, IntKind, Ty, Type};
use base::Idx;

/// Library functions that gcc knows: `__builtin_X` is `X`, and an undeclared `X` has this type.
const LIBRARY: &[(&str, &str)] = &[
    ("abort", "v"),
    ("abs", "ii"),
    ("calloc", "pzz"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("exit", "vi"),
    ("_exit", "vi"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("floor", "dd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("fprintf", "ips."),
    ("free", "vp"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isdigit", "ii"),
    ("isspace", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pz"),
    ("memchr", "ppiz"),
    ("memcmp", "ippz"),
    ("memcpy", "pppz"),
    ("memmove", "pppz"),
    ("mempcpy", "pppz"),
    ("memset", "ppiz"),
    ("pow", "ddd"),
    ("printf", "is."),
    ("putchar", "ii"),
    ("puts", "is"),
    ("realloc", "ppz"),
    ("round", "dd"),
    ("scanf", "is."),
    ("snprintf", "iszs."),
    ("sprintf", "iss."),
    ("sqrt", "dd"),
    ("sqrtf", "ff"),
    ("sscanf", "iss."),
    ("stpcpy", "sss"),
    ("strcat", "sss"),
    ("strchr", "ssi"),
    ("strcmp", "iss"),
    ("strcpy", "sss"),
    ("strcspn", "zss"),
    ("strdup", "ss"),
    ("strlen", "zs"),
    ("strncat", "sssz"),
    ("strncmp", "issz"),
    ("strncpy", "sssz"),
    ("strndup", "ssz"),
    ("strnlen", "zsz"),
    ("strpbrk", "sss"),
    ("strrchr", "ssi"),
    ("strspn", "zss"),
    ("strstr", "sss"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("trunc", "dd"),
    ("vprintf", "isp"),
    ("vsnprintf", "iszsp"),
    ("vsprintf", "issp"),
];

/// Builtins proper, without `__builtin_`. `?` takes an argument as it is.
const BUILTINS: &[(&str, &str)] = &[
    ("add_overflow", "b???"),
    ("add_overflow_p", "b???"),
    ("alloca", "pz"),
    ("alloca_with_align", "pzz"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "UU"),
    ("clrsb", "ii"),
    ("clrsbl", "il"),
    ("clrsbll", "iL"),
    ("clz", "iu"),
    ("clzl", "im"),
    ("clzll", "iU"),
    ("ctz", "iu"),
    ("ctzl", "im"),
    ("ctzll", "iU"),
    ("extract_return_addr", "pp"),
    ("finite", "i?"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("fpclassify", "iiiiii?"),
    ("frame_address", "pu"),
    ("isfinite", "i?"),
    ("isgreater", "i??"),
    ("isgreaterequal", "i??"),
    ("isinf", "i?"),
    ("isinf_sign", "i?"),
    ("isinff", "if"),
    ("isless", "i??"),
    ("islessequal", "i??"),
    ("islessgreater", "i??"),
    ("isnan", "i?"),
    ("isnanf", "if"),
    ("isnormal", "i?"),
    ("isunordered", "i??"),
    ("mul_overflow", "b???"),
    ("mul_overflow_p", "b???"),
    ("parity", "iu"),
    ("parityl", "im"),
    ("parityll", "iU"),
    ("popcount", "iu"),
    ("popcountl", "im"),
    ("popcountll", "iU"),
    ("prefetch", "vp."),
    ("return_address", "pu"),
    ("sadd_overflow", "bii?"),
    ("saddl_overflow", "bll?"),
    ("saddll_overflow", "bLL?"),
    ("signbit", "i?"),
    ("signbitf", "if"),
    ("smul_overflow", "bii?"),
    ("smull_overflow", "bll?"),
    ("smulll_overflow", "bLL?"),
    ("ssub_overflow", "bii?"),
    ("ssubl_overflow", "bll?"),
    ("ssubll_overflow", "bLL?"),
    ("sub_overflow", "b???"),
    ("sub_overflow_p", "b???"),
    ("trap", "v"),
    ("uadd_overflow", "buu?"),
    ("uaddl_overflow", "bmm?"),
    ("uaddll_overflow", "bUU?"),
    ("umul_overflow", "buu?"),
    ("umull_overflow", "bmm?"),
    ("umulll_overflow", "bUU?"),
    ("unreachable", "v"),
    ("usub_overflow", "buu?"),
    ("usubl_overflow", "bmm?"),
    ("usubll_overflow", "bUU?"),
];

/// Atomic builtins, without a size suffix: `T` is what the first argument points to, `?` an argument as it is (pointers), `i` a
/// memory order.
const ATOMICS: &[(&str, &str)] = &[
    ("__atomic_load_n", "T?i"),
    ("__atomic_load", "v??i"),
    ("__atomic_store_n", "v?Ti"),
    ("__atomic_store", "v??i"),
    ("__atomic_exchange_n", "T?Ti"),
    ("__atomic_exchange", "v???i"),
    ("__atomic_compare_exchange_n", "b??Tiii"),
    ("__atomic_compare_exchange", "b???iii"),
    ("__atomic_test_and_set", "b?i"),
    ("__atomic_clear", "v?i"),
    ("__atomic_thread_fence", "vi"),
    ("__atomic_signal_fence", "vi"),
    ("__c11_atomic_init", "v?T"),
    ("__c11_atomic_load", "T?i"),
    ("__c11_atomic_store", "v?Ti"),
    ("__c11_atomic_exchange", "T?Ti"),
    ("__c11_atomic_compare_exchange_strong", "b??Tii"),
    ("__c11_atomic_compare_exchange_weak", "b??Tii"),
    ("__c11_atomic_thread_fence", "vi"),
    ("__c11_atomic_signal_fence", "vi"),
    ("__sync_synchronize", "v"),
    ("__sync_bool_compare_and_swap", "b?TT."),
    ("__sync_val_compare_and_swap", "T?TT."),
    ("__sync_lock_test_and_set", "T?T."),
    ("__sync_swap", "T?T."),
    ("__sync_lock_release", "v?."),
];

fn lookup<'s>(table: &[(&str, &'s str)], name: &str) -> Option<&'s str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, signature)| *signature)
}

/// The signature of an atomic builtin, read-modify-write operations included.
fn atomic_signature(name: &str) -> Option<&'static str> {
    let operations = ["add", "sub", "and", "or", "xor", "nand", "min", "max"];
    let is_operation = |text: &str| operations.contains(&text);
    if let Some(signature) = lookup(ATOMICS, name) {
        return Some(signature);
    }
    if let Some(rest) = name.strip_prefix("__atomic_").or_else(|| name.strip_prefix("__c11_atomic_")) {
        let op = rest.strip_prefix("fetch_").or_else(|| rest.strip_suffix("_fetch"))?;
        return is_operation(op).then_some("T?Ti");
    }
    let rest = name.strip_prefix("__sync_")?;
    let op = rest.strip_prefix("fetch_and_").or_else(|| rest.strip_suffix("_and_fetch"))?;
    is_operation(op).then_some("T?T.")
}

/// The generic builtin and the object's size that an atomic builtin with a size in its name (`_1`, `_2`, `_4`, `_8`, `_16`) stands for. With
/// five arguments, as in libatomic, compare-and-exchange is the strong one.
fn sized_atomic(name: &str, n_args: usize) -> Option<(String, u64)> {
    let (generic, size) = name.rsplit_once('_')?;
    let size = size.parse().ok().filter(|size| matches!(size, 1 | 2 | 4 | 8 | 16))?;
    let generic = match generic.strip_prefix("__atomic_") {
        Some("compare_exchange") if n_args == 5 => "__c11_atomic_compare_exchange_strong".to_owned(),
        Some("load" | "store" | "exchange" | "compare_exchange") => format!("{generic}_n"),
        _ => generic.to_owned(),
    };
    Some((generic, size))
}

impl<'a> Sema<'a> {
    /// A call of a builtin, if `name` is one.
    pub(super) fn builtin_call(&mut self, name: &'a str, args: &'a [ast::Expr<'a>], at: At) -> Option<Expr> {
        if let Some(part) = self.complex_builtin(name, args, at) {
            return Some(part);
        }
        if name == "alloca" {
            return Some(self.signature_call("__builtin_alloca", "pz", args, at));
        }
        if let Some(short) = name.strip_prefix("__builtin_") {
            if let Some(folded) = self.folded_builtin(short, args, at) {
                return Some(folded);
            }
            if let Some(signature) = lookup(BUILTINS, short) {
                return Some(self.signature_call(name, signature, args, at));
            }
            return Some(self.library_builtin(name, short, args, at));
        }
        if matches!(name, "__atomic_always_lock_free" | "__atomic_is_lock_free" | "__c11_atomic_is_lock_free")
        {
            return Some(self.lock_free(name, args, at));
        }
        if let Some(signature) = atomic_signature(name) {
            return Some(self.signature_call(name, signature, args, at));
        }
        let (generic, size) = sized_atomic(name, args.len())?;
        let signature = atomic_signature(&generic)?;
        let object = self.unsigned_of(size);
        let args: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        Some(self.typed_signature_call(&generic, signature, args, Some(object), at))
    }

    /// Objects of up to eight bytes are lock-free on every machine that is modelled; larger ones need not be.
    fn lock_free(&mut self, name: &str, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        let size = args.first().and_then(|size| self.quietly_constant(size));
        let (bool, always) = (self.basic.bool, name == "__atomic_always_lock_free");
        match size {
            Some(1 | 2 | 4 | 8) => self.int_constant(1, bool, at),
            Some(16) | None if !always => {
                let args = args.iter().map(|arg| self.value(arg)).collect();
                self.builtin_call_with(name, bool, args, at)
            }
            _ => self.int_constant(0, bool, at),
        }
    }

    fn unsigned_of(&mut self, size: u64) -> Ty {
        self.int_type(match size {
            1 => IntKind::UChar,
            2 => IntKind::UShort,
            4 => IntKind::UInt,
            8 => IntKind::ULongLong,
            _ => IntKind::UInt128,
        })
    }

    /// Builtins that are no calls.
    fn folded_builtin(&mut self, short: &str, args: &'a [ast::Expr<'a>], at: At) -> Option<Expr> {
        match (short, args) {
            ("expect", [value, hint]) | ("expect_with_probability", [value, hint, _]) => {
                let (value, hint) = (self.value(value), self.value(hint));
                let value = self.convert(value, self.basic.long);
                Some(self.after_effects(vec![hint], value))
            }
            ("assume_aligned", [pointer, hints @ ..]) => {
                let pointer = self.value(pointer);
                let hints = hints.iter().map(|hint| self.value(hint)).collect();
                let pointer = self.convert(pointer, self.basic.void_ptr);
                Some(self.after_effects(hints, pointer))
            }
            ("classify_type", [operand]) => {
                let ty = self.unevaluated(|sema| sema.value(operand)).ty;
                let class = match self.types.get(ty) {
                    Type::Int(_) | Type::Bool => 1,
                    Type::Pointer(_) => 5,
                    Type::Float(_) => 8,
                    Type::Record(id) if self.types.record(*id).is_union => 13,
                    Type::Record(_) if self.is_complex(ty) => 9,
                    Type::Record(_) => 12,
                    _ => return None,
                };
                Some(self.int_constant(class, self.basic.int, at))
            }
            ("constant_p", [operand]) => {
                let typed = self.quietly(|sema| sema.value(operand));
                let constant = self.evaluate(&typed);
                let is_constant = match constant {
                    Some(Constant::Address(base, _)) => matches!(base, hir::AddrBase::Str(_)),
                    other => other.is_some(),
                };
                Some(self.int_constant(i128::from(is_constant), self.basic.int, at))
            }
            ("object_size" | "dynamic_object_size", [pointer, kind]) => {
                let pointer = self.unevaluated(|sema| sema.value(pointer));
                let kind = self.quietly_constant(kind).unwrap_or(0);
                Some(self.int_constant(self.object_size(&pointer, kind), self.basic.size, at))
            }
            ("va_start" | "va_end" | "stdarg_start", [list, ..]) => {
                let name = if short == "va_end" { "__builtin_va_end" } else { "__builtin_va_start" };
                let list = self.expr(list);
                let list = self.list_address(list);
                Some(self.void_call(name, vec![list], at))
            }
            ("va_copy", [to, from]) => {
                let (to, from) = (self.expr(to), self.expr(from));
                let (to, from) = (self.list_address(to), self.list_address(from));
                Some(self.void_call("__builtin_va_copy", vec![to, from], at))
            }
            ("shuffle", [_, _] | [_, _, _]) => Some(self.vector_shuffle(args, at)),
            _ => self.special_value(short, args, at),
        }
    }

    /// NaNs, infinities, and what has no value here.
    fn special_value(&mut self, short: &str, args: &'a [ast::Expr<'a>], at: At) -> Option<Expr> {
        match (short, args) {
            ("va_arg_pack" | "va_arg_pack_len", []) => {
                Some(self.unsupported(self.basic.int, self.span(at), "surplus arguments that are passed on"))
            }
            ("assoc_barrier", [operand]) => Some(self.value(operand)),
            ("nan" | "nanf" | "nanl" | "nans" | "nansf" | "nansl", [tag]) => {
                Some(self.nan_builtin(short, tag, at))
            }
            _ => self.float_builtin(short, at),
        }
    }

    /// A NaN that carries the number which a literal says.
    fn nan_builtin(&mut self, short: &str, tag: &'a ast::Expr<'a>, at: At) -> Expr {
        let kind = match short.as_bytes().last() {
            Some(b'f') => FloatKind::Float,
            Some(b'l') => FloatKind::LongDouble,
            _ => FloatKind::Double,
        };
        let (ty, width) = (self.types.intern(Type::Float(kind)), kind.width());
        let Some(payload) = payload(tag) else {
            return self.unsupported(ty, self.span(at), "a NaN that carries something else than a number");
        };
        let quiet = 1u128 << (program::float::fraction_bits(width) - 1);
        let carried = payload & (quiet - 1);
        let nan = program::float::nan(width);
        let bits = match (short.starts_with("nans"), carried) {
            (false, _) => nan | carried,
            (true, 0) => nan & !quiet | quiet >> 1,
            (true, _) => nan & !quiet | carried,
        };
        Expr { ty, span: self.span(at), kind: ExprKind::Float(bits) }
    }

    /// A value, after what was written beside it has had its effects.
    fn after_effects(&mut self, others: Vec<Expr>, value: Expr) -> Expr {
        others.into_iter().rev().fold(value, |value, other| match other.kind {
            ExprKind::Int(_) | ExprKind::Float(_) => value,
            _ => {
                let (ty, span) = (value.ty, value.span);
                Expr { ty, span, kind: ExprKind::Comma(Box::new(other), Box::new(value)) }
            }
        })
    }

    fn float_builtin(&mut self, short: &str, at: At) -> Option<Expr> {
        let value = match short.trim_end_matches(['f', 'l']) {
            "in" | "inf" | "huge_va" | "huge_val" => f64::INFINITY,
            _ => return None,
        };
        let kind = match short {
            "inff" | "huge_valf" => FloatKind::Float,
            "infl" | "huge_vall" => FloatKind::LongDouble,
            _ => FloatKind::Double,
        };
        let ty = self.types.intern(Type::Float(kind));
        Some(Expr {
            ty,
            span: self.span(at),
            kind: ExprKind::Float(program::float::from_f64(value, kind.width())),
        })
    }

    fn void_call(&mut self, name: &str, args: Vec<Expr>, at: At) -> Expr {
        let void = self.basic.void;
        self.builtin_call_with(name, void, args, at)
    }

    /// A call by signature: arguments are converted as it says.
    fn signature_call(&mut self, name: &str, signature: &str, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        let args: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        self.typed_signature_call(name, signature, args, None, at)
    }

    /// The same with typed arguments; `object` is what the first argument points to, if its own type does not say it.
    fn typed_signature_call(
        &mut self,
        name: &str,
        signature: &str,
        mut args: Vec<Expr>,
        object: Option<Ty>,
        at: At,
    ) -> Expr {
        let mut letters = signature.chars();
        let result = letters.next().unwrap_or('v');
        let expected = letters.clone().filter(|letter| *letter != '.').count();
        if args.len() < expected || (args.len() > expected && !signature.ends_with('.')) {
            return self.wrong(at, format!("'{name}' takes {expected} arguments"));
        }
        if let (Some(object), Some(first)) = (object, args.first_mut()) {
            let pointer = self.pointer_to(object);
            let untyped =
                std::mem::replace(first, Expr { ty: object, span: self.span(at), kind: ExprKind::Int(0) });
            *first = self.convert(untyped, pointer);
        }
        let target =
            args.first().and_then(|pointer| self.pointee(pointer.ty)).map(|target| self.unatomic(target));
        if signature.contains('T') && target.is_none_or(|target| self.types.size_of(target).is_none()) {
            return self.wrong(at, format!("the first argument of '{name}' should point to an object"));
        }
        let target = target.unwrap_or(self.basic.int);
        let mut converted = Vec::with_capacity(args.len());
        for arg in args {
            converted.push(match letters.next() {
                Some('?') => arg,
                Some('T') => self.assign_convert(arg, target, at),
                Some('.') | None => self.default_promote(arg),
                Some(letter) => {
                    let param = self.letter(letter);
                    self.assign_convert(arg, param, at)
                }
            });
        }
        let ret = if result == 'T' { target } else { self.letter(result) };
        self.builtin_call_with(name, ret, converted, at)
    }

    pub(super) fn builtin_call_with(&mut self, name: &str, ret: Ty, args: Vec<Expr>, at: At) -> Expr {
        let span = self.span(at);
        let ty =
            self.types.intern(Type::Function { ret, params: Vec::new(), variadic: false, prototype: false });
        let id = self.builtin_id(name, ty, at);
        let callee = Box::new(Expr { ty, span, kind: ExprKind::Function(id) });
        Expr { ty: ret, span, kind: ExprKind::Call { callee, args } }
    }

    fn builtin_id(&mut self, name: &str, ty: Ty, at: At) -> FunctionId {
        if self.unevaluated > 0 {
            return FunctionId::new(NO_ID as usize);
        }
        let key = (name.to_owned(), ty);
        if let Some(&id) = self.builtin_ids.get(&key) {
            return id;
        }
        let id = self.functions.push(hir::Function {
            name: name.to_owned(),
            ty,
            body: None,
            noreturn: matches!(name, "__builtin_trap" | "__builtin_unreachable"),
            library: false,
            span: self.span(at),
        });
        self.builtin_ids.insert(key, id);
        id
    }

    /// `__builtin_X` for a library function `X`; anything else is called by its own name and returns `int`.
    fn library_builtin(&mut self, name: &'a str, short: &'a str, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        let (short, extra) = checked_function(short, args.len()).unwrap_or((short, 0..0));
        let declared = match self.scopes[self.unit].names.get(short) {
            Some(super::scope::Symbol::Function { function, ty, .. }) => Some((function, ty)),
            _ => None,
        };
        let function = declared.or_else(|| {
            let ty = self.library_definition(short).or_else(|| self.library_type(short))?;
            Some((self.external_function(short, ty, at), ty))
        });
        let kept = args.iter().enumerate().filter(|(n, _)| !extra.contains(n));
        let args: Vec<Expr> = kept.map(|(_, arg)| self.value(arg)).collect();
        match function {
            Some((function, ty)) => {
                let id = self.function_id(function);
                let callee = Expr { ty, span: self.span(at), kind: ExprKind::Function(id) };
                self.call_value(callee, args, at)
            }
            None => {
                let int = self.basic.int;
                let args = args.into_iter().map(|arg| self.default_promote(arg)).collect();
                self.builtin_call_with(name, int, args, at)
            }
        }
    }

    /// A builtin's name outside a call.
    pub(super) fn builtin_designator(&mut self, name: &'a str, at: At) -> Option<Expr> {
        let short = name.strip_prefix("__builtin_")?;
        let span = self.span(at);
        if let Some(ty) = self.library_definition(short).or_else(|| self.library_type(short)) {
            let function = self.external_function(short, ty, at);
            let id = self.function_id(function);
            return Some(Expr { ty, span, kind: ExprKind::Function(id) });
        }
        let ret = self.basic.int;
        let ty =
            self.types.intern(Type::Function { ret, params: Vec::new(), variadic: false, prototype: false });
        let id = self.builtin_id(name, ty, at);
        Some(Expr { ty, span, kind: ExprKind::Function(id) })
    }

    /// The type of a library function that gcc knows.
    pub(super) fn library_type(&mut self, name: &str) -> Option<Ty> {
        let signature = lookup(LIBRARY, name)?;
        let variadic = signature.ends_with('.');
        let mut types =
            signature.trim_end_matches('.').chars().map(|letter| self.letter(letter)).collect::<Vec<_>>();
        let ret = types.remove(0);
        Some(self.types.intern(Type::Function { ret, params: types, variadic, prototype: true }))
    }

    /// The type that a letter of a signature stands for.
    fn letter(&mut self, letter: char) -> Ty {
        match letter {
            'v' => self.basic.void,
            'b' => self.basic.bool,
            'h' => self.int_type(IntKind::UShort),
            'u' => self.basic.uint,
            'l' => self.basic.long,
            'm' => self.int_type(IntKind::ULong),
            'L' => self.int_type(IntKind::LongLong),
            'U' => self.int_type(IntKind::ULongLong),
            'z' => self.basic.size,
            'f' => self.types.intern(Type::Float(FloatKind::Float)),
            'd' => self.basic.double,
            'p' => self.basic.void_ptr,
            's' => self.basic.char_ptr,
            _ => self.basic.int,
        }
    }
}

/// The number that a literal says: decimal, octal or hexadecimal; nothing is 0.
fn payload(literal: &ast::Expr<'_>) -> Option<u128> {
    let ast::ExprKind::Str(pieces) = &literal.kind else { return None };
    let (_, bytes) = super::literal::string_bytes(pieces);
    let text = std::str::from_utf8(&bytes).ok()?;
    if text.is_empty() {
        return Some(0);
    }
    let number = match (text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")), text.strip_prefix('0')) {
        (Some(hexadecimal), _) => u64::from_str_radix(hexadecimal, 16),
        (_, Some(octal)) if !octal.is_empty() => u64::from_str_radix(octal, 8),
        _ => text.parse(),
    };
    number.ok().map(u128::from)
}

/// `__builtin___X_chk` is `X` with more arguments, the size of the destination among them: which ones are in excess of `X`'s.
fn checked_function(short: &str, n_args: usize) -> Option<(&str, std::ops::Range<usize>)> {
    let plain = short.strip_prefix("__")?.strip_suffix("_chk")?;
    let extra = match plain {
        "memcpy" | "memmove" | "memset" | "mempcpy" | "strcpy" | "strncpy" | "strcat" | "strncat"
        | "stpcpy" | "stpncpy" => n_args.saturating_sub(1)..n_args,
        "snprintf" | "vsnprintf" => 2..4,
        "sprintf" | "vsprintf" => 1..3,
        "fprintf" | "vfprintf" => 1..2,
        "printf" | "vprintf" => 0..1,
        _ => return None,
    };
    Some((plain, extra))
}
