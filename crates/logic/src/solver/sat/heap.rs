//! A binary heap of variables, the most active on top, that knows where each variable is.

const ABSENT: u32 = u32::MAX;

/// Variables to be decided.
#[derive(Default)]
pub(super) struct Heap {
    items: Vec<u32>,
    places: Vec<u32>,
}

impl Heap {
    /// Empties the heap and makes room for `n` variables.
    pub(super) fn clear(&mut self, n: usize) {
        for &var in &self.items {
            self.places[var as usize] = ABSENT;
        }
        self.items.clear();
        if self.places.len() < n {
            self.places.resize(n, ABSENT);
        }
    }

    pub(super) fn insert(&mut self, var: u32, activity: &[f64]) {
        if self.places[var as usize] == ABSENT {
            self.places[var as usize] = super::count(self.items.len());
            self.items.push(var);
            self.rise(self.items.len() - 1, activity);
        }
    }

    /// To be called when the activity of `var` has grown.
    pub(super) fn risen(&mut self, var: u32, activity: &[f64]) {
        if let Some(&place) = self.places.get(var as usize)
            && place != ABSENT
        {
            self.rise(place as usize, activity);
        }
    }

    pub(super) fn pop(&mut self, activity: &[f64]) -> Option<u32> {
        let top = *self.items.first()?;
        let last = self.items.pop()?;
        self.places[top as usize] = ABSENT;
        if !self.items.is_empty() {
            self.put(0, last);
            self.sink(0, activity);
        }
        Some(top)
    }

    fn put(&mut self, at: usize, var: u32) {
        self.items[at] = var;
        self.places[var as usize] = super::count(at);
    }

    fn rise(&mut self, mut at: usize, activity: &[f64]) {
        let var = self.items[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            let above = self.items[parent];
            if activity[above as usize] >= activity[var as usize] {
                break;
            }
            self.put(at, above);
            at = parent;
        }
        self.put(at, var);
    }

    fn sink(&mut self, mut at: usize, activity: &[f64]) {
        let var = self.items[at];
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.items.len() {
                break;
            }
            let active = |n: usize| activity[self.items[n] as usize];
            let child = if right < self.items.len() && active(right) > active(left) { right } else { left };
            let below = self.items[child];
            if activity[below as usize] <= activity[var as usize] {
                break;
            }
            self.put(at, below);
            at = child;
        }
        self.put(at, var);
    }
}
