//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import TestSupport
import Testing

@Suite("What a page reads")
struct PageBoundTests {
    /// Bytes that this thread has read so far.
    private func bytesRead() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
        return try #require(Int(line.dropFirst("rchar: ".count)))
    }

    /// Bytes that `body` reads, and what the block sums of the objects that it opens would be more in a list of a million items.
    private func cost(of objects: [(digest: ObjectDigest, factor: Int)], _ folder: CacheFolder, _ body: () throws -> Void) throws -> Int {
        // Reading the counter counts too.
        let (first, second) = (try bytesRead(), try bytesRead())
        try body()
        var cost = try bytesRead() - second - (second - first)
        for (digest, factor) in objects {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(digest))
            let size = try #require(attributes[.size] as? Int)
            cost += (factor - 1) * 32 * (size / 65_536 + 1)
        }
        return cost
    }

    @Test(
        "a page of 50 of a list of a million items, first opened for it, reads at most 256 KiB: at its start, middle and end, in any order")
    func page() async throws {
        try await onOwnThread {
            let folder = try CacheFolder()
            let count = 50_000
            let list = try folder.list(items(0..<count)).digest
            let order = try folder.cache.sort(folder.cache.openList(list), by: SortOrder(field: "price")).digest
            for offset in [0, count / 2, count - 50] {
                let plain = try cost(of: [(list, 20)], folder) {
                    let items = try folder.cache.openList(list).page(offset: offset, limit: 50)
                    #expect(items.count == 50)
                }
                let ordered = try cost(of: [(list, 20), (order, 20)], folder) {
                    let reader = try folder.cache.openOrder(order)
                    let items = try folder.cache.openList(list).page(order: reader, offset: offset, limit: 50)
                    #expect(items.count == 50)
                }
                #expect(plain > 10_000 && plain <= 262_144)
                #expect(ordered > 10_000 && ordered <= 262_144)
            }
        }
    }
}
