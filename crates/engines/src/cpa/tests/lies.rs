//! An abstract domain that lies: it loses elements, as a transfer function with a mistake would. The search then "proves" programs that are wrong, and the checker
//! refuses every such proof.
//!
//! For the other engines `tests/lying_solver.rs` does this with the solver. No answer of the solver makes cpa say "safe": the domain does.

use crate::cpa::domain::{Ask, Domain, Meeting};
use crate::cpa::{DomainName, Options, Precision, answer};
use crate::cpa::{bdd::BddDomain, interval::IntervalDomain, value::ValueDomain};
use crate::task::Task;
use base::{Budget, Inconclusive, Random, Stats};
use evidence::{Outcome, Proof};
use logic::path::Cmd;
use logic::{Term, Terms};
use program::{Program, Property};

/// A domain that loses one in `one_in` elements.
struct Lying<D> {
    domain: D,
    random: Random,
    one_in: u64,
}

impl<D: Domain> Domain for Lying<D> {
    type Element = D::Element;

    fn top(&mut self) -> D::Element {
        self.domain.top()
    }

    fn transfer(
        &mut self,
        terms: &Terms,
        from: &D::Element,
        block: &[Cmd],
        tracks: Ask<'_>,
    ) -> Result<Vec<D::Element>, Inconclusive> {
        let mut after = self.domain.transfer(terms, from, block, tracks)?;
        let Self { random, one_in, .. } = self;
        // An empty block is the common beginning of several transactions: to lose it would lose everything.
        after.retain(|_| block.is_empty() || random.below(*one_in) != 0);
        Ok(after)
    }

    fn forget(
        &mut self,
        terms: &Terms,
        element: &mut D::Element,
        alive: Ask<'_>,
    ) -> Result<(), Inconclusive> {
        self.domain.forget(terms, element, alive)
    }

    fn minus(&mut self, new: &D::Element, old: &D::Element) -> Result<Option<D::Element>, Inconclusive> {
        self.domain.minus(new, old)
    }

    fn merge(
        &mut self,
        new: &D::Element,
        old: &D::Element,
        meeting: Meeting,
    ) -> Result<Option<D::Element>, Inconclusive> {
        self.domain.merge(new, old, meeting)
    }

    fn join(&mut self, left: &D::Element, right: &D::Element) -> Option<D::Element> {
        self.domain.join(left, right)
    }

    fn fingerprint(&self, element: &D::Element) -> Option<u64> {
        self.domain.fingerprint(element)
    }

    fn formula(&mut self, terms: &mut Terms, element: &D::Element) -> Term {
        self.domain.formula(terms, element)
    }

    fn sharpen(&mut self) -> bool {
        self.domain.sharpen()
    }
}

/// Each has a violation: of a race, of an input, of a loop.
const WRONG: [&str; 3] = [
    "program lp64 object x: 4 = 0
    function main() -> 32 {
        reg h: 64  reg i: 32
        h = create(&worker, 0)
        i = [&x]:32
        if i == 5 then bad else good
        bad: error unreach-call \"met\"
        good: return 0
    }
    function worker(arg: 64) -> 64 { [&x]:32 = 5 return 0 }",
    "program lp64
    function main() -> 32 {
        reg i: 8
        havoc i
        if i == 7 then bad else good
        bad: error unreach-call \"seven\"
        good: return 0
    }",
    "program lp64
    function main() -> 32 {
        reg n: 32
        n = 0
        loop: n = n + 1
        if n == 3 then bad else loop
        bad: error unreach-call \"three\"
    }",
];

fn proof(domain: DomainName, program: &Program, seed: u64) -> Option<Proof> {
    let budget = Budget::new(Some(std::time::Duration::from_secs(5)), None);
    let task = Task::new(program, Property::UnreachCall, &budget);
    let options = Options { domain, ..Options::default() };
    let (random, one_in, stats) = (Random(seed), 3 + seed % 5, &mut Stats::default());
    let outcome = match domain {
        DomainName::Value => {
            let domain = Lying { domain: ValueDomain::default(), random, one_in };
            answer(&task, &options, domain, Precision::default(), stats)
        }
        DomainName::Interval => {
            let domain = Lying { domain: IntervalDomain::default(), random, one_in };
            answer(&task, &options, domain, Precision::default(), stats)
        }
        DomainName::Bdd => {
            let domain = Lying { domain: BddDomain::new(), random, one_in };
            answer(&task, &options, domain, Precision::everything(), stats)
        }
    };
    if let Outcome::Safe(proof) = outcome { Some(proof) } else { None }
}

#[test]
fn proofs_of_a_lying_domain_are_refused() {
    for domain in [DomainName::Value, DomainName::Interval, DomainName::Bdd] {
        let mut n_refused = 0;
        for (text, seed) in WRONG.iter().flat_map(|text| (0..20).map(move |seed| (text, seed))) {
            let program = program::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
            let Some(wrong) = proof(domain, &program, seed) else { continue };
            let checked = certify::check_proof(&program, Property::UnreachCall, &wrong, &Budget::unlimited());
            assert!(
                matches!(checked, Err(Inconclusive::CheckFailed(_))),
                "{domain:?}, seed {seed}: {checked:?} of {text}"
            );
            n_refused += 1;
        }
        assert!(n_refused > 5, "{domain:?}: {n_refused} wrong proofs: the test should see more");
    }
}
