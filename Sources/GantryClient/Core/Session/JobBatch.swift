//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPackedColumns

/// Jobs of one loader as columns, with the calls that they belong to.
package struct JobBatch: Hashable, Sendable {
    /// Largest argument of a job, in bytes.
    package static let argumentByteLimit = MessageBounds.payloadByteCount

    /// Most jobs that one call submits as a part, which is accepted whole or not at all.
    package static let partCount = 1_000
    /// Bytes of arguments at which a part is full.
    package static let partByteCount = 128 << 10

    /// The loader that is to run them.
    package var loader: String
    /// How each is to be run.
    package var options: JobOptionsColumn
    /// Whether the outcomes are to come by themselves.
    package var reportsOutcomes: Bool
    /// Whether a loader that the front does not know is taken, too.
    package var takesAnyLoader = false
    /// Whether an ended job is repeated though another job repeats it already.
    package var repeatsAgain = false
    /// The argument of each job.
    package var arguments: PackedBytes
    /// Whether they travel without those of other calls: together they were refused, and each call by itself may not be.
    private var isApart = false
    /// The calls in the order of their jobs.
    private(set) var owners: [Owner] = []
    /// How many of the owners wait no more.
    private var abandonedCount = 0

    /// One call's share of a batch.
    struct Owner: Hashable, Sendable {
        /// The call; nil once nobody waits for it.
        var callID: CallID?
        /// How many of the jobs are its own.
        var count: Int
    }

    /// Jobs of one loader, one for each argument.
    package init(
        loader: String, options: JobOptionsColumn = JobOptionsColumn(), reportsOutcomes: Bool = false, _ arguments: PackedBytes
    ) {
        self.loader = loader
        self.options = options
        self.reportsOutcomes = reportsOutcomes
        self.arguments = arguments
    }

    /// Whether it has jobs, and they fit the bounds.
    var isWellFormed: Bool { !arguments.isEmpty && arguments.lengths.allSatisfy { $0 <= UInt32(Self.argumentByteLimit) } }

    /// Bytes of the arguments and of the texts in the options.
    var byteCount: Int { arguments.byteCount + options.byteCount }

    /// Whether the jobs of `other` may travel in the same message.
    func isAlike(_ other: JobBatch) -> Bool {
        // The front answers a job with a unique key apart: its id may be an earlier one.
        !isApart && !other.isApart && reportsOutcomes == other.reportsOutcomes && loader == other.loader
            && takesAnyLoader == other.takesAnyLoader && repeatsAgain == other.repeatsAgain
            && !options.hasUniqueKeys && !other.options.hasUniqueKeys && options.hasRoom(for: other.options)
    }

    /// The same jobs, all of them of one call.
    func owned(by callID: CallID) -> JobBatch {
        var owned = self
        (owned.owners, owned.abandonedCount) = ([Owner(callID: callID, count: arguments.count)], 0)
        return owned
    }

    /// Whether nobody waits for any of the jobs.
    var isAbandoned: Bool { abandonedCount == owners.count }

    /// Removes that owner's waiting call.
    mutating func abandon(_ owner: Int) {
        guard owners[owner].callID != nil else { return }
        owners[owner].callID = nil
        abandonedCount += 1
    }

    /// The jobs that somebody waits for: while nothing has been sent the others need not be submitted at all.
    func withoutAbandoned() -> JobBatch {
        guard abandonedCount > 0 else { return self }
        var wanted = JobBatch(loader: loader, reportsOutcomes: reportsOutcomes, PackedBytes())
        (wanted.takesAnyLoader, wanted.repeatsAgain) = (takesAnyLoader, repeatsAgain)
        var start = arguments.startIndex
        for owner in owners {
            let end = arguments.index(start, offsetBy: owner.count)
            if owner.callID != nil {
                wanted.take(owner, start..<end, of: self)
            }
            start = end
        }
        return wanted
    }

    /// The jobs of each call that somebody waits for by themselves.
    var parts: [JobBatch] {
        var parts: [JobBatch] = []
        var start = arguments.startIndex
        for owner in owners {
            let end = arguments.index(start, offsetBy: owner.count)
            if owner.callID != nil {
                var part = JobBatch(loader: loader, reportsOutcomes: reportsOutcomes, PackedBytes())
                (part.takesAnyLoader, part.repeatsAgain, part.isApart) = (takesAnyLoader, repeatsAgain, true)
                part.take(owner, start..<end, of: self)
                parts.append(part)
            }
            start = end
        }
        return parts
    }

    /// Takes the jobs of a call over from another batch.
    private mutating func take(_ owner: Owner, _ places: Range<PackedBytes.Index>, of other: JobBatch) {
        owners.append(owner)
        options.append(
            other.options[places.lowerBound.row..<places.upperBound.row], count: owner.count, after: arguments.count)
        arguments.append(contentsOf: other.arguments[places])
    }

    /// Takes over the jobs of `other`.
    mutating func join(_ other: JobBatch) {
        abandonedCount += other.abandonedCount
        options.append(other.options, count: other.arguments.count, after: arguments.count)
        arguments.append(contentsOf: other.arguments)
        owners.append(contentsOf: other.owners)
    }
}
