//! What falls along every infinite execution, one rank after the other.

use certify::{ModularRanks, ModularStage, RankProof, Stage};

/// Ranks of all threads together.
pub fn of_all(ranks: &RankProof) -> String {
    let terms = &ranks.invariants.steps.terms;
    let stages = ranks.stages.iter().map(|stage| match stage {
        Stage::Rank(ranks) => ranks.first().map_or(String::new(), |(_, rank)| terms.show(*rank)),
        Stage::Idle(thread) => format!("{thread} can move, and so it does"),
    });
    format!("along every infinite execution something falls: {}", listed(stages))
}

/// Ranks of each thread.
pub fn of_threads(ranks: &ModularRanks) -> String {
    let terms = &ranks.invariants.terms;
    let stages = ranks.stages.iter().map(|stage| match stage {
        ModularStage::Rank { class, ranks } => match ranks.first() {
            Some((_, rank)) if terms.as_const(*rank).is_none() => {
                format!("{} in threads of kind {class}", terms.show(*rank))
            }
            _ => format!("threads of kind {class} cannot go round any more"),
        },
        ModularStage::Rests(class) => format!("the thread of kind {class} comes to rest"),
    });
    format!("each thread's ranks fall, whatever the others do: {}", listed(stages))
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
