//! DCD: Fortran records of x, y and z, as written by CHARMM, NAMD and X-PLOR.

use pliant::glam::DVec3;

use super::Cell;
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
        if dcd.record.len() != 4 {
            let has = dcd.record.len();
            return Err(bytes.wrong(format!("the number of atoms takes {has} bytes, not 4")));
        }
        let has = dcd.int(0);
        if usize::try_from(has).ok() != Some(atoms) {
            return Err(bytes.wrong(format!("has {has} atoms, but the structure has {atoms}")));
        }
        if fixed != 0 {
            dcd.read_record(bytes)?;
            let free = dcd.free_atoms(fixed).map_err(|reason| bytes.wrong(reason))?;
            dcd.free = Some(free);
        }
        Ok(dcd)
    }

    /// The atoms that move, from the record that lists them. The file numbers atoms from 1.
    fn free_atoms(&self, fixed: i32) -> std::result::Result<Vec<usize>, String> {
        let count = usize::try_from(fixed).ok().and_then(|fixed| self.atoms.checked_sub(fixed));
        let count = count.ok_or_else(|| format!("{fixed} of {} atoms are fixed", self.atoms))?;
        if self.record.len() != 4 * count {
            let has = self.record.len();
            return Err(format!("the list of {count} free atoms takes {has} bytes"));
        }
        let mut free = Vec::with_capacity(count);
        for at in 0..count {
            let number = self.int(4 * at);
            let atom = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            match atom.filter(|&atom| atom < self.atoms) {
                Some(atom) => free.push(atom),
                None => return Err(format!("free atom {number} does not exist")),
            }
        }
        let mut sorted = free.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|two| two[0] == two[1]) {
            Some(two) => Err(format!("free atom {} is listed twice", two[0] + 1)),
            None => Ok(free),
        }
    }

    pub(super) fn read_frame(
        &mut self,
        bytes: &mut Bytes,
        positions: &mut Vec<DVec3>,
    ) -> Result<Option<Cell>> {
        let mut cell = None;
        if self.has_cell {
            self.read_record(bytes)?;
            cell = self.cell();
        }
        positions.clear();
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
            // The positions are allocated after a record has shown that so many exist.
            match &self.first {
                _ if !positions.is_empty() => {}
                Some(first) => positions.extend_from_slice(first),
                None => positions.resize(self.atoms, DVec3::ZERO),
            }
            for at in 0..count {
                let atom = free.as_ref().map_or(at, |free| free[at]);
                *axis(&mut positions[atom]) = f64::from(f32::from_bits(self.int(4 * at) as u32));
            }
        }
        if self.free.is_some() && self.first.is_none() {
            self.first = Some(positions.clone());
        }
        Ok(cell)
    }

    /// The cell in the record; `None` if it has another length or spans nothing.
    ///
    /// Programs agree on six numbers: a, gamma, b, beta, alpha, c. NAMD writes cosines of the
    /// angles, others degrees. CHARMM writes the symmetric matrix of the edges, whose numbers off
    /// the diagonal are no angles.
    fn cell(&self) -> Option<Cell> {
        if self.record.len() != 48 {
            return None;
        }
        let number = |at: usize| {
            let (low, high) = (self.int(8 * at) as u32, self.int(8 * at + 4) as u32);
            let (low, high) = if self.big_endian { (high, low) } else { (low, high) };
            f64::from_bits(u64::from(high) << 32 | u64::from(low))
        };
        let [a, gamma, b, beta, alpha, c] = std::array::from_fn(number);
        let angles = [alpha, beta, gamma];
        if angles.iter().all(|cosine| cosine.abs() < 1.0) {
            return Cell::from_cosines([a, b, c], angles);
        }
        if angles.iter().all(|angle| (1.0..180.0).contains(angle)) && a > 0.0 && b > 0.0 {
            return Cell::from_angles([a, b, c], angles);
        }
        let row = DVec3::new;
        Cell::new([row(a, gamma, beta), row(gamma, b, alpha), row(beta, alpha, c)])
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
