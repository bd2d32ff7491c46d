//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages
import SwiftProtobuf

/// Looks at every number of 64 bits in a journal row, or in a message that goes into one as it is, whatever field it is in: ids, counts, times and ranks are at most `JournalBounds.number`.
///
/// A checksum says that a row is as it was written, not that a front wrote it. The rule stands here, once, and not with each field: a field that
/// is added later is under it, too. Numbers of 32 bits need none: to add to them overflows nothing wider.
struct JournalNumbers: Visitor {
    /// Fields that hold what somebody chose, at random or as he likes: nobody counts on from these, so they may have any value.
    private static let chosen: [ObjectIdentifier: Set<Int>] = [
        // Drawn at random by a client or the front, as is the session's id wherever else it stands.
        fields(of: WireSessionOpened.self, ["session": 1, "nonce": 4]), fields(of: WireSessionEnded.self, ["session": 1]),
        fields(of: WireSubmitter.self, ["session": 1]), fields(of: WireStoredJobs.self, ["sessions": 2, "workers": 7]),
        // A client numbers its requests as it likes, if only upwards; a fingerprint is a checksum.
        fields(of: WireReplyRetained.self, ["session": 1, "fingerprint": 3, "lowest_unanswered": 4]),
        fields(of: WireReply.self, ["number": 1]), fields(of: WireTakenKey.self, ["fingerprint": 4]),
        fields(of: WireAcceptedJobs.self, ["fingerprint": 14]), fields(of: WireJobReplaced.self, ["fingerprint": 7]),
        // Drawn at random by the worker.
        fields(of: WireGrantedJobs.self, ["worker": 1]), fields(of: WireLostWorker.self, ["worker": 1]),
        fields(of: WireWorkerRegistered.self, ["worker": 1]), fields(of: WireWorkerLost.self, ["worker": 1]),
        // What a worker says of its process is compared alone, and what it says of objects that it stored is shown alone.
        fields(of: WireRegistration.self, ["process_start": 12]),
        fields(of: WireObjectReference.self, ["byte_count": 2, "item_count": 3]),
        // Is shown, and compared with ids of jobs that there are; and no pause is longer than the longest.
        fields(of: WireJobOptions.self, ["retry_of": 16]), fields(of: WireFailure.self, ["retry_after_milliseconds": 7]),
    ].reduce(into: [:]) { $0[$1.message] = $1.numbers }

    /// Fields of a message; their names are those of the protocol, for the reader.
    private static func fields(
        of message: any SwiftProtobuf.Message.Type, _ named: KeyValuePairs<String, Int>
    ) -> (message: ObjectIdentifier, numbers: Set<Int>) { (ObjectIdentifier(message), Set(named.map(\.value))) }

    /// What is being looked at.
    private var name: String
    private var chosen: Set<Int>
    /// What it is a part of, for the error.
    private let what: String

    private init<M: SwiftProtobuf.Message>(of _: M.Type, in what: String) {
        name = M.protoMessageName
        chosen = Self.chosen[ObjectIdentifier(M.self)] ?? []
        self.what = what
    }

    /// Throws when a number of a row cannot be true, or of a message that goes into one: a front that wrote it could not start again.
    static func check(_ row: some SwiftProtobuf.Message, _ what: String = "a journal row") throws(CodecError) {
        var numbers = JournalNumbers(of: type(of: row), in: what)
        do { try row.traverse(visitor: &numbers) } catch {
            throw error as? CodecError ?? CodecError(what: what, reason: "\(error)")
        }
    }

    private func check(_ magnitude: UInt64, _ field: Int, _ value: some BinaryInteger) throws {
        guard magnitude > JournalBounds.number, !chosen.contains(field) else { return }
        let reason = "field \(field) of \(name) is \(value), and nothing that is counted or dated is beyond \(JournalBounds.number)"
        throw CodecError(what: what, reason: reason)
    }

    // MARK: Numbers

    mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) throws { try check(value.magnitude, fieldNumber, value) }
    mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) throws { try check(value, fieldNumber, value) }

    // MARK: What holds numbers

    mutating func visitSingularMessageField<M: SwiftProtobuf.Message>(value: M, fieldNumber: Int) throws { try Self.check(value, what) }

    mutating func visitMapField<Key, Value: MapValueType>(
        fieldType: _ProtobufMap<Key, Value>.Type, value: _ProtobufMap<Key, Value>.BaseType, fieldNumber: Int
    ) throws { throw Self.unknown(fieldNumber) }
    mutating func visitMapField<Key, Value>(
        fieldType: _ProtobufEnumMap<Key, Value>.Type, value: _ProtobufEnumMap<Key, Value>.BaseType, fieldNumber: Int
    ) throws { throw Self.unknown(fieldNumber) }
    mutating func visitMapField<Key, Value>(
        fieldType: _ProtobufMessageMap<Key, Value>.Type, value: _ProtobufMessageMap<Key, Value>.BaseType, fieldNumber: Int
    ) throws { throw Self.unknown(fieldNumber) }

    /// No row has a map: one that comes to it is refused until its numbers are looked at here.
    private static func unknown(_ field: Int) -> CodecError {
        CodecError(what: "a journal row", reason: "field \(field) is a map, whose numbers nobody looks at")
    }

    // MARK: The rest

    mutating func visitSingularUInt32Field(value: UInt32, fieldNumber: Int) throws {}
    mutating func visitRepeatedUInt32Field(value: [UInt32], fieldNumber: Int) throws {}
    mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) throws {}
    mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) throws {}
    mutating func visitSingularStringField(value: String, fieldNumber: Int) throws {}
    mutating func visitSingularBytesField(value: Data, fieldNumber: Int) throws {}
    mutating func visitSingularEnumField<E: SwiftProtobuf.Enum>(value: E, fieldNumber: Int) throws {}
    mutating func visitUnknown(bytes: Data) throws {}
}
