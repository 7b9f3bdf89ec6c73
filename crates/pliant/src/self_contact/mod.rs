//! What keeps clear of itself, prepared once.

mod rest_pairs;

pub use rest_pairs::RestPairs;
