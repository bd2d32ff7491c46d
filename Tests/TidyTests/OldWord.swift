//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A word that names something else today, or nothing: what the field calls it, and where another sense of it stays.
enum OldWord {
    /// What each is called now.
    static let all: [String: String] = {
        var all: [String: String] = [:]
        for (words, now) in table {
            for word in words.split(separator: " ") { all[String(word)] = now }
        }
        return all
    }()

    private static let table = [
        ("fact facts", "a journal entry"), ("beat beats", "a bookmark"), ("proven unproven prove proves proof proofs", "verified"),
        ("heal heals healed healing", "resync"), ("settle settles settled settling unsettled", "acknowledged"), ("echo echoes", "renewed"),
        ("verdict verdicts", "a decision"), ("bye goodbye goodbyes", "close"), ("story stories", "a timeline"), ("history", "ended jobs"),
        ("arrange arranges arranged arranging", "sort"), ("pair pairs", "a view revision"), ("hand hands handed", "manual, or submit"),
        ("kept", "persistent, or retained"), ("wish wishes wished", "an interest"), ("tell tells told telling", "send, or notify"),
        ("say says said", "send, or report"), ("speak speaks spoke spoken", "send"), ("hear hears heard", "receive"),
        ("away", "a loop pause"),
        ("death deaths", "a crash count"), ("desk desks", "calls"), ("ticket tickets", "a call id"),
        ("ledger ledgers", "requests in flight"),
        ("presence presences", "an attachment count"), ("patience", "a grace period"), ("reserve reserves", "the ballast file"),
        ("short", "a bulk loader"), ("pace", "throughput"), ("tally tallies", "counts"), ("lateness", "an ignored reason"),
        ("planted", "injected"), ("mistake mistakes", "an injected bug, or a mutant"), ("site sites", "a scenario"),
        ("storm storms calm", "a fault phase"), ("house", "the conventions"), ("appear appears appeared appearing", "on-attach"),
        ("digest digests sum sums", "a checksum"), ("life lives", "an epoch, of the front"),
        ("attached attachment", "a registration, of a worker"),
        ("recall recalls recalled", "read"), ("owe owes owed owing", "due"),
    ]

    /// Whether a word stands in a name for something else.
    static func stays(_ word: String, in name: String, of path: String) -> Bool {
        senses.contains { sense in
            guard sense.words.contains(Substring(word)) else { return false }
            let isThere = sense.places.isEmpty || sense.places.contains { path.hasPrefix($0) }
            return isThere && (sense.names.isEmpty || sense.names.contains(Substring(name)))
        }
    }

    /// A sense that stays: of these words, in names that are listed (none: all) of files whose path begins so (none: of all).
    private struct Sense {
        let words: [Substring]
        let names: Set<Substring>
        let places: [String]

        init(_ words: String, names: String = "", in places: [String] = [], because reason: String) {
            precondition(!reason.isEmpty && !(names.isEmpty && places.isEmpty), "a sense has a reason, and is of names or of places")
            (self.words, self.names, self.places) = (words.split(separator: " "), Set(names.split(separator: " ")), places)
        }
    }

    private static let senses = [
        Sense("reserve", names: "reserveCapacity", because: "of the standard library"),
        Sense("pairs", names: "KeyValuePairs", because: "of the standard library"),
        Sense("reserve", names: "reserveIDs", because: "takes numbers ahead, as the entry idsReserved says"),
        Sense("reserve", names: "reserve", in: memory, because: "memory, threads and places that are set aside: no file of the journal"),
        Sense(
            "pair", names: "Pair CurveKeyPair PipePair ZMQ_PAIR PAIR",
            because: "a kind of socket of ZeroMQ, two keys, and two ends of a pipe"),
        Sense("pair pairs", names: "pair pairs", in: texts, because: "a name and its value in a key, an address or a line"),
        Sense(
            "away", in: ["Sources/GantryFileCache/", "Sources/FrontService/", "Sources/GantryPlatform/"],
            because: "a folder that is not there; who is turned away"),
        Sense("away", names: "away", in: ["Sources/FrontCore/Sessions/"], because: "a session without a connection"),
        Sense(
            "hand", names: "handOver hand", in: ["Sources/Loading/", "Tests/Simulation/Network/"],
            because: "gives a place, or bytes, to the next one"),
        Sense("kept", in: kept, because: "what is not forgotten yet, and what is kept back or from somebody: the plain participle"),
        Sense("ledger", in: ["Tests/Simulation/"], because: "of the simulation: what has to be true"),
        Sense("settle settled", in: ["Sources/Loading/"], because: "the state of a loader at rest; ends the wait of a task"),
        Sense(
            "appear appears appeared appearing",
            in: ["Sources/Loading/", "Sources/Examples/LoadingExample/", "Sources/Examples/StackExample/"],
            because: "of a view of the library"),
        Sense("short", in: short, because: "of little length or time"),
        Sense("sum sums", in: sums, because: "a number that numbers add up to, or a hash of a block, a piece or an id"),
        Sense("digest", names: "ObjectDigest", because: "the SHA-256 name of an object"),
        Sense("digest digests", in: digests, because: "the SHA-256 name of an object"),
        Sense("attached attachment", in: attached, because: "of a session to a feed"),
    ]

    private static let memory = [
        "Sources/FrontService/", "Sources/Journal/Store/JournalStore.swift", "Sources/GantryFeedLoaders/", "Sources/Loaders/",
        "Sources/GantryPlatform/", "Sources/gantry/",
    ]
    private static let texts = [
        "Sources/Loaders/Addresses/", "Sources/Loaders/HTTP/", "Sources/GantryModel/Feeds/FeedKey.swift",
        "Sources/StateFormatting/ShownFailure.swift", "Sources/gantry/",
        "Sources/GantryZMQ/",
    ]
    private static let kept = [
        "Sources/GantryClient/Core/", "Sources/GantryFeedLoaders/", "Sources/GantryFileCache/", "Sources/FrontCore/", "Sources/Loaders/",
        "Tests/Simulation/",
        "Sources/gantry/",
    ]
    private static let short = [
        "Sources/GantryFileCache/", "Sources/FrontCore/", "Sources/Examples/LoadingExample/", "Tests/Simulation/",
        "Sources/StateFormatting/",
        "Sources/gantry/",
    ]
    private static let sums = [
        "Sources/GantryFileCache/", "Sources/FrontCore/State/", "Sources/Journal/", "Sources/GantryFeedLoaders/", "Sources/GantryModel/",
        "Sources/GantryPlatform/",
        "Sources/GantryWire/",
    ]
    private static let digests = [
        "Protocol/gantry.proto", "Protocol/golden/", "Protocol/schemas/object.json", "Sources/gantry/Commands/CacheCommand.swift",
        "Sources/GantryClient/API/",
        "Sources/GantryFileCache/",
        "Sources/FrontCore/FeedMachine/", "Sources/FrontCore/Feeds/",
        "Sources/FrontCore/FrontMachine.swift", "Sources/FrontCore/Records/KeyLines.swift",
        "Sources/FrontCore/State/", "Sources/FrontService/", "Sources/GantryFeedLoaders/", "Sources/GantryModel/Objects/",
        "Tests/Simulation/",
        "Sources/StateFormatting/",
        "Sources/GantryWire/",
    ]
    private static let attached = [
        "Sources/GantryClient/", "Sources/FrontCore/Context/", "Sources/FrontCore/Contracts/FrontSettings.swift",
        "Sources/FrontCore/FeedMachine/", "Sources/FrontCore/Feeds/",
        "Sources/FrontCore/Sessions/", "Sources/FrontCore/State/FrontTurn+Sessions.swift",
        "Sources/Loading/",
        "Sources/GantryModel/Jobs/", "Sources/GantryModel/Topics/JobSummary.swift", "Tests/Simulation/",
    ]
}
