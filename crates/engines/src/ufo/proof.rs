//! The complete, well-labelled graph as a proof: at each control, what one of its expanded nodes says.

use super::Ufo;
use super::arg::{Fate, START};
use super::phase::SiteId;
use crate::edges::ControlId;
use certify::{CutPoint, CutProof, Proof};
use logic::Term;
use program::interp::ThreadId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use symbolic::{Control, Kind};

impl Ufo<'_> {
    /// The graph of the last pass as a proof.
    pub(super) fn into_proof(mut self) -> Proof {
        let mut labels: BTreeMap<ControlId, BTreeMap<SiteId, Vec<Term>>> = BTreeMap::new();
        for (v, node) in self.arg.nodes.iter_enumerated() {
            if v != START && node.fate == Fate::Expanded {
                labels.entry(node.control).or_default().entry(node.site).or_default().push(node.psi);
            }
        }
        let mut points = Vec::with_capacity(labels.len());
        for (id, sites) in labels {
            let control = Arc::clone(self.edges.control(id));
            let stops = control.movable().map(|t| (t, self.stops(t, sites.keys().copied()))).collect();
            let labels = sites.into_iter().map(|(site, parts)| self.label_of(site, &parts)).collect();
            points.push(CutPoint { control, labels, stops });
        }
        let identities = self.encoder.interp().identities();
        Proof::Cuts(Box::new(CutProof { terms: Arc::new(self.terms), identities, points }))
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

    /// Where a thread stops next, in some phase of its control.
    fn stops(&self, thread: ThreadId, sites: impl Iterator<Item = SiteId>) -> Vec<Arc<Control>> {
        let blocks = sites.filter_map(|site| self.blocks.known(site, thread));
        let going = blocks.flat_map(|b| b.edges.iter().filter(|e| e.kind == Kind::Goes));
        let ids: BTreeSet<ControlId> = going.map(|e| e.control).collect();
        ids.into_iter().map(|id| Arc::clone(self.edges.control(id))).collect()
    }
}
