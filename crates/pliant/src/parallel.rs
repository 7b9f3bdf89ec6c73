//! Threads: rayon's with the feature `rayon`, else the calling thread.
//!
//! Everything in the library that shares work uses these names, and none of its answers depends on
//! who does which part. So the library without threads gives the same bits.

#[cfg(feature = "rayon")]
pub(crate) use rayon::{current_num_threads, prelude::*};

#[cfg(not(feature = "rayon"))]
pub(crate) use alone::*;

/// Calls a function with all numbers below a count, on all threads. It is compiled once for all callers.
#[inline(never)]
pub(crate) fn for_each_number(count: usize, run: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(run);
}

/// The part of rayon's interface that the library uses, on one thread.
#[cfg(not(feature = "rayon"))]
mod alone {
    use std::iter;
    use std::slice;

    pub(crate) fn current_num_threads() -> usize {
        1
    }

    /// An iterator with the names of rayon's adapters: some differ from those of `Iterator`, and
    /// some have the same name and other arguments.
    pub(crate) struct Alone<I>(I);

    impl<I: Iterator> Alone<I> {
        pub(crate) fn enumerate(self) -> Alone<iter::Enumerate<I>> {
            Alone(self.0.enumerate())
        }

        pub(crate) fn zip<Z: IntoParallelIterator>(self, other: Z) -> Alone<iter::Zip<I, Z::Iter>> {
            Alone(self.0.zip(other.into_par_iter().0))
        }

        pub(crate) fn with_min_len(self, _: usize) -> Self {
            self
        }

        pub(crate) fn map<T, F: FnMut(I::Item) -> T>(self, f: F) -> Alone<iter::Map<I, F>> {
            Alone(self.0.map(f))
        }

        pub(crate) fn filter<F: FnMut(&I::Item) -> bool>(self, f: F) -> Alone<iter::Filter<I, F>> {
            Alone(self.0.filter(f))
        }

        pub(crate) fn flat_map_iter<T: IntoIterator, F: FnMut(I::Item) -> T>(
            self,
            f: F,
        ) -> Alone<iter::FlatMap<I, T, F>> {
            Alone(self.0.flat_map(f))
        }

        pub(crate) fn flatten_iter(self) -> Alone<iter::Flatten<I>>
        where
            I::Item: IntoIterator,
        {
            Alone(self.0.flatten())
        }

        pub(crate) fn reduce(
            self,
            identity: impl Fn() -> I::Item,
            f: impl FnMut(I::Item, I::Item) -> I::Item,
        ) -> I::Item {
            self.0.fold(identity(), f)
        }

        pub(crate) fn for_each(self, f: impl FnMut(I::Item)) {
            self.0.for_each(f);
        }

        pub(crate) fn count(self) -> usize {
            self.0.count()
        }

        pub(crate) fn collect<C: FromIterator<I::Item>>(self) -> C {
            self.0.collect()
        }
    }

    impl<I: Iterator> IntoIterator for Alone<I> {
        type Item = I::Item;
        type IntoIter = I;

        fn into_iter(self) -> I {
            self.0
        }
    }

    pub(crate) trait IntoParallelIterator {
        type Iter: Iterator;

        fn into_par_iter(self) -> Alone<Self::Iter>;
    }

    impl<T: IntoIterator> IntoParallelIterator for T {
        type Iter = T::IntoIter;

        fn into_par_iter(self) -> Alone<T::IntoIter> {
            Alone(self.into_iter())
        }
    }

    pub(crate) trait ParallelSlice<T> {
        fn par_iter(&self) -> Alone<slice::Iter<'_, T>>;
        fn par_iter_mut(&mut self) -> Alone<slice::IterMut<'_, T>>;
        fn par_chunks(&self, size: usize) -> Alone<slice::Chunks<'_, T>>;
        fn par_chunks_mut(&mut self, size: usize) -> Alone<slice::ChunksMut<'_, T>>;
    }

    impl<T> ParallelSlice<T> for [T] {
        fn par_iter(&self) -> Alone<slice::Iter<'_, T>> {
            Alone(self.iter())
        }

        fn par_iter_mut(&mut self) -> Alone<slice::IterMut<'_, T>> {
            Alone(self.iter_mut())
        }

        fn par_chunks(&self, size: usize) -> Alone<slice::Chunks<'_, T>> {
            Alone(self.chunks(size))
        }

        fn par_chunks_mut(&mut self, size: usize) -> Alone<slice::ChunksMut<'_, T>> {
            Alone(self.chunks_mut(size))
        }
    }
}
