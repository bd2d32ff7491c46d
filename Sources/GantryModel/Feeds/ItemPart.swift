//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The parts that every item of a feed may have, by the names that people use: in `gantry.yaml`, in `--by`, and in the JSON of an item. A
/// field of the configuration has another name.
package enum ItemPart: String, Hashable, Sendable, CaseIterable {
    /// What names it in its feed. Always there.
    case id
    /// What people see of it. Always there.
    case title
    /// When it was made.
    case createdAt
    /// When it is due.
    case dueAt
    /// A longer text about it.
    case description
    /// The address of an image.
    case icon
    /// Whether people have made or changed it; missing where it is as its source has it.
    case origin

    /// The names of the parts by which a view can be sorted, beside the fields of the configuration.
    package static let sortable = [Self.id, .title, .createdAt, .dueAt].map(\.rawValue)

    /// The names of those that an item keeps apart from its fields.
    package static let apart: Set<String> = Set([Self.id, .title, .createdAt, .origin].map(\.rawValue))

    /// All names: none of them may be a field's.
    package static let names = Set(allCases.map(\.rawValue))
}
