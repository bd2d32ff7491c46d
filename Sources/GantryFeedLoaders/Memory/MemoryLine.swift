//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Who holds how much of a bounded memory and who waits for some: the oldest first, so that a large asker is not starved by small ones.
///
/// A part is kept for small askers: a user's own edit of some bytes does not wait behind loads of many megabytes that drip in.
struct MemoryLine {
    /// The answer to somebody who asks.
    enum Answer: Hashable {
        /// It is theirs until they give it back.
        case granted
        /// They are granted it later.
        case waits
        /// There will never be so much.
        case tooLarge
    }

    private struct Asker {
        let number: UInt64
        let byteCount: Int
    }

    /// Who asks for at most this part of all is small.
    private static let smallPart = 64
    /// The part of all that only small ones get, while no other asker needs nearly all there is.
    private static let keptPart = 16

    /// All there is, in bytes.
    let limit: Int
    /// What is held now, in bytes; never above `limit`.
    private(set) var taken = 0
    /// What small ones hold of it.
    private var takenBySmall = 0
    /// In the order of asking; a worker has at most 64 slots, so walking it costs nothing.
    private var askers: [Asker] = []
    private var lastNumber: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// How many wait.
    var waitingCount: Int { askers.count }

    /// A number for one who is about to ask.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Somebody asks for all that they will need, at once: so nobody ever waits while holding a part.
    mutating func ask(_ byteCount: Int, as number: UInt64) -> Answer {
        guard byteCount <= limit else { return .tooLarge }
        // Who needs nothing has nothing to wait for, and takes nothing from those who do.
        if byteCount == 0 { return .granted }
        askers.append(Asker(number: number, byteCount: byteCount))
        return grantNext().contains(number) ? .granted : .waits
    }

    /// Somebody gives back what they were granted.
    /// - Returns: who is granted theirs now.
    mutating func giveBack(_ byteCount: Int) -> [UInt64] {
        taken -= byteCount
        if isSmall(byteCount) { takenBySmall -= byteCount }
        return grantNext()
    }

    /// Somebody waits no longer; those behind may fit now.
    /// - Returns: who is granted theirs now.
    mutating func withdraw(_ number: UInt64) -> [UInt64] {
        askers.removeAll { $0.number == number }
        return grantNext()
    }

    private func isSmall(_ byteCount: Int) -> Bool { byteCount <= limit / Self.smallPart }

    /// Grants what fits, the oldest first: behind one that does not fit only small ones, out of the part that is kept for them.
    private mutating func grantNext() -> [UInt64] {
        let kept = limit / Self.keptPart
        var granted: [UInt64] = []
        var waiting: [Asker] = []
        for asker in askers {
            let size = asker.byteCount
            let fits =
                if isSmall(size) {
                    waiting.isEmpty || takenBySmall + size <= kept && waiting.allSatisfy { $0.byteCount <= limit - kept }
                } else {
                    waiting.isEmpty && (taken - takenBySmall + size <= limit - kept || size > limit - kept)
                }
            guard fits, size <= limit - taken else {
                waiting.append(asker)
                continue
            }
            taken += size
            if isSmall(size) { takenBySmall += size }
            granted.append(asker.number)
        }
        askers = waiting
        return granted
    }
}
