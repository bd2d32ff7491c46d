//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Lanes of a loader that wait at a use of a limit for as many permits: by their first jobs, and by the turns of their clients.
///
/// A client's turn is noted as it was when its lane came; one that has got more since is moved when its turn would come. Where one client waits, its
/// lanes are all that is kept.
struct LimitLine {
    /// Whose turn it is: of clients that have got as much the one whose job is first.
    struct Turn: Comparable {
        var pass: Int64
        var first: RankKey

        static func < (one: Turn, two: Turn) -> Bool { one.pass != two.pass ? one.pass < two.pass : one.first < two.first }
    }

    /// The lanes of one client, by their first jobs.
    private struct Own {
        let client: UInt32
        var pass: Int64
        var lanes = PlacedHeap<RankKey>()
    }

    let weight: Int
    private var owns: [Own] = []
    private var free: [Int] = []
    /// Where each client's are, and which of them is next; nothing while there was one client at a time.
    private var indexes: [UInt32: Int] = [:]
    private var byRank = IndexedHeap<RankKey>()
    private var byTurn = IndexedHeap<Turn>()
    private var isShared = false
    /// The only client's, while it is not shared.
    private var single: Int? { isShared || owns.isEmpty || owns[0].lanes.isEmpty ? nil : 0 }

    /// Clients whose turns are moved at once.
    private static let refreshLooks = 64

    init(weight: Int) { self.weight = weight }

    var isEmpty: Bool { isShared ? byRank.isEmpty : single == nil }
    /// Whether all lanes are of one client, so that no others take turns with it.
    var isOfOneClient: Bool { isShared ? indexes.count == 1 : single != nil }
    /// All lanes, in no order.
    var all: [Int] { owns.flatMap(\.lanes.all) }

    /// The first lane by rank.
    var first: (key: RankKey, item: Int)? { (isShared ? byRank.top?.item : single).flatMap { owns[$0].lanes.top } }

    /// The first lane of a client; nil: none of it waits here.
    func first(of client: UInt32) -> (key: RankKey, item: Int)? {
        guard let own = isShared ? indexes[client] : single, owns[own].client == client else { return nil }
        return owns[own].lanes.top
    }

    /// The first lane of the client whose turn it is.
    var next: (turn: Turn, lane: Int)? {
        guard let own = isShared ? byTurn.top?.item : single, let top = owns[own].lanes.top else { return nil }
        return (Turn(pass: owns[own].pass, first: top.key), top.item)
    }

    /// The lanes whose first jobs stand before a key, or some of them where there are many.
    /// - Parameter looks: What may be looked at for that; what was is taken off.
    func lanes(before key: RankKey, looks: inout Int) -> [Int] {
        var found: [Int] = []
        for own in owns {
            guard looks > 0 else { break }
            let sample = own.lanes.items(before: key, looks: looks)
            found += sample.items
            looks -= max(1, sample.looked)
        }
        return found
    }

    /// A lane comes, or its first job is another one.
    /// - Parameter pass: What its client has got.
    /// - Returns: how many lanes and clients were looked at.
    mutating func set(_ lane: Int, of client: UInt32, to first: RankKey, _ pass: Int64, _ places: inout [Int]) -> Int {
        let own = index(of: client, pass)
        owns[own].pass = pass
        return owns[own].lanes.set(lane, to: first, &places) + place(own)
    }

    /// A lane leaves.
    /// - Returns: how many lanes and clients were looked at.
    mutating func remove(_ lane: Int, of client: UInt32, _ places: inout [Int]) -> Int {
        guard let own = isShared ? indexes[client] : single else { return 0 }
        let looks = owns[own].lanes.remove(lane, &places)
        guard owns[own].lanes.isEmpty, isShared else { return looks + place(own) }
        indexes[client] = nil
        free.append(own)
        return looks + byRank.remove(own) + byTurn.remove(own)
    }

    private mutating func index(of client: UInt32, _ pass: Int64) -> Int {
        if !isShared {
            if let single, owns[single].client == client { return single }
            // The line is empty, so its only place is the next client's.
            guard single != nil else {
                owns = [Own(client: client, pass: pass)]
                return 0
            }
            isShared = true
            indexes[owns[0].client] = 0
            _ = place(0)
        }
        if let known = indexes[client] { return known }
        let own = free.popLast() ?? owns.count
        if own == owns.count { owns.append(Own(client: client, pass: pass)) } else { owns[own] = Own(client: client, pass: pass) }
        indexes[client] = own
        return own
    }

    private mutating func place(_ own: Int) -> Int {
        guard isShared, let top = owns[own].lanes.top?.key else { return 0 }
        return byRank.set(own, to: top) + byTurn.set(own, to: Turn(pass: owns[own].pass, first: top))
    }

    /// Moves the clients whose turns would come and that have got more since.
    /// - Returns: how many lanes were looked at.
    mutating func refresh(by table: LaneTable) -> Int {
        var looks = 1
        while looks < Self.refreshLooks, let own = isShared ? byTurn.top?.item : single, let lane = owns[own].lanes.top?.item {
            let pass = table.pass(of: lane)
            // What clients have got only grows: once the first one is right, no other can come before it.
            guard pass != owns[own].pass else { break }
            owns[own].pass = pass
            looks += 1 + place(own)
        }
        return looks
    }
}
