//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization
import Testing

@Suite("Threads, clocks and signals between threads")
struct ThreadTests {
    @Test("an event signal set on another thread is seen once")
    func eventSignal() throws {
        let signal = try EventSignal()
        #expect(!signal.drain())
        let thread = try startThread(name: "signaler") {
            signal.signal()
            signal.signal()
        }
        #expect(try NumberedDescriptor.waitReadable(signal.fileDescriptor, upTo: gracePeriod))
        thread.join()
        #expect(signal.drain())
        #expect(!signal.drain())
    }

    @Test("a semaphore lets one wait pass for each signal, also for one that came before it")
    func semaphore() throws {
        let semaphore = MonotonicSemaphore()
        #expect(!semaphore.wait(upTo: .zero) && !semaphore.wait(upTo: .seconds(-1)))
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(upTo: .zero) && semaphore.wait(upTo: gracePeriod))
        #expect(!semaphore.wait(upTo: .milliseconds(1)))
        let thread = try startThread(name: "signaler") { semaphore.signal() }
        semaphore.wait()
        thread.join()
        #expect(!semaphore.wait(upTo: .zero))
    }

    @Test("a wait until something is so looks first and after each signal, and ends with its time")
    func condition() throws {
        let (semaphore, box) = (MonotonicSemaphore(), Box(seen: Mutex([])))
        #expect(semaphore.wait(upTo: .zero) { true })
        #expect(!semaphore.wait(upTo: .milliseconds(1)) { false })
        let thread = try startThread(name: "signaler") {
            semaphore.signal()
            box.seen.withLock { $0.append("done") }
            semaphore.signal()
        }
        #expect(semaphore.wait(upTo: .seconds(Int64.max)) { box.seen.withLock { !$0.isEmpty } })
        thread.join()
    }

    @Test("a step of the wall clock neither prolongs a wait nor cuts it short", arguments: ["clock-set-back", "clock-set-forward"])
    func wallClockStep(command: String) throws {
        let probe = try ProbeProcess(command)
        #expect(try probe.report() == "over\n")
        try ProcessControl.send(.kill, to: probe.process)
        _ = try probe.exit()
    }

    @Test("a thread has its name and its stack, and runs its body once")
    func thread() throws {
        let seen = Mutex<[String]>([])
        let box = Box(seen: seen)
        let thread = try startThread(name: "a-rather-long-thread-name", stackSize: 4 << 20) {
            let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            box.seen.withLock { $0.append(name ?? "") }
        }
        thread.join()
        #expect(box.seen.withLock { $0 } == ["a-rather-long-t\n"])
    }

    @Test("clocks advance, and random numbers differ")
    func clocks() throws {
        let monotonic = SystemClock.monotonicNanoseconds()
        let boot = SystemClock.bootNanoseconds()
        #expect(SystemClock.monotonicNanoseconds() >= monotonic)
        #expect(SystemClock.bootNanoseconds() >= boot)
        let wall = SystemClock.wallMilliseconds()
        #expect(abs(Double(wall) / 1_000 - Date().timeIntervalSince1970) < 60)
        #expect(try Set([SystemRandom.next(), SystemRandom.next(), SystemRandom.next()]).count == 3)
    }

    @Test("errors carry the number, the thing and the system's words")
    func errors() {
        let error = #expect(throws: SystemError.self) {
            _ = try OwnedDescriptor(path: "/nowhere/file", options: .read).rawValue
        }
        #expect(error?.description == "opening /nowhere/file: No such file or directory (2)")
    }
}

/// Holds what the thread has seen.
private final class Box: Sendable {
    let seen: Mutex<[String]>

    init(seen: consuming Mutex<[String]>) {
        self.seen = seen
    }
}
