//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many publications the library may hold for one observer that does not read, so that they take a bounded number of bytes.
///
/// The library counts messages. The mark follows the largest publication of late: 10,000 small ones, so that a busy observer misses nothing,
/// or a few hundred that carry results. It falls with the first large one and rises only after `window` without another.
struct PublicationBound {
    /// Bytes for one observer that does not read. Twice as many at most, when large ones follow many small ones.
    static var byteLimit: Int { 16 << 20 }
    /// Publications for one observer at most.
    static var countLimit: Int { 10_000 }
    /// Publications after which those before are thought to be gone.
    static var window: Int { 20_000 }

    /// Sizes are told apart by powers of two, so that the mark moves seldom.
    private var largest = byteLimit / countLimit
    private var largestOfWindow = byteLimit / countLimit
    private var count = 0

    /// The mark that holds now.
    var highWaterMark: Int32 { Int32(clamping: min(Self.countLimit, max(1, Self.byteLimit / largest))) }

    /// Notes a publication; the mark that holds from it on, if that is another one.
    mutating func publish(byteCount: Int) -> Int32? {
        let before = highWaterMark
        largestOfWindow = max(largestOfWindow, Self.roundedUp(byteCount))
        largest = max(largest, largestOfWindow)
        count += 1
        if count == Self.window {
            largest = largestOfWindow
            largestOfWindow = Self.byteLimit / Self.countLimit
            count = 0
        }
        return highWaterMark == before ? nil : highWaterMark
    }

    private static func roundedUp(_ byteCount: Int) -> Int {
        var size = byteLimit / countLimit
        while size < byteCount { size *= 2 }
        return size
    }
}
