//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Testing

@Suite("Processes")
struct ProcessTests {
    @Test("the kill timer ends a process that is stopped")
    func killTimer() throws {
        let probe = try ProbeProcess("stop-with-timer")
        #expect(try probe.report() == "armed\n")
        #expect(try probe.exit() == .signaled(.kill))
    }

    @Test("process 1 of a namespace leaves its work to a child, reaps orphans, passes signals on and ends with the child's code")
    func firstProcess() throws {
        let probe = try ProbeProcess("first", isFirst: true)
        #expect(try probe.report() == "orphan of 1\n", "unshare --pid must be possible here")
        try probe.input.write([10])
        #expect(try probe.report() == "reaped\n")
        #expect(try probe.exit() == .exited(code: 7))
    }

    @Test("a disarmed kill timer lets the process live past its time")
    func disarmed() throws {
        let probe = try ProbeProcess("disarm")
        #expect(try probe.report() == "alive\n")
        try probe.input.write([0])
        #expect(try probe.exit() == .exited(code: 0))
    }

    @Test("a signal goes to each that takes it, and does what it did before when nobody does, also when it came for one that has left")
    func signals() throws {
        let probe = try ProbeProcess("signals")
        #expect(try probe.report() == "ready\n")
        try ProcessControl.send(.terminate, to: probe.process)
        #expect(try probe.report(through: "second: 15") == "first: 15\nsecond: 15\n")
        try ProcessControl.send(.user1, to: probe.process)
        // The thread that delivers signals is held until both have left; then comes one more, for nobody.
        #expect(try probe.report(through: "both left") == "second: 10\nboth left\n")
        #expect(try probe.exit() == .signaled(.user1))
    }

    @Test("of requests to end that come twice at once the first counts; a later one, another signal and other kinds of signals all do")
    func requestsToEnd() {
        var requests = RequestsToEnd()
        let pause = Int64(RequestsToEnd.repeatWindow / .nanoseconds(1))
        let counted = [0, 1, pause - 1, pause, 2 * pause - 1].map { requests.counts(.interrupt, at: 1_000 + $0) }
        #expect(counted == [true, false, false, true, false])
        let others = [Signal.terminate, .child, .child].map { requests.counts($0, at: 1_000 + 2 * pause - 1) }
        #expect(others == [true, true, true])
    }

    @Test("a spawned process has the descriptors it was given and no others, also when numbers cross")
    func descriptors() throws {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        let probe = try ProbeProcess(
            "descriptors",
            inherited: [
                InheritedDescriptor(parentNumber: reader.rawValue, childNumber: 9),
                InheritedDescriptor(parentNumber: writer.rawValue, childNumber: 5),
            ])
        let numbers = try probe.report().split(whereSeparator: { " \n".contains($0) }).compactMap { Int($0) }
        // 4 and 6 are the probe's own look at the folder.
        #expect(numbers == [0, 1, 2, 3, 4, 5, 6, 9])
        try probe.input.write([0])
        #expect(try probe.exit() == .exited(code: 0))
    }

    @Test("a child that asked for it dies with its parent")
    func dieWithParent() throws {
        let parent = try ProbeProcess("parent")
        var text = try parent.report()
        // The parent says the child's number, the child says "ready", in either order.
        while text.split(separator: "\n").count < 2 { text += try parent.report() }
        let number = text.split(separator: "\n").compactMap { Int32($0) }.first
        let child = try #require(number.flatMap { ProcessID(rawValue: $0) })
        let childEnd = try ProcessControl.exitDescriptor(of: child)
        try ProcessControl.send(.kill, to: parent.process)
        #expect(try parent.exit() == .signaled(.kill))
        #expect(try childEnd.waitReadable(upTo: gracePeriod))
    }

    @Test("a running child is not reaped, a reaped one is nobody's child")
    func reaping() throws {
        let probe = try ProbeProcess("wait")
        #expect(try probe.report() == "ready\n")
        #expect(try ProcessControl.reap(probe.process) == nil)
        try probe.input.write([0])
        #expect(try probe.exit() == .exited(code: 0))
        let error = #expect(throws: SystemError.self) { try ProcessControl.reap(probe.process) }
        #expect(error?.code == .noChild)
    }

    @Test("a program that is not there and crossed numbers are refused with a name")
    func refusals() throws {
        let missing = #expect(throws: SystemError.self) { try SpawnRequest(executable: "/nowhere/program").spawn() }
        #expect(missing?.code == .notFound)
        #expect(missing?.context.contains("/nowhere/program") == true)
        var twice = SpawnRequest(executable: "/bin/true")
        twice.inherited = Array(repeating: InheritedDescriptor(parentNumber: 0, childNumber: 3), count: 2)
        #expect(throws: SystemError.self) { try twice.spawn() }
        #expect(throws: SystemError.self) { try SpawnRequest(executable: "/bin/true", arguments: ["a\0b"]).spawn() }
        #expect(ProcessID(rawValue: 0) == nil)
        #expect(ProcessID(rawValue: -1) == nil)
    }

    @Test("arguments, environment, folder and group reach the program")
    func spawnSettings() throws {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        var writer: OwnedDescriptor? = pipe.takeWriter()
        var request = SpawnRequest(
            executable: "/bin/sh",
            arguments: ["-c", "echo \"$1 $NAME $PWD $(ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat) $$\"", "sh", "a b"],
            environment: ["NAME": "x=y", "PATH": "/usr/bin:/bin"])
        request.workingFolder = "/proc"
        request.leadsOwnGroup = true
        request.standardOutput = .descriptor(writer?.rawValue ?? -1)
        let process = try request.spawn()
        writer = nil
        let end = try ProcessControl.exitDescriptor(of: process)
        #expect(try end.waitReadable(upTo: gracePeriod))
        #expect(try ProcessControl.reap(process) == .exited(code: 0))
        var bytes: [UInt8] = []
        try reader.read(into: &bytes, count: 1_000)
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        #expect(words == ["a", "b", "x=y", "/proc", "\(process)", "\(process)"])
    }

    @Test("a program is told the name that was given, or its path", arguments: ["made up", nil])
    func name(given: String?) throws {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = SpawnRequest(executable: "/bin/cat", arguments: ["/proc/self/cmdline"])
        request.name = given
        request.standardOutput = .descriptor(writer.rawValue)
        let process = try request.spawn()
        try writer.close()
        var bytes: [UInt8] = []
        try reader.read(into: &bytes, count: 1_000)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(given ?? "/bin/cat")\0/proc/self/cmdline\0")
        #expect(try ProcessControl.exitDescriptor(of: process).waitReadable(upTo: gracePeriod))
        #expect(try ProcessControl.reap(process) == .exited(code: 0))
    }

    @Test("this process has a name and a limit of open files")
    func host() throws {
        #expect(!HostInformation.name.isEmpty)
        #expect(try ResourceLimits.raiseOpenFiles() >= 1_024)
    }
}
