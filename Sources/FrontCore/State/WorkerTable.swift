//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The records of workers by index, with a list of those that were changed: their room is to be told to the scheduler.
///
/// Who changes a record need not think of that; what is read is not listed.
struct WorkerTable: RandomAccessCollection, MutableCollection {
    private var records: [WorkerRecord?] = []
    private var isTouched: [Bool] = []
    private var touched: [Int] = []

    var startIndex: Int { 0 }
    var endIndex: Int { records.count }

    /// The record of an index below `endIndex`; nil: no worker has it.
    ///
    /// Part of its callers: a record is asked for with each job, and whoever is called to lend one allocates.
    subscript(index: Int) -> WorkerRecord? {
        @inline(__always) _read { yield records[index] }
        @inline(__always) _modify {
            if !isTouched[index] {
                isTouched[index] = true
                touched.append(index)
            }
            yield &records[index]
        }
    }

    /// An index that no worker has.
    mutating func makeIndex() -> Int {
        if let free = records.firstIndex(where: { $0 == nil }) { return free }
        records.append(nil)
        isTouched.append(false)
        return records.count - 1
    }

    /// A worker that was changed since this was asked last; nil: none.
    mutating func takeTouched() -> Int? {
        guard let index = touched.popLast() else { return nil }
        isTouched[index] = false
        return index
    }
}
