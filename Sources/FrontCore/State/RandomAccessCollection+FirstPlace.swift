//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension RandomAccessCollection where Index == Int {
    /// The place of the first element of which that is so, found by halving; the end where it is so of none. If it is so of one, it is so of
    /// all behind it.
    ///
    /// `FileCache` has a search of its own, for the entries of an index on a disk are read one by one and may not be readable.
    func firstPlace(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
