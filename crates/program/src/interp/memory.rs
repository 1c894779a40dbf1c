//! Bytes of objects: values, whether they are determinate, and sharing between states.
//!
//! An object's content is a background (all bytes zero, all indeterminate, …) with pages of 64 bytes where it
//! differs, so that a large array of zeros costs nothing. States share contents until one of them writes.
//!
//! # Invariants
//! - A byte of which only some bits are set is indeterminate; which bits are is kept beside the pages.
//! - An indeterminate byte is stored as 0, and no page equals the background: equal contents over one background are
//!   equal values.
//! - Filling a *whole* object replaces the background. Contents that are equal byte by byte over different backgrounds
//!   are different values, so a state may be counted twice; two different states are never taken for one.

use super::Slot;
use base::convert::index;
use std::sync::Arc;

const PAGE: u64 = 64;
const PAGE_BYTES: usize = 64;

/// The bytes of one object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Content {
    size: u64,
    /// What every byte is that no page holds; `None` is indeterminate.
    background: Option<u8>,
    /// Sorted by position.
    pages: Vec<(u64, Page)>,
    /// Indeterminate bytes of which some bits are set, sorted by position.
    #[serde(default)]
    partly: Vec<PartlySet>,
}

/// An indeterminate byte of which some bits are set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct PartlySet {
    at: u64,
    /// The bits that are set; the others are 0.
    value: u8,
    /// The bits that are not.
    unset: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
struct Page {
    #[serde(with = "page_bytes")]
    bytes: [u8; PAGE_BYTES],
    /// Bit `i` is set if byte `i` is determinate.
    determinate: u64,
}

/// The bytes of a page as a list.
mod page_bytes {
    use super::PAGE_BYTES;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8; PAGE_BYTES], to: S) -> Result<S::Ok, S::Error> {
        bytes.as_slice().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; PAGE_BYTES], D::Error> {
        let bytes = Vec::<u8>::deserialize(from)?;
        bytes.try_into().map_err(|_| D::Error::custom("a page should have 64 bytes"))
    }
}

impl Page {
    fn filled(byte: Option<u8>) -> Self {
        let determinate = if byte.is_some() { u64::MAX } else { 0 };
        Self { bytes: [byte.unwrap_or(0); PAGE_BYTES], determinate }
    }
}

impl Content {
    /// `size` bytes that are all `background`.
    pub(super) fn filled(size: u64, background: Option<u8>) -> Self {
        Self { size, background, pages: Vec::new(), partly: Vec::new() }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// One byte; `None` if it is indeterminate.
    pub(super) fn byte(&self, offset: u64) -> Option<u8> {
        debug_assert!(offset < self.size, "offset {offset} should be below the size {}", self.size);
        let Ok(at) = self.page(offset / PAGE) else { return self.background };
        let page = &self.pages[at].1;
        let within = offset % PAGE;
        (page.determinate >> within & 1 == 1).then(|| page.bytes[index(within)])
    }

    /// The bits of a byte that are set, and those that are not.
    pub(super) fn bits(&self, offset: u64) -> (u8, u8) {
        match (self.byte(offset), self.partly.iter().find(|byte| byte.at == offset)) {
            (Some(value), _) => (value, 0),
            (None, Some(byte)) => (byte.value, byte.unset),
            (None, None) => (0, u8::MAX),
        }
    }

    /// Makes an indeterminate byte of one, of which some bits are set.
    pub(super) fn write_bits(&mut self, offset: u64, value: u8, unset: u8) {
        self.write(offset, &[(unset == 0).then_some(value)]);
        if unset != 0 && unset != u8::MAX {
            let place = self.partly.partition_point(|byte| byte.at < offset);
            self.partly.insert(place, PartlySet { at: offset, value: value & !unset, unset });
        }
    }

    /// The bytes among `len` from `offset` on of which only some bits are set, counted from there.
    pub(super) fn partly_set(&self, offset: u64, len: u64) -> Vec<PartlySet> {
        let inside = self.partly.iter().filter(|byte| (offset..offset + len).contains(&byte.at));
        inside.map(|byte| PartlySet { at: byte.at - offset, ..*byte }).collect()
    }

    /// Writes such bytes, from `offset` on.
    pub(super) fn write_partly_set(&mut self, offset: u64, bytes: &[PartlySet]) {
        bytes.iter().for_each(|byte| self.write_bits(offset + byte.at, byte.value, byte.unset));
    }

    /// `len` bytes.
    pub(super) fn read(&self, offset: u64, len: u64) -> Vec<Option<u8>> {
        (offset..offset + len).map(|at| self.byte(at)).collect()
    }

    /// The determinate aligned words of `len` bytes that differ from the background, with where they are; `len` divides 64.
    pub(super) fn words(&self, len: usize) -> impl Iterator<Item = (u64, u64)> {
        let words = self.pages.iter().flat_map(move |(number, page)| {
            let at = (0..index(PAGE)).step_by(len);
            let start = number * PAGE;
            at.map(move |at| (start + at as u64, &page.bytes[at..at + len], page.determinate >> at))
        });
        let all = (1u64 << len) - 1;
        let known = words.filter(move |(_, _, determinate)| determinate & all == all);
        known.map(|(at, bytes, _)| {
            (at, bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        })
    }

    /// Replaces bytes from `offset` on.
    pub(super) fn write(&mut self, offset: u64, bytes: &[Option<u8>]) {
        self.partly.retain(|byte| !(offset..offset + bytes.len() as u64).contains(&byte.at));
        let mut rest = bytes;
        let mut at = offset;
        while !rest.is_empty() {
            let n = index(PAGE - at % PAGE).min(rest.len());
            self.write_page(at / PAGE, at % PAGE, &rest[..n]);
            rest = &rest[n..];
            at += n as u64;
        }
    }

    /// Makes `len` bytes from `offset` on equal to `byte`.
    pub(super) fn fill(&mut self, offset: u64, len: u64, byte: Option<u8>) {
        if offset == 0 && len == self.size {
            *self = Content::filled(self.size, byte);
            return;
        }
        let (mut at, end) = (offset, offset + len);
        self.partly.retain(|byte| !(offset..end).contains(&byte.at));
        while at < end {
            let n = (PAGE - at % PAGE).min(end - at);
            self.write_page(at / PAGE, at % PAGE, &[byte; PAGE_BYTES][..index(n)]);
            at += n;
        }
    }

    fn page(&self, number: u64) -> Result<usize, usize> {
        self.pages.binary_search_by_key(&number, |(n, _)| *n)
    }

    fn write_page(&mut self, number: u64, from: u64, bytes: &[Option<u8>]) {
        let at = self.page(number).unwrap_or_else(|at| {
            self.pages.insert(at, (number, Page::filled(self.background)));
            at
        });
        let page = &mut self.pages[at].1;
        for (within, byte) in (from..).zip(bytes) {
            page.bytes[index(within)] = byte.unwrap_or(0);
            let bit = 1 << within;
            page.determinate = if byte.is_some() { page.determinate | bit } else { page.determinate & !bit };
        }
        if *page == Page::filled(self.background) {
            self.pages.remove(at);
        }
    }
}

/// The objects that are alive.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Memory {
    /// Sorted by slot.
    objects: Vec<(Slot, Arc<Content>)>,
}

impl Memory {
    pub(super) fn get(&self, slot: Slot) -> Option<&Content> {
        let at = self.position(slot).ok()?;
        Some(&self.objects[at].1)
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut Content> {
        let at = self.position(slot).ok()?;
        Some(Arc::make_mut(&mut self.objects[at].1))
    }

    /// Begins the life of an object (again).
    pub(super) fn insert(&mut self, slot: Slot, content: Content) {
        match self.position(slot) {
            Ok(at) => self.objects[at].1 = Arc::new(content),
            Err(at) => self.objects.insert(at, (slot, Arc::new(content))),
        }
    }

    /// Ends the life of an object.
    pub(super) fn remove(&mut self, slot: Slot) {
        if let Ok(at) = self.position(slot) {
            self.objects.remove(at);
        }
    }

    /// Ends the life of all objects that `dies` names.
    pub(super) fn remove_all(&mut self, mut dies: impl FnMut(Slot) -> bool) {
        self.objects.retain(|(slot, _)| !dies(*slot));
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.objects.iter().map(|(slot, _)| *slot)
    }

    fn position(&self, slot: Slot) -> Result<usize, usize> {
        self.objects.binary_search_by_key(&slot, |(s, _)| *s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_agree_with_a_plain_vector() {
        let mut plain = vec![Some(0); 200];
        let mut content = Content::filled(200, Some(0));
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let from = random(200);
            let len = random(201 - from);
            let byte = [None, Some(0), Some(9)][random(3) as usize];
            if random(2) == 0 {
                content.fill(from, len, byte);
            } else {
                content.write(from, &vec![byte; len as usize]);
            }
            plain[from as usize..(from + len) as usize].fill(byte);
            assert_eq!(content.read(0, 200), plain);
        }
    }

    #[test]
    fn what_is_written_back_leaves_no_mark() {
        let mut content = Content::filled(1 << 30, Some(0));
        content.write(1 << 20, &[Some(3), None]);
        assert_eq!(content.pages.len(), 1);
        content.write(1 << 20, &[Some(0), Some(0)]);
        assert_eq!(content, Content::filled(1 << 30, Some(0)));
    }
}
