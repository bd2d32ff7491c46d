//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What things take beside the bytes that they carry, roughly: what bounds of memory are measured by. One number for each, in all places.
package enum RoughSize {
    /// A message of a few numbers.
    package static let message = 32
    /// A limit with a value that one job alone names: its place among the limits, a lane, and what finds both.
    package static let limitKey = 512
    /// The name of a client that has jobs, beside its text: a lane of its own, its turns, and what finds both.
    package static let client = 1_024
    /// A unique key that is taken, beside its texts: what finds it by name, by job and by the time at which it is free.
    package static let uniqueKey = 512
    /// A message, a failure or a frame in memory with texts or columns.
    package static let record = 64
    /// An entry or a row with a feed's names.
    package static let feed = 256
    /// A feed's job in memory beside its texts and its item, with the tables that find it.
    package static let feedJob = 1_280
    /// An entry or a message with several texts: a registration, a welcome.
    package static let wide = 512
    /// A granted job in a message beside its argument: id, lease, loader and the varint of a length.
    package static let grant = 24
    /// A decision on a lease: two numbers and a word.
    package static let decision = 20
    /// A job in a list beside its texts.
    package static let job = 128
    /// A reply beside its texts, as a session keeps it.
    package static let retainedReply = 192
    /// The varint of an argument's length.
    package static let length = 2
    /// An outcome in a message beside its result, at most: id, state and the varint of a length.
    package static let answer = 12
    /// A topic's item beside its key and value.
    package static let item = 16
    /// A name beside its bytes, with the tables that find it.
    package static let name = 128
    /// A number of 64 bits.
    package static let number = 8
}
