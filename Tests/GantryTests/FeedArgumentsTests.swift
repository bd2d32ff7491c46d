//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryModel
import Testing

@testable import gantry

@Suite("Feeds as they are typed")
struct FeedArgumentsTests {
    @Test(
        "what is no key is told by the part that is wrong",
        arguments: [
            (["Feed"], "\"Feed\" is not a valid feed name: a name is"), (["a/b/c"], "\"a/b/c\" is not a valid feed name"),
            (["Feed?a=1"], "\"Feed\" is not a valid feed name"),
            (["byfile?file=a%2"], "the key's value \"a%2\" has an incomplete % escape"),
            (["byfile?file=a%zz"], "the key's value \"a%zz\" has an incomplete % escape"),
            (["byfile?file=%FF"], "% escapes that are not UTF-8"),
            (["byfile?file"], "the key's parameter \"file\" has no value: write name=value"), (["byfile?"], "parameter \"\" has no value"),
            (["x?A=1"], "\"A\" is not a valid parameter name"), (["x?a=1&a=2"], "the parameter a of x is given twice"),
            (["x", "--param", "A=1"], "\"A\" is not a valid parameter name: a name is"),
            (["x?a=1", "--param", "a=2"], "the parameter a of x is given twice"), (["x", "--param", "a"], "write --param name=value"),
            (["x", "--param", "a=" + String(repeating: "v", count: 400)], "the key of x is over 400 bytes with its parameters"),
            (["x?a=" + String(repeating: "v", count: 400)], "the key of x is over 400 bytes with its parameters"),
        ] as [([String], String)])
    func faults(arguments: [String], says: String) throws {
        let feed = try FeedArguments.parse(arguments)
        let error = #expect(throws: ValidationError.self) { try feed.key() }
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    }

    @Test("an item that is nested too deeply is told the bound, and not that it is no JSON")
    func nested() throws {
        func item(_ depth: Int, _ text: String = "") -> String {
            "{\"a\":\(String(repeating: "[", count: depth - 1))\(text)\(String(repeating: "]", count: depth - 1))}"
        }
        for text in [item(500), item(3, "\"\(String(repeating: "[", count: 3_000))\\\"[\"")] {
            #expect(try ItemText.bytes(text) == Array(text.utf8))
        }
        for depth in [513, 3_000] {
            let failure = #expect(throws: CommandFailure.self) { try ItemText.bytes(item(depth)) }
            #expect(failure?.message == "the item is nested deeper than 512 arrays and objects (limit)" && failure?.status == .invalidData)
        }
        let failure = #expect(throws: CommandFailure.self) { try ItemText.bytes("{") }
        #expect(failure?.message.hasPrefix("the item is no JSON") == true)
    }

    @Test("parameters of the name and of --param make one key")
    func keys() throws {
        #expect(try FeedArguments.parse(["x?b=a%2F", "--param", "a=1"]).key() == FeedKey(text: "x?a=1&b=a%2F"))
    }
}
