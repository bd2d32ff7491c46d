//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A rate in whole numbers: a token has a share for each millisecond of the rate's period, so that in each millisecond as many shares come as tokens
/// in a period. Nothing is ever rounded, and nothing overflows: a million tokens of 30 days are 2.6 x 10^15 shares.
struct TokenRate: Equatable {
    /// Shares that come in a millisecond.
    let perMillisecond: Int64
    /// Shares of one token.
    let perToken: Int64
    /// Shares of all tokens that a bucket holds.
    let most: Int64

    init(_ refill: LimitRefill) {
        func clamped(_ count: UInt32) -> Int64 { Int64(min(max(1, count), LimitRefill.greatestCount)) }
        perMillisecond = clamped(refill.count)
        perToken = min(max(.milliseconds(1), refill.period), LimitRefill.longestPeriod).wholeMilliseconds
        most = clamped(refill.burst) * perToken
    }

    /// How many milliseconds it takes until so many shares have come.
    fileprivate func milliseconds(for shares: Int64) -> Int64 { shares <= 0 ? 0 : (shares - 1) / perMillisecond + 1 }
}

/// What a bucket had at a time of the clock of lengths.
///
/// - full: it has as many shares as it holds. Moves to short when a token is taken. What is full need not be kept.
/// - short: some are missing, and they come as time passes. Moves to full by time alone, or when tokens are given back.
struct TokenBucket: Equatable {
    /// The shares that it had.
    private(set) var level: Int64
    /// When it had them.
    private(set) var time: LengthTime

    /// A bucket that had that then. A journal may say any number: none of them may end the front.
    init(level: Int64, at time: LengthTime) {
        self.level = min(max(0, level), .max / 2)
        self.time = LengthTime(milliseconds: min(max(0, time.milliseconds), .max / 4))
    }

    /// One that has all of its tokens.
    init(fullBy rate: TokenRate, at time: LengthTime) { self.init(level: rate.most, at: time) }

    /// Tokens come until that time; it never goes back.
    mutating func advance(to now: LengthTime, by rate: TokenRate) {
        guard now > time else { return }
        let passed = now.milliseconds(since: time)
        // Asked before it is computed, as the shares of a long time would overflow.
        let isFull = passed >= rate.milliseconds(for: rate.most - level)
        level = isFull ? rate.most : level + passed * rate.perMillisecond
        time = now
    }

    /// The bucket as it is at a time.
    func advanced(to now: LengthTime, by rate: TokenRate) -> TokenBucket {
        var bucket = self
        bucket.advance(to: now, by: rate)
        return bucket
    }

    /// How many whole tokens it has at a time.
    func tokens(at now: LengthTime, by rate: TokenRate) -> Int { Int(advanced(to: now, by: rate).level / rate.perToken) }

    /// Shares that are missing at a time.
    func missing(at now: LengthTime, by rate: TokenRate) -> Int64 { max(0, rate.most - advanced(to: now, by: rate).level) }

    /// When none is missing any more.
    func fullTime(by rate: TokenRate) -> LengthTime { time.advanced(byMilliseconds: rate.milliseconds(for: rate.most - level)) }

    /// When it has so many tokens, which are no more than it holds.
    func nextTime(_ count: Int = 1, by rate: TokenRate) -> LengthTime {
        time.advanced(byMilliseconds: rate.milliseconds(for: Int64(count) * rate.perToken - level))
    }

    /// How many milliseconds it takes until it has had so many tokens, be it more than it holds at once.
    func wait(for count: Int, at now: LengthTime, by rate: TokenRate) -> Int64 {
        let level = advanced(to: now, by: rate).level
        // More jobs than can be known wait for years: as long is enough.
        let (needed, isOver) = Int64(count).multipliedReportingOverflow(by: rate.perToken)
        return rate.milliseconds(for: isOver ? .max : needed - level)
    }

    /// Attempts take so many tokens.
    mutating func take(_ count: Int, at now: LengthTime, by rate: TokenRate) {
        advance(to: now, by: rate)
        // A crafted level may be any, also above what the bucket holds.
        level = min(rate.most, max(0, level - Int64(count) * rate.perToken))
    }

    /// So many shares come back: never above what it holds.
    mutating func give(_ shares: Int64, at now: LengthTime, by rate: TokenRate) {
        advance(to: now, by: rate)
        level += min(shares, max(0, rate.most - level))
    }

    /// From now on it has another rate: until then tokens came by the old one, and it keeps what it has, as far as it holds that.
    mutating func change(from old: TokenRate, to new: TokenRate, at now: LengthTime) {
        advance(to: now, by: old)
        // A crafted level may be any: what is no token of the old rate is none of the new one.
        let product = min(level, old.most).multipliedFullWidth(by: new.perToken)
        level = min(new.most, old.perToken.dividingFullWidth(product).quotient)
        time = max(time, now)
    }
}

/// How full a bucket was whenever tokens were taken of it, as far as that says what is still missing of earlier ones.
///
/// Had a token never been taken, the bucket would have been fuller by it, and full earlier: what comes to a full bucket is lost. So of what is given
/// back only as much is missing as there was room for it at the fullest moment since. No entry says so: a restart gives nothing back.
struct TokenPeaks: Equatable {
    /// Under that lease and later ones tokens were taken of a bucket with that level. Levels fall from each to the next: an earlier one that is no
    /// higher says nothing that a later one does not.
    private var peaks: [(lease: UInt64, level: Int64)] = []

    /// Whether no tokens were taken.
    var isEmpty: Bool { peaks.isEmpty }

    /// So many are kept. Beyond that the two oldest become one that lets less be given back.
    static let kept = 16

    /// Tokens are taken under that lease and the next ones of a bucket with that level.
    mutating func note(_ level: Int64, before lease: UInt64) {
        while let last = peaks.last, last.level <= level { peaks.removeLast() }
        peaks.append((lease, level))
        guard peaks.count > Self.kept else { return }
        peaks[1].level = max(peaks[0].level, peaks[1].level)
        peaks.removeFirst()
    }

    /// Tokens that were taken under those leases come back: from then on the bucket was as full at each later moment as without them.
    /// - Returns: how many shares are missing of them.
    mutating func giveBack(_ leases: [UInt64], by rate: TokenRate) -> Int64 {
        var (shares, place) = (Int64(0), 0)
        func pass(until lease: UInt64) {
            while place < peaks.count, peaks[place].lease <= lease {
                shares = min(shares, max(0, rate.most - peaks[place].level))
                peaks[place].level += shares
                place += 1
            }
        }
        for lease in leases.sorted() {
            pass(until: lease)
            shares = min(rate.most, shares + rate.perToken)
        }
        pass(until: .max)
        return shares
    }

    /// The bucket has another rate. There was as much room as before: what an untouched one had lost by then is not missing because this one holds more.
    mutating func change(from old: TokenRate?, to new: TokenRate?) {
        guard let old, let new else { return peaks.removeAll() }
        for index in peaks.indices {
            var room = TokenBucket(level: old.most - peaks[index].level, at: .zero)
            room.change(from: old, to: new, at: .zero)
            peaks[index].level = new.most - room.level
        }
    }

    static func == (left: Self, right: Self) -> Bool { left.peaks.elementsEqual(right.peaks, by: ==) }
}

// MARK: What entries have of it

extension JournalEntry.TokenLevel {
    /// What a bucket has.
    init(_ key: LimitKey, _ bucket: TokenBucket) { self.init(key, level: bucket.level, lengthTime: bucket.time.milliseconds) }

    /// The bucket that has that.
    var bucket: TokenBucket { TokenBucket(level: level, at: LengthTime(milliseconds: lengthTime)) }
}

extension JournalEntry.LimitChanged {
    /// What each value has that has no bucket of its own.
    var bucket: TokenBucket {
        get { TokenBucket(level: level, at: LengthTime(milliseconds: lengthTime)) }
        set { (lengthTime, level) = (newValue.time.milliseconds, newValue.level) }
    }
}
