//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
package import GantryModel
import GantryPlatform

extension JournalError {
    /// What is said of the journal in `folder` when a row of it can be had and cannot be true.
    package static func damaged(in folder: String, _ turn: TurnNumber, _ cause: ErrorCause) -> JournalError {
        corrupt("\(folder)/\(JournalStore.fileName)", "turn \(turn): \(cause)")
    }

    static func shortened(_ path: String, _ finding: String) -> JournalError {
        JournalError(
            .corrupt, path: path,
            """
            \(finding): its -wal file was cut or lost, or it is an older copy. Copy the folder first, then put back the files of one moment, or, to go \
            on without what is missing, remove \(path)\(JournalMark.suffix)
            """)
    }

    /// The file is not there, or has nothing in it, beside what says how far it was written.
    static func gone(_ path: String, _ finding: String, _ turn: TurnNumber) -> JournalError {
        JournalError(
            .corrupt, path: path,
            """
            \(JournalStore.fileName) \(finding), though turn \(turn) was acknowledged. Copy the folder first, then put back the files of one moment, or, to \
            begin without them, remove \(path)\(JournalMark.suffix)
            """)
    }

    /// A database of another program.
    static func foreign(_ path: String) -> JournalError {
        JournalError(
            .corrupt, path: path,
            "it is a database of another program, not a journal of Gantry. Move it away, or choose another folder with --data")
    }

    /// Says in our words what SQLite or the file system reported while opening or reading.
    init(_ cause: any Error, path: String) {
        if let known = cause as? JournalError {
            self = known
            return
        }
        if let fault = cause as? SystemError {
            let isFull = fault.code == .diskFull || fault.code == .quotaFull
            self.init(
                isFull ? .full : .unusable, path: path, "it cannot be used", nextStep: "check the disk, and that this user may write there",
                cause: ErrorCause(fault, code: "\(fault.code.rawValue)"))
            return
        }
        guard let fault = cause as? DatabaseError else {
            self.init(
                .unusable, path: path, "it cannot be used", nextStep: "check that the folder exists and is writable",
                cause: ErrorCause(code: "", text: cause.localizedDescription))
            return
        }
        let text = "\(fault.message ?? "SQLite error") (code \(fault.extendedResultCode.rawValue))"
        let beneath = ErrorCause(code: "\(fault.extendedResultCode.rawValue)", text: text)
        switch fault.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.inUse, path: path, "another process has it open; wait for it or stop it (`fuser \(path)` says which it is)")
        case .SQLITE_FULL:
            self.init(.full, path: path, "the disk, or this user's share of it, is full; free some space and start again")
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_IOERR, .SQLITE_NOMEM:
            self.init(
                .unusable, path: path, "it cannot be used",
                nextStep: "check the disk, and that the folder belongs to this user and is writable", cause: beneath)
        default:
            self = .corrupt(path, text)
        }
    }
}

extension JournalFault {
    /// What SQLite reported while writing.
    init(_ cause: any Error) {
        guard let fault = cause as? DatabaseError else {
            self = .failed(ErrorCause(cause))
            return
        }
        let code = "\(fault.extendedResultCode.rawValue)"
        let cause = ErrorCause(code: code, text: "\(fault.message ?? "SQLite error") (code \(code))")
        self = fault.resultCode == .SQLITE_FULL ? .full : .failed(cause)
    }
}
