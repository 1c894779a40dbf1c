//! Maps as lists of pairs, for formats whose keys are strings: `#[serde(with = "base::pairs")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a map as a list of pairs, in the map's order.
pub fn serialize<'a, M, K, V, S>(map: &'a M, to: S) -> Result<S::Ok, S::Error>
where
    &'a M: IntoIterator<Item = (&'a K, &'a V)>,
    K: Serialize + 'a,
    V: Serialize + 'a,
    S: Serializer,
{
    to.collect_seq(map)
}

/// Reads a map from a list of pairs.
pub fn deserialize<'de, M, K, V, D>(from: D) -> Result<M, D::Error>
where
    M: FromIterator<(K, V)>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
}
