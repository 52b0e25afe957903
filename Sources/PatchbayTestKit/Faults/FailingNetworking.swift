package import HTTPTypes
package import PatchbayCore

/// A network that wraps another and fails as planned, for testing sources and layers.
package struct FailingNetworking: Networking {
    /// The operations that can fail.
    package enum Operation: String, Sendable, CaseIterable {
        /// The request does not reach the server.
        case send
        /// The server has handled the request, but its answer is lost.
        case answer
        /// The answer's body ends halfway without an error; the error of the plan is not thrown.
        case body
        /// The wrapped network is closed, and then the error is thrown.
        case close
    }

    private let inner: any Networking
    private let plan: FaultPlan<Operation>

    /// Wraps a network; the test keeps the plan to set faults and to read the counts.
    package init(_ inner: any Networking, _ plan: FaultPlan<Operation>) {
        self.inner = inner
        self.plan = plan
    }

    /// Sends the request through the wrapped network, unless the plan fails `send`; loses the answer for `answer`, and
    /// returns half of its body for `body`.
    package func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        try await plan.begin(.send)
        var response = try await inner.send(request, body: body)
        try await plan.begin(.answer)
        do {
            try await plan.begin(.body)
        } catch {
            // The failure is the truncated body, so the error is not thrown.
            response.body.removeLast(response.body.count - response.body.count / 2)
        }
        return response
    }

    /// Closes the wrapped network even when the operation is to fail.
    package func close() async throws {
        try await inner.close()
        try await plan.begin(.close)
    }
}
