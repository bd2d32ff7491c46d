//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a job is to be run, as whoever submits it chooses. It is carried whole, from the command line to the journal and to whoever looks at the
/// job, and compared, counted and written as one value.
///
/// A new option is a field here, with its rule in `fault`, its share of `byteCount`, of `line` and of the fingerprint, and its field of
/// `JobOptions` in `gantry.proto`.
public struct JobOptions: Hashable, Sendable {
    /// 0 to 9, 9 most urgent: a level is worth a minute of waiting.
    public var priority: UInt8
    /// Labels to find the job by, in the order given, each once: at most `tagLimit` of 1 to `tagByteCount` bytes, without commas and control
    /// characters. They change nothing of how it is run.
    public var tags: [String]

    /// Most tags of a job.
    public static let tagLimit = 8
    /// Longest tag, in bytes.
    public static let tagByteCount = 64

    /// Options; those that are not named are the usual ones.
    public init(priority: UInt8 = JobPriority.usual, tags: [String] = []) {
        self.priority = priority
        self.tags = tags
    }

    /// What is wrong with them, as a sentence; nil: nothing. Everybody who takes options from elsewhere asks this.
    public var fault: String? {
        guard priority <= JobPriority.highest else { return "a priority is 0 to \(JobPriority.highest), not \(priority)" }
        guard byteCount <= MessageBounds.optionsByteCount else {
            return "the options of a job have at most \(MessageBounds.optionsByteCount.grouped) bytes, not \(byteCount)"
        }
        return faultOfTags
    }

    private var faultOfTags: String? {
        guard tags.count <= Self.tagLimit else { return "a job has at most \(Self.tagLimit) tags, not \(tags.count)" }
        for (index, tag) in tags.enumerated() {
            guard (1...Self.tagByteCount).contains(tag.utf8.count) else {
                return "a tag has 1 to \(Self.tagByteCount) bytes, not \(tag.utf8.count)"
            }
            // What cannot be shown is not repeated here either.
            guard !tag.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
                return "a tag has no control characters"
            }
            guard !tag.utf8.contains(UInt8(ascii: ",")) else { return "a tag has no comma, unlike \"\(tag)\"" }
            guard !tags[..<index].contains(tag) else { return "a job has each tag once, not \"\(tag)\" twice" }
        }
        return nil
    }

    /// Bytes of the texts in them.
    public var byteCount: Int { tags.reduce(0) { $0 + $1.utf8.count } }

    /// What people are told of them.
    public var line: String { "priority \(priority)" + (tagLine.map { ", " + $0 } ?? "") }

    /// The tags for people; nil: there are none.
    public var tagLine: String? { tags.isEmpty ? nil : (tags.count == 1 ? "tag " : "tags ") + tags.joined(separator: ", ") }

    /// Their share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(UInt64(priority))
        print.add(UInt64(tags.count))
        for tag in tags { print.add(tag) }
    }
}
