//! Proofs and traces of every kind, made by the engines: right ones pass their check, also after they were written down and read back; wrong ones do not.
//!
//! Each test takes the evidence of a small program and changes one field at a time. A change that leaves the evidence right (an unused part, say) is not among
//! them: `refused` demands that the check fails, and fails as a check, not as a panic.

mod lies;
mod modular;
mod product;
mod shape;
mod states;
mod termination;

use base::{Budget, Inconclusive, Stats};
use certify::{check_proof, replay};
use engines::{Engine, Task};
use evidence::{FormulaNode, Formulas, Outcome, Proof, Trace};
use program::{Program, Property};

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A program with its property and a proof of it.
struct Proved {
    program: Program,
    property: Property,
    proof: Proof,
}

impl Proved {
    /// The proof that an engine finds.
    fn by(engine: &dyn Engine, text: &str, property: Property) -> Self {
        let program = parsed(text);
        let outcome = engine.run(&Task::new(&program, property, &Budget::unlimited()), &mut Stats::default());
        let Outcome::Safe(proof) = outcome else {
            panic!("{} should prove {property} of {text}: {outcome:?}", engine.name())
        };
        Self { program, property, proof }.accepted()
    }

    fn check(&self, proof: &Proof) -> Result<(), Inconclusive> {
        check_proof(&self.program, self.property, proof, &Budget::unlimited())
    }

    /// Demands that the proof passes its check, before and after serialisation.
    fn accepted(self) -> Self {
        assert_eq!(self.check(&self.proof), Ok(()));
        let outcome = Outcome::Safe(self.proof.clone());
        let Outcome::Safe(copy) = copied(&outcome) else { panic!("a proof should stay one") };
        assert_eq!(self.check(&copy), Ok(()), "a copy should be as good");
        self
    }

    /// Returns true if a changed proof is refused. For changes that may leave a proof right.
    fn is_refused(&self, change: impl FnOnce(&mut Proof)) -> bool {
        let mut changed = self.proof.clone();
        change(&mut changed);
        matches!(self.check(&changed), Err(Inconclusive::CheckFailed(_)))
    }

    /// Demands that a changed proof is refused, before and after serialisation; the reason.
    fn refused(&self, what: &str, change: impl FnOnce(&mut Proof)) -> String {
        let mut changed = self.proof.clone();
        change(&mut changed);
        assert!(changed != self.proof, "{what}: something should change");
        let reason = self.check(&changed);
        assert!(matches!(reason, Err(Inconclusive::CheckFailed(_))), "{what} should be refused: {reason:?}");
        let copy = copied(&changed);
        assert_eq!(self.check(&copy), reason, "{what}: a copy should be as bad");
        reason.expect_err("it was refused").to_string()
    }
}

/// The same value after it was written down and read back.
fn copied<T: serde::Serialize + for<'de> serde::Deserialize<'de> + PartialEq + std::fmt::Debug>(
    value: &T,
) -> T {
    let json = serde_json::to_string(value).expect("evidence should be serialisable");
    let copy: T = serde_json::from_str(&json).expect("evidence should be readable");
    assert!(copy == *value, "a copy should be equal");
    copy
}

/// Demands that a trace replays, before and after serialisation.
fn replays(program: &Program, trace: &Trace) {
    assert!(replay(program, trace).is_ok(), "{:?}", replay(program, trace).err());
    let Outcome::Unsafe(copy) = copied(&Outcome::Unsafe(trace.clone())) else {
        panic!("a trace should stay one")
    };
    assert!(replay(program, &copy).is_ok(), "a copy should be as good");
}

/// Makes formulas unreadable.
type Breaking = fn(&mut Formulas);

/// What can be wrong with formulas, whatever they are about. The last node of each change is broken.
fn broken_formulas() -> [(&'static str, Breaking); 4] {
    [
        ("an unknown variable", |formulas| {
            formulas.push(FormulaNode::Variable { name: "unknown".to_owned(), sort: logic::Sort::Bool });
        }),
        ("an operand that comes later", |formulas| {
            let next = u32::try_from(formulas.nodes().len()).expect("a proof should be small");
            formulas.push(FormulaNode::Apply(logic::Op::Not, vec![evidence::FormulaId(next + 1)]));
        }),
        ("an ill-sorted operation", |formulas| {
            let truth = formulas.truth(true);
            formulas.push(FormulaNode::Apply(logic::Op::BitNot, vec![truth]));
        }),
        ("a constant of no bits", |formulas| {
            formulas.push(FormulaNode::Constant { value: 0, width: 0 });
        }),
    ]
}

/// A program with two threads.
fn three(objects: &str, first: &str, second: &str, main: &str) -> String {
    format!(
        "program lp64 {objects}
        function main() -> 32 {{ reg h, g, r: 64 reg e, t: 32
            h = create(&first, 0)
            g = create(&second, 0)
            {main}
            return 0
        }}
        function first(arg: 64) -> 64 {{ reg t, i: 32 {first} return 0 }}
        function second(arg: 64) -> 64 {{ reg t, i: 32 {second} return 0 }}"
    )
}

const XYM: &str = "object x: 4 = 0 object y: 4 = 0 object m: 4 = 0";
const LOCKED_INCREMENT: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    t = [&x]:32
    [&x]:32 = t + 1
    [&m]:32 = 0";
const JOIN_AND_CHECK: &str = "r, e = join(h) r, e = join(g)
    if [&x]:32 == 2 then ok else bad
    bad: error unreach-call \"sum\"
    ok: skip";

/// Two threads that increment `x` under a lock.
fn locked_increments() -> String {
    three(XYM, LOCKED_INCREMENT, LOCKED_INCREMENT, JOIN_AND_CHECK)
}
