package import HTTPTypes
package import PatchbayCore

/// Refuses requests beyond the budget of the client whose call causes them (`RequestMeter`). ``Log`` counts those that
/// are sent.
///
/// The layer is above ``Coalescing``, so that a client whose budget is used up does not fail the requests of others
/// that share an answer. An attempt that is repeated counts, but is not refused.
package struct Metering: NetworkingLayer {
    /// Creates the layer, which needs no options.
    package init() {}

    /// Passes the request on, unless the budget is used up.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard let meter = RequestMeter.current else { return try await next.send(request, body: body) }
        try meter.begin()
        defer { meter.end() }
        return try await next.send(request, body: body)
    }
}
