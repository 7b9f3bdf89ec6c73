//! Simple shapes: closed where documented, facing outward, with the documented size.

use pliant::glam::DVec3;
use pliant::{Error, Mesh};
use pliant_scenes::{Ends, Topology, cuboid, grid, icosphere, triangle_soup, tube};

/// The volume that the mesh encloses; positive if it faces outward.
fn volume(mesh: &Mesh) -> f64 {
    let six: f64 = mesh
        .triangles()
        .iter()
        .map(|t| t.map(|vertex| mesh.positions()[vertex as usize]))
        .map(|[a, b, c]| a.cross(b).dot(c))
        .sum();
    six / 6.0
}

fn assert_solid(mesh: &Mesh) {
    let topology = Topology::of(mesh);
    assert!(topology.is_closed(), "{topology:?}");
    assert_eq!((topology.components, topology.euler_characteristic()), (1, 2));
    assert_eq!(topology.vertices, mesh.positions().len(), "no vertex is left over");
}

#[test]
fn icospheres_are_spheres() {
    for subdivisions in 0..6 {
        let sphere = icosphere(subdivisions).unwrap();
        assert_solid(&sphere);
        assert_eq!(sphere.triangles().len(), 20 << (2 * subdivisions));
        assert!(sphere.positions().iter().all(|p| (p.length() - 1.0).abs() < 1e-15));
    }
    let ball = volume(&icosphere(5).unwrap());
    let round = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((0.998 * round..round).contains(&ball), "{ball}");
}

#[test]
fn tubes_are_solid_or_open() {
    for (sides, segments) in [(3, 1), (4, 7), (17, 3)] {
        let rod = tube(0.5, 2.0, sides, segments, Ends::Closed).unwrap();
        assert_solid(&rod);
        let angle = std::f64::consts::TAU / f64::from(sides);
        let prism = f64::from(sides) * 0.125 * angle.sin() * 2.0;
        assert!((volume(&rod) - prism).abs() < 1e-12);

        let pipe = Topology::of(&tube(0.5, 2.0, sides, segments, Ends::Open).unwrap());
        assert!(pipe.is_surface());
        assert_eq!(pipe.boundary_edges, 2 * sides as usize);
        assert_eq!((pipe.components, pipe.euler_characteristic()), (1, 0));
    }
}

#[test]
fn cuboids_are_solid() {
    for divisions in [[1, 1, 1], [3, 1, 2], [5, 6, 7]] {
        let solid = cuboid(DVec3::new(1.0, 2.0, 3.0), divisions).unwrap();
        assert_solid(&solid);
        let [a, b, c] = divisions;
        assert_eq!(solid.triangles().len() as u32, 4 * (a * b + b * c + c * a));
        assert!((volume(&solid) - 6.0).abs() < 1e-12);
    }
}

#[test]
fn grids_are_flat_discs_facing_up() {
    for (columns, rows) in [(1, 1), (4, 3), (10, 1)] {
        let sheet = grid(columns, rows, 2.0, 3.0).unwrap();
        let topology = Topology::of(&sheet);
        assert!(topology.is_surface());
        assert_eq!(topology.vertices as u32, (columns + 1) * (rows + 1));
        assert_eq!(topology.boundary_edges as u32, 2 * (columns + rows));
        assert_eq!((topology.components, topology.euler_characteristic()), (1, 1));
        let area: DVec3 = sheet
            .triangles()
            .iter()
            .map(|t| t.map(|vertex| sheet.positions()[vertex as usize]))
            .map(|[a, b, c]| (b - a).cross(c - a) / 2.0)
            .sum();
        assert!((area - 6.0 * DVec3::Y).length() < 1e-12, "{area}");
    }
}

#[test]
fn soups_stay_near_the_cube_and_follow_their_seed() {
    let soup = triangle_soup(500, 0.05, 9).unwrap();
    assert_eq!(Topology::of(&soup).components, 500);
    for p in soup.positions() {
        assert!(p.min_element() >= -0.05 && p.max_element() <= 1.05, "{p}");
    }
    assert_eq!(soup, triangle_soup(500, 0.05, 9).unwrap());
    assert_ne!(soup, triangle_soup(500, 0.05, 10).unwrap());
}

#[test]
fn bits_are_the_same_everywhere() {
    // FNV-1a over all coordinates, computed once on x86-64.
    let bits = |mesh: &Mesh| {
        let words = mesh.positions().iter().flat_map(|p| p.to_array().map(f64::to_bits));
        words.fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
            (hash ^ word).wrapping_mul(0x0100_0000_01b3)
        })
    };
    assert_eq!(bits(&icosphere(3).unwrap()), 8_980_034_665_947_410_853);
    assert_eq!(bits(&triangle_soup(100, 0.1, 1).unwrap()), 3_718_257_691_297_319_722);
    assert_eq!(bits(&pliant_scenes::chair().unwrap()), 6_906_931_864_261_534_196);
}

#[test]
fn bad_parameters_are_refused() {
    assert!(matches!(icosphere(13), Err(Error::TooMany { count: 1_342_177_280, .. })));
    assert!(matches!(icosphere(u32::MAX), Err(Error::TooMany { .. })));
    assert!(matches!(grid(0, 1, 1.0, 1.0), Err(Error::InvalidSetting { setting: "columns", .. })));
    assert!(matches!(grid(1, 0, 1.0, 1.0), Err(Error::InvalidSetting { setting: "rows", .. })));
    assert!(matches!(grid(1, 1, f64::NAN, 1.0), Err(Error::InvalidVector { .. })));
    assert!(matches!(grid(u32::MAX, u32::MAX, 1.0, 1.0), Err(Error::TooMany { .. })));
    assert!(matches!(
        tube(1.0, 1.0, 2, 1, Ends::Open),
        Err(Error::InvalidSetting { setting: "sides", value: 2, .. })
    ));
    assert!(matches!(tube(1.0, -1.0, 3, 1, Ends::Open), Err(Error::InvalidVector { .. })));
    assert!(matches!(tube(1.0, 1.0, u32::MAX, u32::MAX, Ends::Closed), Err(Error::TooMany { .. })));
    assert!(matches!(cuboid(DVec3::ONE, [1, 0, 1]), Err(Error::InvalidSetting { .. })));
    assert!(matches!(cuboid(DVec3::ZERO, [1; 3]), Err(Error::InvalidVector { .. })));
    assert!(matches!(cuboid(DVec3::ONE, [u32::MAX; 3]), Err(Error::TooMany { .. })));
    assert!(matches!(triangle_soup(0, 1.0, 0), Err(Error::InvalidSetting { .. })));
    assert!(matches!(triangle_soup(1, f64::INFINITY, 0), Err(Error::InvalidVector { .. })));
}
