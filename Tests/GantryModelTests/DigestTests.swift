//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "XXH64 gives the published sums",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)])
    func published(text: String, sum: UInt64) {
        #expect(XXH64.hash(Array(text.utf8)) == sum)
    }

    @Test("a topic's checksum does not depend on the order of its items and forgets removed ones")
    func order() {
        var one = TopicChecksum()
        one.add(key: [1], value: [2, 3])
        one.add(key: [4], value: [])
        var two = TopicChecksum()
        two.add(key: [4], value: [])
        two.add(key: [9], value: [9])
        two.add(key: [1], value: [2, 3])
        #expect(one != two)
        two.remove(key: [9], value: [9])
        #expect(one == two)
        #expect(TopicChecksum(0xAB).description == "00000000000000ab")
    }

    @Test("key and value bytes cannot be moved into each other unnoticed")
    func boundary() {
        var one = TopicChecksum()
        one.add(key: [1, 2], value: [3])
        var two = TopicChecksum()
        two.add(key: [1], value: [2, 3])
        #expect(one != two)
    }
}
