//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore

/// One connection of a `SocketServer`.
final class SocketAnswerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: [String: SocketServer.Answer]
    private let asked: AsyncStream<String>.Continuation
    private let closed: AsyncStream<String>.Continuation
    private var head = ""
    private var path: String?
    private var endless: String?

    init(_ answers: [String: SocketServer.Answer], asked: AsyncStream<String>.Continuation, closed: AsyncStream<String>.Continuation) {
        self.answers = answers
        self.asked = asked
        self.closed = closed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard path == nil else { return }
        head += String(buffer: unwrapInboundIn(data))
        guard head.contains("\r\n\r\n") else { return }
        let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        self.path = path
        asked.yield(head)
        switch answers[path] {
        case .whole(let text):
            let channel = context.channel
            channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
        case .hanging(let text): write(text, context)
        case .held(let text, let until, let rest):
            write(text, context)
            let channel = context.channel
            until.whenSuccess {
                channel.writeAndFlush(ByteBuffer(string: rest)).whenComplete { _ in channel.close(promise: nil) }
            }
        case .endless(let head, let part):
            endless = part
            write(head, context)
            writeMore(context)
        case nil: write("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found", context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { writeMore(context) }

    func channelInactive(context: ChannelHandlerContext) {
        endless = nil
        closed.yield(path ?? "")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func writeMore(_ context: ChannelHandlerContext) {
        guard let endless else { return }
        while context.channel.isWritable, context.channel.isActive { write(endless, context) }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
