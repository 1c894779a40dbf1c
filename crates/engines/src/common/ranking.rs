//! Candidates for ranking functions: sums of few variables that a component changes, and the distances in its conditions.
//!
//! A variable that does not change adds nothing to a ranking function: bit-vectors are bounded anyway. Variables are taken as signed and, in other
//! candidates, as unsigned numbers, extended so far that nothing wraps around.
//!
//! Engines filter candidates by *samples*, transitions that the solver found ([`Templates::decreases`], [`find_ranking`]), before they query the solver about
//! them; its counterexamples are further samples.

use base::Inconclusive;
use logic::{Model, Op, Sort, Symbol, Term, Terms, Width};
use rustc_hash::FxHashMap;

/// A sum of templates with factors.
pub(crate) type Candidate = Vec<(usize, i128)>;

/// Terms over the state, all of one width.
pub(crate) struct Templates {
    pub(crate) terms: Vec<Term>,
    pub(crate) width: Width,
    /// Which of them are sums of others already, or not to be summed.
    alone: Vec<usize>,
    /// The others: variables as signed, and as unsigned numbers.
    families: [Vec<usize>; 2],
}

/// Less than any bound that a program writes down, and more than the least number of 32 bits.
const FAR_BELOW_ZERO: i128 = -(1 << 20);
/// Maximum number of variables of which sums of three are tried.
const MAX_TRIPLES: usize = 9;
/// Maximum number of variables of which sums of two are tried.
const MAX_PAIRS: usize = 24;

impl Templates {
    /// Templates of variables, and of distances between numbers.
    pub(crate) fn new(terms: &mut Terms, changed: &[Symbol], distances: Vec<Distance>) -> Self {
        let widths = changed.iter().filter_map(|s| terms.sort(terms.var_of(*s)).width());
        let of_distances = distances.iter().map(|(a, ..)| terms.width(*a));
        let width = (widths.chain(of_distances).max().unwrap_or(1) + 8).min(120);
        let mut templates =
            Templates { terms: Vec::new(), width, alone: Vec::new(), families: Default::default() };
        for (a, b, unsigned) in distances {
            let (a, b) = (wide(terms, a, width, unsigned), wide(terms, b, width, unsigned));
            let distance = terms.sub(b, a);
            let at = templates.add(distance);
            templates.alone.push(at);
        }
        for &symbol in changed {
            let variable = terms.var_of(symbol);
            let variable =
                if terms.sort(variable) == Sort::Bool { terms.bool_to_bit(variable) } else { variable };
            if terms.width(variable) + 8 > width {
                continue;
            }
            let (signed, unsigned) =
                (wide(terms, variable, width, false), wide(terms, variable, width, true));
            let zero = terms.constant(0, width);
            let (negative, negated) = (terms.slt(signed, zero), terms.neg(signed));
            let size = terms.ite(negative, negated, signed);
            let at = [signed, unsigned, size].map(|term| templates.add(term));
            templates.families[0].push(at[0]);
            templates.families[1].push(at[1]);
            templates.alone.push(at[2]);
        }
        templates.extremes(terms);
        templates
    }

    /// The lesser and the greater of each two variables.
    fn extremes(&mut self, terms: &mut Terms) {
        let signed = self.families[0].clone();
        for (n, a) in signed.iter().enumerate().take(MAX_TRIPLES) {
            for b in &signed[..n] {
                let (a, b) = (self.terms[*a], self.terms[*b]);
                let less = terms.slt(a, b);
                let extremes = [terms.ite(less, a, b), terms.ite(less, b, a)];
                for term in extremes {
                    let at = self.add(term);
                    self.alone.push(at);
                }
            }
        }
    }

    fn add(&mut self, term: Term) -> usize {
        self.terms.push(term);
        self.terms.len() - 1
    }

    /// All candidates, simple ones first.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let mut found = Vec::new();
        let singles = self.alone.iter().chain(self.families.iter().flatten());
        for at in singles {
            found.extend([vec![(*at, 1)], vec![(*at, -1)]]);
        }
        for family in &self.families {
            if family.len() > MAX_PAIRS {
                continue;
            }
            for (n, a) in family.iter().enumerate() {
                for b in &family[..n] {
                    for factors in [(1, 1), (1, -1), (-1, 1), (-1, -1), (2, -1), (-1, 2), (-2, 1), (1, -2)] {
                        found.push(vec![(*a, factors.0), (*b, factors.1)]);
                    }
                }
            }
        }
        for family in self.families.iter().filter(|family| family.len() <= MAX_TRIPLES) {
            for (n, a) in family.iter().enumerate() {
                for (m, b) in family[..n].iter().enumerate() {
                    for c in &family[..m] {
                        for signs in 0..8 {
                            let sign = |bit: i32| if signs >> bit & 1 == 0 { 1 } else { -1 };
                            found.push(vec![(*a, sign(0)), (*b, sign(1)), (*c, sign(2))]);
                        }
                    }
                }
            }
        }
        found
    }

    /// A candidate as a term.
    pub(crate) fn term(&self, terms: &mut Terms, candidate: &Candidate) -> Term {
        let mut sum = terms.constant(0, self.width);
        for (at, factor) in candidate {
            let factor =
                terms.constant(program::Width(self.width).truncate(factor.cast_unsigned()), self.width);
            let part = terms.mul(factor, self.terms[*at]);
            sum = terms.add(sum, part);
        }
        sum
    }

    /// By how much each template decreases on each sample, from its value `now`, before a transition, to the one after it, `then`.
    pub(crate) fn decreases<'s>(
        &self,
        terms: &Terms,
        (now, then): (&[Term], &[Term]),
        samples: impl Iterator<Item = &'s Model>,
    ) -> Vec<Vec<i128>> {
        let width = program::Width(self.width);
        let decrease = |sample: &Model| {
            let mut evaluated = FxHashMap::default();
            let mut value = |t: Term| width.signed(terms.eval_with(t, sample, &mut evaluated).bits());
            now.iter().zip(then).map(|(a, b)| value(*a) - value(*b)).collect()
        };
        samples.map(decrease).collect()
    }
}

/// A number that ranking functions which the program's conditions bound do not fall below.
pub(crate) fn far_below_zero(terms: &mut Terms, width: Width) -> Term {
    terms.constant(program::Width(width).truncate(FAR_BELOW_ZERO.cast_unsigned()), width)
}

fn wide(terms: &mut Terms, term: Term, width: Width, unsigned: bool) -> Term {
    if unsigned { terms.zext(width, term) } else { terms.sext(width, term) }
}

/// Two numbers, and whether they are compared as unsigned ones.
pub(crate) type Distance = (Term, Term, bool);

/// What conditions compare, inputs aside.
pub(crate) fn distances(terms: &Terms, conditions: &[Term]) -> Vec<Distance> {
    let mut distances: Vec<Distance> = Vec::new();
    for term in terms.subterms(conditions) {
        let unsigned = match terms.op(term) {
            Op::Slt | Op::Sle | Op::Eq => false,
            Op::Ult | Op::Ule => true,
            _ => continue,
        };
        let (a, b) = (terms.kid(term, 0), terms.kid(term, 1));
        let inputs = terms.free_vars(term).iter().any(|s| terms.is_version(*s));
        let is_number = matches!(terms.sort(a), Sort::Bits(width) if width <= 64);
        if is_number && !inputs && !distances.contains(&(a, b, unsigned)) {
            distances.push((a, b, unsigned));
        }
    }
    distances.truncate(24);
    distances
}

/// Transitions of which one ranking function is wanted.
pub(crate) trait Transitions {
    /// The number of samples of each transition so far.
    fn n_samples(&self) -> Vec<usize>;

    /// By how much each template decreases on the samples of the transition at a position, from the sample `skip` on.
    fn decreases(&mut self, at: usize, templates: &Templates, skip: usize) -> Vec<Vec<i128>>;

    /// Returns true if a candidate is a ranking function, which has then been used; counterexamples become samples.
    fn accept(&mut self, templates: &Templates, candidate: &Candidate) -> Result<bool, Inconclusive>;
}

/// Looks for a ranking function that increases nowhere and decreases on one of the first `n_own` transitions. At most `max_queries` candidates that
/// all samples agree with are tried, and counted.
pub(crate) fn find_ranking(
    transitions: &mut impl Transitions,
    templates: &Templates,
    n_own: usize,
    (max_queries, n_queries): (u64, &mut u64),
) -> Result<bool, Inconclusive> {
    let mut samples = Samples::default();
    samples.update(transitions, templates);
    let last = *n_queries + max_queries;
    for candidate in templates.candidates() {
        let others = n_own < samples.changes.len();
        if !plausible(&candidate, &samples.changes[..n_own])
            || others && !plausible(&candidate, &samples.changes)
        {
            continue;
        }
        *n_queries += 1;
        if *n_queries > last {
            return Ok(false);
        }
        if transitions.accept(templates, &candidate)? {
            return Ok(true);
        }
        samples.update(transitions, templates);
    }
    Ok(false)
}

/// By how much each template decreases, on each sample of each transition.
#[derive(Default)]
struct Samples {
    changes: Vec<Vec<Vec<i128>>>,
}

impl Samples {
    fn update(&mut self, transitions: &mut impl Transitions, templates: &Templates) {
        let n_samples = transitions.n_samples();
        self.changes.resize_with(n_samples.len(), Vec::new);
        for (at, known) in self.changes.iter_mut().enumerate() {
            if known.len() < n_samples[at] {
                known.extend(transitions.decreases(at, templates, known.len()));
            }
        }
    }
}

/// Returns true if a candidate increases on no sample, and decreases on all samples of some transition.
fn plausible(candidate: &Candidate, changes: &[Vec<Vec<i128>>]) -> bool {
    let fall =
        |change: &Vec<i128>| -> i128 { candidate.iter().map(|(at, factor)| factor * change[*at]).sum() };
    let mut falls = false;
    for samples in changes {
        let least = samples.iter().map(fall).min().unwrap_or(1);
        if least < 0 {
            return false;
        }
        falls |= least > 0;
    }
    falls
}
