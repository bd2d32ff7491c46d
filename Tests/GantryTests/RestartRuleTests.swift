//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Testing

@testable import gantry

@Suite("When up starts a part again")
struct RestartRuleTests {
    @Test("after 0.1 s, however often it was killed after it had served for more than a second")
    func quick() {
        var rule = RestartRule()
        for _ in 0..<1_000 { #expect(rule.ended(.signaled(.kill), age: .milliseconds(1_001)) == .again(after: .milliseconds(100))) }
    }

    @Test("ends before ready or within a second of it double the pause to at most 5 s, and no number of them ends it")
    func doubling() {
        var rule = RestartRule()
        let ages: [Duration?] = [nil, .seconds(1), nil, nil, .milliseconds(3), nil, nil, nil]
        let pauses = ages.map { rule.ended(.exited(code: 1), age: $0) }
        #expect(pauses == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .again(after: .milliseconds($0)) })
        for _ in 0..<100 { #expect(rule.ended(.signaled(.kill), age: nil) == .again(after: .seconds(5))) }
        #expect(rule.ended(.signaled(.kill), age: .seconds(2)) == .again(after: .milliseconds(100)))
        #expect(rule.ended(.signaled(.kill), age: nil) == .again(after: .milliseconds(100)))
    }

    @Test("not after a worker has drained, which ends it with code 0; any other part is started again then")
    func drained() {
        var worker = RestartRule(drains: true)
        #expect(worker.ended(.exited(code: 0), age: .seconds(60)) == .drained)
        #expect(worker.ended(.exited(code: 0), age: nil) == .drained)
        #expect(worker.ended(.exited(code: 1), age: .seconds(60)) == .again(after: .milliseconds(100)))
        #expect(worker.ended(.signaled(.terminate), age: .seconds(60)) == .again(after: .milliseconds(100)))
        var front = RestartRule()
        #expect(front.ended(.exited(code: 0), age: .seconds(60)) == .again(after: .milliseconds(100)))
    }

    @Test("not after a worker was asked to drain, whatever way it ends: the kernel ends one whose work does not stop")
    func askedToDrain() {
        let ends: [ProcessExit?] = [.exited(code: 0), .exited(code: 1), .exited(code: 9), .signaled(.kill), .signaled(.terminate), nil]
        for exit in ends {
            var rule = RestartRule(drains: true)
            #expect(rule.ended(exit, age: .seconds(60), isAskedToDrain: true) == .drained)
            #expect(rule.ended(exit, age: nil, isAskedToDrain: true) == .drained)
        }
    }

    @Test("never after a code that another start cannot change, whether or not it has served, and always after any other")
    func final() {
        for status in ExitStatus.allCases {
            for age: Duration? in [nil, .seconds(60)] {
                var rule = RestartRule()
                let isFinal = [9, 64, 73, 78].contains(status.rawValue)
                let decision = rule.ended(.exited(code: status.rawValue), age: age)
                #expect(decision == (isFinal ? .final(code: status.rawValue) : .again(after: .milliseconds(100))))
            }
        }
    }

    @Test(
        "after the system had no thread, descriptor or memory left for it",
        arguments: [SystemErrorCode.wouldBlock, .tooManyOpen, .tooManyOpenInSystem, .outOfMemory])
    func usedUp(code: SystemErrorCode) {
        var rule = RestartRule()
        let status = CommandFailure(SystemError(code: code, context: "starting the thread front")).status
        #expect(rule.ended(.exited(code: status.rawValue), age: nil) == .again(after: .milliseconds(100)))
    }
}
