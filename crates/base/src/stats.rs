//! Counters of a run, in the order in which an engine first named them.

/// What one counter holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Metric {
    /// How many.
    Count(u64),
    /// Seconds, megabytes or a share.
    Measure(f64),
    /// A name.
    Name(String),
}

/// Named figures of one run.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    figures: Vec<(String, Metric)>,
}

impl Stats {
    /// Adds `n` to the count called `name`.
    pub fn add(&mut self, name: &str, n: u64) {
        match self.slot(name) {
            Metric::Count(count) => *count += n,
            other => *other = Metric::Count(n),
        }
    }

    /// Sets the measure called `name`.
    pub fn measure(&mut self, name: &str, value: f64) {
        *self.slot(name) = Metric::Measure(value);
    }

    /// Sets the name called `name`.
    pub fn name(&mut self, name: &str, value: &str) {
        *self.slot(name) = Metric::Name(value.to_owned());
    }

    /// The text of a figure; `None` if there is none, or if it is a number.
    pub fn named(&self, name: &str) -> Option<&str> {
        self.iter().find_map(|(known, figure)| match figure {
            Metric::Name(text) if known == name => Some(text.as_str()),
            Metric::Name(_) | Metric::Count(_) | Metric::Measure(_) => None,
        })
    }

    /// All figures, in the order in which they were first named.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Metric)> {
        self.figures.iter().map(|(name, figure)| (name.as_str(), figure))
    }

    fn slot(&mut self, name: &str) -> &mut Metric {
        let known = self.figures.iter().position(|(n, _)| n == name);
        let at = known.unwrap_or_else(|| {
            self.figures.push((name.to_owned(), Metric::Count(0)));
            self.figures.len() - 1
        });
        &mut self.figures[at].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_order() {
        let mut stats = Stats::default();
        stats.add("nodes", 2);
        stats.measure("total_s", 0.5);
        stats.add("nodes", 3);
        let all: Vec<_> = stats.iter().collect();
        assert_eq!(all, [("nodes", &Metric::Count(5)), ("total_s", &Metric::Measure(0.5))]);
    }
}
