//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let wordRule = "names, keys and options use the field's words"
    private static let spellingRule = "words and names are spelled as in America"

    static let words = [
        InjectedViolation(
            wordRule, "Sources/GantryModel/A.swift", "let a = 1\nvar factCount = 2\nfunc sayGoodbye() {}\n", lines: [2, 3, 3]),
        InjectedViolation(wordRule, "Sources/GantryModel/Ticket.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(
            wordRule, "Sources/StateFormatting/A.swift", "let a = field(\"isKept\")\nlet b = \"without-healing\"\n", lines: [1, 2]),
        InjectedViolation(wordRule, "Sources/GantryWorker/A.swift", "let a = isAttached\nlet b = HTTPPair.self\n", lines: [1, 2]),
        InjectedViolation(
            wordRule, "Sources/GantryClient/Core/Replica/A.swift", "let a = item.digest\nlet b: ObjectDigest? = nil\n", lines: [1]),
        InjectedViolation(
            wordRule, "Protocol/gantry.proto", "message A {\n  bytes story = 1; // a story\n  Beat last_beat = 2;\n}\n", lines: [2, 3, 3]),
        InjectedViolation(wordRule, "Protocol/golden/a.txtpb", "# proto-file: a story\nverdict: \"hand\" deaths: 1\n", lines: [2, 2]),
        InjectedViolation(wordRule, "Protocol/schemas/a.json", "{ \"pair\": { \"description\": \"A pair of both.\" } }\n", lines: [1]),
        InjectedViolation(
            wordRule, "Sources/FrontCore/A.swift",
            "/// Tells the facts.\nlet a = \"that pair is kept\" // a story\nlet kept = heartbeats.summary(reserveCapacity: factor)\n",
            lines: []),
        InjectedViolation(wordRule, "Tests/Simulation/Checking/A.swift", "var lifeCount = 0\nlet ledger = Ledger()\n", lines: [1]),
        InjectedViolation(wordRule, "Tests/Simulate/A.swift", "print(\"verdict\", facts)\n", lines: [1, 1]),
        InjectedViolation(wordRule, "Tests/GantryModelTests/A.swift", "let facts = [1]\n", lines: []),
        InjectedViolation(
            spellingRule, "README.md", "A neighbour\nis `isOptimised`, and was canceled.\nIts Behaviour is analysed.\n",
            lines: [1, 2, 2, 3, 3]),
        InjectedViolation(
            spellingRule, "CONTRIBUTING.md",
            "A programmer's neighbor was cancelled while cancelling; an optimistic analysis of color, otherwise advised.\n", lines: []),
        InjectedViolation(spellingRule, "Sources/Loading/Loading.docc/A.md", "A colour that was canceled.\n", lines: [1, 1]),
        InjectedViolation(
            spellingRule, "Sources/FrontCore/A.swift",
            "/// It was misspelt.\nlet isSignalled = mayHaveNeighbours\nlet color = gray\n"
                + "let wasCanceled = isCanceled\nlet text = isCancelled ? \"(canceled)\" : nil\n",
            lines: [1, 2, 2, 4]),
        InjectedViolation(spellingRule, "Scripts/rig/a.py", "colour = 1\n", lines: [1]),
        InjectedViolation(spellingRule, "Tests/TidyTests/Spelling.swift", "let a = \"colour\"\n", lines: []),
    ]
}
