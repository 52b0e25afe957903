/// A way in which a storage can misbehave, and the topic of the promises that must detect it.
enum Fault: String, CaseIterable, Sendable, CustomStringConvertible {
    case losesEveryFifthPut, putNeverReplaces, commitsWhatThrew, swallowsErrors, deleteAlwaysAnswersYes
    case refusedPutEndsTransaction, deleteAllEmptiesNeighbours
    case ignoresOrder, ignoresAfter, ignoresAfterDescending, ignoresLimit, limitZeroIsNone, ignoresBounds
    case swapsBoundKinds, stopIsIgnored, countsWithoutLimit, projectsNothing, alwaysWalksPrimaryKey
    case mergesSpellings, foldsText, cutsLongText, emptyBecomesNull, roundsIntegers, roundsReals,
        keepsNoBytes
    case ignoresConflicts, conflictOnNull
    case revisionStands, revisionRuns, revisionRunsAhead, readsAreUnstable, readsAreDirty
    case forgetsWhenReopened, forgetsLastCommit, migrationLosesRows, opensNewerSchemas, migratesAnything
    case changesBeforeRefusing, opensTwice
    case answersWhenClosed, forgetsCollections, returnsRequestedOnly, readingTouches, writesWhenReading
    case migratesForReading, makesForReading, takesEmptyForNew, needsWriting, writesWhenGone
    case hasNoIdentity, sharesIdentity, reopensOldState, failedCommitStaysVisible
    case compactingLosesRows, backupIsTorn, backupReplaces, migratesWithoutBackup, findsFaults

    var description: String { rawValue }

    /// The topic whose promises must break.
    var topic: String {
        switch self {
        case .losesEveryFifthPut, .putNeverReplaces, .commitsWhatThrew, .swallowsErrors,
            .deleteAlwaysAnswersYes,
            .refusedPutEndsTransaction, .deleteAllEmptiesNeighbours:
            "transactions"
        case .ignoresOrder, .ignoresAfter, .ignoresAfterDescending, .ignoresLimit, .limitZeroIsNone,
            .ignoresBounds,
            .swapsBoundKinds, .stopIsIgnored, .countsWithoutLimit, .projectsNothing, .alwaysWalksPrimaryKey:
            "queries"
        case .mergesSpellings: "order"
        case .foldsText, .cutsLongText, .emptyBecomesNull, .roundsIntegers, .roundsReals, .keepsNoBytes:
            "values"
        case .ignoresConflicts, .conflictOnNull: "indexes"
        case .revisionStands, .revisionRuns, .revisionRunsAhead: "revision"
        case .readsAreUnstable, .readsAreDirty: "snapshots"
        case .forgetsWhenReopened, .forgetsLastCommit: "reopen"
        case .migrationLosesRows, .opensNewerSchemas, .migratesAnything, .changesBeforeRefusing: "migration"
        case .answersWhenClosed, .forgetsCollections, .returnsRequestedOnly, .readingTouches,
            .writesWhenReading, .migratesForReading, .makesForReading, .takesEmptyForNew, .needsWriting,
            .writesWhenGone:
            "opening"
        case .compactingLosesRows, .backupIsTorn, .backupReplaces, .migratesWithoutBackup, .findsFaults:
            "maintenance"
        case .hasNoIdentity, .sharesIdentity, .reopensOldState: "opening"
        case .failedCommitStaysVisible: "transactions"
        case .opensTwice: "processes"
        }
    }

    /// Whether the random test can find it too, which opens one schema and lets every walk end by itself.
    var isFoundByModel: Bool {
        switch self {
        case .swallowsErrors, .stopIsIgnored, .cutsLongText, .failedCommitStaysVisible: false
        default: ["transactions", "queries", "order", "values", "indexes", "reopen"].contains(topic)
        }
    }
}
