//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import SwiftProtobuf

/// What a message may hold, and the checks that every column and text goes through.
struct Bounds: Sendable {
    /// Most rows of a column and most messages of a list.
    var rowCount: Int
    /// Longest name or label, in bytes.
    var labelByteCount: Int
    /// Longest sentence, in bytes.
    var textByteCount: Int
    /// Most arguments of a failure, and the longest one, in bytes.
    var failureArguments: Int
    var failureArgumentByteCount: Int
    /// Longest short sentence of a progress, in bytes.
    var progressByteCount: Int
    /// Longest id of an item and longest key of a topic's item, in bytes.
    var itemIDByteCount: Int
    /// Longest argument, result, item or detail, in bytes.
    var payloadByteCount: Int

    /// In what clients ask: sizes that the front answers with a numbered reply (`tooLarge`, `unknownLoader`, `invalidData`) are not
    /// refused here, because a refused frame has no number. The largest frame bounds them.
    static let requests = Bounds(
        rowCount: MessageBounds.rowCount, labelByteCount: MessageBounds.labelByteCount, textByteCount: .max,
        failureArguments: MessageBounds.failureArguments, failureArgumentByteCount: MessageBounds.failureArgumentByteCount,
        progressByteCount: MessageBounds.progressByteCount, itemIDByteCount: .max, payloadByteCount: .max)

    /// Between processes.
    static let messages = Bounds(
        rowCount: MessageBounds.rowCount, labelByteCount: MessageBounds.labelByteCount, textByteCount: MessageBounds.textByteCount,
        failureArguments: MessageBounds.failureArguments, failureArgumentByteCount: MessageBounds.failureArgumentByteCount,
        progressByteCount: MessageBounds.progressByteCount, itemIDByteCount: MessageBounds.itemIDByteCount,
        payloadByteCount: MessageBounds.payloadByteCount)

    /// In the journal: what was accepted once is read again, however much of it there is in a row; only what could not be kept is damage.
    static let journal = Bounds(
        rowCount: .max, labelByteCount: .max, textByteCount: .max, failureArguments: .max, failureArgumentByteCount: .max,
        progressByteCount: .max, itemIDByteCount: .max, payloadByteCount: MessageBounds.journaledPayloadByteCount)
}

// MARK: Texts and bytes

extension Bounds {
    /// A name or label.
    func label(_ text: String, _ what: String) throws(CodecError) -> String {
        try keep(text.utf8.count, atMost: labelByteCount, "bytes", what)
        return text
    }

    /// A sentence.
    func text(_ text: String, _ what: String) throws(CodecError) -> String {
        try keep(text.utf8.count, atMost: textByteCount, "bytes", what)
        return text
    }

    /// The short sentence of a progress.
    func progressText(_ text: String) throws(CodecError) -> String {
        try keep(text.utf8.count, atMost: progressByteCount, "bytes", "a progress's message")
        return text
    }

    /// A failure's code. What is none is read as `loaderFailed` rather than refused: a report with it would come again for ever.
    func failureCode(_ text: String) -> FailureCode { FailureCode(rawValue: text).wellFormed }

    /// The arguments of a failure. What is too much of them is left out rather than refused: a report with it would come again for ever.
    func failureArguments(_ texts: [String]) -> [String] {
        texts.prefix(failureArguments).map { $0.cut(to: failureArgumentByteCount) }
    }

    /// An item's id.
    func itemID(_ text: String) throws(CodecError) -> String {
        try keep(text.utf8.count, atMost: itemIDByteCount, "bytes", "an item's id")
        return text
    }

    /// Names, each once or not.
    func labels(_ texts: [String], _ what: String) throws(CodecError) -> [String] {
        try rows(texts.count, what)
        for text in texts { _ = try label(text, what) }
        return texts
    }

    /// Sentences.
    func texts(_ texts: [String], _ what: String) throws(CodecError) -> [String] {
        try rows(texts.count, what)
        for sentence in texts { _ = try text(sentence, what) }
        return texts
    }

    /// A payload.
    func payload(_ data: Data, _ what: String) throws(CodecError) -> [UInt8] {
        try keep(data.count, atMost: payloadByteCount, "bytes", what)
        return [UInt8](data)
    }

    /// A secret or a token.
    func secret(_ data: Data, _ what: String) throws(CodecError) -> [UInt8] {
        try keep(data.count, atMost: labelByteCount, "bytes", what)
        return [UInt8](data)
    }

    /// The key of a topic's item.
    func key(_ data: Data) throws(CodecError) -> [UInt8] {
        try keep(data.count, atMost: itemIDByteCount, "bytes", "an item's key")
        return [UInt8](data)
    }

    /// A feed's key.
    func feed(_ text: String) throws(CodecError) -> FeedKey {
        try keep(text.utf8.count, atMost: FeedKey.byteCountLimit, "bytes", "a feed's key")
        guard let key = FeedKey(text: text) else {
            throw CodecError(what: "a feed's key", reason: "it is not of the form name?parameter=value in at most 400 bytes")
        }
        return key
    }

    /// A topic's name.
    func topic(_ text: String) throws(CodecError) -> Topic {
        guard text.utf8.count <= 2 * FeedKey.byteCountLimit, let topic = Topic(text) else {
            throw CodecError(what: "the topic \"\(text.cut(to: 80))\"", reason: "there is none of that name: see PROTOCOL.md, section 6")
        }
        return topic
    }

    /// An object's name.
    func digest(_ data: Data) throws(CodecError) -> ObjectDigest {
        guard let digest = ObjectDigest(bytes: data) else {
            throw CodecError(what: "an object's digest", reason: "it has \(data.count) bytes, not 32")
        }
        return digest
    }
}

// MARK: Numbers

extension Bounds {
    /// One of the values that this version knows.
    func known<Value: RawRepresentable>(_ value: some SwiftProtobuf.Enum, _ what: String) throws(CodecError) -> Value
    where Value.RawValue == UInt8 {
        guard let raw = UInt8(exactly: value.rawValue), let known = Value(rawValue: raw) else {
            throw CodecError(what: what, reason: "this version does not know the value \(value.rawValue)")
        }
        return known
    }

    /// A number that fits into `upper`.
    func number(_ number: UInt32, upTo upper: UInt8, _ what: String) throws(CodecError) -> UInt8 {
        try keep(Int(number), atMost: Int(upper), nil, what)
        return UInt8(number)
    }

    /// Throws when a request asks for more than a page holds, or for none of a list.
    func page(_ request: PageRequest) throws(CodecError) {
        let range = request.readsBytes ? 0...UInt32(MessageBounds.partByteCount) : 1...UInt32(MessageBounds.pageItems)
        guard !range.contains(request.limit) else { return }
        let (least, most) = (range.lowerBound.grouped, range.upperBound.grouped)
        throw CodecError(
            what: "a page's limit", reason: "\(request.limit) is not in \(least) to \(most) \(request.readsBytes ? "bytes" : "items")")
    }

    /// The error of a message whose kind this version does not know, or that has none.
    func unknownKind(_ what: String) -> CodecError {
        CodecError(what: what, reason: "it is of a kind that this version does not know")
    }

    /// Throws when a part that must be there is not.
    func demand(_ isThere: Bool, _ what: String) throws(CodecError) {
        guard isThere else { throw CodecError(what: what, reason: "it is missing") }
    }

    private func keep(_ count: Int, atMost limit: Int, _ unit: String?, _ what: String) throws(CodecError) {
        guard count <= limit else {
            let reason = "\(count)\(unit.map { " " + $0 } ?? "") is over the limit of \(limit)"
            throw CodecError(what: what, reason: reason, code: .tooLarge)
        }
    }
}

// MARK: Rows and columns

extension Bounds {
    /// Throws when there are too many rows.
    func rows(_ count: Int, _ what: String) throws(CodecError) { try keep(count, atMost: rowCount, "rows", what) }

    /// All values of a list of messages.
    func values<Message: Mapped>(_ list: [Message], _ what: String) throws(CodecError) -> [Message.Value] {
        try rows(list.count, what)
        var values: [Message.Value] = []
        values.reserveCapacity(list.count)
        for message in list { values.append(try message.value(within: self)) }
        return values
    }

    /// Those values of a list that this version can read: the others are passed over one by one.
    func readableValues<Message: Mapped>(_ list: [Message], _ what: String) throws(CodecError) -> [Message.Value] {
        try rows(list.count, what)
        return list.compactMap { try? $0.value(within: self) }
    }

    /// Throws when a column has another count of rows than the first one.
    func columns(_ rowCount: Int, _ others: Int..., what: String) throws(CodecError) {
        try rows(rowCount, what)
        for other in others where other != rowCount {
            throw CodecError(what: what, reason: "its columns have \(rowCount) and \(other) rows")
        }
    }

    /// A column of payloads; throws when the lengths are not those of the parts of `data`.
    func packed(_ lengths: [UInt32], _ data: Data, _ what: String) throws(CodecError) -> PackedBytes {
        var longest: UInt32 = 0
        for length in lengths { longest = max(longest, length) }
        try keep(Int(longest), atMost: payloadByteCount, "bytes", what)
        guard let packed = PackedBytes(lengths: lengths, bytes: [UInt8](data)) else {
            let sum = PackedBytes.byteCount(of: lengths)
            throw CodecError(what: what, reason: "its lengths make \(sum) bytes, but there are \(data.count)")
        }
        return packed
    }

    /// One byte a row, each the number of a value that is allowed.
    func column<Value: RawRepresentable<UInt8>>(
        _ data: Data, _ what: String, where isAllowed: (Value) -> Bool = { _ in true }
    ) throws(CodecError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(data.count)
        for byte in data {
            guard let value = Value(rawValue: byte), isAllowed(value) else { throw CodecError(what: what, reason: "\(byte) is none") }
            values.append(value)
        }
        return values
    }

    /// Throws when an index is not below `count`.
    func indexes(_ indexes: [UInt32], below count: Int, what: String) throws(CodecError) {
        let highest = indexes.max() ?? 0
        guard indexes.isEmpty || Int(highest) < count else {
            throw CodecError(what: what, reason: "index \(highest) is not below \(count)")
        }
    }

    /// Rare values beside columns of `count` rows.
    func indexed<Message: Mapped, Element>(
        _ list: [Message], below count: Int, what: String
    ) throws(CodecError) -> [Indexed<Element>] where Message.Value == Indexed<Element> {
        let values = try values(list, what)
        for value in values where Int(value.index) >= count {
            throw CodecError(what: what, reason: "index \(value.index) is not below \(count)")
        }
        return values
    }
}

/// A message of the protocol and the value of the model that it stands for.
protocol Mapped: SwiftProtobuf.Message {
    /// What it stands for.
    associatedtype Value

    /// The message that says `value`.
    init(_ value: Value)

    /// What the message says.
    ///
    /// - Throws: `invalidData` or `tooLarge` when it breaks a rule of the protocol or says what this version does not know.
    func value(within bounds: Bounds) throws(CodecError) -> Value
}

extension SwiftProtobuf.Enum {
    /// The value of the protocol with the model's number.
    init(_ value: some RawRepresentable<UInt8>) { self = Self(rawValue: Int(value.rawValue)) ?? Self() }
}

extension Duration {
    /// What a field in milliseconds says for this length of time: rounded up, so that nobody comes too early, and kept within the field.
    var wireMilliseconds: UInt32 { UInt32(clamping: millisecondsRoundedUp) }
}
