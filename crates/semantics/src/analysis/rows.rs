//! From the words that are accessed in an object to its cells.
//!
//! A strided access means *every* `stride`-th place of the object, before its start as well as after. The cut that
//! follows from this reading ([`cut_strictly`]) needs no guard. Only where it fails, an array is taken to begin at the
//! lowest start that was seen and to end before the next thing that does not fit into it ([`cut_by_guess`]).

use crate::analysis::layout::{ArrayRegion, ScalarCell, SitePartition};
use crate::analysis::offset::{Offset, gcd};
use program::Width;
use std::collections::{BTreeMap, BTreeSet};

/// The most different words of an object that are kept apart; beyond that it is bytes.
const MAX_SHAPE: usize = 1024;

/// The words that are accessed in objects of a site.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    size: Option<u64>,
    words: BTreeSet<(Offset, u64)>,
}

impl Shape {
    pub fn new(size: Option<u64>) -> Shape {
        Shape { size, words: BTreeSet::new() }
    }

    pub fn words(&self) -> impl Iterator<Item = (Offset, u64)> {
        self.words.iter().copied()
    }

    /// Adds a word; one that is outside the object is no access. Returns true if that changed anything.
    pub fn add(&mut self, offset: Offset, bytes: u64) -> bool {
        let fits = |start: i64| {
            let end = u64::try_from(start).ok().and_then(|start| start.checked_add(bytes));
            end.is_some_and(|end| self.size.is_none_or(|size| end <= size))
        };
        if matches!(offset, Offset::Exactly(start) if !fits(start)) || self.words.len() > MAX_SHAPE {
            return false;
        }
        self.words.insert((offset, bytes))
    }
}

/// The cells of objects in which these words are accessed.
pub(super) fn cut(shape: &Shape) -> SitePartition {
    if shape.words.len() > MAX_SHAPE {
        return SitePartition::Bytes;
    }
    let (exact, strided): (Vec<_>, Vec<_>) = shape.words().partition(|(offset, _)| offset.stride() == 0);
    let exact: Vec<Word> =
        exact.into_iter().map(|(offset, bytes)| (offset.start().cast_unsigned(), bytes)).collect();
    if strided.is_empty() {
        return separate(&exact).map_or(SitePartition::Bytes, SitePartition::Scalars);
    }
    let layout = cut_strictly(shape.size, &exact, &strided);
    layout.or_else(|| cut_by_guess(shape.size, &exact, &strided)).unwrap_or(SitePartition::Bytes)
}

/// An offset and a number of bytes.
type Word = (u64, u64);

/// The words as cells, if they do not overlap; they come sorted.
fn separate(words: &[Word]) -> Option<Vec<ScalarCell>> {
    let apart = words.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0);
    let cell = |(offset, bytes): &Word| ScalarCell { offset: *offset, width: Width::of_bytes(*bytes) };
    apart.then(|| words.iter().map(cell).collect())
}

/// Words at every `stride`-th place: for each distance from a multiple of the stride, how many bytes.
struct Classes {
    stride: u64,
    bytes: BTreeMap<u64, u64>,
}

/// How a word relates to [`Classes`].
enum Relation {
    Member,
    Beside,
    Across,
}

impl Classes {
    /// Fails if words of different classes overlap, or those of one class differ in width.
    fn new(stride: u64, words: &[(Offset, u64)]) -> Option<Classes> {
        let mut bytes = BTreeMap::new();
        for (offset, n_bytes) in words {
            let class = offset.start().rem_euclid(stride.cast_signed()).cast_unsigned();
            if *bytes.entry(class).or_insert(*n_bytes) != *n_bytes {
                return None;
            }
        }
        let ends = bytes.iter().map(|(class, n_bytes)| class + n_bytes);
        let first = *bytes.keys().next()?;
        let nexts = bytes.keys().copied().skip(1).chain([first + stride]);
        let apart = ends.zip(nexts).all(|(end, next)| end <= next);
        apart.then_some(Classes { stride, bytes })
    }

    fn relation(&self, (offset, n_bytes): Word) -> Relation {
        let class = offset % self.stride;
        if self.bytes.get(&class) == Some(&n_bytes) {
            return Relation::Member;
        }
        let at = Offset::Exactly(class.cast_signed());
        let across = self.bytes.iter().any(|(class, bytes)| {
            Offset::new(class.cast_signed(), self.stride).overlaps(*bytes, at, n_bytes)
        });
        if across { Relation::Across } else { Relation::Beside }
    }

    /// The rows of all classes between two offsets.
    fn rows(&self, from: u64, to: Option<u64>) -> Vec<ArrayRegion> {
        let rows = self.bytes.iter().filter_map(|(class, bytes)| {
            let start = from + (class + self.stride - from % self.stride) % self.stride;
            let count = match to {
                None => None,
                Some(to) => Some(to.checked_sub(start + bytes)? / self.stride + 1),
            };
            Some(ArrayRegion { start, stride: self.stride, width: Width::of_bytes(*bytes), count })
        });
        let mut rows: Vec<ArrayRegion> = rows.collect();
        rows.sort_unstable();
        rows
    }
}

fn cut_strictly(size: Option<u64>, exact: &[Word], strided: &[(Offset, u64)]) -> Option<SitePartition> {
    let stride = strided.iter().map(|(offset, _)| offset.stride()).fold(0, gcd);
    let classes = Classes::new(stride, strided)?;
    let mut beside = Vec::new();
    for word in exact {
        match classes.relation(*word) {
            Relation::Member => {}
            Relation::Beside => beside.push(*word),
            Relation::Across => return None,
        }
    }
    let scalars = separate(&beside)?;
    Some(SitePartition::Rows { rows: classes.rows(0, size), scalars, guarded: false })
}

fn cut_by_guess(size: Option<u64>, exact: &[Word], strided: &[(Offset, u64)]) -> Option<SitePartition> {
    let mut groups: BTreeMap<u64, Vec<(Offset, u64)>> = BTreeMap::new();
    for word in strided {
        groups.entry(word.0.stride()).or_default().push(*word);
    }
    let start =
        |group: &[(Offset, u64)]| group.iter().map(|(offset, _)| offset.start().cast_unsigned()).min();
    let mut groups: Vec<_> =
        groups.into_iter().filter_map(|(stride, group)| Some((start(&group)?, stride, group))).collect();
    groups.sort_unstable();
    let mut scalars: BTreeSet<Word> = exact.iter().copied().collect();
    let mut rows = Vec::new();
    for (n, (start, stride, group)) in groups.iter().enumerate() {
        let classes = Classes::new(*stride, group)?;
        let mut end = groups.get(n + 1).map_or(size, |(next, ..)| Some(*next));
        for word in exact.iter().filter(|word| word.0 >= *start) {
            if end.is_none_or(|end| word.0 < end) && matches!(classes.relation(*word), Relation::Across) {
                end = Some(word.0);
            }
        }
        // A word that the end of the row cuts is no cell of it.
        let inside = |word: &Word| word.0 >= *start && end.is_none_or(|end| word.0 + word.1 <= end);
        scalars.retain(|word| !(inside(word) && matches!(classes.relation(*word), Relation::Member)));
        let found = classes.rows(*start, end);
        // A single cell is not indexed: what does not fit is then more likely to lie within the array than behind it.
        if found.len() < classes.bytes.len() || found.iter().any(|row| row.count == Some(1)) {
            return None;
        }
        rows.extend(found);
    }
    let scalars = separate(&scalars.into_iter().collect::<Vec<_>>())?;
    let cut_off = |row: &ArrayRegion| scalars.iter().any(|scalar| row_meets(row, scalar));
    if rows.iter().any(cut_off) {
        return None;
    }
    Some(SitePartition::Rows { rows, scalars, guarded: true })
}

fn row_meets(row: &ArrayRegion, scalar: &ScalarCell) -> bool {
    let end = row.count.map(|count| row.start + (count - 1) * row.stride + row.width.bytes());
    let before = scalar.offset + scalar.width.bytes() <= row.start;
    let after = end.is_some_and(|end| scalar.offset >= end);
    let place = Offset::Exactly(scalar.offset.cast_signed());
    let touches = Offset::new(row.start.cast_signed(), row.stride).overlaps(
        row.width.bytes(),
        place,
        scalar.width.bytes(),
    );
    !before && !after && touches
}

/// The cells in `len` bytes from `offset` on, by distance; `None` if a cell is cut or if they depend on which of the
/// offsets it is.
pub(super) fn words(
    rows: &[ArrayRegion],
    scalars: &[ScalarCell],
    offset: Offset,
    len: u64,
) -> Option<Vec<(u64, Width)>> {
    let mut words = Vec::new();
    for scalar in scalars {
        let at = Offset::Exactly(scalar.offset.cast_signed());
        if !offset.overlaps(len, at, scalar.width.bytes()) {
            continue;
        }
        let Offset::Exactly(from) = offset else { return None };
        let distance = scalar.offset.cast_signed().checked_sub(from)?;
        words.push((u64::try_from(distance).ok()?, scalar.width));
    }
    for row in rows {
        row_words(row, offset, len, &mut words)?;
    }
    words.sort_unstable();
    let inside = words.iter().all(|(distance, width)| distance + width.bytes() <= len);
    inside.then_some(words)
}

fn row_words(row: &ArrayRegion, offset: Offset, len: u64, words: &mut Vec<(u64, Width)>) -> Option<()> {
    if !offset.stride().is_multiple_of(row.stride) {
        return None;
    }
    let bytes = row.width.bytes();
    let end = row.count.map(|count| row.start + count * row.stride);
    // With a varying offset, no end of the row can be told; the cells beyond it are outside the object.
    let exact = offset.as_signed();
    let distance = i128::from(row.start) - i128::from(offset.start());
    let stride = i128::from(row.stride);
    let mut at = distance.rem_euclid(stride);
    if exact.is_some() {
        // A cell that begins before the range may reach into it.
        let cut_at = at - stride;
        if cut_at + i128::from(bytes) > 0 && cut_at >= distance {
            let before_end = end.is_none_or(|end| cut_at + i128::from(offset.start()) < i128::from(end));
            if before_end {
                return None;
            }
        }
        at = at.max(distance);
    } else if at - stride + i128::from(bytes) > 0 {
        return None;
    }
    while at < i128::from(len) {
        let place = at + i128::from(offset.start());
        if exact.is_some() && end.is_some_and(|end| place >= i128::from(end)) {
            break;
        }
        words.push((u64::try_from(at).ok()?, row.width));
        at += stride;
    }
    Some(())
}
