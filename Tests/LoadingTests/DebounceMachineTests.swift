//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@Suite("The debouncer's machine, as pictures of time; a column is 50 ms and the interval is 300 ms")
struct DebounceMachineTests {
    /// Plays events, one letter a column: c is a call, x a cancel, r a reset. Answers with R where the wrapped load runs.
    private func play(_ events: String, immediate: Bool) -> String {
        var machine = DebounceMachine(interval: .milliseconds(300), runsFirstImmediately: immediate)
        var timer: Duration?
        var picture = ""
        for (column, event) in events.enumerated() {
            let now = Duration.milliseconds(50 * column)
            var runs = false
            if let deadline = timer, deadline <= now {
                timer = nil
                switch machine.timerEnded(at: now) {
                case .run: runs = true
                case .wait(let next): timer = next
                case .stop: break
                }
            }
            switch event {
            case "c":
                switch machine.called(at: now) {
                case .runNow: runs = true
                case .wait(let deadline): timer = deadline
                case .join: #expect(timer != nil)
                }
            case "x":
                machine.cancelled()
                timer = nil
            case "r":
                machine.reset()
                timer = nil
            default: break
            }
            picture += runs ? "R" : "."
        }
        return picture
    }

    @Test("each call restarts the timer, and one run follows the last of them")
    func trailing() {
        #expect(play("c.c...c...............", immediate: false) == "............R.........")
    }

    @Test("calls a whole interval apart all run")
    func apart() {
        #expect(play("c......c......", immediate: false) == "......R......R")
    }

    @Test("immediate first: calls at 0, 50 and 100 ms run at 0 and once at 400 ms")
    func immediate() {
        #expect(play("ccc...........", immediate: true) == "R.......R.....")
    }

    @Test("the gate opens after a whole quiet interval, not before: a call at 300 ms runs now, one at 250 ms joins")
    func gate() {
        #expect(play("c.....c......", immediate: true) == "R.....R......")
        #expect(play("c....c.......", immediate: true) == "R..........R.")
    }

    @Test("the gate stays shut for an interval after the trailing run as well")
    func gateAfterTrailing() {
        #expect(play("cc.......c..........", immediate: true) == "R......R.......R....")
        #expect(play("ccc...........c.....", immediate: true) == "R.......R.....R.....")
    }

    @Test("cancel and reset drop the pending run; reset opens the gate, cancel does not")
    func dropping() {
        #expect(play("c.x.........", immediate: false) == "............")
        #expect(play("c.r.c.......", immediate: false) == "..........R.")
        #expect(play("cc.r.c......", immediate: true) == "R....R......")
        #expect(play("cc.x.c......", immediate: true) == "R..........R")
    }

    @Test("a timer that ends with nothing pending stops")
    func stop() {
        var machine = DebounceMachine(interval: .seconds(1), runsFirstImmediately: false)
        #expect(machine.timerEnded(at: .zero) == .stop)
        #expect(!machine.isPending)
    }
}
