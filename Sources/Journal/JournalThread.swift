//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch

/// How often a full disk is tried again, and the reserve made again.
private let pause = DispatchTimeInterval.milliseconds(250)

/// The body of the journal's thread: takes the writer's steps and waits between them, until it is closed, fenced or has failed.
func runJournal<Log: JournalLog, Space: JournalReserve>(_ writer: inout JournalWriter<Log, Space>, at desk: JournalDesk) {
    while true {
        switch writer.step() {
        case .step: continue
        case .pause: desk.waitForWork(atMost: pause)
        case .sleep: desk.waitForWork(atMost: nil)
        case .end: return desk.end()
        }
    }
}
