//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryModel

/// Looks at the journal that no front works on as a front that starts would, and changes nothing.
package enum JournalCheck {
    /// What came of it.
    package enum Finding: Hashable, Sendable {
        /// There is no journal yet.
        case missing
        /// All of it can be read.
        case good
        /// All that a front needs can be read, but not what is stored of some ended jobs: their bundles, the oldest first.
        case endedJobsLost([LostBundle])
        /// It has so many bytes, too many to be copied for a look.
        case notLookedAt(byteCount: Int)
        /// No copy of it could be written, for this reason: nothing is known of the journal itself.
        case notCopied(String)
    }

    /// A bundle of ended jobs that the log names and that is not as it was written, or is not there: how its jobs ended is known, and nothing else.
    package struct LostBundle: Hashable, Sendable {
        /// Its number.
        package let number: BundleNumber
        /// How many jobs it has.
        package let jobCount: Int
        /// Its jobs: the first one, the last one and some of those between.
        package let jobs: ClosedRange<UInt64>

        /// A bundle of these jobs.
        package init(_ number: BundleNumber, jobCount: Int, _ jobs: ClosedRange<UInt64>) {
            (self.number, self.jobCount, self.jobs) = (number, jobCount, jobs)
        }
    }

    /// The file beside a journal that says what was acknowledged, where it is damaged; nil: it is whole, or there is none. A journal that has lost
    /// its end could then not be told from a whole one. A front that starts writes it anew.
    package static func damagedMark(at folder: String) -> String? {
        let path = "\(folder)/\(JournalStore.fileName)"
        return JournalMark.isDamaged(ofJournal: path) ? path + JournalMark.suffix : nil
    }

    /// Opens a copy and reads every row that a front would read. To open the journal itself would lock it, and move what is in its `-wal` file.
    ///
    /// - Parameters:
    ///   - folder: where `journal.sqlite` is.
    ///   - scratch: a folder for the copy, of this user alone, which is there and stays.
    ///   - byteLimit: up to how many bytes are copied.
    ///   - decode: reads the entries of a row, or of a bundle of ended jobs.
    ///   - apply: applies the entries of a row as the front would, and throws what is wrong with them.
    /// - Throws: the `JournalError` that a front would throw, `unusable` for a file that cannot be read.
    package static func look(
        at folder: String, copyingTo scratch: String, byteLimit: Int = 128 << 20, decode: ([UInt8]) throws -> [JournalEntry] = { _ in [] },
        apply: ([JournalEntry], RestoredRow) throws -> Void = { _, _ in }
    ) throws(JournalError) -> Finding {
        let path = "\(folder)/\(JournalStore.fileName)"
        let files = FileManager.default
        // The mark first: a turn that is acknowledged after it is in the other two, or in none of the three.
        let parts = [JournalMark.suffix, "", "-wal"].filter { files.fileExists(atPath: path + $0) }
        try JournalStore.refuseSpecial(path)
        guard !parts.isEmpty else { return .missing }
        let byteCount = parts.compactMap { try? files.attributesOfItem(atPath: path + $0)[.size] as? Int }.reduce(0, +)
        guard byteCount <= byteLimit else { return .notLookedAt(byteCount: byteCount) }
        do throws(JournalError) {
            for part in parts {
                let copy = "\(scratch)/\(JournalStore.fileName)\(part)"
                if let reason = try Self.copy(path + part, to: copy) { return .notCopied(reason) }
            }
            let lost = try read(scratch, decode, apply)
            return lost.isEmpty ? .good : .endedJobsLost(lost)
        } catch {
            var fault = error
            fault.path = fault.path.replacing(scratch, with: folder)
            fault.context = fault.context.replacing(scratch, with: folder)
            fault.cause = fault.cause.map { ErrorCause(code: $0.code, text: $0.text.replacing(scratch, with: folder), cause: $0.cause) }
            // The original may lie where there is room.
            if fault.code == .full { return .notCopied("\(error)") }
            throw fault
        }
    }

    /// Copies a file part by part, to tell whose fault it is if that fails.
    /// - Returns: why the copy could not be written; nil: it was.
    /// - Throws: `unusable` when the file cannot be read.
    private static func copy(_ path: String, to target: String) throws(JournalError) -> String? {
        func unreadable(_ error: any Error) -> JournalError {
            JournalError(
                .unusable, path: path,
                "cannot be read (\(error.localizedDescription)); check the disk, and that the file belongs to the user of the front")
        }
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch { throw unreadable(error) }
        guard FileManager.default.createFile(atPath: target, contents: nil), let copy = FileHandle(forWritingAtPath: target) else {
            return "the copy \(target) cannot be made"
        }
        while true {
            let part: Data
            do { part = try file.read(upToCount: partByteCount) ?? Data() } catch { throw unreadable(error) }
            if part.isEmpty { return nil }
            do { try copy.write(contentsOf: part) } catch { return "the copy \(target) cannot be written: \(error.localizedDescription)" }
        }
    }

    /// What is held of a file while it is copied.
    private static let partByteCount = 1 << 20

    /// - Returns: the bundles of ended jobs that cannot be read.
    private static func read(
        _ folder: String, _ decode: ([UInt8]) throws -> [JournalEntry], _ apply: ([JournalEntry], RestoredRow) throws -> Void
    ) throws(JournalError) -> [LostBundle] {
        // Nobody writes to the copy, so no room is taken for its ballast, and its epoch matters to nobody.
        let journal = try SQLiteJournal.open(folder: folder, wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1)
        var bundles: [BundleNumber: JournalEntry.EndedBundled] = [:]
        do throws(JournalError) {
            while let row = try journal.nextRestored() {
                let entries: [JournalEntry]
                do {
                    entries = try decode(row.entries)
                    try apply(entries, row)
                } catch { throw JournalError.damaged(in: folder, row.turn, ErrorCause(error)) }
                for entry in entries {
                    if case .endedBundled(let bundle) = entry { bundles[bundle.number] = bundle }
                    if case .bundlesForgotten(let forgotten) = entry { for number in forgotten.bundles { bundles[number] = nil } }
                }
            }
        } catch {
            try? journal.close()
            throw error
        }
        let lost = bundles.values.filter { journal.entries(of: $0.number).flatMap { try? decode($0) } == nil }
        try journal.close()
        return lost.compactMap { LostBundle($0) }.sorted { $0.number < $1.number }
    }
}

extension JournalCheck.LostBundle {
    /// Nil for a bundle without a job, with which nothing is lost.
    fileprivate init?(_ bundle: JournalEntry.EndedBundled) {
        guard let first = bundle.jobs.first, let last = bundle.jobs.last, first <= last else { return nil }
        self.init(bundle.number, jobCount: bundle.jobs.count, first...last)
    }
}
