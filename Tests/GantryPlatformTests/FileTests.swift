//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@testable import GantryPlatform

@Suite("Files and folders")
struct FileTests {
    @Test("a folder is made with every missing folder above it, as on a machine where nothing ran before; made twice it is the same")
    func parents() throws {
        let place = try TemporaryFolder()
        for _ in 0..<2 { _ = try DirectoryDescriptor(creatingWithParents: "\(place.path)/.local/state/gantry") }
        try DirectoryDescriptor(path: "\(place.path)/.local/state/gantry").makeFolder("run")
        try Data([1]).write(to: URL(fileURLWithPath: "\(place.path)/file"))
        let error = #expect(throws: SystemError.self) { _ = try DirectoryDescriptor(creatingWithParents: "\(place.path)/file/a/b").path }
        #expect(error?.code == .notAFolder)
    }

    @Test("many may make the same folders at the same time, and all get them")
    func parentsTogether() async throws {
        let place = try TemporaryFolder()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { (try? DirectoryDescriptor(ownedAt: "\(place.path)/a/b/c/d").path) == "\(place.path)/a/b/c/d" }
            }
            for await isMade in group { #expect(isMade) }
        }
    }

    @Test("a folder of this user alone has mode 0700, is made tight when it was not, and is refused where others may write or own it")
    func owned() throws {
        let place = try TemporaryFolder()
        #expect(try DirectoryDescriptor(ownedAt: "\(place.path)/new/run").status().permissions == 0o700)
        _ = try DirectoryDescriptor(creating: "\(place.path)/loose", mode: 0o755)
        #expect(try DirectoryDescriptor(ownedAt: "\(place.path)/loose", tightens: false).status().permissions == 0o755)
        #expect(try DirectoryDescriptor(ownedAt: "\(place.path)/loose").status().permissions == 0o700)
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: "\(place.path)/loose")
        let shared = #expect(throws: SystemError.self) { _ = try DirectoryDescriptor(ownedAt: "\(place.path)/loose", tightens: false).path }
        #expect(shared?.code == .notPermitted)
        #expect(shared?.description == "others may write \(place.path)/loose; run chmod go-w \(place.path)/loose")
        try FileManager.default.setAttributes([.ownerAccountID: ProcessControl.userID + 1], ofItemAtPath: "\(place.path)/loose")
        let foreign = #expect(throws: SystemError.self) { _ = try DirectoryDescriptor(ownedAt: "\(place.path)/loose").path }
        #expect(foreign?.code == .notPermitted && foreign?.context.contains("belongs to user") == true)
    }

    @Test("addresses are read as the system reads them: no short, octal or zoned spelling")
    func addresses() {
        #expect(NetworkAddress.bytes(of: "10.0.0.255") == [10, 0, 0, 255])
        #expect(NetworkAddress.bytes(of: "::ffff:1.2.3.4")?.suffix(6) == [0xFF, 0xFF, 1, 2, 3, 4])
        for text in ["127.1", "010.0.0.1", "0x7f.0.0.1", "1.2.3.256", "fe80::1%lo", "::1::", "[::1]", "", "1.2.3.4\0"] {
            #expect(NetworkAddress.bytes(of: text) == nil, "\(text)")
        }
    }

    @Test("names below a folder never leave it and never follow links")
    func beneath() throws {
        let place = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: "\(place.path)/link", withDestinationPath: "/etc/passwd")
        try FileManager.default.createSymbolicLink(atPath: "\(place.path)/inside", withDestinationPath: "real")
        let folder = try DirectoryDescriptor(path: place.path)
        try folder.createExclusive("real").write([1])
        try folder.makeFolder("sub")
        for (name, code) in [
            ("../\(place.path.split(separator: "/").last ?? "")/real", SystemErrorCode.leavesFolder),
            ("/etc/passwd", .leavesFolder), ("sub/../../x", .leavesFolder), ("link", .symbolicLink),
            ("inside", .symbolicLink), ("missing", .notFound), ("real/x", .notAFolder),
        ] {
            let error = #expect(throws: SystemError.self, "\(name)") {
                _ = try folder.openFile(name, options: .read).rawValue
            }
            #expect(error?.code == code, "\(name)")
            #expect(error?.context.contains(name) == true)
        }
        #expect(try folder.openFile("sub/../real", options: .read).status().byteCount == 1)
    }

    @Test("methods that take one name refuse paths and dots")
    func plainNames() throws {
        let place = try TemporaryFolder()
        let folder = try DirectoryDescriptor(path: place.path)
        for name in ["", ".", "..", "a/b", "/a", "a\0b"] {
            let errors = [
                #expect(throws: SystemError.self) { _ = try folder.createExclusive(name).rawValue },
                #expect(throws: SystemError.self) { try folder.unlink(name) },
                #expect(throws: SystemError.self) { try folder.rename(name, to: "x") },
                #expect(throws: SystemError.self) { try folder.rename("x", to: name) },
                #expect(throws: SystemError.self) { _ = try folder.status(of: name) },
                #expect(throws: SystemError.self) { try folder.touch(name) },
                #expect(throws: SystemError.self) { try folder.makeFolder(name) },
            ]
            #expect(errors.allSatisfy { $0?.code == .invalidArgument }, "\(name)")
        }
    }

    @Test("a file is made, written, read, renamed, listed, touched and removed")
    func life() throws {
        let place = try TemporaryFolder()
        let folder = try DirectoryDescriptor(path: place.path)
        let file = try folder.createExclusive("one")
        try file.reserve(byteCount: 1_000)
        try file.write([1, 2, 3, 4])
        try file.write([9], at: 2)
        try file.truncate(to: 4)
        try file.syncData()
        try file.sync()
        try folder.rename("one", to: "two")
        try folder.sync()
        #expect(try folder.list() == ["two"])
        var bytes: [UInt8] = [7, 7, 7, 7, 7, 7]
        #expect(try file.read(into: &bytes, at: 1, count: 2) == 2)
        #expect(bytes == [2, 9])
        #expect(try file.read(into: &bytes, at: 3, count: 100) == 1)
        #expect(bytes == [4])
        #expect(try file.read(into: &bytes, at: 4, count: 100) == 0)
        let before = try #require(try folder.status(of: "two"))
        #expect(before.byteCount == 4)
        #expect(before.kind == .file)
        #expect(before.ownerID == ProcessControl.userID)
        #expect(before.permissions & 0o007 == 0)
        try folder.touch("two")
        #expect(try #require(try folder.status(of: "two")).modifiedNanoseconds >= before.modifiedNanoseconds)
        try file.close()
        try folder.unlink("two")
        #expect(try folder.status(of: "two") == nil)
        #expect(try folder.list().isEmpty)
    }

    @Test("making a file or renaming to a taken name is refused, moving between folders works")
    func exclusive() throws {
        let place = try TemporaryFolder()
        let folder = try DirectoryDescriptor(path: place.path)
        try folder.createExclusive("a").write([1])
        try folder.createExclusive("b").write([2])
        #expect(throws: SystemError.self) { _ = try folder.createExclusive("a").rawValue }
        let taken = #expect(throws: SystemError.self) { try folder.renameIfNew("a", to: "b") }
        #expect(taken?.code == .exists)
        try folder.makeFolder("sub")
        let sub = try folder.openFolder("sub")
        try folder.rename("a", to: "c", in: sub)
        #expect(try folder.list() == ["b", "sub"])
        #expect(try sub.list() == ["c"])
        let full = #expect(throws: SystemError.self) { try folder.unlink("sub") }
        #expect(full?.context.contains("sub") == true)
    }

    @Test("where a file system cannot rename without replacing, a file moves by a second name, and a taken name is refused as before")
    func byLink() throws {
        let place = try TemporaryFolder()
        let folder = try DirectoryDescriptor(path: place.path)
        try folder.createExclusive("a").write([1])
        try folder.createExclusive("b").write([2])
        let taken = #expect(throws: SystemError.self) { try folder.moveByLink("a", to: "b", in: folder) }
        #expect(taken?.code == .exists)
        #expect(try folder.list() == ["a", "b"])
        try folder.makeFolder("sub")
        let sub = try folder.openFolder("sub")
        try folder.moveByLink("a", to: "c", in: sub)
        #expect(try folder.list() == ["b", "sub"])
        #expect(try sub.status(of: "c")?.linkCount == 1)
    }

    @Test("an open folder says whether its path still leads to it")
    func moved() throws {
        let place = try TemporaryFolder()
        let path = place.path + "/objects"
        let folder = try DirectoryDescriptor(ownedAt: path)
        #expect(try folder.place() == .here)
        try FileManager.default.moveItem(atPath: path, toPath: path + "-old")
        #expect(try folder.place() == .away)
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(try folder.place() == .away, "a file is no folder")
        try FileManager.default.removeItem(atPath: path)
        let missing = #expect(throws: SystemError.self) { _ = try DirectoryDescriptor(existingOwnedAt: path).path }
        #expect(missing?.code == .notFound, "it is not made")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try folder.place() == .replaced)
        #expect(try DirectoryDescriptor(existingOwnedAt: path).status().permissions == 0o700)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + "-old", toPath: path)
        #expect(try folder.place() == .here)
    }

    @Test("a host's addresses are texts in the system's order; a name that nobody knows has none")
    func hostAddresses() {
        #expect(NetworkAddress.addresses(ofHost: "127.0.0.1") == ["127.0.0.1"])
        #expect(NetworkAddress.addresses(ofHost: "::1") == ["::1"])
        let local = NetworkAddress.addresses(ofHost: "localhost")
        #expect(local.contains("127.0.0.1") && Set(local).count == local.count)
        #expect(NetworkAddress.addresses(ofHost: "a\0b") == [])
        #expect(NetworkAddress.addresses(ofHost: "300.1.1.1.invalid") == [])
    }

    @Test("a second holder of a lock is told who holds it, and gets it after the first let go")
    func lock() throws {
        let place = try TemporaryFolder()
        let path = "\(place.path)/front.lock"
        let first = try LockFile(path: path)
        let error = #expect(throws: SystemError.self) { _ = try LockFile(path: path).path }
        #expect(error?.code == .inUse)
        #expect(error?.context.contains("process \(ProcessControl.currentID)") == true)
        first.unlock()
        // Who reads the file finds no number of a process that has let go; its place on the disk stays, for a full disk gives none.
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.allSatisfy { $0 == "\n" } && text.utf8.count == "\(ProcessControl.currentID)\n".utf8.count)
        #expect(try LockFile(path: path).path == path)
    }

    @Test("the holder of a lock is who the file names, as long as it holds it: a number outlives its process, and is given to another one")
    func lockHolder() throws {
        let place = try TemporaryFolder()
        let path = "\(place.path)/front.lock"
        #expect(LockFile.holder(of: path) == nil)
        let lock = try LockFile(path: path)
        #expect(LockFile.holder(of: path) == ProcessControl.currentID)
        let other = try LockFile(path: "\(place.path)/other.lock")
        lock.unlock()
        #expect(LockFile.holder(of: path) == nil)
        #expect(LockFile.holder(of: other.path) == ProcessControl.currentID)
    }

    @Test("who has locked a file of the same number on another file system is not taken for the locker")
    func otherDevice() throws {
        // The roots of these two have one number.
        let (locked, other) = ("/dev/shm", "/sys")
        let (mine, its) = try (
            OwnedDescriptor(path: locked, options: .read).status(), OwnedDescriptor(path: other, options: .read).status()
        )
        // Where the kernel numbers them otherwise there is nothing to confuse.
        guard mine.inode == its.inode, mine.device != its.device else { return }
        let probe = try ProbeProcess("lock-part")
        #expect(try probe.report() == "locked\n")
        #expect(LockFile.recordHolder(of: locked) == probe.process.rawValue)
        #expect(LockFile.recordHolder(of: other) == nil)
    }

    @Test("whoever holds a lock is found, whatever the file names")
    func anyLockHolder() throws {
        let place = try TemporaryFolder()
        let path = "\(place.path)/front.lock"
        #expect(LockFile.anyHolder(of: path) == nil)
        let lock = try LockFile(path: path)
        try OwnedDescriptor(path: path, options: [.write]).write(Array("0000000001\n".utf8), at: 0)
        #expect(LockFile.holder(of: path) == nil)
        #expect(LockFile.anyHolder(of: path) == ProcessControl.currentID)
        lock.unlock()
        #expect(LockFile.anyHolder(of: path) == nil)
        #expect(HostInformation.commandLine(of: ProcessControl.currentID) == CommandLine.arguments)
    }

    @Test("a file in memory has its bytes for each reader, from the start")
    func memoryFile() throws {
        let bytes = Array("version: 1\n".utf8)
        let file = try OwnedDescriptor.inMemory(bytes, name: "test")
        for _ in 0..<2 {
            var read: [UInt8] = []
            try OwnedDescriptor(path: "/proc/self/fd/\(file.rawValue)", options: .read).read(into: &read, count: 100)
            #expect(read == bytes)
        }
        #expect(try file.status().linkCount == 0)
    }

    @Test("a spawned process does not inherit a lock")
    func lockIsNotInherited() throws {
        let place = try TemporaryFolder()
        let path = "\(place.path)/front.lock"
        let first = try LockFile(path: path)
        let probe = try ProbeProcess("wait")
        #expect(try probe.report() == "ready\n")
        first.unlock()
        #expect(try LockFile(path: path).path == path)
        try probe.input.write([0])
        #expect(try probe.exit() == .exited(code: 0))
    }

    @Test("writing where nobody reads is an error once SIGPIPE is ignored")
    func brokenPipe() throws {
        try ProcessControl.ignoreBrokenPipes()
        var pipe = try PipePair()
        try pipe.takeReader().close()
        let writer = pipe.takeWriter()
        let error = #expect(throws: SystemError.self) { try writer.write([1]) }
        #expect(error?.code == .brokenPipe)
        #expect(!NumberedDescriptor.isTerminal(writer.rawValue))
        #expect(NumberedDescriptor.terminalSize(writer.rawValue) == nil)
    }
}
