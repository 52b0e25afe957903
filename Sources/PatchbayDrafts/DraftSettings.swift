import PatchbayCore
import PatchbayDomain

/// Variables that stand for the caller's own account, because nearly every path of a document begins with them:
/// `/stores/{store_hash}/products`.
///
/// Such a variable becomes a setting of the definition. Until the draft is written out, a marked word without braces is
/// in its place, so that it counts as a part of the path that is always the same.
struct DraftSettings {
    /// In the order of the path.
    private(set) var names: [String] = []
    /// The answers with marked words in their addresses.
    private(set) var samples: [DraftSample]

    /// Fewer answers do not show a rule.
    private static let answersMin = 3

    init(_ samples: [DraftSample]) {
        self.samples = samples
        guard samples.contains(where: \.isDescribed) else { return }
        while let front = front() { mark(front) }
    }

    /// The parts of nearly every path up to a variable that no list of the document provides.
    private func front() -> [String]? {
        let addresses = samples.compactMap { $0.address?.segments }
        let listed = Set(addresses.map { DraftSettings.stems($0[...]) })
        var counts: [[String]: Int] = [:]
        for segments in addresses {
            guard let place = segments.firstIndex(where: { DraftGroup.Segment($0).isDeclared }),
                // The list has a name of its own after the variable.
                segments[(place + 1)...].contains(where: DraftSettings.isNoun)
            else { continue }
            counts[Array(segments[...place]), default: 0] += 1
        }
        guard let (front, count) = counts.max(by: { $0.value < $1.value }), count >= Self.answersMin,
            count * 10 >= addresses.count * 9, !listed.contains(DraftSettings.stems(front.dropLast())),
            DraftSettings.name(front[front.count - 1]).map({ !names.contains($0) }) ?? false
        else { return nil }
        return front
    }

    /// Parts as they are compared: `/Accounts.json` lists what the variable in `/Accounts/{sid}/Calls.json` names.
    private static func stems(_ segments: ArraySlice<String>) -> [String] {
        let parts = segments.map { DraftGroup.Segment($0) }
        return DraftRelations.stems(parts.last?.text == "" ? parts.dropLast() : parts)
    }

    private static func isNoun(_ segment: String) -> Bool {
        !segment.isEmpty && !DraftGroup.Segment(segment).isDeclared && !DraftPath.isVersion(segment)
    }

    /// The name of the setting for a part that is one variable; nil for another part, and for a secret.
    private static func name(_ segment: String) -> String? {
        let part = DraftGroup.Segment(segment)
        guard let name = part.name, part.before.isEmpty, part.after.isEmpty,
            !Template.reservedWords.contains(name), !SecretNames.isSecret(parameter: name),
            !SecretNames.isSecret(parameter: name.withUnderscores), !DraftPath.mayBeCredential(name)
        else { return nil }
        return name
    }

    private mutating func mark(_ front: [String]) {
        guard let name = front.last.flatMap(DraftSettings.name) else { return }
        names.append(name)
        for place in samples.indices {
            guard let address = samples[place].address, address.segments.starts(with: front) else { continue }
            let rest = address.segments.dropFirst(front.count)
            let path = DraftPath.fixed(front.dropLast() + [DraftSettings.marked(name)] + rest)
            samples[place].address = HTTPAddress(address.origin + path)
        }
    }

    /// A setting in an address that is not written out yet, where it has to look like a part of a name.
    static func marked(_ setting: String) -> String { "setting--\(setting)--" }

    /// Whether a part of a path is a marked setting.
    static func isMarked(_ segment: String) -> Bool {
        segment.hasPrefix("setting--") && segment.hasSuffix("--")
    }

    /// The text with its settings in braces.
    static func written(_ text: String, _ settings: some Sequence<String>) -> String {
        settings.reduce(text) { $0.replacing(marked($1), with: "{\($1)}") }
    }
}
