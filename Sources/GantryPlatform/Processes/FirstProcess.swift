//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//
import Synchronization

/// What process 1 of a PID namespace, as in a container without an init, leaves to a child.
///
/// The kernel protects such a process from every signal that comes from inside its namespace and that it does not handle, SIGKILL included. So a
/// `KillTimer` never ends it: what must be ended by the kernel has to run in a child.
package enum FirstProcess {
    /// Signals that are passed on to the child.
    private static let passed: [Signal] = [.terminate, .interrupt, .hangUp, .quit, .user1, .windowChanged]

    /// Whether this process is process 1 of its namespace.
    package static var isThisOne: Bool { ProcessControl.currentID == 1 }

    /// Runs this program again as a child with the same arguments, passes signals on to it and reaps orphans, until the child ends.
    ///
    /// Call it first thing in `main`, before anything exists that the child would have a second time.
    /// - Parameters:
    ///   - arguments: behind the program's name.
    ///   - environment: the child's.
    ///   - descriptors: those beside 0, 1 and 2 that the child gets, under the same numbers.
    /// - Returns: the child's code; 128 and the signal's number if a signal ended it, as shells say it.
    /// - Throws: the system's error when the child cannot be started.
    package static func runAgainAsChild(
        arguments: [String], environment: [String: String], descriptors: [Int32] = []
    ) throws(SystemError) -> Int32 {
        let arrived = MonotonicSemaphore()
        let waiting = Mutex<[Signal]>([])
        // Before the child starts, so that its end is never missed.
        let signals = try SignalTaker(passed + [.child]) { signal in
            waiting.withLock { $0.append(signal) }
            arrived.signal()
        }
        defer { signals.leave() }
        var request = SpawnRequest(ofThisProgramWith: arguments, environment: environment)
        request.standardInput = .inherit
        request.inherited = descriptors.filter { $0 > 2 }.map { InheritedDescriptor(parentNumber: $0, childNumber: $0) }
        // Else a Ctrl-C at the terminal would reach the child twice: from the terminal and from here.
        request.leadsOwnGroup = true
        let child = try request.spawn()
        while true {
            arrived.wait()
            let signal = waiting.withLock { $0.removeFirst() }
            if signal == .child {
                if let code = try reapAll(until: child) { return code }
            } else {
                // A child that ends just now needs no signal; its end comes next.
                try? ProcessControl.send(signal, to: child)
            }
        }
    }

    /// Reaps whoever has ended, adopted orphans included; the child's code if it is among them.
    private static func reapAll(until child: ProcessID) throws(SystemError) -> Int32? {
        while let (process, exit) = try ProcessControl.reapAny() {
            guard process == child else { continue }
            switch exit {
            case .exited(let code): return code
            case .signaled(let signal): return signal.exitCode
            }
        }
        return nil
    }
}
