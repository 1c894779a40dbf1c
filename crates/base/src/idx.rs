//! Vectors indexed by newtypes, so that a location is never looked up with a thread's number.
//!
//! [`id_type!`](crate::id_type) declares a `u32` newtype that prints like the paper (`v7`); [`IdxVec`] is a `Vec`
//! that only such an id can index. Ids are handed out in order of age: `a < b` means "a is older".

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index.
pub trait Idx: Copy + Eq + Ord + fmt::Debug {
    /// The id of the `n`-th element.
    fn new(n: usize) -> Self;
    /// The position of this id.
    fn index(self) -> usize;
}

/// Declares a `u32` newtype implementing [`Idx`] whose `Debug` and `Display` print a prefix and the number.
#[macro_export]
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $crate::Idx for $name {
            fn new(n: usize) -> Self {
                Self(u32::try_from(n).expect("an id should fit 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_u32(self.0)
            }
        }
        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                <u32 as $crate::serde::Deserialize>::deserialize(from).map(Self)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector whose elements are named by ids of type `I`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdxVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Idx, T> IdxVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// A vector of `n` equal elements.
    pub fn of(item: T, n: usize) -> Self
    where
        T: Clone,
    {
        Self { items: vec![item; n], id: PhantomData }
    }
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// The id the next `push` will return.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Returns true if there is no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The element of `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// All elements, oldest first.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All elements, mutably, oldest first.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// All ids, oldest first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// All ids with their elements, oldest first.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(n, item)| (I::new(n), item))
    }
}

impl<I: Idx, T: Serialize> Serialize for IdxVec<I, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(to)
    }
}

impl<'de, I: Idx, T: Deserialize<'de>> Deserialize<'de> for IdxVec<I, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().collect())
    }
}

impl<I: Idx, T> Default for IdxVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> FromIterator<T> for IdxVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self { items: iter.into_iter().collect(), id: PhantomData }
    }
}

impl<I, T> IntoIterator for IdxVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IdxVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IdxVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I: Idx, T> Index<I> for IdxVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IdxVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Idx, T: fmt::Debug> fmt::Debug for IdxVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_enumerated()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    id_type!(
        /// A test id.
        TestId,
        "t"
    );

    #[test]
    fn ids_name_what_was_pushed() {
        let mut v: IdxVec<TestId, &str> = IdxVec::new();
        let a = v.push("a");
        let b = v.push("b");
        assert!(a < b);
        assert_eq!((v[a], v[b]), ("a", "b"));
        assert_eq!(format!("{a} {b:?}"), "t0 t1");
        assert_eq!(v.next_id(), TestId(2));
    }
}
