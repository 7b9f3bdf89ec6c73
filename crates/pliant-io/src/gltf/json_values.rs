//! JSON values with the rules of glTF: integers, arrays that are not empty, and objects.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// An integer from 0 to 2^53, which may also be written as `1.0` or `1e0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Count(pub(super) u64);

impl Count {
    /// The number as an index; if it does not fit, an index that is out of range everywhere.
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Count;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a whole number from 0 to 2^53")
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Count, E> {
                if value > 1 << 53 {
                    return Err(E::custom(format_args!("{value} is too large")));
                }
                Ok(Count(value))
            }

            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Count, E> {
                if value.fract() != 0.0 || !(0.0..=(1u64 << 53) as f64).contains(&value) {
                    return Err(E::custom(format_args!("{value:?} is not a whole number from 0")));
                }
                Ok(Count(value as u64))
            }
        }
        input.deserialize_any(Whole)
    }
}

/// An array that is not empty if it is present, since the format forbids empty ones.
#[derive(Debug, Clone)]
pub(super) struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let list = Vec::deserialize(input)?;
        if list.is_empty() {
            return Err(D::Error::custom("an array is empty"));
        }
        Ok(Self(list))
    }
}

/// A JSON object within an element. Without this, serde would also accept an array of the fields in
/// order.
pub(super) struct Object<T>(T);

impl<T> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        input.deserialize_map(Fields(PhantomData))
    }
}
