//! Types as C spells them.

use crate::types::{FloatKind, IntKind, Ty, Type, TypeTable};
use rustc_hash::FxHashMap;

/// The types of a library with their names.
pub(super) struct Speller<'e> {
    pub(super) types: &'e TypeTable,
    pub(super) names: &'e FxHashMap<Ty, String>,
}

impl Speller<'_> {
    /// A declaration of `name` with a type; `None` if the type cannot be spelt.
    pub(super) fn declare(&self, ty: Ty, name: &str) -> Option<String> {
        let ty = self.types.unqualified(ty);
        if let Some(known) = self.names.get(&ty).filter(|_| matches!(self.types.get(ty), Type::Record(_))) {
            return Some(spaced(known, name));
        }
        Some(match self.types.get(ty) {
            Type::Void => spaced("void", name),
            Type::Bool => spaced("_Bool", name),
            Type::Int(kind) => spaced(integer(*kind)?, name),
            Type::Float(kind) => spaced(float(*kind), name),
            Type::Pointer(target) => {
                let is_derived = matches!(self.types.get(*target), Type::Array(..) | Type::Function { .. });
                let qualifier =
                    if self.types.qualifiers(*target).is_const && !is_derived { "const " } else { "" };
                let inner = if is_derived { format!("(*{name})") } else { format!("*{name}") };
                format!("{qualifier}{}", self.declare(*target, &inner)?)
            }
            Type::Array(element, Some(count)) => self.declare(*element, &format!("{name}[{count}]"))?,
            Type::Function { ret, params, variadic, .. } => {
                let mut list: Vec<String> =
                    params.iter().map(|&param| self.declare(param, "")).collect::<Option<_>>()?;
                if *variadic {
                    list.push("...".to_owned());
                }
                let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
                self.declare(*ret, &format!("{name}({list})"))?
            }
            Type::Record(id) => {
                let record = self.types.record(*id);
                if record.tag.is_empty() || record.composite.is_some() {
                    return None;
                }
                let keyword = if record.is_union { "union" } else { "struct" };
                spaced(&format!("{keyword} {}", record.tag), name)
            }
            Type::Atomic(inner) => spaced(&format!("_Atomic({})", self.declare(*inner, "")?), name),
            Type::Array(_, None) | Type::Vla(..) | Type::Opaque { .. } => return None,
            Type::Qualified(..) => unreachable!("qualifiers should have been looked through"),
        })
    }

    /// A name for a record that can be part of an identifier.
    pub(super) fn identifier(&self, ty: Ty) -> Option<String> {
        let spelt = self.declare(ty, "")?;
        let word = spelt.trim().rsplit(' ').next()?;
        let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_word.then(|| word.trim_matches('_').to_owned())
    }
}

fn spaced(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_owned() } else { format!("{ty} {name}") }
}

fn integer(kind: IntKind) -> Option<&'static str> {
    Some(match kind {
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 | IntKind::UInt128 | IntKind::Narrow { .. } => return None,
    })
}

fn float(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Quad => "__float128",
    }
}

/// The function of SV-COMP that returns any value of a type.
pub(super) fn any_value(types: &TypeTable, ty: Ty) -> Option<&'static str> {
    Some(match types.unatomic(ty) {
        Type::Bool => "bool",
        Type::Int(kind) => match kind {
            IntKind::Char | IntKind::SChar => "char",
            IntKind::UChar => "uchar",
            IntKind::Short => "short",
            IntKind::UShort => "ushort",
            IntKind::Int => "int",
            IntKind::UInt => "uint",
            IntKind::Long => "long",
            IntKind::ULong => "ulong",
            IntKind::LongLong => "longlong",
            IntKind::ULongLong => "ulonglong",
            IntKind::Int128 | IntKind::UInt128 | IntKind::Narrow { .. } => return None,
        },
        Type::Float(FloatKind::Float) => "float",
        Type::Float(FloatKind::Double) => "double",
        _ => return None,
    })
}
