//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where the parts of an item are found in one element of the source's list.
public struct ItemMapping: Codable, Hashable, Sendable {
    /// The id: text, or a number that becomes its decimal text. Must be there.
    public var id: JSONPointer
    /// The text that lists show; nil: the id.
    public var title: JSONPointer?
    /// When the item was made, RFC 3339; nil: when it was first seen.
    public var createdAt: JSONPointer?
    /// When the item is due, RFC 3339.
    public var dueAt: JSONPointer?
    /// A longer text.
    public var description: JSONPointer?
    /// The address of an image: an http or https URL, or a path relative to the source. Anything else makes the list invalid.
    public var icon: JSONPointer?
    /// Further fields in the order of the configuration, each name once.
    public var fields: [Field]

    /// A further field that views can show and sort by.
    public struct Field: Codable, Hashable, Sendable {
        /// Its name, by the rule of feed names.
        public var name: String
        /// Where its value is; items without it have none.
        public var path: JSONPointer
        /// How its values are compared.
        public var type: FieldType

        /// Declares a field.
        public init(name: String, path: JSONPointer, type: FieldType = .string) {
            self.name = name
            self.path = path
            self.type = type
        }
    }

    /// A mapping with an id and no more.
    public init(id: JSONPointer) {
        self.id = id
        self.fields = []
    }
}
