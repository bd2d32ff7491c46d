//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Why a journal could not be opened or read back.
public struct JournalError: PassingFault, CodedError {
    /// What kind of fault.
    public var code: JournalErrorCode
    /// The file or folder, as given.
    public var path: String
    /// What was found, and the next step to take where `nextStep` does not say it.
    public var context: String
    /// What to do now; empty where the context says it.
    public var nextStep: String
    /// What the database or the system said.
    public var cause: ErrorCause?

    init(_ code: JournalErrorCode, path: String, _ context: String, nextStep: String = "", cause: ErrorCause? = nil) {
        self.code = code
        self.path = path
        self.context = context
        self.nextStep = nextStep
        self.cause = cause
    }

    /// Whether another start may find a disk that works, or has room, or nobody who reads the file: damage and another format it would find again.
    public var mayPass: Bool { [.full, .unusable, .inUse].contains(code) }

    /// One sentence with the file, the finding and the next step.
    public var description: String { "journal \(path): \(sentence)" }

    /// What is said of the journal in `folder` when a row of it can be had and cannot be true.
    public static func damaged(in folder: String, _ turn: TurnNumber, _ cause: ErrorCause) -> JournalError {
        corrupt("\(folder)/\(JournalStore.fileName)", "turn \(turn): \(cause)")
    }

    static func corrupt(_ path: String, _ finding: String) -> JournalError {
        JournalError(
            .corrupt, path: path,
            """
            damaged (\(finding)); nothing was changed. Copy the folder first, then restore it from a backup, try \
            `sqlite3 journal.sqlite .recover` on the copy, or move the folder away to begin without it
            """)
    }

    static func shortened(_ path: String, _ finding: String) -> JournalError {
        JournalError(
            .corrupt, path: path,
            """
            \(finding): its -wal file was cut or lost, or it is an older copy. Copy the folder first, then put back the files of one moment, or, to go \
            on without what is missing, remove \(path)\(JournalMark.suffix)
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
