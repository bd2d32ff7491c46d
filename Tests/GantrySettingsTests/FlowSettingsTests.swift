//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantrySettings
import Testing

@Suite("Limits, groups and clients of gantry.yaml")
struct FlowSettingsTests {
    @Test("limits hold for the loaders and groups that they name, and clients weigh what is said")
    func read() throws {
        let flow = try GantryConfiguration(
            yaml: """
                version: 1
                limits:
                  shop: { capacity: 2, rate: 100/15m, burst: 20, beyond: refuse, groups: [shop] }
                  all: { capacity: 7, loaders: [http, prices, sleep], groups: [shop] }
                  named: { rate: 10/m }
                loaders:
                  prices: { group: shop }
                  other: {}
                clients:
                  importer: { weight: 2 }
                  "Till on host": { weight: 4 }
                feeds:
                  products:
                    source: { http: { url: "http://127.0.0.1:8000/products" } }
                    item: { id: /id }
                    group: shop
                """
        ).flow
        #expect(flow.limits["shop"] == LimitRule(capacity: 2, refill: LimitRefill(100, per: .seconds(900), burst: 20, beyond: .refuse)))
        #expect(flow.limits["named"] == LimitRule(refill: LimitRefill(10, per: .seconds(60))) && flow.limits.count == 3)
        #expect(flow.limitsOfLoaders == ["prices": ["shop", "all"], "http": ["all"], "sleep": ["all"]])
        #expect(flow.limitsOfFeeds == ["products": ["shop", "all"]])
        #expect(flow.groups == ["shop": GroupMembers(loaders: ["prices"], feeds: ["products"])])
        #expect(flow.clientWeights == ["importer": 2, "Till on host": 4])
        #expect(try GantryConfiguration(yaml: "version: 1").flow == FlowSettings())
    }

    @Test("a group has so many loaders and feeds as one item can name, and one with more is refused with what to do")
    func largeGroup() throws {
        let most = FlowSettings.groupMemberCount
        func text(loaders: Int) -> String {
            let lines = (0..<loaders).map { "  l\($0): { group: shop }" }
            return "version: 1\nfeeds: { towns: { source: { loader: towns }, group: shop } }\nloaders:\n" + lines.joined(separator: "\n")
        }
        #expect(try GantryConfiguration(yaml: text(loaders: most - 1)).flow.groups["shop"]?.count == most)
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: text(loaders: most)) }
        #expect(
            error?.description.contains(
                "the group shop has 1025 loaders and feeds, and a group has at most 1024: give some of them another group") == true)
    }

    @Test("a limit counts feeds apart for their hosts or for a parameter")
    func values() throws {
        let configuration = try GantryConfiguration(
            yaml: """
                version: 1
                limits:
                  site: { capacity: 2, loaders: [http], value: host }
                  tenant: { capacity: 1, groups: [shop], value: "{tenant}" }
                feeds:
                  products:
                    source: { http: { url: "http://Shop.Example:8000/{tenant}/products" } }
                    parameters: { tenant: {} }
                    item: { id: /id }
                    detail: "http://[::1]/details/{id}"
                    group: shop
                  towns: { source: { loader: towns }, group: shop }
                """)
        #expect(configuration.flow.limitValues == ["site": .host, "tenant": .parameter("tenant")])
        #expect(configuration.definitions.map(\.sourceHost) == ["shop.example", nil])
        #expect(configuration.definitions.map(\.detailHost) == ["::1", nil])
        let products = try #require(configuration.definitions.first)
        let key = try #require(FeedKey(text: "products?tenant=acme"))
        #expect(FeedLimitValue.parameter("tenant").value(for: .load, of: key, products) == "acme")
        #expect(FeedLimitValue.host.value(for: .load, of: key, products) == "shop.example")
        #expect(FeedLimitValue.host.value(for: .detail, of: key, products) == "::1")
        let towns = try #require(FeedKey(text: "towns"))
        #expect(FeedLimitValue.parameter("tenant").value(for: .load, of: towns, configuration.definitions[1]) == "")
    }

    @Test("long values are cut, and stay apart")
    func longValues() throws {
        let products = FeedDefinition(name: "products", sourceLoader: LoaderName.http)
        func value(_ text: String) throws -> String {
            let key = try #require(FeedKey(name: "products", parameters: [.init(name: "tenant", value: text)]))
            return FeedLimitValue.parameter("tenant").value(for: .load, of: key, products)
        }
        let longest = String(repeating: "x", count: LimitKey.valueByteCount)
        #expect(try value(longest) == longest)
        let values = try [longest + "a", longest + "b", "\u{7}", " ", "a ", "a"].map(value)
        #expect(Set(values).count == values.count && values.last == "a", "\(values)")
        for value in values { #expect(LimitKey("tenant", value: value).fault == nil, "\(value)") }
        #expect(try value(longest + "a") == values[0])
    }

    /// Two feeds in a group, one of which has a parameter and an address.
    private static let someFeeds =
        "feeds:\n  items: { source: { http: { url: \"http://127.0.0.1/x\" } }, parameters: { tenant: {} }, item: { id: /id }, group: shop }\n"
        + "  towns: { source: { loader: towns } }\n"

    @Test(
        "a value that nobody counted in a limit can have is named with its line and the next step",
        arguments: [
            (
                "loaders: [http], value: hots",
                "the value of limit api is \"hots\": write host, or a parameter of its feeds, as in \"{tenant}\""
            ),
            ("loaders: [http], value: {tenant}", "the value of limit api needs quotes: write value: \"{tenant}\""),
            ("value: host", "limit api has a value and holds for no feed: name a loader or a group of feeds"),
            (
                "loaders: [http, sleep], value: host",
                "the value of limit api is that of a feed, and the loader sleep, for which it holds, is no feed's: take the loader out"
            ),
            (
                "groups: [shop], value: \"{tennant}\"",
                "the value of limit api is the parameter \"tennant\", which no feed of its groups has; did you mean \"{tenant}\"?"
            ),
            (
                "loaders: [towns], value: \"{tenant}\"",
                "the value of limit api is the parameter \"tenant\", which no feed of the loader towns has; declare it under parameters of one"
            ),
            ("loaders: [towns], value: host", "the value of limit api is the host of a url, and no feed of the loader towns has a url"),
        ])
    func wrongValues(limit: String, message: String) {
        let text = "version: 1\n" + Self.someFeeds + "limits:\n  api: { capacity: 1, \(limit) }\n"
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: text) }
        #expect(error?.description.hasPrefix("6: " + message) == true, "\(error?.description ?? "none")")
    }

    @Test("a loader's rule of retries, with rules for single failure codes, is read, and the loader is known by it")
    func retries() throws {
        let flow = try GantryConfiguration(
            yaml: """
                version: 1
                loaders:
                  crawl:
                    retry: { attempts: 8, back-off: 2s, longest: 5m, jitter: false }
                    codes:
                      unreachable: { attempts: 20, longest: 1h }
                      timedOut: { back-off: 10s, jitter: true }
                      invalidData: never
                  sleep: { codes: { timedOut: never } }
                  plain: {}
                """
        ).flow
        #expect(
            flow.retryRules["crawl"]
                == RetryRule(
                    attempts: 8, backOff: BackOff(first: .seconds(2), longest: .seconds(300), hasJitter: false),
                    codes: [
                        CodeRetryRule(.unreachable, attempts: 20, backOff: BackOff(longest: .seconds(3_600))),
                        CodeRetryRule(.timedOut, backOff: BackOff(first: .seconds(10), hasJitter: true)), .never(after: .invalidData),
                    ]))
        #expect(flow.retryRules["sleep"] == RetryRule(codes: [.never(after: .timedOut)]) && flow.retryRules.count == 2)
        #expect(flow.loaders == ["crawl", "sleep", "plain"])
    }

    @Test(
        "a mistake is named with its line and the next step",
        arguments: [
            ("limits: { api: { capacity: 0 } }", "2: the capacity of limit api is \"0\": write a number from 1 to 1000000"),
            ("limits: { api: {} }", "2: limit api: a limit needs a capacity, a rate, or both"),
            ("limits: { api: { rate: 5 } }", "2: the rate of limit api is \"5\": write a count and a time in s, m, h or d"),
            ("limits: { api: { rate: 1/31d } }", "2: limit api: the time of a rate is 1 second to 30 days"),
            ("limits: { api: { capacity: 5, beyond: refuse } }", "2: limit api has a beyond and no rate: give it a rate, as in rate: 10/m"),
            ("limits: { api: { rate: 1/s, beyond: drop } }", "2: beyond of limit api is \"drop\": write wait or refuse"),
            ("limits: { api: { capacity: 5, burst: 3 } }", "2: limit api has a burst and no rate: give it a rate, as in rate: 10/m"),
            ("limits: { Api: { capacity: 5 } }", "2: the limit \"Api\" needs another name: a small letter, then up to 62 small letters"),
            ("limits:\n  api: { capacity: 5, weight: 2 }", "3: unknown key \"weight\" in limit api; known are capacity, rate"),
            (
                "limits:\n  api: { capacity: 5, loaders: [htpp] }",
                "3: limit api names the loader \"htpp\", which is not known; did you mean \"http\"? one of your own is named under loaders"
            ),
            (
                "limits:\n  api: { capacity: 5, groups: [shop] }",
                "3: limit api names the group \"shop\", which no loader and no feed has; give"
            ),
            (
                "loaders: { own: { group: shop } }\nlimits:\n  api: { capacity: 5, groups: [shpo] }",
                "4: limit api names the group \"shpo\", which no loader and no feed has; did you mean \"shop\"?"
            ),
            ("loaders: { own: { group: a b } }", "2: the group \"a b\" needs another name"),
            ("loaders: { own: {}, own: {} }", "2: the key \"own\" is given twice; remove one"),
            ("loaders: { own: { retries: 3 } }", "2: unknown key \"retries\" in loader own; did you mean \"retry\"?"),
            ("loaders: { own: { retry: { attempts: 0 } } }", "2: attempts of loader own is \"0\": write a number from 1 to 1000"),
            (
                "loaders: { own: { retry: { attempt: 3 } } }",
                "2: unknown key \"attempt\" in retry of loader own; did you mean \"attempts\"?"
            ),
            ("loaders: { own: { retry: { back-off: 2 } } }", "2: back-off of loader own \"2\" has no unit: write for example 250ms or 5s"),
            ("loaders: { own: { retry: { jitter: no } } }", "2: jitter of loader own is \"no\": write true or false"),
            (
                "loaders: { own: { retry: { back-off: 9s, longest: 3s } } }",
                "2: back-off and longest of loader own: the longest back-off, 3 s, is shorter than the first, 9 s: raise it"
            ),
            (
                "loaders: { own: { retry: { longest: 2d } } }",
                "2: back-off and longest of loader own: a back-off is 1 ms or more, and at most a day"
            ),
            (
                "loaders: { own: { codes: { unreachabel: never } } }",
                "2: codes of loader own: there is no failure code \"unreachabel\"; did you mean \"unreachable\"?"
            ),
            ("loaders: { own: { codes: { busy: never, busy: never } } }", "2: the key \"busy\" is given twice; remove one"),
            ("loaders: { own: { codes: { busy: 3 } } }", "2: code busy of loader own is \"3\": write never, or for example busy: { att"),
            ("loaders: { own: { codes: { busy: { attempts: 0 } } } }", "2: attempts of code busy of loader own is \"0\": write a number"),
            (
                "loaders:\n  own:\n    retry: { longest: 5m }\n    codes: { busy: { back-off: 10m } }",
                "5: code busy of loader own, beside what the loader says: the longest back-off, 300 s, is shorter than the first, 600 s: raise it, "
                    + "or give the code its own longest"
            ),
            ("clients: { importer: {} }", "2: client importer has no weight: write for example importer: { weight: 2 }"),
            ("clients: { importer: { weight: 0 } }", "2: the weight of client importer is \"0\": write a number from 1 to 1000"),
            (
                "limits: { a: { capacity: 1, loaders: [http] }, b: { capacity: 1, loaders: [http] }, c: { capacity: 1, loaders: [http] }, "
                    + "d: { capacity: 1, loaders: [http] }, e: { capacity: 1, groups: [shop] } }\nfeeds:\n  items:\n    source: { http: "
                    + "{ url: \"http://127.0.0.1/x\" } }\n    item: { id: /id }\n    group: shop",
                "2: the loads of feed items count in 5 limits, those of the feed and of its loader http (a, b, c, d, e), and a job counts in "
                    + "at most 4: leave one out"
            ),
            (
                "limits: { a: { capacity: 1, loaders: [http] }, b: { capacity: 1, loaders: [http] }, c: { capacity: 1, loaders: [http] }, "
                    + "d: { capacity: 1, loaders: [http] }, e: { capacity: 1, loaders: [http] } }",
                "2: loader http has 5 limits (a, b, c, d, e), and a job counts in at most 4: leave one out"
            ),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try GantryConfiguration(yaml: "version: 1\n" + text) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "none")")
    }
}
