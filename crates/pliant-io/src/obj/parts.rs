//! The parts of an OBJ file: its faces by object, group and material.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::Part;
use crate::polygons::Triangles;
use crate::scene::{MaterialRun, Warning, extend_runs};

/// A file of more parts stays in one piece: some exporters make a group of every face, and objects
/// cost more than triangles.
pub(super) const MAX_PARTS: usize = 1 << 12;

/// Names are cut to this many bytes, since each may stand in the names of many parts.
const LONGEST_NAME: usize = 128;

/// What a statement names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Label {
    /// `o`
    Object,
    /// `g`
    Group,
    /// `usemtl`
    Material,
}

impl Label {
    /// What a keyword names; `None` for other keywords.
    pub(super) fn of(keyword: &[u8]) -> Option<Self> {
        match keyword {
            b"o" => Some(Self::Object),
            b"g" => Some(Self::Group),
            b"usemtl" => Some(Self::Material),
            _ => None,
        }
    }
}

/// A name's number; 0 is no name.
type NameId = u32;

/// The names that hold for faces, and the part of each face so far.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    names: Vec<Arc<str>>,
    known_names: HashMap<Arc<str>, NameId>,
    /// The names of the next face: object, group, material.
    current: [NameId; 3],
    /// The part of these names, if a face has had them since they were set.
    current_part: Option<u32>,
    /// The names of each part, in the order of their first faces.
    labels: Vec<[NameId; 3]>,
    known_parts: HashMap<[NameId; 3], u32>,
    of_face: Vec<u32>,
}

impl Parts {
    /// Takes the rest of a line as the name that holds for the faces after it. A new object begins
    /// without a group.
    pub(super) fn name(&mut self, label: Label, rest: &[u8]) {
        let id = self.id(rest);
        match label {
            Label::Object => self.current = [id, 0, self.current[2]],
            Label::Group => self.current[1] = id,
            Label::Material => self.current[2] = id,
        }
        self.current_part = None;
    }

    /// Puts the next face into the part of the current names.
    pub(super) fn add_face(&mut self) {
        let part = self.current_part.unwrap_or_else(|| {
            *self.known_parts.entry(self.current).or_insert_with(|| {
                self.labels.push(self.current);
                // Parts are fewer than the bytes of a file, which are at most 2^32.
                (self.labels.len() - 1) as u32
            })
        });
        self.current_part = Some(part);
        self.of_face.push(part);
    }

    fn id(&mut self, name: &[u8]) -> NameId {
        let name = name.trim_ascii();
        let name = String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]);
        if name.is_empty() {
            return 0;
        }
        if let Some(&id) = self.known_names.get(&*name) {
            return id;
        }
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        let id = self.names.len() as NameId;
        self.known_names.insert(name, id);
        id
    }

    fn text(&self, id: NameId) -> Option<&Arc<str>> {
        self.names.get((id as usize).checked_sub(1)?)
    }

    /// The parts of the file's triangles; one part of all of them if there is only one, or too
    /// many. `stem` names what
    /// has no name.
    pub(super) fn split(
        &self,
        triangles: Triangles,
        vertices: usize,
        stem: &str,
    ) -> (Vec<Part>, Vec<Warning>) {
        let count = self.labels.len();
        if count <= 1 || count > MAX_PARTS {
            let materials = self.material_runs(&triangles);
            let whole =
                Part { name: stem.into(), materials, triangles: triangles.list, vertices: None };
            let reason =
                format!("{count} objects, groups and materials are too many; it stays one object");
            let warnings = if count <= 1 { vec![] } else { vec![Warning::new("parts", reason)] };
            return (vec![whole], warnings);
        }
        let mut lists = vec![Vec::new(); count];
        let mut start = 0;
        for (&end, &part) in triangles.ends.iter().zip(&self.of_face) {
            lists[part as usize].extend_from_slice(&triangles.list[start..end]);
            start = end;
        }
        drop(triangles);
        let mut numbers = vec![0; vertices];
        let parts = lists.into_iter().zip(self.part_names(stem)).zip(&self.labels);
        let parts = parts.map(|((mut list, name), &[_, _, material])| {
            let vertices = renumber(&mut list, &mut numbers);
            let run = MaterialRun { end: list.len(), name: self.text(material).cloned() };
            let materials = if material == 0 { vec![] } else { vec![run] };
            Part { name, materials, triangles: list, vertices: Some(vertices) }
        });
        (parts.collect(), Vec::new())
    }

    /// The materials of all triangles in file order; empty if no face has one.
    fn material_runs(&self, triangles: &Triangles) -> Vec<MaterialRun> {
        let mut runs = Vec::new();
        if self.labels.iter().all(|&[_, _, material]| material == 0) {
            return runs;
        }
        for (&end, &part) in triangles.ends.iter().zip(&self.of_face) {
            let [_, _, material] = self.labels[part as usize];
            extend_runs(&mut runs, end, self.text(material));
        }
        runs
    }

    /// A name for each part: `object/group/material` without what is missing or says the same
    /// again. The material is named only if the object or group has several.
    fn part_names(&self, stem: &str) -> Vec<String> {
        let base = |&[object, group, _]: &[NameId; 3]| [object, group];
        let mut materials: HashMap<[NameId; 2], usize> = HashMap::new();
        for label in &self.labels {
            *materials.entry(base(label)).or_default() += 1;
        }
        let name = |label: &[NameId; 3]| {
            let [object, group, material] = label.map(|id| self.text(id).map(|name| &**name));
            let mut words: Vec<&str> = object.into_iter().chain(group).collect();
            words.dedup();
            if words.is_empty() {
                words.push(stem);
            }
            if materials[&base(label)] > 1 {
                words.extend(material);
            }
            words.join("/")
        };
        self.labels.iter().map(name).collect()
    }
}

/// Renumbers the corners of triangles so that only their own vertices are counted, in the file's
/// order, and returns these. `numbers` has an entry for each vertex of the file.
fn renumber(triangles: &mut [[u32; 3]], numbers: &mut [u32]) -> Vec<u32> {
    let mut vertices: Vec<u32> = triangles.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    for (number, &vertex) in vertices.iter().enumerate() {
        numbers[vertex as usize] = number as u32;
    }
    for corner in triangles.as_flattened_mut() {
        *corner = numbers[*corner as usize];
    }
    vertices
}
