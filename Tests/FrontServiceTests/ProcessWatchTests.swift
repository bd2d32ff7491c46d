//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Testing

@testable import FrontService

@Suite("Processes that the front watches")
struct ProcessWatchTests {
    /// A child that lives until its input is closed.
    private final class Child {
        let process: ProcessID
        private let input: OwnedDescriptor

        init() throws {
            var pipe = try PipePair()
            let reader = pipe.takeReader()
            let writer = pipe.takeWriter()
            var request = SpawnRequest(executable: "/bin/cat", arguments: [])
            request.standardInput = .descriptor(reader.rawValue)
            process = try request.spawn()
            input = writer
        }

        /// Ends it and takes note of that, so that its number names nobody.
        func end() throws {
            let exit = try ProcessControl.exitDescriptor(of: process)
            try ProcessControl.send(.kill, to: process)
            #expect(try exit.waitReadable(upTo: .seconds(20)))
            _ = try ProcessControl.reap(process)
        }
    }

    @Test("the end of a watched process is said once, the end of another one not at all")
    func ended() throws {
        let watch = ProcessWatch()
        let one = try Child()
        let other = try Child()
        let identity = try #require(watch.identity(of: one.process.rawValue))
        let otherIdentity = try #require(watch.identity(of: other.process.rawValue))
        watch.watch(identity)
        watch.watch(identity)
        watch.watch(otherIdentity)
        watch.unwatch(otherIdentity)
        #expect(watch.takeEnded() == nil)
        try other.end()
        #expect(watch.takeEnded() == nil)
        try one.end()
        let descriptor = try #require(watch.fileDescriptor)
        #expect(try NumberedDescriptor.waitReadable(descriptor, upTo: .seconds(20)))
        #expect(watch.takeEnded() == identity)
        #expect(watch.takeEnded() == nil)
    }

    @Test("a process that is gone is said to have ended at once, also when its number names another by now")
    func gone() throws {
        let watch = ProcessWatch()
        let child = try Child()
        let identity = try #require(watch.identity(of: child.process.rawValue))
        try child.end()
        watch.watch(identity)
        #expect(watch.hasGone)
        #expect(watch.takeEnded() == identity)
        var earlier = try #require(watch.identity(of: ProcessControl.currentID))
        earlier.start -= 1
        watch.watch(earlier)
        #expect(watch.takeEnded() == earlier)
        #expect(!watch.hasGone)
    }

    @Test("of a process of another boot or namespace nothing is said, though its number names nobody here")
    func elsewhere() throws {
        let watch = ProcessWatch()
        let child = try Child()
        var identity = try #require(watch.identity(of: child.process.rawValue))
        try child.end()
        identity.namespace += "0"
        watch.watch(identity)
        #expect(!watch.hasGone)
        #expect(watch.takeEnded() == nil)
    }

    @Test("this process is itself, in the eyes of both sides")
    func identity() throws {
        let seen = try #require(ProcessWatch().identity(of: ProcessControl.currentID))
        #expect(try seen.namespace == HostInformation.processNamespace())
        #expect(try seen.start == HostInformation.processStart())
        #expect(seen.namespace.utf8.count <= 64)
    }
}
