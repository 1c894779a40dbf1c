//! Types as they are declared: specifiers, declarators and attributes.
//!
//! A declarator is read from the outside in: [`Sema::declarator`] applies its derivations to the specified type from the last
//! to the first. A size that is no constant makes a variable-length array (module `variable`).

use super::scope::Symbol;
use super::{NO_ID, Sema};
use crate::ast::{
    At, Attribute, Declaration, Declarator, Derivation, Expr, ExprKind, FunctionDef, Params, Quals,
    Specifiers, TypeName, TypeSpec,
};
use crate::hir::LocalId;
use crate::types::{Composite, FloatKind, IntKind, Qualifiers, Ty, Type};
use base::Idx;

/// The alignment that `__attribute__((aligned))` without a number asks for.
const BIGGEST_ALIGNMENT: u64 = 16;

/// What a declaration says about a name.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) ty: Ty,
    /// The alignment asked for by attributes of the declaration, or 0: a member or variable has at least that.
    pub(super) align: u64,
    /// The alignment that the name of the type brings with it, or 0: it replaces the type's own.
    pub(super) type_align: u64,
    /// True if it is an array whose size is no constant.
    pub(super) has_variable_size: bool,
}

impl Declared {
    /// The alignment that an object has beyond that of its type, or 0.
    pub(super) fn object_align(&self) -> u64 {
        self.align.max(self.type_align)
    }
}

/// What attributes change about a type.
#[derive(Default)]
pub(super) struct TypeAttributes {
    /// The greatest alignment asked for, which counts for objects and members.
    pub(super) align: u64,
    /// The alignment asked for last, which counts for records.
    pub(super) last_align: u64,
    pub(super) packed: bool,
    /// Scalars are stored with their most significant byte first.
    pub(super) big_endian: bool,
}

impl<'a> Sema<'a> {
    /// The type that specifiers name. `alone`: without declarators, so that `struct S;` declares a new `S`.
    pub(super) fn specifiers(&mut self, specifiers: &'a Specifiers<'a>, alone: bool, at: At) -> Declared {
        let (mut ty, type_align) = match &specifiers.ty {
            None | Some(TypeSpec::Auto) => (self.basic.int, 0),
            Some(TypeSpec::Basic(words)) => (self.basic_type(words, at), 0),
            Some(TypeSpec::Typedef(name)) => self.typedef(name, at),
            Some(TypeSpec::Record { is_union, tag, fields, attributes, pack }) => {
                let id = self.record(*is_union, *tag, fields.is_some(), alone, at);
                if let Some(fields) = fields {
                    self.complete_record(id, fields, attributes, *pack, at);
                }
                (self.types.intern(Type::Record(id)), 0)
            }
            Some(TypeSpec::Enum { tag, items, attributes }) => {
                (self.enumeration(*tag, items.as_deref(), attributes, at), 0)
            }
            Some(TypeSpec::TypeofExpr(operand)) => {
                let ty = self.unevaluated(|sema| sema.expr(operand)).ty;
                (self.object_type(ty), 0)
            }
            Some(TypeSpec::TypeofType(name)) => {
                let named = self.type_name_with_sizes(name);
                (named.ty, named.type_align)
            }
            Some(TypeSpec::Atomic(name)) => {
                let inner = self.type_name_with_sizes(name).ty;
                (self.atomic(inner), 0)
            }
        };
        let asked = self.apply_attributes(&specifiers.attributes, &mut ty);
        ty = self.qualified(ty, specifiers.quals);
        Declared { ty, align: asked.align, type_align, has_variable_size: false }
    }

    fn atomic(&mut self, ty: Ty) -> Ty {
        match self.types.get(ty) {
            Type::Atomic(_) | Type::Array(..) | Type::Vla(..) | Type::Function { .. } | Type::Void => ty,
            _ => self.types.intern(Type::Atomic(ty)),
        }
    }

    fn typedef(&mut self, name: &'a str, at: At) -> (Ty, u64) {
        match (self.scopes[self.unit].names.get(name), name) {
            (Some(Symbol::Typedef { ty, align }), _) => (ty, align),
            (_, "__int128_t") => (self.int_type(IntKind::Int128), 0),
            (_, "__uint128_t") => (self.int_type(IntKind::UInt128), 0),
            // A keyword since C23; older programs may give the name a meaning of their own.
            (None, "bool") => (self.basic.bool, 0),
            // CBMC knows these without a declaration.
            (None, "__CPROVER_bool") => (self.basic.bool, 0),
            (None, "__CPROVER_size_t") => (self.basic.size, 0),
            (None, "__CPROVER_ssize_t") => (self.basic.ptrdiff, 0),
            // Some programs call thread functions without any header.
            (None, "pthread_t") => {
                self.warn(at, "'pthread_t' is not declared");
                (self.int_type(IntKind::ULong), 0)
            }
            _ => {
                self.error(at, format!("unknown type name '{name}'"));
                (self.basic.int, 0)
            }
        }
    }

    fn basic_type(&mut self, words: &[&str], at: At) -> Ty {
        let has = |word: &str| words.iter().any(|w| w.trim_matches('_') == word);
        let unsigned = has("unsigned");
        let longs = words.iter().filter(|w| **w == "long").count();
        let pick = |signed, other| Type::Int(if unsigned { other } else { signed });
        let ty = if has("Complex") || has("complex") {
            let parts: Vec<&str> =
                words.iter().copied().filter(|word| !word.to_lowercase().contains("complex")).collect();
            // A lone `_Complex` is one of doubles, as in gcc.
            let part = if parts.is_empty() { self.basic.double } else { self.basic_type(&parts, at) };
            return self.types.composite(Composite::Complex(part)).unwrap_or(part);
        } else if has("void") {
            Type::Void
        } else if has("Bool") || has("bool") {
            Type::Bool
        } else if has("char") {
            match (unsigned, has("signed")) {
                (true, _) => Type::Int(IntKind::UChar),
                (_, true) => Type::Int(IntKind::SChar),
                _ => Type::Int(IntKind::Char),
            }
        } else if has("Float16") || has("bf16") {
            Type::Opaque { what: "half precision", size: 2, align: 2 }
        } else if has("float") || has("Float32") {
            Type::Float(FloatKind::Float)
        } else if has("double") || has("Float64") || has("Float32x") {
            Type::Float(if longs > 0 { FloatKind::LongDouble } else { FloatKind::Double })
        } else if has("float128") || has("Float128") {
            Type::Float(FloatKind::Quad)
        } else if has("float80") || has("Float64x") {
            Type::Float(FloatKind::LongDouble)
        } else if has("int128") || has("int128_t") {
            pick(IntKind::Int128, IntKind::UInt128)
        } else if has("uint128_t") {
            Type::Int(IntKind::UInt128)
        } else if has("short") {
            pick(IntKind::Short, IntKind::UShort)
        } else if longs > 1 {
            pick(IntKind::LongLong, IntKind::ULongLong)
        } else if longs == 1 {
            pick(IntKind::Long, IntKind::ULong)
        } else if has("int") || has("signed") || unsigned || words.is_empty() {
            pick(IntKind::Int, IntKind::UInt)
        } else {
            self.warn(at, format!("the type '{}' has no model", words.join(" ")));
            let size = if has("Decimal32") {
                4
            } else if has("Decimal64") {
                8
            } else {
                16
            };
            Type::Opaque { what: "a decimal floating type", size, align: size }
        };
        self.types.intern(ty)
    }

    /// The type of a type name that is not evaluated.
    pub(super) fn type_name(&mut self, name: &'a TypeName<'a>) -> Declared {
        self.evaluated_type_name(name).0
    }

    /// The type of a type name; the sizes of its variable-length arrays are still to be evaluated.
    pub(super) fn type_name_with_sizes(&mut self, name: &'a TypeName<'a>) -> Declared {
        let base = self.specifiers(&name.specifiers, false, name.declarator.at);
        self.declarator(&base, &name.declarator)
    }

    /// The type of a declared name.
    pub(super) fn declarator(&mut self, base: &Declared, declarator: &'a Declarator<'a>) -> Declared {
        let mut ty = base.ty;
        let mut has_variable_size = false;
        for (n, derivation) in declarator.derivations.iter().enumerate().rev() {
            ty = match derivation {
                Derivation::Pointer(quals) => {
                    let pointer = self.pointer_to(ty);
                    self.qualified(pointer, *quals)
                }
                Derivation::Array(None) => self.types.intern(Type::Array(ty, None)),
                Derivation::Array(Some(size)) => {
                    let array = self.array_type(ty, size);
                    has_variable_size = n == 0 && self.types.size_of(array).is_none();
                    array
                }
                Derivation::Function(params) => self.function_type(ty, params),
            };
        }
        let asked = self.apply_attributes(&declarator.attributes, &mut ty);
        // The elements of an array are aligned like their type, and so is the array.
        let is_array = declarator.derivations.iter().all(|d| matches!(d, Derivation::Array(_)));
        let type_align = if is_array { base.type_align } else { 0 };
        Declared { ty, align: base.align.max(asked.align), type_align, has_variable_size }
    }

    fn qualified(&mut self, ty: Ty, quals: Quals) -> Ty {
        let ty = if quals.is_atomic { self.atomic(ty) } else { ty };
        let Quals { is_const, is_volatile, is_restrict, .. } = quals;
        self.types.qualify(ty, Qualifiers { is_const, is_volatile, is_restrict })
    }

    fn array_type(&mut self, element: Ty, size: &'a Expr<'a>) -> Ty {
        if let Some(count) = self.quietly_constant(size) {
            let count = match u64::try_from(count) {
                Ok(count) => count,
                Err(_) => {
                    self.error(size.at, "the size of an array should not be negative");
                    0
                }
            };
            if matches!(self.types.get(element), Type::Vla(..)) {
                let count = self.int_constant(i128::from(count), self.basic.size, size.at);
                return self.variable_array(element, count, size.at);
            }
            let bytes = self.types.size_of(element).unwrap_or(1).checked_mul(count);
            let most = if self.is_ilp32() { i32::MAX as u64 } else { i64::MAX as u64 };
            if bytes.is_none_or(|bytes| bytes > most) {
                self.error(size.at, "an array is larger than memory");
                return self.types.intern(Type::Array(element, Some(1)));
            }
            return self.types.intern(Type::Array(element, Some(count)));
        }
        if self.body.is_none() || self.unevaluated > 0 {
            // Typed all the same, so that mistakes in it are reported.
            self.unevaluated(|sema| sema.value(size));
            return self.types.intern(Type::Array(element, None));
        }
        let count = self.value(size);
        let count = self.convert(count, self.basic.size);
        self.variable_array(element, count, size.at)
    }

    fn function_type(&mut self, ret: Ty, params: &'a Params<'a>) -> Ty {
        self.scopes[self.unit].names.push();
        let mut types = Vec::with_capacity(params.params.len());
        for param in &params.params {
            let ty = self.parameter_type(param);
            types.push(self.types.unqualified(ty));
            if let Some(name) = param.declarators.first().and_then(|one| one.declarator.name) {
                let local = LocalId::new(NO_ID as usize);
                self.scopes[self.unit].names.insert(name, Symbol::Local { local, ty });
            }
        }
        self.scopes[self.unit].names.pop();
        self.types.intern(Type::Function {
            ret: self.types.unqualified(ret),
            params: types,
            variadic: params.variadic,
            prototype: params.prototype,
        })
    }

    /// The adjusted type of a parameter.
    pub(super) fn parameter_type(&mut self, param: &'a Declaration<'a>) -> Ty {
        let base = self.specifiers(&param.specifiers, false, param.at);
        let declared = match param.declarators.first() {
            Some(one) => self.unevaluated(|sema| sema.declarator(&base, &one.declarator)),
            None => base,
        };
        self.adjusted(declared.ty)
    }

    /// The type of a parameter that is declared with type `ty`: arrays and functions become pointers.
    pub(super) fn adjusted(&mut self, ty: Ty) -> Ty {
        match *self.types.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => self.pointer_to(element),
            Type::Function { .. } => self.pointer_to(ty),
            _ => ty,
        }
    }

    /// The names of an old-style definition's parameters.
    pub(super) fn parameter_names(&self, definition: &'a FunctionDef<'a>) -> &'a [&'a str] {
        match definition.declarator.derivations.first() {
            Some(Derivation::Function(params)) => &params.names,
            _ => &[],
        }
    }

    /// The type of an old-style definition: no prototype, but the parameters' types are known.
    pub(super) fn old_style_type(&mut self, definition: &'a FunctionDef<'a>, ty: Ty) -> Ty {
        let Type::Function { ret, .. } = *self.types.get(ty) else { return ty };
        let names = self.parameter_names(definition);
        let mut params = vec![self.basic.int; names.len()];
        for declaration in &definition.knr {
            let base = self.specifiers(&declaration.specifiers, false, declaration.at);
            for one in &declaration.declarators {
                let declared = self.declarator(&base, &one.declarator).ty;
                let adjusted = self.adjusted(declared);
                if let Some(n) = names.iter().position(|name| Some(*name) == one.declarator.name) {
                    params[n] = adjusted;
                }
            }
        }
        self.types.intern(Type::Function { ret, params, variadic: false, prototype: false })
    }

    /// Applies attributes to a type, and collects those that concern a declaration.
    pub(super) fn apply_attributes(
        &mut self,
        attributes: &'a [Attribute<'a>],
        ty: &mut Ty,
    ) -> TypeAttributes {
        let mut asked = TypeAttributes::default();
        for attribute in attributes {
            match attribute.name {
                "packed" => asked.packed = true,
                "aligned" | "alignas" => {
                    asked.last_align = self.asked_alignment(attribute);
                    asked.align = asked.align.max(asked.last_align);
                }
                "mode" => {
                    if let Some(ExprKind::Ident(mode)) = attribute.args.first().map(|arg| &arg.kind) {
                        *ty = self.with_mode(*ty, mode, attribute.at);
                    }
                }
                "scalar_storage_order" => {
                    let order = attribute.args.first().map(|arg| &arg.kind);
                    asked.big_endian =
                        !matches!(order, Some(ExprKind::Str(text)) if text[..] == ["\"little-endian\""]);
                }
                "vector_size" => {
                    let size = attribute.args.first().and_then(|arg| self.quietly_constant(arg));
                    let size = size.and_then(|size| u64::try_from(size).ok()).unwrap_or(16);
                    *ty = self.vector_of(*ty, size);
                }
                "ext_vector_type" | "neon_vector_type" => {
                    let count = attribute.args.first().and_then(|arg| self.quietly_constant(arg));
                    let count = count.and_then(|count| u64::try_from(count).ok()).unwrap_or(1);
                    let element = self.types.size_of(*ty).unwrap_or(1);
                    let size = count.saturating_mul(element).max(1).next_power_of_two();
                    *ty = self.types.intern(Type::Opaque {
                        what: "a vector of another compiler",
                        size,
                        align: size,
                    });
                }
                _ => {}
            }
        }
        asked
    }

    fn asked_alignment(&mut self, attribute: &'a Attribute<'a>) -> u64 {
        if let Some(name) = &attribute.type_arg {
            let declared = self.type_name(name);
            let natural = self.types.size_align(declared.ty).map_or(0, |(_, align)| align);
            return if declared.type_align > 0 { declared.type_align } else { natural };
        }
        match attribute.args.first() {
            None => BIGGEST_ALIGNMENT,
            Some(arg) => {
                let align =
                    self.quietly_constant(arg).and_then(|align| u64::try_from(align).ok()).unwrap_or(0);
                if align.is_power_of_two() { align } else { 0 }
            }
        }
    }

    /// A type of the machine mode `mode` with the signedness of `ty`.
    fn with_mode(&mut self, ty: Ty, mode: &str, at: At) -> Ty {
        use IntKind::*;
        let word = if self.is_ilp32() { (Int, UInt) } else { (Long, ULong) };
        let double_word = if self.is_ilp32() { (LongLong, ULongLong) } else { (Long, ULong) };
        let (signed, unsigned) = match mode.trim_matches('_') {
            "QI" | "byte" => (SChar, UChar),
            "HI" => (Short, UShort),
            "SI" => (Int, UInt),
            "DI" => double_word,
            "TI" => (Int128, UInt128),
            "word" | "pointer" | "unwind_word" => word,
            "SF" => return self.types.intern(Type::Float(FloatKind::Float)),
            "DF" => return self.types.intern(Type::Float(FloatKind::Double)),
            "XF" => return self.types.intern(Type::Float(FloatKind::LongDouble)),
            "TF" => return self.types.intern(Type::Float(FloatKind::Quad)),
            "SC" => return self.complex_of(FloatKind::Float),
            "DC" => return self.complex_of(FloatKind::Double),
            "XC" => return self.complex_of(FloatKind::LongDouble),
            "TC" => return self.complex_of(FloatKind::Quad),
            _ => {
                self.error(at, format!("the mode '{mode}' has no model"));
                return ty;
            }
        };
        let is_signed = self.is_signed(ty);
        self.int_type(if is_signed { signed } else { unsigned })
    }
}
