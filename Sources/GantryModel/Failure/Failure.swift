//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What went wrong, in a form that all observers show in the same way.
public struct Failure: Hashable, Sendable {
    /// Which failure this is: the id of the job that failed, 0 for a refused request.
    public var id: FailureID
    /// The kind of failure.
    public var code: FailureCode
    /// One sentence that names the thing and the next step; at most 4,096 bytes.
    public var text: String
    /// Arguments for a message in another language, by the code's message key; for example `["status": "503"]`; at most 32
    /// texts of 1,024 bytes.
    public var arguments: [String]
    /// Whether the same request may succeed later.
    public var retryable: Bool
    /// How often the work was tried, from 1; 0 for a refused request.
    public var attempts: UInt32
    /// How long a source asked to be left alone: no attempt follows sooner, see `RetryRule.longestAsked`; nil: it did not.
    public var retryAfter: Duration?

    /// A failure; `arguments` alternate between name and value.
    package init(
        id: FailureID = .none, code: FailureCode, text: String, arguments: [String] = [], retryable: Bool = false, attempts: UInt32 = 0,
        retryAfter: Duration? = nil
    ) {
        self.id = id
        self.code = code
        self.text = text
        self.arguments = arguments
        self.retryable = retryable
        self.attempts = attempts
        self.retryAfter = retryAfter
    }
}

/// Why something failed: the same short word on the wire, in the terminal, on the page and in metrics. The codes of this version are those that
/// `Protocol/gantry.proto` lists.
public struct FailureCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself, lowerCamelCase.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word itself.
    public var description: String { rawValue }

    /// Codes after which no job is tried again, whatever a rule says.
    private static let last: Set<FailureCode> = [.quarantined, .cancelled]
    /// A word so near to a known one is that, misspelled.
    private static let misspelled = 2

    /// Why no rule for attempts can name it, as a sentence; nil: one can. A loader may have codes of its own, in the same form.
    package var faultOfName: String? {
        guard !Self.known.contains(self) else {
            return Self.last.contains(self) ? "no job is tried again after \(rawValue): leave that code out" : nil
        }
        let words = Self.known.map(\.rawValue)
        // What cannot be shown is not repeated here either.
        let shown = rawValue.hasControlCharacters ? "" : rawValue.cut(to: MessageBounds.labelByteCount)
        if let near = SpellingDistance.nearest(to: shown, in: words), SpellingDistance.between(near, shown) <= Self.misspelled {
            return "there is no failure code \"\(shown)\"; did you mean \"\(near)\"?"
        }
        guard !isWellFormed else { return nil }
        let own = "a loader's own, of up to \(Self.byteLimit) letters and digits, a small letter first"
        return "\"\(shown)\" is no failure code: those are \(words.joined(separator: ", ")), and \(own)"
    }

    /// Longest code, in bytes.
    private static let byteLimit = 64

    /// The code itself if it has the form of one, else `loaderFailed`: what a loader calls its failure is any text, and a code is shown in one
    /// line, counted by, and typed in commands. Whatever writes or reads a code from outside takes this one; the sentence beside it stays.
    package var wellFormed: FailureCode { isWellFormed ? self : .loaderFailed }

    /// Whether it has the form of a code: a small letter, and up to 63 letters and digits.
    package var isWellFormed: Bool {
        let letters = rawValue.utf8
        guard (1...Self.byteLimit).contains(letters.count), let first = letters.first, (97...122).contains(first) else { return false }
        return letters.allSatisfy { (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) }
    }
}

/// Bytes that are not what they should be.
package struct CodecError: CodedError {
    /// What was being read.
    package var what: String
    /// What is wrong with it.
    package var reason: String
    /// The kind of fault: `invalidData`, or `tooLarge` for what is over a bound.
    package var code: FailureCode

    package init(what: String, reason: String, code: FailureCode = .invalidData) {
        self.what = what
        self.reason = reason
        self.code = code
    }

    /// Both in one sentence.
    package var context: String { "\(what) cannot be read: \(reason)" }

    /// The sender of the bytes gets what is wrong with them.
    package var nextStep: String { "" }

    /// Nothing lies beneath: the bytes are what was looked at.
    package var cause: ErrorCause? { nil }
}

extension Failure {
    /// Bytes of its texts, with the place that each argument takes: what reports, pages and bounds of memory count. Code that counts the
    /// failure as a record adds the size of that.
    package var roughByteCount: Int { arguments.reduce(text.utf8.count + placesByteCount) { $0 + $1.utf8.count } }

    /// Bytes of the places of its arguments: what they take in memory beside their texts, and no less than beside them in a message.
    package var placesByteCount: Int { arguments.count * MemoryLayout<String>.stride }
}

extension String {
    /// The text, cut behind the last whole scalar within `limit` bytes.
    ///
    /// Sentences come from loaders and origins. One that is too long loses its end when it is written: if it made its message unreadable,
    /// the report would be refused again at each repeat. Names that are echoed in a refusal lose theirs before it is kept.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
