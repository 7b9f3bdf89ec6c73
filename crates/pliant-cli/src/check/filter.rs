//! `--only`, `--ignore`: which pairs of objects are looked at.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use pliant_io::SceneBodies;

use crate::pattern::PairPattern;
use crate::source::Input;

/// Pairs of objects by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    /// Only these pairs, if there are any.
    pub(crate) only: Vec<PairPattern>,
    /// Not these.
    pub(crate) ignore: Vec<PairPattern>,
}

impl Filter {
    /// Whether a pair of names is looked at.
    pub(crate) fn counts(&self, names: [&str; 2]) -> bool {
        let fits = |patterns: &[PairPattern]| patterns.iter().any(|one| one.matches(names));
        (self.only.is_empty() || fits(&self.only)) && !fits(&self.ignore)
    }

    /// Lets the bodies of an input leave out what is not looked at.
    pub(crate) fn apply(&self, input: &Input, bodies: &mut SceneBodies) -> Result<()> {
        if self.only.is_empty() && self.ignore.is_empty() {
            return Ok(());
        }
        // Objects of one name are alike. What a rule says of two names is found out once.
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        let ids = bodies.ids().to_vec();
        let mut of_bodies = Vec::with_capacity(ids.len());
        for object in 0..ids.len() {
            let name = input.name(object as u32);
            let number = *numbers.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() as u32 - 1
            });
            of_bodies.push(number);
        }
        for (&id, &number) in ids.iter().zip(&of_bodies) {
            if bodies.world().counts(id, id)? && !self.counts([names[number as usize]; 2]) {
                bodies.world_mut().set_self_contact(id, false)?;
            }
        }
        let by_id: HashMap<_, u32> = ids.into_iter().zip(of_bodies).collect();
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        let rule = Arc::new(self.clone());
        bodies.world_mut().set_pair_rule(move |a, b| match (by_id.get(&a), by_id.get(&b)) {
            (Some(&a), Some(&b)) => rule.counts([&names[a as usize], &names[b as usize]]),
            _ => true,
        });
        Ok(())
    }

    /// Patterns that fit no pair of names: most likely a slip.
    pub(crate) fn idle<'a>(&'a self, names: &[&str]) -> Vec<&'a str> {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        let fits = |pattern: &PairPattern| {
            names.iter().any(|a| names.iter().any(|b| pattern.matches([a, b])))
        };
        let all = self.only.iter().chain(&self.ignore);
        // Beyond a thousand names that would take longer than the run.
        if names.len() > 1000 {
            return Vec::new();
        }
        all.filter(|pattern| !fits(pattern)).map(PairPattern::text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chooses_and_ignore_leaves_out() {
        let pattern = |text: &str| text.parse::<PairPattern>().unwrap();
        let filter = Filter {
            only: vec![pattern("hero:*")],
            ignore: vec![pattern("*:sword"), pattern("hero:hero")],
        };
        assert!(filter.counts(["hero", "shield"]) && filter.counts(["Shield", "Hero"]));
        assert!(!filter.counts(["hero", "sword"]) && !filter.counts(["hero", "hero"]));
        assert!(!filter.counts(["ground", "shield"]));
        assert!(Filter::default().counts(["a", "b"]));
        assert_eq!(filter.idle(&["hero", "shield"]), ["*:sword"]);
    }
}
