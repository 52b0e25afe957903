package import PatchbayCore

/// A definition of one resource: the addresses and pages of its rows, their fields, and the key that identifies a row.
package struct ResourceDeclaration: Sendable {
    /// The word in commands and collections, such as `repos`.
    package var name: String
    /// The noun for one row in messages: `repository`.
    package var singular: String
    /// The noun for several rows in messages: `repositories`.
    package var plural: String
    /// In the order of the definition. Lists may leave out detail fields (``FieldDeclaration/isDetail``).
    package var fields: [FieldDeclaration]
    /// The names of the fields that identify a row: one integer or text, or several.
    package var key: [String]
    /// How people refer to a row on the command line; nil when that is the key.
    package var handle: HandleDeclaration?
    /// The fields that name a row for people. Local search finds rows by the beginnings of these fields.
    package var title: [String] = []
    /// The text fields that may be overridden locally.
    package var editable: [String] = []
    /// The text field that contains the address of the avatar.
    package var picture: String?
    /// The columns of a table; the first fields when the definition names none.
    package var columns: [ColumnDeclaration] = []
    /// Additional indexes; those of the handle, the titles, ``order`` and ``within`` need no declaration.
    package var indexes: [IndexDeclaration] = []
    /// The lists, at least one. The first is the default of `list` and `sync`.
    package var lists: [ListDeclaration]
    /// The argument of the default list that has known values, and these; nil when a caller chooses one.
    package var each: (argument: String, values: [String])?
    /// The address of one row.
    package var show: Template?
    /// The place of the row in the answer to ``show``.
    package var showRows = JSONPath.whole
    /// Whether arguments of lists that differ only in letter case mean the same list.
    package var ignoresCase = false
    /// The source's own search; nil when only stored rows can be searched.
    package var search: SearchDeclaration?
    /// Nil for a declaration that is not read from a definition.
    package var lines: DefinitionLines?
    /// A few characters that change with everything in the definition that decides what is requested for this resource
    /// and how answers become its rows; empty for a declaration that is not read from a definition.
    package var fingerprint = ""
    /// Where the parameters of all requests for this resource go.
    package var send = ParameterPlace.query
    /// The place of the rows in the body of a list's answer.
    package var rows = JSONPath.whole
    /// How the pages of a list follow each other.
    package var paging = Paging.link
    /// Whether the definition states how the pages follow, so that an answer without a next page is the end.
    package var isPagingDeclared = false
    /// The place in an answer of the number of rows of the whole list.
    package var total: JSONPath?
    /// Whether no number in an answer is that of the whole list.
    package var hasNoTotal = false
    /// Whether the key identifies a row in all lists of the API, whatever their arguments and parents.
    package var isKeyOfAPI = false
    /// What ends a list, besides ``paging``.
    package var end = ListEnd()
    /// The integer field in whose ascending order lists come, so that a request can start anywhere (`{after}`).
    package var order: String?
    /// Makes a later sync request only rows that are not older than the newest stored one.
    package var since: SinceDeclaration?
    /// The rows of a list that are kept; nil keeps all.
    package var condition: RowCondition?
    /// How long an answer is not requested again; nil requests it every time, `Duration.forever` only once.
    package var fresh: Duration?
    /// A pace for the paths of its lists that the API does not report in headers; nil when there is none.
    package var pace: Pace?
    /// Whether the list is too long to be fetched unless it is named.
    package var isVast = false
    /// The field that has one value in all rows of a list with arguments; nil if there is none. Once the list is
    /// complete, other stored rows with this value are no longer listed.
    package var within: String?
    /// The boolean field of rows that a list may leave out although they exist, such as private ones.
    package var unsure: String?
    /// The parent's field with the time of the last change of this list.
    package var changedAt: String?
    /// Whether rows keep their order and new ones come last, so that a list shows which rows no longer exist even if it
    /// changes while it is read: `NAME.order-is = fixed`.
    package var isOrderFixed = false
    /// Fields that are shown to people only on request; programs always receive them.
    package var hidden: [String] = []
    /// The text field that contains an address for people, which may be opened in a browser.
    package var website: String?
    /// The fields shown in a list of favourites; the key, the handle and the titles when the definition names none.
    package var favourite: [String] = []
    /// The text fields whose words `find` finds, the most important one first; empty for a resource whose rows are not
    /// found.
    package var find: [String] = []
    /// What `find` compares of these fields.
    package var findTokens = FindTokens.words

    /// Creates a declaration whose plural is its name.
    package init(_ name: String, fields: [FieldDeclaration], key: [String], lists: [ListDeclaration]) {
        self.name = name
        singular = EnglishNoun.singular(name)
        plural = name
        self.fields = fields
        self.key = key
        self.lists = lists
    }

    /// The resource to whose rows the lists belong: the `other` of `{other.field}`; nil when there is none.
    package var parent: String? {
        lists.lazy.compactMap(\.template.parent).first
    }

    /// The parent's field that contains the rows (`NAME.from`), for which no request is sent; nil when they are
    /// fetched.
    package var parentField: String? { lists.count == 1 ? lists[0].template.storedField : nil }

    /// What answers with rows of the resource depend on at a source of this identity (``Source/identity(of:)``).
    package func identity(at source: String) -> String {
        source.isEmpty || fingerprint.isEmpty ? source : "\(source) \(fingerprint)"
    }

    /// Returns the list with a name; for nil, the one without a name or else the first. Nil when there is none.
    package func list(named name: String?) -> ListDeclaration? {
        lists.first { $0.name == name } ?? (name == nil ? lists.first : nil)
    }
}

/// A field of a resource's rows.
package struct FieldDeclaration: Hashable, Sendable {
    /// Lower-case letters, digits and underscores: `site_admin`, in a definition `site-admin`.
    package var name: String
    /// The type of its values; see ``isLenient`` for values of other types.
    package var type: ValueType
    /// Where the value comes from.
    package var origin: Origin
    /// Whether only the row's own address reliably returns it. A list without it does not change the stored value.
    package var isDetail = false
    /// Whether a value of another type counts as absent; otherwise it is an error.
    package var isLenient = false
    /// The maximum number of bytes of a text; a longer one is cut at a character.
    package var bytesMax: Int?
    /// Creates a field; without an origin, its value is the row's member of the same name.
    package init(_ name: String, _ type: ValueType, _ origin: Origin? = nil, isDetail: Bool = false) {
        self.name = name
        self.type = type
        self.origin = origin ?? .path(JSONPath([.member(name)]))
        self.isDetail = isDetail
    }

    /// Where a value comes from: usually a place in the row's JSON.
    package enum Origin: Hashable, Sendable {
        case path(JSONPath)
        /// A field of the row to which the list belongs: `{repos.id}`.
        case parent(field: String)
        /// An argument of the list: `{site}`.
        case argument(String)
        /// The name of the member that contains the row (`@key`).
        case memberName
        /// The index of the row in its list, from 0 (`@place`).
        case place
    }
}

/// The parts of a text that `find` compares: `NAME.find-tokens`.
package enum FindTokens: String, Hashable, Sendable, CaseIterable {
    /// Words, without regard to case and accents.
    case words
    /// Any three consecutive characters, for languages without spaces between words.
    case trigram
}

/// The type of a field's values.
public enum ValueType: String, Hashable, Sendable, CaseIterable {
    case text, integer, real, boolean
    /// A point in time: ISO 8601, or seconds or milliseconds since 1970.
    case time
    case json

    /// The type in a storage: a boolean is stored as 0 or 1, a time in milliseconds, any JSON as text.
    package var fieldType: FieldType {
        switch self {
        case .text, .json: .text
        case .integer, .boolean, .time: .integer
        case .real: .real
        }
    }
}

/// A column of a table.
package struct ColumnDeclaration: Hashable, Sendable {
    /// The fields to show: the first that has a value, or for booleans the names of all that are true.
    package var fields: [String]
    /// The heading above the column.
    package var title: String
    /// The maximum number of characters shown; nil shows as many as fit.
    package var charactersMax: Int?
    /// Creates a column; without a title, its heading is the first field's name with spaces for underscores.
    package init(_ fields: [String], title: String? = nil, charactersMax: Int? = nil) {
        self.fields = fields
        self.title = title ?? fields.first?.withSpaces ?? ""
        self.charactersMax = charactersMax
    }
}

/// An index over fields of a resource.
package struct IndexDeclaration: Hashable, Sendable {
    /// The name, unique within the resource.
    package var name: String
    /// The columns in the index's order. Case folding treats A to Z as a to z, in text columns only.
    package var fields: [(name: String, isCaseFolded: Bool)]

    /// Creates an index over columns of the resource.
    package init(_ name: String, _ fields: [(name: String, isCaseFolded: Bool)]) {
        self.name = name
        self.fields = fields
    }

    /// Whether name and columns are the same.
    package static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.fields.elementsEqual(right.fields, by: ==)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// One list of a resource.
package struct ListDeclaration: Hashable, Sendable {
    /// Nil for the default list.
    package var name: String?
    /// The address of its first page.
    package var template: Template
    /// Creates a list; without a name, the default one.
    package init(_ name: String?, _ template: Template) {
        self.name = name
        self.template = template
    }
}

/// A source's search.
package struct SearchDeclaration: Hashable, Sendable {
    /// The address of the first page of results; it contains `{text}`.
    package var template: Template
    /// The place of the rows in the body of an answer.
    package var rows = JSONPath.whole
    /// The place of the number of results in the answer.
    package var total: JSONPath?
    /// The place in the answer that reports that results may be missing.
    package var incomplete: JSONPath?
    /// The source's maximum number of results for one query.
    package var cap: Int64?
    /// How a search with more results is split; nil when it cannot be.
    package var split: SearchSplit?
    /// The answer that reports that ``cap`` is reached.
    package var end = ListEnd()
    /// How the pages of results follow each other; nil when as those of the resource's lists.
    package var paging: Paging?
    /// What ends the results, besides the paging; nil when the same as in the resource's lists, unless ``paging`` is
    /// set.
    package var pageEnd: ListEnd?
    /// Creates a search without a total, a cap or a split.
    package init(_ template: Template) { self.template = template }
}

/// Where a request's parameters go: into the address of a GET, or into the body of a POST as a form or a JSON object.
package enum ParameterPlace: String, Hashable, Sendable, CaseIterable {
    case query
    case form
    case json
}

/// The maximum number of requests in a period.
package struct Pace: Hashable, Sendable {
    /// The number of requests, at least 1.
    package var requests: Int
    /// The length of the period. The limit applies to any period of this length, whenever it begins.
    package var per: Duration
    /// Creates a pace. Opening a source with fewer than one request per period is a programming error.
    package init(_ requests: Int, per duration: Duration) {
        self.requests = requests
        self.per = duration
    }
}

/// How people refer to a row on the command line.
package struct HandleDeclaration: Hashable, Sendable {
    /// The name of an integer or text field.
    package var field: String
    /// The names of its parts, for help: `OWNER/NAME`. Slashes separate the parts; a handle without slashes has one.
    package var parts: [String]
    /// Creates a handle; without parts, its one part is the field's name in capitals.
    package init(_ field: String, parts: [String]? = nil) {
        self.field = field
        self.parts = parts ?? [field.uppercased()]
    }

    /// Splits a handle of more than one part; nil when it has another number of parts, or an empty one.
    package static func parts(of handle: String, count: Int) -> [String]? {
        guard count > 1 else { return [handle] }
        let parts = handle.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count && !parts.contains("") ? parts : nil
    }
}
