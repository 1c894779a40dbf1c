//! What falls along every infinite execution, one rank after the other.

use super::claims::Claims;
use super::names::Dictionary;
use super::print::Printer;
use base::Budget;
use evidence::{ModularRanking, ModularStage, RankingProof, Stage};
use program::{Program, Property};

/// Ranks of all threads together.
pub fn of_all(program: &Program, ranks: &RankingProof, budget: &Budget) -> String {
    let mut claims = Claims::of_invariants(&ranks.invariants);
    for stage in &ranks.stages {
        if let Stage::Ranking(ranks) = stage {
            claims.ranks.extend(ranks.iter().map(|(_, rank)| *rank));
        }
    }
    let dictionary = Dictionary::of(program, &claims, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let stages = ranks.stages.iter().map(|stage| match stage {
        Stage::Ranking(ranks) => ranks.first().map_or(String::new(), |(_, rank)| printer.text(*rank)),
        Stage::Fairness(thread) => format!("{} can move, and so it does", dictionary.thread(*thread)),
    });
    format!("along every infinite execution something falls: {}", listed(stages))
}

/// Ranks of each thread.
pub fn of_threads(program: &Program, ranks: &ModularRanking, budget: &Budget) -> String {
    let falls = "each thread's ranks fall, whatever the others do";
    let Some(mut claims) = Claims::of_threads(program, Property::Termination, &ranks.invariants) else {
        return falls.to_owned();
    };
    for stage in &ranks.stages {
        if let ModularStage::Ranking { ranks, .. } = stage {
            claims.ranks.extend(ranks.iter().map(|(_, rank)| *rank));
        }
    }
    let dictionary = Dictionary::of(program, &claims, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let thread = |template: &usize| dictionary.thread(claims.kinds[*template]);
    let stages = ranks.stages.iter().map(|stage| match stage {
        ModularStage::Ranking { template, ranks } => match ranks.first() {
            Some((_, rank)) if printer.terms.as_const(*rank).is_none() => {
                format!("{} in {}", printer.text(*rank), thread(template))
            }
            _ => format!("{} cannot go round any more", thread(template)),
        },
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
