//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FoundationEssentials
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
            guard case .invalidValue(_, let context) = error else { throw TypedJobFault(.unwritable, part, loader, FieldFault("\(error)")) }
            throw TypedJobFault(.unwritable, part, loader, FieldFault(context.debugDescription, at: context.codingPath))
        } catch {
            throw TypedJobFault(.unwritable, part, loader, FieldFault("\(error)"))
        }
        guard bytes.count <= MessageBounds.payloadByteCount else {
            throw TypedJobFault(
                .tooLarge, part, loader, FieldFault("has \(bytes.count) bytes (limit \(MessageBounds.payloadByteCount))"))
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
        do throws(FieldFault) { return try FieldFault.decode(type, from: data, by: decoder) } catch {
            throw TypedJobFault(.unreadable, part, loader, error)
        }
    }
}

/// What is wrong with the argument or the result of a typed job, in words for whoever submitted it.
package struct TypedJobFault: CodedError {
    /// Which of the two.
    package enum Part: String, Sendable {
        /// What the job was submitted with.
        case argument
        /// What a success gave.
        case result
    }

    /// The kind of fault.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// It has more bytes than may travel.
        case tooLarge
        /// JSON has no such value.
        case unwritable
        /// The bytes do not fit the type.
        case unreadable

        package var description: String { rawValue }
    }

    /// The kind of fault.
    package let code: Code
    /// Where: `crop.left`, `sizes[2]`; empty: the whole.
    package let field: String
    /// What is wrong with what.
    package let context: String
    /// What to do now.
    package let nextStep: String
    /// The field's fault is in the context.
    package var cause: ErrorCause? { nil }

    init(_ code: Code, _ part: Part, _ loader: String, _ fault: FieldFault) {
        self.code = code
        field = fault.field
        let subject = "the \(part.rawValue) of a job of \(loader)"
        switch code {
        case .tooLarge:
            context = "\(subject) \(fault.context)"
            nextStep = "put what is large into a file or an object, and name it in the \(part.rawValue)"
        case .unwritable:
            context = "\(subject) cannot be written as JSON: \(fault.context)"
            nextStep = "give it a value that JSON has"
        case .unreadable:
            context = "\(subject) does not fit: \(fault.context)"
            nextStep =
                part == .argument
                ? "submit JSON with the fields that loader \(loader) takes"
                : "let the program and the worker share one version of the job's type"
        }
    }
}

/// Where JSON and a Swift type do not fit, in the words of JSON: the types' own names say nothing to a program of another language.
package struct FieldFault: CodedError {
    /// Where: `crop.left`, `sizes[2]`; empty: the whole, or nobody knows.
    package let field: String
    /// The field and what is wrong with it, the end of a sentence that names whose it is.
    package let context: String

    /// What was read is not of the form that was wanted.
    package var code: FailureCode { .invalidData }
    /// What to do is known to whoever wanted the value.
    package var nextStep: String { "" }
    /// Nothing lies beneath: what the decoder says names types of Swift, and is said here in the words of JSON.
    package var cause: ErrorCause? { nil }

    init(_ reason: String, at path: [any CodingKey] = []) {
        field = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        context = field.isEmpty ? reason : "field \"\(field)\" \(reason)"
    }

    /// Reads a value.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, by decoder: JSONDecoder = JSONDecoder()
    ) throws(FieldFault) -> Value {
        do {
            return try decoder.decode(type, from: data)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            // The decoder says the same, without the field, of bytes that are no JSON and of numbers such as 1.5 where a whole one is expected.
            let isJSON = (try? JSONDecoder().decode(AnyJSON.self, from: data)) != nil
            throw FieldFault(isJSON ? "it has a value that its field cannot hold, such as 1.5 for a whole number" : "it is not JSON")
        } catch let error as DecodingError {
            throw FieldFault(error)
        } catch {
            // An error of the type's own: its description may have anything in it, and everybody sees the failure.
            throw FieldFault("it cannot be read")
        }
    }

    private init(_ error: DecodingError) {
        func fault(_ reason: String, at path: [any CodingKey]) -> FieldFault {
            FieldFault(path.isEmpty ? "it \(reason)" : reason, at: path)
        }
        self =
            switch error {
            case .keyNotFound(let key, let context): fault("is missing", at: context.codingPath + [key])
            case .valueNotFound(_, let context): fault("is null", at: context.codingPath)
            case .typeMismatch(let type, let context): fault("is not \(Self.text(of: type))", at: context.codingPath)
            case .dataCorrupted(let context): fault("has a value that is not allowed", at: context.codingPath)
            @unknown default: FieldFault("\(error)")
            }
    }

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
