//! The scenes by name.

/// A scene that a program can offer by name.
///
/// ```
/// use pliant_scenes::Scene;
///
/// for scene in Scene::ALL {
///     println!("{:12} {}", scene.name(), scene.description());
/// }
/// assert_eq!(Scene::named("chairs"), Some(Scene::Chairs));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scene {
    /// [`crate::curtain_and_ball`].
    Curtain,
    /// [`crate::pile_of_chairs`].
    Chairs,
    /// [`crate::triangle_soup`].
    Soup,
}

impl Scene {
    /// Every scene, in the order in which lists show them.
    pub const ALL: &'static [Self] = &[Self::Curtain, Self::Chairs, Self::Soup];

    /// The name by which a program knows the scene.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Curtain => "curtain",
            Self::Chairs => "chairs",
            Self::Soup => "soup",
        }
    }

    /// One line that says what is to be seen.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Curtain => "a ball thrown at a curtain in the wind: 12 modes, 110 frames",
            Self::Chairs => "a heap of plastic chairs that share one mesh",
            Self::Soup => "loose triangles strewn over a cube",
        }
    }

    /// The scene of that name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scene| scene.name() == name)
    }
}
