//! Why every fair execution ends: which ranking functions decrease, stage by stage.

use super::labelling::Labelling;
use super::names::Dictionary;
use super::print::Printer;
use base::Budget;
use evidence::{FormulaId, ModularRanking, ModularStage, RankingProof, Stage};
use program::{Program, Property};
use semantics::modular::TemplateId;

/// Ranking functions of all threads together.
pub fn of_all(program: &Program, proof: &RankingProof, budget: &Budget) -> String {
    let first = |stage: &Stage| match stage {
        Stage::Ranking(values) => values.first().map(|(_, value)| *value),
        Stage::Fairness(_) => None,
    };
    let functions: Vec<FormulaId> = proof.stages.iter().filter_map(first).collect();
    let decrease = "no execution is infinite, because these decrease along it";
    let Some(labelling) = Labelling::of_invariants(&proof.invariants, &functions) else {
        return decrease.to_owned();
    };
    let dictionary = Dictionary::of(program, &labelling, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let mut functions = labelling.ranking.iter();
    let stages = proof.stages.iter().map(|stage| match stage {
        Stage::Ranking(values) if values.is_empty() => String::new(),
        Stage::Ranking(_) => functions.next().map_or(String::new(), |function| printer.text(*function)),
        Stage::Fairness(thread) => format!("{} can move, and so it does", dictionary.thread(*thread)),
    });
    format!("{decrease}: {}", listed(stages))
}

/// Ranking functions of each thread.
pub fn of_threads(program: &Program, proof: &ModularRanking, budget: &Budget) -> String {
    let decrease = "each thread's ranking functions decrease, whatever the others do";
    let first = |stage: &ModularStage| match stage {
        ModularStage::Ranking { values, .. } => values.first().map(|(_, value)| *value),
        ModularStage::Rests(_) => None,
    };
    let functions: Vec<FormulaId> = proof.stages.iter().filter_map(first).collect();
    let labelling = Labelling::of_threads(program, Property::Termination, &proof.invariants, &functions);
    let Some(labelling) = labelling else { return decrease.to_owned() };
    let dictionary = Dictionary::of(program, &labelling, budget);
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let thread = |template: &TemplateId| dictionary.thread(labelling.templates[*template]);
    let mut functions = labelling.ranking.iter();
    let stages = proof.stages.iter().map(|stage| match stage {
        ModularStage::Ranking { template, values } => {
            let function = if values.is_empty() { None } else { functions.next() };
            match function.filter(|function| printer.terms.as_const(**function).is_none()) {
                Some(function) => format!("{} in {}", printer.text(*function), thread(template)),
                None => format!("{} has no loop left", thread(template)),
            }
        }
        ModularStage::Rests(template) => format!("{} comes to rest", thread(template)),
    });
    format!("{decrease}: {}", listed(stages))
}

/// Maximum number of stages that are shown.
const MAX_STAGES: usize = 12;

/// The stages of a proof, one after the other.
fn listed(stages: impl ExactSizeIterator<Item = String>) -> String {
    let more = stages.len().saturating_sub(MAX_STAGES);
    let mut shown: Vec<String> = stages.take(MAX_STAGES).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    if shown.is_empty() { "there are no loops".to_owned() } else { shown.join("; then ") }
}
