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
    subscript(index: Int) -> WorkerRecord? {
        // Read as part of the caller, who mostly wants one field of it: to lend it allocates, to give it away copies it.
        @inline(__always) get { records[index] }
        _modify {
            touch(index)
            yield &records[index]
        }
    }

    private mutating func touch(_ index: Int) {
        guard !isTouched[index] else { return }
        isTouched[index] = true
        touched.append(index)
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
