import { Context, type Effect, type Option, type Result } from "effect"
import type { Account } from "../access/Account.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Import } from "./Import.ts"
import type { Candidate, ImportRow, Marked, Outcome, RowKeys } from "./ImportRow.ts"

/** A row of a file. */
export interface FileRow {
  readonly row: number
  readonly cells: ReadonlyArray<string>
}

/** An import with work to do, with what the store knows of the tenant and of the account that asked for the work. */
export interface Work {
  readonly it: Import
  readonly timeZone: string
  readonly account: Pick<Account, "role" | "deactivatedAt"> | undefined
}

/** Rows of an import in order. */
export interface RowsAsked {
  readonly after: number
  readonly limit: number
  /** Only rows with this outcome. */
  readonly outcome?: Outcome
}

/** The values by which stored workers are found. */
export interface Sought {
  readonly externalIds: ReadonlyArray<string>
  /** Display names in lower case. */
  readonly names: ReadonlyArray<string>
}

/** Stores imports and their rows, which are personal data. Infrastructure failures are defects. */
export class ImportStore extends Context.Service<
  ImportStore,
  {
    /** Stores a new import, if `decide` allows it by the number of the tenant's imports. The count cannot grow meanwhile. */
    readonly begin: <E>(
      it: Import,
      audit: AuditEntry,
      decide: (others: number) => Result.Result<void, E>
    ) => Effect.Effect<void, E>

    /** Adds rows, with the outcome NEW. At most 1000. */
    readonly append: (tenantId: string, importId: string, rows: ReadonlyArray<FileRow>) => Effect.Effect<void>

    /** Returns an import. */
    readonly find: (tenantId: string, importId: string) => Effect.Effect<Option.Option<Import>>

    /** A page of the tenant's imports, in order of upload. */
    readonly list: (tenantId: string, selection: TimelineSelection<"status">) => Effect.Effect<TimelinePage<Import>>

    /** Rows of an import in order. At most 1000. */
    readonly rows: (tenantId: string, importId: string, asked: RowsAsked) => Effect.Effect<ReadonlyArray<ImportRow>>

    /**
     * Reads the import, calls `decide`, which is pure, and writes its decision, in one transaction. `otherId` is another
     * import of the tenant that is RUNNING or UNDOING; none begins meanwhile. Writes nothing if the version stays the same.
     */
    readonly change: <E>(
      tenantId: string,
      importId: string,
      decide: (
        found: Option.Option<Import>,
        otherId: string | undefined
      ) => Result.Result<{ readonly next: Import; readonly audit: AuditEntry | null }, E>
    ) => Effect.Effect<Import, E>

    /**
     * Hides an import, and lets `forget` delete its rows. A hidden one stays so, and `decide` is not called. The
     * audit entry is null for an upload that has failed.
     */
    readonly remove: <E>(
      tenantId: string,
      importId: string,
      decide: (found: Option.Option<Import>) => Result.Result<AuditEntry | null, E>
    ) => Effect.Effect<void, E>

    /** The oldest imports of all tenants with work to do. */
    readonly working: (limit: number) => Effect.Effect<ReadonlyArray<Work>>

    /** The first row up to `upTo` with each key, of those that have one. */
    readonly firstRows: (
      tenantId: string,
      importId: string,
      keys: { readonly ids: ReadonlyArray<string>; readonly names: ReadonlyArray<string> },
      upTo: number
    ) => Effect.Effect<{
      readonly byId: ReadonlyMap<string, number>
      readonly byName: ReadonlyMap<string, number>
    }>

    /**
     * Workers that are not deleted, by external id or display name. Two of each external id and source system, and ten
     * of each name. At most 500 of each kind of value.
     */
    readonly candidates: (tenantId: string, sought: Sought) => Effect.Effect<ReadonlyArray<Candidate>>

    /**
     * Writes the import and the outcomes of rows in one transaction. Returns false, and writes nothing, if the stored
     * version is not the one before `next`: somebody else has changed the import.
     */
    readonly advance: (next: Import, marks: ReadonlyArray<Marked & Partial<RowKeys>>) => Effect.Effect<boolean>

    /**
     * Deletes imports of all tenants that were last changed before `before`, and uploads from before `uploadsBefore`, at
     * most `limit` rows in one transaction. Returns whether there may be more.
     */
    readonly forget: (before: Instant, uploadsBefore: Instant, limit: number) => Effect.Effect<boolean>
  }
>()("@wcs/domain/ImportStore") {}
