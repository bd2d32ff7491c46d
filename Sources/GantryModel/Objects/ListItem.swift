//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One item of a list, as loaders write it and pages show it.
package struct ListItem: Hashable, Sendable {
    /// One named value of an item.
    package struct Field: Hashable, Sendable {
        /// The configured name, 1 to 255 bytes of UTF-8, unique in its item.
        package var name: String
        /// The value; a field that the source leaves out is left out here too.
        package var value: FieldValue

        /// Joins a name and its value.
        package init(name: String, value: FieldValue) {
            self.name = name
            self.value = value
        }
    }

    /// Unique in its list by its UTF-8 bytes; 1 to 1,024 of them.
    package var id: String
    /// What lists show; may be empty.
    package var title: String
    /// When the item was made; nil where nobody knows. Ties of every sort order go by it.
    package var createdAt: WallTime?
    /// Who made it as it is now.
    package var origin: ItemOrigin
    /// The further fields in the order of their names' UTF-8 bytes. `dueAt` is a field like any other.
    package private(set) var fields: [Field]

    /// Most fields of an item: their number has 16 bits on disk.
    package static var fieldCountLimit: Int { Int(UInt16.max) }

    /// An item; a later field of the same name replaces an earlier one.
    package init(id: String, title: String, createdAt: WallTime? = nil, origin: ItemOrigin = .source, fields: [Field] = []) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
        self.origin = origin
        self.fields = []
        self.fields.reserveCapacity(fields.count)
        // Sorting leaves equal names in their order, so the last of them stays.
        for field in fields.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            if let last = self.fields.last, last.name.utf8.elementsEqual(field.name.utf8) { self.fields.removeLast() }
            self.fields.append(field)
        }
    }

    /// The value of a field; nil when missing. Setting nil removes the field.
    ///
    /// - Complexity: O(number of fields).
    package subscript(name: String) -> FieldValue? {
        get { fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            fields.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            guard let newValue else { return }
            let place = fields.firstIndex { name.utf8.lexicographicallyPrecedes($0.name.utf8) } ?? fields.endIndex
            fields.insert(Field(name: name, value: newValue), at: place)
        }
    }
}

/// The value of one field of an item; what decides how a list is sorted by it.
public enum FieldValue: Hashable, Sendable {
    /// A truth value; false sorts before true.
    case bool(Bool)
    /// A finite IEEE 754 double; -0 is the same value as 0.
    case number(Double)
    /// An instant with millisecond precision.
    case date(WallTime)
    /// Text as the source gave it; sorted by NFC lower-cased code points.
    case text(String)
}

/// Who made an item as it is now; decides what a merge may do with it.
package enum ItemOrigin: UInt8, Hashable, Sendable, CaseIterable {
    /// As the source gave it. A merge replaces it, or removes it when the source no longer has it.
    case source = 0
    /// Made by hand. A merge never removes or replaces it.
    case manual = 1
    /// From the source, then changed by hand. A merge keeps the hand's version.
    case edited = 2
}

/// By which field a list is sorted, and in which direction; ties go by creation date, then id.
public struct SortOrder: Hashable, Sendable {
    /// `title`, `createdAt`, `dueAt`, `id` or the name of a configured field.
    public var field: String
    /// Smallest first if true; missing values are last in both directions.
    public var ascending: Bool

    /// A sort order.
    public init(field: String, ascending: Bool = true) {
        self.field = field
        self.ascending = ascending
    }
}

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
