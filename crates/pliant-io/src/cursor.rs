//! A bounds-checked reader over bytes.

/// A position in a byte slice that advances as values are read.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// A read past the end of the bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Short {
    offset: usize,
    needed: usize,
    left: usize,
}

impl From<Short> for String {
    fn from(Short { offset, needed, left }: Short) -> Self {
        format!("needs {needed} bytes at byte {offset}, but {left} are left")
    }
}

impl<'a> Cursor<'a> {
    /// A cursor at `offset`, or at the end of the bytes if that comes first.
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { bytes, offset: offset.min(bytes.len()) }
    }

    /// The bytes not yet read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// The next `needed` bytes.
    pub(crate) fn take(&mut self, needed: usize) -> Result<&'a [u8], Short> {
        let left = self.rest().len();
        match self.rest().get(..needed) {
            Some(taken) => {
                self.offset += needed;
                Ok(taken)
            }
            None => Err(Short { offset: self.offset, needed, left }),
        }
    }

    /// The next `N` bytes, by value.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end() {
        let mut cursor = Cursor::new(&[1, 2, 3, 4, 5], 1);
        assert_eq!(cursor.array::<2>(), Ok([2, 3]));
        assert_eq!(cursor.take(3), Err(Short { offset: 3, needed: 3, left: 2 }));
        assert!(cursor.take(usize::MAX).is_err());
        assert_eq!(cursor.take(2), Ok(&[4, 5][..]));
        assert_eq!(cursor.take(0), Ok(&[][..]));
        assert_eq!(Cursor::new(&[1], 9).rest(), [0_u8; 0]);
    }

    #[test]
    fn a_short_read_says_where() {
        let short = Cursor::new(&[0; 6], 4).take(8).unwrap_err();
        assert_eq!(String::from(short), "needs 8 bytes at byte 4, but 2 are left");
    }
}
