//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
public import GantryModel
import GantryWorker

/// One item of a feed, as a loader writes it.
public struct FeedItem: Hashable, Sendable {
    /// Unique in its feed, and the same in each load: selections and edits are kept by it. 1 to 1,024 bytes.
    public var id: String
    /// What lists show; may be empty.
    public var title: String
    /// When the item was made; nil: when the feed had it first.
    public var createdAt: WallTime?
    /// When the item is due.
    public var dueAt: WallTime?
    /// A longer text.
    public var description: String?
    /// The address of an image: an http or https URL, or a relative path.
    public var icon: String?
    /// The further fields by name. Views can be sorted by those that the configuration declares, and those have the declared type.
    public var fields: [String: FieldValue]

    /// An item; its title is its id unless said otherwise.
    public init(
        id: String, title: String? = nil, createdAt: WallTime? = nil, dueAt: WallTime? = nil, description: String? = nil,
        icon: String? = nil, fields: [String: FieldValue] = [:]
    ) {
        (self.id, self.title) = (id, title ?? id)
        (self.createdAt, self.dueAt) = (createdAt, dueAt)
        (self.description, self.icon, self.fields) = (description, icon, fields)
    }
}

extension FeedItem {
    /// An item that a feed keeps, as a loader would write it.
    package init(_ item: ListItem) {
        self.init(id: item.id, title: item.title, createdAt: item.createdAt)
        for field in item.fields {
            switch (ItemPart(rawValue: field.name), field.value) {
            case (.dueAt, .date(let date)): dueAt = date
            case (.description, .text(let text)): description = text
            case (.icon, .text(let address)): icon = address
            case (_, let value): fields[field.name] = value
            }
        }
    }
}

/// Makes the items that a feed keeps of those that a loader writes: checks what the configuration says of them.
struct FeedItemReader: Sendable {
    private let types: [String: FieldType]

    init(_ mapping: ItemMapping) {
        types = Dictionary(mapping.fields.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    }

    /// Before anything is made of the item, so that one with far too many fields costs nothing.
    /// - Throws: `tooLarge` naming the item.
    func checkFieldCount(of item: FeedItem) throws(LoaderFailure) {
        let count = item.fields.count + (item.dueAt == nil ? 0 : 1) + (item.description == nil ? 0 : 1) + (item.icon == nil ? 0 : 1)
        guard count > ListItem.fieldCountLimit else { return }
        throw LoaderFailure(
            .tooLarge, "item \"\(item.id.prefix(60))\" is too large: it has \(count) fields (limit \(ListItem.fieldCountLimit))")
    }

    /// - Throws: `JSONFault` naming the item, for a field whose name or type cannot be, and for an icon that is no address.
    func item(from item: FeedItem) throws(JSONFault) -> ListItem {
        var fields: [ListItem.Field] = []
        fields.reserveCapacity(item.fields.count + 3)
        for (name, value) in item.fields {
            guard !ItemPart.names.contains(name) else {
                throw fault(
                    item, "has \"\(name)\" among its fields, and that is a part of every item: choose another name, or set that part")
            }
            if let type = types[name], !value.fits(type) {
                throw fault(item, "has \(value.kind) in \"\(name)\", and the configuration says \(type.rawValue): correct one of the two")
            }
            fields.append(ListItem.Field(name: name, value: value))
        }
        if let dueAt = item.dueAt { fields.append(ListItem.Field(name: ItemPart.dueAt.rawValue, value: .date(dueAt))) }
        if let description = item.description {
            fields.append(ListItem.Field(name: ItemPart.description.rawValue, value: .text(description)))
        }
        if let icon = try icon(of: item) { fields.append(ListItem.Field(name: ItemPart.icon.rawValue, value: icon)) }
        return ListItem(id: item.id, title: item.title, createdAt: item.createdAt, fields: fields)
    }

    private func icon(of item: FeedItem) throws(JSONFault) -> FieldValue? {
        guard let icon = item.icon else { return nil }
        do throws(JSONFault) { return try ImageAddress.read(.text(icon)) } catch {
            throw fault(item, "has an icon that \(error.context): correct it, or leave it out")
        }
    }

    private func fault(_ item: FeedItem, _ what: String) -> JSONFault { JSONFault("item \"\(item.id.prefix(60))\" \(what)") }
}

extension FieldValue {
    fileprivate func fits(_ type: FieldType) -> Bool {
        switch (self, type) {
        case (.bool, .boolean), (.number, .number), (.date, .date), (.text, .string): true
        case (.bool, _), (.number, _), (.date, _), (.text, _): false
        }
    }

    /// What it is, with an article.
    fileprivate var kind: String {
        switch self {
        case .bool: "a truth value"
        case .number: "a number"
        case .date: "a date"
        case .text: "a text"
        }
    }
}
