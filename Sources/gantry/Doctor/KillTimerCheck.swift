//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryPlatform

/// Tries whether the kernel ends a process that has stopped, in a child that is thrown away: without that a worker that hangs would keep its jobs
/// from others.
struct KillTimerCheck {
    /// How long is waited before the child is looked at. It stops at once and the timer runs out after 0.1 s; a busy machine needs longer.
    private static let limit = Duration.seconds(5)
    /// So often it is looked at until it has stopped.
    private static let lookCount = 4

    /// The check, with this program as the child.
    static func check(environment: [String: String]) -> DoctorCheck {
        let arguments = [KillTimerProbe.configuration.commandName ?? ""]
        return check(SpawnRequest(ofThisProgramWith: arguments, environment: environment), limit: limit)
    }

    /// - Parameters:
    ///   - probe: a process that arms a kill timer, then stops itself.
    ///   - limit: how long it may take to end once it has stopped.
    static func check(_ probe: SpawnRequest, limit: Duration) -> DoctorCheck {
        do throws(SystemError) {
            var probe = probe
            probe.standardOutput = .null
            let process = try probe.spawn()
            let end = try ProcessControl.exitDescriptor(of: process)
            var (hasEnded, hasStopped) = (false, false)
            for _ in 0..<lookCount where !hasEnded && !hasStopped {
                hasEnded = try end.waitReadable(upTo: limit)
                hasStopped = hasEnded ? false : try HostInformation.isStopped(process)
            }
            if hasStopped { hasEnded = try end.waitReadable(upTo: limit) }
            if !hasEnded { try ProcessControl.send(.kill, to: process) }
            while try !end.waitReadable(upTo: limit) {}
            let exit = try ProcessControl.reap(process)
            guard hasEnded || hasStopped else { return busy }
            guard hasEnded, exit == .signaled(.kill) else { return broken }
            return DoctorCheck(name: "kill timer", state: .good, detail: "the kernel ends a stopped process")
        } catch {
            return DoctorCheck(
                name: "kill timer", state: .warning, detail: "cannot be tried: \(error)", nextStep: "allow this user one more process")
        }
    }

    private static var busy: DoctorCheck {
        DoctorCheck(
            name: "kill timer", state: .warning, detail: "was not shown in time: the machine is too busy to stop a child",
            nextStep: "run gantry doctor again when less runs here")
    }

    private static var broken: DoctorCheck {
        DoctorCheck(
            name: "kill timer", state: .bad,
            detail: "the kernel does not end a stopped process, so a worker that hangs would keep its jobs",
            nextStep: "run workers where timer_create with CLOCK_BOOTTIME works: a Linux kernel of its own, not an emulation of one",
            badStatus: .failed)
    }
}

/// What `doctor` runs as a child that is thrown away: arms a kill timer and stops itself.
struct KillTimerProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill-timer-probe", abstract: "Stop until the kernel ends it.", shouldDisplay: false)

    func run() throws {
        let timer = try KillTimer()
        try timer.arm(after: .milliseconds(100))
        guard let own = ProcessID(rawValue: ProcessControl.currentID) else { return }
        try ProcessControl.send(.stop, to: own)
        // Another thread may take the signal, and this one runs on for a moment: the timer must outlive it.
        let never = try EventSignal()
        _ = try NumberedDescriptor.waitReadable(never.fileDescriptor, upTo: .seconds(60))
        never.drain()
        try timer.disarm()
    }
}
