//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import Testing

@testable import GantryFileCache

@Suite("Stopping long work")
struct StopTests {
    /// Runs work to its end, then again, stopped at its first, its last and some questions between; how many it asks in all.
    private func stopEverywhere(_ folder: CacheFolder, _ work: (@escaping (Double) -> Bool) throws -> Void) throws -> Int {
        var count = 0
        var last = 0.0
        try work { part in
            #expect(part >= last && part <= 1, "the part done never goes back")
            last = part
            count += 1
            return true
        }
        let before = try folder.entries()
        for allowed in Set([0, count / 3, count * 2 / 3, count - 1]) {
            var asked = 0
            let error = code {
                try work { _ in
                    asked += 1
                    return asked <= allowed
                }
            }
            #expect(error == .cancelled)
            #expect(asked == allowed + 1, "it went on after it was told to stop")
            #expect(try folder.entries() == before, "it left something behind")
        }
        return count
    }

    @Test("a merge stops wherever its caller says so, and leaves nothing behind")
    func merge() throws {
        let folder = try CacheFolder()
        let source = try folder.list(items(0..<3_000)).digest
        let list = try folder.list(items(1_500..<4_500)).digest
        let asked = try stopEverywhere(folder) { progress in
            _ = try folder.cache.merge(source: source, into: list, firstSeen: WallTime(milliseconds: 1), progress: progress)
        }
        #expect(asked > 3)
    }

    @Test("a create and an update stop wherever their caller says so")
    func editing() throws {
        let folder = try CacheFolder()
        let list = try folder.list(items(0..<3_000)).digest
        let created = try stopEverywhere(folder) { progress in
            _ = try folder.cache.create(ListItem(id: "new", title: "new"), in: list, progress: progress)
        }
        #expect(created > 3)
        let updated = try stopEverywhere(folder) { progress in
            _ = try folder.cache.update(ListItem(id: "i5", title: "another"), in: list, progress: progress)
        }
        #expect(updated > 3)
    }

    @Test("the end of a list stops wherever its caller says so, also while an object of the same name is verified")
    func finish() throws {
        let folder = try CacheFolder()
        _ = try folder.list(items(0..<3_000))
        let asked = try stopEverywhere(folder) { progress in
            let writer = try folder.cache.makeListWriter(durability: .cached)
            for item in items(0..<3_000) { try writer.append(item) }
            _ = try writer.finish(progress: progress)
        }
        #expect(asked > 3)
    }

    @Test("who sorts keys or proves an object can stop it too")
    func sortAndVerify() throws {
        let folder = try CacheFolder()
        let list = try folder.list(items(0..<5_000))
        let reader = try folder.cache.openList(list.digest)
        let sorted = try stopEverywhere(folder) { progress in
            _ = try folder.cache.sort(reader, by: SortOrder(field: "note"), progress: progress)
        }
        #expect(sorted > 3)
        #expect(try stopEverywhere(folder) { try folder.cache.verify(list.digest, progress: $0) } > 3)
    }

    @Test("a lock that a stranger holds keeps no adder for ever: it can be stopped, and gives up by itself")
    func lock() throws {
        let folder = try CacheFolder()
        let stranger = try folder.cache.folder.root().openLock()
        let isTaken = try stranger.tryLockExclusively()
        #expect(isTaken)
        var asked = 0
        #expect(
            code {
                let writer = try folder.cache.makeListWriter(durability: .cached)
                try writer.append(items(0..<1)[0])
                _ = try writer.finish { _ in
                    asked += 1
                    return asked < 10
                }
            } == .cancelled)
        let impatient = try ObjectFolder(path: folder.root, limits: CacheLimits(), lockAttempts: 3)
        let error = #expect(throws: FileCacheError.self) {
            let object = try ObjectWriter(folder: impatient, durability: .cached)
            try object.append([1, 2, 3])
            _ = try object.finish(ObjectHead(kind: .bytes, contentByteCount: 3, itemCount: 0))
        }
        #expect(error?.code == .ioFailed)
        #expect(error?.context.contains(".lock") == true)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.root + "/.lock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try stranger.close()
    }

    @Test("a collection stops before the next folder of names when it is told to")
    func collect() throws {
        let folder = try CacheFolder()
        for number in 0..<20 { _ = try folder.list(items(number..<number + 1)) }
        var asked = 0
        let error = code {
            _ = try folder.cache.collect(keeping: [], olderThan: WallTime(milliseconds: .max / 1_000_000)) {
                asked += 1
                return asked < 5
            }
        }
        #expect(error == .cancelled)
        #expect(asked == 5)
    }
}
