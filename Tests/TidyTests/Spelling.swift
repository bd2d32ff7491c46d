//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How words are spelled: as in America, but `cancelled` and `cancelling`, as Swift's `isCancelled`.
enum Spelling {
    /// What a word of small letters is to be; nil: it is right.
    static func better(_ word: String) -> String? {
        if let better = words[word] { return better }
        guard let root = roots.first(where: { word.hasPrefix($0.0) }) else { return nil }
        return root.1 + word.dropFirst(root.0.count)
    }

    /// Words that begin so, whatever follows.
    private static let roots = [
        ("neighbour", "neighbor"), ("colour", "color"), ("honour", "honor"), ("behaviour", "behavior"), ("favour", "favor"),
        ("flavour", "flavor"), ("labour", "labor"), ("endeavour", "endeavor"), ("licence", "license"), ("defence", "defense"),
        ("offence", "offense"), ("pretence", "pretense"), ("centre", "center"), ("theatre", "theater"), ("fibre", "fiber"),
        ("catalogue", "catalog"), ("dialogue", "dialog"), ("analogue", "analog"), ("judgement", "judgment"), ("artefact", "artifact"),
        ("ageing", "aging"), ("grey", "gray"), ("whilst", "while"), ("labelled", "labeled"), ("labelling", "labeling"),
        ("signalled", "signaled"), ("signaller", "signaler"), ("signalling", "signaling"), ("modelled", "modeled"),
        ("modelling", "modeling"), ("travelled", "traveled"), ("travelling", "traveling"), ("marshalled", "marshaled"),
        ("analyse", "analyze"), ("analysing", "analyzing"), ("canceled", "cancelled"), ("canceling", "cancelling"),
        ("acknowledgement", "acknowledgment"), ("journalled", "journaled"), ("journalling", "journaling"), ("spelt", "spelled"),
        ("misspelt", "misspelled"),
    ]

    /// Verbs that end in `ize`, and single words that longer ones begin with: a programmer programmes nothing.
    private static let words: [String: String] = {
        var words = ["programme": "program", "programmes": "programs", "fulfil": "fulfill", "fulfils": "fulfills", "metre": "meter"]
        let verbs =
            "author capital categor character custom emphas final general initial local material maxim memor minim normal optim organ "
            + "parameter priorit real recogn serial special stabil standard summar synchron token util visual"
        for verb in verbs.split(separator: " ") {
            for end in ["e", "ed", "er", "ers", "es", "ing", "ation", "ations", "able"] { words["\(verb)is\(end)"] = "\(verb)iz\(end)" }
        }
        for verb in ["unrecogn", "uninitial", "reorgan"] { words["\(verb)ised"] = "\(verb)ized" }
        return words
    }()
}
