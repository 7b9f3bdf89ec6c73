//! The materials of an object's triangles, by name.

use std::sync::Arc;

use super::Object;

/// The material of consecutive triangles of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaterialRun {
    /// The triangle after the last one of the run; a run begins where the one before it ends.
    pub end: usize,
    /// The material's name; `None` for triangles without a material.
    pub name: Option<Arc<str>>,
}

impl Object {
    /// The name of a triangle's material; `None` if the file names none for it.
    ///
    /// ```
    /// use pliant::{Mesh, glam::DVec3};
    /// use pliant_io::{Deformation, MaterialRun, Object};
    ///
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
    /// let mut object = Object::new("sheet", 0, mesh, Deformation::Rigid);
    /// assert_eq!(object.material(0), None);
    /// let run = |end, name: &str| MaterialRun { end, name: Some(name.into()) };
    /// object.materials = [run(1, "linen"), run(2, "brass")].into();
    /// assert_eq!((object.material(0), object.material(1)), (Some("linen"), Some("brass")));
    /// assert_eq!(object.material(2), None);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    #[must_use]
    pub fn material(&self, triangle: usize) -> Option<&str> {
        let run = self.materials.partition_point(|run| run.end <= triangle);
        self.materials.get(run)?.name.as_deref()
    }
}

/// Extends the runs up to triangle `end`, which is after their current end, with a material.
pub(crate) fn extend_runs(runs: &mut Vec<MaterialRun>, end: usize, name: Option<&Arc<str>>) {
    match runs.last_mut() {
        Some(last) if last.name.as_ref() == name => last.end = end,
        _ => runs.push(MaterialRun { end, name: name.cloned() }),
    }
}

/// Checks that runs end one after the other and cover all triangles, or that there are none.
pub(super) fn check_runs(object: &Object) -> Result<(), String> {
    let mut start = 0;
    for run in object.materials.iter() {
        if run.end <= start {
            return Err(format!(
                "a run of one material ends at triangle {}, after {start}",
                run.end
            ));
        }
        start = run.end;
    }
    let triangles = object.mesh.triangles().len();
    if !object.materials.is_empty() && start != triangles {
        return Err(format!(
            "its materials are those of {start} triangles, but it has {triangles}"
        ));
    }
    Ok(())
}
