//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore

/// Tells when a connection is gone, also while an answer is waited for.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let state: OriginState

    init(state: OriginState) {
        self.state = state
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // A client that closes sends the same as one that closes only its own direction, and no real client does the latter:
        // without this a closed connection would look alive until the next write.
        context.channel.setOption(.allowRemoteHalfClosure, value: false).whenFailure { _ in }
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.connectionClosed(ObjectIdentifier(context.channel))
        context.fireChannelInactive()
    }
}
