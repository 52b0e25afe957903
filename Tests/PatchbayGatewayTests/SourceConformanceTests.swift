import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@Suite("conformance suite of sources")
struct SourceConformanceTests {
    private static let users = ScriptedUserSource.users(1...45)

    @Test("a source without a fault keeps every promise", arguments: SourceConformance.promises)
    func faultless(_ promise: SourcePromise) async throws {
        let conformance = SourceConformance { ScriptedUserSource(users: Self.users) }
        #expect(try await conformance.check(promise) == .kept)
    }

    @Test("each fault breaks a promise of its topic", arguments: FaultyUserSource.Fault.allCases)
    func caught(_ fault: FaultyUserSource.Fault) async throws {
        let conformance = SourceConformance {
            FaultyUserSource(ScriptedUserSource(users: Self.users), fault)
        }
        for promise in SourceConformance.promises where promise.topic == fault.topic {
            do {
                try await conformance.check(promise)
            } catch let broken as BrokenPromise {
                return #expect(broken.promise == promise.description)
            }
        }
        Issue.record("no promise of the topic \(fault.topic) broke")
    }

    @Test("what a source does not offer is skipped, and the plan says why")
    func plan() async throws {
        let plan = SourceConformance.describePlan(for: [.wholeList, .validators])
        #expect(plan.contains("checked  list: the pages lead to the end"))
        #expect(plan.contains("skipped  details: an unknown login"))
        #expect(plan.contains("the source does not offer details"))
        let conformance = SourceConformance(features: []) { ScriptedUserSource(users: Self.users) }
        for promise in SourceConformance.promises where promise.reasonToSkip(for: []) != nil {
            guard case .skipped = try await conformance.check(promise) else {
                Issue.record("\(promise) was checked")
                continue
            }
        }
    }
}

/// A source with one fault, around one without.
struct FaultyUserSource: UserSource {
    enum Fault: CaseIterable {
        case reversesPages, ignoresThePosition, repeatsAUser, confirmsAnything, confirmsNothing, neverEnds
        case mixesUpUsers, answersForAnybody, tellsUnstorableText, answersAnyLink, throwsItsOwnError

        var topic: String {
            switch self {
            case .mixesUpUsers, .answersForAnybody: "details"
            case .tellsUnstorableText: "records"
            case .answersAnyLink, .throwsItsOwnError: "errors"
            default: "list"
            }
        }
    }

    private struct OwnError: Error {}

    private let inner: ScriptedUserSource
    private let fault: Fault

    init(_ inner: ScriptedUserSource, _ fault: Fault) {
        self.inner = inner
        self.fault = fault
    }

    func users(_ page: UserPageRequest, ifChangedFrom validator: Validator) async throws -> Fetched<UserPage>
    {
        var page = page, validator = validator
        switch (fault, page) {
        case (.ignoresThePosition, .first): page = .after(0)
        case (.answersAnyLink, .next): page = .after(0)
        case (.throwsItsOwnError, .next): throw OwnError()
        default: break
        }
        if fault == .confirmsAnything, validator != Validator() { return .unchanged }
        if fault == .confirmsNothing { validator = Validator() }
        guard case .changed(var users, let fresh) = try await inner.users(page, ifChangedFrom: validator)
        else { return .unchanged }
        switch fault {
        case .reversesPages: users.items.reverse()
        case .repeatsAUser: if let user = users.items.last { users.items.append(user) }
        case .neverEnds: if users.next == nil { users.next = "0" }
        case .tellsUnstorableText: for at in users.items.indices { users.items[at].htmlURL = "a\u{0}b" }
        default: break
        }
        return .changed(users, fresh)
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let asked = fault == .answersForAnybody && login.hasPrefix("nobody") ? "user-1" : login
        guard case .changed(var user, let fresh) = try await inner.user(asked, ifChangedFrom: validator)
        else { return .unchanged }
        if fault == .mixesUpUsers { user.id += 1 }
        return .changed(user, fresh)
    }
}
