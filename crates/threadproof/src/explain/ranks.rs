//! What falls along every infinite execution, one rank after the other.

use super::claims::Claims;
use super::names::Dictionary;
use super::print::Printer;
use base::Budget;
use evidence::{FormulaId, ModularRanking, ModularStage, RankingProof, Stage};
use program::{Program, Property};

/// Ranks of all threads together.
pub fn of_all(program: &Program, proof: &RankingProof, budget: &Budget) -> String {
    let first = |stage: &Stage| match stage {
        Stage::Ranking(values) => values.first().map(|(_, value)| *value),
        Stage::Fairness(_) => None,
    };
    let ranks: Vec<FormulaId> = proof.stages.iter().filter_map(first).collect();
    let falls = "along every infinite execution something falls";
    let Some(claims) = Claims::of_invariants(&proof.invariants, &ranks) else { return falls.to_owned() };
    let dictionary = Dictionary::of(program, &claims, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let mut ranks = claims.ranks.iter();
    let stages = proof.stages.iter().map(|stage| match stage {
        Stage::Ranking(values) if values.is_empty() => String::new(),
        Stage::Ranking(_) => ranks.next().map_or(String::new(), |rank| printer.text(*rank)),
        Stage::Fairness(thread) => format!("{} can move, and so it does", dictionary.thread(*thread)),
    });
    format!("{falls}: {}", listed(stages))
}

/// Ranks of each thread.
pub fn of_threads(program: &Program, proof: &ModularRanking, budget: &Budget) -> String {
    let falls = "each thread's ranks fall, whatever the others do";
    let first = |stage: &ModularStage| match stage {
        ModularStage::Ranking { values, .. } => values.first().map(|(_, value)| *value),
        ModularStage::Rests(_) => None,
    };
    let ranks: Vec<FormulaId> = proof.stages.iter().filter_map(first).collect();
    let claims = Claims::of_threads(program, Property::Termination, &proof.invariants, &ranks);
    let Some(claims) = claims else { return falls.to_owned() };
    let dictionary = Dictionary::of(program, &claims, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let thread = |template: &usize| dictionary.thread(claims.kinds[*template]);
    let mut ranks = claims.ranks.iter();
    let stages = proof.stages.iter().map(|stage| match stage {
        ModularStage::Ranking { template, values } => {
            let rank = if values.is_empty() { None } else { ranks.next() };
            match rank.filter(|rank| printer.terms.as_const(**rank).is_none()) {
                Some(rank) => format!("{} in {}", printer.text(*rank), thread(template)),
                None => format!("{} cannot go round any more", thread(template)),
            }
        }
        ModularStage::Rests(template) => format!("{} comes to rest", thread(template)),
    });
    format!("{falls}: {}", listed(stages))
}

/// So many ranks are told.
const MAX_RANKS: usize = 12;

/// What a proof goes through, one after the other.
fn listed(stages: impl ExactSizeIterator<Item = String>) -> String {
    let more = stages.len().saturating_sub(MAX_RANKS);
    let mut told: Vec<String> = stages.take(MAX_RANKS).collect();
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    if told.is_empty() { "there are no loops".to_owned() } else { told.join("; then ") }
}
