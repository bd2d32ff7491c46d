//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FoundationEssentials
package import GantryModel

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
