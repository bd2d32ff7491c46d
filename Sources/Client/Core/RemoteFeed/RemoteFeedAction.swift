//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// What the driver of a remote feed is to do, in order.
enum RemoteFeedAction<Value: Hashable & Sendable>: Hashable {
    /// Publish this state.
    case show(LoadingState<Value>)
    /// Publish whether what is shown is the front's state now.
    case verify(Bool)
    /// Begin to follow the feed: attach, and observe its topics.
    case follow
    /// End what `follow` began, and everything under way for it.
    case leave
    /// Read a page; report it with `pageRead`. It takes the place of an earlier one.
    case read(PageTarget)
    /// The call is over: end its request and let its caller go on.
    case finish(RemoteFeedCall.ID)
    /// Call `gracePeriodEnded` for the call a little later.
    case limitGracePeriod(RemoteFeedCall.ID)
}
