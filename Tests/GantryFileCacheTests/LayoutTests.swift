//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import GantryPlatform
import Testing

@Suite("The layout of an object")
struct LayoutTests {
    @Test("the documented bytes of a small object, its name computed by hand")
    func smallObject() throws {
        let folder = try CacheFolder()
        let digest = try folder.cache.add([0x61, 0x62, 0x63], durability: .cached).digest
        let pieceSum = SHA256.hash([0x61, 0x62, 0x63])
        let blockSum = SHA256.hash(pieceSum)
        let head: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 55)
        #expect(
            try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file(digest)))) == pieceSum + [0x61, 0x62, 0x63] + blockSum + head)
        #expect(digest.bytes == SHA256.hash(head + blockSum))
    }

    @Test("the documented bytes of an item")
    func item() throws {
        let folder = try CacheFolder()
        let item = ListItem(
            id: "7", title: "Tea", createdAt: WallTime(milliseconds: 258), origin: .manual,
            fields: [.init(name: "a", value: .bool(true)), .init(name: "b", value: .text("x"))])
        let reference = try folder.list([item])
        let expected: [UInt8] =
            [1, 1, 2, 1, 0, 0, 0, 0, 0, 0] + [1, 0, 0x37] + [3, 0, 0, 0, 0x54, 0x65, 0x61] + [2, 0] + [1, 0x61, 0, 1]
            + [1, 0x62, 3, 1, 0, 0, 0, 0x78]
        #expect(reference.byteCount == UInt64(expected.count))
        let file = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file(reference.digest))))
        #expect(Array(file[32..<32 + expected.count]) == expected)
        let offsets: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, UInt8(expected.count), 0, 0, 0, 0, 0, 0, 0]
        #expect(Array(file[(32 + expected.count)...].prefix(16)) == offsets)
        let idSum = Array(SHA256.hash([0x37]).prefix(8).reversed())
        #expect(Array(file[(48 + expected.count)...].prefix(12)) == idSum + [0, 0, 0, 0])
    }
}
