//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryWire
import Testing

@Suite("The bytes of typed jobs")
struct TypedJobCodingTests {
    struct Crop: Codable, Equatable {
        var left: Int
        var share: Double
    }

    struct Resize: TypedJob, Equatable {
        enum Color: String, Codable { case gray, full }
        static let loaderName = "resize"
        var path = "/a.png"
        var widths = [100]
        var crop = Crop(left: 1, share: 0.5)
        var isSharp = true
        var color = Color.gray
        var at = Date(timeIntervalSince1970: 1_700_000_000.25)
        var seal = Data([1, 2, 255])
        var note: String?
    }

    struct Tick: TypedJob {
        static let loaderName = "tick"
    }

    struct Measure: TypedJob {
        struct Result: Codable, Equatable { var share: Double }
        static let loaderName = "measure"
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let form =
        #"{"at":"2023-11-14T22:13:20.250Z","color":"gray","crop":{"left":1,"share":0.5},"#
        + #""isSharp":true,"path":"/a.png","seal":"AQL/","widths":[100]}"#

    @Test("an argument is an object with sorted keys, dates and data are texts, and it reads back as it was")
    func form() throws {
        let bytes = try TypedJobCoding.argument(of: Resize())
        #expect(text(bytes) == Self.form)
        #expect(try TypedJobCoding.job(Resize.self, from: bytes) == Resize())
    }

    @Test("what another language writes is read: other order, unknown fields, white space, dates without fractions")
    func foreign() throws {
        let written = """
            { "more": [], "widths": [1, 2], "seal": "", "path": "b", "isSharp": false, "color": "full", "at": "2023-11-14T22:13:20Z",
              "crop": { "share": 1, "left": 0 }, "note": null }
            """
        var expected = Resize(path: "b", widths: [1, 2], crop: Crop(left: 0, share: 1), isSharp: false, color: .full, seal: Data())
        expected.at = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(try TypedJobCoding.job(Resize.self, from: Array(written.utf8)) == expected)
    }

    @Test("no bytes at all are a job without fields, and any bytes are the result that a job without one gives")
    func empty() throws {
        _ = try TypedJobCoding.job(Tick.self, from: [])
        for bytes in [[], Array("done".utf8), Array("{}".utf8)] {
            #expect(try TypedJobCoding.result(of: Tick.self, from: bytes) == NoResult())
        }
        #expect(text(try TypedJobCoding.bytes(of: NoResult(), of: Tick.self)) == "{}")
    }

    @Test(
        "what does not fit is named by its field, in the words of JSON",
        arguments: [
            (#""path":"/a.png""#, #""paths":1"#, "path", #"field "path" is missing"#),
            (#""path":"/a.png""#, #""path":7"#, "path", #"field "path" is not a text"#),
            (#""path":"/a.png""#, #""path":null"#, "path", #"field "path" is null"#),
            ("[100]", "[100,true]", "widths[1]", #"field "widths[1]" is not a whole number"#),
            ("[100]", "100", "widths", #"field "widths" is not an array"#),
            (#""left":1"#, #""left":1.5"#, "", "it has a value that its field cannot hold, such as 1.5 for a whole number"),
            (#""share":0.5"#, #""share":"x""#, "crop.share", #"field "crop.share" is not a number"#),
            (#"{"left":1,"share":0.5}"#, "[]", "crop", #"field "crop" is not an object"#),
            ("true", "1", "isSharp", #"field "isSharp" is not true or false"#),
            (#""gray""#, #""blue""#, "color", #"field "color" has a value that is not allowed"#),
            ("2023-11-14", "yesterday", "at", #"field "at" is not a date such as 2026-01-31T12:00:00Z"#),
            ("2023-11-14", "0000-11-14", "at", #"field "at" is not a date such as 2026-01-31T12:00:00Z"#),
            (#""AQL/""#, #""?""#, "seal", #"field "seal" has a value that is not allowed"#),
            ("}}", "}", "", "it is not JSON"),
        ])
    func faults(right: String, wrong: String, field: String, reason: String) throws {
        let bytes = Array((right == "}}" ? "{" + Self.form : Self.form.replacingOccurrences(of: right, with: wrong)).utf8)
        let fault = #expect(throws: TypedJobFault.self) { try TypedJobCoding.job(Resize.self, from: bytes) }
        #expect(fault?.code == .unreadable && fault?.field == field)
        #expect(fault?.context == "the argument of a job of resize does not fit: \(reason)")
        #expect(fault?.nextStep == "submit JSON with the fields that loader resize takes")
    }

    @Test(
        "dates are those of the calendar of RFC 3339 in both directions, from the first to the last millisecond of its years",
        arguments: [
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (-12_219_379_200_000, "1582-10-14T00:00:00.000Z"),
            (-11_676_096_000_000, "1600-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func dates(milliseconds: Int64, written: String) throws {
        let job = Resize(at: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
        let bytes = try TypedJobCoding.argument(of: job)
        #expect(text(bytes).contains("\"at\":\"\(written)\""), "\(text(bytes))")
        #expect(try TypedJobCoding.job(Resize.self, from: bytes) == job)
    }

    @Test(
        "a date that RFC 3339 cannot say is refused before it travels",
        arguments: [Double.nan, .infinity, -.infinity, 253_402_300_800, -62_135_596_800.001, 1e300])
    func unwritableDates(seconds: Double) {
        let fault = #expect(throws: TypedJobFault.self) {
            try TypedJobCoding.argument(of: Resize(at: Date(timeIntervalSince1970: seconds)))
        }
        #expect(fault?.code == .unwritable && fault?.field == "at")
        #expect(
            fault?.context
                == #"the argument of a job of resize cannot be written as JSON: field "at" is a date outside the years 0001 to 9999"#)
    }

    @Test("65,536 bytes travel, one more is refused with both numbers, and so is a number that JSON does not have")
    func bounds() throws {
        let rest = try TypedJobCoding.argument(of: Resize(path: "")).count
        #expect(try TypedJobCoding.argument(of: Resize(path: String(repeating: "x", count: 65_536 - rest))).count == 65_536)
        let large = #expect(throws: TypedJobFault.self) {
            try TypedJobCoding.argument(of: Resize(path: String(repeating: "x", count: 65_537 - rest)))
        }
        #expect(large?.code == .tooLarge)
        #expect(large?.context == "the argument of a job of resize has 65537 bytes (limit 65536)")
        let none = #expect(throws: TypedJobFault.self) { try TypedJobCoding.bytes(of: Measure.Result(share: .nan), of: Measure.self) }
        #expect(none?.code == .unwritable && none?.field == "share")
        #expect(none?.context.hasPrefix(#"the result of a job of measure cannot be written as JSON: field "share" "#) == true)
    }
}
