//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("every state of an open question with everything that can happen to it")
struct OpenQuestionsTableTests {
    /// Why jobs wait: nothing is open, two jobs are named, all are, all and those two first, or one of the two was taken.
    enum Waits: CaseIterable {
        case none, named, all, allAndNamed, taken
    }

    /// What is asked, or taken of it. `askFirst`: of a job that is named already; `askNew`: of another one; `takeMore`: more than there
    /// are.
    enum WaitsEvent: CaseIterable {
        case askFirst, askNew, askAll, takeAll, takeOne, takeMore
    }

    /// What becomes of each start by each event, in the order of `WaitsEvent`: what is answered, whether all are open, and which jobs are
    /// named.
    static let waits: [Waits: [String]] = [
        .none: ["1", "7", "all", "no: -", "none: -", "none: -"],
        .named: ["1 2", "1 2 7", "all 1 2", "no: 1 2", "1: 2", "1 2: -"],
        .all: ["all 1", "all 7", "all", "yes: -", "none: all", "none: all"],
        .allAndNamed: ["all 1 2", "all 1 2 7", "all 1 2", "yes: 1 2", "1: all 2", "1 2: all"],
        // What was taken may be asked again, and comes behind the others.
        .taken: ["2 1", "2 7", "all 2", "no: 2", "2: -", "2: -"],
    ]

    private static func names(_ jobs: [UInt64]) -> String { jobs.map { "\($0)" }.joined(separator: " ") }

    private func questions(_ start: Waits) -> OpenQuestions {
        var questions = OpenQuestions()
        if start != .none, start != .all { for job in [1, 2] as [UInt64] { questions.askWait(of: job) } }
        if start == .all || start == .allAndNamed { questions.askAllWaits() }
        if start == .taken { #expect(questions.takeWaits(1) == [1]) }
        return questions
    }

    private func meet(_ event: WaitsEvent, _ questions: inout OpenQuestions) -> String? {
        switch event {
        case .askFirst: questions.askWait(of: 1)
        case .askNew: questions.askWait(of: 7)
        case .askAll: questions.askAllWaits()
        case .takeAll: return questions.takeAllWaits() ? "yes" : "no"
        case .takeOne, .takeMore:
            let jobs = questions.takeWaits(event == .takeOne ? 1 : 9)
            return jobs.isEmpty ? "none" : Self.names(jobs)
        }
        return nil
    }

    private func text(_ questions: OpenQuestions) -> String {
        var rest = questions
        let isAll = rest.takeAllWaits()
        // All are open no more, and the same jobs are named.
        #expect(!rest.takeAllWaits() && rest.hasWaits == questions.hasWaits)
        let jobs = rest.takeWaits(99)
        #expect(!rest.hasWaits && questions.hasWaits != jobs.isEmpty)
        let parts = [isAll ? "all" : "", Self.names(jobs)].filter { !$0.isEmpty }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    @Test("why jobs wait: each start with each event", arguments: Waits.allCases)
    func waits(start: Waits) {
        let row = WaitsEvent.allCases.map { event in
            var questions = questions(start)
            let answer = meet(event, &questions).map { $0 + ": " } ?? ""
            return answer + text(questions)
        }
        #expect(row == Self.waits[start], "\(start)")
    }

    /// Which ended jobs are beyond their bounds: nothing was said, an epoch has begun with five of them, those were looked at, or they are
    /// to be looked at once more.
    enum Ended: CaseIterable {
        case unknown, begun, answered, askedAgain
    }

    /// What happens then: nothing; an epoch begins with nine; it is asked; they are looked at while they are five, or nine.
    enum EndedEvent: CaseIterable {
        case none, begin, ask, answerFive, answerNine
    }

    /// What becomes of each start by each event, in the order of `EndedEvent`: when three, five or nine have ended, whether they are to be
    /// looked at (`+`) or not (`-`), and how many of them have ended since that was done last.
    static let ended: [Ended: [String]] = [
        .unknown: ["+3 +5 +9", "+0 +0 +0", "+3 +5 +9", "+0 -0 +4", "+0 +0 -0"],
        .begun: ["+0 +0 +4", "+0 +0 +0", "+0 +0 +4", "+0 -0 +4", "+0 +0 -0"],
        .answered: ["+0 -0 +4", "+0 +0 +0", "+0 +0 +4", "+0 -0 +4", "+0 +0 -0"],
        .askedAgain: ["+0 +0 +4", "+0 +0 +0", "+0 +0 +4", "+0 -0 +4", "+0 +0 -0"],
    ]

    @Test("which ended jobs are beyond their bounds: each start with each event", arguments: Ended.allCases)
    func ended(start: Ended) {
        let row = EndedEvent.allCases.map { event in
            var questions = OpenQuestions()
            if start == .begun { questions.begin(ended: 5) }
            if start == .answered || start == .askedAgain { questions.answerEnded(5) }
            if start == .askedAgain { questions.askEnded() }
            switch event {
            case .none: break
            case .begin: questions.begin(ended: 9)
            case .ask: questions.askEnded()
            case .answerFive: questions.answerEnded(5)
            case .answerNine: questions.answerEnded(9)
            }
            let counts = [3, 5, 9].map { (questions.isEndedOpen($0) ? "+" : "-") + "\(questions.endedSince($0))" }
            return counts.joined(separator: " ")
        }
        #expect(row == Self.ended[start], "\(start)")
    }
}
