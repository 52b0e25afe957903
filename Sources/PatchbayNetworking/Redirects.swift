package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Follows redirects of a GET or HEAD: 301, 302, 303, 307 and 308 with a `Location`; the method stays the same (RFC
/// 9110, section 15.4). A 304 is not a redirect, whatever fields it has.
///
/// - Hops are limited, do not loop and stay at one origin, because the answer of another scheme, host or port is not
///   the requested server's. A redirect to another origin is returned as it is, and the source decides.
/// - The newest ``rememberedMax`` permanent redirects (301) are remembered for the life of the layer and cost no
///   further request. A request with `Cache-Control: no-cache` ignores them. When a remembered target is missing (404,
///   410) or redirects in a loop, it is forgotten and the request is sent to the old address.
/// - An entity tag is sent along a remembered 301, because it came with the target's answer. Dates are not, and a new
///   redirect keeps no validators.
package final class Redirects: NetworkingLayer {
    /// The maximum number of permanent redirects that are remembered.
    package static let rememberedMax = 1_000

    private let hopsMax: Int
    private let log: RequestLog?
    private let memory = Mutex(RedirectMemory(countMax: rememberedMax))

    /// Creates a layer that remembers no redirects yet. The log receives an entry for each remembered one that is used.
    package init(hopsMax: Int = 5, log: RequestLog? = nil) {
        self.hopsMax = hopsMax
        self.log = log
    }

    /// - Throws: `invalidResponse` when the redirects form a loop, exceed the limit of hops, or point to something that
    ///   is not an address.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            return try await next.send(request, body: body)
        }
        var trail = Trail(hopsMax: hopsMax)
        do {
            let response = try await follow(request, &trail, usesMemory: !request.isPastCaches, next)
            let isGone = response.head.status == .notFound || response.head.status == .gone
            guard isGone, !trail.remembered.isEmpty else { return response }
        } catch  where trail.isStuck && !trail.remembered.isEmpty {
            // The server may have moved the resource back since.
        }
        let wrong = trail.remembered
        memory.withLock { memory in for address in wrong { memory.forget(address) } }
        trail = Trail(hopsMax: hopsMax)
        return try await follow(request, &trail, usesMemory: false, next)
    }
}

extension Redirects {
    private func follow(
        _ request: HTTPRequest, _ trail: inout Trail, usesMemory: Bool, _ next: any Networking
    ) async throws -> Response {
        var request = request
        while true {
            let origin = HTTPAddress(of: request)
            if usesMemory, let target = memory.withLock({ $0.target(of: origin.text) }) {
                trail.remembered.append(origin.text)
                log?.remembered(request)
                try trail.step(from: origin, to: target)
                request = request.moved(to: target, isRemembered: true)
                continue
            }
            let response = try await next.send(request, body: [])
            guard let target = response.redirectTarget else { return response }
            let address = try trail.address(target, from: origin)
            guard address.origin == origin.origin else { return response }
            try trail.step(from: origin, to: address)
            if response.head.status == .movedPermanently {
                memory.withLock { $0.remember(address, for: origin.text) }
            } else {
                memory.withLock { $0.forget(origin.text) }
            }
            request = request.moved(to: address, isRemembered: false)
        }
    }
}

/// The hops of one request.
private struct Trail {
    let hopsMax: Int
    /// The addresses whose redirects were remembered, so that no request was sent to them.
    var remembered: [String] = []
    /// Whether the redirects cannot be followed.
    private(set) var isStuck = false
    private var visited: Set<String> = []

    init(hopsMax: Int) { self.hopsMax = hopsMax }

    /// Returns the address that a `Location` refers to.
    mutating func address(_ target: String, from origin: HTTPAddress) throws -> HTTPAddress {
        guard let address = origin.resolving(target) else {
            throw failure("points to \"\(target)\", which is not an address", origin)
        }
        return address
    }

    mutating func step(from origin: HTTPAddress, to address: HTTPAddress) throws {
        visited.insert(origin.text)
        guard !visited.contains(address.text) else { throw failure("leads into a loop", origin) }
        guard visited.count <= hopsMax else { throw failure("leads to more than \(hopsMax) hops", origin) }
    }

    private mutating func failure(_ problem: String, _ address: HTTPAddress) -> PatchbayError {
        isStuck = true
        return PatchbayError(
            .invalidResponse, SecretFilter().cleaned("the redirect of \"\(address.text)\" \(problem)"))
    }
}

/// The newest permanent redirects.
private struct RedirectMemory {
    let countMax: Int
    private var targets: [String: HTTPAddress] = [:]
    /// The addresses in order of arrival.
    private var order: [String] = []

    init(countMax: Int) { self.countMax = countMax }

    func target(of address: String) -> HTTPAddress? { targets[address] }

    mutating func remember(_ target: HTTPAddress, for address: String) {
        if targets.updateValue(target, forKey: address) != nil { return }
        order.append(address)
        if order.count > countMax { targets[order.removeFirst()] = nil }
    }

    mutating func forget(_ address: String) {
        guard targets.removeValue(forKey: address) != nil else { return }
        order.removeAll { $0 == address }
    }
}

extension Response {
    /// The target of a redirect; nil for any other answer.
    fileprivate var redirectTarget: String? {
        switch head.status.code {
        case 301, 302, 303, 307, 308: head.headerFields[.location]
        default: nil
        }
    }
}

extension HTTPRequest {
    fileprivate func moved(to address: HTTPAddress, isRemembered: Bool) -> HTTPRequest {
        var request = self
        request.path = address.path
        request.headerFields[.ifModifiedSince] = nil
        if !isRemembered { request.headerFields[.ifNoneMatch] = nil }
        return request
    }
}
