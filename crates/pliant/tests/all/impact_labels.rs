//! Impacts of real and handcrafted data: every label, and every time that is known.

use num_bigint::BigInt;
use pliant::Mesh;
use pliant::contact::{ImpactTime, edge_edge_impact, vertex_face_impact};
use pliant::glam::DVec3;
use pliant_scenes::{ImpactQuery, read_impact_queries};

use crate::support::data_file;

#[derive(Clone, Copy)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

fn impact(kind: Kind, start: [DVec3; 4], end: [DVec3; 4]) -> Option<ImpactTime> {
    let time = match kind {
        Kind::VertexFace => vertex_face_impact(start, end),
        Kind::EdgeEdge => edge_edge_impact(start, end),
    };
    if let Some(ImpactTime { lo, hi }) = time {
        assert!((0.0..=1.0).contains(&lo) && (hi == lo || hi == lo.next_up() && hi <= 1.0));
    }
    time
}

fn text(path: &str) -> Option<String> {
    let (bytes, _) = data_file(&format!("ccd/{path}"))?;
    Some(String::from_utf8(bytes).unwrap())
}

/// The items of a flat JSON array.
fn items(json: &str) -> Vec<String> {
    let inner = json.trim().trim_start_matches('[').trim_end_matches(']');
    inner.split(',').map(|item| item.trim().to_string()).collect()
}

#[test]
fn handcrafted_queries() {
    let sets = ["unit-tests", "erleben-spikes", "erleben-wedges", "erleben-sliding-spike"];
    let more = ["erleben-spike-wedge", "erleben-cube-internal-edges"];
    let (mut queries, mut hits) = (0, 0);
    for set in sets.iter().chain(&more) {
        for (kind, folder) in [(Kind::VertexFace, "vertex-face"), (Kind::EdgeEdge, "edge-edge")] {
            for part in 0..2 {
                let path = format!("sample-queries/{set}/{folder}/data_0_{part}.csv");
                let Some(text) = text(&path) else { return };
                for (i, ImpactQuery { start, end, label }) in
                    read_impact_queries(&text).unwrap().into_iter().enumerate()
                {
                    let time = impact(kind, start, end);
                    assert_eq!(Some(time.is_some()), label, "{path}, query {i}");
                    queries += 1;
                    hits += usize::from(time.is_some());
                }
            }
        }
    }
    println!("{queries} queries, {hits} hits");
    assert!(queries > 2800, "{queries}");
}

/// Whether a decimal number, whose last digit is rounded, is within a time.
fn contains(time: ImpactTime, decimal: &str) -> bool {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    // With an exponent there would be more to read.
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let ten = BigInt::from(10).pow(fraction.len() as u32);
    // x 2^1074 is an integer.
    let scaled = |x: f64| {
        let exponent = (x.to_bits() >> 52) as u32;
        let mantissa = x.to_bits() & (u64::MAX >> 12);
        let normal = BigInt::from(mantissa | 1 << 52) << exponent.saturating_sub(1);
        (if exponent == 0 { BigInt::from(mantissa) } else { normal }) * &ten
    };
    let grid = |digits: BigInt| digits << 1074;
    scaled(time.lo) <= grid(&digits + 1) && grid(&digits - 1) <= scaled(time.hi)
}

fn check_queries(set: &str, name: &str, kind: Kind) {
    let Some(queries) = text(&format!("scalable-ccd/{set}/queries/{name}.csv")) else { return };
    let labels = text(&format!("scalable-ccd/{set}/mma_bool/{name}_mma_bool.json")).unwrap();
    let times = text(&format!("derived-toi/{set}_{name}_toi.csv")).unwrap();
    let queries = read_impact_queries(&queries).unwrap();
    let found: Vec<Option<ImpactTime>> =
        queries.iter().map(|query| impact(kind, query.start, query.end)).collect();
    let labels: Vec<bool> = items(&labels).iter().map(|item| item == "true").collect();
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<bool>>(), labels);
    let mut known = 0;
    for line in times.lines().skip(1) {
        let mut fields = line.split(',');
        let query: usize = fields.next().unwrap().parse().unwrap();
        let time = fields.next().unwrap();
        let found = found[query].unwrap();
        assert!(contains(found, time), "{set} {name} {query}: {time} is not in {found:?}");
        known += 1;
    }
    assert_eq!(known, labels.iter().filter(|&&hit| hit).count());
}

#[test]
fn cloth_and_funnel() {
    check_queries("cloth-funnel", "227vf", Kind::VertexFace);
    check_queries("cloth-funnel", "227ee", Kind::EdgeEdge);
}

#[test]
fn twisted_rods() {
    check_queries("rod-twist", "3036vf", Kind::VertexFace);
    check_frames("rod-twist", ["3036", "3037"], "3036vf", Kind::VertexFace);
    check_frames("rod-twist", ["3036", "3037"], "3036ee", Kind::EdgeEdge);
}

#[test]
fn cloth_and_ball() {
    let frames = ["cloth_ball92", "cloth_ball93"];
    check_frames("cloth-ball", frames, "92vf", Kind::VertexFace);
    check_frames("cloth-ball", frames, "92ee", Kind::EdgeEdge);
}

/// Undirected edges, sorted by their larger and then by their smaller vertex.
fn edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let sides = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable_by_key(|&[low, high]| (high, low));
    edges.dedup();
    edges
}

/// The pairs that the data lists of two frames, against their labels.
fn check_frames(set: &str, frames: [&str; 2], name: &str, kind: Kind) {
    let read = |frame: &str| {
        let (bytes, file) = data_file(&format!("ccd/scalable-ccd/{set}/frames/{frame}.ply"))?;
        Some(pliant_io::read_ply(&bytes, &file).unwrap())
    };
    let [Some(start), Some(end)] = frames.map(read) else { return };
    let pairs = text(&format!("scalable-ccd/{set}/boxes/{name}.json")).unwrap();
    let labels = text(&format!("scalable-ccd/{set}/mma_bool/{name}_mma_bool.json")).unwrap();
    let ids: Vec<usize> = items(&pairs)
        .iter()
        .map(|item| item.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap())
        .collect();
    let (vertices, edges) = (start.positions().len(), edges(&start));
    let corners = |id: usize| -> Vec<u32> {
        match (id.checked_sub(vertices), id.checked_sub(vertices + edges.len())) {
            (None, _) => vec![id as u32],
            (Some(edge), None) => edges[edge].to_vec(),
            (_, Some(face)) => start.triangles()[face].to_vec(),
        }
    };
    let (pairs, labels) = (ids.chunks_exact(2), items(&labels));
    assert_eq!(pairs.len(), labels.len());
    for (pair, label) in pairs.zip(labels) {
        let four: Vec<u32> = pair.iter().flat_map(|&id| corners(id)).collect();
        let four: [u32; 4] = four.try_into().unwrap();
        let at = |mesh: &Mesh| four.map(|vertex| mesh.positions()[vertex as usize]);
        let time = impact(kind, at(&start), at(&end));
        assert_eq!(time.is_some(), label == "true", "{set} {name}: {pair:?}");
    }
}
