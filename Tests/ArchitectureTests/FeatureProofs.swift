/// The tests that prove each feature of Docs/Features.md, by the feature's name. FeatureTests compares both.
enum FeatureProofs {
    static let tests: [String: [String]] = [
        // Reading
        "Stored rows first": ["what is stored comes at once with its age, then the source confirms it"],
        "A policy for each read": [
            "what every policy says, of every use case that reads",
            "refresh asks without a condition",
        ],
        "Exactly one ending": [
            "every policy gives at most two answers and exactly one ending, the last",
            "answers can be asked for again, and each time anew",
        ],
        "Lists and details": [
            "users show follows a rename, and names a missing user",
            "a row that is not stored is fetched with its details",
            "a list row does not empty the detail, nor the edited name",
        ],
        "Offline reads": ["batches, commits and details of the recorded repositories, the same offline"],
        "The same rows from every storage": [
            "a list is the same over every storage, page by page",
            "users list prints the same rows over every storage, as the golden file says",
        ],
        "Limits that are stated": [
            "list.limit and list.maximum of the configuration hold, and options win over them",
            "each answer says how the list goes on, fetched, confirmed and offline",
            "a list that may have only so many says that its limit is reached",
            "while the source is asked the state is fetching; without a limit the list goes on",
        ],
        "Only the pages that are needed": [
            "an empty storage asks the source and answers once",
            "a batch asks for nothing but the pages that it lies in, the next one when it is wanted",
        ],
        "Children of visible rows": [
            "no more requests are sent at the same time than the source accepts",
            "what leaves the window is cancelled, or never requested, and does not arrive",
            "what is visible arrives; stored children cost nothing when their parent is visible again",
            "that a row has no children is stored, and not requested again",
        ],
        "Pictures": ["a picture is fetched once, kept with its bytes, and then only validated"],
        "Safe links": ["everything else is not opened"],
        // Windows over long lists
        "Bounded memory": ["it goes down over the source, page by page, and keeps no more than its size"],
        "Backwards without requests": [
            "going up never asks the source, at the top and next to what was never fetched neither"
        ],
        "Consistent while rows change": [
            "after each of many random steps the window shows what the model does",
            "steps, jumps, clears and inserts at once leave a window that is in order and true",
        ],
        "Round lists": [
            "five of seven turn both ways, and no item is shown twice",
            "favourites go round in the order of their titles, and follow what is added and removed",
        ],
        // Browsing and watching
        "A browser on the terminal": [
            "users are looked through, marked, edited and found; the terminal is as it was afterwards"
        ],
        "A page for web browsers": ["browsers get the page and programs the addresses, at the same address"],
        "Changes as they happen": [
            "what is there comes first, then one set of changes a commit, only of the watched stretch",
            "the differences of random lists make one the other",
        ],
        "Progress": ["long work is drawn ten times a second at most, and wiped away"],
        // Editing locally
        "Edits that survive every refresh": [
            "an edit shows beside the upstream name and reverts",
            "it survives a 304, a new upstream name, a list and a new login, and reverts to what upstream says now",
        ],
        "Edits can be reverted and copied": [
            "an edit that changes nothing is neither a commit nor a notice",
            "it is copied to another storage, and survives a refresh and reverts there",
        ],
        "Clearing": [
            "clear asks for --yes, keeps edits on request, and init fetches the first page once",
            "it goes with a clear, unless edits are to be kept",
        ],
        "Favourites": [
            "a favourite is a copy that survives the row's deletion and a clear",
            "favourites are listed, grouped, searched and marked in the list",
            "the favourites among the rows of a page are found in one read",
            "edits, kept edits and favourites are alike over every storage",
        ],
        "Groups by initial": [
            "favourites are in the storage's order; groups in that of their first, # last",
            "the initial is the first character in upper case, or # for what is no letter",
        ],
        // Searching
        "The search of the source": [
            "003.6: a page of 20 follows another, of one fetched list",
            "ten pages of a search are one request of the source",
        ],
        "Search while you type": [
            "003.5: a text is searched half a second after it was typed; the last one wins",
            "003.5: a new text cancels the request in flight, and nothing of it comes behind",
        ],
        "Recent searches": [
            "003.2: recent searches come newest first, a repeated one at the top, no more than the setting says"
        ],
        "Searches that found nothing": [
            "003.7, 003.8: a text that found nothing costs no request until it is old, however it is typed",
            "003.8: denials are listed with the time that is left, removed one by one, and cleared",
        ],
        "One search for all spellings": ["003.4: two spellings of a text are one search"],
        "Local matches": [
            "003.9: they stand in for a source that cannot be reached, and come first while it is asked"
        ],
        "More than 1,000 results": ["all results are fetched by splitting, and the verdict is complete"],
        // Fetching
        "Syncs that resume": [
            "no page is asked for again once it was stored, and the rows are those of an undisturbed sync",
            "the list comes first, then the details that are missing, none twice",
        ],
        "Everything at once": ["stopped anywhere, it resumes, and no page is fetched twice"],
        "Costs before they arise": [
            "what is left to do and what may be spent are told before anything is asked",
            "a sync says what it will cost, what it did and what was sent; the plan alone asks nothing",
        ],
        "Unchanged answers cost nothing": [
            "semantics-13: a second complete run asks conditionally only, and writes no row"
        ],
        "No request twice": [
            "a thousand callers for one user are one request, which ends when all of them go",
            "50 rows are refreshed a few at a time, in the order of the request",
        ],
        "One budget for all processes": [
            "a budget that one run used up the next one honours from its start",
            "eight processes send exactly as many requests as the limit allows, and none is refused",
            "semantics-24: a few requests go at a time with a token, one without, in their order",
        ],
        "Nothing is deleted for a limit": ["a limit or a lost permission deletes and marks nothing"],
        "Any address of the API": [
            "api prints an answer as it is, all pages as one array, and errors with their status"
        ],
        "Secrets stay secret": [
            "a secret comes from the environment or from a file that only its owner reads",
            "limits and doctor ask once; an expired token is told",
            "a token that cannot be sent is refused without being told",
        ],
        "Retries": ["an unreachable network is tried again, other errors are not"],
        // Storages
        "Five storages, one set of promises": [
            "a durable storage without a fault keeps every promise",
            "every promise is a sentence of its own",
            "records are put, read, listed, counted and deleted",
        ],
        "Reads during writes": [
            "an actor on it runs one piece at a time",
            "when all readers are lent, the next waits its turn; a cancelled one leaves",
        ],
        "Verified copies to another storage": [
            "every value arrives, digests are equal, the indexes are sound",
            "is finished by the same command, with equal digests and sound indexes",
        ],
        "Upgrades": ["a database of an older version is copied beside itself first"],
        "Comparisons": ["storages are measured in processes of their own, agree, and leave no file"],
        // Other programs
        "A caching proxy": ["without a connection every stored answer is given, marked and with its age"],
        "Recordings without secrets": [
            "secrets in header, query and body are nowhere in the file, and the replay still matches"
        ],
        "Errors for programs": [
            "an error reads as code, message, context and cause",
            "Docs/Errors.md holds every error code with its exit status",
            "a wrong call is one clear line, a documented status, and no rows",
            "semantics-26 to 35: a status is an error with its code and a sentence",
        ],
        // The library
        "A gateway without global state": [
            "without a file it is the bundled recording over SQLite below the user's data",
            "two gateways in one process do not disturb each other",
        ],
        "Plugins": ["every plugin folder has a README, sources and tests"],
        "Modules with one direction": ["every import is one that the table allows"],
        "Typed rows": [
            "columns read and write their Swift types",
            "a struct that is encoded and decoded is the same",
        ],
        "Tests without network or disk": [
            "searches, and lists projects with their changes, from the same script",
            "greets who is listed, by the edited name, and says how old that is when the network is away",
        ],
        "Documentation that is tested": [
            "Docs/Commands.md holds the help of every command",
            "the README names the toolchain that the package needs",
        ],
    ]
}
