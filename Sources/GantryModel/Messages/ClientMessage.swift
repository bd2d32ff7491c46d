//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

/// What a client says to the front.
package enum ClientMessage: Hashable, Sendable {
    /// Opens a session, or takes an earlier one up again.
    case hello(Hello)
    /// Keeps session and attachments; replies below `lowestUnanswered` may be forgotten. Answered by `FrontMessage.heartbeat`.
    case heartbeat(lowestUnanswered: RequestNumber)
    /// Ends the session at once.
    case close
    /// Asks for something under a number; repeated unchanged until the reply comes.
    case request(Request)
    /// Submits jobs under a number.
    case submit(Submit)
    /// Asks for all items of a topic; answered by snapshot parts. `asked`: the text that named it, where it differs from the topic's own.
    case snapshot(topic: Topic, asked: String? = nil)
    /// A part of a snapshot was read: the next one may be sent.
    case snapshotPartRead(topic: Topic)
    /// A kind that this version does not know: answered by `refused`.
    case unknown
    /// A message that breaks a rule of the protocol, other than a request: answered by `refused`, the rest of its frame is taken.
    case unreadable(CodecError)

    /// Opens a session.
    package struct Hello: Hashable, Sendable {
        /// Lowest protocol version that the client supports.
        package var minimumVersion: UInt32
        /// Highest protocol version that the client supports.
        package var maximumVersion: UInt32
        /// Largest frame that the client takes, in bytes; at least 131,072.
        package var largestFrame: UInt32
        /// A name for people, for example `cli 4711 on host`; at most 64 bytes.
        package var label: String
        /// The session to take up again; nil: a new one.
        package var resumed: SessionID?
        /// A random number of the client: a hello that is repeated with it, also from another connection, opens nothing new. 0: each
        /// hello opens a session.
        package var nonce: UInt64
        /// What the front asks for where it listens to TCP: the content of `DATA/run/token`, at most 64 bytes.
        package var token: [UInt8]
        /// The name under which its jobs share the workers with those of other clients, at most 64 bytes; empty: as all without a name do.
        package var client: String

        /// A hello of this version.
        package init(label: String, resumed: SessionID? = nil) {
            self.minimumVersion = ProtocolVersion.current
            self.maximumVersion = ProtocolVersion.current
            self.largestFrame = UInt32(MessageBounds.frameByteCount)
            self.label = label
            self.resumed = resumed
            self.nonce = 0
            self.token = []
            self.client = ""
        }
    }

    /// A numbered request.
    package struct Request: Hashable, Sendable {
        /// Its number in the session, from 1, unique.
        package var number: RequestNumber
        /// The lowest number that has not been answered yet; `number` is less than 1,024 above it.
        package var lowestUnanswered: RequestNumber
        /// What is asked.
        package var body: RequestBody

        /// A request.
        package init(number: RequestNumber, lowestUnanswered: RequestNumber, body: RequestBody) {
            self.number = number
            self.lowestUnanswered = lowestUnanswered
            self.body = body
        }
    }

    /// Jobs of one loader, as columns. All are accepted, with consecutive ids, or none.
    package struct Submit: Hashable, Sendable {
        /// The request's number in the session.
        package var number: RequestNumber
        /// The lowest number that has not been answered yet.
        package var lowestUnanswered: RequestNumber
        /// The loader that is to run them.
        package var loader: String
        /// How each is to be run.
        package var options: JobOptionsColumn
        /// Whether the outcomes are to be sent to this session by themselves.
        package var reportsOutcomes: Bool
        /// Whether a loader that the front does not know is taken, too.
        package var takesAnyLoader = false
        /// Whether an ended job is repeated though another job repeats it already.
        package var repeatsAgain = false
        /// The argument of each job, at most 65,536 bytes and opaque to the front.
        package var arguments: PackedBytes

        /// Jobs of one loader.
        package init(
            number: RequestNumber, lowestUnanswered: RequestNumber, loader: String, options: JobOptionsColumn = JobOptionsColumn(),
            reportsOutcomes: Bool = false, arguments: PackedBytes
        ) {
            self.number = number
            self.lowestUnanswered = lowestUnanswered
            self.loader = loader
            self.options = options
            self.reportsOutcomes = reportsOutcomes
            self.arguments = arguments
        }

        /// Bytes of the arguments and of the texts in the options.
        package var byteCount: Int { arguments.byteCount + options.byteCount }
    }
}

/// Everything that a client sends to the front in one frame.
package struct ClientEnvelope: Hashable, Sendable {
    /// The session that sends; none before Welcome.
    package var session: SessionID
    /// In order.
    package var messages: [ClientMessage]

    /// Joins messages of one session.
    package init(session: SessionID = .none, messages: [ClientMessage]) {
        self.session = session
        self.messages = messages
    }
}

extension ClientMessage.Submit {
    /// The fingerprint of what is submitted.
    package var fingerprint: UInt64 {
        var print = Fingerprint(kind: 0)
        print.add(loader)
        print.add((reportsOutcomes ? 1 : 0) + (takesAnyLoader ? 2 : 0) + (repeatsAgain ? 4 : 0))
        options.add(to: &print)
        for length in arguments.lengths { print.add(UInt64(length)) }
        print.add(arguments.bytes)
        return print.value
    }
}
