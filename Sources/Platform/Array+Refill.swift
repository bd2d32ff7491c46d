//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension [UInt8] {
    /// Lets `read` write up to `count` bytes over the content and keeps as many as it says.
    ///
    /// Zeros are written only where the array grows, so a buffer that is used again costs nothing.
    mutating func refill(_ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int64) -> Int64 {
        if self.count < count {
            reserveCapacity(count)
            append(contentsOf: repeatElement(0, count: count - self.count))
        }
        let got = unsafe withUnsafeMutableBytes { unsafe read(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
        removeLast(self.count - Int(Swift.max(got, 0)))
        return got
    }
}
