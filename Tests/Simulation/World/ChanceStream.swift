//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What a world's chance is for. Each has a stream of random numbers of its own, so what one of them draws more or less leaves the others as they are.
enum ChanceStream: String, CaseIterable {
    /// Who lives in the world, what users ask for, and the faults of network, disk and processes.
    case world
    /// Everything that came later than those faults.
    case chance
    /// What came after that.
    case late
    /// Which bounds of the front are tiny, and whether it knows the processes of workers.
    case tightBounds
    /// How closely the front is looked at.
    case looks
    /// The options of jobs.
    case options
    /// Workers that are asked to drain.
    case drains
    /// When jobs are to start, and what moves them.
    case starts
    /// Whether and how jobs are tried again.
    case retries
    /// Which limits there are, and which jobs count in them.
    case limits
    /// For what of feeds their loads count in a limit.
    case feedLimits
    /// How the loads of feeds follow each other.
    case feedLoads
    /// How long attempts may take.
    case timeouts
    /// How jobs end but for success and failure.
    case ends
    /// Fronts that are killed with work left.
    case work
    /// What is paused, and when.
    case pauses
    /// Which submits take any loader.
    case loaders
    /// Which ended jobs are repeated.
    case repeats
    /// Which of them are repeated though another job repeats them already.
    case repeatsAgain
    /// Which jobs have unique keys.
    case keys
    /// Which starts cannot be recorded.
    case records
    /// A journal that fronts share.
    case journal
}

extension SplitMix64 {
    /// A stream of a world. It follows from the seed and the stream's name alone: one that is added changes no other.
    init(_ stream: ChanceStream, of seed: UInt64) {
        var mixed = SplitMix64(mixing: seed)
        for byte in stream.rawValue.utf8 { mixed = SplitMix64(mixing: mixed.next() ^ UInt64(byte)) }
        self = mixed
    }
}

/// What a world draws: all of its chance comes from its seed.
extension SplitMix64 {
    /// 0 to `bound` less one.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Both ends are possible.
    mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low + Int64(next() % UInt64(max(high - low, 0) + 1)) }

    /// True that often, 0 to 1.
    mutating func chance(_ share: Double) -> Bool { Double(next() >> 11) / Double(1 << 53) < share }

    /// One of the choices, nil if there is none.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice? { choices.isEmpty ? nil : choices[below(choices.count)] }

    /// A length whose logarithm is even between both: short ones are as likely as long ones.
    mutating func spread(_ low: Int64, _ high: Int64) -> Int64 {
        var top = low
        while top < high, below(3) != 0 { top *= 2 }
        return between(low, min(top, high))
    }
}
