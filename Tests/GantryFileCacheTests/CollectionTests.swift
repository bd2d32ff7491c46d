//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import Testing

@testable import GantryFileCache

@Suite("Adding and collecting")
struct CollectionTests {
    private let past = WallTime(milliseconds: 1_000_000_000_000)

    private func age(_ path: String) throws {
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 999_999_999)], ofItemAtPath: path)
    }

    @Test("only objects that are both unnamed and old are removed")
    func unnamedAndOld() throws {
        let folder = try CacheFolder()
        let named = try folder.list(items(0..<10)).digest
        let young = try folder.list(items(0..<11)).digest
        let old = try folder.list(items(0..<12)).digest
        for digest in [named, old] { try age(folder.file(digest)) }
        let reader = try folder.cache.openList(old)
        let byteCount = try folder.cache.byteCount()
        let report = try folder.cache.collect(keeping: [named], olderThan: past)
        #expect(try folder.cache.byteCount() + report.removedByteCount == byteCount && byteCount > report.removedByteCount)
        #expect(report.removedObjects == 1 && report.remainingObjects == 2 && !report.wasBusy && report.removedByteCount > 0)
        #expect(try folder.cache.openList(named).count == 10)
        #expect(try folder.cache.openList(young).count == 11)
        #expect(code { _ = try folder.cache.openList(old) } == .notFound)
        #expect(try reader.page(offset: 0, limit: 12) == items(0..<12), "an open reader keeps what it reads")
    }

    @Test("adding an object again renews its time, so that the next collection spares it", arguments: [Durability.cached, .persistent])
    func renewed(durability: Durability) throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        try age(folder.file(digest))
        #expect(try folder.list(items(0..<10), durability: durability).digest == digest)
        #expect(try folder.cache.collect(keeping: [], olderThan: past).removedObjects == 0)
        #expect(try folder.cache.verify(digest).itemCount == 10)
    }

    @Test("a dropped writer leaves no file; one that died leaves one that is swept when it is old")
    func leftovers() throws {
        let folder = try CacheFolder()
        do {
            let writer = try folder.cache.makeListWriter(durability: .persistent)
            for item in items(0..<2_000) { try writer.append(item) }
            #expect(try folder.entries().contains { $0.hasPrefix(".adding-") })
        }
        #expect(try !folder.entries().contains { $0.hasPrefix(".adding-") })
        let left = folder.root + "/.adding-00000000000000ff"
        try Data(count: 100).write(to: URL(fileURLWithPath: left))
        #expect(try folder.cache.collect(keeping: [], olderThan: past).removedTemporaries == 0)
        try age(left)
        #expect(try folder.cache.collect(keeping: [], olderThan: past).removedTemporaries == 1)
        #expect(!FileManager.default.fileExists(atPath: left))
    }

    @Test("the file of a writer that was killed is removed at once, however young; that of one that lives stays")
    func killed() throws {
        let folder = try CacheFolder()
        let writer = try folder.cache.makeListWriter(durability: .persistent)
        for item in items(0..<2_000) { try writer.append(item) }
        // As after a kill: the descriptor is closed, and nobody removed the name.
        let left = try TemporaryFile.make(in: folder.cache.folder.root()).name
        #expect(try folder.entries().contains(left))
        #expect(try folder.cache.collect(keeping: [], olderThan: past).removedTemporaries == 1)
        #expect(try !folder.entries().contains(left))
        let future = WallTime(milliseconds: 100_000_000_000_000)
        #expect(try folder.cache.collect(keeping: [], olderThan: future).removedTemporaries == 0, "its writer lives, however old it is")
        #expect(try writer.finish().itemCount == 2_000)
    }

    @Test("many adders of the same object at once all get a whole one, while a collection runs beside them")
    func concurrentAdders() async throws {
        let folder = try CacheFolder()
        let root = folder.root
        try await withThrowingTaskGroup(of: ObjectReference?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let cache = try FileCache(root: root)
                    var last: ObjectReference?
                    for _ in 0..<6 {
                        let writer = try cache.makeListWriter(durability: number % 2 == 0 ? .cached : .persistent)
                        for item in items(0..<40) { try writer.append(item) }
                        let reference = try writer.finish()
                        #expect(try cache.verify(reference.digest) == reference)
                        last = reference
                    }
                    return last
                }
            }
            group.addTask {
                let cache = try FileCache(root: root)
                for _ in 0..<50 {
                    #expect(try cache.collect(keeping: [], olderThan: WallTime(milliseconds: 1_000_000_000_000)).removedObjects == 0)
                }
                return nil
            }
            var digests: Set<ObjectDigest> = []
            for try await reference in group { if let reference { digests.insert(reference.digest) } }
            #expect(digests.count == 1)
        }
        #expect(try !folder.entries().contains { $0.hasPrefix(".adding-") })
    }

    @Test("a folder that cannot be made is refused with the next step; one below missing folders is made with them")
    func noParent() throws {
        let folder = try CacheFolder()
        _ = try FileCache(root: folder.path + "/above/objects")
        let error = #expect(throws: FileCacheError.self) { try FileCache(root: "/dev/null/objects") }
        #expect(error?.code == .notWritable)
        #expect(error?.sentence.contains("--data") == true && error?.mayPass == false)
    }

    @Test("a folder that is a link to a file system that is away may be back later: who cannot use it now is started again")
    func linkToNowhere() throws {
        let folder = try CacheFolder()
        let (link, target) = (folder.path + "/link", folder.path + "/mount")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let error = #expect(throws: FileCacheError.self) { try FileCache(root: link) }
        #expect(error?.code == .away && error?.mayPass == true && error?.context.contains("is its file system mounted?") == true)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        _ = try FileCache(root: link)
    }
}
