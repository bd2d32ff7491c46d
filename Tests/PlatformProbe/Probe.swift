//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CWrongClock
import GantryPlatform
import Glibc

/// A process for the tests of `GantryPlatform` to kill, stop and question. Its first argument says what it does; it reports on
/// descriptor 3 and waits on standard input.
@main
struct Probe {
    static func main() throws {
        let arguments = CommandLine.arguments
        let command = arguments.count > 1 ? arguments[1] : ""
        switch command {
        case "stop-with-timer": try stop(timer: .milliseconds(200))
        case "disarm": try disarm()
        case "signals": try signals()
        case "descriptors": try descriptors()
        case "wait": try report("ready")
        case "die-with-parent": try report(try ProcessControl.dieWithParent() ? "ready" : "orphan")
        case "parent": try spawnAndExit()
        case "first": try runAsFirst()
        case "lock-part": try lockPart(of: "/dev/shm")
        case "clock-set-back": try wait(whileTheClockIsSetBy: -3_600)
        case "clock-set-forward": try wait(whileTheClockIsSetBy: 3_600)
        default: ProcessControl.exitImmediately(code: 64)
        }
        if command != "parent" { try waitForEnd() }
    }

    /// Arms the timer, then stops for good: only the kernel can end it.
    private static func stop(timer wait: Duration) throws {
        let timer = try KillTimer()
        try timer.arm(after: wait)
        try report("armed")
        guard let own = ProcessID(rawValue: ProcessControl.currentID) else { return }
        try ProcessControl.send(.stop, to: own)
        try waitForEnd()
        try timer.disarm()
    }

    private static func disarm() throws {
        let timer = try KillTimer()
        let soon = SystemClock.bootNanoseconds() + 150_000_000
        try timer.arm(atBootNanoseconds: soon)
        try timer.disarm()
        _ = try NumberedDescriptor.waitReadable(0, upTo: .milliseconds(300))
        try report(SystemClock.bootNanoseconds() > soon ? "alive" : "early")
    }

    /// Locks a part of a folder for reading, which anybody may.
    private static func lockPart(of path: String) throws {
        let folder = try OwnedDescriptor(path: path, options: .read)
        var part = flock()
        (part.l_type, part.l_len) = (Int16(F_RDLCK), 1)
        try report(unsafe fcntl(folder.rawValue, F_SETLK, &part) == 0 ? "locked" : "not locked")
        try waitForEnd()
        try folder.close()
    }

    /// Waits for a signal that never comes; says for how long.
    private static func wait(whileTheClockIsSetBy seconds: Int64) throws {
        wrong_clock_begin(-seconds)
        let begun = SystemClock.monotonicNanoseconds()
        let isSignaled = MonotonicSemaphore().wait(upTo: .milliseconds(100))
        let milliseconds = (SystemClock.monotonicNanoseconds() - begun) / 1_000_000
        try report(isSignaled ? "signaled" : milliseconds >= 100 ? "over" : "over after \(milliseconds) ms")
    }

    /// Two take signals. The second holds the thread that delivers them until both have left, and meanwhile one more comes.
    private static func signals() throws {
        let arrived = MonotonicSemaphore()
        let left = MonotonicSemaphore()
        let first = try SignalTaker { try? report("first: \($0.rawValue)") }
        let second = try SignalTaker([.terminate, .user1]) { signal in
            try? report("second: \(signal.rawValue)")
            guard signal == .user1 else { return }
            ProcessControl.sendToThisProcess(.user1)
            arrived.signal()
            left.wait()
        }
        try report("ready")
        arrived.wait()
        first.leave()
        second.leave()
        try report("both left")
        left.signal()
    }

    private static func descriptors() throws {
        let folder = try DirectoryDescriptor(path: "/proc/self/fd")
        // The listing itself and the folder are two of them.
        try report(try folder.list().compactMap { Int($0) }.sorted().map(String.init).joined(separator: " "))
    }

    /// Starts a child that wants to die with this process, then ends.
    private static func spawnAndExit() throws {
        var request = SpawnRequest(executable: CommandLine.arguments[0], arguments: ["die-with-parent"])
        request.standardInput = .inherit
        request.inherited = [InheritedDescriptor(parentNumber: 3, childNumber: 3)]
        let child = try request.spawn()
        try report("\(child)")
        try waitForEnd()
    }

    /// As process 1 of a namespace leaves the work to a child; the child leaves an orphan behind and says what became of it.
    private static func runAsFirst() throws {
        if FirstProcess.isThisOne {
            let code = try FirstProcess.runAgainAsChild(arguments: ["first"], environment: [:], descriptors: [3])
            ProcessControl.exitImmediately(code: code)
        }
        let arrived = MonotonicSemaphore()
        let signals = try SignalTaker([.windowChanged]) { _ in arrived.signal() }
        defer { signals.leave() }
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        var shell = SpawnRequest(executable: "/bin/sh", arguments: ["-c", "exec 4<&0; read line <&4 & echo $!"])
        shell.standardInput = .inherit
        shell.standardOutput = .descriptor(writer.rawValue)
        let parent = try shell.spawn()
        var text: [UInt8] = []
        try reader.read(into: &text, count: 100)
        let number = Int32(String(decoding: text, as: UTF8.self).filter(\.isNumber))
        guard let orphan = number.flatMap(ProcessID.init(rawValue:)) else { return }
        _ = try ProcessControl.exitDescriptor(of: parent).waitReadable(upTo: .seconds(20))
        let end = try ProcessControl.exitDescriptor(of: orphan)
        try report("orphan of \(ProcessControl.parentID)")
        _ = try end.waitReadable(upTo: .seconds(20))
        // Process 1 is told of the orphan's end before this one is sent, and passes it on when it has reaped.
        try ProcessControl.send(.windowChanged, to: ProcessID(rawValue: 1) ?? orphan)
        _ = arrived.wait(upTo: .seconds(20))
        do {
            _ = try ProcessControl.exitDescriptor(of: orphan)
            try report("left")
        } catch {
            try report("reaped")
        }
        ProcessControl.exitImmediately(code: 7)
    }

    private static func report(_ text: String) throws {
        try NumberedDescriptor.write(Array("\(text)\n".utf8), to: 3)
    }

    private static func waitForEnd() throws {
        _ = try NumberedDescriptor.waitReadable(0, upTo: .seconds(60))
    }
}
