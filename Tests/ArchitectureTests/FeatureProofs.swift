/// The tests that prove each feature of Docs/Features.md, by the feature's name. FeatureTests compares both.
enum FeatureProofs {
    static let tests: [String: [String]] = [
        // Reading
        "Stored rows first": [
            "stored rows are returned at once with their age, then confirmed by the source"
        ],
        "A policy for each read": [
            "every policy returns the documented answers in every reading use case",
            "refresh sends unconditional requests",
        ],
        "Exactly one ending": [
            "every policy returns at most two answers, of which only the last is an ending",
            "answers can be iterated again, and each iteration starts over",
        ],
        "Lists and details": [
            "show users follows a rename, and reports a missing user",
            "a row that is not stored is fetched with its details",
            "a row in a list does not clear its stored detail or its edited name",
        ],
        "Offline reads": [
            "batches, commits and details of recorded repositories are printed, the same offline"
        ],
        "The same rows from every storage": [
            "a list is the same over every storage, page by page",
            "list users prints the rows of the golden file over every storage",
        ],
        "Limits that are stated": [
            "list.limit and list.maximum of the configuration apply, and options override them",
            "each answer states how the list continues, whether fetched, confirmed or offline",
            "a list that has reached its maximum length reports it",
            "the state is fetching while the source is queried, and more when the list continues",
        ],
        "Only the pages that are needed": [
            "with an empty storage the source is queried and there is one answer",
            "a stretch requests only the pages that contain it",
        ],
        "Words in every text": [
            "are found in the same order in every storage",
            "of edits are found instead of those of the source, until they are reverted",
            "are ranked among the latest 30,000 if more match, and the answer says so",
            "rank the rows that a search finds, and join tables",
        ],
        "An index that needs no care": [
            "an index that follows edits, absences, clears and reopening equals a new one",
            "is made again when it was removed, also while it is open",
            "that cannot be updated is used, and the answer says what it lacks",
        ],
        "Questions in SQL": [
            "random statements return the same rows", "a statement sees one snapshot",
            "columns have local edits, and hidden columns the rest",
            "name the index of each table, or that all rows are read",
        ],
        "SQL that only reads": [
            "are refused, whatever the storage", "end at a limit of time, rows, bytes or memory",
        ],
        "Children of visible rows": [
            "no more requests are sent at the same time than the source accepts",
            "a row that leaves the window is cancelled or never requested, and does not arrive",
            "visible rows arrive; stored children cost no request when their parent is visible again",
            "an empty list of children is stored and not requested again",
        ],
        "Pictures": ["a picture is fetched once, stored, and then only validated"],
        "Safe links": ["everything else is refused"],
        // Windows over long lists
        "Bounded memory": [
            "it moves forward through the source's pages and keeps no more items than its size"
        ],
        "Backwards without requests": [
            "moving backward never queries the source, not even at the start or at a gap"
        ],
        "Consistent while rows change": [
            "a window equals its model after each of many random steps",
            "concurrent steps, jumps and clears leave the window ordered and consistent",
        ],
        "Round lists": [
            "five of seven items turn in both directions, and no item is shown twice",
            "favourites wrap around in the order of their titles, and the window follows removals",
            "it goes round in both directions, and children are requested for visible rows only",
        ],
        // Browsing and watching
        "A browser on the terminal": [
            "users can be browsed, marked, edited and found, and the terminal is restored afterwards"
        ],
        "A page for web browsers": [
            "browsers get the page and programs the list of paths, at the same address"
        ],
        "Changes as they happen": [
            "existing rows come first, then one set of changes per commit, limited to the watched stretch",
            "applying the differences of random lists turns one into the other",
        ],
        "What has changed since the last time": [
            "random changes reach a reader that reads pages of any size in between, each row once",
            "a reader starts over when its position is unknown or was lost, and is told why",
        ],
        "Progress": ["a long task is drawn at most ten times a second and then erased"],
        // Editing locally
        "Edits that survive every refresh": [
            "an edited name is shown with the upstream name and can be reverted",
            "it survives a 304, a new upstream name, a list and a new login, and reverts to the upstream name",
        ],
        "Edits can be reverted and copied": [
            "an edit that changes nothing makes no commit and sends no notice",
            "it is copied to another storage, where it survives a refresh and can be reverted",
        ],
        "Clearing": [
            "clear asks for --yes, keeps edits on request, and init fetches the first page once",
            "a clear removes it unless edits are kept",
        ],
        "Favourites": [
            "a favourite is a copy that survives the row's deletion and a clear",
            "favourites are listed, grouped, searched and marked in the list",
            "the favourites among the rows of a page are found in one read transaction",
            "edits, kept edits and favourites work the same over every storage",
        ],
        "Groups by initial": [
            "favourites are in the order of the index; groups are in the order of their first favourites, # last",
            "the initial is the first character in upper case, or # for a non-letter",
        ],
        // Searching
        "The search of the source": [
            "pages of 20 follow one another from one fetched list",
            "ten pages of a search need one request to the source",
        ],
        "Search while you type": [
            "a text is searched half a second after it was typed, and only the last one",
            "a new text cancels the request in flight, and no event of the old text follows",
        ],
        "Recent searches": [
            "recent searches come newest first, repeated ones move to the top, up to the setting"
        ],
        "Searches that found nothing": [
            "a text that found nothing sends no request until its denial expires, in any spelling",
            "denials are listed with their remaining time, removed one by one, and cleared",
        ],
        "One search for all spellings": ["two spellings of a text are the same search"],
        "Local matches": [
            "they replace a source that cannot be reached, and come first while it is queried"
        ],
        "More than 1,000 results": ["all results are fetched by splitting, and the verdict is complete"],
        // Fetching
        "Syncs that resume": [
            "only the last stored page is requested again, and the rows equal those of an uninterrupted sync",
            "the list is fetched first, then the missing details, none of them twice",
        ],
        "Everything at once": [
            "it resumes after any interruption, and requests only the last pages of the interrupted lists twice"
        ],
        "Costs in advance": [
            "the plan reports the remaining work and the budget without sending a request",
            "a sync reports its expected cost, its result and its requests; a plan sends none",
        ],
        "Unchanged answers cost nothing": [
            "a second complete run sends only conditional requests and writes no row"
        ],
        "No request twice": [
            "a thousand callers for one user share one request, which ends when all of them are cancelled",
            "50 rows are refreshed a few at a time, in the order of the request",
        ],
        "One budget for all processes": [
            "a budget used up by one run limits the next one from its start",
            "eight processes send exactly as many requests as the limit allows, and none is refused",
            "a few requests run at a time with a token, one without, in order",
        ],
        "Nothing is deleted for a limit": [
            "a rate limit, lost credentials or a lost connection neither deletes nor marks a row"
        ],
        "Lists of a definition": [
            "rows in a field of other rows need no request, are as old as those, and go with them",
            "a list is fetched for each value that the definition or a setting names, and resumes among them",
        ],
        "Any address of the API": [
            "api prints an answer unchanged, all pages as one array, and errors with their status"
        ],
        "Secrets stay secret": [
            "a secret comes from the environment or from a file that only its owner can read",
            "limits and doctor send one request; an expired token is reported",
            "an invalid token is refused without being shown",
        ],
        "Retries": ["an unreachable network is retried, other errors are not"],
        // Storages
        "Five storages, one set of promises": [
            "a durable storage without a fault keeps every promise",
            "no two promises have the same name",
            "records are put, read, listed, counted and deleted",
        ],
        "Reads during writes": [
            "an actor on the executor runs one job at a time, wherever they come from",
            "when all readers are lent, callers wait in turn; a cancelled caller leaves the queue",
        ],
        "Verified copies to another storage": [
            "every value is copied, digests are equal, and the indexes are sound",
            "is completed by the same command, with equal digests and intact indexes",
        ],
        "Upgrades": ["a database of an older version is first copied next to itself"],
        "Comparisons": [
            "storages are measured in separate processes, agree, and leave no files",
            "the rows of a recording and of a filled storage are compared, whatever their resource",
        ],
        // Other programs
        "A caching proxy": ["without a connection every stored answer is served, marked and with its age"],
        "Recordings without secrets": [
            "no secret in a header, query or body is in the file, and the replay still matches"
        ],
        "Errors for programs": [
            "an error's description contains code, message, details and cause",
            "Docs/Errors.md contains every error code with its exit status",
            "a wrong call prints one clear line and no rows, and has a documented status",
            "a status is an error with a code and a sentence",
        ],
        "Tools for agents": [
            "both eras of the protocol are answered, each with its own members",
            "an answer has at most the configured size, and its cursor continues with the next row",
        ],
        "Clients with rights and budgets": [
            "two worlds that differ only in what is hidden answer every probe with the same bytes",
            "a client without requests left reads stored rows, and learns when it may fetch again",
            "the account says who asked what, and contains no value, word, statement or token",
            "a client's budget of requests counts those that a source receives, also after a restart",
        ],
        "Agents that spend nothing unasked": [
            "rows are found in lists and by indexed fields, page by page, without requests",
            "a refresh sends requests, but one that needs many only after its plan was shown",
        ],
        // The library
        "A gateway without global state": [
            "the default is the bundled recording with SQLite in the user's data folder",
            "two gateways in one process do not interfere",
        ],
        "Plugins": ["every plugin folder has a README, sources and tests"],
        "Modules with one direction": ["every import is allowed by the table"],
        "Typed rows": [
            "columns read and write their Swift types",
            "encoding and decoding a struct returns the same value",
        ],
        "Tests without network or disk": [
            "searches, and lists projects with their changes, from the same script",
            "greets listed people by their edited names, with the age of the answer when offline",
        ],
        "Documentation that is tested": [
            "Docs/Commands.md contains the help of every command",
            "the README names the toolchain that the package needs",
        ],
    ]
}
