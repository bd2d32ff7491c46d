//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The body of the journal's thread: takes the writer's steps and waits between them, until it is closed, fenced or has failed.
func runJournal<Log: JournalLog, Space: JournalBallast>(_ writer: inout JournalWriter<Log, Space>, at mailbox: JournalMailbox) {
    while true {
        switch writer.step() {
        case .step: continue
        case .pause(let length): mailbox.waitForWork(atMost: length)
        case .sleep: mailbox.waitForWork(atMost: nil)
        case .end: return mailbox.end()
        }
    }
}
