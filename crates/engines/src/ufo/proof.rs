//! The complete, well-labelled graph as a proof: at each control, what one of its expanded nodes says.

use super::Ufo;
use super::arg::{Fate, START};
use super::phase::SiteId;
use super::sleep::Asleep;
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
        let mut labels: BTreeMap<(GlobalLocationId, Asleep), BTreeMap<SiteId, Vec<Term>>> = BTreeMap::new();
        for (v, node) in self.arg.nodes.iter_enumerated() {
            if v != START && node.fate == Fate::Expanded {
                let place = (node.control, node.asleep.clone().unwrap_or_default());
                labels.entry(place).or_default().entry(node.site).or_default().push(node.psi);
            }
        }
        let mut points = Vec::with_capacity(labels.len());
        for ((id, asleep), sites) in labels {
            let control = Arc::clone(self.edges.control(id));
            let mut ends = Vec::new();
            let site = *sites.keys().next().expect("a control should have a site");
            for thread in control.movable() {
                let ids = self.stops(site, thread)?;
                let mut controls: Vec<GlobalLocationId> = ids.iter().copied().collect();
                controls.sort_unstable();
                ends.push((thread, controls));
            }
            let labels: Vec<Term> =
                sites.into_iter().map(|(site, parts)| self.label_of(site, &parts)).collect();
            points.push((id, asleep, labels, ends));
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

    /// The phase, and what one of the site's nodes says.
    fn label_of(&mut self, site: SiteId, parts: &[Term]) -> Term {
        let phase = Rc::clone(self.sites.phase(site));
        let mut all: Vec<Term> = Vec::with_capacity(phase.len() + 1);
        for &(x, value) in phase.iter() {
            let x = self.terms.var_of(x);
            all.push(self.terms.eq(x, value));
        }
        all.push(self.terms.or(parts));
        self.terms.and(&all)
    }
}
