//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedLoaders
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization

/// Makes a list of a JSON text as it arrives: the items of each part are cut out, mapped and written before the next part is read.
///
/// Parsing and writing are calls of their own, so that neither holds up the other's threads.
final class ListIngest: Sendable {
    private struct Text {
        var scanner: JSONScanner
        var itemCount = 0
    }

    private let text: Mutex<Text>
    private let output: ListOutput
    private let mapper: ItemMapper

    /// - Parameters:
    ///   - items: where the array is.
    ///   - firstSeen: creation date of items that bring none; nil leaves it open.
    /// - Throws: the cache's errors.
    init(cache: FileCache, items: JSONPointer, mapping: ItemMapping, firstSeen: WallTime?) throws {
        text = Mutex(Text(scanner: JSONScanner(items: items)))
        output = try ListOutput(in: cache, firstSeen: firstSeen)
        mapper = ItemMapper(mapping)
    }

    /// Keeps the memory that was granted for the list until it is finished or given up.
    func hold(_ share: MemoryShare) { output.hold(share) }

    /// Reads the next part.
    ///
    /// - Returns: the items that end in it.
    /// - Throws: `JSONFault` for data that is not as configured.
    func parse(_ part: [UInt8]) throws -> [ListItem] {
        try text.withLock { text in
            var items: [ListItem] = []
            let earlierCount = text.itemCount
            try text.scanner.push(part) { items.append(try mapper.item(from: $0, position: earlierCount + items.count)) }
            text.itemCount += items.count
            return items
        }
    }

    /// Adds the items of a part. Blocks while it writes.
    /// - Throws: the cache's errors.
    func write(_ items: [ListItem]) throws { try output.append(items) }

    /// Ends the text and adds the list to the cache. Blocks.
    func finish(_ stop: StopFlag) throws -> FetchedList {
        try text.withLock { try $0.scanner.finish() }
        return try output.finish(stop)
    }
}

/// Gathers a JSON text of bounded size and checks its grammar as it arrives.
final class JSONIngest: Sendable {
    private struct State {
        var scanner = JSONScanner(items: nil)
        var bytes: [UInt8] = []
        var share: MemoryShare?
    }

    private let state = Mutex(State())

    /// Up to this size a text goes into a result, which keeps nothing but its bytes.
    private static let smallByteCount = MessageBounds.payloadByteCount

    /// Keeps the memory that was granted for the text as long as the text is kept, and sets it aside: an array that grows takes twice its size for a
    /// moment.
    func hold(_ share: MemoryShare) {
        state.withLock { state in
            state.share = share
            state.bytes.reserveCapacity(share.byteCount)
        }
    }

    /// Reads the next part.
    /// - Throws: `JSONFault` at the first byte that cannot be.
    func append(_ part: [UInt8]) throws {
        try state.withLock { state in
            try state.scanner.push(part) { _ in }
            state.bytes.append(contentsOf: part)
        }
    }

    /// The whole text, without a byte order mark.
    /// - Throws: `JSONFault` when it is not complete or no UTF-8.
    func finish() throws -> [UInt8] {
        try state.withLock { state in
            try state.scanner.finish()
            guard Self.isText(state.bytes) else { throw JSONFault("the JSON is not in UTF-8") }
            if state.bytes.starts(with: JSONScanner.byteOrderMark) { state.bytes.removeFirst(JSONScanner.byteOrderMark.count) }
            guard state.bytes.count <= Self.smallByteCount else { return state.bytes }
            // Not the same array: room for far more may have been set aside.
            return state.bytes.map { $0 }
        }
    }

    /// Looks at the bytes where they are: a copy would take as much again.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return true
        } catch {
            return false
        }
    }
}

/// Makes an item of one element of the source's list, by the configured pointers.
struct ItemMapper: Sendable {
    private struct Place {
        var name: String
        var pointer: String
        var steps: [JSONStep]
        var type: FieldType

        init(_ name: String, _ pointer: JSONPointer, _ type: FieldType = .string) {
            self.name = name
            self.pointer = pointer.description
            steps = pointer.tokens.map(JSONStep.init)
            self.type = type
        }
    }

    private let id: Place
    private let title: Place?
    private let createdAt: Place?
    private let icon: Place?
    private let fields: [Place]

    init(_ mapping: ItemMapping) {
        id = Place(ItemPart.id.rawValue, mapping.id)
        title = mapping.title.map { Place(ItemPart.title.rawValue, $0) }
        createdAt = mapping.createdAt.map { Place(ItemPart.createdAt.rawValue, $0, .date) }
        icon = mapping.icon.map { Place(ItemPart.icon.rawValue, $0) }
        var fields = mapping.fields.map { Place($0.name, $0.path, $0.type) }
        if let pointer = mapping.dueAt { fields.append(Place(ItemPart.dueAt.rawValue, pointer, .date)) }
        if let pointer = mapping.description { fields.append(Place(ItemPart.description.rawValue, pointer)) }
        self.fields = fields
    }

    /// Reads an element whose grammar has been checked.
    ///
    /// - Parameter position: counted from 0; messages count from 1, as lists that are shown do.
    /// - Throws: `JSONFault` naming pointer and position, for a missing id or title, a value of another type than configured, an
    ///   icon that is no address, and a name that an object has twice.
    func item(from bytes: [UInt8], position: Int) throws(JSONFault) -> ListItem {
        let text = JSONText(bytes: bytes)
        guard text.isObject else {
            throw JSONFault(
                "item \(position + 1) is \(text.kind) where an object is expected; set `items:` to the pointer of "
                    + "\(JSONFault.accepted), or let the origin send one")
        }
        guard let value = try value(id, of: text, "item \(position + 1)"), value != .null else { throw missing(id, "item \(position + 1)") }
        guard let idText = FieldReader.id(value) else {
            let isEmpty = value == .text("")
            throw wrong(id, "item \(position + 1)", "is \(isEmpty ? "empty" : "no id"): an id is a text or a whole number in digits")
        }
        let place = "item \(position + 1) (id \(idText.cut(to: Self.shownByteCount)))"
        return try item(idText, of: text, place)
    }

    /// Bytes of an id that messages show.
    private static let shownByteCount = 60

    /// Reads the parts of an item beside its id.
    /// - Parameter position: which item it is, for messages.
    private func item(_ idText: String, of text: JSONText, _ position: String) throws(JSONFault) -> ListItem {
        var item = ListItem(id: idText, title: idText)
        if let title {
            guard case .text(let value) = try read(title, of: text, position) else { throw missing(title, position) }
            item.title = value
        }
        if let createdAt, case .date(let time) = try read(createdAt, of: text, position) { item.createdAt = time }
        for field in fields {
            if let value = try read(field, of: text, position) { item[field.name] = value }
        }
        if let icon, let address = try self.value(icon, of: text, position) {
            do throws(JSONFault) { item[icon.name] = try ImageAddress.read(address) } catch { throw wrong(icon, position, error.context) }
        }
        return item
    }

    private func read(_ place: Place, of text: JSONText, _ position: String) throws(JSONFault) -> FieldValue? {
        guard let value = try value(place, of: text, position) else { return nil }
        do {
            return try FieldReader.read(value, as: place.type)
        } catch {
            throw wrong(place, position, error.context)
        }
    }

    private func value(_ place: Place, of text: JSONText, _ position: String) throws(JSONFault) -> JSONText.Value? {
        let value = text.value(at: place.steps)
        if value == .repeated { throw wrong(place, position, "is there twice") }
        guard value != .malformed else {
            throw JSONFault("\(position): \(place.pointer) \(FieldReader.notUTF8): let the origin send its JSON in UTF-8")
        }
        return value
    }

    private func missing(_ place: Place, _ position: String) -> JSONFault {
        JSONFault(
            "\(position): nothing at \(place.pointer); correct item.\(place.name) in the configuration or the source"
        )
    }

    private func wrong(_ place: Place, _ position: String, _ what: String) -> JSONFault {
        JSONFault(
            "\(position): \(place.pointer) \(what); correct \(place.name) in the configuration or the source"
        )
    }
}
