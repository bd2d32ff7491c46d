//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A 64-bit identifier that cannot be mixed up with one of another kind.
///
/// `Kind` is a phantom: it exists only at compile time. On the wire an identifier is a fixed64, a version of a content or a
/// view a uint64.
@frozen
public struct Identifier<Kind>: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bare number as it travels on the wire.
    public let rawValue: UInt64

    /// Wraps a bare number.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Wraps a bare number.
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Equality of the bare numbers.
    @inlinable public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Order of the bare numbers: for jobs the order of acceptance, for sequences the order of changes.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Feeds the bare number to the hasher.
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The number `distance` further on; wraps at 2^64, which no counter here reaches.
    @inlinable package func advanced(by distance: UInt64 = 1) -> Self { Self(rawValue &+ distance) }

    /// No identifier: zero is never handed out.
    @inlinable package static var none: Self { Self(0) }

    /// The number in decimal, as the terminal and JSON show it.
    public var description: String { String(rawValue) }
}

/// The kinds of identifier: phantom types that name what a number counts.
public enum IdentifierKind {
    /// Names one job.
    public enum Job {}
    /// Names one grant of one job.
    package enum Lease {}
    /// Names one client's conversation with the front.
    package enum Session {}
    /// Names one worker process.
    package enum Worker {}
    /// Names one front installation.
    package enum Front {}
    /// Counts the starts of a front.
    package enum Epoch {}
    /// Counts the changes of a topic.
    package enum Sequence {}
    /// Counts the journal's rows.
    package enum Turn {}
    /// Counts the bundles of ended jobs.
    package enum Bundle {}
    /// Counts a session's requests.
    package enum Request {}
    /// Counts the registrations of workers with a front.
    package enum Registration {}
    /// Counts the renewals of one worker.
    package enum Renewal {}
    /// Names one transport peer during one epoch.
    package enum Peer {}
    /// Names one failure, so that everybody dismisses and retries the same one.
    public enum Failure {}
    /// Counts the contents of a feed.
    public enum Version {}
}

/// One unit of work for a worker. Never used twice; its order is the order of acceptance.
public typealias JobID = Identifier<IdentifierKind.Job>
/// The only authority to report on a job: new for each grant and each time its worker registers again.
package typealias LeaseID = Identifier<IdentifierKind.Lease>
/// One client's numbered conversation with the front.
package typealias SessionID = Identifier<IdentifierKind.Session>
/// One worker process, by a number that it chooses at random.
package typealias WorkerID = Identifier<IdentifierKind.Worker>
/// One front installation: a new one is a new world for observers.
package typealias FrontID = Identifier<IdentifierKind.Front>
/// Which start of the front: max(last + 1, wall seconds), durable before any socket is bound.
package typealias Epoch = Identifier<IdentifierKind.Epoch>
/// Position in a topic's changes: it starts anywhere in an epoch, and grows by one with each change.
package typealias SequenceNumber = Identifier<IdentifierKind.Sequence>
/// Position of a row in the journal.
package typealias TurnNumber = Identifier<IdentifierKind.Turn>
/// Position of a bundle of ended jobs among all that were made, from 1.
package typealias BundleNumber = Identifier<IdentifierKind.Bundle>
/// Position of a request in its session, from 1.
package typealias RequestNumber = Identifier<IdentifierKind.Request>
/// Which registration of a worker a grant belongs to.
package typealias RegistrationNumber = Identifier<IdentifierKind.Registration>
/// Which of a worker's renewals, from 1 and never used twice by its process.
package typealias RenewalNumber = Identifier<IdentifierKind.Renewal>
/// One connected peer of the transport; never used twice in one epoch.
package typealias PeerID = Identifier<IdentifierKind.Peer>
/// One failure of a feed, a view or a job: the id of the job that failed.
public typealias FailureID = Identifier<IdentifierKind.Failure>
/// Version of a feed's content: raised by each change of content.
public typealias ContentVersion = Identifier<IdentifierKind.Version>

/// Names that stand in keys, topics and on the command line: of feeds, parameters, views, loaders, limits and namespaces.
package enum PlainName {
    /// What a name is, for the sentence that refuses another one.
    package static let rule = "a name is a small letter, then up to 62 small letters, digits and hyphens"

    /// Whether `text` is one: `[a-z][a-z0-9-]{0,62}`.
    package static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, (97...122).contains(first), bytes.count <= 63 else { return false }
        return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}

extension String {
    /// Whether it has characters that a terminal obeys instead of showing them: C0, DEL and C1, and those that turn the text behind them round (UAX 9:
    /// embeddings, overrides and isolates). Names and reasons that people are shown have none.
    package var hasControlCharacters: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }
}

/// What no journal of a front comes to: a row that says more is damaged, though its checksum is right.
package enum JournalBounds {
    /// Greatest number that is counted up or dated, in whichever direction: as JSON can say it, too. At a million jobs a second it takes 285
    /// years to get there, and milliseconds get there in the year 287,396; so applying an entry may add to such a number without a check.
    package static let number: UInt64 = 1 << 53 - 1
    /// By so much at most an entry names a job above all that entries before it have handed out. A checkpoint's slice may leave out jobs that came
    /// and went since it began: 10,000 a second for more than a day.
    package static let jobStep: UInt64 = 1 << 30
    /// So far apart at most are the oldest job in memory and the next one: at 100,000 jobs a second one that nobody takes is as old after four days.
    /// The table of records takes 1.3 GB for what is between them.
    package static let jobSpan: UInt64 = 1 << 35
    /// At this distance a front that serves accepts no further jobs. A restart may find more, by what came and went while a checkpoint was written.
    package static let servedJobSpan = jobSpan - jobStep
}
