//! DCD: Fortran records of x, y and z, as written by CHARMM, NAMD and X-PLOR.

use pliant::glam::DVec3;

use super::trajectory::Bytes;
use crate::Result;

/// The header's data, and the state that frames share.
#[derive(Debug)]
pub(super) struct Dcd {
    big_endian: bool,
    has_cell: bool,
    atoms: usize,
    /// The atoms that move, if some are fixed; frames after the first have only these.
    free: Option<Vec<usize>>,
    first: Option<Vec<DVec3>>,
    record: Vec<u8>,
}

/// Bytes of the first record: a word and twenty numbers.
const HEADER: u32 = 84;

impl Dcd {
    pub(super) fn read_header(bytes: &mut Bytes, atoms: usize) -> Result<Self> {
        let marker = bytes.four()?;
        let big_endian = match (u32::from_le_bytes(marker), u32::from_be_bytes(marker)) {
            (HEADER, _) => false,
            (_, HEADER) => true,
            _ => return Err(bytes.wrong("does not begin with a record of 84 bytes")),
        };
        let mut dcd = Self {
            big_endian,
            has_cell: false,
            atoms,
            free: None,
            first: None,
            record: Vec::new(),
        };
        dcd.rest_of_record(bytes, u64::from(HEADER))?;
        if !dcd.record.starts_with(b"CORD") {
            return Err(bytes.wrong("holds no coordinates: the word CORD is missing"));
        }
        let [fixed, cell, fourth, charmm] = [8, 10, 11, 19].map(|at| dcd.int(4 + 4 * at));
        dcd.has_cell = charmm != 0 && cell != 0;
        if charmm != 0 && fourth != 0 {
            return Err(bytes.wrong("has four dimensions"));
        }
        dcd.read_record(bytes)?;
        dcd.read_record(bytes)?;
        let has = if dcd.record.len() == 4 { dcd.int(0) } else { -1 };
        if usize::try_from(has).ok() != Some(atoms) {
            return Err(bytes.wrong(format!("has {has} atoms, but the structure has {atoms}")));
        }
        if fixed != 0 {
            dcd.read_record(bytes)?;
            let free: Option<Vec<usize>> = (0..dcd.record.len() / 4)
                .map(|at| usize::try_from(dcd.int(4 * at)).ok()?.checked_sub(1))
                .collect();
            let free = free.filter(|free| free.iter().all(|&atom| atom < atoms));
            let count = usize::try_from(fixed).ok().and_then(|fixed| atoms.checked_sub(fixed));
            match free.filter(|free| Some(free.len()) == count) {
                Some(free) => dcd.free = Some(free),
                None => return Err(bytes.wrong("the list of free atoms does not fit")),
            }
        }
        Ok(dcd)
    }

    pub(super) fn read_frame(
        &mut self,
        bytes: &mut Bytes,
        positions: &mut Vec<DVec3>,
    ) -> Result<()> {
        if self.has_cell {
            self.read_record(bytes)?;
        }
        positions.clear();
        match &self.first {
            Some(first) => positions.extend_from_slice(first),
            None => positions.resize(self.atoms, DVec3::ZERO),
        }
        // Later frames have only the free atoms.
        let free = if self.first.is_some() { self.free.clone() } else { None };
        let count = free.as_ref().map_or(self.atoms, Vec::len);
        let axes: [fn(&mut DVec3) -> &mut f64; 3] = [|p| &mut p.x, |p| &mut p.y, |p| &mut p.z];
        for axis in axes {
            self.read_record(bytes)?;
            if self.record.len() != 4 * count {
                let (has, needs) = (self.record.len(), 4 * count);
                return Err(bytes.wrong(format!("coordinates take {has} bytes, not {needs}")));
            }
            for at in 0..count {
                let atom = free.as_ref().map_or(at, |free| free[at]);
                *axis(&mut positions[atom]) = f64::from(f32::from_bits(self.int(4 * at) as u32));
            }
        }
        if self.free.is_some() && self.first.is_none() {
            self.first = Some(positions.clone());
        }
        Ok(())
    }

    /// A number of the record, which must be long enough.
    fn int(&self, at: usize) -> i32 {
        let word = self.record.get(at..at + 4).and_then(|word| word.try_into().ok());
        let word = word.unwrap_or_default();
        if self.big_endian { i32::from_be_bytes(word) } else { i32::from_le_bytes(word) }
    }

    /// The length of a record from its marker.
    fn length(&self, marker: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(marker) } else { u32::from_le_bytes(marker) }
    }

    fn read_record(&mut self, bytes: &mut Bytes) -> Result<()> {
        let marker = bytes.four()?;
        self.rest_of_record(bytes, u64::from(self.length(marker)))
    }

    /// Reads the record's bytes and checks its length at the end.
    fn rest_of_record(&mut self, bytes: &mut Bytes, length: u64) -> Result<()> {
        bytes.take(length, &mut self.record)?;
        let marker = bytes.four()?;
        let again = self.length(marker);
        if u64::from(again) == length {
            return Ok(());
        }
        Err(bytes.wrong(format!("a record of {length} bytes ends with the length {again}")))
    }
}
