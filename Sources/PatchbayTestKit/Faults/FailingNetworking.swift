public import HTTPTypes
public import PatchbayCore

/// A network that fails where a plan says so, around one that works: for testing sources and layers.
public struct FailingNetworking: Networking {
    /// What can fail.
    public enum Operation: String, Sendable, CaseIterable {
        /// The request does not reach the server.
        case send
        /// The server did what was asked, but its answer is lost.
        case answer
        /// The answer's body ends in its middle, and nobody says so; the error of the plan is not thrown.
        case body
        case close
    }

    private let inner: any Networking
    private let plan: FaultPlan<Operation>

    public init(_ inner: any Networking, _ plan: FaultPlan<Operation>) {
        self.inner = inner
        self.plan = plan
    }

    public func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        try await plan.begin(.send)
        var response = try await inner.send(request, body: body)
        try await plan.begin(.answer)
        do {
            try await plan.begin(.body)
        } catch {
            // The fault is the half body.
            response.body.removeLast(response.body.count - response.body.count / 2)
        }
        return response
    }

    /// Closes the network below even when it is to fail.
    public func close() async throws {
        try await inner.close()
        try await plan.begin(.close)
    }
}
