//! The complete, well-labelled graph as a proof: at each control, what one of its expanded nodes says.

use super::Ufo;
use super::arg::{Fate, START};
use super::partition::PartitionedLocationId;
use super::sleep::SleepSet;
use base::Inconclusive;
use evidence::{CutPoint, CutProof, ProductWriter, Proof};
use logic::Term;
use semantics::transition::GlobalLocationId;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

impl Ufo<'_> {
    /// The graph of the last pass as a proof.
    pub(super) fn into_proof(mut self) -> Result<Proof, Inconclusive> {
        let mut labels: BTreeMap<(GlobalLocationId, SleepSet), BTreeMap<PartitionedLocationId, Vec<Term>>> =
            BTreeMap::new();
        for (v, node) in self.arg.nodes.iter_enumerated() {
            if v != START && node.fate == Fate::Expanded {
                let place = (node.control, node.sleep_set.clone().unwrap_or_default());
                labels.entry(place).or_default().entry(node.location).or_default().push(node.psi);
            }
        }
        let mut points = Vec::with_capacity(labels.len());
        for ((id, sleep_set), locations) in labels {
            let control = Arc::clone(self.edges.control(id));
            let mut ends = Vec::new();
            let location = *locations.keys().next().expect("a control should have a location");
            for thread in control.movable() {
                let ids = self.stops(location, thread)?;
                let mut controls: Vec<GlobalLocationId> = ids.iter().copied().collect();
                controls.sort_unstable();
                ends.push((thread, controls));
            }
            let labels: Vec<Term> =
                locations.into_iter().map(|(location, parts)| self.label_of(location, &parts)).collect();
            points.push((id, sleep_set, labels, ends));
        }
        let mut writer = ProductWriter::new(&self.terms);
        let mut cut_points = Vec::with_capacity(points.len());
        for (id, sleep_set, labels, ends) in points {
            let mut place = |id| writer.location(self.edges.control(id));
            let location = place(id);
            let stops = ends.into_iter().map(|(t, ids)| (t, ids.into_iter().map(&mut place).collect()));
            let stops = stops.collect();
            let labels = labels.into_iter().map(|label| writer.formula(label)).collect();
            cut_points.push(CutPoint { location, sleep_set, labels, stops });
        }
        let product = writer.finish(self.encoder.interp().identities());
        Ok(Proof::Cuts(Box::new(CutProof::new(product, cut_points))))
    }

    /// The partition, and what one of the location's nodes says.
    fn label_of(&mut self, location: PartitionedLocationId, parts: &[Term]) -> Term {
        let partition = Rc::clone(self.locations.partition(location));
        let mut all: Vec<Term> = Vec::with_capacity(partition.len() + 1);
        for &(x, value) in partition.iter() {
            let x = self.terms.var_of(x);
            all.push(self.terms.eq(x, value));
        }
        all.push(self.terms.or(parts));
        self.terms.and(&all)
    }
}
