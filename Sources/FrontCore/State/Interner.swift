//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Values that many records have, each kept once: a record has an index, and a value is there for as long as some record has it.
///
/// The index of one that is gone is the next new one's, so what somebody makes up takes no place for longer than it is used. Which index a
/// value gets follows from the order of the calls alone.
struct Interner<Value: Hashable & Sendable> {
    private struct Entry {
        var value: Value
        var byteCount = 0
        /// Records that have it.
        var uses = 0
    }

    /// The index of the blank value, which is always there, takes no place and is not counted.
    static var blank: Int { 0 }

    private var entries: [Entry]
    private var known: [Value: Int] = [:]
    private var free: [Int] = []
    /// Bytes of all values with what finds them, about.
    private(set) var byteCount = 0

    /// No values but the blank one.
    init(blank: Value) { entries = [Entry(value: blank)] }

    /// Values in use, without the blank one.
    var count: Int { known.count }

    /// All indexes that were given out.
    var indices: Range<Int> { entries.indices }

    /// The value behind an index that is in use.
    subscript(index: Int) -> Value { entries[index].value }

    /// The index of a value that is in use.
    func index(of value: Value) -> Int? { value == entries[Self.blank].value ? Self.blank : known[value] }

    /// How many records have it.
    func uses(at index: Int) -> Int { entries[index].uses }

    /// Counts a use in; the index of the value.
    /// - Parameter byteCount: what the value itself takes, asked when it is new.
    mutating func add(_ value: Value, byteCount: @autoclosure () -> Int) -> Int {
        if value == entries[Self.blank].value { return Self.blank }
        if let index = known[value] {
            entries[index].uses += 1
            return index
        }
        let entry = Entry(value: value, byteCount: byteCount() + RoughSize.name, uses: 1)
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(entry) } else { entries[index] = entry }
        known[value] = index
        self.byteCount += entry.byteCount
        return index
    }

    /// Counts uses of a value in or out.
    mutating func change(at index: Int, by change: Int) {
        guard index != Self.blank else { return }
        entries[index].uses += change
        guard entries[index].uses == 0 else { return }
        known[entries[index].value] = nil
        byteCount -= entries[index].byteCount
        entries[index] = Entry(value: entries[Self.blank].value)
        free.append(index)
    }
}
