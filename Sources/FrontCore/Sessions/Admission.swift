//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What becomes of a numbered request when it arrives.
enum Admission: Equatable {
    /// It is new: run it.
    case run
    /// It is a repeat: this was replied.
    case repeated(RetainedReply)
    /// It cannot be run under that number.
    case refused(AdmissionFault)
}
