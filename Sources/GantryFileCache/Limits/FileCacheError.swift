//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantryPlatform

/// Why the cache could not do what it was asked; says what and which next step helps.
public struct FileCacheError: PassingFault, CodedError {
    /// The kind of error; more may be added. One without a constant needs a person, who reads its word in `description`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in logs.
        public let description: String

        /// The folder refuses writing: permissions, a read-only file system.
        package static let notWritable = Self(description: "notWritable")
        /// The folder or an object cannot be opened for reading for another reason than being absent.
        package static let notReadable = Self(description: "notReadable")
        /// The file system or quota is full; nothing was added.
        package static let full = Self(description: "full")
        /// What is on disk is not what the name promises.
        package static let damaged = Self(description: "damaged")
        /// A folder stands where the file of an object belongs: no object takes its place before somebody moves it away.
        package static let folderInPlace = Self(description: "folderInPlace")
        /// No object of that name exists.
        package static let notFound = Self(description: "notFound")
        /// The objects folder is not there, cannot be read, was replaced meanwhile or is another one; says nothing of any object.
        package static let away = Self(description: "away")
        /// An item, a value or an object is over its bound.
        package static let tooLarge = Self(description: "tooLarge")
        /// Two items of one list have the same id.
        package static let duplicateID = Self(description: "duplicateID")
        /// An item cannot be stored: an empty id, a number that is not finite.
        package static let invalidItem = Self(description: "invalidItem")
        /// The object is of another kind, or the order belongs to another list.
        package static let mismatch = Self(description: "mismatch")
        /// No item of the list has that id.
        package static let unknownItem = Self(description: "unknownItem")
        /// The caller asked to stop.
        package static let cancelled = Self(description: "cancelled")
        /// The process or the system has no descriptor or no memory left; the same may succeed soon.
        package static let exhausted = Self(description: "exhausted")
        /// Any other failure of the operating system.
        package static let ioFailed = Self(description: "ioFailed")
    }

    /// What kind of error it is.
    public var code: Code
    /// What was being done to what, with which limit, and the next step where `nextStep` does not say it.
    public var context: String
    /// What to do now; empty where the context says it.
    public var nextStep = ""
    /// What the system said.
    public var cause: ErrorCause?
    /// The object concerned.
    package var digest: ObjectDigest?
    /// The block that failed, counted from 0; nil when the object as a whole is at fault.
    package var block: UInt64?
    /// The two positions of a duplicate id, the smaller first.
    package var positions: [UInt64]
    /// The operating system's error number; 0 when it was not asked.
    package var systemError: Int32

    /// An error; `context` is a sentence for people.
    package init(
        _ code: Code, _ context: String, digest: ObjectDigest? = nil, block: UInt64? = nil, positions: [UInt64] = [], systemError: Int32 = 0
    ) {
        self.code = code
        self.context = context
        self.digest = digest
        self.block = block
        self.positions = positions
        self.systemError = systemError
    }

    /// Whether the object itself is at fault: its bytes are not what its name says, it is not there, or the disk fails at it. Everything else says
    /// only that it could not be read now.
    package var reportsDamage: Bool {
        [.damaged, .folderInPlace, .notFound].contains(code) || (code == .ioFailed && systemError == SystemErrorCode.deviceFailed.rawValue)
    }

    /// Whether the same may succeed later though nobody has mended anything here: the folder is back, its disk works or has room, descriptors or
    /// memory were given back. What the folder refuses, or what is no folder, it refuses again.
    package var mayPass: Bool { [.away, .full, .exhausted, .ioFailed].contains(code) }

    /// What became of a failed call.
    init(_ code: Code, _ context: String, nextStep: String, because error: SystemError) {
        self.init(code, context, systemError: error.code.rawValue)
        self.nextStep = nextStep
        cause = ErrorCause(code: "\(error.code.rawValue)", text: "\(error.code.message) (\(error.code.rawValue))")
    }

    /// The same, told of an object and a block.
    func of(_ digest: ObjectDigest, block: UInt64?) -> Self {
        var error = self
        (error.digest, error.block, error.positions) = (digest, block, [])
        return error
    }

    /// Code, sentence, object and block in one line.
    public var description: String {
        var text = "\(code): \(sentence)"
        if let digest { text += " (object \(digest)" + (block.map { ", block \($0)" } ?? "") + ")" }
        return text
    }

    static func away(_ context: String, digest: ObjectDigest? = nil) -> Self { Self(.away, context, digest: digest) }

    /// A folder stands in an object's place, for who reads it and for who adds it.
    static func folderInPlace(of digest: ObjectDigest, at path: String) -> Self {
        var error = Self(.folderInPlace, "there is a folder in its place: \(path)", digest: digest)
        error.nextStep = "move that folder away, then load the object again"
        return error
    }

    static func damaged(_ digest: ObjectDigest, block: UInt64? = nil, _ what: String) -> Self {
        Self(.damaged, "it is damaged: \(what)", digest: digest, block: block)
    }
}

extension FileCacheError {
    /// What a failed call means for somebody who adds.
    static func writing(_ error: SystemError) -> Self {
        switch error.code {
        case .permissionDenied, .notPermitted, .readOnly, .notFound, .notAFolder, .symbolicLink:
            Self(
                .notWritable, error.context,
                nextStep: "give this user write permission for the objects folder, or choose another data folder (--data, GANTRY_DATA)",
                because: error)
        case .notImplemented: Self(.notWritable, error.context, nextStep: withoutOpenat2, because: error)
        case .diskFull, .quotaFull:
            // The name of the file that was being made tells nobody anything: it is gone.
            Self(
                .full, "\(error.code.message) in the objects folder; make room on its file system and try again",
                systemError: error.code.rawValue)
        case .tooManyOpen, .tooManyOpenInSystem, .outOfMemory: exhausted(error)
        default: Self(.ioFailed, error.context, nextStep: checkDisk, because: error)
        }
    }

    private static var checkDisk: String { "check the disk of the objects folder" }

    private static func exhausted(_ error: SystemError) -> Self {
        Self(
            .exhausted, error.context, nextStep: "try again, and raise the limit of open files (ulimit -Hn) or of memory if it stays",
            because: error)
    }

    private static var withoutOpenat2: String {
        "the kernel or a filter of system calls (seccomp) refuses openat2: use Linux 5.6 or later and a container profile that allows it"
    }

    /// What it means for somebody who reads that the folder itself, or what says which folder it is, could not be looked at: a disk that fails there
    /// says nothing of any object.
    static func reaching(_ path: String, _ error: SystemError) -> Self {
        guard error.code == .deviceFailed else { return .reading(error) }
        return Self(.away, "the objects folder \(path) cannot be read: \(error.context)", nextStep: "check its disk", because: error)
    }

    /// What a failed call means for somebody who reads.
    static func reading(_ error: SystemError) -> Self {
        switch error.code {
        case .permissionDenied, .notPermitted:
            Self(.notReadable, error.context, nextStep: "give this user read permission for the objects folder", because: error)
        case .notImplemented: Self(.notReadable, error.context, nextStep: withoutOpenat2, because: error)
        case .notFound, .notAFolder: Self(.notReadable, error.context, nextStep: "check the path of the objects folder", because: error)
        case .tooManyOpen, .tooManyOpenInSystem, .outOfMemory: exhausted(error)
        default: Self(.ioFailed, error.context, nextStep: checkDisk, because: error)
        }
    }
}
