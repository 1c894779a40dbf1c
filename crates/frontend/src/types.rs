//! C's types, hash-consed: equal types have equal [`Ty`].

use crate::hir::LocalId;
use base::convert::low32;
use base::{IdxVec, id_type};
use program::{DataModel, Width};
use rustc_hash::FxHashMap;

id_type!(
    /// A type.
    Ty,
    "ty"
);
id_type!(
    /// A `struct` or `union` by identity.
    RecordId,
    "rec"
);

/// Qualifiers that change no value, but the type: what `_Generic` tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
}

impl Qualifiers {
    /// Those of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
        }
    }
}

/// What a type is. Enumerations are their integer type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`, and everything incomplete that is treated like it.
    Void,
    /// `_Bool`
    Bool,
    /// An integer type.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// A pointer.
    Pointer(Ty),
    /// An array; `None` is incomplete (or flexible).
    Array(Ty, Option<u64>),
    /// An array of variable length: the local of the function being typed that holds its size in bytes.
    Vla(Ty, LocalId),
    /// A function.
    Function {
        /// Result type.
        ret: Ty,
        /// Parameter types, adjusted (arrays and functions are pointers).
        params: Vec<Ty>,
        /// Ends in `...`.
        variadic: bool,
        /// Declares parameter types; without a prototype, arguments are default-promoted.
        prototype: bool,
    },
    /// A `struct` or `union`.
    Record(RecordId),
    /// `_Atomic T`
    Atomic(Ty),
    /// A type with qualifiers; what is qualified is neither an array (its elements are), a function, nor qualified itself. Only
    /// [`TypeTable::qualifiers`] and [`TypeTable::unqualified`] show it: [`TypeTable::get`] looks through it. Values never have such a type.
    Qualified(Ty, Qualifiers),
    /// Something without a model, of so many bytes and such alignment.
    Opaque {
        /// What it is, for messages: "a value of …".
        what: &'static str,
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u64,
    },
}

/// Integer types by rank and sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    /// Plain `char`: signed, as on x86.
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// The promoted type of a bit-field that is wider than `int` and narrower than its declared type: gcc computes in exactly so many bits.
    /// Only values have it, no objects.
    Narrow {
        bits: u8,
        signed: bool,
    },
}

/// Floating types, by rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FloatKind {
    Float,
    Double,
    /// `long double`: the 80 bits of x87.
    LongDouble,
    /// `__float128`
    Quad,
}

/// A `struct` or `union`.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag, or empty.
    pub tag: String,
    /// True if it is a `union`.
    pub is_union: bool,
    /// Its layout, once it is complete.
    pub layout: Option<Layout>,
    /// What it stands for, if it is no record of the program.
    pub composite: Option<Composite>,
}

/// Numbers of several parts, which are records to everything but operators, conversions and initialisers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Composite {
    /// A complex number: two parts of this type, the real one first.
    Complex(Ty),
    /// GNU's `vector_size`: so many elements of this type.
    Vector(Ty, u64),
}

impl Composite {
    /// The type of its parts.
    pub fn part(self) -> Ty {
        match self {
            Composite::Complex(part) | Composite::Vector(part, _) => part,
        }
    }
    /// The number of its parts.
    pub fn count(self) -> u64 {
        match self {
            Composite::Complex(_) => 2,
            Composite::Vector(_, count) => count,
        }
    }
}

/// Where the members of a complete record are.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Size in bytes, trailing padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Members in order; unnamed bit-fields are left out, anonymous records have an empty name.
    pub fields: Vec<Field>,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, or empty for an anonymous record.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its byte offset (of the storage unit, for bit-fields).
    pub offset: u64,
    /// Its alignment in bytes, which attributes may have made greater or smaller than its type's; of bit-fields, 1.
    pub align: u64,
    /// For bit-fields, which bits of the unit.
    pub bits: Option<crate::hir::BitField>,
}

/// All types of a program.
#[derive(Debug)]
pub struct TypeTable {
    /// The sizes of basic types.
    pub data_model: DataModel,
    types: IdxVec<Ty, Type>,
    ids: FxHashMap<Type, Ty>,
    records: IdxVec<RecordId, Record>,
    composites: FxHashMap<Composite, Ty>,
}

impl TypeTable {
    /// A table with no types yet.
    pub fn new(data_model: DataModel) -> Self {
        let (types, ids, records, composites) = Default::default();
        Self { data_model, types, ids, records, composites }
    }
    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> Ty {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }
    /// What a type is, below qualifiers.
    pub fn get(&self, ty: Ty) -> &Type {
        &self.types[self.unqualified(ty)]
    }
    /// A type without its own qualifiers (those of what it points to stay).
    pub fn unqualified(&self, ty: Ty) -> Ty {
        match self.types[ty] {
            Type::Qualified(inner, _) => inner,
            _ => ty,
        }
    }
    /// The qualifiers of a type; of an array, those of its elements.
    pub fn qualifiers(&self, ty: Ty) -> Qualifiers {
        match self.types[ty] {
            Type::Qualified(_, qualifiers) => qualifiers,
            Type::Array(element, _) | Type::Vla(element, _) => self.qualifiers(element),
            _ => Qualifiers::default(),
        }
    }
    /// A type with more qualifiers.
    pub fn qualify(&mut self, ty: Ty, more: Qualifiers) -> Ty {
        if more == Qualifiers::default() {
            return ty;
        }
        match self.types[ty] {
            Type::Qualified(inner, some) => self.intern(Type::Qualified(inner, some.union(more))),
            Type::Array(element, count) => {
                let element = self.qualify(element, more);
                self.intern(Type::Array(element, count))
            }
            Type::Vla(element, size) => {
                let element = self.qualify(element, more);
                self.intern(Type::Vla(element, size))
            }
            Type::Function { .. } => ty,
            _ => self.intern(Type::Qualified(ty, more)),
        }
    }
    /// C's compatible types. Records of one tag are compatible: those of several files are declared alike.
    pub fn are_compatible(&self, left: Ty, right: Ty) -> bool {
        if left == right {
            return true;
        }
        let all = |left: &[Ty], right: &[Ty]| {
            let same = |(l, r): (&Ty, &Ty)| self.are_compatible(self.unqualified(*l), self.unqualified(*r));
            left.len() == right.len() && left.iter().zip(right).all(same)
        };
        match (self.get(left), self.get(right)) {
            (Type::Qualified(a, q), Type::Qualified(b, r)) => q == r && self.are_compatible(*a, *b),
            (Type::Pointer(a), Type::Pointer(b)) | (Type::Atomic(a), Type::Atomic(b)) => {
                self.are_compatible(*a, *b)
            }
            (Type::Array(a, m), Type::Array(b, n)) => {
                (m.is_none() || n.is_none() || m == n) && self.are_compatible(*a, *b)
            }
            (Type::Array(a, _) | Type::Vla(a, _), Type::Vla(b, _)) | (Type::Vla(a, _), Type::Array(b, _)) => {
                self.are_compatible(*a, *b)
            }
            (Type::Record(a), Type::Record(b)) => {
                let (a, b) = (self.record(*a), self.record(*b));
                a.tag == b.tag && a.is_union == b.is_union
            }
            (
                Type::Function { ret: a, params: p, prototype: x, variadic: v },
                Type::Function { ret: b, params: q, prototype: y, variadic: w },
            ) => self.are_compatible(*a, *b) && (!x || !y || v == w && all(p, q)),
            _ => false,
        }
    }
    /// What a type is, below `_Atomic`.
    pub fn unatomic(&self, ty: Ty) -> &Type {
        match self.get(ty) {
            Type::Atomic(inner) => self.get(*inner),
            other => other,
        }
    }
    /// A new record, incomplete.
    pub fn new_record(&mut self, tag: &str, is_union: bool) -> RecordId {
        self.records.push(Record { tag: tag.to_owned(), is_union, layout: None, composite: None })
    }
    /// The type of complex numbers or vectors; `None` if its parts have no size.
    pub fn composite(&mut self, composite: Composite) -> Option<Ty> {
        if let Some(&ty) = self.composites.get(&composite) {
            return Some(ty);
        }
        let (size, align) = self.size_align(composite.part())?;
        let whole = size.checked_mul(composite.count())?;
        let (tag, align) = match composite {
            Composite::Complex(_) => ("complex number", align),
            Composite::Vector(..) => ("vector", whole.next_power_of_two()),
        };
        let field = |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset, align, bits: None };
        let fields = match composite {
            Composite::Complex(part) => {
                vec![field("real part", part, 0), field("imaginary part", part, size)]
            }
            Composite::Vector(part, count) => {
                vec![field("elements", self.intern(Type::Array(part, Some(count))), 0)]
            }
        };
        let id = self.new_record(tag, false);
        let record = self.record_mut(id);
        record.layout = Some(Layout { size: whole, align, fields });
        record.composite = Some(composite);
        let ty = self.intern(Type::Record(id));
        self.composites.insert(composite, ty);
        Some(ty)
    }
    /// `va_list`: the address of the next surplus argument. On i386 that is all; on x86-64 it is in an array of one structure, so that a
    /// function which is handed a list moves its caller's on.
    pub fn argument_list(&mut self) -> Ty {
        let char = self.intern(Type::Int(IntKind::Char));
        let next = self.intern(Type::Pointer(char));
        if self.data_model == DataModel::Ilp32 {
            return next;
        }
        let id = self.new_record("__va_list_tag", false);
        let fields = vec![Field { name: "next".to_owned(), ty: next, offset: 0, align: 8, bits: None }];
        self.record_mut(id).layout = Some(Layout { size: 24, align: 8, fields });
        let list = self.intern(Type::Record(id));
        self.intern(Type::Array(list, Some(1)))
    }
    /// What a type is made of, if it is one of complex numbers or vectors.
    pub fn composite_of(&self, ty: Ty) -> Option<Composite> {
        match self.unatomic(ty) {
            Type::Record(id) => self.record(*id).composite,
            _ => None,
        }
    }
    /// A record.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id]
    }
    /// A record, to be completed.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id]
    }

    /// The size and alignment of a complete object type in bytes; `None` for incomplete types and functions. `void` and functions
    /// have size 1, as in GNU C's pointer arithmetic.
    pub fn size_align(&self, ty: Ty) -> Option<(u64, u64)> {
        let word = self.data_model.pointer().bytes();
        Some(match self.get(ty) {
            Type::Void | Type::Function { .. } => (1, 1),
            Type::Bool => (1, 1),
            Type::Int(kind) => {
                let size = self.int_bytes(*kind);
                // i386 aligns `long long` to 4 inside records; see `preferred_align_of`.
                (size, if word == 4 { size.min(4) } else { size })
            }
            Type::Float(FloatKind::Float) => (4, 4),
            Type::Float(FloatKind::Double) => (8, word),
            Type::Float(FloatKind::LongDouble) => {
                if word == 4 {
                    (12, 4)
                } else {
                    (16, 16)
                }
            }
            Type::Float(FloatKind::Quad) => (16, 16),
            Type::Pointer(_) => (word, word),
            Type::Array(element, count) => {
                let (size, align) = self.size_align(*element)?;
                (size.checked_mul((*count)?)?, align)
            }
            Type::Vla(..) => return None,
            Type::Record(id) => {
                let layout = self.records[*id].layout.as_ref()?;
                (layout.size, layout.align)
            }
            Type::Atomic(inner) => {
                let (size, align) = self.size_align(*inner)?;
                (size, if size.is_power_of_two() && size <= 16 { align.max(size) } else { align })
            }
            Type::Opaque { size, align, .. } => (*size, *align),
            Type::Qualified(..) => unreachable!("qualifiers should have been looked through"),
        })
    }
    /// The alignment of an object type in bytes; an array has that of its elements, whether or not its size is known.
    pub fn align_of(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => self.align_of(*element),
            _ => self.size_align(ty).map(|(_, align)| align),
        }
    }
    /// The alignment that gcc prefers for an object of its own (`__alignof__`): i386 gives numbers of 8 bytes only inside of records less.
    pub fn preferred_align_of(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => self.preferred_align_of(*element),
            Type::Int(IntKind::LongLong | IntKind::ULongLong) | Type::Float(FloatKind::Double) => Some(8),
            _ => self.align_of(ty),
        }
    }
    /// The size of a complete object type in bytes.
    pub fn size_of(&self, ty: Ty) -> Option<u64> {
        self.size_align(ty).map(|(size, _)| size)
    }
    /// The size of an integer type in bytes.
    pub fn int_bytes(&self, kind: IntKind) -> u64 {
        match kind {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 4,
            IntKind::Long | IntKind::ULong => self.data_model.pointer().bytes(),
            IntKind::LongLong | IntKind::ULongLong => 8,
            IntKind::Int128 | IntKind::UInt128 => 16,
            IntKind::Narrow { bits, .. } => u64::from(bits).div_ceil(8).next_power_of_two(),
        }
    }
    /// The width of an integer type in bits.
    pub fn int_bits(&self, kind: IntKind) -> u32 {
        match kind {
            IntKind::Narrow { bits, .. } => u32::from(bits),
            _ => low32(self.int_bytes(kind)) * 8,
        }
    }
}

impl FloatKind {
    /// The width of its numbers, which is their format ([`program::float`]).
    pub fn width(self) -> Width {
        match self {
            FloatKind::Float => Width(32),
            FloatKind::Double => Width(64),
            FloatKind::LongDouble => Width(80),
            FloatKind::Quad => Width(128),
        }
    }
}

impl IntKind {
    /// Returns true if it has a sign.
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SChar | Short | Int | Long | LongLong | Int128 | Narrow { signed: true, .. })
    }
}
