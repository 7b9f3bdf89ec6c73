//! Matrices of `f32` from NumPy's `.npy` files, version 1: as much of the format as the data needs.

use anyhow::{Context, Result, ensure};

/// Rows of a matrix.
pub(crate) struct Matrix {
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

/// Reads a little-endian matrix in row order. Everything that its header says is checked.
pub(crate) fn read_npy(bytes: &[u8]) -> Result<Matrix> {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00").context("is no .npy file of version 1")?;
    let (length, rest) = rest.split_first_chunk().context("ends within its header")?;
    let length = usize::from(u16::from_le_bytes(*length));
    let (header, values) = rest.split_at_checked(length).context("ends within its header")?;
    let header = str::from_utf8(header).context("its header is no text")?;
    ensure!(header.contains("'descr': '<f4'"), "is not of little-endian f32");
    ensure!(header.contains("'fortran_order': False"), "is not in row order");
    let shape = header.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')'));
    let (shape, _) = shape.context("its header gives no shape")?;
    let sides: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty())
        .map(|side| side.parse().with_context(|| format!("`{side}` is no size")))
        .collect::<Result<_>>()?;
    let &[rows, columns] = &sides[..] else { anyhow::bail!("`({shape})` is no matrix") };
    let expected = rows.checked_mul(columns).and_then(|count| count.checked_mul(4));
    ensure!(
        columns > 0 && expected == Some(values.len()),
        "has {} bytes of values, not {rows} x {columns} of 4",
        values.len()
    );
    let (values, _) = values.as_chunks();
    let values: Vec<f32> = values.iter().map(|&value| f32::from_le_bytes(value)).collect();
    ensure!(values.iter().all(|value| value.is_finite()), "holds a value that is not finite");
    Ok(Matrix { columns, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, values: &[f32]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_matrix_is_read_and_lies_are_refused() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n";
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let whole = file(header, &values);
        let matrix = read_npy(&whole).unwrap();
        assert_eq!((matrix.columns, matrix.values), (3, values.to_vec()));
        for end in 0..whole.len() {
            assert!(read_npy(&whole[..end]).is_err(), "cut at {end}");
        }
        for (from, to) in [
            ("<f4", ">f4"),
            ("<f4", "<f8"),
            ("False", "True"),
            ("(2, 3)", "(3, 3)"),
            ("(2, 3)", "(6,)"),
            ("(2, 3)", "(2, x)"),
            ("(2, 3)", "(18446744073709551615, 3)"),
            ("shape", "size"),
        ] {
            assert!(read_npy(&file(&header.replace(from, to), &values)).is_err(), "{to}");
        }
        assert!(read_npy(&file(header, &[1.0, 2.0, 3.0, 4.0, 5.0, f32::NAN])).is_err());
    }
}
