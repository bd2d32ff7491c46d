//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import Platform

/// How long the disk below a measurement takes to sync: without it a time in durable mode says little, for another program that syncs can
/// make it ten times as long.
struct DiskProbe {
    /// Where the front has its journal.
    let folder: String

    /// Bytes of one write: a page of the journal.
    private static let writeByteCount = 16 << 10
    /// Syncs of one look: half a second of them at a millisecond each.
    private static let syncCount = 500
    /// Writes after which the file is written from its start again, as the journal's log is.
    private static let placeCount = 64

    /// How long each sync after a write took, in nanoseconds.
    func syncTimes() throws -> [Int64] {
        let clock = SystemClientClock()
        let file = try OwnedDescriptor(path: "\(folder)/disk-probe", options: [.write, .create])
        let bytes = [UInt8](repeating: 0x78, count: Self.writeByteCount)
        for place in 0..<Self.placeCount { try file.write(bytes, at: Int64(place * bytes.count)) }
        try file.sync()
        return try (0..<Self.syncCount).map { number in
            try file.write(bytes, at: Int64(number % Self.placeCount * bytes.count))
            let begin = clock.now().nanoseconds
            try file.syncData()
            return clock.now().nanoseconds - begin
        }
    }
}
