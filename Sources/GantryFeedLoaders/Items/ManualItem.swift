//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import GantryWorker

/// Reads an item that somebody made or changed: a JSON object with `title` and any of the feed's fields by name.
///
/// `createdAt` and `origin` change nothing, so that an item can be sent back as it was shown.
enum ManualItem {
    /// - Parameters:
    ///   - text: the JSON, unchecked.
    ///   - id: the item's id; an `id` in the JSON must be the same.
    ///   - isNew: whether the item is being made: nobody can know its id yet, so the JSON must have none.
    ///   - mapping: the feed's fields and their types.
    /// - Throws: `invalidData` for what is no such object, `unknownField` for a name that the feed does not have.
    static func read(_ text: [UInt8], id: String, isNew: Bool, mapping: ItemMapping) throws(LoaderFailure) -> ListItem {
        var scanner = JSONScanner(items: nil)
        do {
            try scanner.push(text) { _ in }
            try scanner.finish()
        } catch {
            let reason = (error as? JSONFault)?.context ?? "it cannot be read"
            throw LoaderFailure(.invalidData, "the item is not a JSON object: \(reason); send {\"title\":\"…\"}")
        }
        guard let members = JSONText(bytes: text).members() else {
            throw LoaderFailure(.invalidData, "the item is not a JSON object: send {\"title\":\"…\"}")
        }
        var types: [String: FieldType] = [
            ItemPart.dueAt.rawValue: .date, ItemPart.description.rawValue: .string, ItemPart.icon.rawValue: .string,
        ]
        for field in mapping.fields { types[field.name] = field.type }
        var title: String?
        var item = ListItem(id: id, title: "")
        var seen: Set<String> = []
        for (name, value) in members {
            guard seen.insert(name).inserted else {
                throw LoaderFailure(
                    .invalidData, "the item has \"\(name.prefix(60))\" twice: say it once", arguments: ["field", String(name.prefix(60))])
            }
            switch ItemPart(rawValue: name) {
            case .id:
                guard !isNew else {
                    throw LoaderFailure(
                        .invalidData, "a new item gets its id from the feed: leave \"id\" out", arguments: ["field", "id"])
                }
                guard FieldReader.id(value) == id else {
                    throw LoaderFailure(.invalidData, "the item's id differs from \"\(id.prefix(60))\", and ids never change: leave it out")
                }
            case .title: title = try self.title(value)
            case .createdAt: _ = try field(name, value, .date)
            case .origin: break
            case .dueAt, .description, .icon, nil:
                guard let type = types[name] else { throw unknownField(name, known: types.keys.sorted()) }
                item[name] = try field(name, value, type)
            }
        }
        guard let title, title.contains(where: { !$0.isWhitespace }) else {
            throw LoaderFailure(.invalidData, "the item has no title: send {\"title\":\"…\"}", arguments: ["field", "title"])
        }
        item.title = title
        return item
    }

    /// The title; nil: there is none.
    private static func title(_ value: JSONText.Value) throws(LoaderFailure) -> String? {
        switch value {
        case .text(let text): return text
        case .null, .malformed, .repeated: return nil
        case .number, .bool, .array, .object:
            throw LoaderFailure(.invalidData, "the item's title is not a text: send {\"title\":\"…\"}", arguments: ["field", "title"])
        }
    }

    private static func field(_ name: String, _ value: JSONText.Value, _ type: FieldType) throws(LoaderFailure) -> FieldValue? {
        do {
            return name == ItemPart.icon.rawValue ? try ImageAddress.read(value) : try FieldReader.read(value, as: type)
        } catch {
            throw LoaderFailure(
                .invalidData, "the item's field \"\(name)\" \(error.context): correct it and send it again", arguments: ["field", name])
        }
    }

    private static func unknownField(_ name: String, known: [String]) -> LoaderFailure {
        LoaderFailure(
            .unknownField, "the feed's items have no field \"\(name.prefix(60))\": use title, \(known.joined(separator: ", "))",
            arguments: ["field", String(name.prefix(60))])
    }
}
