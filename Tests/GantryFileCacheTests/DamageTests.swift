//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import Testing

@Suite("Damage")
struct DamageTests {
    private func damage(_ body: () throws -> Void) -> FileCacheError? {
        do {
            try body()
            return nil
        } catch { return error as? FileCacheError }
    }

    @Test("a flipped bit anywhere in the file is found by a whole read, and by every page that touches it")
    func flippedBits() throws {
        let folder = try CacheFolder()
        let written = items(0..<30)
        let reference = try folder.list(written)
        let size = try Data(contentsOf: URL(fileURLWithPath: folder.file(reference.digest))).count
        for place in stride(from: 0, to: size, by: 41) {
            try folder.change(reference.digest) { $0[place] ^= 1 << UInt8(place % 8) }
            let found = damage { try folder.cache.verify(reference.digest) }
            #expect(found?.code == .damaged && found?.digest == reference.digest, "byte \(place)")
            let page = damage { try #expect(folder.cache.openList(reference.digest).page(offset: 0, limit: 30) == written) }
            #expect(page == nil || page?.code == .damaged)
            try folder.change(reference.digest) { $0[place] ^= 1 << UInt8(place % 8) }
        }
        #expect(try folder.cache.verify(reference.digest) == reference)
    }

    @Test("a folder in the place of an object is named by who reads it, who adds it again and who looks for such, until it is moved away")
    func folderInPlace() throws {
        let folder = try CacheFolder()
        let reference = try folder.list(items(0..<3))
        let path = folder.file(reference.digest)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let read = damage { _ = try folder.cache.openList(reference.digest) }
        let added = damage { _ = try folder.list(items(0..<3)) }
        for error in [read, added] {
            #expect(
                error?.code == .folderInPlace && error?.digest == reference.digest && error?.reportsDamage == true
                    && error?.mayPass == false)
            #expect(error?.context == "there is a folder in its place: \(path)", "\(String(describing: error))")
            #expect(error?.nextStep == "move that folder away, then load the object again")
        }
        #expect(try FileCache.foldersInPlaceOfObjects(at: folder.root) == [path])
        try FileManager.default.removeItem(atPath: path)
        #expect(try folder.list(items(0..<3)) == reference)
        #expect(try FileCache.foldersInPlaceOfObjects(at: folder.root) == [])
        #expect(try FileCache.foldersInPlaceOfObjects(at: folder.root + "/nowhere") == [])
    }

    @Test("the error names the block, and whole blocks stay readable beside it")
    func namesTheBlock() throws {
        let folder = try CacheFolder()
        let written = items(0..<3_000)
        let reference = try folder.list(written)
        try folder.change(reference.digest) { $0[(64 + 1) * 1_024 * 2 + 1_024 + 40_000] ^= 1 }
        #expect(damage { try folder.cache.verify(reference.digest) }?.block == 2)
        let list = try folder.cache.openList(reference.digest)
        #expect(try list.page(offset: 0, limit: 100) == Array(written[..<100]))
        let found = damage { for offset in stride(from: 0, to: 3_000, by: 50) { _ = try list.page(offset: offset, limit: 50) } }
        #expect(found?.code == .damaged && found?.block == 2)
    }

    @Test("a file that is cut at any place, or longer, is refused when it is opened")
    func torn() throws {
        let folder = try CacheFolder()
        let reference = try folder.list(items(0..<50))
        let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file(reference.digest))))
        for count in [0, 1, 63, 64, whole.count / 2, whole.count - 64, whole.count - 1] {
            try folder.change(reference.digest) { $0 = Array(whole[..<count]) }
            #expect(damage { _ = try folder.cache.openList(reference.digest) }?.code == .damaged, "\(count) bytes")
        }
        try folder.change(reference.digest) { $0 = whole + [0] }
        #expect(damage { _ = try folder.cache.openList(reference.digest) }?.code == .damaged)
        try folder.change(reference.digest) { $0 = whole[..<32] + [0] + whole[32...] }
        #expect(damage { _ = try folder.cache.openList(reference.digest) }?.code == .damaged)
    }

    @Test("an object that is cut while it is open is found at the block that is missing")
    func cutWhileOpen() throws {
        let folder = try CacheFolder()
        let reference = try folder.list(items(0..<3_000))
        let list = try folder.cache.openList(reference.digest)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file(reference.digest)))
        try handle.truncate(atOffset: 70_000)
        try handle.close()
        #expect(damage { _ = try list.page(offset: 2_900, limit: 50) }?.code == .damaged)
    }

    @Test("adding a damaged object again repairs it", arguments: [Durability.cached, .persistent])
    func repair(durability: Durability) throws {
        let folder = try CacheFolder()
        let reference = try folder.list(items(0..<200))
        try folder.change(reference.digest) { $0[1_000] ^= 1 }
        #expect(damage { try folder.cache.verify(reference.digest) }?.code == .damaged)
        #expect(try folder.list(items(0..<200), durability: durability) == reference)
        #expect(try folder.cache.verify(reference.digest) == reference)
    }

    @Test("another whole object under this name is refused")
    func swapped() throws {
        let folder = try CacheFolder()
        let first = try folder.list(items(0..<50))
        let second = try folder.list(items(1..<51))
        let other = try Data(contentsOf: URL(fileURLWithPath: folder.file(second.digest)))
        try folder.change(first.digest) { $0 = [UInt8](other) }
        #expect(damage { _ = try folder.cache.openList(first.digest) }?.code == .damaged)
    }
}
