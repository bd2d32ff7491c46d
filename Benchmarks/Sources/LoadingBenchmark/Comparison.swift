//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Costs of several subjects, taken in alternating rounds so that a noisy moment hits all of them, as ratios to the first one.
@MainActor
struct Comparison {
    let title: String
    let subjects: [Subject]

    /// An odd number of rounds has a median; `--rounds 1` is enough to see what is measured.
    private static let roundCount: Int = {
        let words = CommandLine.arguments
        guard let option = words.firstIndex(of: "--rounds"), option + 1 < words.count else { return 31 }
        return max(1, Int(words[option + 1]) ?? 31)
    }()

    /// Measures and prints a table: the median cost, and median and quartiles of the ratios of the rounds.
    func report() async {
        var costs = subjects.map { _ in [Double]() }
        for subject in subjects { _ = await subject.round() }
        for _ in 0..<Self.roundCount {
            for (index, subject) in subjects.enumerated() { costs[index].append(await subject.round()) }
        }
        print("| \(title) | ns | ratio | quartiles |")
        print("|---|---:|---:|---|")
        for (index, subject) in subjects.enumerated() {
            let ratios = zip(costs[index], costs[0]).map { $0 / $1 }.sorted()
            let nanoseconds = Int(costs[index].sorted()[Self.roundCount / 2].rounded())
            let quartiles = "\(text(ratios[Self.roundCount / 4])) to \(text(ratios[Self.roundCount * 3 / 4]))"
            print("| \(subject.name) | \(nanoseconds) | \(text(ratios[Self.roundCount / 2])) | \(quartiles) |")
        }
        print("")
    }

    /// With one decimal, below 1 with two.
    private func text(_ ratio: Double) -> String {
        let hundredths = Int((ratio * 100).rounded())
        guard hundredths >= 100 else { return "0.\(hundredths < 10 ? "0" : "")\(hundredths)" }
        let tenths = Int((ratio * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
