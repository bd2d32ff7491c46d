//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model

extension Failure {
    /// Why a page could not be read, for a client: it knows objects by name, and not the words of the front's cache. Of the front's folder it hears
    /// only when that is away: somebody has to put it back.
    init(_ error: FileCacheError, of request: PageRequest) {
        let object = "object \(error.digest ?? request.content)"
        switch error.code {
        case .notFound:
            let text = "\(object) is not in the cache: it has been replaced, or never was; read the view's state again"
            self.init(code: .unknownItem, text: text, retryable: true)
        case .mismatch:
            let text = "\(object) is not what it is asked for: content and order are those of one pair, bytes those of a stored detail"
            self.init(code: .invalidData, text: text)
        case .away:
            self.init(code: .storageFailed, text: "\(object) cannot be read now: \(error.sentence)", retryable: true)
        default:
            let text = "\(object) cannot be read now, \(Self.cause(of: error)): ask again"
            self.init(code: .storageFailed, text: text, retryable: true)
        }
    }

    /// Why there is no page of a list of a user's own whose file is not there.
    init(awaited object: ObjectDigest) {
        let minutes = SuspectObjects.gracePeriod.wholeMilliseconds / 60_000
        let text =
            "object \(object) cannot be read now, its file is missing: put it back and ask again; after \(minutes) minutes the version before takes its "
            + "place"
        self.init(code: .storageFailed, text: text, retryable: true)
    }

    /// What keeps the front from reading.
    private static func cause(of error: FileCacheError) -> String {
        switch error.code {
        case .folderInPlace: "a folder stands in the place of its file (gantry doctor names it)"
        case .damaged: "its bytes are not what its name says"
        case .notReadable: "the front may not open it"
        case .exhausted: "the front has no descriptor or memory left"
        default: error.systemError == 0 ? "the front's disk fails" : "the front's disk fails (system error \(error.systemError))"
        }
    }

    /// Why a request for a page is not taken.
    init(_ unreadable: UnreadablePageRequest) {
        self.init(code: .invalidData, text: "\(unreadable.error.description); see PROTOCOL.md, sections 8 and 14")
    }
}
