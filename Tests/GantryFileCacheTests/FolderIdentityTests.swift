//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import TestSupport
import Testing

/// A data folder with a cache and the front's note of which objects folder is the right one.
private final class Place {
    let folder: TemporaryFolder
    let front: FileCache
    let worker: FileCache

    init() throws {
        folder = try TemporaryFolder()
        front = try FileCache(root: folder.path + "/objects", note: folder.path + "/note")
        worker = try FileCache(root: folder.path + "/objects", note: folder.path + "/note")
    }

    var root: String { folder.path + "/objects" }
    var id: String? { try? String(contentsOfFile: root + "/.id", encoding: .utf8) }
    var note: String? { try? String(contentsOfFile: folder.path + "/note", encoding: .utf8) }

    /// What the path leads to is moved out of the way; an empty folder is there instead, as where nothing is mounted.
    func unmount(to name: String = "disk") throws {
        try FileManager.default.moveItem(atPath: root, toPath: folder.path + "/" + name)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    }

    func mount(_ name: String = "disk") throws {
        try FileManager.default.removeItem(atPath: root)
        try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: root)
    }

    func opened() throws -> FileCache { try FileCache(root: root, note: folder.path + "/note") }

    /// Names in the folder but those that a process leaves which only looks.
    func strangers() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: root).filter { $0 != ".lock" } }
}

@Suite("The identity of an objects folder")
struct FolderIdentityTests {
    private func away(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            guard let error = error as? FileCacheError, error.code == .away, !error.reportsDamage else { return nil }
            return error.context
        }
    }

    @Test("is made once, noted by the front, and the same for everybody and after a restart")
    func made() throws {
        let place = try Place()
        #expect(place.id == nil && away { _ = try place.worker.add([1], durability: .cached) }?.contains("has no .id") == true)
        #expect(try place.front.establish(keepsLists: false) == nil)
        let id = try #require(place.id)
        #expect(id.count == 32 && id.allSatisfy(\.isHexDigit) && place.note == id)
        let object = try place.worker.add([1], durability: .persistent).digest
        #expect(try place.front.readBytes(object, limit: 1) == [1])
        let next = try place.opened()
        #expect(try next.establish(keepsLists: true) == nil)
        #expect(place.id == id && place.note == id)
        #expect(try next.readBytes(object, limit: 1) == [1])
        #expect(try place.strangers().allSatisfy { !$0.hasPrefix(".adding") })
    }

    @Test(
        "an empty folder in the place of the right one is neither read, nor added to, nor collected in, by nobody; it all goes on when that is back"
    )
    func unmounted() throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        let object = try place.worker.add([1], durability: .persistent).digest
        try place.unmount()
        for cache in [place.front, place.worker, try place.opened()] {
            for answered in [
                away { try cache.verify(object) }, away { _ = try cache.add([2], durability: .cached) },
                away { _ = try cache.collect(keeping: [], olderThan: WallTime(milliseconds: 0)) }, away { try cache.checkFolder() },
            ] {
                #expect(answered?.contains("what is at \(place.root) is not the objects folder that was there, it has no .id") == true)
            }
        }
        #expect(try place.strangers().isEmpty)
        #expect(FileCache.fault(root: place.root, note: place.folder.path + "/note")?.code == .away)
        try place.mount()
        for cache in [place.front, place.worker, try place.opened()] { #expect(try cache.verify(object).digest == object) }
        #expect(FileCache.fault(root: place.root, note: place.folder.path + "/note") == nil)
    }

    @Test("a folder of another time is another, though it has objects")
    func another() throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        try place.unmount()
        let stranger = try FileCache(root: place.root).add([7], durability: .persistent).digest
        #expect(away { try place.front.verify(stranger) }?.contains("it has the .id of another") == true)
        #expect(away { _ = try place.worker.add([2], durability: .persistent) } != nil)
    }

    @Test(
        "a front that starts with an empty folder leaves it alone while lists are kept in the right one, and names the command that helps")
    func startedUnmounted() throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        let object = try place.worker.add([1], durability: .persistent).digest
        try place.unmount()
        let next = try place.opened()
        let answered = try #require(away { _ = try next.establish(keepsLists: true) })
        #expect(place.id == nil && away { try next.verify(object) } == answered)
        let command = try #require(answered.components(separatedBy: "go on without it by: ").last)
        #expect(command.hasPrefix("install -D -m 600 "))
        // Gone for good: the command makes the missing folder too.
        try FileManager.default.removeItem(atPath: place.root)
        #expect(away { try next.verify(object) }?.hasSuffix(command) == true)
        #expect(try ChildProgram(["sh", "-c", command]).runToEnd().status == 0)
        #expect(place.id == place.note)
        #expect(code { try next.verify(object) } == .notFound)
        #expect(try next.verify(place.worker.add([2], durability: .persistent).digest).byteCount == 1)
    }

    @Test("a front that keeps no list takes the folder that is there at its start and says so; the one of before is another then")
    func taken() throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        let before = place.id
        _ = try place.worker.add([1], durability: .cached)
        try place.unmount()
        let next = try place.opened()
        #expect(try next.establish(keepsLists: false)?.contains("\(place.root) is not the one of before") == true)
        #expect(place.id != nil && place.id != before && place.note == place.id)
        let object = try place.worker.add([2], durability: .cached).digest
        #expect(try next.verify(object).digest == object, "a worker that runs goes over to it by itself")
        try place.mount()
        #expect(away { _ = try next.add([3], durability: .cached) } != nil)
    }

    /// Puts something that is no identity in its place.
    private func damage(_ place: Place, byLink: Bool) throws {
        try FileManager.default.removeItem(atPath: place.root + "/.id")
        guard byLink else { return try Data("0123".utf8).write(to: URL(fileURLWithPath: place.root + "/.id")) }
        try FileManager.default.createSymbolicLink(atPath: place.root + "/.id", withDestinationPath: "elsewhere")
    }

    @Test(
        "a folder whose .id is damaged is turned away by front and workers in the same words, which name the command that helps",
        arguments: [false, true], [false, true])
    func damaged(byLink: Bool, keepsLists: Bool) throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        let object = try place.worker.add([1], durability: .persistent).digest
        try damage(place, byLink: byLink)
        let next = try place.opened()
        let answered = try #require(away { _ = try next.establish(keepsLists: keepsLists) })
        #expect(answered.hasPrefix("\(place.root)/.id is no file of 32 hexadecimal digits"))
        for cache in [place.front, place.worker, next, try place.opened()] { #expect(away { try cache.verify(object) } == answered) }
        let command = try #require(answered.components(separatedBy: "go on with it by: ").last)
        #expect(try ChildProgram(["sh", "-c", command]).runToEnd().status == 0)
        #expect(place.id == place.note)
        for cache in [place.front, place.worker, next] { #expect(try cache.verify(object).digest == object) }
        #expect(try place.opened().establish(keepsLists: keepsLists) == nil)
    }

    @Test("a damaged .id that no front has noted is to be removed; the front makes another at its next start", arguments: [false, true])
    func damagedUnnoted(byLink: Bool) throws {
        let place = try Place()
        func fault() -> FileCacheError? { FileCache.fault(root: place.root, note: place.folder.path + "/note") }
        let alone = try FileCache(root: place.root)
        let object = try alone.add([1], durability: .persistent).digest
        #expect(fault() == nil)
        try damage(place, byLink: byLink)
        let answered = try #require(away { _ = try place.front.establish(keepsLists: false) })
        #expect(answered.hasSuffix("remove that file, then start the front again") && away { try place.worker.verify(object) } == answered)
        #expect(fault()?.context == answered, "who looks without changing anything finds what the front refuses")
        #expect(place.note == nil)
        #expect(try FileCache(root: place.root).verify(object).digest == object, "who shares it with no front reads it all the same")
        try FileManager.default.removeItem(atPath: place.root + "/.id")
        #expect(fault() == nil)
        #expect(try place.opened().establish(keepsLists: false) == nil)
        #expect(place.id != nil && place.note == place.id)
        #expect(try place.worker.verify(object).digest == object)
    }

    @Test("a folder from before there were identities gets one at the front's start, unless it is empty and lists are kept")
    func older() throws {
        let place = try Place()
        #expect(away { _ = try place.front.establish(keepsLists: true) }?.contains("no object at all is in the objects folder") == true)
        #expect(place.id == nil && place.note == nil)
        let object = try FileCache(root: place.root).add([1], durability: .persistent).digest
        try FileManager.default.removeItem(atPath: place.root + "/.id")
        #expect(try place.front.establish(keepsLists: true) == nil)
        #expect(place.id != nil && place.note == place.id)
        #expect(try place.worker.verify(object).digest == object)
    }

    @Test("who shares no more than the objects folder keeps to the first that has an identity")
    func withoutNote() throws {
        let place = try Place()
        _ = try place.front.establish(keepsLists: false)
        let elsewhere = try FileCache(root: place.root, note: place.folder.path + "/none/note")
        let object = try elsewhere.add([1], durability: .persistent).digest
        try place.unmount()
        #expect(away { _ = try elsewhere.add([2], durability: .cached) } != nil)
        _ = try FileCache(root: place.root)
        #expect(away { _ = try elsewhere.add([2], durability: .cached) } != nil)
        try place.mount()
        #expect(try elsewhere.verify(object).digest == object)
    }

    @Test("of 20 that start at the same instant in a new place all agree on it", .timeLimit(.minutes(5)))
    func together() async throws {
        for _ in 0..<5 {
            let folder = try TemporaryFolder()
            let root = folder.path + "/objects"
            let objects = try await withThrowingTaskGroup(of: ObjectDigest.self) { group in
                for number in UInt8(0)..<20 {
                    group.addTask {
                        try await onOwnThread { try FileCache(root: root).add([number], durability: .cached).digest }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let cache = try FileCache(root: root)
            for object in objects { #expect(try cache.verify(object).digest == object) }
            #expect(Set(objects).count == 20)
        }
    }

    @Test("a front and 19 workers that start at the same instant in a new place work together", .timeLimit(.minutes(5)))
    func frontAndWorkers() async throws {
        for _ in 0..<5 {
            let folder = try TemporaryFolder()
            let (root, note) = (folder.path + "/objects", folder.path + "/note")
            let caches = try await withThrowingTaskGroup(of: FileCache.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await onOwnThread {
                            let cache = try FileCache(root: root, note: note)
                            if number == 0 { #expect(try cache.establish(keepsLists: false) == nil) }
                            return cache
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // No worker has a job before the front serves.
            let objects = try caches.enumerated().map { try $1.add([UInt8($0)], durability: .cached).digest }
            for object in objects { #expect(try caches[0].verify(object).digest == object) }
        }
    }
}
