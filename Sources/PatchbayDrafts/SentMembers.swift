import PatchbayDomain
import PatchbayJSON

/// The parameters in which one request sent all values of an array or an object that another answer contains.
struct SentMembers {
    /// The parameter that contained them in a JSON body; nil when each member of the object was a parameter.
    let parameter: String?
    /// The names of the parameters, which are paths in a JSON body.
    let names: [String]

    /// Nil when no request sent them, or the request for this answer itself. Single values are found without this.
    init?(_ value: JSONValue, after sample: DraftSample, _ samples: [DraftSample]) {
        let values = value.parameters()
        guard let first = values.first?.name, values.count > (value.isObject ? 1 : 0),
            !values.contains(where: { DraftPaging.isCounter($0.name) })
        else { return nil }
        func has(_ request: DraftSample, below place: String) -> Bool {
            values.allSatisfy { name, value in
                request.parameters.contains { $0.name == place + name && $0.value == value }
            }
        }
        for request in samples {
            for (name, _) in request.parameters where name == first || name.hasSuffix("/" + first) {
                let place = String(name.dropLast(first.count)), parameter = String(place.dropLast())
                let all = request.parameters.count { $0.name.hasPrefix(place) }
                let isSpelled =
                    place.isEmpty
                    ? value.isObject
                    : request.send == .json && DraftPaging.isWord(parameter) && all == values.count
                guard isSpelled, has(request, below: place), !has(sample, below: place) else { continue }
                self.parameter = place.isEmpty ? nil : parameter
                names = values.map { place + $0.name }
                return
            }
        }
        return nil
    }
}
