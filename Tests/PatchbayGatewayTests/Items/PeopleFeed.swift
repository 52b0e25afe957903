import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

@testable import PatchbayGateway

/// A feed of people and their pictures. It validates, redirects and fails as an API does, and records its requests.
final class PeopleFeed: ResourceFeed, PictureSource {
    private struct State {
        var people: [Person]
        var pictures: [String: Picture] = [:]
        var redirects: [String: String] = [:]
        var requests: [String] = []
        var failure: PatchbayError?
        var answersBeforeFailure = 0
        var running = 0
        var most = 0
        var meanwhile: (@Sendable () async throws -> Void)?
    }

    private let state: Mutex<State>

    init(_ people: [Person]) { state = Mutex(State(people: people)) }

    /// `person HANDLE`, `picture ADDRESS`: each with `if changed` when it is conditional, and with `since` when it is
    /// with a date.
    var requests: [String] { state.withLock { $0.requests } }
    /// The greatest number of concurrent requests.
    var most: Int { state.withLock { $0.most } }

    func change(_ body: (inout [Person]) -> Void) { state.withLock { body(&$0.people) } }
    func changePictures(_ body: (inout [String: Picture]) -> Void) { state.withLock { body(&$0.pictures) } }

    func rename(_ id: Int64, to handle: String, redirects: Bool = true) {
        state.withLock { state in
            let place = state.people.firstIndex { $0.id == id }!
            state.redirects[state.people[place].handle.lowercased()] = redirects ? handle : nil
            state.redirects[handle.lowercased()] = nil
            state.people[place].handle = handle
        }
    }

    func redirect(_ handle: String, to other: String?) { state.withLock { $0.redirects[handle] = other } }

    /// Fails every request after the given number of answers; nil ends the failures.
    func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        state.withLock { ($0.failure, $0.answersBeforeFailure) = (error, count) }
    }

    /// Runs after each answer, before it is returned.
    func interrupt(_ meanwhile: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.meanwhile = meanwhile }
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        throw PatchbayError(.unsupported, "no test of single rows asks for a list")
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        let person = try await answer("person \(handle)", validator) { state in
            let handle = state.redirects[handle.lowercased()] ?? handle
            return state.people.first { $0.handle.lowercased() == handle.lowercased() }
        }
        guard let person else { return .unchanged }
        return .changed(try Item(encoding: person.0, of: resource), person.1)
    }

    func picture(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Picture> {
        let picture = try await answer("picture \(url)", validator) { $0.pictures[url] }
        return picture.map { .changed($0.0, $0.1) } ?? .unchanged
    }

    /// Returns nil when the validator matches the value.
    private func answer<Value: Hashable & Sendable>(
        _ request: String, _ validator: Validator, _ find: (State) -> Value?
    ) async throws -> (Value, Validator)? {
        try state.withLock { state in
            let condition =
                (validator.entityTag == nil ? "" : " if changed")
                + (validator.lastModified.map { " since \($0)" } ?? "")
            state.requests.append(request + condition)
            if let failure = state.failure {
                guard state.answersBeforeFailure > 0 else { throw failure }
                state.answersBeforeFailure -= 1
            }
            state.running += 1
            state.most = max(state.most, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        for _ in 0..<20 { await Task.yield() }
        let (value, meanwhile) = state.withLock { (find($0), $0.meanwhile) }
        try await meanwhile?()
        guard let value else { throw PatchbayError(.notFound, "there is no \(request)") }
        let entityTag = "\"\(value.hashValue)\""
        if validator.entityTag == entityTag { return nil }
        return (value, Validator(entityTag: entityTag, lastModified: "yesterday"))
    }
}
