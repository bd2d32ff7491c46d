//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A part that `up` runs as a process of its own.
struct ChildPlan: Sendable {
    /// The part's name, for people.
    let name: String
    /// When it is started and stopped.
    let stage: PartStage
    /// The arguments of `gantry`, given the sample origin's port: 0 until an origin that chooses one is ready.
    let arguments: @Sendable (_ sampleOriginPort: Int) -> [String]
    /// What the part need not read itself; nil: it reads the file that its arguments name, if it needs one.
    let configuration: SharedConfiguration?

    init(
        name: String, stage: PartStage, configuration: SharedConfiguration? = nil,
        arguments: @escaping @Sendable (_ sampleOriginPort: Int) -> [String]
    ) {
        (self.name, self.stage, self.configuration, self.arguments) = (name, stage, configuration, arguments)
    }
}
