//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What things take beside the bytes that they carry, roughly: what bounds of memory are measured by. One number for each, whoever measures.
enum RoughSize {
    /// A message of a few numbers.
    static let message = 32
    /// A message, a failure or a frame in memory with texts or columns.
    static let record = 64
    /// An entry or a row with a feed's names.
    static let feed = 256
    /// A feed's job in memory beside its texts and its item, with the tables that find it.
    static let feedJob = 1_280
    /// An entry or a message with several texts: a registration, a welcome.
    static let wide = 512
    /// What a worker is told of a feed's job.
    static let feedWork = 1_024
    /// A granted job in a message beside its argument: id, lease, loader and the varint of a length.
    static let grant = 24
    /// A verdict on a lease: two numbers and a word.
    static let decision = 20
    /// A job in a list beside its texts.
    static let job = 128
    /// A reply beside its texts, as a session keeps it.
    static let retainedReply = 192
    /// The varint of an argument's length.
    static let length = 2
    /// An outcome in a message beside its result, at most: id, state and the varint of a length.
    static let answer = 12
    /// A topic's item beside its key and value.
    static let item = 16
    /// A name beside its bytes, with the tables that find it.
    static let name = 128
    /// A number of 64 bits.
    static let number = 8
}
