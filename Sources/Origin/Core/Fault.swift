//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the origin does wrong on purpose with requests of one path. Everything that is not set stays right.
///
/// As JSON the keys are the names of the properties; an unknown key is an error.
public struct Fault: Hashable, Sendable, Codable {
    /// What becomes of a body.
    public enum Body: String, Hashable, Sendable, Codable {
        /// JSON that breaks off, with the right length for HTTP.
        case invalidJSON
        /// A body that goes on until the client closes the connection.
        case endless
    }

    /// A path without query (`/items`), or one that ends in `*` for all that begin so (`/images/*`).
    public var path: String
    /// Seconds before the head of the answer is sent, 0 to 3,600.
    public var delaySeconds: Double?
    /// Bytes of the body a second, at least 1.
    public var bytesPerSecond: Int?
    /// Answers with this status, 200 to 599, and a body that says so.
    public var status: Int?
    /// What becomes of the body.
    public var body: Body?
    /// Closes the connection when so many bytes of the body are sent; 0: right after the head.
    public var cutAfterBytes: Int?
    /// Stops when so many bytes of the body are sent, until the fault is replaced or removed; 0: before the head.
    public var holdAfterBytes: Int?
    /// Counts down at each request; the fault is gone when it was met so often. Not set: it stays.
    public var times: Int?

    /// A fault of `path` that does nothing yet.
    public init(path: String) {
        self.path = path
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, delaySeconds, bytesPerSecond, status, body, cutAfterBytes, holdAfterBytes, times
    }

    /// What a fault may say, for who said something else.
    static var keysText: String {
        "a fault has \(CodingKeys.allCases.map(\.stringValue).joined(separator: ", ")), all but path may be left out"
    }

    /// Says what is wrong with the values, or nil when nothing is.
    var complaint: String? {
        if !path.hasPrefix("/") { return "path is \"\(path)\": begin it with a slash" }
        if let delaySeconds, !(0...3_600).contains(delaySeconds) { return "delaySeconds is \(delaySeconds): give 0 to 3600" }
        if let bytesPerSecond, bytesPerSecond < 1 { return "bytesPerSecond is \(bytesPerSecond): give at least 1" }
        if let status, !(200...599).contains(status) { return "status is \(status): give 200 to 599" }
        if let cutAfterBytes, cutAfterBytes < 0 { return "cutAfterBytes is \(cutAfterBytes): give at least 0" }
        if let holdAfterBytes, holdAfterBytes < 0 { return "holdAfterBytes is \(holdAfterBytes): give at least 0" }
        if let times, times < 1 { return "times is \(times): give at least 1" }
        return nil
    }

    private var isPrefix: Bool { path.hasSuffix("*") }

    /// How closely this fault says which path it means: of two that match, the larger one is met.
    var closeness: Int { path.utf8.count - (isPrefix ? 1 : 0) }

    func matches(_ path: String) -> Bool {
        isPrefix ? path.hasPrefix(self.path.dropLast()) : path == self.path
    }

    /// `content` with what of this fault concerns content.
    func applied(to content: OriginContent) -> OriginContent {
        let answer = status.map { OriginContent.failure($0, code: "fault", "the fault of \(path) asks for status \($0)") } ?? content
        return switch body {
        case .invalidJSON: answer.brokenOff()
        case .endless: answer.endless()
        case nil: answer
        }
    }
}
