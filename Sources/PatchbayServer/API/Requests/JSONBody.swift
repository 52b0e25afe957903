import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// The body of a request, which is a JSON object.
enum JSONBody {
    /// Reads the members of the object, each of which occurs once.
    ///
    /// - Parameter content: what the object must have, for messages: `at least one field to edit`.
    /// - Throws: `Problem` for anything else.
    static func members(
        of body: [UInt8], with content: String
    ) throws(Problem) -> [(name: String, value: JSONValue)] {
        let value: JSONValue
        do { value = try JSONValue(body) } catch {
            throw Problem(
                .badRequest, .invalidValue, "the body is not JSON: \(error); send an object with \(content)")
        }
        guard !JSONText.hasHalfPair(in: body) else {
            throw Problem(
                .badRequest, .invalidValue,
                "the body contains half of a surrogate pair, such as \\ud800 alone, which is not a character; "
                    + "send both halves or remove it")
        }
        guard case .object(let members) = value else { throw notAnObject(with: content) }
        var names: Set<[UInt8]> = []
        if let twice = members.first(where: { !names.insert(Array($0.name.utf8)).inserted })?.name {
            throw .invalid(twice, "the member occurs twice in the body; send it once")
        }
        return members
    }

    static func notAnObject(with content: String) -> Problem {
        Problem(.badRequest, .invalidValue, "the body is not a JSON object with \(content)")
    }
}
