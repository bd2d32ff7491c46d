//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import HeapModule

/// A value that is kept once. Two texts that differ only in how Unicode composes their characters are equal strings; whoever gave one of them
/// must not get the bytes of the other.
protocol Interned: Hashable, Sendable {
    /// Whether the texts of an equal value have the same bytes, too.
    func hasTexts(of other: Self) -> Bool

    /// Hashes the bytes of those texts: texts that Unicode calls equal hash alike otherwise, and who sends a million forms of one would have each
    /// submit look at all of them.
    func hashTexts(into hasher: inout Hasher)
}

extension String: Interned {
    func hasTexts(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    func hashTexts(into hasher: inout Hasher) {
        for byte in utf8 { hasher.combine(byte) }
    }
}

extension JobTerms: Interned {
    func hasTexts(of other: JobTerms) -> Bool {
        asker.label.hasTexts(of: other.asker.label) && asker.client.hasTexts(of: other.asker.client)
            && zip(options.tags, other.options.tags).allSatisfy { $0.hasTexts(of: $1) }
            && zip(options.limitKeys, other.options.limitKeys).allSatisfy { $0.value.hasTexts(of: $1.value) }
    }

    func hashTexts(into hasher: inout Hasher) {
        asker.label.hashTexts(into: &hasher)
        asker.client.hashTexts(into: &hasher)
        for tag in options.tags { tag.hashTexts(into: &hasher) }
        for key in options.limitKeys { key.value.hashTexts(into: &hasher) }
    }
}

/// The limits that jobs count in together, whatever order they were named in. Values that Unicode calls equal are one.
struct LimitSet: Interned {
    let keys: [LimitKey]

    init(_ keys: [LimitKey] = []) { self.keys = keys.count < 2 ? keys : keys.sorted { $0.limit < $1.limit } }

    func hasTexts(of other: LimitSet) -> Bool { true }
    func hashTexts(into hasher: inout Hasher) {}
}

/// Values that many records have, each kept once: a record has an index, and a value is there for as long as some record has it.
///
/// The smallest index of a removed one is the next new one's, so those in use stay together, and invented names take no room for longer than
/// they are used: memory behind the last one in use is given back. Which index a value gets follows from the order of the calls alone.
struct Interner<Value: Interned> {
    /// A value by its bytes.
    private struct Exact: Hashable {
        let value: Value

        static func == (left: Self, right: Self) -> Bool { left.value == right.value && left.value.hasTexts(of: right.value) }

        func hash(into hasher: inout Hasher) {
            hasher.combine(value)
            value.hashTexts(into: &hasher)
        }
    }

    private struct Entry {
        var value: Value
        var byteCount = 0
        /// Records that have it.
        var uses = 0
    }

    /// Places that are kept in any case.
    private static var keptCapacity: Int { 256 }

    /// The index of the blank value, which is always there, takes no place and is not counted.
    static var blank: Int { 0 }

    private var entries: [Entry]
    private var known: [Exact: Int] = [:]
    /// Indexes that are free, and maybe some that are beyond all that are given out.
    private var free = Heap<Int>()
    /// Bytes of all values with what finds them, about.
    private(set) var byteCount = 0

    /// No values but the blank one.
    init(blank: Value) { entries = [Entry(value: blank)] }

    /// Values in use, without the blank one.
    var count: Int { known.count }

    /// All indexes up to the last one in use.
    var indices: Range<Int> { entries.indices }

    /// The value behind an index that is in use; of another one the blank value.
    subscript(index: Int) -> Value { entries[index < entries.count ? index : Self.blank].value }

    /// The index of a value that is in use.
    func index(of value: Value) -> Int? { value == entries[Self.blank].value ? Self.blank : known[Exact(value: value)] }

    /// How many records have it.
    func uses(at index: Int) -> Int { entries[index < entries.count ? index : Self.blank].uses }

    /// Counts a use in; the index of the value.
    /// - Parameter byteCount: what the value itself takes, asked when it is new.
    mutating func add(_ value: Value, byteCount: @autoclosure () -> Int) -> Int {
        if value == entries[Self.blank].value { return Self.blank }
        let exact = Exact(value: value)
        if let index = known[exact] {
            entries[index].uses += 1
            return index
        }
        let entry = Entry(value: value, byteCount: byteCount() + RoughSize.name, uses: 1)
        let index = takeIndex()
        if index == entries.count { entries.append(entry) } else { entries[index] = entry }
        known[exact] = index
        self.byteCount += entry.byteCount
        return index
    }

    /// Counts uses of a value in or out.
    mutating func change(at index: Int, by change: Int) {
        guard index != Self.blank else { return }
        entries[index].uses += change
        guard entries[index].uses == 0 else { return }
        known[Exact(value: entries[index].value)] = nil
        byteCount -= entries[index].byteCount
        entries[index] = Entry(value: entries[Self.blank].value)
        free.insert(index)
        giveBack()
    }

    /// The smallest free index.
    private mutating func takeIndex() -> Int {
        // The smallest, since what lies behind the last one in use is given back.
        if let index = free.min, index < entries.count { return free.removeMin() }
        // None is left but those beyond, which come again one by one.
        free = Heap()
        return entries.count
    }

    /// Gives memory back behind the last value in use. What is moved for that is a quarter of what has left since it was moved last.
    private mutating func giveBack() {
        while entries.count > 1, entries[entries.count - 1].uses == 0 { entries.removeLast() }
        guard entries.capacity > Self.keptCapacity, entries.count < entries.capacity / 4 else { return }
        entries = entries.map { $0 }
        free = Heap(free.unordered.filter { [count = entries.count] in $0 < count })
        known = Dictionary(uniqueKeysWithValues: known.map { ($0, $1) })
    }
}

/// The names of loaders that jobs name or workers offer, each with an index for records.
///
/// A name is there as long as something uses it; its index is then the next new name's. So what one user or worker makes up takes no place
/// from others for longer than its jobs are known or it is registered.
struct LoaderNames {
    /// A use for each job that names it, ended ones included, for each declaration of a registered worker, and for each pause.
    private var names = Interner(blank: "")
    /// By the index of a name the jobs among its uses.
    private var jobs: [Int] = [0]
    /// Names that jobs use.
    private(set) var jobNames = 0

    /// Names in use.
    var count: Int { names.count }

    /// All indexes that were given out; what a free one stands for has neither jobs nor workers.
    var indices: Range<Int> { names.indices.dropFirst() }

    /// The name behind an index that is in use.
    subscript(index: Int) -> String { names[index] }

    /// The index of a name that is in use.
    func index(of name: String) -> Int? { names.index(of: name) }

    /// Whether jobs may name a loader when jobs name no more than `limit` different ones. Those that a worker offers have as many places
    /// beyond: names that were mistyped never keep a loader that is there from being used.
    func admitsJob(of name: String, limit: Int) -> Bool {
        guard let index = names.index(of: name) else { return jobNames < limit }
        return jobs[index] > 0 || jobNames < 2 * limit
    }

    /// How many jobs name it.
    func jobCount(at index: Int) -> Int { jobs[index] }

    /// Counts a job in; the index of its loader's name.
    mutating func addJob(_ name: String) -> Int {
        let index = add(name)
        noteJobs(at: index, by: 1)
        return index
    }

    /// Counts jobs of a name in or out.
    mutating func changeJobs(at index: Int, by change: Int) {
        noteJobs(at: index, by: change)
        names.change(at: index, by: change)
    }

    /// Counts a use in that is no job's: what a worker declares, or a pause; the index of the name.
    mutating func addUse(_ name: String) -> Int { add(name) }

    /// Counts such a use out.
    mutating func removeUse(_ name: String) {
        if let index = names.index(of: name) { names.change(at: index, by: -1) }
    }

    private mutating func add(_ name: String) -> Int {
        let index = names.add(name, byteCount: name.utf8.count)
        if index == jobs.count { jobs.append(0) }
        return index
    }

    private mutating func noteJobs(at index: Int, by change: Int) {
        let before = jobs[index]
        jobs[index] += change
        if before == 0, change > 0 { jobNames += 1 }
        if before > 0, jobs[index] == 0 { jobNames -= 1 }
    }
}

/// What of a job's terms tells lanes apart.
struct LaneTerms: Hashable {
    /// Index of the name of the client whose jobs they are; 0: the front's own, and those of clients without a name.
    var client: UInt32 = 0
    /// Index of their limits with the values that they name; 0: none.
    var limitSet: UInt32 = 0
    /// Index of the name of the feed whose source they ask; 0: they ask none.
    var feed: UInt32 = 0
    /// What the client weighs, as the configuration says: it tells nothing apart.
    var weight: UInt32 = 1

    static func == (one: LaneTerms, two: LaneTerms) -> Bool {
        one.client == two.client && one.limitSet == two.limitSet && one.feed == two.feed
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(client)
        hasher.combine(limitSet)
        hasher.combine(feed)
    }
}

/// Terms of jobs, and the feed whose source those ask.
private struct KnownTerms: Interned {
    var terms = JobTerms()
    /// Index of its name; 0: they ask none.
    var feed = 0

    func hasTexts(of other: KnownTerms) -> Bool { terms.hasTexts(of: other.terms) }
    func hashTexts(into hasher: inout Hasher) { terms.hashTexts(into: &hasher) }
}

/// The terms of jobs that are known, each kept once; and the names of the clients and the limits in them, each with an index for as long as some
/// terms have it.
struct TermsTable {
    private var terms = Interner(blank: KnownTerms())
    /// Names of clients; a use for each of the terms that have it.
    private(set) var clients = Interner(blank: "")
    /// Sets of limits; a use for each of the terms that have it.
    private(set) var limitSets = Interner(blank: LimitSet())
    /// Names of feeds whose sources jobs ask; a use for each of the terms that have it, and for each pause.
    private(set) var feeds = Interner(blank: "")
    /// By the index of terms what tells lanes apart.
    private var lanes: [LaneTerms] = [LaneTerms()]
    /// Of terms that have one, by their index: how long an attempt may run.
    private var attemptTimeouts: [Int: Duration] = [:]
    /// Likewise when jobs end that have not by then.
    private var endings: [Int: JobEnding] = [:]
    /// What clients weigh, by name, where that is not 1.
    private var weights: [String: UInt32] = [:]

    /// Terms in use, without the blank ones.
    var count: Int { terms.count }
    /// All indexes of terms that were given out.
    var indices: Range<Int> { terms.indices }
    /// Bytes of all terms and names with what finds them, about.
    var byteCount: Int { terms.byteCount + clients.byteCount + limitSets.byteCount + feeds.byteCount }

    /// The terms behind an index that is in use.
    subscript(index: Int) -> JobTerms { terms[index].terms }

    /// How many jobs have them.
    func uses(at index: Int) -> Int { terms.uses(at: index) }

    /// What tells lanes apart of terms that are in use.
    func lane(of index: Int) -> LaneTerms { index < lanes.count ? lanes[index] : LaneTerms() }

    /// How long an attempt of a job with these terms may run; nil: as long as it does. Asked for each grant: terms would be copied for it.
    func attemptTimeout(of index: Int) -> Duration? { attemptTimeouts.isEmpty ? nil : attemptTimeouts[index] }

    /// When jobs with these terms end that have not by then; nil: at no time. Asked for each job that comes to wait.
    @inline(__always)
    func ending(of index: Int) -> JobEnding? { endings.isEmpty ? nil : endings[index] }

    /// Bytes that each job with these terms takes to be found in time.
    @inline(__always)
    func endingByteCount(of index: Int) -> Int { endings.isEmpty || endings[index] == nil ? 0 : 2 * RoughSize.record }

    /// The priority of jobs with these terms.
    func priority(of index: Int) -> UInt8 { terms[index].terms.options.priority }

    /// Counts a use in; the index of the terms.
    /// - Parameter feed: The feed whose source jobs with them ask; empty: they ask none.
    mutating func add(_ value: JobTerms, feed: String = "") -> Int {
        let before = terms.count
        // The index is a part of what is looked up; terms that are there already have a use of it, so this one goes again.
        let asked = feed.isEmpty ? 0 : addUse(ofFeed: feed)
        let index = terms.add(KnownTerms(terms: value, feed: asked), byteCount: value.roughByteCount)
        guard terms.count > before else {
            feeds.change(at: asked, by: -1)
            return index
        }
        let client = value.asker.client
        var lane = LaneTerms(client: UInt32(clients.add(client, byteCount: client.utf8.count + RoughSize.client)))
        (lane.weight, lane.feed) = (weights[client] ?? 1, UInt32(asked))
        if !value.options.limitKeys.isEmpty {
            let set = LimitSet(value.options.limitKeys)
            lane.limitSet = UInt32(limitSets.add(set, byteCount: set.keys.count * RoughSize.record))
        }
        if index == lanes.count { lanes.append(lane) } else { lanes[index] = lane }
        attemptTimeouts[index] = value.options.attemptTimeout
        if value.options.ending != JobEnding() { endings[index] = value.options.ending }
        return index
    }

    /// Counts a use of a feed's name in; its index.
    @discardableResult
    mutating func addUse(ofFeed name: String) -> Int { feeds.add(name, byteCount: name.utf8.count) }

    /// Counts such a use out.
    mutating func removeUse(ofFeed name: String) { if let index = feeds.index(of: name) { feeds.change(at: index, by: -1) } }

    /// Clients weigh that, by name. It is said before there are terms.
    mutating func weigh(_ weights: [String: UInt32]) { self.weights = weights }

    /// Counts uses of terms in or out.
    mutating func change(at index: Int, by change: Int) {
        let before = terms.count
        terms.change(at: index, by: change)
        guard terms.count < before else { return }
        clients.change(at: Int(lanes[index].client), by: -1)
        limitSets.change(at: Int(lanes[index].limitSet), by: -1)
        feeds.change(at: Int(lanes[index].feed), by: -1)
        lanes[index] = LaneTerms()
        attemptTimeouts[index] = nil
        if !endings.isEmpty { endings[index] = nil }
        // What the last ones leave behind is memory for as many.
        if terms.indices.count < lanes.count / 4 { lanes = Array(lanes.prefix(terms.indices.count)) }
        if attemptTimeouts.isEmpty { attemptTimeouts = [:] }
        if endings.isEmpty { endings = [:] }
    }
}

extension JobTerms {
    /// What they take in memory, about, beside what finds them: a text of more than 15 bytes has a block of its own.
    var roughByteCount: Int {
        // Each has two places, in the list and in what finds them.
        let own = 2 * MemoryLayout<Self>.stride
        let texts = options.tags.count + 2 * options.limitKeys.count
        guard texts > 0 else { return byteCount + own }
        // A value that no other job has takes a place in the limits and a lane, too.
        return byteCount + own + RoughSize.name + texts * RoughSize.record + options.limitKeys.count * RoughSize.limitKey
    }
}
