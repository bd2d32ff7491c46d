//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a message may hold, for those who write messages and those who read them; the protocol's document has them as a table.
package enum MessageBounds {
    /// Largest frame, in bytes: sixteen payloads with what stands around them, so that thousands of short messages share one, and so few bytes
    /// that nobody waits long for another's. A socket closes the connection of a longer one; a peer that says nothing else takes as much.
    package static let frameByteCount = 1 << 20
    /// Half of the largest frame, in bytes: what fills messages begins the next one here, so that one row more and what stands around it still fit.
    package static let halfFrameByteCount = frameByteCount / 2
    /// The largest frame that every client takes at least, in bytes: a result of the largest payload with what travels around it fits.
    package static let smallestFrameByteCount = 131_072
    /// Most rows of a column and most messages of a list.
    package static let rowCount = 65_536
    /// Longest name, label or code, in bytes.
    package static let labelByteCount = 64
    /// Longest sentence, in bytes.
    package static let textByteCount = 4_096
    /// Most arguments of a failure.
    package static let failureArguments = 32
    /// Longest argument of a failure, in bytes: so a failure fits a report, and a page, with others.
    package static let failureArgumentByteCount = 1_024
    /// Longest short sentence of a progress, in bytes.
    package static let progressByteCount = 256
    /// Longest filter of a view, in bytes.
    package static let filterByteCount = 256
    /// Longest id of an item and longest key of a topic's item, in bytes.
    package static let itemIDByteCount = 1_024
    /// Longest argument, result, item or detail, in bytes.
    package static let payloadByteCount = 65_536
    /// Longest argument or result that the journal holds, in bytes: an entry with a longer one is damaged, for no message brings it, and the front
    /// counts the bytes of one with 26 bits.
    package static let journaledPayloadByteCount = 1 << 26 - 1
    /// Largest detail that is stored as an object, in bytes; clients hold it whole.
    package static let storedDetailByteCount = 64 << 20
    /// Most different options of jobs that are submitted together: so few that a reader may compare each with each.
    package static let distinctOptions = 256
    /// Most bytes of the texts in the options of a job: all of one message take a quarter of a frame at most.
    package static let optionsByteCount = 1_024
    /// Most requests of a session without an answer.
    package static let requestWindow = 1_024
    /// Most jobs of a page of jobs, and most items of a page of a list.
    package static let pageItems = 1_000
    /// Most bytes of one part of a stored detail.
    package static let partByteCount = 524_288
    /// Most bulk jobs that a worker takes ahead.
    package static let prefetch = 4_096
    /// Most jobs that a worker runs at once.
    package static let slots = 64
}

/// The version of the protocol between clients, front and workers.
package enum ProtocolVersion {
    /// The only version so far.
    package static let current: UInt32 = 1

    /// Whether it is one of those that somebody offers, from one to another.
    package static func isOffered(from minimum: UInt32, to maximum: UInt32) -> Bool { minimum <= current && maximum >= current }
}

extension BinaryInteger {
    /// The number as sentences and help texts write it, for example 1,000,000.
    package var grouped: String {
        let text = String(self)
        let digits = Array(text.drop { $0 == "-" })
        return digits.indices.reduce(into: String(text.prefix { $0 == "-" })) { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digits[index])
        }
    }
}
