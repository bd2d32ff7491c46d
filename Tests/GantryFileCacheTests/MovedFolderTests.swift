//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import Testing

@Suite("Another folder under the same path")
struct MovedFolderTests {
    private let files = FileManager.default

    private func error(_ body: () throws -> Void) -> FileCacheError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FileCacheError
        }
    }

    @Test("a copy that was put in the folder's place is read and added to at once, by who had opened the old one long before")
    func copied() throws {
        let folder = try CacheFolder()
        let first = try folder.list(items(0..<10)).digest
        try files.moveItem(atPath: folder.root, toPath: folder.root + "-old")
        try files.copyItem(atPath: folder.root + "-old", toPath: folder.root)
        let second = try FileCache(root: folder.root).add([1, 2, 3], durability: .persistent).digest
        #expect(try folder.cache.readBytes(second, limit: 10) == [1, 2, 3])
        #expect(try folder.cache.openList(first).count == 10)
        let third = try folder.list(items(0..<11)).digest
        #expect(files.fileExists(atPath: folder.file(third)), "it lies where everybody looks")
        #expect(try folder.cache.verify(third).itemCount == 11)
        #expect(try folder.cache.collect(keeping: [first, second, third], olderThan: WallTime(milliseconds: 0)).remainingObjects == 3)
    }

    @Test("while no folder has the path nothing is said to be damaged or missing, and nothing is added; it goes on when the folder is back")
    func away() throws {
        let folder = try CacheFolder()
        let there = try folder.list(items(0..<10)).digest
        try files.moveItem(atPath: folder.root, toPath: folder.root + "-old")
        let reading = error { try folder.cache.verify(there) }
        #expect(reading?.code == .away && reading?.reportsDamage == false)
        #expect(reading?.context.contains("\(folder.root) is away: put it back") == true)
        #expect(error { _ = try folder.list(items(0..<11)) }?.code == .away)
        #expect(error { _ = try folder.cache.collect(keeping: [], olderThan: WallTime(milliseconds: 0)) }?.code == .away)
        #expect(!files.fileExists(atPath: folder.root), "it may be on its way: nobody makes one in its place")
        try files.moveItem(atPath: folder.root + "-old", toPath: folder.root)
        #expect(try folder.cache.verify(there).itemCount == 10)
        _ = try folder.list(items(0..<11))
    }

    @Test("a folder that was removed and made anew is another one until the cache is opened anew; then it is used, closed to others")
    func madeAnew() throws {
        let folder = try CacheFolder()
        let lost = try folder.list(items(0..<10)).digest
        try files.removeItem(atPath: folder.root)
        try files.createDirectory(atPath: folder.root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let empty = error { try folder.cache.verify(lost) }
        #expect(empty?.code == .away && empty?.reportsDamage == false, "an empty folder may be a place where nothing is mounted")
        #expect(error { _ = try folder.list(items(0..<11)) }?.code == .away)
        let anew = try FileCache(root: folder.root)
        let added = try anew.add([1, 2, 3], durability: .persistent).digest
        #expect(try anew.readBytes(added, limit: 10) == [1, 2, 3])
        #expect(error { try anew.verify(lost) }?.code == .notFound)
        #expect(error { try folder.cache.verify(added) }?.code == .away)
        #expect(try files.attributesOfItem(atPath: folder.root)[.posixPermissions] as? Int == 0o700)
    }

    @Test("what was begun in a folder that was replaced meanwhile fails: nobody would find it")
    func begun() throws {
        let folder = try CacheFolder()
        let writer = try folder.cache.makeListWriter(durability: .cached)
        try writer.append(items(0..<1)[0])
        try files.moveItem(atPath: folder.root, toPath: folder.root + "-old")
        try files.copyItem(atPath: folder.root + "-old", toPath: folder.root)
        let late = error { _ = try writer.finish() }
        #expect(late?.code == .away)
        #expect(late?.context.contains("was moved or replaced meanwhile: try again") == true)
        #expect(try folder.cache.verify(folder.list(items(0..<1)).digest).itemCount == 1)
    }
}
