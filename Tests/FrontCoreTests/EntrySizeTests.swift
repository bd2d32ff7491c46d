//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPackedColumns
import GantryWire
import TestSupport
import Testing

@testable import FrontCore

/// What an entry is reckoned to take bounds a turn and its row: every kind, with every text as long as it may be.
@Suite("Sizes of entries")
struct EntrySizeTests {
    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static let failure = Failure(
        code: .invalidData, text: text(4_096), arguments: ["item", text(4_096), "next", text(4_096)], attempts: 1)

    /// The entries of the golden files, which have every kind.
    static let golden: [JournalEntry] = ["entries-jobs", "entries-others"].flatMap { name in
        let bytes = try? Data(contentsOf: CheckoutFolder.file("Protocol/golden/\(name).bin"))
        return (try? WireCodec().decodeEntries([UInt8](bytes ?? Data()))) ?? []
    }

    @Test("each is at least half of what it takes in the journal, also with texts as long as they may be", arguments: golden)
    func sizes(_ entry: JournalEntry) throws {
        for entry in [entry, try Self.longest(entry)] {
            #expect(entry.traits.roughByteCount * 2 >= WireCodec().encode([entry]).count, "\(entry.traits.roughByteCount) of \(entry)")
        }
    }

    @Test("the golden files have an entry of each kind, and one of each work that is left")
    func complete() {
        let kinds = Set(Self.golden.compactMap { Mirror(reflecting: $0).children.first?.label })
        #expect(kinds.count == 35 && Self.golden.count == 55)
    }

    private static func longest(_ run: JobRun) -> JobRun {
        var run = run
        run.worker = text(64)
        return run
    }

    private static func longest(_ failures: [Indexed<Failure>]) -> [Indexed<Failure>] {
        failures.map { Indexed(index: $0.index, value: failure) }
    }

    private static let longestSelection = JobQuery(
        state: .waiting, loader: text(63), feed: text(400), code: FailureCode(rawValue: text(60)),
        tags: (0..<8).map { "\($0)" + text(60) }, changedBefore: WallTime(milliseconds: .max)
    ).of(JobState.allCases)

    private static let longestPause = JournalEntry.PauseChanged(
        .group(text(63)),
        JournalEntry.LastingPause(
            by: text(64), reason: text(256), since: WallTime(milliseconds: .max), until: .max,
            members: GroupMembers(loaders: Set((0..<9).map { "\($0)" + text(62) }), feeds: Set((0..<9).map { "\($0)" + text(62) }))),
        lengthTime: .max)

    private static func longest(_ stored: JournalEntry.StoredJobs) -> JournalEntry.StoredJobs {
        var stored = stored
        stored.failures = stored.failures.map { Indexed(index: $0.index, value: failure) }
        stored.runs = stored.runs.map {
            Indexed(index: $0.index, value: JobRuns($0.value.newest.map { longest($0).failed(with: failure) }))
        }
        (stored.loaders, stored.terms) = (
            [text(63), text(62)],
            [
                JobTerms(
                    JobTerms.Asker(label: text(64), client: text(64)), options: JobOptions(tags: (0..<8).map { "\($0)" + text(63) })),
                JobTerms(JobTerms.Asker(label: text(63), client: text(63))),
            ]
        )
        stored.uniqueKeys = stored.uniqueKeys.map { Indexed(index: $0.index, value: UniqueKey(text(128))) }
        stored.cancels = stored.cancels.map {
            Indexed(index: $0.index, value: CancelReceipt(requestedBy: text(64), requestedAt: $0.value.requestedAt))
        }
        return stored
    }

    private static func longest(_ replaced: JournalEntry.JobReplaced) -> JournalEntry.JobReplaced {
        var replaced = replaced
        replaced.options.tags = (0..<8).map { "\($0)" + text(63) }
        (replaced.options.uniqueKey, replaced.argument) = (UniqueKey(text(128)), Array(repeating: 1, count: 65_536))
        return replaced
    }

    private static func longest(_ stored: JournalEntry.UniqueKeysStored) -> JournalEntry.UniqueKeysStored {
        var key = UniqueKey(text(128), mode: .debounce, afterEnd: UniqueKey.longestAfterEnd)
        key.debounce = Debounce(quiet: Debounce.longestWait)
        return JournalEntry.UniqueKeysStored(
            stored.keys.map { TakenKey(job: .max, loader: text(63), key: key, fingerprint: $0.fingerprint, until: .max, since: .max) })
    }

    private static func longest(_ changed: JournalEntry.LimitChanged) -> JournalEntry.LimitChanged {
        var changed = changed
        (changed.name, changed.rule) = (text(63), LimitRule(capacity: .max, refill: LimitRefill(.max, per: .milliseconds(Int64.max))))
        (changed.lengthTime, changed.level, changed.ratedFrom) = (-1, -1, .max)
        return changed
    }

    private static var longestTokens: JournalEntry.TokensChanged {
        JournalEntry.TokensChanged(
            (0..<9).map { JournalEntry.TokenLevel(LimitKey(text(63), value: "\($0)" + text(63)), level: -1, lengthTime: -1) })
    }

    private static var longestOffer: JournalEntry.LoadersOffered {
        let loaders = (0..<9).map { JournalEntry.OfferedLoader("\($0)" + text(62), at: WallTime(milliseconds: -1)) }
        return JournalEntry.LoadersOffered(loaders, forgotten: [text(63)])
    }

    private static func longest(_ accepted: JournalEntry.AcceptedJobs) -> JournalEntry.AcceptedJobs {
        var longest = JournalEntry.AcceptedJobs(
            first: accepted.first, acceptedAt: accepted.acceptedAt, rankTime: accepted.rankTime, submitter: .schedule(text(64)),
            loader: text(63), options: accepted.options, reportsOutcomes: true,
            arguments: PackedBytes(repeating: Array(repeating: 1, count: 1_000), count: 100))
        longest.asker = JobTerms.Asker(label: text(64), client: text(64))
        longest.repeats = (0..<100).map { Indexed(index: $0, value: JobID(.max)) }
        return longest
    }

    /// The entry with its texts at their bounds; it does not compile without a kind.
    private static func longest(_ entry: JournalEntry) throws -> JournalEntry {
        let key = try #require(FeedKey(text: "items?parameter=" + text(384)))
        switch entry {
        case .sessionOpened(var opened):
            opened.label = text(64)
            return .sessionOpened(opened)
        case .replyRetained(var kept):
            (kept.reply.feed, kept.reply.reply) = (key, .refused(failure, retryAfter: .milliseconds(1)))
            return .replyRetained(kept)
        case .jobsAccepted(let accepted): return .jobsAccepted(longest(accepted))
        case .feedJobAccepted(var job):
            (job.key, job.loader, job.view, job.filter, job.asker.label) = (key, text(63), text(63), text(256), text(64))
            (job.itemID, job.previousItemID, job.sort) = (text(1_024), text(1_024), SortOrder(field: text(64)))
            return .feedJobAccepted(job)
        case .ended(var ended):
            ended.failures = ended.failures.map { Indexed(index: $0.index, value: failure) }
            ended.runs = ended.runs.map { Indexed(index: $0.index, value: longest($0.value)) }
            return .ended(ended)
        case .cancelRequested(var cancel):
            cancel.by = text(64)
            return .cancelRequested(cancel)
        case .limitChanged(let changed): return .limitChanged(longest(changed))
        case .tokensChanged: return .tokensChanged(longestTokens)
        case .pauseChanged: return .pauseChanged(longestPause)
        case .loadersOffered: return .loadersOffered(longestOffer)
        case .termsChanged(var change):
            change.options.tags = (0..<8).map { "\($0)" + text(63) }
            return .termsChanged(change)
        case .workerRegistered(var registered):
            (registered.registration.name, registered.registration.processNamespace) = (text(64), text(64))
            registered.registration.secret = Array(repeating: 1, count: 32)
            registered.registration.loaders = (0..<64).map { LoaderDeclaration(name: "\($0)" + text(60)) }
            return .workerRegistered(registered)
        case .feedChanged(var changed):
            let old = changed.state
            changed.state = FeedState(key: key, isEditable: old.isEditable)
            (changed.state.content, changed.state.failure) = (old.content, failure)
            return .feedChanged(changed)
        case .feedForgotten: return .feedForgotten(JournalEntry.FeedForgotten(key))
        case .viewChanged(var changed):
            changed.key = key
            (changed.view.name, changed.view.filter, changed.view.selection) = (text(63), text(256), text(1_024))
            (changed.view.sort, changed.view.failure, changed.view.detail) = (SortOrder(field: text(64)), failure, .failed(failure))
            return .viewChanged(changed)
        case .workLeft(var left):
            switch left.work {
            case .reset: left.work = .reset(key, by: text(64))
            case .bulk(let bulk):
                left.work = .bulk(
                    JournalEntry.BulkActionWork(.max, longestSelection, bulk.action, by: JobTerms.Asker(label: text(64), client: text(64))))
            case .damage, .loss: left.cursor = .feed(key)
            }
            return .workLeft(left)
        case .viewForgotten: return .viewForgotten(JournalEntry.ViewForgotten(key, text(63)))
        case .jobsStored(let stored): return .jobsStored(longest(stored))
        case .attemptsEnded(let ended):
            return .attemptsEnded(.init(jobs: ended.jobs, cause: ended.cause, failures: longest(ended.failures)))
        case .endedBundled(var bundled):
            bundled.failures = (0..<16).map { FailureCount(FailureCode(rawValue: "\($0)" + text(60)), 1) }
            return .endedBundled(bundled)
        case .jobReplaced(let replaced): return .jobReplaced(longest(replaced))
        case .uniqueKeysStored(let stored): return .uniqueKeysStored(longest(stored))
        case .bundlesForgotten, .granted, .workerLost, .sessionEnded, .idsReserved, .epochBegan, .jobsDue, .jobDelayed, .uniqueKeysFreed,
            .crashesForgiven, .jobsLogged, .repeatsStored:
            return entry
        case .countsStored(var stored):
            stored.lengths = LengthClock(bootID: text(64), offset: -.max, level: .max)
            return .countsStored(stored)
        }
    }
}
