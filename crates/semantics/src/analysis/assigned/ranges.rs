//! Sets of bytes, counted from an address on.

use std::collections::BTreeMap;

/// The end of what has no known end.
pub(super) const END: i64 = i64::MAX;

/// Disjoint ranges of bytes, by their beginnings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Ranges(BTreeMap<i64, i64>);

impl Ranges {
    /// All bytes.
    pub(super) fn all() -> Self {
        Self(BTreeMap::from([(i64::MIN, END)]))
    }

    pub(super) fn add(&mut self, mut from: i64, mut to: i64) {
        let touching: Vec<i64> =
            self.0.range(..=to).filter(|(_, end)| **end >= from).map(|(start, _)| *start).collect();
        for start in touching {
            let end = self.0.remove(&start).expect("a range should be where it was found");
            (from, to) = (from.min(start), to.max(end));
        }
        if from < to {
            self.0.insert(from, to);
        }
    }

    pub(super) fn covers(&self, from: i64, to: i64) -> bool {
        from >= to || self.0.range(..=from).next_back().is_some_and(|(_, end)| *end >= to)
    }

    pub(super) fn meets(&self, from: i64, to: i64) -> bool {
        self.0.range(..to).next_back().is_some_and(|(_, end)| *end > from)
    }

    pub(super) fn extend(&mut self, other: &Ranges) {
        other.0.iter().for_each(|(from, to)| self.add(*from, *to));
    }

    pub(super) fn shifted(&self, by: i64) -> Ranges {
        let moved = |at: i64| if at == END || at == i64::MIN { at } else { at.saturating_add(by) };
        Ranges(self.0.iter().map(|(from, to)| (moved(*from), moved(*to))).collect())
    }

    pub(super) fn intersection(&self, other: &Ranges) -> Ranges {
        let mut both = Ranges::default();
        for (from, to) in &self.0 {
            for (start, end) in other.0.range(..*to).filter(|(_, end)| *end > from) {
                both.add(*from.max(start), *to.min(end));
            }
        }
        both
    }

    /// What of `from..to` is not in these.
    pub(super) fn gaps(&self, from: i64, to: i64) -> Ranges {
        let (mut gaps, mut at) = (Ranges::default(), from);
        for (start, end) in &self.0 {
            gaps.add(at, (*start).min(to));
            at = at.max(*end);
        }
        gaps.add(at, to);
        gaps
    }
}
