package import PatchbayCore

extension Definition {
    /// Reads a definition from a configuration file.
    ///
    /// # The API
    ///
    ///     format = 1                      the version of this grammar; 1 when absent
    ///     api = WORD                      the prefix of its collections: slack_users
    ///     summary = TEXT                  one line for lists of sources
    ///     base-url = URL                  overridden by source.base-url
    ///     setting.NAME = TEXT             {NAME} in addresses and headers is one of source.settings; TEXT describes it
    ///     auth = bearer | basic | header NAME [PREFIX] | query NAME | none
    ///     auth-second = as auth           how source.second-token is sent, for an API with two secrets
    ///     header.NAME = TEXT              sent with every request; never a secret
    ///     hosts = HOST ...                hosts of recordings; * is any characters. The base URL's when absent
    ///     check = PATH                    the address that `doctor` requests
    ///     rate = N/second|minute|hour     a pace that the API does not report in headers
    ///     case = ignored                  requests that differ only in letter case mean the same
    ///     error = PATH | not PATH | none  an answer below 400 that is an error
    ///     error.text = PATH ...           the text or number of an error: the first path, then further details
    ///     error.wait = PATH               the time to wait before the next request
    ///     error.MEANING = WORDS           texts or statuses: unauthorized, permission-denied, not-found, removed,
    ///                                     rate-limited, offline, invalid-value, restart
    ///
    /// # A resource NAME
    ///
    ///     NAME.path = /PATH?QUERY         {x} is an argument; {other.field} sends a request per stored row of `other`;
    ///                                     {after} is where a request starts in an ordered list; {since:FORM} and
    ///                                     {until:FORM} are the times between which rows are requested
    ///     NAME.path.VIEW = /PATH?QUERY    a further list
    ///     NAME.from = {other.field}       in place of a path: the rows are in this field of each row of `other`
    ///     NAME.each = ARGUMENT VALUE ...  the values of an argument for which `sync` fetches the list
    ///     NAME.noun = SINGULAR PLURAL     for messages; NAME without its final s, and NAME, when absent
    ///     NAME.send = query | form | json where the query's parameters go
    ///     NAME.rows = PATH                where the rows are: an array, or one row; the whole body when absent.
    ///                                     data/1: are the elements of data from index 1 on; items? may be missing
    ///     NAME.key = FIELD ...            the fields that identify a row
    ///     NAME.key-scope = api            the key identifies a row in all lists, whatever their arguments and parents
    ///     NAME.handle = FIELD [A/B]       how people refer to a row, with the names of its parts
    ///     NAME.title = FIELD ...          the fields that are shown first and searched locally
    ///     NAME.columns = FIELD[|FIELD][:TITLE[:CHARACTERS]] ...   the columns of a table; _ in a title is a space
    ///     NAME.hidden = FIELD ...         fields that are shown to people only on request
    ///     NAME.website = FIELD            the address that `show --open` prints
    ///     NAME.favourite = FIELD ...      the fields of a list of favourites
    ///     NAME.find = FIELD ...           the fields whose words `find` finds
    ///     NAME.find-tokens = trigram      finds parts of words
    ///     NAME.field.F = TYPE[:BYTES][?] [PATH | {other.field} | {argument} | @key | @place]
    ///                                     text integer real boolean time json. With ? a value of another type is null;
    ///                                     a text with :BYTES is cut at a character. A path with * collects all values;
    ///                                     its names are percent-encoded: fields/Due%20Date
    ///     NAME.show = /PATH/{handle}      the address of a single row
    ///     NAME.show-row = PATH            where the row is in that answer; the whole body when absent
    ///     NAME.detail.F = TYPE [PATH]     a field that lists may leave out
    ///     NAME.search = /PATH?q={text}    with search-rows, search-total, search-incomplete (paths), search-next and
    ///                                     search-end (as next and end) and search-cap = N [STATUS TEXT]
    ///     NAME.edit = FIELD ...           text fields that may be overridden locally
    ///     NAME.picture = FIELD            the address of the avatar
    ///     NAME.index.I = [unique] FIELD[:nocase] ...
    ///     NAME.next = link | none | url PATH | cursor PARAM PATH [alone]
    ///                 | last PARAM FIELD [included] | page PARAM [FIRST] | offset PARAM | header PARAM NAME
    ///                 cursor * PATH sends each member of the cursor
    ///     NAME.total = PATH | none        where an answer counts the rows of the whole list
    ///     NAME.end = [empty] [PATH] [not PATH] [STATUS [TEXT]]
    ///     NAME.order = FIELD              lists come in ascending order of this integer, above zero
    ///     NAME.since = [PARAM] FIELD [iso8601|date|seconds|milliseconds|yyyy-MM-dd HH:mm]
    ///     NAME.since-start = 2015-01-01   where the first sync begins
    ///     NAME.window = 30d               requests such periods one after another
    ///     NAME.where = [not] PATH | PATH = VALUE | PATH != VALUE     the rows of a list that are kept
    ///     NAME.fresh = 30s|5m|1h|7d|forever
    ///     NAME.rate = N/second|minute|hour
    ///     NAME.within = FIELD             a complete list contains all rows with the same value of this field
    ///     NAME.unsure = FIELD             a boolean of rows that a list may leave out although they exist
    ///     NAME.changed = {other.field}    the parent's field that reports when this list last changed
    ///
    /// - Returns: the definition and an `invalidConfiguration` with file and line for each fault, in the order of the
    ///   lines. The definition is nil when there is a fault.
    package static func reading(
        _ file: ConfigurationFile
    ) -> (definition: Definition?, faults: [PatchbayError]) {
        var reader = DefinitionReader(file)
        let definition = reader.read()
        let faults = reader.faults.errors
        return (faults.isEmpty ? definition : nil, faults)
    }

    /// - Throws: `invalidConfiguration` for the first fault that ``reading(_:)`` finds.
    package init(_ file: ConfigurationFile) throws {
        let (definition, faults) = Definition.reading(file)
        if let fault = faults.first { throw fault }
        self = definition!
    }

    /// Reads the text of a definition and returns the faults of its lines.
    package static func reading(
        path: String, bytes: [UInt8]
    ) -> (definition: Definition?, faults: [PatchbayError]) {
        let (file, unreadable) = ConfigurationFile.reading(path: path, bytes: bytes)
        // Without any readable line, the first fault is the only one.
        if file.entries.isEmpty, !unreadable.isEmpty { return (nil, unreadable) }
        let (definition, faults) = reading(file)
        return (unreadable.isEmpty ? definition : nil, unreadable + faults)
    }
}

/// Reads the keys of the API, and passes those of each resource to a ``ResourceReader``.
struct DefinitionReader {
    typealias Entry = ConfigurationFile.Entry

    let entries: [Entry]
    var definition = Definition(api: "", resources: [])
    var faults: DefinitionFaults

    static let keys = [
        "format", "api", "summary", "base-url", "auth", "hosts", "check", "rate", "case", "error",
        "error.text", "error.wait", "auth-second",
    ]
    /// First words of keys that do not belong to a resource.
    static let groups: Set<String> = ["header", "error", "setting"]

    init(_ file: ConfigurationFile) {
        entries = file.entries
        faults = DefinitionFaults(path: file.path)
    }

    mutating func read() -> Definition {
        var ofResources: [(name: String, entries: [Entry])] = [], secretLines: Set<Int> = []
        // Any address may contain a setting that is declared on a later line.
        for entry in entries where entry.key.hasPrefix("setting.") { readSetting(entry) }
        for entry in entries {
            let problem = DefinitionSecrets.problem(of: entry)
            if let problem {
                faults.add(entry, problem)
                secretLines.insert(entry.line)
            }
            let group = String(Substring(entry.key.utf8.prefix { $0 != UInt8(ascii: ".") }))
            if DefinitionReader.keys.contains(entry.key) || DefinitionReader.groups.contains(group) {
                if problem == nil { read(entry) }
            } else if group == entry.key {
                faults.add(entry, unknown(entry.key, DefinitionReader.keys))
            } else if let place = ofResources.firstIndex(where: { $0.name == group }) {
                ofResources[place].entries.append(entry)
            } else {
                ofResources.append((group, [entry]))
            }
        }
        read(ofResources, secretLines)
        requireAPI()
        return definition
    }

    private mutating func read(_ resources: [(name: String, entries: [Entry])], _ secretLines: Set<Int>) {
        var drafts: [ResourceDraft] = []
        for (name, entries) in resources {
            var reader = ResourceReader(
                name, entries, secretLines, settings: definition.settingNames, faults)
            let draft = reader.read(meantBy: DefinitionReader.keys)
            faults = reader.faults
            if let draft { drafts.append(draft) }
        }
        var checks = ResourceChecks(
            drafts, api: definition.api, hasErrorTexts: entries.contains { $0.key == "error.text" }, faults)
        checks.check()
        faults = checks.faults
        definition.resources = drafts.map { draft in
            var resource = draft.declaration
            resource.ignoresCase = definition.ignoresCase
            return resource
        }
        setFingerprints()
    }

    private mutating func requireAPI() {
        let last = entries.last?.line ?? 1
        if definition.api.isEmpty, !entries.contains(where: { $0.key == "api" }) {
            faults.add(line: entries.first?.line ?? 1, "api: is missing; add a line such as api = slack")
        }
        if definition.resources.isEmpty, faults.isEmpty {
            faults.add(
                line: last,
                "the definition has no resource; add one with NAME.path, NAME.key and NAME.field.F")
        }
        checkSettings()
        checkSecondSecret()
        if definition.hosts.isEmpty, let host = definition.baseURL.flatMap(DefinitionReader.host) {
            definition.hosts = [
                definition.settings.reduce(host) { $0.replacing("{\($1.name.withHyphens)}", with: "*") }
            ]
        }
    }

    /// The host of an address, without its port.
    private static func host(_ address: String) -> String? {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { return nil }
        return address[colon...].dropFirst(3).prefix { !"/:".contains($0) }.lowercased()
    }
}

/// The message for a key that the grammar does not have.
func unknown(_ key: String, _ known: [String]) -> String {
    "is not a key of a definition\(EditDistance.suggestion(for: key, in: known)); remove or correct it"
}

// MARK: - Keys of the API

extension DefinitionReader {
    private mutating func read(_ entry: Entry) {
        do throws(DefinitionFault) {
            try DefinitionReader.read(entry, into: &definition)
        } catch {
            faults.add(entry, error.problem)
        }
    }

    private static func read(_ entry: Entry, into definition: inout Definition) throws(DefinitionFault) {
        let value = entry.value
        switch entry.key {
        case "format":
            guard value == "1" else {
                throw DefinitionFault(
                    "this version of Patchbay reads format 1, not \"\(value)\"; update Patchbay, or correct the line"
                )
            }
        case "api": definition.api = try DefinitionWords.name(value)
        case "summary": definition.summary = value
        case "base-url": definition.baseURL = try address(value)
        case "auth": definition.authorization = try authorization(value)
        case "auth-second": definition.secondAuthorization = try authorization(value)
        case "hosts": definition.hosts = DefinitionWords.split(value)
        case "check":
            definition.check = try Template(
                reading: value, in: .fixed, settings: definition.settingNames)
        case "rate": definition.pace = try DefinitionWords.pace(value)
        case "case":
            guard value == "ignored" else {
                throw DefinitionFault("\"\(value)\" is not understood; write ignored, or remove the line")
            }
            definition.ignoresCase = true
        case "error": definition.errors.mark = try mark(value)
        case "error.text":
            var paths: [JSONPath] = []
            for word in DefinitionWords.split(value) { paths.append(try DefinitionWords.path(word)) }
            definition.errors.text = paths.first
            definition.errors.details = Array(paths.dropFirst())
        case "error.wait": definition.errors.wait = try DefinitionWords.path(value)
        default: try readNamed(entry, into: &definition)
        }
    }

    private static func readNamed(_ entry: Entry, into definition: inout Definition) throws(DefinitionFault) {
        let name = String(entry.key.drop { $0 != "." }.dropFirst())
        // Read before all other lines.
        if entry.key.hasPrefix("setting.") { return }
        if entry.key.hasPrefix("header.") {
            guard !name.isEmpty, !name.contains(".") else {
                throw DefinitionFault("is not a header's name; use letters, digits and hyphens")
            }
            guard entry.value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw DefinitionFault(
                    "contains characters that are not allowed in a header; use printable ASCII")
            }
            return definition.headers.append((name, entry.value))
        }
        guard let meaning = ErrorRules.Meaning(rawValue: name) else {
            let known =
                ErrorRules.Meaning.allCases.map { "error.\($0.rawValue)" } + ["error.text", "error.wait"]
            throw DefinitionFault(unknown(entry.key, known))
        }
        definition.errors.words[meaning] = DefinitionWords.split(entry.value)
    }

    private static func mark(_ value: String) throws(DefinitionFault) -> ErrorRules.Mark {
        let words = DefinitionWords.split(value)
        switch (words.count, words[0]) {
        case (1, "none"): return .none
        case (1, _): return .present(try DefinitionWords.path(words[0]))
        case (2, "not"): return .absent(try DefinitionWords.path(words[1]))
        default:
            throw DefinitionFault("\"\(value)\" is neither PATH, not PATH nor none; write error, or not ok")
        }
    }

    private static func address(_ value: String) throws(DefinitionFault) -> String {
        let lowered = value.lowercased()
        let scheme = ["https://", "http://"].first { lowered.hasPrefix($0) }
        guard let scheme, value.count > scheme.count, !value.contains(where: { "?#@ ".contains($0) }) else {
            throw DefinitionFault(
                "is not an address; write https://HOST or https://HOST/PATH, without query and fragment")
        }
        return value
    }
}
