//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Why a journal could not be opened or read back.
package struct JournalError: UnusableJournal {
    /// What kind of fault.
    package var code: JournalErrorCode
    /// The file or folder, as given.
    package var path: String
    /// What was found, and the next step to take where `nextStep` does not say it.
    package var context: String
    /// What to do now; empty where the context says it.
    package var nextStep: String
    /// What the database or the system said.
    package var cause: ErrorCause?

    init(_ code: JournalErrorCode, path: String, _ context: String, nextStep: String = "", cause: ErrorCause? = nil) {
        self.code = code
        self.path = path
        self.context = context
        self.nextStep = nextStep
        self.cause = cause
    }

    /// Whether another start may find a disk that works, or has room, or nobody who reads the file: damage and another format it would find again.
    package var mayPass: Bool { [.full, .unusable, .inUse].contains(code) }

    /// Somebody who copies it or looks at it: another front would have met the lock of the data folder.
    package var user: String? {
        code == .inUse ? "whoever reads or copies \(path), such as sqlite3 or a backup; who it is says: fuser \(path)" : nil
    }

    /// One sentence with the file, the finding and the next step.
    package var description: String { "journal \(path): \(sentence)" }

    static func corrupt(_ path: String, _ finding: String) -> JournalError {
        JournalError(
            .corrupt, path: path,
            """
            damaged (\(finding)); nothing was changed. Copy the folder first, then restore it from a backup, try \
            `sqlite3 journal.sqlite .recover` on the copy, or move the folder away to begin without it
            """)
    }

    /// - Parameter turn: the row that has it; nil: the file.
    static func newerFormat(_ path: String, found: Int, turn: Int64? = nil) -> JournalError {
        JournalError(
            .newerFormat, path: path,
            "\(format(found, turn)) was written by a newer gantry; this one reads up to format \(JournalRecord.format). Start the newer one"
        )
    }

    /// - Parameter turn: the row that has it; nil: the file.
    static func olderFormat(_ path: String, found: Int, turn: Int64? = nil) -> JournalError {
        JournalError(
            .olderFormat, path: path,
            """
            \(format(found, turn)) was written by an older gantry, this one reads format \(JournalRecord.format); nothing was changed. Let the older one end \
            its jobs, then move the folder away to begin without it
            """)
    }

    private static func format(_ found: Int, _ turn: Int64?) -> String {
        (turn.map { "the row of turn \($0) has format \(found), which" } ?? "format \(found)")
    }
}

/// What kind of fault an opening journal met; grows by static members.
package struct JournalErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The code in words, as logs show it.
    package let description: String

    private init(_ word: String) { description = word }

    /// A newer program wrote the journal: this one cannot read it and changes nothing.
    package static let newerFormat = JournalErrorCode("newerFormat")
    /// An older program wrote the journal, in a format that this one does not read; nothing was changed.
    package static let olderFormat = JournalErrorCode("olderFormat")
    /// A file of the journal is damaged; nothing was changed.
    package static let corrupt = JournalErrorCode("corrupt")
    /// The folder or a file in it cannot be made, read or written.
    package static let unusable = JournalErrorCode("unusable")
    /// Another process has the journal open.
    package static let inUse = JournalErrorCode("inUse")
    /// The disk has no room for what opening must write.
    package static let full = JournalErrorCode("full")
}

/// Why a write failed.
package enum JournalFault: Error, Hashable, Sendable {
    /// There is no room, on the disk or in this user's share of it; the same bytes may be tried again.
    case full
    /// Nobody knows whether the call took effect; it may be made again, with the same bytes.
    case inDoubt
    /// Anything else; nothing may be written any more.
    case failed(ErrorCause)
}
