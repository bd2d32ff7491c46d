//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import Loading

@MainActor
@Suite("The live region", .timeLimit(.minutes(5)))
struct LiveRegionTests {
    private let clock = ManualClock()
    private let frame = Duration.seconds(1) / 30

    @Test("the machine draws at once after a quiet time, else when the interval is over: at most 30 times a second")
    func machine() {
        var machine = RedrawMachine(interval: frame)
        var timer: Duration?
        var drawings = 0
        for millisecond in 0..<1000 {
            let now = Duration.milliseconds(millisecond)
            if let deadline = timer, deadline <= now {
                machine.timerEnded(at: now)
                drawings += 1
                timer = nil
            }
            switch machine.changed(at: now) {
            case .draw: drawings += 1
            case .wait(let deadline): timer = deadline
            case .join: #expect(timer != nil)
            }
        }
        #expect(drawings > 25 && drawings <= 30)
    }

    @Test("many changes in a frame are one drawing, in place, of the last state")
    func inPlace() async {
        let loader = GatedLoader()
        let written = Tally()
        var output: [String] = []
        let region = LiveRegion(
            clock: clock,
            write: {
                output.append($0); written.add()
            }
        ) {
            LoadingView(loader: loader, loadOnAppear: false) { Text("Value \($0)") }.emptyView { Text("No data") }
        }
        region.start()
        #expect(output == ["No data\n"])
        for percent in 1...50 { loader.updateState(.loading(LoadingProgress(percent: percent))) }
        await clock.whenAsleep(until: frame)
        #expect(region.frameCount == 1)
        clock.advance(by: frame)
        await written.reaches(2)
        #expect(output[1] == "\u{1B}[1A\r\u{1B}[J[█████·····] 50%\n")
        loader.updateState(.loaded(1))
        await clock.whenAsleep(until: frame * 2)
        clock.advance(by: frame)
        await written.reaches(3)
        #expect(output[2] == "\u{1B}[1A\r\u{1B}[JValue 1\n")
        #expect(region.frameCount == 3)
    }

    @Test("what is the same is not written again, and stop draws what is missing")
    func stop() async {
        let loader = GatedLoader()
        var output: [String] = []
        let region = LiveRegion(clock: clock, write: { output.append($0) }) {
            LoadingView(loader: loader, loadOnAppear: false) { Text("Value \($0)") }.emptyView { Text("No data") }
            Button("Load") { loader.updateState(.loaded(9)) }
        }
        region.start()
        await clock.whenAsleep(1)
        #expect(region.press(1))
        region.stop()
        await clock.whenAsleep(0)
        #expect(output == ["No data\n[1] Load\n", "\u{1B}[2A\r\u{1B}[JValue 9\n[1] Load\n"])
        region.stop()
        #expect(output.count == 2)
    }

    @Test("a region that was stopped with a drawing due starts again, below the lines that stand")
    func restart() async {
        let loader = GatedLoader()
        let written = Tally()
        var output: [String] = []
        let region = LiveRegion(
            clock: clock,
            write: {
                output.append($0); written.add()
            }
        ) {
            LoadingView(loader: loader, loadOnAppear: false) { Text("Value \($0)") }.emptyView { Text("No data") }
        }
        region.start()
        region.start()
        await clock.whenAsleep(1)
        region.stop()
        await clock.whenAsleep(0)
        clock.advance(by: frame)
        loader.updateState(.loaded(1))
        region.start()
        await written.reaches(2)
        #expect(output == ["No data\n", "Value 1\n"])
        region.stop()
    }
}
