//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns

/// Whole lists of actions in words: tests compare all that an event has led to, so that nothing unexpected passes.
///
/// One line an action, in order, with the ids that tell who and what is meant: `entry granted 1 to worker 1`, `client 7: reply 2 cancelling 1`.
/// What changed of topics is one line at the end, sorted and each item once: all of it goes out as of the end of the turn. Peers from 1,000 are
/// workers (`WorkerHarness`).
extension [FrontAction] {
    var lines: [String] {
        var changed: Set<String> = []
        var lines: [String] = []
        for action in self {
            if case .changed(let topic, let key) = action { changed.insert("\(topic) \(key)") } else { lines.append(action.line) }
        }
        return changed.isEmpty ? lines : lines + ["changed " + changed.sorted().joined(separator: ", ")]
    }
}

extension FrontAction {
    fileprivate var line: String {
        switch self {
        case .record(let entry): "entry \(entry.line)"
        case .makeBundle(let number, let entries): "make bundle \(number) of \(entries.map(\.line).joined(separator: ", "))"
        case .forgetBundle(let number): "forget bundle \(number)"
        case .readBundle(let number): "read bundle \(number)"
        case .send(let peer, _, let message): "\(peer.name): \(message.line)"
        case .sendToWorker(let peer, let message): "\(peer.name): \(message.line)"
        case .sendToWorkerApart(let peer, let message): "\(peer.name), apart: \(message.line)"
        case .answerRenewal(let peer, let number): "\(peer.name), at once: renewed \(number)"
        case .answerHeartbeat(let peer, _, let number): "\(peer.name), at once: heartbeat \(number)"
        case .goOn(let peer, _, let index): "go on with \(peer.name) from \(index)"
        case .changed(let topic, let key): "changed \(topic) \(key)"
        case .sendSnapshot(let peer, _, let topic, let asked):
            "\(peer.name): snapshot of \(topic)" + (asked.map { ", asked as \($0)" } ?? "")
        case .continueSnapshot(let peer, _, let topic): "\(peer.name): more of \(topic)"
        case .watch(let process): "watch process \(process.number)"
        case .unwatch(let process): "unwatch process \(process.number)"
        case .forget(let peer): "forget \(peer.name)"
        }
    }
}

extension PeerID {
    fileprivate var name: String { rawValue < 1_000 ? "client \(rawValue)" : "worker \(rawValue - 1_000)" }
}

/// Numbers in a row, with blanks.
private func row(_ numbers: [UInt64]) -> String { numbers.map(String.init).joined(separator: " ") }

/// Jobs with how they ended.
private func ends(_ jobs: [UInt64], _ states: [JobState]) -> String {
    zip(jobs, states).map { job, state in "\(job) \(state)" }.joined(separator: ", ")
}

extension JournalEntry {
    fileprivate var line: String {
        switch self {
        case .jobsAccepted(let entry): "jobsAccepted \(row((0..<entry.arguments.count).map { entry.first.rawValue + UInt64($0) }))"
        case .feedJobAccepted(let entry): "feedJobAccepted \(entry.job) \(entry.operation) \(entry.key)"
        case .granted(let entry): "granted \(row(entry.jobs)) to worker \(entry.worker)" + (entry.isReregistration ? " again" : "")
        case .attemptsEnded(let entry):
            "attemptsEnded \(entry.jobs.map(\.line).joined(separator: ", "))" + ": \(entry.cause)"
        case .ended(let entry):
            "ended \(ends(entry.jobs, entry.states))" + entry.failures.map { ": \($0.value.code)" }.joined()
        case .cancelRequested(let entry): "cancelRequested \(entry.job)"
        case .termsChanged(let entry): "termsChanged \(entry.job)"
        case .workerRegistered(let entry): "workerRegistered \(entry.worker)"
        case .workerLost(let entry): "workerLost \(entry.worker)"
        case .replyRetained(let entry): "replyRetained \(entry.reply.number) \(entry.reply.reply.line)"
        case .feedChanged(let entry): "feedChanged \(entry.state.key) \(entry.state.activity.line)"
        case .viewChanged(let entry): "viewChanged \(entry.key)/\(entry.view.name)"
        case .jobsDue(let entry): "jobsDue \(row(entry.jobs))"
        case .jobDelayed(let entry): "jobDelayed \(entry.job)"
        case .jobReplaced(let entry): "jobReplaced \(entry.job)"
        case .pauseChanged(let entry): "pauseChanged \(ItemKey.pause(of: entry.target))" + (entry.pause == nil ? " over" : "")
        case .limitChanged(let entry): "limitChanged \(entry.name)" + (entry.rule == nil ? " deleted" : "")
        case .sessionOpened(let entry):
            "sessionOpened \(entry.session) as \(entry.label)" + (entry.client.isEmpty ? "" : " of \(entry.client)")
        case .sessionEnded(let entry): "sessionEnded \(entry.session)"
        case .feedForgotten(let entry): "feedForgotten \(entry.key)"
        case .viewForgotten(let entry): "viewForgotten \(entry.key)/\(entry.view)"
        case .crashesForgiven(let entry): "crashesForgiven \(entry.job)"
        case .jobsLogged(let entry): "jobsLogged \(row(entry.jobs))"
        case .uniqueKeysFreed(let entry): "uniqueKeysFreed \(row(entry.jobs))"
        case .tokensChanged(let entry): "tokensChanged \(entry.levels.map { "\($0.key) \($0.level)" }.joined(separator: ", "))"
        case .loadersOffered(let entry):
            "loadersOffered \(entry.loaders.map(\.name).joined(separator: " "))"
                + entry.forgotten.map { ", forgotten \($0)" }.joined()
        case .workLeft(let entry): "workLeft \(entry.work)" + (entry.cursor.map { " from \($0)" } ?? " done")
        case .endedBundled(let entry): "endedBundled \(entry.number) \(entry.kind) \(ends(entry.jobs, entry.states))"
        case .bundlesForgotten(let entry): "bundlesForgotten \(row(entry.bundles.map(\.rawValue)))"
        case .epochBegan(let entry): "epochBegan \(entry.epoch)"
        case .idsReserved(let entry): "idsReserved jobs \(entry.jobs), leases \(entry.leases)"
        case .countsStored(let entry): "countsStored next job \(entry.nextJob), next lease \(entry.nextLease)"
        case .jobsStored(let entry): "jobsStored \(ends(entry.jobs, entry.states))"
        case .uniqueKeysStored(let entry): "uniqueKeysStored \(row(entry.keys.map(\.job)))"
        case .repeatsStored(let entry): "repeatsStored \(zip(entry.jobs, entry.by).map { "\($0) by \($1)" }.joined(separator: ", "))"
        }
    }
}

extension JournalEntry.EndedAttempt {
    fileprivate var line: String { "\(job)" + (crashCount > 0 ? " deaths \(crashCount)" : "") + (isSuspected ? " suspected" : "") }
}

extension Activity {
    fileprivate var line: String {
        switch self {
        case .idle: "idle"
        case .waiting(let job, _): "waiting \(job)"
        case .loading(let job, _, _): "loading \(job)"
        }
    }
}

extension FrontMessage {
    fileprivate var line: String {
        switch self {
        case .reply(let number, let reply, _): "reply \(number) \(reply.line)"
        case .answers(let answers):
            "answers \(ends(answers.jobs, answers.states))" + answers.unknown.map { "unknown \($0)" }.joined(separator: ", ")
        case .snapshotRefused(let asked, let failure, _): "snapshotRefused \(asked) \(failure.code)"
        case .refused(let refused): "refused" + (refused.code.map { " \($0)" } ?? "")
        case .welcome(let welcome): "welcome" + (welcome.isResumed ? " back" : "")
        case .heartbeat(let answer): "heartbeat \(answer.lowestUnanswered)"
        case .snapshot(let part): "snapshot of \(part.topic), part \(part.part) of \(part.partCount)"
        case .sessionEnded: "sessionEnded"
        case .resumeFirst: "resumeFirst"
        case .unknown: "unknown"
        }
    }
}

extension Reply {
    fileprivate var line: String {
        switch self {
        case .accepted(let job, let joined): "accepted \(job)" + (joined ? " joined" : "")
        case .jobsAccepted(let first, let count, let dueNow, let acceptance):
            "jobsAccepted \(first) and \(count - 1) more" + (dueNow == 0 ? "" : ", \(dueNow) due now")
                + (acceptance == .new ? "" : ", \(acceptance)")
        case .cancelling(let job): "cancelling \(job)"
        case .alreadyEnded(let job, let state): "alreadyEnded \(job) \(state)"
        case .refused(let failure, _): "refused \(failure.code)"
        case .jobs(let jobs, _, _): "jobs \(row(jobs.map(\.id.rawValue)))"
        case .feeds(let feeds, _): "feeds \(feeds.map(\.key.text).joined(separator: " "))"
        case .done(let version): "done" + (version == 0 ? "" : ", version \(version)")
        case .explanation(let explanation): "explanation \(explanation.job.id)"
        case .selected(let bulk, let jobs, let next):
            "selected \(jobs) of bulk \(bulk)" + (next.map { ", next \($0)" } ?? "")
        }
    }
}

extension WorkerBoundMessage {
    fileprivate var line: String {
        switch self {
        case .registered(let registered):
            (["registered"] + registered.decisions.map { "\($0.decision) \($0.lease)" }).joined(separator: " ")
        case .renewed(let number, let cancels): "renewed \(number)" + (cancels.isEmpty ? "" : ", cancel leases \(row(cancels))")
        case .grant(let grant): "grant \(row(grant.jobs))"
        case .cancel(let leases): "cancel leases \(row(leases))"
        case .acknowledged(let reports): "settled \(row(reports))"
        case .refused(let refused): "refused" + (refused.code.map { " \($0)" } ?? "")
        case .reregister: "reregister"
        case .drain: "drain"
        case .unknown: "unknown"
        case .unreadable(let error, let leases): "unreadable \(error.code), leases \(row(leases))"
        }
    }
}
