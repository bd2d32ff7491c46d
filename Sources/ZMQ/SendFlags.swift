//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// More frames of the same message follow.
let sendMore: Int32 = ZMQ_SNDMORE
