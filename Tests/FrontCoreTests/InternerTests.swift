//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Synchronization
import Testing

@testable import FrontCore

@Suite("Values that are kept once")
struct InternerTests {
    @Test("a value is there once, for as long as something has it, and is counted in bytes while it is there")
    func counted() {
        var names = Interner(blank: "")
        let (one, two) = (names.add("one", byteCount: 3), names.add("two", byteCount: 3))
        #expect(names.add("one", byteCount: 99) == one && one != two)
        #expect(names.count == 2 && names.uses(at: one) == 2 && names.byteCount == 2 * (3 + RoughSize.name))
        names.change(at: one, by: 5)
        names.change(at: one, by: -6)
        #expect(names[one] == "one" && names.count == 2)
        names.change(at: one, by: -1)
        #expect(names.count == 1 && names.byteCount == 3 + RoughSize.name)
        #expect(names[two] == "two" && names[one] == "", "nothing is left of the other")
    }

    @Test("the blank value takes no place and is not counted")
    func blank() {
        var names = Interner(blank: "")
        #expect(names.add("", byteCount: 0) == Interner<String>.blank)
        names.change(at: Interner<String>.blank, by: -7)
        #expect(names.count == 0 && names.byteCount == 0 && names[Interner<String>.blank] == "")
    }

    @Test("indexes follow from the order of the calls alone: those that are free are used again, the smallest one first")
    func order() {
        func indexes() -> [Int] {
            var names = Interner(blank: "")
            var given = (0..<50).map { names.add("name \($0)", byteCount: 6) }
            for index in given.prefix(20) { names.change(at: index, by: -1) }
            given += (0..<25).map { names.add("other \($0)", byteCount: 7) }
            #expect(names.indices.count == 56 && names.count == 55)
            return given
        }
        #expect(indexes() == indexes())
        #expect(indexes().suffix(25) == Array(1...20) + Array(51...55))
    }

    @Test("what was used for a while is given back: places behind the last value in use go, and come again")
    func givenBack() {
        var names = Interner(blank: "")
        let given = (0..<5_000).map { names.add("name \($0)", byteCount: 6) }
        for index in given.dropFirst(3) where index != 2_000 { names.change(at: index, by: -1) }
        #expect(names.indices.count == 2_001 && names.count == 4)
        names.change(at: 2_000, by: -1)
        #expect(names.indices == 0..<4 && names.count == 3 && names.byteCount == 3 * (6 + RoughSize.name))
        // Indexes beyond, which were free once, are each given out once.
        let again = (0..<5_000).map { names.add("again \($0)", byteCount: 6) }
        #expect(again == Array(4..<5_004))
        #expect(again.allSatisfy { names[$0] == "again \($0 - 4)" } && given.prefix(3).map { names[$0] } == ["name 0", "name 1", "name 2"])
    }

    @Test("texts that are equal but for how Unicode composes them are two values, each with its own bytes, and are forgotten apart")
    func composed() {
        let texts = ["caf\u{E9}", "cafe\u{301}"]
        #expect(texts[0] == texts[1])
        var names = Interner(blank: "")
        let given = texts.map { names.add($0, byteCount: $0.utf8.count) }
        #expect(given == [1, 2] && texts.map { names.add($0, byteCount: 0) } == given)
        #expect(given.map { Array(names[$0].utf8) } == texts.map { Array($0.utf8) })
        names.change(at: given[0], by: -2)
        #expect(texts.map { names.index(of: $0) } == [nil, given[1]])
    }

    /// A value with forms that are equal, which counts how often two are compared.
    private struct Word: Interned {
        final class Comparisons: Sendable {
            let count = Mutex(0)
        }

        let text: String
        let comparisons: Comparisons

        static func == (left: Self, right: Self) -> Bool {
            left.comparisons.count.withLock { $0 += 1 }
            return left.text.lowercased() == right.text.lowercased()
        }

        func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
        func hasTexts(of other: Self) -> Bool { text == other.text }
        func hashTexts(into hasher: inout Hasher) { hasher.combine(text) }
    }

    @Test("of a thousand forms that are equal each is found without a look at the others")
    func manyForms() {
        let comparisons = Word.Comparisons()
        func form(_ number: Int) -> Word {
            Word(text: String((0..<10).map { number >> $0 & 1 == 0 ? "a" : "A" }), comparisons: comparisons)
        }
        var words = Interner(blank: Word(text: "", comparisons: comparisons))
        let given = (0..<1_024).map { words.add(form($0), byteCount: 10) }
        #expect(given == Array(1...1_024) && (0..<1_024).map { words.index(of: form($0)) } == given)
        // All with all others would be a million.
        #expect(comparisons.count.withLock { $0 } < 100_000)
    }

    @Test("forms of a text that Unicode calls equal do not lie on one another: as many of them as of others are found among as many values")
    func formsOfOneText() {
        func hashes(_ values: [JobTerms]) -> Int {
            Set(
                values.map { value in
                    var hasher = Hasher()
                    hasher.combine(value)
                    value.hashTexts(into: &hasher)
                    return hasher.finalize()
                }
            ).count
        }
        func form(_ number: Int) -> String { (0..<10).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined() }
        let forms = (0..<1_024).map(form)
        #expect(Set(forms).count == 1)
        #expect(hashes(forms.map { JobTerms(JobTerms.Asker(), options: JobOptions(tags: [$0])) }) == 1_024)
        #expect(hashes(forms.map { JobTerms(JobTerms.Asker(label: $0), options: JobOptions()) }) == 1_024)
        #expect(hashes(forms.map { JobTerms(JobTerms.Asker(client: $0), options: JobOptions()) }) == 1_024)
        #expect(hashes(forms.map { JobTerms(JobTerms.Asker(), options: JobOptions(limitKeys: [LimitKey("a", value: $0)])) }) == 1_024)
    }
}
