//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
package import GantryModel

/// The one place that writes and reads what a typed job carries; `TypedJob` says the form.
package enum TypedJobCoding {
    /// Writes a job's argument.
    /// - Throws: `unwritable` for a value that JSON does not have, `tooLarge` over 65,536 bytes.
    package static func argument<Job: TypedJob>(of job: Job) throws(TypedJobFault) -> [UInt8] {
        try write(job, as: .argument, of: Job.loaderName)
    }

    /// Reads a job's argument.
    /// - Throws: `unreadable`, with the field.
    package static func job<Job: TypedJob>(_ type: Job.Type, from argument: [UInt8]) throws(TypedJobFault) -> Job {
        try read(type, from: argument, as: .argument, of: Job.loaderName)
    }

    /// Writes a job's result.
    /// - Throws: `unwritable` for a value that JSON does not have, `tooLarge` over 65,536 bytes.
    package static func bytes<Job: TypedJob>(of result: Job.Result, of type: Job.Type) throws(TypedJobFault) -> [UInt8] {
        try write(result, as: .result, of: Job.loaderName)
    }

    /// Reads a job's result.
    /// - Throws: `unreadable`, with the field.
    package static func result<Job: TypedJob>(of type: Job.Type, from bytes: [UInt8]) throws(TypedJobFault) -> Job.Result {
        if let none = NoResult() as? Job.Result { return none }
        return try read(Job.Result.self, from: bytes, as: .result, of: Job.loaderName)
    }

    /// The first and the last millisecond of the years 0001 to 9999 in UTC, which RFC 3339 can say.
    private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// The nearest millisecond to a date; nil: it is outside those years, or no instant at all.
    private static func time(of date: Date) -> WallTime? {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds >= Double(times.lowerBound), milliseconds <= Double(times.upperBound) else { return nil }
        return WallTime(milliseconds: Int64(milliseconds))
    }

    /// The date of RFC 3339 text; nil: it is something else, or outside those years.
    private static func date(of text: String) -> Date? {
        guard let time = WallTime(readingRFC3339: text), times.contains(time.milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
    }

    private static func write(_ value: some Encodable, as part: TypedJobFault.Part, of loader: String) throws(TypedJobFault) -> [UInt8] {
        let encoder = JSONEncoder()
        // Equal jobs have equal bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let time = time(of: date) else {
                let reason = "is a date outside the years 0001 to 9999"
                throw EncodingError.invalidValue(date, .init(codingPath: encoder.codingPath, debugDescription: reason))
            }
            var container = encoder.singleValueContainer()
            try container.encode(time.rfc3339)
        }
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](encoder.encode(value))
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else { throw TypedJobFault(.unwritable, part, loader, reason: "\(error)") }
            throw TypedJobFault(.unwritable, part, loader, at: context.codingPath, reason: context.debugDescription)
        } catch {
            throw TypedJobFault(.unwritable, part, loader, reason: "\(error)")
        }
        guard bytes.count <= MessageBounds.payloadByteCount else {
            throw TypedJobFault(
                .tooLarge, part, loader, reason: "has \(bytes.count) bytes (limit \(MessageBounds.payloadByteCount))")
        }
        return bytes
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], as part: TypedJobFault.Part, of loader: String
    ) throws(TypedJobFault) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = date(of: text) else {
                throw DecodingError.typeMismatch(Date.self, .init(codingPath: decoder.codingPath, debugDescription: ""))
            }
            return date
        }
        let data = Data(bytes.isEmpty ? Array("{}".utf8) : bytes)
        do {
            return try decoder.decode(type, from: data)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            // The decoder says the same, without the field, of bytes that are no JSON and of numbers such as 1.5 where a whole one is expected.
            let isJSON = (try? JSONDecoder().decode(AnyJSON.self, from: data)) != nil
            let reason = isJSON ? "it has a value that its field cannot hold, such as 1.5 for a whole number" : "it is not JSON"
            throw TypedJobFault(.unreadable, part, loader, reason: reason)
        } catch let error as DecodingError {
            throw TypedJobFault(error, part, loader)
        } catch {
            throw TypedJobFault(.unreadable, part, loader, reason: "\(error)")
        }
    }
}

/// Any JSON, of which nothing is kept.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {
        if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd { _ = try array.decode(AnyJSON.self) }
        } else if (try? [String: AnyJSON](from: decoder)) == nil {
            let value = try decoder.singleValueContainer()
            if !value.decodeNil(), (try? value.decode(Bool.self)) == nil, (try? value.decode(String.self)) == nil {
                _ = try value.decode(Double.self)
            }
        }
    }
}

/// What is wrong with the argument or the result of a typed job, in words for whoever submitted it.
package struct TypedJobFault: Error, Hashable, Sendable {
    /// Which of the two.
    package enum Part: String, Sendable {
        /// What the job was submitted with.
        case argument
        /// What a success gave.
        case result
    }

    /// The kind of fault.
    package enum Kind: Sendable {
        /// It has more bytes than may travel.
        case tooLarge
        /// JSON has no such value.
        case unwritable
        /// The bytes do not fit the type.
        case unreadable
    }

    /// The kind of fault.
    package let kind: Kind
    /// Where: `crop.left`, `sizes[2]`; empty: the whole.
    package let field: String
    /// What is wrong with what.
    package let context: String
    /// What to do now.
    package let nextStep: String

    init(_ kind: Kind, _ part: Part, _ loader: String, at path: [any CodingKey] = [], reason: String) {
        self.kind = kind
        field = Self.text(of: path)
        let place = field.isEmpty ? "" : "field \"\(field)\" "
        let subject = "the \(part.rawValue) of a job of \(loader)"
        switch kind {
        case .tooLarge:
            context = "\(subject) \(reason)"
            nextStep = "put what is large into a file or an object, and name it in the \(part.rawValue)"
        case .unwritable:
            context = "\(subject) cannot be written as JSON: \(place)\(reason)"
            nextStep = "give it a value that JSON has"
        case .unreadable:
            context = "\(subject) does not fit: \(place)\(reason)"
            nextStep =
                part == .argument
                ? "submit JSON with the fields that loader \(loader) takes"
                : "let the program and the worker share one version of the job's type"
        }
    }

    init(_ error: DecodingError, _ part: Part, _ loader: String) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(.unreadable, part, loader, at: context.codingPath + [key], reason: "is missing")
        case .valueNotFound(_, let context):
            self.init(.unreadable, part, loader, at: context.codingPath, reason: "is null")
        case .typeMismatch(let type, let context):
            self.init(.unreadable, part, loader, at: context.codingPath, reason: "is not \(Self.text(of: type))")
        case .dataCorrupted(let context):
            self.init(.unreadable, part, loader, at: context.codingPath, reason: "has a value that is not allowed")
        @unknown default:
            self.init(.unreadable, part, loader, reason: "\(error)")
        }
    }

    private static func text(of path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    /// What is expected, in the words of JSON: the type's own name says nothing to a program of another language.
    private static func text(of type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Date.Type: "a date such as 2026-01-31T12:00:00Z"
        case is Data.Type: "a text in Base64"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "of the form that the loader takes"
        }
    }
}
