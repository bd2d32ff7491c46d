//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryWorker

/// What `gantry up` does next with its parts: started stage by stage, stopped in stages the other way. It knows no processes and no clock.
struct UpMachine {
    /// A way to ask a part to end.
    enum Request: Equatable {
        /// SIGTERM: end well.
        case terminate
        /// SIGKILL: end now.
        case kill
    }

    /// What the driver has to do.
    enum Action: Equatable {
        case start(part: Int)
        /// Every part is ready for the first time.
        case announce
        case send(Request, part: Int)
        /// Say `timeOver` with this number after so long.
        case arm(timer: Int, Duration)
        case report(String)
        /// All parts have ended; the code of `up`.
        case finish(code: Int32)
    }

    /// How far the stop of a stage has come.
    enum Force: Equatable {
        /// Asked once: running jobs may end. Moves to `askedAgain` for workers, else to `killed`, when its time is over.
        case asked
        /// Asked a second time: a worker stops its jobs and gives them back. Moves to `killed`.
        case askedAgain
        /// Killed; the end is only waited for.
        case killed
    }

    enum State: Equatable {
        /// The parts of a stage have been started and are not all ready. Moves to the next stage, to `serving` or to `stopping`.
        case starting(PartStage)
        /// All parts have been ready. Moves to `stopping`.
        case serving
        /// The parts of a stage are asked to end, later ones have ended, earlier ones still run. Moves to an earlier stage, to `killing`
        /// or to `ended`.
        case stopping(PartStage, Force)
        /// Every part was killed, and the ends are waited for. Moves to `ended`.
        case killing
        /// Nothing runs any more. Final.
        case ended
    }

    private enum Part: Equatable {
        case unstarted, started, ready, ended
    }

    /// How long running jobs have after the first signal.
    static let grace = Duration.seconds(5)
    /// How long a worker has to stop its jobs after it was asked again, and any other part to end.
    static let gracePeriod = Duration.seconds(2)
    /// While parts start, people get a line at least so often.
    static let reportInterval = Duration.seconds(10)

    private let names: [String]
    private let stages: [PartStage]
    private var parts: [Part]
    private var code: Int32 = 0
    private var timer = 0
    private(set) var state: State

    /// - Parameter plans: each part's name and stage.
    init(_ plans: [(name: String, stage: PartStage)]) {
        names = plans.map(\.name)
        stages = plans.map(\.stage)
        parts = plans.map { _ in .unstarted }
        state = .starting(.origin)
    }

    /// Starts the first parts.
    mutating func begin() -> [Action] { start(.origin) }

    /// A part has become ready, for the first time or after it was started again.
    mutating func ready(part: Int) -> [Action] {
        if parts[part] == .started { parts[part] = .ready }
        return goOnStarting()
    }

    /// Starts the next parts, if all of this stage are ready, or have drained meanwhile.
    private mutating func goOnStarting() -> [Action] {
        guard case .starting(let stage) = state, members(stage).allSatisfy({ parts[$0] == .ready || parts[$0] == .ended }) else {
            return []
        }
        return start(after: stage)
    }

    /// A part has ended and will not be started again.
    /// - Parameter final: the code that ends `up`; nil: it was asked to end, or has drained.
    mutating func ended(part: Int, final: Int32?) -> [Action] {
        parts[part] = .ended
        switch state {
        case .starting, .serving:
            guard let final else { return goOnStarting() }
            code = final
            return [.report("stopping: \(names[part]) ended with code \(final), and another start would not change that")] + stop(.workers)
        case .stopping(let stage, _): return hasEnded(stage) ? stop(before: stage) : []
        case .killing: return PartStage.allCases.allSatisfy(hasEnded) ? finish() : []
        case .ended: return []
        }
    }

    /// The first Ctrl-C or SIGTERM stops in stages, the second one ends everything at once.
    mutating func signaled() -> [Action] {
        switch state {
        case .starting, .serving:
            let text = "running jobs have \(Self.grace.components.seconds) s; then \(Worker.stoppedJobs); Ctrl-C again ends at once"
            return [.report("stopping: \(text)")] + stop(.workers)
        case .stopping:
            state = .killing
            return [.report("stopping now")] + PartStage.allCases.reversed().flatMap { requests(.kill, $0) }
        case .killing, .ended: return []
        }
    }

    /// A time that was asked for is over.
    mutating func timeOver(timer number: Int) -> [Action] {
        guard number == timer else { return [] }
        switch state {
        case .starting(let stage):
            let waiting = members(stage).filter { parts[$0] != .ready }.map { names[$0] }
            return [.report("still waiting until ready: \(waiting.joined(separator: ", "))"), arm(Self.reportInterval)]
        case .stopping(.workers, .asked):
            state = .stopping(.workers, .askedAgain)
            return requests(.terminate, .workers) + [arm(Self.gracePeriod)]
        case .stopping(let stage, .asked), .stopping(let stage, .askedAgain):
            state = .stopping(stage, .killed)
            return requests(.kill, stage)
        case .stopping(_, .killed), .killing, .serving, .ended: return []
        }
    }

    private mutating func start(_ stage: PartStage) -> [Action] {
        state = .starting(stage)
        let members = members(stage)
        guard !members.isEmpty else { return start(after: stage) }
        for part in members { parts[part] = .started }
        return members.map { .start(part: $0) } + [arm(Self.reportInterval)]
    }

    private mutating func start(after stage: PartStage) -> [Action] {
        if let next = PartStage(rawValue: stage.rawValue + 1) { return start(next) }
        state = .serving
        return [.announce]
    }

    private mutating func stop(_ stage: PartStage) -> [Action] {
        guard !hasEnded(stage) else { return stop(before: stage) }
        state = .stopping(stage, .asked)
        return requests(.terminate, stage) + [arm(stage == .workers ? Self.grace : Self.gracePeriod)]
    }

    private mutating func stop(before stage: PartStage) -> [Action] {
        PartStage(rawValue: stage.rawValue - 1).map { stop($0) } ?? finish()
    }

    private mutating func finish() -> [Action] {
        state = .ended
        return [.finish(code: code)]
    }

    private mutating func arm(_ duration: Duration) -> Action {
        timer += 1
        return .arm(timer: timer, duration)
    }

    private func requests(_ request: Request, _ stage: PartStage) -> [Action] {
        members(stage).filter { isRunning(parts[$0]) }.map { .send(request, part: $0) }
    }

    private func members(_ stage: PartStage) -> [Int] { stages.indices.filter { stages[$0] == stage } }

    private func hasEnded(_ stage: PartStage) -> Bool { members(stage).allSatisfy { !isRunning(parts[$0]) } }

    private func isRunning(_ part: Part) -> Bool {
        switch part {
        case .started, .ready: true
        case .unstarted, .ended: false
        }
    }
}

/// Where a part of `up` stands in the order of starting. Stopping goes the other way: workers report their last outcomes to a front
/// that still hears them, and what they load comes from an origin that still answers.
enum PartStage: Int, CaseIterable, Comparable {
    case origin, front, workers

    static func < (left: PartStage, right: PartStage) -> Bool { left.rawValue < right.rawValue }
}
