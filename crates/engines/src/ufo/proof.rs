//! The complete, well-labelled graph as a proof: at each control, what one of its expanded nodes says.

use super::Ufo;
use super::arg::{Fate, START};
use super::phase::SiteId;
use super::sleep::Asleep;
use base::Inconclusive;
use evidence::{CutPoint, CutProof, Proof};
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
            let site = *sites.keys().next().expect("a control should have a site");
            let mut stops = Vec::new();
            for thread in control.movable() {
                let ids = self.stops(site, thread)?;
                let mut controls: Vec<GlobalLocationId> = ids.iter().copied().collect();
                controls.sort_unstable();
                let controls = controls.into_iter().map(|id| Arc::clone(self.edges.control(id)));
                stops.push((thread, controls.collect()));
            }
            let labels = sites.into_iter().map(|(site, parts)| self.label_of(site, &parts)).collect();
            points.push(CutPoint { control, asleep, labels, stops });
        }
        let identities = self.encoder.interp().identities();
        Ok(Proof::Cuts(Box::new(CutProof { terms: Arc::new(self.terms), identities, points })))
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
