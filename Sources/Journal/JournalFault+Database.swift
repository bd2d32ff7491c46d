//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GRDB
import Model

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
