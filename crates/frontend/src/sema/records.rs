//! Records and enumerations: their tags, members and enumerators.

use super::Sema;
use super::declared::Declared;
use super::layout::{Bits, Member, RecordRules, lay_out};
use super::scope::{Symbol, Tag};
use crate::ast::{At, Attribute, Declaration, EnumItem, Expr, TypeSpec};
use crate::attributes::{Treatment, treatment};
use crate::types::{IntKind, Layout, RecordId, Ty, Type};

/// No machine has more memory; offsets in bits stay far from the limits of 64 bits.
const MAX_MEMBER_BYTES: u64 = 1 << 48;

impl<'a> Sema<'a> {
    /// The record that `struct tag` means here.
    pub(super) fn record(
        &mut self,
        is_union: bool,
        tag: Option<&'a str>,
        defines: bool,
        alone: bool,
        at: At,
    ) -> RecordId {
        let Some(tag) = tag else { return self.types.new_record("", is_union) };
        let tags = &self.scopes[self.unit].tags;
        let found = if defines || alone { tags.get_here(tag) } else { tags.get(tag) };
        match found {
            Some(Tag::Record(id)) => return id,
            Some(Tag::Enum { .. }) => self.error(at, format!("'{tag}' is declared as another kind of tag")),
            None => {}
        }
        let id = self.types.new_record(tag, is_union);
        self.scopes[self.unit].tags.insert(tag, Tag::Record(id));
        id
    }

    pub(super) fn complete_record(
        &mut self,
        id: RecordId,
        fields: &'a [Declaration<'a>],
        attributes: &'a [Attribute<'a>],
        pack: Option<u32>,
        at: At,
    ) {
        if self.types.record(id).layout.is_some() {
            let message = format!("redefinition of '{}'", self.types.record(id).tag);
            return self.error(at, message);
        }
        let mut members = Vec::new();
        for field in fields {
            self.members(field, &mut members);
        }
        let mut ignored = self.basic.int;
        let asked = self.apply_attributes(attributes, &mut ignored);
        let rules = RecordRules {
            is_union: self.types.record(id).is_union,
            packed: asked.packed,
            pack: pack.map(u64::from),
            align: asked.last_align,
        };
        let mut layout = lay_out(members, rules);
        if asked.big_endian {
            self.without_scalars(&mut layout);
        }
        self.refuse_unsupported(attributes);
        self.types.record_mut(id).layout = Some(layout);
    }

    /// Scalars whose bytes are in the other order have no model: they become bytes without a meaning.
    fn without_scalars(&mut self, layout: &mut Layout) {
        for field in &mut layout.fields {
            let mut element = field.ty;
            while let Type::Array(inner, _) = *self.types.get(element) {
                element = inner;
            }
            let Some((size, align)) = self.types.size_align(field.ty) else { continue };
            let is_wide = self.types.size_of(element).is_some_and(|size| size > 1) || field.bits.is_some();
            if is_wide && !matches!(self.types.get(element), Type::Record(_)) {
                let size = field.bits.map_or(size, |bits| bits.unit);
                field.ty = self.types.intern(Type::Opaque { what: "another byte order", size, align });
                field.bits = None;
            }
        }
    }

    /// Reports an attribute that would change a type in a way that has no model.
    pub(super) fn refuse_unsupported(&mut self, attributes: &'a [Attribute<'a>]) {
        for attribute in attributes {
            if treatment(attribute.name) == Some(Treatment::Unsupported) {
                self.error(
                    attribute.at,
                    format!("the attribute '{}' of a type has no model", attribute.name),
                );
            }
        }
    }

    /// The members that one declaration in a record declares.
    fn members(&mut self, field: &'a Declaration<'a>, members: &mut Vec<Member>) {
        let base = self.specifiers(&field.specifiers, field.declarators.is_empty(), field.at);
        if field.declarators.is_empty() {
            let is_anonymous = matches!(field.specifiers.ty, Some(TypeSpec::Record { tag: None, .. }));
            if is_anonymous {
                self.member(String::new(), &base, None, false, field.at, members);
            }
            return;
        }
        for one in &field.declarators {
            let declared = self.declarator(&base, &one.declarator);
            let packed = super::decl::has_attribute(&field.specifiers, &one.declarator, "packed");
            let name = one.declarator.name.unwrap_or_default();
            let bits = one.bits.as_ref().map(|width| self.bit_width(width, declared.ty, !name.is_empty()));
            self.member(name.to_owned(), &declared, bits, packed, one.declarator.at, members);
        }
    }

    fn bit_width(&mut self, width: &'a Expr<'a>, ty: Ty, named: bool) -> Bits {
        let most = self.types.size_of(ty).map_or(0, |size| size * 8);
        let value = self.constant_integer(width);
        let width = match value.and_then(|value| u32::try_from(value).ok()) {
            Some(value) if u64::from(value) <= most => value,
            _ => {
                self.error(width.at, "the width of a bit-field should be a constant that fits its type");
                1
            }
        };
        Bits { width, signed: self.is_signed(ty), named }
    }

    fn member(
        &mut self,
        name: String,
        declared: &Declared,
        bits: Option<Bits>,
        packed: bool,
        at: At,
        members: &mut Vec<Member>,
    ) {
        let mut ty = declared.ty;
        let (size, align) = match (self.types.size_align(ty), self.types.get(ty)) {
            (Some(layout), Type::Array(..) | Type::Record(_)) => layout,
            (_, Type::Void | Type::Function { .. }) => {
                self.error(at, format!("member '{name}' should have an object type"));
                (1, 1)
            }
            (Some(layout), _) => layout,
            (None, Type::Array(element, None)) if self.types.size_of(*element).is_some() => {
                (0, self.types.size_align(*element).map_or(1, |(_, align)| align))
            }
            (None, _) => {
                self.error(at, format!("member '{name}' has an incomplete type"));
                // It may become complete with this very record, which then would contain itself.
                ty = self.basic.int;
                (0, 1)
            }
        };
        let size = if size > MAX_MEMBER_BYTES {
            self.error(at, format!("member '{name}' is larger than memory"));
            1
        } else {
            size
        };
        let align = if declared.type_align > 0 { declared.type_align } else { align };
        members.push(Member { name, ty, size, align, asked_align: declared.align, packed, bits });
    }

    pub(super) fn enumeration(
        &mut self,
        tag: Option<&'a str>,
        items: Option<&'a [EnumItem<'a>]>,
        attributes: &'a [Attribute<'a>],
        at: At,
    ) -> Ty {
        let tags = &self.scopes[self.unit].tags;
        let Some(items) = items else {
            let name = tag.unwrap_or_default();
            return match tags.get(name) {
                Some(Tag::Enum { ty, .. }) => ty,
                _ => {
                    let ty = self.basic.uint;
                    self.scopes[self.unit].tags.insert(name, Tag::Enum { ty, complete: false });
                    ty
                }
            };
        };
        if let Some(tag) = tag
            && matches!(tags.get_here(tag), Some(Tag::Enum { complete: true, .. } | Tag::Record(_)))
        {
            self.error(at, format!("redefinition of '{tag}'"));
        }
        let values = self.enumerators(items);
        let packed = attributes.iter().any(|attribute| attribute.name == "packed");
        let mut ty = self.enum_type(&values, packed);
        self.apply_attributes(attributes, &mut ty);
        self.refuse_unsupported(attributes);
        let int_range = i128::from(i32::MIN)..=i128::from(i32::MAX);
        for (item, &value) in items.iter().zip(&values) {
            let own = if int_range.contains(&value) { self.basic.int } else { ty };
            self.scopes[self.unit].names.insert(item.name, Symbol::Enumerator { ty: own, value });
        }
        if let Some(tag) = tag {
            self.scopes[self.unit].tags.insert(tag, Tag::Enum { ty, complete: true });
        }
        ty
    }

    /// The values of enumerators; while they are evaluated, earlier ones are visible.
    fn enumerators(&mut self, items: &'a [EnumItem<'a>]) -> Vec<i128> {
        let mut values = Vec::with_capacity(items.len());
        let mut next = 0;
        for item in items {
            if let Some(value) = &item.value {
                match self.constant_integer(value) {
                    Some(value) => next = value,
                    None => self.error(item.at, format!("the value of '{}' should be constant", item.name)),
                }
            }
            values.push(next);
            let ty = match i32::try_from(next) {
                Ok(_) => self.basic.int,
                Err(_) if u32::try_from(next).is_ok() => self.basic.uint,
                Err(_) if i64::try_from(next).is_ok() => self.int_type(IntKind::LongLong),
                Err(_) => self.int_type(IntKind::ULongLong),
            };
            self.scopes[self.unit].names.insert(item.name, Symbol::Enumerator { ty, value: next });
            next = next.wrapping_add(1);
        }
        values
    }

    fn enum_type(&mut self, values: &[i128], packed: bool) -> Ty {
        let least = values.iter().copied().min().unwrap_or(0);
        let most = values.iter().copied().max().unwrap_or(0);
        let kinds: &[IntKind] = match (least < 0, packed) {
            (true, true) => &[IntKind::SChar, IntKind::Short, IntKind::Int, IntKind::Long, IntKind::LongLong],
            (true, false) => &[IntKind::Int, IntKind::Long, IntKind::LongLong],
            (false, true) => {
                &[IntKind::UChar, IntKind::UShort, IntKind::UInt, IntKind::ULong, IntKind::ULongLong]
            }
            (false, false) => &[IntKind::UInt, IntKind::ULong, IntKind::ULongLong],
        };
        let fits = |kind: &IntKind| {
            let bits = self.types.int_bytes(*kind) * 8;
            let (low, high) = if kind.is_signed() {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            low <= least && most <= high
        };
        let kind = kinds.iter().copied().find(fits).unwrap_or(IntKind::LongLong);
        self.int_type(kind)
    }

    /// A record type like `ty` whose flexible array member has `count` elements.
    pub(super) fn with_flexible_array(&mut self, id: RecordId, count: u64) -> Option<Ty> {
        let record = self.types.record(id).clone();
        let mut layout: Layout = record.layout?;
        let last = layout.fields.last_mut()?;
        let Type::Array(element, _) = *self.types.get(last.ty) else { return None };
        last.ty = self.types.intern(Type::Array(element, Some(count)));
        let end = last.offset + self.types.size_of(last.ty)?;
        layout.size = layout.size.max(end);
        let grown = self.types.new_record(&record.tag, record.is_union);
        self.types.record_mut(grown).layout = Some(layout);
        Some(self.types.intern(Type::Record(grown)))
    }
}
