//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
internal import Glibc

/// Calls about this process and its children.
package enum ProcessControl {
    /// This process's number.
    package static var currentID: Int32 { gantry_process_id() }
    /// The number of the process that started this one, or of who adopted it.
    package static var parentID: Int32 { gantry_parent_id() }
    /// The user whose rights this process has.
    package static var userID: UInt32 { gantry_user_id() }

    /// Leaves others no rights on files, folders and sockets that this process makes from now on. Call it first thing in `main`.
    package static func keepFilesPrivate() { gantry_set_mask(0o077) }

    /// Gives this process the name of the program that it was told to be, which `ps`, `pgrep` and `killall` look for: one that was started
    /// through `/proc/self/exe` is named `exe` by the kernel. Call it first thing in `main`.
    /// - Parameter path: the name that the program was started with; what is behind its last slash counts, cut at 15 bytes.
    package static func takeName(of path: String) {
        guard let name = path.split(separator: "/").last.map(String.init) else { return }
        unsafe gantry_set_process_name(name)
    }

    /// The arguments of this process behind its name, byte by byte: in `CommandLine.arguments` others stand for bytes that are no text.
    package static var argumentBytes: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).map { index in
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return [] }
            return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    /// Sends a signal to a process.
    /// - Throws: `noSuchProcess`, `notPermitted`.
    package static func send(_ signal: Signal, to process: ProcessID) throws(SystemError) {
        try checked(gantry_kill(process.rawValue, signal.rawValue), "sending signal \(signal.rawValue) to process \(process)")
    }

    /// Sends this process a signal.
    package static func sendToThisProcess(_ signal: Signal) { gantry_kill(currentID, signal.rawValue) }

    /// Sends a signal to every process of the group that `leader` leads.
    /// - Throws: `noSuchProcess` when the group is empty, `notPermitted`.
    package static func send(_ signal: Signal, toGroupOf leader: ProcessID) throws(SystemError) {
        try checked(gantry_kill(-leader.rawValue, signal.rawValue), "sending signal \(signal.rawValue) to group \(leader)")
    }

    /// Takes note of a child's end, if it has ended; after that its number may name another process.
    /// - Returns: nil while it runs.
    /// - Throws: `noChild` when it is no child of this process or was reaped before.
    package static func reap(_ process: ProcessID) throws(SystemError) -> ProcessExit? {
        try reap(process.rawValue)?.exit
    }

    /// Ends a child at once and takes note of its end, without a descriptor, for there may be none left. Waits for as long as the kernel needs.
    /// - Throws: `noChild` when it is no child of this process or was reaped before.
    package static func end(_ process: ProcessID) throws(SystemError) {
        while try reap(process) == nil {
            try send(.kill, to: process)
            SystemClock.pause(for: .milliseconds(10))
        }
    }

    /// Takes note of the end of any child, adopted ones included.
    /// - Returns: nil if none has ended or there is none.
    /// - Throws: the system's error.
    package static func reapAny() throws(SystemError) -> (process: ProcessID, exit: ProcessExit)? {
        do throws(SystemError) {
            return try reap(-1)
        } catch  where error.code == .noChild {
            return nil
        }
    }

    /// A descriptor that becomes readable when the process ends, for a poller.
    /// - Throws: `noSuchProcess`, `tooManyOpen`.
    package static func exitDescriptor(of process: ProcessID) throws(SystemError) -> OwnedDescriptor {
        let number = try checked(gantry_process_descriptor(process.rawValue), "opening a descriptor of process \(process)")
        return OwnedDescriptor(adopting: number, name: "process \(process)")
    }

    /// Lets the kernel send this process a signal when its parent ends. Call it first thing.
    ///
    /// The kernel means the parent's *thread* that spawned, so spawn from a thread that lives as long as its process.
    /// - Parameter expectedParent: who the parent must be; pass it along to find out if it ended before this call.
    /// - Returns: false if the parent is already another; the caller should then end.
    /// - Throws: `invalidArgument` for a number that is no signal.
    package static func dieWithParent(
        _ signal: Signal = .kill, expectedParent: Int32? = nil
    ) throws(SystemError) -> Bool {
        try checked(gantry_die_with_parent(signal.rawValue), "asking for a signal at the parent's end")
        return expectedParent == nil || expectedParent == parentID
    }

    /// Keeps the numbers of closed standard streams from what is opened later: what is written to standard output would go there. Using them still
    /// fails, as it does where they are closed. Call it first thing in `main`.
    /// - Throws: the system's error when `/dev/null` cannot be opened.
    package static func keepStandardStreams() throws(SystemError) {
        try checked(gantry_fill_standard(), "opening /dev/null in the place of a closed standard stream")
    }

    /// Makes writing to a pipe nobody reads fail with `brokenPipe` instead of ending the process.
    /// - Throws: the system's error; it has no cause of its own.
    package static func ignoreBrokenPipes() throws(SystemError) {
        try checked(gantry_ignore_sigpipe(), "ignoring SIGPIPE")
    }

    /// Ends this process at once: nothing is flushed, nothing runs at exit. For watchdogs.
    package static func exitImmediately(code: Int32) -> Never {
        gantry_exit_now(code)
    }

    private static func reap(_ number: Int32) throws(SystemError) -> (process: ProcessID, exit: ProcessExit)? {
        var kind: Int32 = 0
        var value: Int32 = 0
        let ended = try checked(unsafe gantry_reap(number, &kind, &value), "waiting for process \(number)")
        guard let process = ProcessID(rawValue: ended) else { return nil }
        return (process, kind == 1 ? .signaled(Signal(rawValue: value)) : .exited(code: value))
    }
}

/// A process by its number, which the system uses again after the process was reaped.
package struct ProcessID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, above 0.
    package let rawValue: Int32

    /// Wraps a number.
    /// - Returns: nil for 0 and below, which mean groups to the system.
    package init?(rawValue: Int32) {
        guard rawValue > 0 else { return nil }
        self.rawValue = rawValue
    }

    /// The number in decimal.
    package var description: String { String(rawValue) }
}

/// How a process ended.
package enum ProcessExit: Hashable, Sendable {
    /// By itself, with a code of 0 to 255.
    case exited(code: Int32)
    /// Through a signal.
    case signaled(Signal)
}

/// Limits of this process.
package enum ResourceLimits {
    /// Raises the limit of open files as far as the user may.
    /// - Returns: the limit that now holds.
    /// - Throws: the system's error.
    @discardableResult
    package static func raiseOpenFiles() throws(SystemError) -> Int {
        var limit: Int64 = 0
        try checked(unsafe gantry_raise_descriptor_limit(&limit), "raising the limit of open files")
        return Int(limit)
    }

    /// How many connections this process has closed as soon as they came, because they would have taken one of its last descriptors.
    package static var connectionsTurnedAway: UInt64 { gantry_turned_away() }
}

/// Waits for the ends of many processes, children or not, behind one descriptor for a poller.
///
/// A process is known by its descriptor, so that its number may come again for another one meanwhile. Used by one thread.
package final class ExitWatch {
    /// For a poller; readable while `takeEnded` has something. Open as long as this object lives.
    package let fileDescriptor: Int32
    /// The descriptors of watched processes, by token.
    private var descriptors: [UInt64: Int32] = [:]

    /// A watch over nobody.
    /// - Throws: `tooManyOpen`.
    package init() throws(SystemError) {
        fileDescriptor = try checked(gantry_exits_make(), "making a watch over processes; raise the limit of open files")
    }

    deinit {
        for descriptor in descriptors.values { gantry_close(descriptor) }
        gantry_close(fileDescriptor)
    }

    /// Waits for the end of whoever has that number now; a process that has ended and was not reaped is named at once.
    /// - Parameter token: what `takeEnded` calls it, another for each.
    /// - Throws: `noSuchProcess`, `tooManyOpen`, `notImplemented`.
    package func watch(_ process: ProcessID, as token: UInt64) throws(SystemError) {
        let descriptor = try ProcessControl.exitDescriptor(of: process).release()
        let code = gantry_exits_add(fileDescriptor, descriptor, token)
        if code < 0 { gantry_close(descriptor) }
        try checked(code, "watching process \(process)")
        descriptors[token] = descriptor
    }

    /// Waits for that one no longer.
    package func unwatch(_ token: UInt64) {
        // Closing the only descriptor takes it out of the kernel's set too.
        if let descriptor = descriptors.removeValue(forKey: token) { gantry_close(descriptor) }
    }

    /// The token of a process that has ended, each once; nil: no other one.
    package func takeEnded() -> UInt64? {
        var token: UInt64 = 0
        guard unsafe gantry_exits_next(fileDescriptor, &token) == 1 else { return nil }
        unwatch(token)
        return token
    }
}

/// Lets the kernel kill this process with SIGKILL at a time, also when it hangs or is stopped.
///
/// A worker moves the time with each renewal of its leases; if it stops renewing, nothing it runs outlives its lease. The
/// clock is `SystemClock.bootNanoseconds()`. Any thread may use it. Dropping it disarms.
package struct KillTimer: ~Copyable, Sendable {
    private let timer: Int64

    /// Makes a timer that is not armed.
    /// - Throws: the system's error when it has no timer left.
    package init() throws(SystemError) {
        var made: Int64 = 0
        try checked(unsafe gantry_kill_timer_create(&made), "making a kill timer; raise the limit of pending signals")
        timer = made
    }

    deinit {
        gantry_kill_timer_delete(timer)
    }

    /// Kills the process at this time; a time that is over kills at once. Replaces an earlier time.
    /// - Parameter bootNanoseconds: a time of `SystemClock.bootNanoseconds()`; below 1 counts as 1.
    /// - Throws: `invalidArgument` for a time the kernel cannot hold.
    package borrowing func arm(atBootNanoseconds bootNanoseconds: Int64) throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, max(bootNanoseconds, 1), 1), "arming the kill timer")
    }

    /// Kills the process after this time. Replaces an earlier time.
    /// - Parameter wait: at least a nanosecond is waited.
    /// - Throws: `invalidArgument` for a time the kernel cannot hold.
    package borrowing func arm(after wait: Duration) throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, max(wait.wholeNanoseconds, 1), 0), "arming the kill timer")
    }

    /// Takes the time back; the process lives on.
    /// - Throws: the system's error; it has no cause of its own.
    package borrowing func disarm() throws(SystemError) {
        try checked(gantry_kill_timer_set(timer, 0, 0), "disarming the kill timer")
    }
}
