//! All the ways in which one step can be answered: an odometer over the values offered for each choice.

use super::Options;
use program::Width;
use program::interp::{Choice, Chooser};

/// Answers one step's choices; [`advance`](Self::advance) moves to the next combination.
pub(super) struct Odometer<'o> {
    options: &'o Options,
    /// Which of how many values each choice takes, as far as choices were met.
    wheels: Vec<(usize, usize)>,
    /// The answers of this round.
    answers: Vec<u128>,
    /// The width of an input whose values were not all offered.
    incomplete: Option<Width>,
}

impl<'o> Odometer<'o> {
    /// The first combination.
    pub(super) fn new(options: &'o Options) -> Self {
        Self { options, wheels: Vec::new(), answers: Vec::new(), incomplete: None }
    }

    /// The answers given in this round.
    pub(super) fn answers(&self) -> &[u128] {
        &self.answers
    }

    /// The width of an input whose values were not all offered.
    pub(super) fn incomplete(&self) -> Option<Width> {
        self.incomplete
    }

    /// Moves to the next combination; false if there is none.
    pub(super) fn advance(&mut self) -> bool {
        self.wheels.truncate(self.answers.len());
        self.answers.clear();
        while let Some((at, n_values)) = self.wheels.pop() {
            if at + 1 < n_values {
                self.wheels.push((at + 1, n_values));
                return true;
            }
        }
        false
    }

    /// The values offered for an input.
    fn values(&mut self, width: Width) -> Vec<u128> {
        if width.bits() <= self.options.full_width.min(16) {
            return (0..1 << width.bits()).collect();
        }
        let mut values: Vec<u128> = self.options.inputs.iter().map(|v| width.truncate(*v)).collect();
        values.sort_unstable();
        values.dedup();
        if width.bits() > 16 || values.len() < 1 << width.bits() {
            self.incomplete = Some(width);
        }
        values
    }
}

impl Chooser for Odometer<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let values = match what {
            Choice::Waiter { n_waiters } => (0..*n_waiters as u128).collect(),
            Choice::Leave { n_leaving, may_go_on } => (u128::from(!may_go_on)..=*n_leaving as u128).collect(),
            Choice::Input(_) | Choice::Indeterminate(_) => self.values(width),
        };
        let n = self.answers.len();
        if n == self.wheels.len() {
            self.wheels.push((0, values.len()));
        }
        let value = values.get(self.wheels[n].0).copied()?;
        self.answers.push(value);
        Some(value)
    }
}
