import PatchbayCore
public import PatchbayDomain

/// Gives a stored user a name that stands beside the upstream one and is shown instead of it.
///
/// The name belongs to the user, not to the login: it stays whatever the source tells later, a new name and a new
/// login too. An edit to the name that is shown already changes nothing.
public struct EditUser: Sendable {
    let store: Store

    /// - Parameter name: normalised as `EditedName` says.
    /// - Throws: `notFound` when the user is not stored, `invalidValue` for a name that cannot be one.
    @discardableResult
    public func callAsFunction(_ login: String, name: String) async throws -> Edited<StoredUser> {
        let name = try EditedName(name)
        return try await store.edit(login) { user in
            if !name.isSpelled(user.name) { user.nameOverride = name.text }
        }
    }
}

extension Store {
    /// Changes what was edited of a user. A change that changes nothing is no write.
    func edit(_ login: String, _ change: @Sendable (inout User) -> Void) async throws -> Edited<StoredUser> {
        let stored = try await read { try $0.requireUser(login) }
        guard stored.isChanged(by: change) else { return Edited(value: stored, hasChanged: false) }
        return try await write { writing in
            var user = try writing.reading.requireUser(login)
            guard user.isChanged(by: change) else { return Edited(value: user, hasChanged: false) }
            change(&user.user)
            try writing.put(user)
            return Edited(value: user, hasChanged: true)
        }
    }
}

extension StoredUser {
    fileprivate func isChanged(by change: (inout User) -> Void) -> Bool {
        var changed = user
        change(&changed)
        guard let old = user.nameOverride, let new = changed.nameOverride else {
            return user.nameOverride != changed.nameOverride
        }
        return !old.utf8.elementsEqual(new.utf8)
    }
}

extension Reading {
    /// The stored user with a login.
    ///
    /// - Throws: `notFound` when there is none.
    func requireUser(_ login: String) throws -> StoredUser {
        guard let user = try user(named: login) else {
            throw PatchbayError(
                .notFound,
                "user \"\(login)\" is not stored; fetch the user with \"patchbay users show LOGIN\" first")
        }
        return user
    }
}
