//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Platform

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
