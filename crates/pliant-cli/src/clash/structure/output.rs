//! Every clash of every frame as CSV, written as frames come.

use std::path::Path;

use anyhow::Result;

use crate::clash::row::{AtomRow, ClashFrameRow, ClashRun, ContactRow};
use crate::write::{Output, csv_field};

/// A line per clash.
pub(crate) struct CsvReport {
    out: Output,
}

impl CsvReport {
    pub(crate) fn create(file: &Path) -> Result<Self> {
        let mut out = Output::create(file)?;
        let head = "frame,chain_1,residue_1,number_1,atom_1,chain_2,residue_2,number_2,atom_2,\
                    distance,overlap";
        out.write(|out| writeln!(out, "{head}"))?;
        Ok(Self { out })
    }

    pub(crate) fn add(&mut self, frame: &ClashFrameRow, run: &ClashRun) -> Result<()> {
        let contacts = frame.contacts.as_deref().unwrap_or_default();
        self.out.write(|out| {
            for (pair, ContactRow { distance, overlap, .. }) in frame.clashes.iter().zip(contacts) {
                write!(out, "{}", frame.index)?;
                for AtomRow(names) in pair.iter().filter_map(|&bead| run.atoms.get(bead as usize)) {
                    for name in names {
                        write!(out, ",{}", csv_field(name))?;
                    }
                }
                writeln!(out, ",{distance:.4},{overlap:.4}")?;
            }
            Ok(())
        })
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.out.finish()
    }
}
