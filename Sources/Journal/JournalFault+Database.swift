//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB

extension JournalFault {
    /// What SQLite reported while writing.
    init(_ cause: any Error) {
        guard let fault = cause as? DatabaseError else {
            self = .failed("\(cause)")
            return
        }
        let text = "\(fault.message ?? "SQLite error") (code \(fault.extendedResultCode.rawValue))"
        self = fault.resultCode == .SQLITE_FULL ? .full : .failed(text)
    }
}
