//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import GantryZMQ

@Suite("Publisher and subscriber")
struct TopicTests {
    @Test("the publisher reads every subscription, repeated ones too, and ends")
    func subscriptions() throws {
        let context = try Context()
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.apply(.publisher())
        try publisher.bind("inproc://changes")
        let first = try Socket<Subscriber>(context)
        try first.connect("inproc://changes")
        try first.subscribe(Array("jobs\0".utf8))
        #expect(try waitReadable(publisher))
        #expect(try publisher.receiveSubscription() == SubscriptionChange(isSubscribed: true, topic: Array("jobs\0".utf8)))
        let second = try Socket<Subscriber>(context)
        try second.connect("inproc://changes")
        try second.subscribe(Array("jobs\0".utf8))
        #expect(try waitReadable(publisher))
        #expect(try publisher.receiveSubscription() == SubscriptionChange(isSubscribed: true, topic: Array("jobs\0".utf8)))
        try first.unsubscribe(Array("jobs\0".utf8))
        try second.unsubscribe(Array("jobs\0".utf8))
        #expect(try waitReadable(publisher))
        #expect(try publisher.receiveSubscription()?.isSubscribed == false)
        #expect(try publisher.receiveSubscription() == nil)
    }

    @Test("a subscriber gets its topics in order and no others")
    func topics() throws {
        let context = try Context()
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.bind("inproc://topics")
        let subscriber = try Socket<Subscriber>(context)
        try subscriber.connect("inproc://topics")
        try subscriber.subscribe([1, 0])
        #expect(try waitReadable(publisher))
        #expect(try publisher.receiveSubscription()?.topic == [1, 0])
        try publisher.publish(topic: [2, 0], payload: [99])
        try publisher.publish(topic: [1, 0], payload: [1])
        try publisher.publish(topic: [1, 0], payload: [])
        #expect(try waitReadable(subscriber))
        #expect(try subscriber.receive() == Publication(topic: [1, 0], payload: [1]))
        #expect(try subscriber.receive() == Publication(topic: [1, 0], payload: []))
        #expect(try subscriber.receive() == nil)
    }

    @Test("a publication that was looked at and not received comes whole, though its connection has broken and another one was made")
    func brokenConnection() throws {
        let folder = try TemporaryFolder()
        let endpoint = "ipc://\(folder.path)/changes"
        let context = try Context()
        let subscriber = try Socket<Subscriber>(context)
        var sheet = OptionSheet()
        sheet.reconnectInterval = .milliseconds(10)
        try subscriber.apply(sheet)
        try subscriber.subscribe([])
        try subscriber.connect(endpoint)
        try publishOnce(context, endpoint, to: subscriber)
        let next = try Socket<ExtendedPublisher>(context)
        try next.bind(endpoint)
        try waitSubscribed(next, by: subscriber)
        #expect(try waitReadable(subscriber))
        #expect(try subscriber.receive() == Publication(topic: [1], payload: [2]))
        #expect(try subscriber.receive() == nil)
    }

    /// A publisher that ends as soon as its publication was looked at.
    private func publishOnce(_ context: Context, _ endpoint: String, to subscriber: borrowing Socket<Subscriber>) throws {
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.set(.linger, to: .seconds(5))
        try publisher.bind(endpoint)
        try waitSubscribed(publisher, by: subscriber)
        try publisher.publish(topic: [1], payload: [2])
        #expect(try waitReadable(subscriber))
    }

    /// Waits for a subscription; the subscriber looks for publications meanwhile, as a loop does: without that it says nothing.
    private func waitSubscribed(_ publisher: borrowing Socket<ExtendedPublisher>, by subscriber: borrowing Socket<Subscriber>) throws {
        var poller = Poller()
        var looker = Poller()
        _ = try poller.add(publisher)
        _ = try looker.add(subscriber)
        let end = ContinuousClock.now + gracePeriod
        while try poller.wait(upTo: .milliseconds(10)) == 0, ContinuousClock.now < end { _ = try looker.wait(upTo: .zero) }
        #expect(try publisher.receiveSubscription() != nil)
    }

    @Test("a stuck subscriber loses messages and a healthy one none")
    func slowSubscriber() throws {
        let context = try Context()
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.apply(.publisher(sendHighWaterMark: 5))
        try publisher.bind("inproc://slow")
        let stuck = try Socket<Subscriber>(context)
        let healthy = try Socket<Subscriber>(context)
        for subscriber in [0, 1] {
            if subscriber == 0 {
                try stuck.apply(OptionSheet(receiveHighWaterMark: 5))
                try stuck.connect("inproc://slow")
                try stuck.subscribe([])
            } else {
                try healthy.apply(OptionSheet(receiveHighWaterMark: 5))
                try healthy.connect("inproc://slow")
                try healthy.subscribe([])
            }
            #expect(try waitReadable(publisher))
            #expect(try publisher.receiveSubscription() != nil)
        }
        var received = 0
        for number in 0..<100 {
            try publisher.publish(topic: [0], payload: [UInt8(number)])
            if try healthy.receive()?.payload == [UInt8(number)] { received += 1 }
            // A look at the queue also takes in what the healthy one has read, which makes room again.
            #expect(try publisher.receiveSubscription() == nil)
        }
        #expect(received == 100)
        var kept = 0
        while try stuck.receive() != nil { kept += 1 }
        #expect(kept == 10)
    }

    @Test("a message that is no subscription is dropped and counted")
    func rubbish() throws {
        enum XSub: ExchangesMessages {
            static let kind: Int32 = 10
            static let name = "xsub"
        }
        let context = try Context()
        let publisher = try Socket<ExtendedPublisher>(context)
        try publisher.bind("inproc://rubbish")
        let peer = try Socket<XSub>(context)
        try peer.connect("inproc://rubbish")
        #expect(try peer.send([7, 7]) == .sent)
        #expect(try peer.send([1, 42]) == .sent)
        #expect(try waitReadable(publisher))
        #expect(try publisher.receiveSubscription() == SubscriptionChange(isSubscribed: true, topic: [42]))
        #expect(publisher.malformedCount == 1)
    }
}
